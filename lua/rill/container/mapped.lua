-- Primitives of containers: those of the stream of what is mapped, in address order. What has its shape goes back to the same places.
local rill = require "rill"
local core = require "rill.core"
local blame = require "rill.support.blame"
local names = require "rill.container.mappednames"

local fail <const> = blame.fail
local primitives = {}

local function is_options(value)
    return type(value) == "table" and not rill.type(value)
end

local function check_axis(name, given)
    if given ~= nil then
        fail("c:%s: a container that is mapped in part has no axes: what is mapped is taken as one list; "
            .. "c:stream() is all of it", name)
    end
end

-- Whether a value stands for c's elements: another container, or a stream of its shape.
local function along(c, value)
    local kind = rill.type(value)
    return kind == "container"
        or kind == "stream" and core._is_open(value) and c.shape ~= nil and value.shape == c.shape
end

-- The arguments as they are for the stream of what is mapped, and streams to be closed behind the call.
local function prepared(c, name, ...)
    local arguments, opened = table.pack(...), {}
    local function lined(value)
        if rill.type(value) == "expression" then
            value = value:eval()
            opened[#opened + 1] = value
        end
        if not along(c, value) then
            return value
        end
        opened[#opened + 1] = core._line(c, value, "c:" .. name)
        return opened[#opened]
    end
    for i = 1, arguments.n do
        arguments[i] = lined(arguments[i])
        if is_options(arguments[i]) then
            local options = {}
            for key, value in pairs(arguments[i]) do
                options[key] = lined(value)
            end
            arguments[i] = options
        end
    end
    return arguments, opened
end

-- Coordinates of elements by their numbers; of lists these are the numbers of their entries.
local function points_of(c, numbers)
    local points <close> = core._line_points(c)
    local found = points and rill.gather(points, numbers)
    if found then
        numbers:close()
    end
    return found or numbers
end

local function index_of(c, i, ...)
    if i == nil or not core._partial(c, "c:argmax") then
        return i, ...
    end
    local points <close> = core._line_points(c)
    local point = points:get(i)
    if type(point) == "number" then
        return point + 1
    end
    local index = {}
    for d = #point, 1, -1 do
        index[#index + 1] = point[d] + 1
    end
    return table.unpack(index)
end

-- What becomes of a method's results.
local finish <const> = {
    argmin = index_of, argmax = index_of, find = points_of, scan = function(c, scanned)
        local made = core._from_line(c, scanned)
        scanned:close()
        return made
    end, top_k = function(c, best, places)
        return best, points_of(c, places)
    end,
}

local flattened <const> = {sort = true, top_k = true}

local function sorts_along(arguments)
    return is_options(arguments[1]) and arguments[1].axis ~= nil
end

local function call(c, name, axis, ...)
    if rill.type(c) ~= "container" then
        fail("c:%s: argument 'c': expected a container, got %s", name, rill.type(c) or type(c))
    end
    local partial = core._partial(c, "c:" .. name)
    local arguments, opened = prepared(c, name, ...)
    if partial then
        check_axis(name, axis and arguments[axis])
        for i = 1, arguments.n do
            check_axis(name, is_options(arguments[i]) and arguments[i].axis or nil)
        end
    end
    local line = core._line(c, c, "c:" .. name)
    opened[#opened + 1] = line
    if flattened[name] and not sorts_along(arguments) then
        line = core._flat(line)
        opened[#opened + 1] = line
    end
    local results = table.pack(line[name](line, table.unpack(arguments, 1, arguments.n)))
    for _, s in ipairs(opened) do
        s:close()
    end
    if finish[name] then
        return finish[name](c, table.unpack(results, 1, results.n))
    end
    return table.unpack(results, 1, results.n)
end

for _, row in ipairs(names) do
    local name, axis = row[1], row[2]
    primitives[name] = blame.guard(function(c, ...)
        return call(c, name, axis, ...)
    end)
end

return primitives
