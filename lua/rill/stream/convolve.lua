-- rill.convolve and rill.correlate: by direct sums, or by Fourier transforms if that is cheaper.
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local recorder = require "rill.core.recorder"
local types = require "rill.core.types"
local kernels <const> = require "rill.glsl.template".sections "convolve"
local fail <const> = errors.fail

local convolve = {}

local RANKS <const> = 4
local MOST <const> = 4096 -- terms of a direct sum, at most: some devices end loops after about 65,000 iterations

-- ---- kernels

-- The values of the templates for each rank.
local ranks = {}
for rank, place in ipairs {"", "ivec2", "ivec3", "ivec4"} do
    local axes = {}
    for d = 1, rank do axes[d] = ("xyzw"):sub(rank + 1 - d, rank + 1 - d) end
    ranks[rank] = {brackets = ("[]"):rep(rank), place = place, first = rank == 1 and ".x" or "", axes = axes}
end

local function values(rank, own)
    return setmetatable(own, {__index = ranks[rank]})
end

-- ---- the methods. Both compute r[i], the sum over k of a[i + low + k] b[way k + last]. Vectors have x first

local function direct(p)
    return kernels.direct:kernel(values(p.rank, {real = p.real, element = p.element})) {
        a = p.a, b = p.b, low = p.low, size = p.size, last = p.last, way = p.way, shape = p.shape,
    }
end

local function transformed(p, s, low, way, element, component)
    local place <const> = kernels.place:kernel(values(p.rank, {
        real = p.real, element = element, component = component and "." .. component or "",
    }))
    local placed <close> = place {s = s, low = low, way = way, shape = p.room}
    return rill.fft(placed, {real = true})
end

-- Returns the result for one component of a; `y` is the transform of b.
local function filtered(p, y, component)
    local x <close> = transformed(p, p.a, p.low, 1, p.element, component)
    local z <close> = kernels.join:kernel {C = x.type}(x, y)
    local all <close> = rill.fft(z, {real = true, inverse = true, length = p.room[p.rank]})
    return all:domain(p.first, p.shape):copy()
end

local function by_transforms(p)
    local y <close> = transformed(p, p.b:boundary "zero", p.last, p.way, p.real)
    if p.components == 1 then
        return filtered(p, y)
    end
    local parts = {}
    for c = 1, p.components do
        parts[c] = filtered(p, y, ("xyzw"):sub(c, c))
    end
    local names = table.move({"x", "y", "z", "w"}, 1, p.components, 1, {})
    local whole = kernels.vector:kernel {
        element = p.element, names = names, real = p.element:find "^d" and "double" or "float",
    }(table.unpack(parts))
    for _, part in ipairs(parts) do part:close() end
    return whole
end

-- ---- the choice

-- Odd factors of lengths whose transforms are cheap. On GPUs passes over powers of two move several times fewer sectors
-- (src/linalg/fft/exchange.c).
local odds <const> = {cpu = {1, 3, 5}, gpu = {1}}

-- Returns the smallest even length >= n whose transforms are cheap.
local function room_for(n, family)
    local best
    for _, odd in ipairs(odds[family]) do
        local length = 2 * odd
        while length < n do length = 2 * length end
        best = math.min(best or length, length)
    end
    return best
end

