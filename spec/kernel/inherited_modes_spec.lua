-- Boundary modes that results inherit, and modes in signatures: random kernels and shapes, over streams, views and containers,
-- compared with a model in Lua after ten steps.
local rill = require "rill"
local boundaries = require "spec.support.boundaries"
local leaks = require "spec.support.leaks"

local LONG <const> = os.getenv "RILL_SUITE_LONG"
local CASES <const> = LONG and 500 or 4

local function stream_of(grid)
    local s <const> = rill.from(grid.data, "float"):reshape(grid.shape)
    return grid.modes and s:boundary(table.unpack(grid.modes)) or s
end

-- Returns a stream of the elements of a grid that is a view of a larger one. Some views keep the modes of their stream.
local function view_of(grid, d)
    local rank <const>, larger, first, last, steps = #grid.shape, {}, {}, {}, {}
    local way <const>, before <const> = d(1, 5), d(1, 2) == 1
    for k, n in ipairs(grid.shape) do
        first[k], steps[k] = d(1, 3), way == 2 and d(1, 3) or 1
        last[k] = first[k] + n - 1
        larger[k] = way == 1 and last[k] + d(0, 2) or n * steps[k]
    end
    local s, modes = rill.random(larger, {seed = 1}), grid.modes
    local turned <const> = way == 4 and table.move(larger, 1, rank, 1, {})
    if turned then
        for k = 1, rank do turned[k] = larger[rank + 1 - k] end
        s = rill.random(turned, {seed = 1})
    end
    if modes and before then
        local list <const> = {}
        for k = 1, rank do list[k] = modes[way == 4 and rank + 1 - k or k] end
        s = s:boundary(table.unpack(list))
    end
    s = way == 1 and s:domain(first, last) or way == 2 and s:stride(table.unpack(steps)) or way == 3 and s:flip() or
        way == 4 and s:transpose() or s
    if modes and not before then
        s = s:boundary(table.unpack(modes))
    end
    s:write(rill.from(grid.data, "float"):reshape(grid.shape))
    return s
end

local function container_of(grid, d)
    local page = {}
    for k = 1, #grid.shape do page[k] = d(1, 4) end
    local c <const> = d(1, 3) == 1 and rill.array("float", grid.shape) or
        rill.sparse("float", grid.shape, {page = page})
    c:write(rill.from(grid.data, "float"):reshape(grid.shape))
    return grid.modes and c:boundary(table.unpack(grid.modes)) or c
end

