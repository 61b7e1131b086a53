-- rill.image.median. Windows of 3 x 3 and 5 x 5 are sorted by networks of minima and maxima (K. E. Batcher, Sorting
-- networks and their applications, 1968). For larger windows the median's bits are determined two at a time. Both
-- compare the bits of floats as integers that have the order of the floats.
local core = require "rill.core"
local rill = require "rill.core.public"
local sorting_network = require "rill.glsl.snippets.sorting_network"
local template = require "rill.glsl.template"
local kernels <const> = template.sections "median"
local picture = require "rill.image.arguments"
local recorder = require "rill.core.recorder"

local median = {}

local MOST_RADIUS <const> = 16383 -- the size of larger windows overflows an int
local MOST_BY_NETWORK <const> = 2

local INTEGERS <const> = {float = "int", vec3 = "ivec3", vec4 = "ivec4"}

-- ---- networks

-- Returns the exchanges that the middle element depends on, as GLSL statements. Where only the smaller or the larger
-- value is needed, only that one is computed.
local function network_text(n)
    local needed, lines = {[n // 2 + 1] = true}, {}
    local list <const> = sorting_network.exchanges(n)
    for e = #list, 1, -1 do
        local a, b = list[e].a, list[e].b
        local both = ("t = min(a%d, a%d); a%d = max(a%d, a%d); a%d = t;"):format(a, b, b, a, b, a)
        local one = needed[a] and ("a%d = min(a%d, a%d);"):format(a, a, b) or
            needed[b] and ("a%d = max(a%d, a%d);"):format(b, a, b)
        if one then
            table.insert(lines, 1, needed[a] and needed[b] and both or one)
            needed[a], needed[b] = true, true
        end
    end
    return table.concat(lines, "\n")
end

local function window_rows(radius)
    local rows, side <const> = {}, 2 * radius + 1
    for k = 0, side * side - 1 do
        rows[k + 1] = {k = k + 1, x = k % side - radius, y = k // side - radius}
    end
    return rows
end

local networks = {}
local function network(type, radius)
    local n <const> = (2 * radius + 1) * (2 * radius + 1)
    networks[radius] = networks[radius] or {window_rows(radius), {network_text(n)}}
    local window <const>, exchanged <const> = table.unpack(networks[radius])
    return kernels.network:kernel {
        F = type, I = INTEGERS[type], window = window, network = exchanged, middle = n // 2 + 1,
    }
end

-- ---- selection

local BITS <const>, AT_ONCE <const> = 32, 2
local MOST_TRIPS <const> = 60000 -- of an invocation's loops: some devices terminate them at 65,535

-- Determines the bits of `low` at `shift`, in parts of `rows` rows of the window.
local function narrow_in_parts(keys, radius, rank, shift, low, rows)
    local p <const> = kernels.select:program()
    local counts = {}
    for i = 1, 3 do counts[i] = rill.stream("ivec4", low.shape) end
    for first = -radius, radius, rows do
        p.part(keys, radius, first, math.min(first + rows - 1, radius), shift, low, table.unpack(counts))
    end
    p.choose(counts[1], counts[2], counts[3], rank, shift, low)
    for _, s in ipairs(counts) do s:close() end
end

-- Returns the keys of the medians of a stream of keys, four to an element.
local function selected(keys, radius)
    local side <const>, rank <const> = 2 * radius + 1, 2 * radius * (radius + 1)
    local low = rill.stream("uvec4", {keys.shape[1], (keys.shape[2] + 3) // 4})
    for shift = BITS - AT_ONCE, 0, -AT_ONCE do
        if side * (side + 1) <= MOST_TRIPS then
            kernels.select:program().narrow(keys, radius, rank, shift, low)
        else
            narrow_in_parts(keys, radius, rank, shift, low, MOST_TRIPS // (side + 1))
        end
    end
    return low
end

-- Returns the key of a number, as split of median.glsl computes it.
local function key(value)
    local bits = ("=I4"):unpack(("=f"):pack(value))
    return bits < 0x80000000 and bits | 0x80000000 or ~bits & 0xffffffff
end

-- Returns `keys` with the boundary of `s`, whose values are converted to keys.
local function bordered(keys, s)
    local modes = core._boundary(s)
    for d, mode in ipairs(modes or {}) do
        modes[d] = mode == "zero" and key(0) or type(mode) == "number" and key(mode) or mode
    end
    return keys:boundary(table.unpack(modes or {"clamp"}))
end

local function by_selection(s, type, radius)
    local p <const> = kernels.planes:program {F = type, I = INTEGERS[type]}
    local planes = table.pack(p.split(s))
    for i, keys in ipairs(planes) do
        local outside <close> = bordered(keys, s)
        planes[i] = selected(outside, radius)
        keys:close()
    end
    local arguments = {shape = s.shape}
    for i, plane in ipairs(planes) do arguments[("xyzw"):sub(i, i)] = plane end
    local r = p.join(arguments)
    for _, plane in ipairs(planes) do plane:close() end
    return r
end

--- rill.image.median(s, radius) returns the median of the square of 2 radius + 1 pixels around each pixel, component by
-- component. The result has the bits of one of the pixels. -0 is ordered before 0, NaN after all numbers. The boundary
-- of `s` applies. Default: "clamp".
median.median = recorder.wrap("rill.image.median", picture.filter("median", function(s, type, where, radius)
    radius = picture.number(where, 2, "radius", radius, 0, MOST_RADIUS)
    if radius == 0 or s.size == 0 then
        return s:cast(type)
    end
    return radius <= MOST_BY_NETWORK and network(type, radius)(s) or by_selection(s, type, radius)
end))

return median
