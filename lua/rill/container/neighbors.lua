-- c:neighbors: elements of a container on the CPU with what is around them, the neighbourhood iterators of Glift (3.4.3). A kernel gathers what is around a part
-- of the elements, then that part is gone through.
local core = require "rill.core"
local points = require "rill.container.points"
local oneline = require "rill.stream.expression_kernel"
local errors = require "rill.core.error"
local template = require "rill.glsl.template"
local typename = require "rill.core.typename"
local fail <const> = errors.fail

local TEXT <const> = template.new "$text"
local PART <const> = 1 << 18 -- elements gathered at a time
local MOST <const> = 1 << 20 -- around one

-- A row of y is what is around an element, row-major in the container's dimensions, of which the last one is x.
local function text_of(c, rank, type)
    local declared = core._builtin_type(type) and "" or core._declare(c)
    local reaches, steps, index = {}, {}, ""
    for d = 1, rank do
        reaches[d] = ("int reach%d, "):format(d)
        steps[d] = ("int c%d = %s + rest %% (2 * reach%d + 1) - reach%d; rest /= 2 * reach%d + 1;"):format(d,
            points.coordinate("p", "element", d, rank), d, d, d)
        index = ("[c%d]"):format(d) .. index
    end
    return ("%skernel void around(%s%s, %s c%s, out %s y<>) {"
        .. "int element = indexof(y).y, rest = indexof(y).x; %s y = c%s; }"):format(declared, table.concat(reaches),
        points.parameter("p", rank), type, ("[]"):rep(rank), type, table.concat(steps, " "), index)
end

local function kernel_of(c, rank)
    return TEXT:kernel {text = text_of(c, rank, oneline.value_types[c.type] or c.type)}
end

-- How far it is around an element in each dimension, and how many elements that makes.
local function reach_of(reach, rank)
    local list, count = {}, 1
    local one = math.type(reach) == "integer"
    for d = 1, rank do
        local far = one and reach or type(reach) == "table" and not core.type(reach) and #reach == rank and reach[d]
        if math.type(far) ~= "integer" or far < 0 then
            fail("c:neighbors: argument #1 'reach': expected a whole number, 0 or more, or a table of %d", rank)
        end
        count = far <= MOST and count * (2 * far + 1) or math.huge
        if count > MOST then
            fail("c:neighbors: argument #1 'reach': there are at most %d elements around one", MOST)
        end
        list[d] = far
    end
    return list, count
end

local Walk = {__name = "rill.walk", __metatable = "rill.walk"}

-- Forgets the part at hand.
local function leave(walk)
    for _, name in ipairs {"around", "range"} do
        local held = walk[name]
        walk[name] = nil
        if held then held:close() end
    end
    walk.view, walk.step = nil, nil
end

function Walk.__close(walk)
    local _ <close> = walk.parts
    walk.parts = nil
    leave(walk)
end

-- The next part with what is around its elements; false behind the last one.
local function enter(walk)
    leave(walk)
    walk.range = walk.next()
    if not walk.range then return false end
    local p <close> = walk.range:addresses()
    local given = {p = p, c = walk.container, shape = {walk.range.size, walk.count}}
    for d, far in ipairs(walk.reach) do given["reach" .. #walk.reach + 1 - d] = far end
    walk.around = walk.kernel(given)
    walk.view = walk.around:map_cpu {lazy = true}
    walk.step, walk.at = walk.range:each(), 0
    return true
end

-- The element so far from the one at hand.
local function read(walk, ...)
    local reach, place = walk.reach, 0
    local count = select("#", ...)
    if not walk.view then
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
    return walk.view[(walk.at - 1) * walk.count + place + 1]
end

--- c:neighbors(reach [, range]): an iterator over the mapped elements, or those of ranges, as c:each: near, i, j, ...; near(di, dj, ...) is the element so
-- far from the one at hand, at most `reach` (a number, or one per dimension) in each dimension, near() that itself; outside is what the boundary says.
local function neighbors(c, reach, range, ...)
    if not core._is_open_container(c) then
        fail("c:neighbors: argument 'c': expected a container, got %s", typename.told(c))
    elseif select("#", ...) > 0 then
        fail("c:neighbors: expected at most 2 arguments, got %d", 2 + select("#", ...))
    end
    local rank = c.shape and #c.shape or #core._page_sizes(c)
    local walk = setmetatable({container = c}, Walk)
    walk.reach, walk.count = reach_of(reach, rank)
    local _
    walk.next, _, _, walk.parts = core._parts(c, range, PART // walk.count, "c:neighbors")
    walk.kernel = kernel_of(c, rank)
    local function near(...) return read(walk, ...) end
    local function give(first, ...)
        if first then return near, first, ... end
    end
    local function step()
        while walk.parts do
            if walk.step then
                walk.at = walk.at + 1
                if walk.at <= walk.range.size then return give(walk.step()) end
            end
            if not errors.call(enter, walk) then Walk.__close(walk) end
        end
    end
    return step, nil, nil, walk
end

return {neighbors = errors.guard(neighbors)}
