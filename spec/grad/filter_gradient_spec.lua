-- Gradients of Fourier transforms and convolutions.
local rill = require "rill"
local differences = require "spec.support.differences"
local gradients = require "spec.support.gradients"
local leaks = require "spec.support.leaks"
local doubles <const>, loss <const> = gradients.doubles, gradients.loss

local LONG <const> = os.getenv "RILL_SUITE_LONG"

describe("the gradient of", function()
    leaks.watch(setup, teardown)

    it("rill.fft of real and complex numbers", function()
        for _, n in ipairs(LONG and {1, 2, 5, 6, 7} or {5, 6}) do
            differences.check(function(a) return loss(rill.fft(a)) end, doubles(1, {n}))
            if LONG then
                differences.check(function(a) return loss(rill.fft(a, {inverse = true})) end, doubles(2, {n}))
                differences.check(function(a, b) return loss(rill.fft(rill.vec2(a, b))) end, doubles(3, {n}, {n}))
            end
            differences.check(function(a, b)
                return loss(rill.fft(rill.vec2(a, b), {inverse = true}))
            end, doubles(4, {n}, {n}))
        end
    end)

    it("rill.fft with half a spectrum", function()
        for _, n in ipairs(LONG and {1, 2, 5, 6, 7} or {1, 6, 7}) do
            local m <const> = n // 2 + 1
            differences.check(function(a) return loss(rill.fft(a, {real = true})) end, doubles(5, {n}))
            differences.check(function(a, b)
                return loss(rill.fft(rill.vec2(a, b), {real = true, inverse = true, length = n}))
            end, doubles(6, {m}, {m}))
        end
    end)

    it("rill.fft along several dimensions, and some of them", function()
        for _, axes in ipairs(LONG and {{1}, {2}, {-1, 1}, {1, 2}} or {{1}, {-1, 1}}) do
            for _, real in ipairs(LONG and {false, true} or {true}) do
                differences.check(function(a) return loss(rill.fft(a, {real = real, axes = axes})) end,
                    doubles(7, {3, 4}))
            end
            differences.check(function(a, b)
                return loss(rill.fft(rill.vec2(a, b), {inverse = true, axes = axes}))
            end, doubles(8, {3, 4}, {3, 4}))
            differences.check(function(a, b)
                return loss(rill.fft(rill.vec2(a, b), {inverse = true, real = true, axes = axes, length = 5}))
            end, doubles(9, {3, 3}, {3, 3}))
        end
        differences.check(function(a) return loss(rill.fft(a)) end, doubles(10, {2, 1, 3}))
    end)

    it("a gradient of a transform", function()
        differences.check(function(a)
            local g <const> = rill.grad(function(u)
                local r <const> = rill.fft(u, {real = true})
                return LONG and loss(r) or rill.dot(r, r):sum()
            end)(a)
            return loss(g)
        end, doubles(11, {5}), {bound = 1e-6})
    end)

    for n, mode in ipairs {"clamp", "wrap", "mirror", "zero", 1.5} do
        it("rill.convolve and rill.correlate with the boundary " .. mode, function()
            for _, name in ipairs(LONG and {"convolve", "correlate"} or {n % 2 == 0 and "convolve" or "correlate"}) do
                for _, sizes in ipairs(LONG and {{1, 1}, {5, 3}, {6, 4}, {2, 5}, {3, 1}, {4, 2}, {3, 36}, {40, 35}} or
                    {{6, 4}, {2, 5}, {3, 36}}) do
                    differences.check(function(a, b) return loss(rill[name](a, b, {boundary = mode})) end,
                        doubles(12, {sizes[1]}, {sizes[2]}))
                end
                differences.check(function(a, b) return loss(rill[name]((a * a):eval():boundary(mode), b)) end,
                    doubles(13, {4, 3}, {2, 3}))
            end
            if LONG or mode == "wrap" then
                differences.check(function(a, b)
                    return loss(rill.convolve(a, b, {boundary = {"clamp", mode}}))
                end, doubles(14, {4, 3}, {9, 8}), {bound = 1e-7})
            end
        end)

        -- Images are floats, so the steps are large. #long: the modes are those of rill.convolve.
        it("filters of images with the boundary " .. mode .. (n > 2 and " #long" or ""), function()
            local near <const> = {step = 1e-2, bound = 1e-2}
            local function floats(seed, ...)
                local list <const> = doubles(seed, ...)
                for k, s in ipairs(list) do
                    list[k] = s:cast "float"
                end
                return list
            end
            for _, name in ipairs(LONG and {"convolve", "correlate"} or {n == 1 and "convolve" or "correlate"}) do
                differences.check(function(a)
                    return loss(rill.image[name](a, {{1, 2, 3}, {-1, 0.5, 2}}, {boundary = mode}))
                end, floats(15, {4, 3}), near)
                differences.check(function(a, b)
                    return loss(rill.image[name](a, b, {boundary = mode}))
                end, floats(16, {4, 3}, {7, 6}), near)
            end
            if LONG then
                differences.check(function(a)
                    return loss(rill.image.separable(a:boundary(mode), {1, 2, 3}, {0.5, -1}))
                end, floats(17, {4, 3}), near)
            end
            differences.check(function(a, b, c)
                return loss(rill.image.separable(a:boundary(mode), b, c))
            end, floats(18, {4, 3}, {3}, {2}), near)
        end)
    end

    it("rill.convolve of vectors", function()
        for _, n in ipairs(LONG and {3, 70} or {3}) do
            differences.check(function(a, b, c) return loss(rill.convolve(rill.vec2(a, b), c)) end,
                doubles(19, {5}, {5}, {n}), {bound = 1e-7})
        end
    end)

    it("rill.image.median has none", function()
        for _, radius in ipairs {1, 3} do
            local g <const> = rill.grad(function(a) return rill.image.median(a, radius):sum() end)
            assert.has_error(function() g(rill.from {{1, 2}, {3, 4}}) end, "rill.image.median: it depends on 'a', " ..
                "and this operation has no gradient: rill.constant(x) is a stream without one")
        end
    end)

    it("a gradient of convolutions", function()
        differences.check(function(a, b)
            local p, q = rill.grad(function(u, v) return loss(rill.convolve(u, v)) end)(a, b)
            return (p * p):sum() + loss(q)
        end, doubles(20, {6}, {3}), {bound = 1e-6})
    end)
end)
