-- Options of solvers that keep a state: what is none is an error that names it.
local rill = require "rill"
local blame = require "rill.support.blame"
local fail <const> = blame.fail

local choices = {}

local function is_finite(value)
    return type(value) == "number" and value - value == 0
end

--- choices.is_finite(value): a number, neither NaN nor infinite.
choices.is_finite = is_finite

--- choices.is_positive(value): a finite number above 0.
function choices.is_positive(value)
    return is_finite(value) and value > 0
end

--- choices.is_vector(value [, n]): a table of (n) finite numbers.
function choices.is_vector(value, n)
    if type(value) ~= "table" or rill.type(value) or #value ~= (n or #value) then
        return false
    end
    for i = 1, #value do
        if not is_finite(value[i]) then
            return false
        end
    end
    return true
end

--- choices.words(names): a row for options that are one of the keys of a table.
function choices.words(names)
    local list = {}
    for name in pairs(names) do
        list[#list + 1] = ('"%s"'):format(name)
    end
    table.sort(list)
    return {function(v) return type(v) == "string" and names[v] ~= nil end, table.concat(list, " or ")}
end

local function names_of(rows)
    local names = {}
    for name in pairs(rows) do
        names[#names + 1] = name
    end
    table.sort(names)
    return table.concat(names, ", ")
end

--- choices.options(where, given, rows): a copy of a table of options; rows: a test and words for each.
function choices.options(where, given, rows)
    blame.options(where, given)
    local taken = {}
    for name, value in pairs(given or {}) do
        local row = rows[name]
        if not row then
            fail("%s: unknown option '%s': expected %s", where, tostring(name), names_of(rows))
        elseif not row[1](value) then
            fail("%s: option '%s': expected %s, got %s", where, name, row[2], blame.told(value))
        end
        taken[name] = value
    end
    return taken
end

return choices
