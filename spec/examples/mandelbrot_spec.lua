local rill = require "rill"
local example = require "spec.support.example"
local leaks = require "spec.support.leaks"
local mandelbrot = assert(loadfile "examples/mandelbrot.lua")("module")

describe("the Mandelbrot example", function()
    leaks.watch(setup, teardown)
    local inside = rill.kernel "kernel void inside(float n, float steps<>, out int r<>) { r = steps >= n ? 1 : 0; }"

    -- Counts of an independent computation, in single and in double precision; the rounding of single precision moves a few
    -- pixels of the border.
    it("finds the pixels of the set", function()
        for rounds, count in pairs{[256] = 63848, [1000] = 63350} do
            local steps = mandelbrot.escape(512, {-2, -1.25}, 2.5, rounds)
            local found = inside(rounds, steps):sum()
            assert.is_true(math.abs(found - count) < 30, ("%d rounds: %d pixels"):format(rounds, found))
        end
    end)

    it("finds exactly those in double precision", function()
        local escape = rill.kernel [[
            kernel void escape(double pixel, int rounds, out int r<>) {
                double x = 0.0LF, y = 0.0LF;
                double a = -2.0LF + pixel * (double(indexof(r).x) + 0.5LF), b = -1.25LF + pixel * (double(indexof(r).y) + 0.5LF);
                r = 1;
                for (int k = 0; k < rounds; k++) {
                    if (x * x + y * y > 4.0LF) { r = 0; break; }
                    double next = x * x - y * y + a;
                    y = 2.0LF * x * y + b;
                    x = next;
                }
            }
        ]]
        local found = escape{pixel = 2.5 / 512, rounds = 256, shape = {512, 512}}:sum()
        assert.is_true(math.abs(found - 63838) <= 2, found .. " pixels")
    end)

    it("makes steps continuous", function()
        -- Along the real axis beyond 1/4, escape becomes faster, smoothly.
        local steps = mandelbrot.escape(200, {0.35, 0}, 1, 500):values({1, 1}, {1, 200})
        for i = 2, #steps do
            assert.is_true(steps[i] < steps[i - 1])
            assert.is_true(steps[i - 1] - steps[i] < 0.5)
        end
    end)

    it("draws the set black, the rest not", function()
        local steps = rill.from{{0.5, 3, 40, 100}}
        local colors = mandelbrot.color(steps, 100)
        assert.are.same({0, 0, 0}, colors:get(1, 4))
        for j = 1, 3 do
            local c = colors:get(1, j)
            assert.is_true(c[1] + c[2] + c[3] > 0.1)
        end
    end)

    describe("as a script #slow", function()
        local script
        setup(function() script = example.open() end)
        teardown(function() script:close() end)

        it("draws two views", function()
            script:run("mandelbrot", 96, script.directory)
            local valley = script:picture("mandelbrot-valley.png", 96, 96)
            assert.are_not.equal(script:picture("mandelbrot.png", 96, 96), valley)
            script:names "mandelbrot.png"
        end)
    end)
end)
