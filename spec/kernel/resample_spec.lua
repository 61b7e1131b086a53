-- Repeat and stride of inputs, indexof and sizeof_stream, merged dimensions.
local rill = require "rill"
local check = require "spec.support.check"
local kernels = require "spec.support.kernels"
local leaks = require "spec.support.leaks"

-- Returns the 0-based index of an input of size `from` that element i of an output of size `to` reads.
local function source(i, from, to)
    return to >= from and i // (to // from) or -(-i * from // to)
end

local function size_of(shape, d) return shape[#shape - d + 1] or 1 end -- d from 1: the fastest

-- Visits the 0-based indices of a shape, slowest first, in row-major order.
local function each(shape)
    local count, total = 0, 1
    for _, n in ipairs(shape) do
        total = total * n
    end
    return function()
        if count == total then
            return nil
        end
        local at, rest = {}, count
        for d = #shape, 1, -1 do
            at[d] = rest % shape[d]
            rest = rest // shape[d]
        end
        count = count + 1
        return at
    end
end

local cases = {
    {{5}, {10}}, {{10}, {5}}, {{7}, {21}}, {{21}, {7}}, {{6}, {6}}, {{1}, {9}}, {{9}, {1}}, {{2, 15}, {4, 5}}, {{10,
    3}, {2, 21}},
    {{3, 4}, {3, 4}}, {{4}, {3, 8}}, {{1, 4}, {6, 2}}, {{2, 3, 4}, {4, 1, 8}}, {{3}, {2, 2, 6}}, {{2, 4, 6}, {4, 3}},
    {{64}, {1024}}, {{1025 * 2}, {1025}},
    {{9}, {5}}, {{10}, {4}}, {{7}, {6}}, {{1025}, {1024}}, {{5, 9}, {3, 18}}, {{9, 5}, {7, 3}}, {{3, 7, 5}, {7, 4}},
    {{3, 7}, {5}}, {{11}, {3, 2, 4}},
}

describe("an input of another shape", function()
    leaks.watch(setup, teardown)

    local k = rill.program [=[
        kernel void copy(int x<>, out int r<>) { r = x; }
        kernel void first(int x<>, out int r<>) { r = indexof(x).x; }
        kernel void two(int x<>, int y<>, out int r<>) { r = x + y; }
        kernel void place(int x<>, out int4 i<>, out int4 o<>, out int4 n<>, out int4 m<>) {
            i = indexof(x); o = indexof o; n = sizeof_stream(x); m = sizeof_stream(m); }
    ]=]

    for _, case in ipairs(cases) do
        local from, to = case[1], case[2]
        local name = table.concat(from, "x") .. " -> " .. table.concat(to, "x")

        local function expected()
            local values = {}
            for at in each(to) do
                local number = 0
                for d = #from, 1, -1 do
                    local mine = size_of(from, d)
                    local i = d <= #to and source(at[#to - d + 1], mine, size_of(to, d)) or 0
                    number = number * mine + i
                end
                values[#values + 1] = number
            end
            return values
        end

        it("repeats and strides: " .. name, function()
            local x <close> = rill.iota(from)
            local r <close> = k.copy(x, rill.stream("int", to))
            check.equal(expected(), r:values())
            local s <close> = rill.stream("int", to, 1)
            local both <close> = k.two(x, s, rill.stream("int", to))
            local taken = expected()
            check.equal(kernels.list(both.size, function(i) return taken[i] + 1 end), both:values())
            check.equal(kernels.list(x.size, function(i) return i - 1 end), x:values())
        end)

        it("knows indexof and sizeof_stream: " .. name, function()
            local x <close> = rill.iota(from)
            local i, o, n, m = k.place {x = x, shape = to}
            local ei, eo, en, em = {}, {}, {}, {}
            for at in each(to) do
                for d = 1, 4 do
                    local own = at[#to - d + 1] or 0
                    ei[#ei + 1] = d <= #to and source(own, size_of(from, d), size_of(to, d)) or 0
                    eo[#eo + 1] = own
                    en[#en + 1] = size_of(from, d)
                    em[#em + 1] = size_of(to, d)
                end
            end
            check.equal(ei, i:values())
            check.equal(eo, o:values())
            check.equal(en, n:values())
            check.equal(em, m:values())
        end)
    end

    it("must repeat evenly", function()
        for _, case in ipairs {{{5}, {7}}, {{4}, {10}}, {{2, 3}, {3, 2}}, {{3, 5}, {5}}, {{0}, {3}}, {{3}, {0}},
            {{0, 3}, {3}}} do
            local x <close> = rill.stream("int", case[1])
            local r <close> = rill.stream("int", case[2])
            if r.size == 0 then
                assert.equal(r, (k.copy(x, r)))
            elseif #case[1] == 2 and #case[2] == 1 and case[1][1] ~= 0 then
                assert.equal(r, (k.copy(x, r)))
            else
                check.names({"copy", "'x'", table.concat(case[1], "x"), table.concat(case[2], "x")}, k.copy, x, r)
            end
        end
    end)

    it("may be a view, and counts from its first element", function()
        local s <close> = rill.iota({12, 10})
        local views = {
            s:domain({3, 4}, {8, 9}), s:stride(2, 3), s:transpose(), s:tile(2, 1), s:replicate(1, 2),
            s:domain({2, 2}, {5, 9}):transpose(), s:group(3, 5), s:domain({1, 1}, {6, 6}):stride(2),
        }
        local place = rill.kernel [=[
            kernel void f(int x<>, int w[][], out int4 at<>, out int v<>) { at = indexof(x); v = x; } ]=]
        for _, view in ipairs(views) do
            local shape, base = view.shape, view:values()
            local at, v = place(view, s, nil, nil)
            check.equal(base, v:values())
            local expected = {}
            for index in each(shape) do
                for d = 1, 4 do
                    expected[#expected + 1] = index[#shape - d + 1] or 0
                end
            end
            check.equal(expected, at:values())
            local bigger = kernels.list(#shape, function(d) return shape[d] * (d == 1 and 2 or 3) end)
            local r <close> = k.copy(view, rill.stream("int", bigger))
            local number = {}
            for index in each(bigger) do
                local n = 0
                for d = 1, #shape do
                    n = n * shape[d] + index[d] // (d == 1 and 2 or 3)
                end
                number[#number + 1] = base[n + 1]
            end
            check.equal(number, r:values())
        end
    end)

    it("strides as Brook does", function()
        local digits <close> = rill.from({1, 2, 3, 4, 5, 6, 7, 8, 9}, "int")
        check.equal({1, 3, 5, 7, 9}, k.copy(digits, rill.stream("int", 5)):values())
        check.equal({1, 4, 7}, k.copy(digits, rill.stream("int", 3)):values())
        check.equal({1, 3, 5, 7, 9}, (k.copy(digits * 1, rill.stream("int", 5))):values())
    end)

    it("strides where sizes have products beyond 32 bits, and views, and small types", function()
        local from, to = 100003, 50000
        local x <close> = rill.iota(from)
        local r <close> = rill.stream("int", to)
        local expected = kernels.list(to, function(i) return source(i - 1, from, to) end)
        check.equal(expected, k.copy(x, r):values())
        check.equal(expected, k.first(x, r):values())
        local bytes <close> = rill.iota({3, 70001, 1}):map "x % 121":cast "int8"
        local wide <close> = k.copy(bytes, rill.stream("int", {2, 50021, 2}))
        local got, at = wide:values(), 0
        for i = 0, 1 do
            for j = 0, 50020 do
                local want = (source(i, 3, 2) * 70001 + source(j, 70001, 50021)) % 121
                at = at + 2
                assert(got[at - 1] == want and got[at] == want, at)
            end
        end
        local s <close> = rill.iota({12, 10})
        for _, view in ipairs {
            s:domain({3, 4}, {8, 9}), s:stride(2, 3), s:transpose(), s:tile(2, 1), s:replicate(1, 2),
            s:domain({2, 2}, {5, 9}):transpose(), s:group(3, 5), s:domain({1, 1}, {6, 6}):stride(2),
        } do
            local shape, base = view.shape, view:values()
            local fewer = kernels.list(#shape, function(d) return math.max(shape[d] - d, 1) end)
            local thinned, number = {}, k.copy(view, rill.stream("int", fewer)):values()
            for index in each(fewer) do
                local n = 0
                for d = 1, #shape do
                    n = n * shape[d] + source(index[d], shape[d], fewer[d])
                end
                thinned[#thinned + 1] = base[n + 1]
            end
            check.equal(thinned, number)
        end
    end)

    it("has an index in every spelling", function()
        local text = [=[
            float4 own(float4 p) { return p; }
            kernel void f(float x<>, float w[][], out float2 input<>, out float4 output<>, out float r<>) {
                input = indexof(x).xy;
                output = own(indexof(output));
                float2 p = indexof x .xy;
                r = w[indexof(r).xy] + w[p] + 100.0 * indexof(x, 1) + 1000.0 * indexof(output, 0) + sizeof_stream(w).x +
                    sizeof_stream(w, 1);
            }
        ]=]
        local f = rill.kernel(text)
        local x <close> = rill.stream("float", {3, 4})
        local w <close> = rill.stream("float", {3, 4}, function(i, j) return 0.25 * i + 8 * j end)
        local a, b, r = f(x, w)
        local ea, eb, er = {}, {}, {}
        for i = 0, 2 do
            for j = 0, 3 do
                table.move({j, i}, 1, 2, #ea + 1, ea)
                table.move({j, i, 0, 0}, 1, 4, #eb + 1, eb)
                er[#er + 1] = 2 * (0.25 * (i + 1) + 8 * (j + 1)) + 100 * i + 1000 * j + 4 + 3
            end
        end
        check.equal(ea, a:values())
        check.equal(eb, b:values())
        check.equal(er, r:values())
        check.names({"'y' is not declared"}, rill.kernel,
            "kernel float f(float x<>) { return indexof(y).x; }")
        check.names({"'w'", "gather"}, rill.kernel, "kernel float f(float w[], float x<>) { return indexof(w).x; }")
        check.names({"'indexof'"}, rill.kernel, "kernel float f(float a, float x<>) { return indexof(a).x; }")
        local high = rill.kernel [[
            kernel int f(int x<>) { return indexof(x, 6) * 100 + indexof(x, 4) * 10 + indexof(x, 0); } ]]
        local deep <close> = rill.stream("int", {2, 1, 3, 1, 1, 1, 2})
        local h <close> = high(deep)
        check.equal({0, 1, 10, 11, 20, 21, 100, 101, 110, 111, 120, 121}, h:values())
    end)

    it("stays within a few programs whatever the sizes", function()
        local f = rill.kernel [=[ kernel float f(float a, float x<>, float w[]) { return a * x + w[indexof(x)]; } ]=]
        local met, programs = {}, 0
        for n = 1, 70 do
            local x <close> = rill.stream("float", n, 2)
            local r <close> = f(n, x, {5})
            assert.equal(2 * n + 5, r:get(n))
            local text = f:source()
            programs = programs + (met[text] and 0 or 1)
            met[text] = true
        end
        -- If the end of a range does not stop stores, a size that is not a multiple of the step needs a separate program.
        assert(programs <= (rill.device().traits.exact_ranges and 1 or 2), programs)
    end)
end)
