-- Expressions as arguments of gather and neighbor parameters: they are computed at each access where that costs less than a
-- pass over memory. The results are those of the expression's values.
local rill = require "rill"

local function same(k, make, ...)
    local e = make()
    local rest = table.pack(...)
    local fused = k(e, table.unpack(rest, 1, rest.n)):values()
    assert.same(k(make():eval(), table.unpack(rest, 1, rest.n)):values(), fused)
    return k:explain(make(), table.unpack(rest, 1, rest.n)):find(", at each access", 1, true) ~= nil
end

describe("an expression for a gather", function()
    local x = rill.random(100, {seed = 3})
    local at = rill.random(100, {type = "int", seed = 4, low = -20, high = 120})

    it("is computed at each access, also outside of the stream", function()
        local k = rill.kernel "kernel float f(float g[], int i<>) { return g[i] + 2.0 * g[i + 1]; }"
        assert.is_true(same(k, function() return x * 2 + 1 end, at))
        assert.is_true(same(k, function() return rill.sqrt(x) end, at))
        assert.same({3, 6}, rill.kernel "kernel float f(float g[], int i<>) { return g[i] + g[i]; }"(
            rill.from {1, 2} + 0.5 * rill.from {1, 2}, rill.from({0, 1}, "int")):values())
    end)

    it("has any number of dimensions and any type", function()
        for rank = 1, 4 do
            local shape = {table.unpack({3, 4, 5, 6}, 1, rank)}
            local m = rill.random(shape, {seed = rank})
            local names = {table.unpack({"j", "k", "l", "m"}, 1, rank)}
            local k = rill.kernel(("kernel float f(float g%s, int i<>) { int %s; return g[%s]; }"):format(
                ("[]"):rep(rank),
                table.concat(names, " = i, ") .. " = i", table.concat(names, "][")))
            assert.is_true(same(k, function() return m * 3 end, at))
        end
        local m = rill.random({6, 7}, {seed = 9})
        local k = rill.kernel "kernel float f(float g[][], int i<>) { return g[ivec2(i, i % 5)]; }"
        assert.is_true(same(k, function() return 1 - m end, at))
        local v = rill.random(50, {type = "vec3", seed = 5})
        local kv = rill.kernel "kernel float f(vec3 g[], int i<>) { return g[i].y + g[i][i & 1]; }"
        assert.is_true(same(kv, function() return v * 2 end, at))
        local ints = rill.from({1, 2, 3}, "int")
        local ki = rill.kernel "kernel float f(float g[], int i<>) { return g[i] * 0.5; }"
        same(ki, function() return ints + 1 end, at)
    end)

    it("is computed in functions, and shares the launch with other expressions", function()
        local k = rill.kernel [[
            float two(float w[], int i) { return w[i] * w[i + 1]; }
            kernel float f(float g[], int i<>, float y<>) { return two(g, i) + y; }]]
        assert.is_true(same(k, function() return x + 1 end, at, x * 2))
        local named = k {g = x + 1, i = at, y = x}:values()
        assert.same(k((x + 1):eval(), at, x):values(), named)
    end)

    it("is stored before the launch where that costs less, or means something else", function()
        local loop = rill.kernel [[
            kernel float f(float g[], int i<>) { float s = 0.0; for (int k = 0; k < 9; k++) s += g[i + k]; return s; }]]
        assert.is_false(same(loop, function() return x * 2 end, at))
        local k = rill.kernel "kernel float f(float g[], int i<>) { return g[i]; }"
        assert.is_false(same(k, function() return x * x:eval() + rill.sqrt(x) * rill.random(100, {seed = 7}) end, at))
        assert.is_false(same(k, function() return x:boundary "wrap" * 2 end, at))
        assert.is_false(same(k, function() return x:boundary(7) * 2 end, at))
        local sized = rill.kernel "kernel float f(float g[], int i<>) { return g[i] + float(sizeof_stream(g).x); }"
        assert.is_false(same(sized, function() return x * 2 end, at))
        local before = rill.check(true)
        local ok, message = pcall(function() return k(x * 2, rill.from({200}, "int")):read() end)
        rill.check(before)
        assert.is_false(ok)
        assert.truthy(message:find("argument 'g': index 200 is out of range", 1, true), message)
        local row, whole = rill.random(10, {seed = 8}), rill.random({10, 10}, {seed = 8})
        local two = rill.kernel "kernel float f(float g[][], int i<>) { return g[i % 10][i % 7]; }"
        assert.is_false(same(two, function() return row * 2 + whole * 0 end, at))
    end)
end)

describe("an expression for a neighbor stream", function()
    local m = rill.random({9, 11}, {seed = 6})

    it("is computed at each offset", function()
        local k = rill.kernel [[
            kernel float s(neighbor float u<>) { return u[0][-1] + u[0][1] + u[-1][0] + u[1][0] - 4.0 * u; }]]
        assert.is_true(same(k, function() return m * 3 end))
        assert.is_true(same(rill.kernel "kernel float s(neighbor float u<>) { return u[-1] - u[ivec2(1, 2)]; }",
            function() return rill.exp(m) end))
    end)

    it("is stored before the launch if offsets are computed", function()
        local k = rill.kernel "kernel float s(neighbor float u<>, int d) { return u[0][d] - u; }"
        assert.is_false(same(k, function() return m * 3 end, 2))
        assert.is_false(same(rill.kernel "kernel float s(neighbor float u<>) { return u[0][1] - u; }",
            function() return m:boundary "mirror" * 3 end))
    end)
end)
