local rill = require "rill"
local check = require "spec.support.check"
local elements = require "spec.support.elements"
local kernels = require "spec.support.kernels"
local leaks = require "spec.support.leaks"

local sizes = {0, 1, 7, 63, 64, 65, 1023, 1024, 1025}

local text = [=[
    kernel void copy(T x<>, out T r<>) { r = x; }
    kernel void swap(inout T a<>, inout T b<>) { T t = a; a = b; b = t; }
    kernel T get(T w[], int i<>) { return w[i]; }
]=]
local random = [=[ kernel void put(T x<>, int i<>, inout T d[]) { d[i] = x; } ]=]

local programs = {}
local function program(name)
    local value = kernels.seen(name)
    programs[value] = programs[value] or rill.program((text:gsub("%f[%w]T%f[%W]", value)))
    return programs[value]
end

-- How an element is accessed through a view depends on its size and on whether it shares 32-bit words; its conversion depends on its type alone.
-- Vectors of integers have the same sizes as vectors of floats.
local function is_reached_alike(name)
    return name:find "^[iu]vec" ~= nil
end

-- One type of each group with the same access and conversion: `make test` runs all tests with these, and with the others only the tests of
-- contiguous streams.
local chosen = {bool = true, double = true, half = true, int8 = true, vec3 = true}
-- Of these, one type of each size that views read, or write, differently.
local viewed = {double = "read", half = "read, written", int8 = "written", vec3 = "read, written"}

