local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

local raises <const> = check.raises

-- A sparse container with some pages and random whole numbers in them.
local function sparse(type, page, default)
    local c = rill.sparse(type, {13, 21}, {page = page, default = default})
    for _ = 1, 12 do
        c:set(math.random(-9, 9), math.random(13), math.random(21))
    end
    return c
end

-- Compares f of containers, stored, with f of dense streams.
local function agree(f, ...)
    local dense = {}
    for i, value in ipairs {...} do
        dense[i] = rill.type(value) == "container" and value:stream() or value
    end
    local made = f(...):eval()
    assert.equal("container", rill.type(made))
    assert.same(f(table.unpack(dense)):copy():values(), made:values())
    return made
end

describe("an expression with containers", function()
    leaks.watch(setup, teardown)

    local function compare_formulas(x, y, formulas)
        for _, f in ipairs(formulas) do
            local made = agree(f, x, y)
            assert.is_true(made.pages.mapped < 20)
            agree(f, y, x)
        end
    end

    it("is one of more formulas #long", function()
        compare_formulas(sparse("float", {4, 8}, 3), sparse("float", {3, 5}, -1), {
            function(a, b) return 2 * a + b end, function(a) return -a end,
            function(a, b) return rill.sqrt(a * a) - b end,
            function(a, b) return rill.max(rill.max(a, b), 0.5) end,
        })
    end)

    it("is a container whose default is that of the expression", function()
        local x, y = sparse("float", {4, 8}, 3), sparse("float", {3, 5}, -1)
        compare_formulas(x, y, {
            function(a, b) return rill.where(a:gt(b), a, 7) end,
            function(a, b) return rill.vec2(a, b).yx * {1, 2} end,
            function(a) return a:lt(0) end,
        })
        assert.equal(13.5, (x * 4 + 1.5):get(13, 21) - 4 * x:get(13, 21) + 12)
        local i = sparse("int", {4, 8}, 5)
        assert.equal("int", agree(function(a) return a // 2 + (a & 1) end, i).type)
        for n = 1, 3 do -- the same kernel, another default each time
            assert.equal(3.0 + n, (x + n):eval():release({1, 1}, {13, 21}):get(1, 1))
        end
    end)

    it("has values everywhere with a stream of its shape, and if containers are arrays", function()
        local x, s = sparse("float", {4, 8}, 3), rill.iota(273):reshape {13, 21}
        local function f(a, b) return a * 2 + b end
        assert.equal(12, agree(f, x, s).pages.mapped)
        assert.equal(12, agree(f, x, rill.iota(21)).pages.mapped)
        agree(f, x, rill.array("float", {13, 21}):fill(4))
        agree(f, rill.array("float", {13, 21}):fill(4), x)
        local few = agree(f, x, rill.from {5})
        assert.equal(x.pages.mapped, few.pages.mapped)
        assert.equal(11.0, few:release({1, 1}, {13, 21}):get(1, 1))
    end)

    it("repeats streams, and no container", function()
        local row = rill.sparse("float", {1, 4}, {page = {1, 2}}):write {{1, 2, 3, 4}}
        local c = rill.sparse("float", {2, 4}, {page = {1, 2}}):write {{1, 2, 3, 4}, {5, 6, 7, 8}}
        agree(function(a, b) return a + b end, c, rill.iota {2, 1})
        agree(function(a, b) return b * a end, row, rill.iota(4))
        for _, other in ipairs {rill.iota {4, 1}, rill.array("float", {4, 1})} do
            raises("a container of shape .* is not repeated to the shape 4x4 of the result: use a stream of its " ..
                "elements", function() return (row + other):eval() end)
        end
        raises("a container of shape 2x4 is not repeated to the shape 3x2x4", function()
            return (rill.iota {3, 2, 4} + c):values()
        end)
        raises("is a container of shape 1x4, the launch runs over 2x4", function() return (row + c):eval() end)
    end)

    it("is an argument of kernels", function()
        local k = rill.kernel "kernel void k(float x<>, out float r<>) { r = 2.0 * x + 1.0; }"
        local g = rill.kernel "kernel void g(float x<>, float c[][], out float r<>) { r = x + c[indexof(x).xy + 1]; }"
        local x, s = sparse("float", {4, 8}, 3), rill.iota(273):reshape {13, 21}
        local made = k(x + 1)
        assert.equal(x.pages.mapped, made.pages.mapped)
        assert.same((x * 2 + 3):eval():release({1, 1}, {13, 21}).pages, made:copy():release({1, 1}, {13, 21}).pages)
        assert.same(k(x:stream() + 1):values(), k {x = (x + 1):eval(), over = x:range()}:values())
        assert.same(k(x:stream() + s):values(), k(x + s):values())
        assert.same(k(x:stream() + s):values(), k {x = x + s, over = x:range()}:values())
        assert.same(g(s, x:stream() * 2):values(), g(s, x * 2):values())
        local sum = rill.kernel "reduce void sum(float x<>, reduce float r<>) { r += x; }"
        assert.equal(2 * x:sum(), sum(x * 2))
        assert.equal(2 * x:sum(), sum {x = x * 2})
    end)

    it("reads elements written since, and outlives its operands", function()
        local x = sparse("float", {4, 8}, 3)
        local e = x + 1
        x:set(1, 1, 1)
        raises("was built before memory it reads was written", e.eval, e)
        e = x + 1
        x:release({1, 1})
        raises("expression<float>%[13x21%] was built before memory it reads was written", e.eval, e)
        e = x + 1
        x:close()
        assert.equal(4.0, e:get(1, 1))
        raises("argument #1 'a': expected an open stream, got closed container", function() return x + 1 end)
        local c = sparse("float", {4, 8}, 3)
        raises("container_algebra_spec.lua:%d+: a container has no field or method 'nothing'", function()
            return (c + 1):nothing()
        end)
        local q, d = rill.quadtree("float", {size = 16, page = 4}), rill.sparse("float", {17, 17}, {page = {4, 4}})
        raises("container_algebra_spec.lua:%d+: .* cannot be joined with other elements", function()
            local values = (q + d:set(1, 1, 1)):eval()
            return values
        end)
        raises("containers are compared element by element with the methods c:lt", function() return c < c end)
    end)

    it("has nothing that can be changed", function()
        local s = rill.sparse("float", {8, 8}, {page = {4, 4}}):set(3, 2, 2)
        local e = s + 1
        local names = "allocate release update generate push pop refine coarsen mipmap filter_mode undo set fill"
        for name in names:gmatch "%S+" do
            raises("e:" .. name .. ": an expression has no memory: use the %a+ that e:eval%(%) returns", function()
                return e[name](e, 1)
            end)
        end
        assert.equal(19, e:sum())
        assert.equal(38, e:eval():update(function(v) return 2 * v end):sum())
    end)

    it("has the fields and methods of its value", function()
        local x = sparse("float", {4, 8}, 3)
        local e = 2 * x
        assert.same({"float", 273, 273, x.pages.mapped}, {e.type, e.size, #e, e.pages.mapped})
        assert.is_true(e.shape == {13, 21})
        assert.equal((2 * x:stream()):sum(), e:stream():sum())
        assert.equal(tostring(e:eval()), tostring(e))
        assert.equal(x:active().size, e:active().size)
        local large = rill.sparse("float", {2048, 2048, 2048}, {page = {8, 8, 8}, default = 1}):set(5, 2, 2, 2)
        local twice = 2 * large
        assert.same({8589934592, 1, 10.0, 2.0},
            {twice.size, twice.pages.mapped, twice:get(2, 2, 2), twice:get(2048, 1, 1)})
        local s = rill.stream("float", {13, 21})
        s:write(e)
        assert.same(e:values(), s:values())
        local v = rill.sparse("vec3", {8, 8}, {page = {4, 4}, default = {1, 2, 3}}):set({4, 5, 6}, 1, 1)
        assert.same({5.0, 2.0, {3.0, 1.0}}, {v.y:get(1, 1), v.y:get(8, 8), v.zx:get(8, 8)})
        local Cell = rill.struct("AlgebraCell", "vec2 at; int n;")
        local cells = rill.sparse(Cell, {8, 8}, {page = {4, 4}, default = {at = {1, 2}, n = 3}})
        cells:set({at = {4, 5}, n = 6}, 8, 8)
        assert.same({6, 3}, {cells.n:get(8, 8), cells.n:get(1, 1)})
        assert.same({5.0, 2.0}, {cells.at.y:get(8, 8), cells.at.y:get(1, 1)})
        raises("a container has no field or method 'valeus'", function() return v.valeus end)
    end)
end)
