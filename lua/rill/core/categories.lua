-- Categories: streams of uint whose elements are codes, 0-based indices of names that Lua keeps. The names belong to
-- the stream, not to its memory: a view or a copy of the stream has only the codes.
local core = require "rill.core"
local errors = require "rill.core.error"
local fail <const> = errors.fail

local categories = {}

--- categories.MISSING: the code of a missing value, the largest uint.
categories.MISSING = 0xffffffff

local of = setmetatable({}, {__mode = "k"}) -- stream -> set of names
core._categories(of) -- reductions refuse its keys

-- Returns the object that scripts see: a list that cannot be changed. A call returns the list, so that both s.names and
-- s:names() are the names.
local function shown(list)
    local self
    self = setmetatable({}, {
        __name = "rill.names",
        __index = list,
        __len = function() return #list end,
        __newindex = function()
            fail("the names of a category cannot be changed: rill.frame.category makes another column")
        end,
        __call = function() return self end,
        __pairs = function() return next, list end,
        __tostring = function()
            local texts = {}
            for i = 1, math.min(#list, 12) do
                texts[i] = ("%q"):format(list[i])
            end
            return table.concat(texts, ", ") .. (#list > 12 and (", ... (%d names)"):format(#list) or "")
        end,
    })
    return self
end

--- categories.set(list) returns the set of names of a list of different strings: {list =, sorted = (boolean, whether
-- the names ascend), shown = (the object that scripts see)}.
function categories.set(list)
    local sorted = true
    for i = 2, #list do
        if list[i] <= list[i - 1] then
            sorted = false
            break
        end
    end
    return {list = list, sorted = sorted, shown = shown(list)}
end

--- categories.code(set, name) returns the code of a name; nil for another string.
function categories.code(set, name)
    if not set.codes then
        set.codes = {}
        for i, each in ipairs(set.list) do
            set.codes[each] = i - 1
        end
    end
    return set.codes[name]
end

--- categories.of(s) returns the set of names of a stream; nil if it is not a category.
function categories.of(s)
    return of[s]
end

--- categories.same(s, t) returns whether two categories have the same names in the same order.
function categories.same(s, t)
    local a, b = of[s].list, of[t].list
    if a == b or #a ~= #b then
        return a == b
    end
    for i, name in ipairs(a) do
        if b[i] ~= name then
            return false
        end
    end
    return true
end

--- categories.codes(s) returns the codes of a category, a view that is not a category.
function categories.codes(s)
    if not of[s] then
        fail("s:codes: expected a category, a column of texts of a table, before the colon")
    end
    return s:as "uint"
end

--- categories.none(value, place) raises if an argument is a category: its codes are not numbers to compute with.
-- `place`: the function and the argument.
function categories.none(value, place)
    if of[value] then
        fail("%s is a category, whose codes are not numbers to compute with: t:group counts and aggregates names, and "
            .. "s:codes() is the stream of the codes", place)
    end
end

--- categories.mark(s, set) makes a stream of uint a category with a set of names. Returns the stream.
function categories.mark(s, set)
    of[s] = set
    return s
end

--- categories.names(s) returns the names of a stream as scripts see them; nil if it is not a category.
function categories.names(s)
    return of[s] and of[s].shown
end

return categories
