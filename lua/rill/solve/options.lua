-- Checks the options that all solvers share and the options of one method.
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local operator = require "rill.solve.operator"
local provider = require "rill.stream.provider"
local fail <const> = errors.fail

local options = {}

local COMMON <const> = {
    tolerance = option.not_negative, iterations = option.count, every = option.count, strict = option.flag,
    precision = option.choice {"float", "mixed", "double"},
    x0 = provider.option,
}

--- options.take(method, given, own) checks the options and returns a copy with the defaults of tolerance and strict.
-- `own` has the rows {test, words} of the method's own options. `false` instead of a row excludes a shared option.
function options.take(method, options_given, own)
    local known = {}
    for _, rows in ipairs {COMMON, own or {}} do
        for key, row in pairs(rows) do
            known[key] = row or nil
        end
    end
    local opts = option.take("rill.solve." .. method, options_given, known)
    opts.tolerance = opts.tolerance or 1e-6
    if opts.strict == nil then
        opts.strict = true
    end
    return opts
end

--- options.start(method, opts, b, type) returns the vector that the result is written to: zero, or a copy of the option
-- x0.
function options.start(method, opts, b, type)
    local x0, parts, shape = opts.x0, operator.provider(b), b.shape
    if not x0 then
        return operator.like(b, type)
    elseif parts then
        operator.alike(method, "option 'x0'", x0, b)
    elseif operator.provider(x0) then
        fail("rill.solve.%s: option 'x0': expected a stream, as b is, got a distributed stream: x0:collect() gives " ..
            "one to one rank", method)
    end
    x0 = rill.type(x0) == "expression" and x0:eval() or x0
    if x0.type ~= "float" and x0.type ~= "double" then
        fail("rill.solve.%s: option 'x0': expected elements of float or double, got elements of %s", method,
            tostring(x0.type))
    elseif x0.shape ~= shape then
        fail("rill.solve.%s: option 'x0' has shape %s, x has %s%s", method, tostring(x0.shape), tostring(shape),
            errors.reshaped("x0", x0, shape))
    end
    operator.finite(method, "x0", x0)
    if parts then
        return operator.like(b, type):write(x0.type == type and x0 or x0:cast(type))
    end
    return core._forget(x0.type == type and x0:copy() or x0:cast(type)) -- A reads it as the other vectors
end

return options
