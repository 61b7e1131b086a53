-- What scripts see of an object that is a table: fields that are computed, methods, and words for any other name.
local blame = require "rill.core.error"
local later = require "rill.core.lazy"
local fail <const> = blame.fail

local face = {}

--- face.put(class, words, letter, methods, fields): objects of a class have these methods, and fields, which are functions of the object. `words`:
-- "a hierarchy has"; `letter`: what manuals call one.
function face.put(class, words, letter, methods, fields)
    function class.__index(object, key)
        local field = fields[key]
        if not field and not methods[key] then
            fail("%s no field or method '%s'%s", words, tostring(key),
                later.require "rill.core.suggest".hint(letter, key))
        end
        return field and field(object) or methods[key]
    end
    function class.__newindex(_, key)
        fail("%s no field '%s' to be set", words, tostring(key))
    end
end

--- face.guard(methods, letter): names methods in their errors as scripts do, whatever solver they are made of.
function face.guard(methods, letter)
    for name, method in pairs(methods) do
        methods[name] = blame.guard(method, letter .. ":" .. name, "^rill%.solve%.[%w_]+")
    end
end

return face
