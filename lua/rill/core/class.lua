-- What scripts see of an object that is a table: fields that are computed, methods, and words for any other name.
local errors = require "rill.core.error"
local suggest = require "rill.core.suggest"
local fail <const> = errors.fail

local class = {}

--- class.put(metatable, words, letter, methods, fields): objects with a metatable have these methods, and fields, which are functions of the object. `words`:
-- "a hierarchy has"; `letter`: what manuals call one.
function class.put(metatable, words, letter, methods, fields)
    function metatable.__index(object, key)
        local field = fields[key]
        if not field and not methods[key] then
            fail("%s no field or method '%s'%s", words, tostring(key),
                suggest.hint(letter, key))
        end
        return field and field(object) or methods[key]
    end
    function metatable.__newindex(_, key)
        fail("%s no field '%s' to be set", words, tostring(key))
    end
end

--- class.guard(methods, letter): names methods in their errors as scripts do, whatever solver they are made of.
function class.guard(methods, letter)
    for name, method in pairs(methods) do
        methods[name] = errors.guard(method, letter .. ":" .. name, "^rill%.solve%.[%w_]+")
    end
end

return class
