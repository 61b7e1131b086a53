-- Tables of options, checked.
local blame = require "rill.core.error"
local rill = require "rill.core.public"
local later = require "rill.core.lazy"
local fail <const> = blame.fail

local given = {}

--- given.refuse(where, key, known): raises that `key` is not an option; the keys of `known` are.
function given.refuse(where, key, known)
    fail("%s: unknown option %s: expected %s", where, type(key) == "string" and "'" .. key .. "'" or blame.told(key),
        later.require "rill.core.suggest".among(key, known))
end

--- given.check(where, options, known): raises where `options` is neither nil nor a table of options, or has a key that `known` has not.
function given.check(where, options, known)
    blame.options(where, options)
    for key in pairs(options or {}) do
        if not known[key] then
            given.refuse(where, key, known)
        end
    end
end

--- given.take(where, options, known): a copy of a table of options, nil being an empty one. `known`: by name {test, words}, and as a third what stands
-- where it is left out; a fourth, true, says that it must not be.
function given.take(where, options, known)
    blame.options(where, options)
    local taken = {}
    for key, value in pairs(options or {}) do
        local row = known[key]
        if not row then
            given.refuse(where, key, known)
        elseif not row[1](value) then
            fail("%s: option '%s': expected %s, got %s", where, key, row[2], blame.told(value))
        end
        taken[key] = value
    end
    for key, row in pairs(known) do
        if taken[key] == nil then
            if row[4] then
                fail("%s: option '%s' is missing: expected %s", where, key, row[2])
            end
            taken[key] = row[3]
        end
    end
    return taken
end

--- given.number(low, high [, default]): the row of an option that is a number within bounds, a whole one where `low` is an integer; without a
-- default it must be given. `above`: more than `low`.
function given.number(low, high, default, above)
    local whole <const> = math.type(low) == "integer"
    local words = (whole and "a whole number from %d to %d" or above and "a number above %g, at most %g" or
        "a number from %g to %g"):format(low, high)
    return {function(v)
        return type(v) == "number" and (v > low or not above and v == low) and v <= high and
            (not whole or math.tointeger(v) ~= nil)
    end, words, default, default == nil}
end

--- given.choice(names [, default]): the row of an option that is one of some names.
function given.choice(names, default)
    local set = {}
    for _, name in ipairs(names) do
        set[name] = true
    end
    local words = ('"%s" or "%s"'):format(table.concat(names, '", "', 1, #names - 1), names[#names])
    return {function(v) return set[v] end, words, default, default == nil}
end

--- given.bounded(where, s, modes): s with what the option 'boundary' says outside: a mode, or a list of one for each dimension; nil: s itself.
function given.bounded(where, s, modes)
    if modes == nil then
        return s
    end
    local done, view = pcall(s.boundary, s, table.unpack(type(modes) == "table" and modes or {modes}))
    if not done then
        fail("%s: option 'boundary': %s", where, (view:gsub("^.-s:boundary: ", "")))
    end
    return view
end

--- The row of the option 'boundary', for given.bounded.
given.boundary = {function(v) return not rill.type(v) end, "what is outside: a mode, a number, or a list of them"}

return given
