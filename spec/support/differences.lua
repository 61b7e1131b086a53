-- Compares gradients with central differences of the same function.
local assert = require "luassert"
local rill = require "rill"

local differences = {}

local function number(value)
    return type(value) == "number" and value or rill.value(value)
end

-- Returns the central difference of f with respect to component c of element i of argument k.
local function difference(f, arguments, k, i, c, step)
    local values = {}
    for side = -1, 1, 2 do
        local own = table.move(arguments, 1, #arguments, 1, {})
        local list = own[k]:values()
        list[i] = list[i] + side * step
        own[k] = rill.stream(own[k].type, own[k].shape, list)
        values[side] = number(f(table.unpack(own)))
    end
    return (values[1] - values[-1]) / (2 * step), c
end

--- differences.check(f, arguments, options) compares rill.grad(f) for streams of doubles (or vectors of doubles) with
-- central differences. options: step (default 1e-5), bound (of the error, relative to the largest derivative; default
-- 1e-8), wrt.
function differences.check(f, arguments, options)
    options = options or {}
    local step, bound = options.step or 1e-5, options.bound or 1e-8
    local wrt = options.wrt
    if not wrt then
        wrt = {}
        for k in ipairs(arguments) do
            wrt[k] = k
        end
    end
    local found = {rill.grad(f, {wrt = wrt})(table.unpack(arguments))}
    for n, k in ipairs(wrt) do
        local own = arguments[k]
        assert.equal(own.shape, found[n].shape)
        assert.equal(own.type, found[n].type)
        local list, largest = found[n]:values(), 1
        local expected = {}
        for i = 1, #list do
            expected[i] = difference(f, arguments, k, i, 1, step)
            largest = math.max(largest, math.abs(expected[i]))
        end
        for i = 1, #list do
            local off = math.abs(list[i] - expected[i])
            assert.is_true(off <= bound * largest, ("argument %d, value %d: %.12g, expected %.12g"):format(k, i,
                list[i], expected[i]))
        end
    end
end

return differences
