-- What scripts see of an object that is a table: fields that are computed, methods, and words for any other name.
local errors = require "rill.core.error"
local rill = require "rill.core.public"
local suggest = require "rill.core.lazy".module "rill.core.suggest"
local fail <const> = errors.fail

local class = {}

--- class.put(metatable, words, letter, methods, fields [, read]): objects with a metatable have these methods, and fields, which are functions of the
-- object, or what read(field, object, key) gives. `words`: "a hierarchy has"; `letter`: what manuals call one.
function class.put(metatable, words, letter, methods, fields, read)
    function metatable.__index(object, key)
        local field = fields[key]
        if not field and not methods[key] then
            fail("%s no field or method '%s'%s", words, tostring(key),
                suggest.hint(letter, key))
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

--- class.guard(methods, letter): names methods in their errors as scripts do, whatever solver they are made of.
function class.guard(methods, letter)
    for name, method in pairs(methods) do
        methods[name] = errors.guard(method, letter .. ":" .. name, "^rill%.solve%.[%w_]+")
    end
end

--- class.define(spec): a class of objects that have a state. Returns {metatable =, methods =, fields =, is =, check =, create =}: methods and fields are
-- to be filled, the fields being names of fields of the state, or functions of the state and the object; is(value): whether it is an object of the class;
-- check(object, name): the object's state, raises where it is none or was closed; create(state): an object.
-- Of the spec:
--   type      what rill.type says of an object, "rill.wave"
--   letter    what manuals call an object, "W"
--   one       "a wave"; of what is always many, with plural = true, "bodies"
--   fields    the fields, where they are not to be filled later
--   state     a function of an object: its state, false once it was closed. Default: object._state
--   read      a function of a field, an object and a name: the value of a field. Default: see above; of objects that were closed it raises
--   told      a function of what is no object: what messages say of it, nil for its type
--   release   a function of a state: frees its memory, after which spec.state, if there is one, must give false. With it objects have the method
--             close, and are closed where a variable ends; lenient = true: to close what was closed is no error
--   describe  a function of a state: what tostring gives; closed: what it gives of an object that was closed
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
        if type(field) == "string" then return state[field] end
        return field(state, object)
    end

    class.put(metatable, spec.one .. (spec.plural and " have" or " has"), letter, methods, fields, spec.read or read)
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