describe("every type in kernels", function()
    leaks.watch(setup, teardown)
    teardown(function() programs = {} end)

    for _, name in ipairs(elements.names) do
        local n = elements.types[name][2]
        local long = chosen[name] and "" or " #long"

        it(name .. " is read and written at every size" .. (is_reached_alike(name) and " #long" or ""), function()
            local k = program(name)
            for _, size in ipairs(sizes) do
                local list, flat = elements.list(name, size)
                local x <close> = rill.stream(name, size, list)
                local r <close> = rill.stream(name, size)
                assert.equal(r, (k.copy(x, r)))
                check.equal(flat, r:values())
                check.equal(flat, x:values())
            end
        end)

        it(name .. " is changed in place" .. long, function()
            local k = program(name)
            for _, size in ipairs(sizes) do
                local list, flat = elements.list(name, 2 * size)
                local a <close> = rill.stream(name, size, table.move(list, 1, size, 1, {}))
                local b <close> = rill.stream(name, size, table.move(list, size + 1, 2 * size, 1, {}))
                k.swap(a, b)
                check.equal(kernels.slice(flat, n, size + 1, 2 * size), a:values())
                check.equal(kernels.slice(flat, n, 1, size), b:values())
            end
        end)

        it(name .. " is gathered" .. long, function()
            local k = program(name)
            for _, size in ipairs(sizes) do
                local list, flat = elements.list(name, size)
                local w <close> = rill.stream(name, size, list)
                local i <close> = rill.stream("int", size, function(at) return size - at end)
                local r <close> = k.get(w, i)
                assert.equal(kernels.seen(name), r.type)
                check.equal(kernels.pick(flat, n, kernels.reversed(size)), r:values(), name == "unorm8" and 1e-7 or nil)
            end
        end)

        local it_views = is_reached_alike(name) and function() end or it
        local function unless(way)
            return viewed[name] and viewed[name]:find(way) and "" or " #long"
        end

        it_views(name .. " is read through views" .. unless "read", function()
            local k = program(name)
            local list, flat = elements.list(name, 120)
            local s <close> = rill.stream(name, 120, list)
            local views = {
                domain = {s:domain(4, 118), kernels.slice(flat, n, 4, 118)},
                stride = {s:stride(7), kernels.slice(flat, n, 1, 120, 7)},
                both = {s:domain(2, 119):stride(3), kernels.slice(flat, n, 2, 119, 3)},
                tile = {s:domain(1, 5):tile(2), kernels.pick(flat, n, {1, 2, 3, 4, 5, 1, 2, 3, 4, 5})},
                replicate = {s:domain(3, 6):replicate(3), kernels.pick(flat, n, {3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 6})},
                transpose = {s:domain(1, 6):reshape({2, 3}):transpose(), kernels.pick(flat, n, {1, 4, 2, 5, 3, 6})},
                box = {s:reshape({10, 12}):domain({2, 3}, {3, 5}), kernels.pick(flat, n, {15, 16, 17, 27, 28, 29})},
                group = {s:domain(1, 8):group(2), kernels.slice(flat, n, 1, 8)},
            }
            for what, view in pairs(views) do
                local like = rill.stream(name, view[1].shape)
                local good, message = pcall(check.equal, view[2], (k.copy(view[1], like)):values())
                assert(good, what .. ": " .. tostring(message))
                like:close()
                if #view[1].shape == 1 then
                    local i <close> = rill.iota(view[1].size)
                    local r <close> = k.get(view[1], i)
                    check.equal(view[2], r:values(), 1e-7)
                end
                view[1]:close()
            end
        end)

        it_views(name .. " is written through views, and nothing else is" .. unless "written", function()
            local k = program(name)
            local list, flat = elements.list(name, 60)
            local _, poison = elements.list(name, 160)
            local base = kernels.slice(poison, n, 61, 160)
            local function try(make, order)
                local s <close> = rill.stream(name, 100, base)
                local view <close> = make(s)
                local x <close> = rill.stream(name, view.shape, table.move(list, 1, view.size, 1, {}))
                k.copy(x, view)
                local expected = table.move(base, 1, #base, 1, {})
                for i, to in ipairs(order) do
                    for c = 1, n do
                        expected[(to - 1) * n + c] = flat[(i - 1) * n + c]
                    end
                end
                check.equal(expected, s:values())
            end
            try(function(s) return s:domain(4, 30) end, kernels.list(27, function(i) return i + 3 end))
            try(function(s) return s:domain(17, 49) end, kernels.list(33, function(i) return i + 16 end))
            try(function(s) return s:domain(97, 100) end, kernels.list(4, function(i) return i + 96 end))
            try(function(s) return s:stride(3) end, kernels.list(34, function(i) return 3 * i - 2 end))
            try(function(s) return s:reshape({10, 10}):domain({3, 4}, {4, 6}) end, {24, 25, 26, 34, 35, 36})
            try(function(s) return s:domain(1, 6):reshape({2, 3}):transpose() end, {1, 4, 2, 5, 3, 6})
        end)

        if not kernels.is_packed(name) then
            it(name .. " is written at random" .. long, function()
                local put = rill.kernel((random:gsub("%f[%w]T%f[%W]", name)))
                local list, flat = elements.list(name, 65)
                local x <close> = rill.stream(name, 65, list)
                local i <close> = rill.stream("int", 65, function(at) return 65 - at end)
                local d <close> = rill.stream(name, 65)
                put(x, i, d)
                check.equal(kernels.pick(flat, n, kernels.reversed(65)), d:values())
                local whole <close> = rill.stream(name, 80)
                local view <close> = whole:domain(5, 69)
                put(x, i, view)
                check.equal(kernels.pick(flat, n, kernels.reversed(65)), view:values())
                for at, value in ipairs(whole:values()) do
                    assert(at > 4 * n and at <= 69 * n or value == 0 or value == false)
                end
            end)
        end
    end

    it("values out of the range of a narrow type are truncated or clamped", function()
        local k = rill.program [[
            kernel void f(float x<>, out float r<>) { r = x; }
            kernel void i(int x<>, out int r<>) { r = x; }
            kernel void u(int x<>, out uint r<>) { r = uint(x); }
        ]]
        local x <close> = rill.from {-1.0, 0.5, 2.0, 1.0}
        local n <close> = rill.from({-129, 128, 300, -32769, 65536 + 7, -1}, "int")
        local function out(kernel, input, type)
            local r <close> = rill.stream(type, input.size)
            return kernel(input, r):values()
        end
        check.equal({0, check.float32(128 / 255), 1, 1}, out(k.f, x, "unorm8"))
        check.equal({-1, 0.5, 2, 1}, out(k.f, x, "half"))
        check.equal({127, -128, 44, -1, 7, -1}, out(k.i, n, "int8"))
        check.equal({-129, 128, 300, 32767, 7, -1}, out(k.i, n, "int16"))
        check.equal({127, 128, 44, 255, 7, 255}, out(k.u, n, "uint8"))
        check.equal({65407, 128, 300, 32767, 7, 65535}, out(k.u, n, "uint16"))
    end)

    it("converts as GLSL does on the way in", function()
        local k = rill.kernel [=[
            kernel void f(float x<>, float w[], double y<>, out double r<>) { r = x + w[2] + y; } ]=]
        local x <close> = rill.from({1, 2, 3}, "int")
        local w <close> = rill.from({5, 6, 7}, "uint8")
        local y <close> = rill.from({0.5, 0.25, 0.125}, "float")
        local r <close> = k(x, w, y)
        check.equal({8.5, 9.25, 10.125}, r:values())
        local v = rill.kernel [[ kernel float4 f(float4 x<>) { return x * 2.0; } ]]
        local iv <close> = rill.from({{1, 2, 3, 4}}, "ivec4")
        local rv <close> = v(iv)
        check.equal({2, 4, 6, 8}, rv:values())
        check.names({"f: argument #1 'x'", "float", "stream<vec2>[3]"}, rill.kernel [[
            kernel float f(float x<>) { return x; } ]], rill.stream("vec2", 3))
        check.names({"f: argument #1 'x'", "int"}, rill.kernel [[
            kernel int f(int x<>) { return x; } ]], rill.stream("float", 3))
    end)

    it("65535 * 64 + 1 elements #large", function()
        local n = 65535 * 64 + 1
        local x <close> = rill.iota(n)
        local k = rill.kernel [[ kernel int f(int x<>) { return 3 * x + 1; } ]]
        local r <close> = k(x)
        assert.equal(1, r:get(1))
        assert.equal(3 * (n - 1) + 1, r:get(n))
        local view <close> = r:domain(n - 3, n)
        check.equal({3 * (n - 4) + 1, 3 * (n - 3) + 1, 3 * (n - 2) + 1, 3 * (n - 1) + 1}, view:values())
        local odd = rill.kernel [[
            kernel void f(int x<>, inout int bad<>) { bad += 3 * indexof(x).x + 1 != x ? 1 : 0; } ]]
        local bad <close> = rill.stream("int", n)
        odd(r, bad)
        assert.equal(("\0"):rep(4 * n), bad:bytes())
    end)

    it("50,000,000 floats #slow #long", function()
        local n = 50000000
        local k = rill.kernel [[ kernel void f(float a, float x<>, out float r<>) { r = a * x; } ]]
        local gather = rill.kernel [=[ kernel float f(float w[], int i<>) { return w[i]; } ]=]
        local r <close> = rill.stream("float", n)
        do
            local x <close> = rill.stream("float", n, 3)
            x:set(5, n)
            x:set(7, n // 2)
            k(2, x, r)
        end
        assert.equal(6, r:get(1))
        assert.equal(14, r:get(n // 2))
        assert.equal(10, r:get(n))
        local i <close> = rill.from({0, n // 2 - 1, n - 1, n}, "int")
        local g <close> = gather(r, i)
        check.equal({6, 14, 10, 10}, g:values())
    end)
end)

describe("bool(x)", function()
    it("is whether x is other than 0, and a NaN is", function()
        for _, type in ipairs {"float", "double"} do
            local x = rill.stream(type, 4, {0 / 0, 0.0, -0.0, 2.0})
            local wanted = {true, false, false, true}
            local k = rill.kernel(([[
                kernel void k(%s x<>, out bool a<>, out bool b<>, out bool c<>, out bool d<>, out bool e<>) {
                    a = bool(x); b = (bool)x; c = bool (+x); d = !!(bool)(x); e = bool(int(bool(x)));
                }]]):format(type))
            for number, r in ipairs {k(x)} do
                assert.same(wanted, r:values(), type .. ", formula " .. number)
            end
            assert.same(wanted, x:cast "bool":values(), type)
            assert.same({1.0, 0.0, 0.0, 1.0}, rill.where(x, 1.0, 0.0):values(), type)
        end
    end)

    it("accepts every type that GLSL accepts, and uses the first component of vectors", function()
        local k = rill.kernel [[
            const bool ALWAYS = bool(3);
            kernel void k(out ivec4 r<>) {
                bool b = bool(2u) && bool(bvec2(true, false)) && bool(ivec3(7, 0, 0)) && bool(uvec4(1u, 0u, 0u, 0u));
                bool c = bool(vec2(0.0, 1.0)) || bool(vec3(0.0)) || bool(vec4(0.0, 1.0, 1.0, 1.0)) || bool(mat2(0.0));
                bool d = bool(dvec2(1.0, 0.0)) && bool(mat3(1.0)) && bool(mat4(1.0)) && bool(true);
                r = ivec4(b, c, d, ALWAYS);
            }]]
        assert.same({1, 0, 1, 1}, k(rill.stream("ivec4", 1)):values())
    end)
end)

it("functions of rill may be separated from their parenthesis by blanks", function()
    local k = rill.kernel "kernel float k(float x<>) { return fmod (x, 3.0) + saturate (x) + log2 (x) + log (1.0); }"
    assert.equal(4, k(rill.stream("float", 1, 4.0)):get(1))
end)

it("the dimension in indexof and sizeof_stream may be a uint or a float, like an index", function()
    for _, d in ipairs {"1", "1u", "1.0"} do
        local body = "kernel int k(float x<>) { return indexof(x, %s) + 10 * sizeof_stream(x, %s); }"
        local k = rill.kernel(body:format(d, d))
        assert.equal(31, k(rill.stream("float", {3, 2})):get(2, 1))
    end
end)
