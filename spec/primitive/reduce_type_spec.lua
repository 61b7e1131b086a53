local rill = require "rill"
local elements = require "spec.support.elements"
local leaks = require "spec.support.leaks"
local reduction = require "spec.support.reduction"
local reference = require "spec.support.reference"

local assert_near = reduction.assert_near

-- The value types of kernels and the stored types, each with the operations that are implemented differently for it.
-- All other operations take long.
local VALUE_TYPES <const> = {
    float = reduction.operations, vec3 = {"prod", "max", "var", "dot"}, vec4 = {"min"},
    int = {"sum", "prod", "mean", "var", "argmin"}, ivec2 = {"sum", "norm"}, uint = {"min", "mean"}, uvec3 = {"mean"},
    double = {"sum", "std", "argmax"}, dvec2 = {"mean"}, bool = {"sum", "any", "all", "mean"},
}
local STORED_TYPES <const> = {
    half = {"sum"}, half2 = {"max"}, unorm8 = {"mean"}, unorm8x4 = {"norm"}, int8 = {"sum"}, int16 = {"max"},
    uint8 = {"mean"}, uint16 = {"norm"},
}

-- Every n-th number of a flat list, from the c-th.
local function component(flat, n, c)
    local list = {}
    for i = c, #flat, n do
        list[#list + 1] = flat[i]
    end
    return list
end

-- Compares s:operation() with the reference for each component.
local function assert_reduced(operation, name, s, flat)
    local scalar, components = table.unpack(elements.types[name])
    local got = operation == "dot" and s:dot(s) or s[operation](s)
    local what = ("%s of %d %s"):format(operation, s.size, name)
    local joined = operation == "norm" or operation == "dot"
    for c = 1, joined and 1 or components do
        local list = joined and flat or component(flat, components, c)
        local expected = reference[operation](list, list)
        if operation == "prod" then
            expected = reduction.product(expected, scalar)
        end
        local value = got
        if type(got) == "table" then
            value = got[c]
        end
        assert_near(expected, value, reduction.tolerance(operation, scalar, list), what)
        if type(expected) == "number" and reduction.exact[operation] and scalar:find "[iI]" then
            assert.equal("integer", math.type(value), what)
        end
    end
end

describe("whole reductions", function()
    leaks.watch(setup, teardown)

    local function assert_all(name, operations, sizes)
        for _, size in ipairs(sizes) do
            local _, flat = elements.list(name, size)
            local s = rill.stream(name, size, flat)
            for _, operation in ipairs(operations) do
                local fits = elements.types[name][2] == 1 or not reduction.scalars_only[operation]
                local short = operation ~= "prod" or size < 60 -- a long product overflows
                if fits and short then
                    assert_reduced(operation, name, s, flat)
                end
            end
        end
    end

    for name, operations in pairs(VALUE_TYPES) do
        local tag = name == "uvec3" and " #doubles" or "" -- moments of whole numbers are made of doubles
        it("of " .. name .. tag, function() assert_all(name, operations, {1, 7, 64, 1025}) end)

        it("of " .. name .. ", every operation #long" .. tag, function()
            assert_all(name, reduction.operations, {1, 7, 64, 1025})
        end)
    end

    for name, operations in pairs(STORED_TYPES) do
        it("of " .. name .. ", as kernels see it", function() assert_all(name, operations, {1, 3, 65, 1023}) end)

        it("of " .. name .. ", more operations #long", function()
            assert_all(name, {"sum", "max", "mean", "norm"}, {1, 3, 65, 1023})
        end)
    end
end)
