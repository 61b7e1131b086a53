-- Reduces long streams on the device to the data that a chart shows, so that only this is read back.
local rill = require "rill.core.public"
local texts <const> = require "rill.glsl.template".sections "thinning"

local CHUNK = 2048 -- elements that one invocation reads
local SPOTS = 6 -- points that are kept of a part

local reduce = {}

local QUARTER = 0.25 -- factor for floats with which their differences do not overflow

-- Returns the kernel of a template for numbers of type T, with or without a stream of x.
local function kernel(text, T, has_x)
    return text:kernel {T = T, has_x = has_x}
end

local wide = { double = true, int = true, uint = true }

-- Returns "float", or "double" if a stream has numbers that a float cannot represent.
local function number_type(...)
    for _, s in pairs { ... } do
        if wide[s.type] then
            return "double"
        end
    end
    return "float"
end

-- Returns a stream converted to type T, so that kernels read the type that they compute with.
local function as(s, T)
    return s and (s.type == T and s or s:cast(T)) or nil
end

local function parts_of(n)
    return math.max(math.ceil(n / CHUNK), 1)
end

--- reduce.extent(s, logarithmic) returns the least and the largest number that can be drawn, or nil if there is none.
function reduce.extent(s, logarithmic)
    if s.size == 0 then
        return nil
    end
    local T, parts = number_type(s), parts_of(s.size)
    local low, high = kernel(texts.extent, T, false) {
        s = as(s, T), n = s.size, parts = parts, logarithmic = logarithmic and 1 or 0, shape = parts,
    }
    local least, most = low:min(), high:max()
    if least <= most then
        return least, most
    end
end

-- Returns the part of two streams whose x are from `low` to `high`, with one more element at both ends.
local function cut(x, y, T, low, high)
    local parts = parts_of(x.size)
    local largest = T == "double" and 0x1.fffffffffffffp1023 or 0x1.fffffep127
    local first, last = kernel(texts.between, T, false) {
        s = x, n = x.size, parts = parts, low = math.max(low, -largest), high = math.min(high, largest), shape = parts,
    }
    -- 1-based, with one more element at both ends.
    local from, to = math.max(first:min(), 1), math.min(last:max() + 2, x.size)
    if to < from then
        return rill.stream(T, 0), rill.stream(T, 0)
    end
    return x:domain(from, to), y:domain(from, to)
end

--- reduce.line(x, y, parts, limits) returns tables of the x and y of a line that looks like the line through all
-- elements when `parts` parts are drawn. limits: xmin, xmax (may be nil), xlog, ylog.
function reduce.line(x, y, parts, limits)
    local T = number_type(x or y, y)
    local low, high = limits.xmin or -math.huge, limits.xmax or math.huge
    local start = 1
    x, y = as(x, T), as(y, T)
    if limits.xmin or limits.xmax then
        if x then
            x, y = cut(x, y, T, low, high)
        else
            start = math.min(math.max(math.floor(low), 1), y.size)
            local stop = math.min(math.max(math.ceil(high), start), y.size)
            y = y:domain(start, stop)
        end
    end
    local n = y.size
    while n > 2 * SPOTS * parts do
        local count = math.max(math.min(parts_of(n), n // (2 * SPOTS)), parts)
        local px, py = rill.stream(T, SPOTS * count), rill.stream(T, SPOTS * count)
        kernel(texts.spots, T, x ~= nil) {
            b = rill.iota(count), x = x, y = y, start = start, n = n, parts = count,
            logx = limits.xlog and 1 or 0, logy = limits.ylog and 1 or 0, px = px, py = py,
        }
        x, y, n = px, py, SPOTS * count
    end
    local ys = y:values()
    if x then
        return x:values(), ys
    end
    local xs = {}
    for i = 1, #ys do
        xs[i] = start + i - 1
    end
    return xs, ys
end

--- reduce.cells(x, y, nx, ny, box) returns flags of the cells of a grid that contain points, a table with nx flags per
-- row, rows from the bottom. `box`: the ends of the axes {x0, x1, y0, y1}, as logarithms if xlog or ylog is true,
-- otherwise multiplied by xunit and yunit (default: 1).
function reduce.cells(x, y, nx, ny, box)
    local T = number_type(x or y, y)
    local grid = rill.stream("uint", nx * ny)
    local kx, ky = box.xlog and 1 or QUARTER, box.ylog and 1 or QUARTER
    kernel(texts.cells, T, x ~= nil) {
        x = as(x, T), y = as(y, T), logx = box.xlog and 1 or 0, logy = box.ylog and 1 or 0,
        ux = (box.xunit or 1) * QUARTER, uy = (box.yunit or 1) * QUARTER,
        x0 = box[1] * kx, x1 = box[2] * kx, y0 = box[3] * ky, y1 = box[4] * ky, nx = nx, ny = ny, grid = grid,
    }
    return grid:values()
end

return reduce
