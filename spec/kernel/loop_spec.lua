-- Loops: short ones give correct results, loops that a device stops silently raise an error.
local rill = require "rill"
local check = require "spec.support.check"
local shortened = require "spec.support.shortened"
local kernels = require "spec.support.kernels"
local leaks = require "spec.support.leaks"

local limited = rill.device().traits.loop_limit and rill.device().traits.loop_limit > 0

-- Raises on a device that stops loops; on others the value is correct.
local function long(text, expected, n)
    local k = rill.kernel(text)
    local x <close> = rill.stream("float", 40, function(i) return i end)
    local call = {x = x, n = n}
    if limited then
        check.names({k.name, "loops exceed"}, kernels.finished(k), call)
    else
        local r <close> = k(call)
        assert.equal(expected, r:get(1))
    end
end

describe("a loop", function()
    leaks.watch(setup, teardown)

    -- Mesa 22.3 uses the constant of such a bound as the number of iterations.
    shortened(it, "left by comparing its counter with a bound cut by min, max goes on where that fails", function(whole)
        local rounds = {
            {"i < min(n, 1)", {7, 0, 0, 0}}, {"i < clamp(n, 0, 1)", {7, 0, 0, 0}}, {"min(n, 1) > i", {7, 0, 0, 0}},
            {"i < m", {7, 0, 0, 0}}, {"i <= min(n - 1, 1)", {7, 0, 0, 0}}, {"i != min(n, 1)", {1, 0, 0, 0}},
            {"!(i >= min(n, 1))", {7, 0, 0, 0}}, {"i >= min(n, 5)", {0, 1, 2, 3}}, {"i > max(n, 1)", {2, 2, 3, 4}},
            {"i == min(n, 2)", {0, 1, 2, 2}}, {"float(i) < min(float(n), 1.0)", {7, 0, 0, 0}},
        }
        local loops = {
            "for (int i = 0; i < 7; i++) { if (COND) break; v += 1; }",
            "for (int i = 0; i < 7; i++) { if (!(COND)) { v += 1; } else { v += 0; break; } }",
            "int i = 0; do { if (COND) break; v += 1; } while (++i < 7);",
            "int i = 0; while (i < 7) { if (COND) break; v += 1; i += 1; }",
            "int i = 0; while (i < 7) { if (COND) break; v += 1; i = i + 1; }",
            "int i = 0; while (i < 7) { if (COND) break; v += 1; i = 1 + i; }",
        }
        local text = "kernel void f(out int r<>) { int n = indexof(r).x, m = min(n, 1); int v = 0; LOOP r = v; }"
        local early = "int first(int n) { for (int i = 0; i < 7; i++) { if (COND) return i; } return 7; }\n"
            .. "kernel void f(out int r<>) { r = first(indexof(r).x); }"
        for number, round in ipairs(rounds) do
            local condition, expected = table.unpack(round)
            for at, loop in ipairs(loops) do
                if whole or (number + at) % #loops == 0 then
                    local k = rill.kernel((text:gsub("LOOP", (loop:gsub("COND", condition)))))
                    assert.same(expected, k {shape = 4}:values(), condition .. " in " .. loop)
                end
            end
            if not condition:find "m$" and (whole or number % 5 == 1) then
                local k = rill.kernel((early:gsub("COND", condition)))
                assert.same(expected, k {shape = 4}:values(), condition .. ", by return")
            end
        end
        check.names({"a condition must be a bool, got int"}, rill.kernel,
            "kernel void f(out int r<>) { int v = 0; for (int i = 3; i > 0; i--) { if (i & 1) break; v++; } r = v; }")
    end)

    -- Mesa 22.3's llvmpipe loads zeros in lanes that left a loop. If every exit is after the load, the values they had are lost.
    shortened(it, "keeps what it loaded for elements that leave before others", function(whole)
        local loops = {
            "do { v = L(c); if (c >= n) break; } while (++c < m);",
            "do { v = L(n); if (c >= n) break; } while (++c < m);",
            "for (;;) { v = L(c); if (c >= n) break; if (++c >= m) break; }",
            "while (true) { v = L(c); if (c >= n) break; if (++c >= m) break; }",
            "bool on = true; while (on) { v = L(c); if (c >= n) break; ++c; }",
            "for (int k = 1; k > 0; ) { v = L(c); if (c >= n) break; ++c; }",
            "while (1 < 2) { v = L(c); if (c >= n) break; ++c; }",
            "const int M = 1; while (M > 0) { v = L(c); if (c >= n) break; ++c; }",
            "do v = L(c); while (c++ < n);",
            "do { v = L(c); if (c >= n) { r = v; return; } } while (++c < m);",
            "for (;;) { v = L(c); if (c >= n) { r = v; return; } ++c; }",
            "for (;;) { int w = L(c), u = w * 2; if (c >= n) { v = u - w; break; } ++c; }",
            "int w; for (;;) { w = L(c); v = w * 2; if (c >= n) break; ++c; } v = v - w;",
            "do { s += L(n); if (c >= n) break; } while (++c < m); v = s - L(n) * n;",
            "do { v = L(c); if (c < n) continue; break; } while (++c < m);",
            "for (;;) { if (c < n) { ++c; continue; } v = L(c); break; }",
            "for (int i = 0; i < m; i++) { int k = 0; do { v = L(k); if (k >= n) break; } while (++k < i + 1); }",
            "do { int k = 0; do { v = L(k); if (k >= c) break; } while (++k < m); } while (c++ < n);",
            "do { v = L(c); for (int k = 0; k < m; k++) { if (k > n) break; } if (c >= n) break; } while (++c < m);",
            "do { switch (c & 1) { case 0: v = L(c); break; default: v = L(c); } if (n == c++) break; } while (true);",
            "do { switch (n) { case 77: break; default: v = L(c); } if (c >= n) break; } while (++c < m);",
            "do { if ((c & 1) == 0) continue; v = L(c); if (c >= n) break; } while (++c < m); v -= 1 - (n & 1);",
            "for (int i = 0; i < m; i++) { v = L(i); if (i >= n) break; }",
            "for (int i = 0; i < 1000; i++) { v = L(i); if (i >= n) break; }",
            "while (c < m) { v = L(c); if (c >= n) break; c++; }",
            "while ((v = L(c)) < 10 + n) c++;",
            "for (; (v = L(c)) < 10 + n && c < m; c++) { s++; }",
            "c = -1; do s++; while ((v = L(++c)) < 10 + n);",
            "for (int i = 0; i < 23; i++) { v = L(i); if (i >= n) break; int j = i; if (j > 20) break; } v = L(n);",
            "for (int i = 0; i < 100; i++) { v = L(i); if (i >= n) break; int j = i; if (j >= 90) break; }",
        }
        local texts = {
            gather = "kernel void f(int g[], int m, out int r<>) { int n = indexof(r).x, v = 0, c = 0, s = 0; LOOP }",
            random = "kernel void f(inout int g[], int m, out int r<>) "
                .. "{ int n = indexof(r).x, v = 0, c = 0, s = 0; LOOP }",
            shared = "kernel(24) void f(int x<>, int m, out int r<>) { shared int g[24]; g[localid()] = x; barrier();"
                .. "int n = indexof(r).x, v = 0, c = 0, s = 0; LOOP }",
            called = "int q(int n, int g[], int m) { int v = 0, c = 0, s = 0, r; LOOP return r; }"
                .. "kernel void f(int g[], int m, out int r<>) { r = q(indexof(r).x, g, m); }",
        }
        local expected = kernels.list(24, function(i) return i + 9 end)
        local function try(where, loop)
            local body = loop:gsub("L%((%+*%w)%)", "g[%1]") .. " r = v;"
            body = where == "called" and body:gsub("r = v; return;", "return v;") or body
            local k = rill.kernel((texts[where]:gsub("LOOP", function() return body end)))
            local g <close> = rill.stream("int", 24, expected)
            local r <close> = where == "shared" and k(g, 24) or k {g = g, m = 24, shape = 24}
            assert.same(expected, r:values(), body .. " in " .. where)
        end
        local turns = {"random", "gather", "shared", "random", "called", "gather"}
        for number, loop in ipairs(loops) do
            if whole then
                for where in pairs(texts) do
                    if where == "gather" or where == "random" or number % 3 == 1 then try(where, loop) end
                end
            elseif number % 2 == 1 then
                try(turns[number % #turns + 1], loop)
            end
        end
        -- The body is part of a primitive's program or of a kernel with a variable output.
        local x <close> = rill.stream("int", 3000, function(i) return 1 + i * 7 % 23 end)
        local g <close> = rill.iota(24)
        local loop = "int v, c = 0; do { v = g[c]; if (c >= x) break; } while (++c < m);"
        local least = rill.kernel(
            "reduce void f(int x<>, int g[], int m, reduce int r<>) {" .. loop .. "r = min(r, v); }")
        assert.equal(1, least(x, g, 24))
        local push = rill.kernel("kernel void f(int x<>, int g[], int m, vout int r<>) {" .. loop .. "push(r, v); }")
        local pushed <close> = push(x, g, 24)
        check.equal(x:values(), pushed:values())
    end)

    -- The loaded value is the index of the next load: a second load gives another value, also through a texture.
    shortened(it, "that goes from one element to the next by what it loads keeps the last one", function(whole)
        local following = kernels.list(64, function(i) return ((i - 1) * 13 + 5) % 64 end)
        local expected = kernels.list(64, function(i)
            local n, c = (i - 1) % 23, 0
            local k = following[n + 1]
            while k % 5 ~= n % 5 do
                k, c = following[k + 1], c + 1
            end
            return k * 100 + c
        end)
        local texts = {
            "kernel void f(int n<>, SORT int g[], out int r<>) { int k = n, c = 0; LOOP r = k * 100 + c; }",
            "int q(int n, SORT int g[]) { int k = n, c = 0; LOOP return k * 100 + c; }"
                .. "kernel void f(int n<>, SORT int g[], out int r<>) { r = q(n, g); }",
        }
        local n <close> = rill.stream("int", 64, function(i) return (i - 1) % 23 end)
        local g <close> = rill.stream("int", 64, following)
        for number, loop in ipairs {
            "for (;;) { k = g[k]; if (k % 5 == n % 5) break; if (++c > 60) break; }",
            "bool on = true; while (on) { k = g[k]; if (k % 5 == n % 5) break; c++; }",
            "for (uint i = 0u; i >= 0u; i++) { k = g[k]; if (k % 5 == n % 5) break; c++; }",
            "do { k = g[k]; if (k % 5 == n % 5) break; } while (++c < 60);",
            "c--; do { k = g[k]; c++; } while (k % 5 != n % 5 && c < 60);",
            "while ((k = g[k]) % 5 != n % 5) c++;", "for (; (k = g[k]) % 5 != n % 5; c++);",
            "for (; c < 60; c++) { k = g[k]; if (k % 5 == n % 5) break; }",
            "while (c < 60) { k = g[k]; if (k % 5 == n % 5) break; c++; }",
            "for (int m = n + 60; c < m; c++) { k = g[k]; if (k % 5 == n % 5) break; }",
            "int m = 60; while (m != c) { k = g[k]; if (k % 5 == n % 5) break; c += 1; }",
            "uint m = 60u; while (m >= 0u) { k = g[k]; if (k % 5 == n % 5) break; m--; c++; }",
            "const uint Z = 0u; uint m = 60u; while (Z <= m) { k = g[k]; if (k % 5 == n % 5) break; m--; c++; }",
            "int m = 0; while (m < 1) { k = g[k]; if (k % 5 == n % 5) break; m = 0; c++; }",
            "for (int i = 0; i <= 2147483646; i++) { k = g[k]; if (k % 5 == n % 5) break; c++; }",
            "int m = 0; while (0 <= m) { k = g[k]; if (k % 5 == n % 5) break; m = c++; }",
            -- A head that compares an int with the largest one can't be false: Mesa 25.0 does not finish compiling it.
            not rill.device().version:find("Mesa 25.0", 1, true)
                and "for (int i = 0; i <= 2147483647; i++) { k = g[k]; if (k % 5 == n % 5) break; c++; }" or nil,
        } do
            for at = whole and 0 or number % 4, whole and 3 or number % 4 do
                local text, sort = texts[1 + at // 2], at % 2 == 0 and "" or "inout"
                local k = rill.kernel((text:gsub("LOOP", (loop:gsub("%%", "%%%%"))):gsub("SORT", sort)))
                local r <close> = k {n = n, g = g}
                assert.same(expected, r:values(), loop .. sort)
            end
        end
    end)

    shortened(it, "left by a condition through copies, flags and functions goes on where that fails", function(whole)
        local ways = {
            "int j = i; if (j < min(n, 1)) break;", "bool b = i < min(n, 1); if (b) break;",
            "if (i < min(n, 1) ? true : false) break;", "bool b = n >= 0 ? i < min(n, 1) : false; if (b) break;",
            "int j = i, m = min(n, 1); if (n >= 0 && j < m) break;",
            "bool b = n >= 0, c = i < min(n, 1); if (b && c) break;",
            "int j = i; if (n < 0 || j < min(n, 1)) break;", "int j = i; if (n >= 0) { if (j < min(n, 1)) break; }",
            "if (less(i, n)) break;", "if (same(i) < min(n, 1)) break;",
            "bool on = !(i < min(n, 1)); if (!on) { v += 0; break; }",
            "int j = i; if (j >= min(n, 1)) v += 0; else break;", "int f = int(i < min(n, 1)); if (f != 0) break;",
            "int f = 0; switch (int(i < min(n, 1))) { case 1: f = 1; } if (f == 1) break;",
            "int j = i; if (j >= min(n, 1)) { v += 1; continue; } break;",
            "float t = float(i); if (t < min(float(n), 1.0)) break;",
        }
        local loops = {
            "for (int i = 0; i < 7; i++) { WAY v += 1; }", "for (int i = 0; i < q; i++) { WAY v += 1; }",
            "int i = 0; while (i < 7) { WAY v += 1; int o = i; i = o + 1; }",
            "int i = 0, a = 0; do { WAY v += 1; i = a + 1; a = i; } while (a < 7);",
        }
        local text = "int same(int i) { return i; } bool less(int i, int n) { return i < min(n, 1); }"
            .. "kernel void f(int q, out int r<>) { int n = indexof(r).x, v = 0; LOOP r = v; }"
        for number, way in ipairs(ways) do
            for k, loop in ipairs(loops) do
                if (whole or k % 4 == (number + 2) % 4) and (k < 3 or not way:find "continue") then
                    local kernel = rill.kernel((text:gsub("LOOP", (loop:gsub("WAY", way)))))
                    assert.same({7, 0, 0, 0}, kernel {q = 7, shape = 4}:values(), way .. " in " .. loop)
                end
            end
        end
    end)

    it("whose bound is limited by min or max runs the correct number of iterations", function()
        local heads = {
            ["for (int i = 7; i > min(n, 5); i--) v++;"] = {7, 6, 5, 4},
            ["for (int i = 7; i >= min(n, 5); i--) v++;"] = {8, 7, 6, 5},
            ["int i = 7; while (i > min(n, 5)) { v++; i--; }"] = {7, 6, 5, 4},
            ["int i = 7; do { v++; i--; } while (i > min(n, 5));"] = {7, 6, 5, 4},
            ["int m = min(n, 5); for (int i = 7; m < i; i--) v++;"] = {7, 6, 5, 4},
            ["for (int i = 9, j = 0; i > min(n, 5); i--, j++) v++;"] = {9, 8, 7, 6},
            ["for (float t = 4.0; t > min(float(n), 2.5); t -= 0.5) v++;"] = {8, 6, 4, 3},
            ["for (uint i = 9u; i > min(uint(n), 5u); i--) v++;"] = {9, 8, 7, 6},
            ["for (int i = 7; i > 0 && i > min(n, 5); i--) v++;"] = {7, 6, 5, 4},
            ["for (int i = 0; i < 8 && (i == 0 || i > min(n, 1)); i++) v++;"] = {8, 1, 1, 1},
            ["for (int i = 0; i < min(n, 5); i++) v++;"] = {0, 1, 2, 3},
            ["for (int i = 0; i <= min(n, 2); i++) v++;"] = {1, 2, 3, 3},
            ["for (int i = 0; i < max(n, 2); i++) v++;"] = {2, 2, 2, 3},
            ["for (int i = 0; min(n, 2) > i; i++) v++;"] = {0, 1, 2, 2},
            ["for (int i = 0; i < clamp(n, 1, 2); i++) v++;"] = {1, 1, 2, 2},
            ["for (int i = 0; i < 8 && i < q - min(n, 2); i += 2) v++;"] = {4, 3, 3, 3},
            ["for (float t = 0.0; t < min(float(n), 2.5); t += 0.5) v++;"] = {0, 2, 4, 5},
            ["int i = 0; while ((float)i < 3.5 && 5 - n > (int)i) { v++; i++; }"] = {4, 4, 3, 2},
            ["int i = 0; while (7 - n - (int)i > (int)0) { v++; i++; }"] = {7, 6, 5, 4},
            ["int i = 0; for (; i++, i < 7 - n;) { v++; }"] = {6, 5, 4, 3},
        }
        local text = "kernel void f(int q, out int r<>) { int n = indexof(r).x, v = 0; %s r = v; }"
        for head, expected in pairs(heads) do
            local k = rill.kernel(text:format(head))
            assert.same(expected, k {q = 7, shape = 4}:values(), head)
        end
        for loop, message in pairs {
            ["while (v & 1) v++;"] = "a condition must be a bool, got int",
            ["do v++; while (n);"] = "a condition must be a bool, got int",
            ["for (int i = 0; n - i; i++) v++;"] = "a condition must be a bool, got int",
            ["while (zz < 3) v++;"] = "'zz' is not declared",
            ["for (int i = 0; i < 9; i++) { switch (n > 1) { case 1: continue; } }"] =
                "the value of a switch must be an int or uint, got bool",
        } do
            check.names({message}, rill.kernel, text:format(loop))
        end
    end)

    it("ends with its statement, also a switch or a do without braces", function()
        local loops = {
            ["for (int i = 0; i < n; i++) switch (i) { case 0: v++; break; default: v += 2; } v += 10;"] =
                {10, 11, 13, 15},
            ["int i = 0; while (i < n) switch (i++) { case 0: v++; } v = v * 2 + i;"] = {0, 3, 4, 5},
            ["int k = 0; for (int i = 0; i < n; i++) do v++; while (++k % 3 != 0); v += 10;"] = {10, 13, 16, 19},
            ["int j = 0; do do v++; while (v % 3 != 0); while (j++ < n); v += 10;"] = {13, 16, 19, 22},
            ["int j = 0; do switch (j) { case 1: v += 5; break; default: v++; } while (j++ < n); v *= 2;"] =
                {2, 12, 14, 16},
            ["for (int i = 0; i < 4; i++) if (i < n) switch (i) { case 0: v++; } else do v += 2; while (v < 3); v++;"] =
                {11, 8, 6, 4},
            ["int k = 9; do for (int i = 0; i < n; i++) do k--; while (k % 2 == 0); while (v++ < 1); v = k;"] =
                {9, 5, 1, -3},
            ["for (int i = 0; i < 3; i++) do i += 3; while (i < 0); for (; v < n; ) v++; v += 10;"] = {10, 11, 12, 13},
        }
        for loop, expected in pairs(loops) do
            local k = rill.kernel("kernel void f(out int r<>) { int n = indexof(r).x, v = 0; " .. loop .. " r = v; }")
            assert.same(expected, k {shape = 4}:values(), loop)
        end
    end)

    it("that is truncated before its head is an error", function()
        local loops = {"do v++;", "do { v++; }", "do v++; while", "for (;", "while (v < 3"}
        for n = 1, 40 do -- if the tokens fill their memory, AddressSanitizer reports reads beyond them
            table.insert(loops, ("do "):rep(n) .. "v++")
        end
        for _, loop in ipairs(loops) do
            local text = "kernel void f(int n<>, out int r<>) { int v = 0; for (int i = 0; i < n; i++) " .. loop .. " }"
            assert.is_false((pcall(rill.kernel, text)))
        end
    end)

    it("with a bound known beforehand runs in full", function()
        local k = rill.program [=[
            const int N = 17;
            kernel int single(int x<>) { int s = x; for (int i = 0; i < 1000; i++) s += i & 1; return s; }
            kernel int nested(int x<>) {
                int s = x;
                for (int i = 0; i < 20; i++) for (int j = 10; j > 0; j -= 2) { for (int k = 0; k <= 4; ++k) s++; }
                return s; }
            kernel int named(int x<>) { int s = x; for (int i = 0; i < N; i++) s++; for (int i = N; i > 0; i--) s++; return s; }
            kernel int real(int x<>) { int s = x; for (float t = 0.0; t < 1.0; t += 0.125) s++; return s; }
            kernel int steps(int x<>) { int s = x; for (uint i = 2u; i <= 0x20u; i += 3u) s++; return s; }
            kernel int after(int x<>) {
                int s = 0;
                for (int x = 0; x < 3; x++) s += 10;
                return s + x; }
            kernel int broken(int x<>) { int s = 0; for (int i = 0; i < 100; i++) { if (i > x) break; if (i % 2 == 0) continue; s++; } return s; }
        ]=]
        local x <close> = rill.iota(1025)
        local function sees(kernel, add)
            local r <close> = kernel(x)
            check.equal(kernels.list(1025, function(i) return i - 1 + add end), r:values())
        end
        sees(k.single, 500)
        sees(k.nested, 20 * 5 * 5)
        sees(k.named, 34)
        sees(k.real, 8)
        sees(k.steps, 11)
        sees(k.after, 30)
        local r <close> = k.broken(x)
        check.equal(kernels.list(1025, function(i) return math.min(i, 100) // 2 end), r:values())
    end)

    shortened(it, "with bounds up to the limit runs in full, however many elements there are", function(whole)
        for _, trips in ipairs(whole and {500, 3000, 9000, 20000, 40000, 60000} or {500, 60000}) do
            local k = rill.kernel(([=[
                kernel void f(uint x<>, out int r<>) { int s = int(x); for (int i = 0; i < %d; i++) s += 1; r = s; }
            ]=]):format(trips))
            local x <close> = rill.stream("uint8", 300, 3)
            local r <close> = k(x)
            check.equal(kernels.list(300, function() return trips + 3 end), r:values())
            local dynamic = rill.kernel [=[
                kernel int f(int n, int x<>) { int s = x; for (int i = 0; i < n; i++) s++; return s; } ]=]
            local y <close> = rill.iota(20)
            local d <close> = dynamic(trips, y)
            check.equal(kernels.list(20, function(i) return trips + i - 1 end), d:values())
        end
    end)

    it("draws Mandelbrot's set", function()
        local k = rill.kernel [=[
            kernel int mandelbrot(float2 c<>, int most) {
                float2 z = float2(0, 0);
                int n = 0;
                while (n < most && dot(z, z) < 4.0) { z = float2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c; n++; }
                return n;
            } ]=]
        local rows, columns = 16, 24
        local c <close> = rill.stream("float2", {rows, columns}, function(i, j) return -2 + j / 8, -1 + i / 8 end)
        local r <close> = k(c, 256)
        local expected = {}
        for i = 1, rows do
            for j = 1, columns do
                local x, y, n = 0.0, 0.0, 0
                while n < 256 and x * x + y * y < 4 do
                    x, y = x * x - y * y + (-2 + j / 8), 2 * x * y + (-1 + i / 8)
                    n = n + 1
                end
                expected[#expected + 1] = n
            end
        end
        check.equal(expected, r:values(), 1)
    end)

    it("beyond the device's limit raises, whatever it looks like", function()
        long("kernel float literal(float x<>) { for (int i = 0; i < 100000; i++) x += 1.0; return x; }", 100001)
        long("kernel float nested(float x<>) {"
            .. "for (int i = 0; i < 300; i++) for (int j = 0; j < 300; j++) x += 1.0; return x; }", 90001)
        long("kernel float uniform_bound(int n, float x<>) { for (int i = 0; i < n; i++) x += 1.0; return x; }",
            100001, 100000)
        long("kernel float loop(int n, float x<>) { int i = 0; while (i < n) { x += 1.0; i++; } return x; }", 100001,
            100000)
        long("kernel float loop(int n, float x<>) { int i = 0; do { x += 1.0; i++; } while (i < n); return x; }",
            100001, 100000)
        long([[kernel float loops(int n, float x<>) {
            for (int i = 0; i < n; i++) x += 1.0; for (int i = 0; i < n; i++) x += 1.0; return x; }]], 80001, 40000)
        long("float run(float x, int n) { for (int i = 0; i < n; i++) x += 1.0; return x; }"
            .. "kernel float helper(int n, float x<>) { return run(run(x, n), n); }", 80001, 40000)
        long("kernel float run(int n, float x<>) { for (int i = 0; i < n; i++) x += 1.0; return x; }"
            .. "kernel float sub(int n, float x<>) { return run(n, run(n, x)); }", 80001, 40000)
        long("kernel float early(int n, float x<>) {"
            .. "for (int i = 0; i < n; i++) x += 1.0; if (x > 1.0) return x; return x; }",
            100001, 100000)
        long("float f(float x) { for (int i = 0; i < 10000; i++) x += 1.0; return x; }"
            .. "kernel float calls(float x<>) { for (int i = 0; i < 10; i++) x = f(x); return x; }", 100001)
        long("kernel float wraps(float x<>) { uint n = 0u;"
            .. "for (uint i = 10u; i >= 0u; i--) { n++; if (n > 100000u) break; } return float(n); }",
            100001)
    end)

    it("that diverges between elements raises when it is stopped", function()
        local k = rill.kernel [=[
            kernel float collatz(uint x<>) {
                uint n = x; float steps = 0.0;
                while (n != 1u) { n = n % 2u == 0u ? n / 2u : 3u * n + 1u; steps += 1.0; }
                return steps; } ]=]
        local x <close> = rill.stream("uint", 1000, function(i) return i end)
        local r <close> = k(x)
        for _, i in ipairs {1, 27, 97, 871, 999} do
            local n, steps = i, 0
            while n ~= 1 do
                n, steps = n % 2 == 0 and n // 2 or 3 * n + 1, steps + 1
            end
            assert.equal(steps, r:get(i))
        end
        local hang = rill.stream("uint", 1000, function(i) return i == 500 and 0 or 1 end)
        if limited then
            check.names({"collatz", "loops exceed"}, kernels.finished(k), hang)
        end
    end)

    -- Compilers remove all code after a loop of which they know that it never ends.
    it("whose condition nothing changes is an error of the text", function()
        local text = "const int N = 3; kernel void f(float x<>, int n, float a[], out float r<>) "
            .. "{ r = x; int i = 0; %s }"
        for _, loop in ipairs {
            "while (i < 10) r += 1.0;", "for (int i = 0; i < 10;) r += 1.0;",
            "while (i < 10) { } r = 3.0;", "for (int k = 0; i < n; k++) r += 1.0;",
            "while (n > 0) { for (int j = 0; j < 2; j++) r += 1.0; }",
            "int m = 10; while (a[i] < 3.0 && i < m) r += 1.0;", "ivec2 v = ivec2(0); while (v.x < 10) r += 1.0;",
        } do
            check.names({"never ends once it begins", "condition"}, rill.kernel, text:format(loop))
        end
        -- Loops that end.
        for _, loop in ipairs {
            "while (i < 3) { r += 1.0; if (r > 2.5) break; }", "while (i < 3) i++;", "do { i += 1; } while (i < 3);",
            "ivec2 v = ivec2(0); while (v.x < 3) v.x++;", "int v[2]; v[0] = 0; while (v[0] < 3) v[0]++;",
            "do { r += 1.0; } while (x > 100.0);", "do { r += 1.0; } while (0 != 0);", "do r += x; while (n > 9);",
            "while (N > 4) r += 1.0;", "while (N > 4 && x > 0.0) r += 1.0;", "for (; 0 != 0;) { r += 1.0; }",
            "for (int k = 0; k < 3; ) { k++; }", "while (i++ < 3) r += 1.0;", "while (r < 9.0) r += a[i];",
        } do
            rill.kernel(text:format(loop))(rill.from {1}, 3, rill.from {1, 2, 3})
        end
        -- Other invocations may change a stream with random access, also in functions that gather from it.
        rill.kernel [[void wait(int g[]) { while (g[0] == 0) { } }
            kernel void f(float x<>, inout int g[], out float r<>) { g[0] = 1; wait(g); r = x; }]]
    end)

    shortened(it, "that a compiler knows to be endless is an error", function(whole)
        if not limited then -- elsewhere it hangs
            return
        end
        local head = "kernel void f(float x<>, int n, out float r<>) { r = x; int i = 0; "
        local loops = {
            "while (i < 10) r += 1.0; }", "for (int i = 0; i < 10;) r += 1.0; }", "do r += 1.0; while (i < 10); }",
            "while (i < 10) { } r = 3.0; }", "for (int k = 0; i < n; k++) r += 1.0; }", "while (N > 2) r += 1.0; }",
            "while (1 < 2) r += 1.0; }", "bool b = true; while (b) r += 1.0; }", "while (!(i > 10)) r += 1.0; }",
            "int m = 10; while (i < m) r += 1.0; }", "uint u = 9u; while (u >= 0u) { r += 1.0; u--; } }",
            "for (int k = 0; k <= 2147483647; k++) { } }",
            "while (true) { r += 1.0; if (false) break; } }", "while (true) { r += 1.0; if (i > 2) return; } }",
            "while (true) { r += 1.0; continue; break; } }", "while (true) { while (true) { r += 1.0; break; } } }",
            "while (true) { switch (1) { case 0: break; } } }",
            "while (i < 10) { for (int j = 0; j < 2; j++) r += 1.0; } }",
            "for (int j = 0; j < 2; j++) { while (i < 10) r += 1.0; } }",
            "for (int j = 0; j < 2; j += 0) r += 1.0; }", "for (int j = 0; j < 2; j++) { r += 1.0; j--; } }",
            "for (int k = 0, j = 0; k < 2; j++) r += 1.0; }", "while (i < 10 || r < 1e9) r += 1.0; }",
            "while (i < 10 && n == 1) r += 1.0; }", "int v[2]; v[0] = 0; while (v[0] < 10) r += 1.0; }",
            "ivec2 v = ivec2(0); while (v.x < 10) r += 1.0; }", "const float y = 3.0; while (y < 10.0) r += 1.0; }",
            "while (n > 0) r += 1.0; }", "while (x > 0.0) { } r = 3.0; }", "r = g(x); }",
        }
        local function endless(text, call)
            local compiled, k = pcall(rill.kernel, text)
            if not compiled then return check.names({"never ends once it begins"}, rill.kernel, text) end
            check.names({k.name, "loops exceed"}, kernels.finished(k), call)
        end
        for k, loop in ipairs(loops) do
            if whole or k % 3 == 1 then
                endless("const int N = 3; float g(float v) { int i = 0; while (i < 10) v += 1.0; return v; } "
                    .. head .. loop, {x = rill.from {1, 2, 3}, n = 1})
            end
        end
        local loop, x = "int i = 0; while (i < 10) s += 1.0;", {x = rill.from {1, 2, 3}}
        endless("kernel void f(float x<>, vout float r<>) { float s = x; " .. loop .. " push(r, s); }", x)
        endless("kernel(4) void f(float x<>, out float r<>) { float s = x; " .. loop .. " barrier(); r = s; }", x)
        endless("kernel void f(float x<>, inout float r[]) { float s = x; " .. loop .. " r[indexof(x).x] = s; }",
            {x = x.x, r = rill.from {0, 0, 0}})
        endless("reduce void f(float x<>, reduce float s<>) { s += x; " .. loop .. " }", x.x)
        local c = rill.sparse("float", {16}, {page = {4}})
        c:write({1, 2, 3}, 1)
        endless("kernel void f(inout float s<>) { " .. loop .. " }", c)
        -- The condition changes, so that the text is accepted.
        loop = "int i = 0; while (i < 10) { s += 1.0; i *= 2; }"
        endless("reduce void f(float x<>, reduce float s<>) { s += x; " .. loop .. " }", x.x)
        endless("kernel void f(inout float s<>) { " .. loop .. " }", c)
        endless("kernel void f(float x<>, vout float r<>) { float s = x; " .. loop .. " push(r, s); }", x)
    end)

    it("without effect or end never returns a number", function()
        if limited then -- elsewhere they hang
            check.names({"never ends once it begins"}, rill.kernel,
                "kernel void k(float x<>, out float r<>) { r = x; while (x < 2.0) { } r = 5.0; }")
            long "kernel void k(float x<>, out float r<>) { r = x; while (r < 2.0) { r = min(r, x); } r = 5.0; }"
            long "kernel void k(float x<>, out float r<>) { r = x; while (r < 2.0) { r += 0.0; } r += 10.0; }"
            long "kernel void k(float x<>, out float r<>) { r = x; while (r < 2.0) r *= 1.0; r += 10.0; }"
        end
        local text = "kernel void k(float x<>, out float r<>) { r = x; %s }"
        for _, loop in ipairs{"while (true) { }", "for (;;) { r += 1.0; }", "do { r += 1.0; } while (true);"} do
            check.names({"never ends"}, rill.kernel, text:format(loop))
        end
        local k = rill.kernel(text:format "for (;;) { r += 1.0; if (r > 9.5) break; }")
        assert.equal(10, k(rill.from{1}):get(1))
    end)

    -- Mesa's LLVM drivers read a[j] instead of a[j - 1] if the loop increments j to that value.
    shortened(it, "moves the elements of an array of its own", function(whole)
        local cases = {
            {"for (int j = n; j > 0; j--) a[j] = a[j - 1];", {3, 3, 2, 1}},
            {"for (int j = n; j > 0; j--) a[j] = a[j - 1] + 1;", {3, 4, 3, 2}},
            {"for (int j = n; j > 0; j--) { int o = a[j]; a[j] = a[j - 1]; a[j - 1] = o; }", {0, 3, 2, 1}},
            {"for (int j = n; j > 0; j--) a[j] += a[j - 1];", {3, 5, 3, 1}},
            {"for (int j = 0; j < n; j++) { int o = a[j]; a[j] = a[j + 1]; a[j + 1] = o; }", {2, 1, 0, 3}},
            {"for (int j = 0; j < n; j++) a[j] += a[j + 1];", {5, 3, 1, 0}},
            {"int j = n; while (j > 0) { int k = j - 1; int o = a[j]; a[j] = a[k]; a[k] = o; j--; }", {0, 3, 2, 1}},
            {"uint j = uint(n); do { a[j] = a[j - 1u]; j--; } while (j > 0u);", {3, 3, 2, 1}},
            {"for (int i = 0; i < n; i++) for (int j = n; j > i; j--) if (a[j] < a[j - 1]) {"
                .. "int o = a[j]; a[j] = a[j - 1]; a[j - 1] = o; }", {0, 1, 2, 3}},
            {"for (int j = 0; j < 40; j++) { int o = a[j]; a[j] = a[j + 1]; a[j + 1] = o; }", {2, 1, 0, 0}},
        }
        for which, size in ipairs {48, 64} do
            for at = whole and 1 or which, #cases, whole and 1 or 2 do
                local case = cases[at]
                local k = rill.kernel(([=[
                    kernel void moves(int n, int x<>, out ivec4 r<>) {
                        int a[%d];
                        for (int i = 0; i < %d; i++) a[i] = i < 3 ? 3 - i : 0;
                        %s
                        r = ivec4(a[0], a[1], a[2], a[3]);
                    } ]=]):format(size, size, case[1]))
                local r = k(3, rill.iota(9))
                assert.are.same({case[2], case[2]}, {r:get(1), r:get(9)}, case[1])
            end
        end
    end)

    it("keeps what its condition loads, in all invocations", function()
        local values = {0, 0, 1, -1, 3}
        for _, loop in ipairs {
            "for (int a = 0; a < min(%s, 2); ++a) { s = a; s = a; }", "while (s < %s) s++;",
            "do { s++; } while (s < %s);", "for (; s + 1 < %s;) s++;",
        } do
            for _, form in ipairs {{"neighbor int n<>", "n"}, {"int n[]", "n[i]"}} do
                local k = rill.kernel(([=[kernel void f(int i<>, %s, out int r<>, out int t<>) {
                    int s = 0;
                    %s
                    t = s;
                    r = %s;
                }]=]):format(form[1], loop:format(form[2]), form[2]))
                check.equal(values, (k(rill.iota(5), rill.from(values, "int"))):values())
            end
        end
    end)

    it("leaves the device usable after it was stopped", function()
        local k = rill.kernel "kernel float f(int n, float x<>) { for (int i = 0; i < n; i++) x += 1.0; return x; }"
        local x <close> = rill.stream("float", 3)
        if limited then
            check.raises("loops", kernels.finished(k), 1000000, x)
        end
        local r <close> = k(10, x)
        check.equal({10, 10, 10}, r:values())
    end)
end)
