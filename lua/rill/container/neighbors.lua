-- c:neighbors: visits elements of a container on the CPU together with their neighborhoods (the
-- neighborhood iterators of Glift, 3.4.3). A kernel gathers the neighborhoods of a part of the elements,
-- then this part is visited.
local core = require "rill.core"
local points = require "rill.container.points"
local oneline = require "rill.stream.expression_kernel"
local errors = require "rill.core.error"
local tables = require "rill.core.tables"
local template = require "rill.glsl.template"
local typename = require "rill.core.typename"
local fail <const> = errors.fail

local TEXT <const> = template.new "$text"
local PART <const> = 1 << 18 -- elements gathered at a time
local MOST <const> = 1 << 20 -- elements of a neighborhood

-- Each row of y is the neighborhood of an element, row-major in the container's dimensions, of which the
-- last is x.
local function text_of(c, rank, type)
    local declared = core._builtin_type(type) and "" or core._declare(c)
    local reaches, steps, index = {}, {}, ""
    for d = 1, rank do
        reaches[d] = ("int reach%d, "):format(d)
        steps[d] = ("int c%d = %s + rest %% (2 * reach%d + 1) - reach%d; rest /= 2 * reach%d + 1;"):format(d,
            points.coordinate("p", "element", d, rank), d, d, d)
        index = ("[c%d]"):format(d) .. index
    end
    return ("%skernel void neighborhood(%s%s, %s c%s, out %s y<>) {"
        .. "int element = indexof(y).y, rest = indexof(y).x; %s y = c%s; }"):format(declared, table.concat(reaches),
        points.parameter("p", rank), type, ("[]"):rep(rank), type, table.concat(steps, " "), index)
end

local function kernel_of(c, rank)
    return TEXT:kernel {text = text_of(c, rank, oneline.value_types[c.type] or c.type)}
end

-- Returns the reach in each dimension, and the number of elements of a neighborhood.
local function reach_of(reach, rank)
    local list, count = {}, 1
    reach = tables.whole(reach)
    local one = math.type(reach) == "integer"
    for d = 1, rank do
        local far = one and reach or type(reach) == "table" and not core.type(reach) and #reach == rank and reach[d]
        if math.type(far) ~= "integer" or far < 0 then
            fail("c:neighbors: argument #1 'reach': expected a whole number, 0 or more, or a table of %d", rank)
        end
        count = far <= MOST and count * (2 * far + 1) or math.huge
        if count > MOST then
            fail("c:neighbors: argument #1 'reach': a neighborhood has at most %d elements", MOST)
        end
        list[d] = far
    end
    return list, count
end

local Traversal = {__name = "rill.traversal", __metatable = "rill.traversal"}

-- Releases the current part.
local function leave(traversal)
    for _, name in ipairs {"neighborhood", "range"} do
        local held = traversal[name]
        traversal[name] = nil
        if held then held:close() end
    end
    traversal.view, traversal.step = nil, nil
end

function Traversal.__close(traversal)
    local _ <close> = traversal.parts
    traversal.parts = nil
    leave(traversal)
end

-- Gathers the neighborhoods of the next part. Returns false after the last one.
local function enter(traversal)
    leave(traversal)
    traversal.range = traversal.next()
    if not traversal.range then return false end
    local p <close> = traversal.range:addresses()
    local given = {p = p, c = traversal.container, shape = {traversal.range.size, traversal.count}}
    for d, far in ipairs(traversal.reach) do given["reach" .. #traversal.reach + 1 - d] = far end
    traversal.neighborhood = traversal.kernel(given)
    traversal.view = traversal.neighborhood:map_cpu {lazy = true}
    traversal.step, traversal.at = traversal.range:each(), 0
    return true
end

-- Returns the element at an offset from the current one.
local function read(traversal, ...)
    local reach, place = traversal.reach, 0
    local count = select("#", ...)
    if not traversal.view then
        fail("near: the loop is over")
    elseif count ~= 0 and count ~= #reach then
        fail("near: expected %d offset%s, one per dimension, got %d", #reach, #reach == 1 and "" or "s", count)
    end
    for d = 1, #reach do
        local far = count == 0 and 0 or math.tointeger((select(d, ...)))
        if not far or far < -reach[d] or far > reach[d] then
            fail("near: argument #%d: expected a whole number from %d to %d, got %s", d, -reach[d], reach[d],
                tostring((select(d, ...))))
        end
        place = place * (2 * reach[d] + 1) + far + reach[d]
    end
    return traversal.view[(traversal.at - 1) * traversal.count + place + 1]
end

--- c:neighbors(reach [, range]) returns an iterator that gives near, i, j, ... for each element of a
--- range or a list of ranges. Default of range: the mapped elements. near(di, dj, ...) returns the element
--- at this offset, at most `reach` (an integer, or one for each dimension) away in each dimension; near()
--- returns the element itself. Outside of the domain the boundary decides. Raises an error if a
--- neighborhood has more than 2^20 elements.
local function neighbors(c, reach, range, ...)
    if not core._is_open_container(c) then
        fail("c:neighbors: argument 'c': expected a container, got %s", typename.told(c))
    elseif select("#", ...) > 0 then
        fail("c:neighbors: expected at most 2 arguments, got %d", 2 + select("#", ...))
    end
    local rank = c.shape and #c.shape or #core._page_sizes(c)
    local modes <const> = core._boundary(c, true)
    local traversal = setmetatable({container = modes and c:boundary(table.unpack(modes)) or c}, Traversal)
    traversal.reach, traversal.count = reach_of(reach, rank)
    local _
    traversal.next, _, _, traversal.parts = core._parts(c, range, PART // traversal.count, "c:neighbors")
    traversal.kernel = kernel_of(c, rank)
    local function near(...) return read(traversal, ...) end
    local function give(first, ...)
        if first then return near, first, ... end
    end
    local function step()
        while traversal.parts do
            if traversal.step then
                traversal.at = traversal.at + 1
                if traversal.at <= traversal.range.size then return give(traversal.step()) end
            end
            if not errors.call(enter, traversal) then Traversal.__close(traversal) end
        end
    end
    return step, nil, nil, traversal
end

return {neighbors = errors.guard(neighbors)}
