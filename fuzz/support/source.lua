-- Streams for cases: Lua text that makes a view of a base stream, and a model of the view: the values of the base,
-- and the elements that the view shows.
local draw = require "fuzz.support.draw"

local source = {}

-- Returns Lua source that evaluates to a value, bit for bit (except the sign of a NaN).
function source.literal(value)
    if type(value) == "table" then
        return source.list(value)
    elseif math.type(value) ~= "float" then
        return tostring(value)
    elseif value ~= value then
        return "0/0"
    elseif value == math.huge or value == -math.huge then
        return value > 0 and "1/0" or "-1/0"
    elseif value == math.floor(value) and math.abs(value) < 1e15 then
        return ("%.1f"):format(value)
    end
    return ("%a"):format(value)
end

function source.list(values)
    local words = {}
    for i, value in ipairs(values) do
        words[i] = source.literal(value)
    end
    return "{" .. table.concat(words, ", ") .. "}"
end

function source.size(shape)
    local size = 1
    for _, n in ipairs(shape) do
        size = size * n
    end
    return size
end

-- Returns, for every index of `shape`, the flat 1-based index in another shape of `map(index)`, where indices are
-- 0-based per dimension.
local function places(shape, inner, map)
    local list, index = {}, {}
    local function go(d)
        if d > #shape then
            local flat, at = 0, map(index)
            for e, n in ipairs(inner) do
                flat = flat * n + at[e]
            end
            list[#list + 1] = flat + 1
            return
        end
        for k = 0, shape[d] - 1 do
            index[d] = k
            go(d + 1)
        end
    end
    go(1)
    return list
end
source.places = places

local function each(shape, f)
    local list = {}
    for d, n in ipairs(shape) do
        list[d] = f(n, d)
    end
    return list
end

local function index_text(index)
    return #index == 1 and tostring(index[1]) or source.list(index)
end

-- Returns an operation: inner shape, Lua text of the call, map of indices; or nil if the shape does not allow it.
local operations = {}

function operations.domain(d, shape)
    local low, high = each(shape, function() return d:below(4) end), each(shape, function() return d:below(3) end)
    local first = each(shape, function(_, k) return low[k] + 1 end)
    local last = each(shape, function(n, k) return low[k] + n end)
    return each(shape, function(n, k) return n + low[k] + high[k] end),
        (":domain(%s, %s)"):format(index_text(first), index_text(last)),
        function(index) return each(index, function(i, k) return i + low[k] end) end
end

function operations.stride(d, shape)
    local by = each(shape, function() return d:int(1, 3) end)
    return each(shape, function(n, k) return (n - 1) * by[k] + 1 + d:below(by[k]) end),
        (":stride(%s)"):format(table.concat(by, ", ")),
        function(index) return each(index, function(i, k) return i * by[k] end) end
end

function operations.transpose(_, shape)
    local n = #shape
    return each(shape, function(_, k) return shape[n + 1 - k] end), ":transpose()",
        function(index) return each(index, function(_, k) return index[n + 1 - k] end) end
end

local function divided(d, shape)
    return each(shape, function(n)
        local by = d:int(1, 3)
        return n % by == 0 and by or 1
    end)
end

function operations.replicate(d, shape)
    local by = divided(d, shape)
    return each(shape, function(n, k) return n // by[k] end), (":replicate(%s)"):format(table.concat(by, ", ")),
        function(index) return each(index, function(i, k) return i // by[k] end) end
end

function operations.tile(d, shape)
    local by = divided(d, shape)
    local inner = each(shape, function(n, k) return n // by[k] end)
    return inner, (":tile(%s)"):format(table.concat(by, ", ")),
        function(index) return each(index, function(i, k) return i % inner[k] end) end
end

local readable, writable = {"domain", "stride", "transpose", "replicate", "tile"}, {"domain", "stride", "transpose"}

-- Returns a view of `shape`: {text = the text after the base's name, base = the shape of the base, places = 1-based
-- indices of the view's elements in the base}. `rounds`: maximum number of operations. `written`: the view must be
-- writable.
function source.view(d, shape, rounds, written)
    local view = {text = "", base = shape}
    local at
    if source.size(shape) > 0 then
        for _ = 1, rounds do
            if not d:chance(2, 5) then
                break
            end
            local inner, text, map = operations[d:pick(written and writable or readable)](d, view.base)
            if source.size(inner) > 2 * draw.most then -- a border around (1, 1, 1, n), and a second border
                break
            end
            local step = places(view.base, inner, map)
            at = at and each(at, function(place) return step[place] end) or step
            view.base, view.text = inner, text .. view.text
        end
    end
    view.places = at or places(shape, shape, function(index) return index end)
    return view
end

-- Returns a stream of `shape` named `name`: the view with `type`, `values` (of the base), `of` (of the view), and
-- `lines` that create `name` and, for a view, NAME_base.
function source.stream(d, name, type, shape, value, options)
    options = options or {}
    local view = source.view(d, shape, options.rounds or 2, options.written)
    view.type, view.name, view.shape, view.values, view.of = type, name, shape, {}, {}
    for i = 1, source.size(view.base) do
        view.values[i] = value(d, i)
    end
    for i, place in ipairs(view.places) do
        view.of[i] = view.values[place]
    end
    local base = view.text == "" and name or name .. "_base"
    view.base_name = base
    view.lines = ("local %s = rill.stream(%q, %s, %s)\n"):format(base, type, source.list(view.base),
        source.list(view.values))
    if view.text ~= "" then
        view.lines = view.lines .. ("local %s = %s%s\n"):format(name, base, view.text)
    end
    return view
end

-- Returns the base's values after `values` were written to the view.
function source.written(view, values)
    local base = table.move(view.values, 1, #view.values, 1, {})
    for i, place in ipairs(view.places) do
        base[place] = values[i]
    end
    return base
end

return source
