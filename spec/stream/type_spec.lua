local rill = require "rill"
local check = require "spec.support.check"
local elements = require "spec.support.elements"
local leaks = require "spec.support.leaks"

-- Equal values of the same Lua kind: integers for integer types, floats for the others.
local function assert_elements(expected, got)
    assert.equal(#expected, #got)
    for i, value in ipairs(expected) do
        assert(check.same_number(value, got[i]), ("value %d: expected %s, got %s"):format(i, value, tostring(got[i])))
    end
end

local function flatten(list)
    local flat = {}
    for i, element in ipairs(list) do
        for _, value in ipairs(type(element) == "table" and element or {element}) do
            flat[#flat + 1] = value
        end
        assert(element ~= nil, i)
    end
    return flat
end

describe("types", function()
    leaks.watch(setup, teardown)

    for _, name in ipairs(elements.names) do
        for _, size in ipairs {0, 1, 7, 63, 64, 65, 1025} do
            describe(("%s, %d elements:"):format(name, size), function()
                local list, flat = elements.list(name, size)
                local components = elements.types[name][2]

                it("every initializer gives the same bytes", function()
                    local s = rill.stream(name, size, flat)
                    local bytes = s:bytes()
                    assert.equal(s.nbytes, #bytes)
                    assert.equal(bytes, rill.stream(name, size, list):bytes())
                    assert.equal(bytes, rill.stream(name, size, bytes):bytes())
                    assert.equal(bytes, rill.stream(name, size, function(i)
                        local element = list[i]
                        if components > 1 and i % 2 == 0 then
                            return table.unpack(element)
                        end
                        return element
                    end):bytes())
                    local packed = elements.pack(name, flat)
                    assert.equal(packed or bytes, bytes)
                    assert.equal(("\0"):rep(#bytes), rill.stream(name, size):bytes())
                end)

                it("every way of reading gives them back", function()
                    local s = rill.stream(name, size, flat)
                    assert.equal(name, s.type)
                    assert.equal(size, s.size)
                    assert_elements(flat, s:values())
                    assert_elements(flat, flatten(s:read()))
                    assert_elements(flat, s:request():values())
                    local map <close> = s:map_cpu()
                    local each, mapped = {}, {}
                    for i, element in s:each() do
                        each[i], mapped[i] = element, map[i]
                    end
                    assert_elements(flat, flatten(each))
                    assert_elements(flat, flatten(mapped))
                    assert.is_nil(map[size + 1])
                end)

                it("every way of writing writes them", function()
                    local s, zero = rill.stream(name, size, flat), rill.stream(name, size)
                    assert.equal(s:bytes(), zero:write(s):bytes())
                    if size == 0 then
                        return
                    end
                    local last, width = list[size], s.nbytes // size
                    local bytes = s:bytes():sub(-width)
                    assert.equal(zero, zero:fill(last))
                    assert.equal(bytes:rep(size), zero:bytes())
                    zero:set(list[1], size)
                    assert.equal(s:bytes():sub(1, width), zero:bytes(size, size))
                    s[1] = last
                    assert.equal(bytes, s:bytes(1, 1))
                    local map = zero:map_cpu()
                    map[size] = last
                    map:unmap()
                    assert.equal(bytes:rep(size), zero:bytes())
                end)
            end)
        end
    end

    it("have Brook's names as aliases", function()
        for alias, name in pairs {
            float2 = "vec2", float3 = "vec3", float4 = "vec4", int2 = "ivec2", int4 = "ivec4", uint3 = "uvec3",
            double2 = "dvec2",
        } do
            assert.equal(name, rill.stream(alias, 1).type)
        end
    end)

    it("are packed: a vec3 takes 12 bytes, a bool 4, an int8 1", function()
        assert.equal(36, rill.stream("vec3", 3).nbytes)
        assert.equal(8, rill.stream("bool", 2).nbytes)
        assert.equal(3, rill.stream("int8", 3).nbytes)
        assert.equal(6, rill.stream("half", 3).nbytes)
        assert.equal(12, rill.stream("unorm8x4", 3).nbytes)
        assert.equal(48, rill.stream("dvec3", 2).nbytes)
    end)

    it("unknown ones are named, with a close match", function()
        check.raises("rill%.stream: .*unknown type 'flaot'; did you mean 'float'", rill.stream, "flaot", 3)
        check.raises("rill%.stream: argument #1 'type': expected a type", rill.stream, 3, 3)
        check.raises("expected a type", rill.stream, nil, 3)
        check.raises("unknown type 'string'", rill.stream, "string", 3)
    end)
end)

describe("numbers that do not fit a type", function()
    leaks.watch(setup, teardown)

    for _, case in ipairs {
        {"int", 2 ^ 40, "number 1099511627776 does not fit int %(%-2147483648 %.%. 2147483647%)"},
        {"int", 2 ^ 31, "does not fit int"}, {"int", -2 ^ 31 - 1, "does not fit int"},
        {"int", 0 / 0, "nan does not fit int"}, {"int", math.huge, "number inf does not fit int"},
        {"int", 1.5, "number 1.5 does not fit int"}, {"uint", -1, "number %-1 does not fit uint"},
        {"uint", 2 ^ 32, "does not fit uint"}, {"uint", 0 / 0, "nan does not fit uint"},
        {"int8", 128, "number 128 does not fit int8"}, {"int8", -129, "does not fit int8"},
        {"uint8", 256, "number 256 does not fit uint8"}, {"uint8", -1, "does not fit uint8"},
        {"uint16", 65536, "number 65536 does not fit uint16"}, {"int16", -32769, "%-32769 does not fit int16"},
        {"ivec2", 1 << 31, "does not fit int"},
        {"unorm8", 0 / 0, "nan does not fit unorm8"},
    } do
        local name, number, message = table.unpack(case)
        it(("%s: %s"):format(name, number), function()
            check.raises(message, rill.stream, name, 1, number)
            local s = rill.stream(name, 2)
            local components = elements.types[name][2]
            local element = components == 1 and number or {0, number}
            check.raises(message, s.set, s, element, 1)
            check.raises(message, s.fill, s, element)
            check.raises(message, s.write, s, components == 1 and {0, number} or {0, 0, 0, number})
            check.equal(rill.stream(name, 2):values(), s:values())
        end)
    end

    it("the largest and smallest fit", function()
        assert.same({2147483647, -2147483648}, rill.stream("int", 2, {2 ^ 31 - 1, -2 ^ 31}):values())
        assert.same({4294967295, 0}, rill.stream("uint", 2, {0xffffffff, 0}):values())
        assert.same({127, -128}, rill.stream("int8", 2, {127, -128}):values())
        assert.same({65535, 0}, rill.stream("uint16", 2, {65535, 0}):values())
    end)

    it("floats round, infinities and NaN stay, unorm8 is clamped", function()
        assert.same({1.0, 0.0}, rill.stream("unorm8", 2, {7, -3}):values())
        assert.same({math.huge, -math.huge}, rill.stream("float", 2, {math.huge, -1e300}):values())
        local nan = rill.stream("float", 1, 0 / 0)[1]
        assert.is_true(nan ~= nan)
        assert.equal(check.float32(0.1), rill.stream("float", 1, 0.1)[1])
        assert.equal(0.1, rill.stream("double", 1, 0.1)[1])
    end)

    it("halves round to nearest even", function()
        local s = rill.stream("half", 5, {65520, -1e9, 1 + 2 ^ -10 + 2 ^ -12, 1 + 2 ^ -11, 2 ^ -24})
        assert.same({math.huge, -math.huge, 1.0009765625, 1.0, 2 ^ -24}, s:values())
    end)

    it("a value of another kind is no number", function()
        check.raises("expected a number for float, got string", rill.stream, "float", 2, {1, "2"})
        check.raises("expected a boolean", rill.stream, "bool", 2, {true, 2})
        check.raises("expected a number for float, got boolean", rill.stream, "float", 2, true)
        check.raises("expected a table of 3 numbers for vec3", rill.stream, "vec3", 2, {{1, 2, 3}, {1, 2}})
    end)
end)
