local process = require "spec.support.process"

-- Runs kernels with four outputs in a process whose device stores two at once. Prints for each the sums of its outputs, and the outputs that the
-- second pass stores.
local script <const> = [==[
    local rill = require "rill"
    local x = rill.iota(1000):cast "float"
    local function try(text, ...)
        local k = rill.kernel(text)
        local results, sums, names = {k(...)}, {}, {}
        for i, s in ipairs(results) do sums[i] = ("%d"):format(s:sum()) end
        for name in k:source():gmatch "buffer Out_(%w+)" do names[#names + 1] = name end
        table.sort(names)
        print(table.concat(sums, " ") .. ": " .. table.concat(names, " "))
    end
    try([[
        float heavy(float x) { for (int i = 0; i < 4; i++) x = x + 1.0; return x * 2.0 - x; }
        void both(float x, out float p, out float q) { p = x + 1.0; q = x + 2.0; p = p * 2.0 - p; q = q * 2.0 - q; }
        kernel void by_functions(float x<>, out float a<>, out float b<>, out float c<>, out float d<>) {
            float s = heavy(x), p, q;
            both(x, p, q);
            a = s + 1.0;
            if (x > 500.0) { b = p; } else b = p + 0.0;
            c = s * 2.0;
            d = q;
        }
    ]], x)
    try("kernel void alike(float x<>, out float a<>, out float b<>, out float c<>, out float d<>) {"
        .. "a = x; b = x + 1.0; c = x + 2.0; d = x + 3.0; }", x)
    try([[
        kernel void by_blocks(float x<>, out float a<>, out float b<>, out float c<>, out float d<>) {
            vec2 v = vec2(x, 0.0);
            int n[2] = int[2](1, 2);
            for (int i = 0; i < 3; i++) { v.y += 1.0; v.x = v.x + v.y - v.y; }
            do n[0]++; while (n[0] < 5);
            a = float(n[0]);
            b = v.x;
            c = v.y;
            if (n[0] == 5) d = float(n[0] + n[1]); else { d = 0.0; }
        }
    ]], x)
    try([[
        kernel void leaves(float x<>, out float a<>, out float b<>, out float c<>, out float d<>) {
            a = x; b = x + x + x + x + x + x + x + x; c = 1.0;
            if (x < 500.0) return;
            d = x; b = 2.0; c = b;
        }
    ]], x)
    local z = x:copy()
    try("kernel void in_place(inout float z<>, out float a<>, out float b<>, out float c<>) {"
        .. "a = z + 1.0; b = a + z; c = b + b + a; z = z + 1.0; }", z)
    print(rill.kernel("kernel void f(float x<>, out float a<>, out float b<>, out float c<>) { a = b = c = x; }")
        :explain(x):match "%d passes[^\n]*")
]==]

describe("a kernel of more outputs than the device stores at once", function()
    it("stores those together that share work", function()
        local lines = {}
        for line in process.output(script, {RILL_MAX_OUTPUTS = 2}):gmatch "[^\n]+" do lines[#lines + 1] = line end
        local n = 499500
        assert.are.same({
            ("%d %d %d %d: a c"):format(n + 5000, n + 1000, 2 * (n + 4000), n + 2000),
            ("%d %d %d %d: c d"):format(n, n + 1000, n + 2000, n + 3000),
            ("%d %d %d %d: b c"):format(5000, n, 3000, 7000),
            ("%d %d %d %d: a d"):format(n, 124750 * 8 + 1000, 500 + 1000, n - 124750),
            ("%d %d %d %d: a z"):format(n + 1000, 2 * n + 1000, 5 * n + 3000, n + 1000),
            "2 passes, 2 outputs each, because this device stores no more at once",
        }, lines)
    end)
end)
