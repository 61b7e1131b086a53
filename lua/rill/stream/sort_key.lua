-- s:sort, also with a key that is computed from each element.

local rill = require "rill.core.public"
local core = require "rill.core"
local oneline = require "rill.stream.expression_kernel"
local errors = require "rill.core.error"
local tables = require "rill.core.tables"

-- The types that a key can have. Each type comes before the types to which GLSL converts it implicitly.
local key_types = {"bool", "int", "uint", "float", "double"}

local find, keep = require "rill.core.lru" (128) -- kernels by text

local function fail(format, ...)
    errors.fail("s:sort: %s", format:format(...))
end

-- Returns the kernel that computes the key of each element. Its type is determined by trying to compile it with each
-- type.
local function key_kernel(s, expression)
    local declared = core._declare(s)
    local element = declared == "" and (oneline.value_types[s.type] or s.type) or s.type
    local known = declared .. element .. "\n" .. expression
    local found, failure = find(known), nil
    if found then
        return found
    end
    for _, key in ipairs(key_types) do
        local head = ("%skernel %s key(%s x<>) { return ("):format(declared, key, element)
        local kernel, message = oneline.kernel(head, expression, "); }")
        if kernel then
            keep(known, kernel)
            return kernel
        end
        failure = key == "float" and message or failure
    end
    fail("option 'key': expected an expression in x with a scalar value\n%s", failure)
end

-- Returns the stream of the keys of the elements. Raises if the key is not an expression.
local function keys_of(s, key)
    if type(key) ~= "string" or not key:find "%S" then
        local sorts = (errors.not_open(key) == nil) and "; rill.sort_by_key(keys, s) sorts by a stream" or ""
        fail("option 'key': expected an expression in x (a string), got %s%s",
            type(key) == "string" and "an empty one" or rill.type(key) or type(key), sorts)
    end
    local wrong = oneline.wrong(key)
    if wrong then
        fail("option 'key': %s: %s", wrong, key)
    end
    return key_kernel(s, key)(s)
end

local sort_key = {keys = keys_of}

--- s:sort([{descending =, axis =, key =}]) returns a new stream of the sorted elements. The sort is stable. `key` is a
-- GLSL expression in x, the element, with a scalar value; it is required for vectors and structures. Defaults:
-- descending = false, the last axis.
sort_key.sort = errors.guard(function(s, options, ...)
    errors.options("s:sort", options)
    local key = type(options) == "table" and options.key
    if key == nil or key == false then
        return core._sort(s, options, ...)
    end
    local others = tables.copy(options)
    others.key = nil
    core._sort_options(s, others)
    local keys <close> = keys_of(s, key)
    return core._sort_keyed(keys, s, others)
end)

return sort_key