describe("inherited boundary modes", function()
    leaks.watch(setup, teardown)

    for rank = 1, 3 do
        it(("are those of the first stream in u, v = k(u, v), u, in %d dimensions"):format(rank), function()
            local lists = {}
            for _, mode in ipairs {"clamp", "wrap", "mirror", "zero", 7} do
                lists[#lists + 1] = {}
                for k = 1, rank do lists[#lists][k] = mode end
            end
            lists[6] = table.move({"wrap", "mirror", "zero"}, 1, rank, 1, {})
            lists[7] = table.move({7, "clamp", "wrap"}, 1, rank, 1, {})
            for k, modes in ipairs(lists) do
                local case <const> = boundaries.case(k, rank, {"turn"})
                case.u.modes, case.steps[10] = modes, "turn"
                if LONG or k == rank + 1 or k > 5 then -- wrap, mirror or zero, and two lists of different modes
                    boundaries.run(case, stream_of, function(s) return s:values() end)
                end
            end
        end)
    end

    it("become clamp if they differ, also after further operations", function()
        local add = rill.kernel [[
            kernel void add(neighbor float u<>, neighbor float w<>, out float r<>) { r = u[-1] + w[-1]; }
        ]]
        local shift = rill.kernel "kernel void shift(neighbor float u<>, out float r<>) { r = u[-1]; }"
        local s = rill.from {1, 2, 3, 4}
        local wrap, mirror = s:boundary "wrap", s:boundary "mirror"
        assert.same({5, 5, 2, 4}, shift(add(wrap, mirror)):values())
        assert.same({8, 2, 4, 6}, shift(wrap + s):values())
        assert.same({2, 2, 4, 6}, shift(wrap + mirror):values())
        assert.same({2, 2, 3, 4}, shift((wrap + mirror):eval() * 0.5 + 0.0 * wrap + 1.0):values())
        assert.same({1, 1, 2, 3}, shift(wrap:boundary "clamp" * 1):values())
    end)

    it("are not those of gathers, of streams of other shapes, and of variable outputs", function()
        local shift = rill.kernel "kernel void shift(neighbor float u<>, out float r<>) { r = u[-1]; }"
        local take = rill.kernel [[
            kernel void take(float x<>, float g[], out float r<>) { r = x + g[indexof(x).x + 1]; }
        ]]
        local push = rill.kernel "kernel void keep(float x<>, vout float r<>) { push(r, x); }"
        local s = rill.from {1, 2, 3, 4}
        local wrap = s:boundary "wrap"
        assert.same({3, 5, 7, 5}, take(s, wrap):values())
        assert.same({3, 3, 5, 7}, shift(take(s, wrap)):values())
        assert.same({1, 1, 2, 3}, shift(push(wrap)):values())
        local both = s + rill.from {10, 10, 10, 10, 20, 20, 20, 20}:reshape {2, 4}
        assert.same({11, 11, 12, 13, 21, 21, 22, 23}, shift((wrap + both):eval() - s):values())
        assert.same({1, 1, 2, 3}, shift(wrap:sort()):values())
    end)

    it("silence no reports of rill.check", function()
        local pick = rill.kernel "kernel void pick(int i<>, float a[], out float r<>) { r = a[i]; }"
        local s, at = rill.from {5, 6}:boundary "wrap", rill.from({0, 3}, "int")
        local before = rill.check(true)
        local good, values = pcall(function() return pick(at, s):values() end)
        local loud = not pcall(function() return pick(at, s:copy()):values() end)
        rill.check(before)
        assert.same({true, {5, 6}, true}, {good, values, loud})
        assert.same({5, 6}, pick(at, s:copy()):values()) -- without rill.check the mode is used
    end)

    it("have no effect on functions of rill", function()
        local s = rill.random({9, 7}, {seed = 3})
        local wrap = s:boundary "wrap"
        local inherited, at = wrap:copy(), rill.from({{-1, 0}, {8, 3}, {3, -9}}, "ivec2")
        local weights = {{1, 2, 4}, {3, 5, 1}, {0, 1, 2}}
        for name, f in pairs {
            gaussian = function(x) return rill.image.gaussian(x, 1) end,
            median = function(x) return rill.image.median(x, 1) end,
            correlate = function(x) return rill.image.correlate(x, weights) end,
            dilate = function(x) return rill.image.dilate(x, 1) end, gather = function(x) return rill.gather(x, at) end,
            convolve = function(x) return rill.convolve(x, weights) end,
        } do
            if not LONG and name < "gather" then goto next end
            assert.same(f(s):values(), f(inherited):values(), name)
            assert.not_same(f(s):values(), f(wrap):values(), name)
            ::next::
        end
        local stencil = rill.kernel [=[
            kernel void stencil(neighbor float u<>, out float r<>) { r = 4.5 * u[0] - u[-1] - u[1]; }
        ]=]
        local b = rill.random(20, {seed = 4})
        local x0 = rill.solve.cg(stencil, b):boundary "wrap":copy()
        assert.same(rill.solve.cg(stencil, b, {x0 = rill.from(x0:values())}):values(),
            rill.solve.cg(stencil, b:boundary "wrap":copy(), {x0 = x0}):values())
    end)

    it("in signatures are printed, and read from macros", function()
        local k = rill.kernel [[#define MODE wrap
            kernel void f(neighbor(MODE, -1.5) float u<>, out float r<>) { r = u[ivec2(-1, 0)]; }
        ]]
        assert.equal("kernel f(neighbor(wrap, -1.5) float u<>, out float r<>)", tostring(k))
        assert.same({"wrap", -1.5}, k.params[1].boundary)
        assert.is_nil(k.params[2].boundary)
        assert.same({-1.5, 1, -1.5, 3}, k(rill.from {{1, 2}, {3, 4}}:boundary "mirror"):values())
        assert.same({"f(neighbor(0.1) float u<>"}, {tostring(rill.kernel
            "kernel void f(neighbor(0.1) float u<>, out float r<>) { r = u[-1]; }"):match "f%(.-<>"})
    end)

    it("in signatures are refused where they do not fit", function()
        local function refuses(message, parameter, ...)
            local made, text = pcall(rill.kernel, ("kernel void f(%s, out float r<>) { r = u[-1]; }"):format(parameter))
            if made then made, text = pcall(text, ...) end
            assert.is_false(made)
            assert.truthy(text:find(message, 1, true), text)
        end
        refuses("1:24: error: 'u': unknown boundary mode 'warp'", "neighbor(warp) float u<>")
        refuses("1:24: error: expected a boundary mode: clamp, wrap, mirror, zero or a number, got ')'",
            "neighbor() float u<>")
        refuses("1:27: error: 'u': all dimensions must have the same value outside", "neighbor(1, 2) float u<>")
        refuses("'u' has more than 8 dimensions", "neighbor(1" .. (", 1"):rep(8) .. ") float u<>")
        refuses("expected ',' or ')' after the boundary mode", "neighbor(wrap clamp) float u<>")
        refuses("f: argument 'u': its signature has 2 boundary modes, the stream has 1 dimension: write one mode",
            "neighbor(wrap, clamp) float u<>", rill.from {1, 2})
        refuses("an adaptive container has its own: remove them, and use q:boundary", "neighbor(wrap) float u<>",
            rill.quadtree("float", {size = 4, page = 4}))
        local made, text = pcall(rill.kernel,
            "float g(neighbor(wrap) float u<>) { return u[1]; }\n" ..
            "kernel void f(neighbor float u<>, out float r<>) { r = g(u); }")
        assert.truthy(not made and text:find("'u': only a kernel's parameters have boundary modes", 1, true))
    end)

    it("are kept by kernels, expressions and copies: streams", function()
        for seed = 1, CASES do
            local case <const> = boundaries.case(seed, 1 + seed % 3, boundaries.streams)
            boundaries.run(case, stream_of, function(s) return s:eval():values() end)
        end
    end)

    it("are kept by kernels, expressions and copies: views", function()
        for seed = 1001, 1000 + CASES do
            local case <const> = boundaries.case(seed, 1 + seed % 3, boundaries.streams)
            boundaries.run(case, function(grid) return view_of(grid, case.d) end,
                function(s) return s:eval():values() end)
        end
    end)

    it("are kept by kernels, expressions and copies: containers", function()
        for seed = 2001, 2000 + CASES do
            local case <const> = boundaries.case(seed, 1 + seed % 3, boundaries.common)
            boundaries.run(case, function(grid) return container_of(grid, case.d) end,
                function(c) return (rill.type(c) == "expression" and c:eval() or c):stream():values() end)
        end
    end)
end)
