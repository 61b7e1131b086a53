-- Classes of objects that are Lua tables: computed fields, methods, and errors for other names.
local core = require "rill.core"
local errors = require "rill.core.error"
local rill = require "rill.core.public"
local suggest = require "rill.core.lazy".module "rill.core.suggest"
local fail <const> = errors.fail

local class = {}

--- class.put(metatable, words, letter, methods, fields [, read [, hint]]) gives the objects with a metatable methods
-- and fields. A field is a function of the object; with `read` its value is read(field, object, key). `words` begins
-- messages: "a hierarchy has"; `letter` is the letter that stands for an object in the manual. `hint`: a function of an
-- object and a name that it does not have, whose text ends the message; nil means the suggestion of a similar name.
function class.put(metatable, words, letter, methods, fields, read, hint)
    function metatable.__index(object, key)
        local field = fields[key]
        if not field and not methods[key] then
            fail("%s no field or method '%s'%s", words, tostring(key), -- "a wave has no field ..."
                hint and hint(object, key) or suggest.hint(letter, key))
        end
        if not field then
            return methods[key]
        elseif read then
            return read(field, object, key)
        end
        return field(object)
    end
    function metatable.__newindex(_, key)
        fail("%s no field '%s' to be set", words, tostring(key))
    end
end

--- class.guard(methods, letter) replaces the name of an internal solver in errors of methods by the name of the method.
function class.guard(methods, letter)
    for name, method in pairs(methods) do
        methods[name] = errors.guard(method, letter .. ":" .. name, "^rill%.solve%.[%w_]+")
    end
end

--- class.define(spec) defines a class of objects with a state. Returns {metatable =, methods =, fields =, is =,
-- check =, create =}:
--   methods, fields        tables to be filled by the caller. A field is the name of a field of the state, or a
--                          function of state and object
--   is(value)              returns whether a value is an object of the class
--   check(object, name)    returns the state of the object; raises if the value is not an object or is closed
--   create(state)          returns a new object
-- The spec has the fields
--   type      the metatable's __name: "rill.wave"
--   letter    the letter that stands for an object in the manual: "W"
--   one       "a wave"; with plural = true a plural: "bodies"
--   fields    the fields, unless they are filled later
--   state     a function that returns the state of an object, or false if it is closed. Default: object._state
--   read      a function of a field, an object and a name that returns the value of a field. Default: as above;
--             raises if the object is closed
--   told      a function that describes a value that is not an object, for messages; nil means its type
--   hint      a function of an object and a name that it does not have, which returns the end of the message or
--             nil: see class.put
--   release   a function that frees the memory of a state. Afterwards spec.state, if given, must return false. With
--             release, objects have the method close and can be to-be-closed variables. lenient = true: closing a
--             closed object is not an error
--   describe  a function of a state that returns the text for tostring; closed: the text for a closed object
function class.define(spec)
    local metatable <const> = {__name = spec.type}
    local methods <const>, fields <const> = {}, spec.fields or {}
    local letter <const>, noun <const> = spec.letter, spec.one:gsub("^an? ", "")
    local state_of <const> = spec.state or function(object) return object._state end
    local function is(value)
        return getmetatable(value) == metatable
    end

    local function check(object, name)
        if not is(object) then
            fail("%s:%s: expected %s before the colon, got %s", letter, name, spec.one,
                spec.told and spec.told(object) or rill.type(object) or type(object))
        end
        local state = state_of(object)
        if not state then
            fail(spec.plural and "%s:%s: the %s were closed" or "%s:%s: the %s was closed", letter, name, noun)
        end
        return state
    end

    local function read(field, object, key)
        local state = check(object, key)
        if type(field) == "string" then
            local value = state[field]
            return key == "shape" and core._shape(value) or value
        end
        return field(state, object)
    end

    class.put(metatable, spec.one .. (spec.plural and " have" or " has"), letter, methods, fields, spec.read or read,
        spec.hint)
    if spec.release then
        function methods.close(object)
            if spec.lenient and is(object) and not state_of(object) then return end
            spec.release(check(object, "close"))
            if not spec.state then rawset(object, "_state", false) end
        end
        function metatable.__close(object)
            if state_of(object) then object:close() end
        end
    end
    function metatable.__len()
        fail("%s no length: # is the number of elements of streams and containers",
            spec.one .. (spec.plural and " have" or " has"))
    end
    function metatable.__tostring(object)
        local state = state_of(object)
        return state and spec.describe(state) or spec.closed
    end
    return {
        metatable = metatable, methods = methods, fields = fields, is = is, check = check,
        create = function(state) return setmetatable({_state = state}, metatable) end,
    }
end

return class
