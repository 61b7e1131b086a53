-- c:each: the mapped elements of a container, page by page.
local core = require "rill.core"
local blame = require "rill.support.blame"

-- What an iterator over a page gives, moved to where the page is: by the number of dimensions.
local movers <const> = {
    function(o, i, v) if i then return i + o[1], v end end,
    function(o, i, j, v) if i then return i + o[1], j + o[2], v end end,
    function(o, i, j, k, v) if i then return i + o[1], j + o[2], k + o[3], v end end,
}

local function move(o, ...)
    local index = {...}
    if index[1] == nil then
        return nil
    end
    for d = 1, #o do
        index[d] = index[d] + o[d]
    end
    return table.unpack(index, 1, #o + 1)
end

-- The same of elements that are no boxes: their values are one stream.
local function each_element(c, range)
    local elements, indices = core._line(c, c, "c:each"):each(), range:each()
    return function()
        local index = {indices()}
        if index[1] == nil then
            return nil
        end
        local _, value = elements()
        index[#index + 1] = value
        return table.unpack(index)
    end
end

--- c:each(): an iterator over the mapped elements in address order: their indices, and the element.
local function container_each(c, ...)
    if core.type(c) ~= "container" then
        blame.fail("c:each: argument 'c': expected a container, got %s", core.type(c) or type(c))
    elseif select("#", ...) > 0 then
        blame.fail("c:each: expected no arguments, got %d", select("#", ...))
    end
    local range, number, inner = c:active(), 0, nil
    local moved, offset = nil, {}
    if core._scattered(range) then
        return each_element(c, range)
    end
    local function step(first, ...)
        if first ~= nil then
            return first, ...
        end
        number = number + 1
        local from, to = core._box(range, number)
        if not from then
            return nil
        end
        moved = movers[#from] or move
        for d = 1, #from do
            offset[d] = from[d] - 1
        end
        if c.shape and #from ~= #c.shape then -- lists: a range counts their entries
            inner = c:stream():each()
        else
            inner = core._dense(c, #from == 1 and from[1] or from, #to == 1 and to[1] or to):each()
        end
        return step(moved(offset, inner()))
    end
    return function()
        if inner then
            return step(moved(offset, inner()))
        end
        return step()
    end
end

return {each = blame.guard(container_each)}