-- Returns the parameters of both methods. `flip`: b is reversed. `room`: the shape of transforms in which no sum wraps
-- around.
local function plan(a, b, flip)
    local rank <const> = #a.shape
    local seen <const> = types.list[types.list[a.type].seen]
    local wide <const> = seen.scalar == "double" or b.type == "double"
    local real <const>, components <const> = wide and "double" or "float", seen.components
    local vector <const> = (wide and "dvec%d" or "vec%d"):format(components)
    -- In three and more dimensions powers of two take too much memory.
    local family <const> = rank <= 2 and core._family(a) or "cpu"
    local p = {
        a = a, b = b, rank = rank, shape = a.shape, way = flip and -1 or 1, real = real,
        components = components, element = components > 1 and vector or real,
        low = {0, 0, 0, 0}, last = {0, 0, 0, 0}, size = {1, 1, 1, 1}, first = {}, room = {},
    }
    for d = 1, rank do
        local c <const>, n <const> = rank + 1 - d, b.shape[d]
        p.size[c], p.first[d] = n, 1
        p.low[c] = flip and n // 2 - (n - 1) or -(n // 2)
        p.last[c] = flip and n - 1 or 0
        p.room[d] = room_for(a.shape[d] + n - 1, family)
    end
    return p
end

-- Costs of a term, a row of terms, an element of `room`, and of the launches. For CPUs they are measured nanoseconds of
-- one thread; for GPUs, where only the ratios matter, they are estimated from the bytes that are moved.
local costs <const> = {
    cpu = {term = 4, row = 10, element = 55, launches = 150e3},
    gpu = {term = 1, row = 2, element = 60, launches = 50e6},
}

local function is_direct(p)
    local cost, terms, room = costs[core._family(p.a)], p.b.size, 1
    for d = 1, p.rank do room = room * p.room[d] end
    local sums = p.a.size * (terms * cost.term + terms // p.size[1] * cost.row)
    return terms <= MOST and sums <= room * cost.element + cost.launches
end

-- ---- arguments

-- Returns an open stream of real numbers, or of vectors of them if `vectors` is true; raises for other values.
local function check_numbers(name, number, value, what, vectors)
    value = errors.open(("%s: argument #%d '%s'"):format(name, number, what), value, "expected a stream, got %s")
    local fits = types.scalar(value.type) and value.type ~= "bool" or vectors and types.is_real(value.type)
    if not fits then
        local expected <const> = "%s: argument #%d '%s': expected real numbers, float or double, got elements of %s"
        fail(expected, name, number, what, value.type)
    end
    return value
end

--- convolve.run(name, a, b, options, flip) returns the sums of rill.convolve, or, unless `flip`, of rill.correlate.
-- `name`: of the caller, for messages.
function convolve.run(name, a, b, options, flip)
    b = option.table[1](b) and rill.from(b) or b
    a, b = check_numbers(name, 1, a, "a", true), check_numbers(name, 2, b, "b")
    if #b.shape ~= #a.shape or #a.shape > RANKS then
        local expected <const> = "%s: expected streams of as many dimensions, at most %d, got shapes %s and %s"
        fail(expected, name, RANKS, a.shape, b.shape)
    elseif b.size == 0 then
        fail("%s: argument #2 'b' has no elements", name)
    end
    a = option.bounded(name, a, option.take(name, options, {boundary = option.boundary}).boundary)
    a = core._boundary(a) and a or a:boundary "clamp" -- explicit, so that rill.check does not report indices outside
    local p <const> = plan(a, b, flip)
    return (is_direct(p) and direct or by_transforms)(p)
end

--- rill.convolve(a, b [, {boundary=}]) returns r with r[i] = sum over k of a[i + n // 2 - k] b[k], where n is the size
-- of b and indices are 0-based: a new stream of the shape of a, double if one of them is. a may have vectors.
-- `boundary` defines the elements outside of a. Default: the mode of s:boundary if a has one, else "clamp".
convolve.convolve = recorder.wrap("rill.convolve", errors.guard(function(a, b, options)
    return convolve.run("rill.convolve", a, b, options, true)
end, "rill.convolve"))

--- rill.correlate(a, b [, {boundary=}]) returns r with r[i] = sum over k of a[i - n // 2 + k] b[k]. Otherwise like
-- rill.convolve.
convolve.correlate = recorder.wrap("rill.correlate", errors.guard(function(a, b, options)
    return convolve.run("rill.correlate", a, b, options, false)
end, "rill.correlate"))

return convolve
