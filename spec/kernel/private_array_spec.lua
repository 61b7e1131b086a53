-- Private arrays, matrices and structures, indexed by variables, which optimizers must not confuse. Mesa's drivers
-- up to 23.1 read an index that is a loop counter when the element is stored, not where the index is written.
local rill = require "rill"
local leaks = require "spec.support.leaks"

-- The results for n = 0, 1, 2 of a body that works on int a[8] = {0, 10, ... 70}.
local function results(body, before)
    local k = rill.kernel(([=[
        %s
        kernel void f(int n<>, out int r<>) {
            int a[8];
            for (int i = 0; i < 8; i++) a[i] = i * 10;
            %s
        } ]=]):format(before or "", body))
    return k(rill.from({0, 1, 2}, "int")):values()
end

describe("a private array of a kernel", function()
    leaks.watch(setup, teardown)

    local inner = "int c = 0; for (int j = 0; j < n; j++) c++;"
    local moves = {
        {"behind a loop within the loop",
            "for (int i = 0; i < 7; i++) { " .. inner .. " a[i] = a[i + 1] + c; } r = a[0];"},
        {"read before and after it", "int s = 0; for (int i = 0; i < 7; i++) { int t = a[i]; " .. inner
            .. " a[i] = t + c - a[i] + a[i + 1]; } r = a[0];"},
        {"counted downwards", "for (int i = 7; i > 0; i--) { " .. inner .. " a[i] = a[i - 1] + c; } r = a[7] - 50;"},
        {"counted by while",
            "int i = 0; while (i < 7) { " .. inner .. " int k = i; i++; a[k] = a[i] + c; } r = a[0];"},
        {"indexed by uints",
            "for (uint i = 0u; i < 7u; i++) { " .. inner .. " a[i] = a[i + 1u] + c; } r = a[0];"},
        {"of structures", "S s[8]; for (int i = 0; i < 8; i++) { s[i].y = 0; s[i].x = a[i]; }"
            .. " for (int i = 0; i < 7; i++) { " .. inner .. " s[i].x = s[i + 1].x + c; } r = s[0].x;",
            "struct S { int x, y; };"},
        {"handed to a function", "for (int i = 0; i < 7; i++) { " .. inner .. " move(a, i, c); } r = a[0];",
            "void move(inout int b[8], int i, int c) { b[i] = b[i + 1] + c; }"},
        {"changed by a function's loop", "move(a, n); r = a[0];", "void move(inout int b[8], int n) {"
            .. "for (int i = 0; i < 7; i++) { " .. inner .. " b[i] = b[i + 1] + c; } }"},
    }
    for _, case in ipairs(moves) do
        it(case[1] .. " moves its elements", function()
            assert.same({10, 11, 12}, results(case[2], case[3]))
        end)
    end

    it("exchanges elements through inout parameters #lanes", function()
        local swap = "void swap(inout int x, inout int y) { int t = x; x = y; y = t; }"
        assert.same({0, 10, 10}, results("for (int i = 0; i < 7; i++) { int c = 0; for (int j = 0; j < n; j++) c++;"
            .. " if (c > 0) swap(a[i], a[i + 1]); } r = a[0];", swap))
        assert.same({0, 0, 0}, results("for (int i = 0; i < 7; i++) { int c = 0; for (int j = 0; j < n; j++) c++;"
            .. " if (c > 0) swap(a[i], a[i + 1]); } r = n > 0 ? a[7] : 0;", swap))
    end)

    it("moves the columns of a matrix", function()
        local k = rill.kernel [=[
            kernel void f(int n<>, out float4 r<>) {
                mat4 m;
                for (int i = 0; i < 4; i++) m[i] = float4(i * 10, i, 0, 0);
                for (int i = 0; i < 3; i++) { int c = 0; for (int j = 0; j < n; j++) c++; m[i] = m[i + 1] + float(c); }
                r = float4(m[0][0], m[1][0], m[2][0], m[3][0]);
            } ]=]
        assert.same({10, 20, 30, 30, 11, 21, 31, 30, 12, 22, 32, 30}, k(rill.from({0, 1, 2}, "int")):values())
    end)

    it("keeps the elements of a two-dimensional array separate", function()
        assert.same({10, 11, 12}, results([=[ int b[8][2]; for (int i = 0; i < 8; i++) { b[i][0] = a[i]; b[i][1] = -1; }
            for (int i = 0; i < 7; i++) { int c = 0; for (int j = 0; j < n; j++) c++; b[i][0] = b[i + 1][0] + c; }
            r = b[0][0]; ]=]))
        assert.same({11, 14, 17}, results([=[ int b[2][8];
            for (int k = 0; k < 2; k++) for (int i = 0; i < 8; i++) b[k][i] = a[i] + k;
            for (int k = 0; k < 2; k++) for (int i = 0; i < 7; i++) {
                int c = 0; for (int j = 0; j < n; j++) c++; b[k][i] = b[k][i + 1] + c; if (k > 0) b[k - 1][i] += c; }
            r = b[1][0] + b[0][0] - a[1]; ]=]))
    end)

    -- GLSL (5.8, 6.1.1) evaluates the indices of what a call changes once, before the call: the first value that is copied out does not change the others' indices.
    it("evaluates the indices of arguments once, at the call #lanes", function()
        local function swap(a, p, q)
            a[p], a[q] = a[q], a[p]
        end
        local cases = {
            {"swap(a[0], a[a[0]]);", function(a) swap(a, 0, a[0]) end},
            {"swap(a[x & 3], a[three(a[x & 3])]);", function(a, x) swap(a, x & 3, a[x & 3]) end},
            {"set(a[0], a[a[0]]);", function(a) local q = a[0] a[0] = 1 a[q] = 2 end},
            {"int k = x & 3; set(k, a[k]);", function(a, x) a[x & 3] = 2 end},
            {"for (int i = 0; i < (x & 3); i++) swap(a[i], a[a[i]]);", function(a, x)
                for i = 0, (x & 3) - 1 do swap(a, i, a[i]) end
            end},
            {"int k = x & 3; set(k, a[next(k)]);", function(a, x) a[(x + 1) & 3] = 2 end},
        }
        for _, case in ipairs(cases) do
            local expected = {}
            for x = 0, 5 do
                local a = {}
                for i = 0, 3 do
                    a[i] = (i + x) & 3
                end
                case[2](a, x)
                expected[x + 1] = a[0] + 10 * a[1] + 100 * a[2] + 1000 * a[3]
            end
            local k = rill.kernel(([=[
                int three(int v) { return v & 3; }
                int next(int v) { return (v + 1) & 3; }
                void swap(inout int p, inout int q) { int t = p; p = q; q = t; }
                void set(out int p, out int q) { p = 1; q = 2; }
                kernel void f(int x<>, out int r<>) {
                    int a[4]; for (int i = 0; i < 4; i++) a[i] = (i + x) & 3;
                    %s
                    r = a[0] + 10 * a[1] + 100 * a[2] + 1000 * a[3]; } ]=]):format(case[1]))
            assert.same(expected, k(rill.iota(6)):values(), case[1])
        end
    end)

    it("keeps indices that are constant as they are", function()
        local k = rill.kernel [=[
            const int two = 2;
            kernel int f(int x<>) { int a[4]; a[0] = x; a[two - 1] = 5; return a[1] + a[0]; } ]=]
        assert.equal(12, k(rill.from({7}, "int")):get(1))
        assert.is_truthy(k:source():find("u_a[u_two - 1]", 1, true))
    end)

    it("says of an index that is no whole number what it must be", function()
        local ok, message = pcall(rill.kernel, "kernel int f(float x<>) { int a[4]; a[0] = 1; return a[x]; }")
        assert.is_false(ok)
        assert.is_truthy(message:find("an index must be an int or uint", 1, true), message)
    end)
end)
