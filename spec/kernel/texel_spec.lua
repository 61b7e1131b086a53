-- Elements read and written as whole texels: elements of 16 bytes and multiples at any position, and rows of neighbors in steps of
-- several elements. Compared with Lua.
local rill = require "rill"
local check = require "spec.support.check"
local process = require "spec.support.process"
local shortened = require "spec.support.shortened"
local leaks = require "spec.support.leaks"

local OFFSETS <const> = {{0, 0}, {-1, 0}, {3, 0}, {-5, 0}, {2, -1}, {4, -1}, {-1, 2}}

local function stencil(type)
    local terms = {}
    for k, o in ipairs(OFFSETS) do terms[k] = ("%d.0 * a[ivec2(%d, %d)]"):format(k, o[1], o[2]) end
    return rill.kernel(("kernel void stencil(neighbor %s a<>, out %s r<>) { r = %s; }"):format(type, type,
        table.concat(terms, " + ")))
end

local function clamp(i, n) return math.max(0, math.min(n - 1, i)) end

local places <const> = {
    clamp = clamp,
    wrap = function(i, n) return i % n end,
    mirror = function(i, n) return i % (2 * n) < n and i % (2 * n) or 2 * n - 1 - i % (2 * n) end,
    [7] = function(i, n) return i >= 0 and i < n and i or nil end,
}

-- The same for a list of numbers in which an element has `width` numbers.
local function expected(list, shape, width, mode)
    local rows, columns, place, result = shape[1], shape[2], places[mode], {}
    for y = 0, rows - 1 do
        for x = 0, columns - 1 do
            for c = 1, width do
                local sum = 0
                for k, o in ipairs(OFFSETS) do
                    local u, v = place(x + o[1], columns), place(y + o[2], rows)
                    sum = sum + k * (u and v and list[(v * columns + u) * width + c] or mode)
                end
                result[#result + 1] = sum
            end
        end
    end
    return result
end

local function numbers(s)
    return rill.stream("float", s.nbytes // 4, s:bytes()):values()
end

describe("whole texels:", function()
    leaks.watch(setup, teardown)

    shortened(it, "rows of neighbors", function(whole)
        for width, type in ipairs(whole and {"float", "vec2", "vec3", "vec4"} or {"float"}) do
            local k = stencil(type)
            local function agrees(a, mode)
                local b = a:boundary(mode)
                check.equal(expected(numbers(a), a.shape, width, mode), numbers(k(b)))
            end
            for _, shape in ipairs(whole and {{5, 16}, {16, 4}, {7, 10}, {1, 8}} or {{5, 16}, {3, 4}}) do
                local list = {}
                for i = 1, shape[1] * shape[2] * width do list[i] = i * i % 101 end
                local a = rill.stream(type, shape, rill.from(list):bytes())
                for mode in pairs(whole and places or {clamp = true, [7] = true}) do agrees(a, mode) end
                if shape[1] > 1 and whole then
                    agrees(a:domain({2, 1}, shape), "clamp")
                    agrees(a:transpose(), "mirror")
                end
            end
        end
    end)

    it("rows of two fields of a volume, one of them a view", function()
        local both = rill.kernel [[
            kernel void both(neighbor float a<>, neighbor float b<>, out float r<>) {
                r = a[ivec3(-1, 0, 0)] + 2.0 * b[ivec3(1, 0, 0)] + 4.0 * a[ivec3(0, 0, 1)] + 8.0 * b[ivec3(0, -1, -1)];
            }]]
        local a, b = rill.iota({3, 4, 8}):cast "float", rill.iota({3, 4, 9}):cast "float"
        local function at(first, columns, z, y, x)
            return first + (clamp(z, 3) * 4 + clamp(y, 4)) * columns + clamp(x, 8)
        end
        local sums = {}
        for z = 0, 2 do
            for y = 0, 3 do
                for x = 0, 7 do
                    sums[#sums + 1] = at(0, 8, z, y, x - 1) + 2 * at(1, 9, z, y, x + 1) + 4 * at(0, 8, z + 1, y, x) +
                        8 * at(1, 9, z - 1, y - 1, x)
                end
            end
        end
        check.equal(sums, numbers(both(a, b:domain({1, 1, 2}, {3, 4, 9}))))
    end)

    -- In the family gpu, a step of a stencil reads its neighborhood as whole texels; in the family cpu, row by row.
    shortened(it, "random stencils are the same in both families", function(whole)
        local count <const>, doubles <const> = whole and 60 or 4, whole
        local script <const> = ("require 'spec.support.stencils'.run(%d, %d, %s)"):format(whole and 1 or 20, count,
            doubles)
        local function run(family) return process.run(script, {RILL_FAMILY = family, GALLIVM_PERF = "nopt"}) end
        local cpu, gpu = run "cpu", run "gpu"
        assert.same({0, 0}, {cpu.status, gpu.status}, cpu.err .. gpu.err)
        local next_line <const> = gpu.out:gmatch "[^\n]+"
        for line in cpu.out:gmatch "[^\n]+" do assert.equal(line, next_line()) end
        assert.equal(count, select(2, cpu.out:gsub("\n", "")))
        if rill.device().limits.storage_blocks >= 7 then
            assert(select(2, gpu.err:gsub("whole texels\n", "")) >= count // 4, "few stencils read whole texels")
        end
    end)

    it("elements of views: strided, transposed, repeated, in place, gathered", function()
        local k = rill.program [[
            struct Pair { vec4 a; vec4 b; };
            kernel void swap(Pair p<>, out Pair r<>) { r.a = p.b; r.b = p.a; }
            kernel void add(vec4 x<>, vec4 y<>, out vec4 r<>) { r = x + y; }
            kernel void double(inout vec4 x<>) { x *= 2.0; }
            kernel void pick(vec4 x[], int i<>, out vec4 r<>) { r = x[i]; }
        ]]
        local bytes = rill.iota(120):cast "float":bytes()
        local v = rill.stream("vec4", {6, 5}, bytes)
        local sums, doubled = {}, {}
        for i = 0, 119 do
            local row, column, c = i // 24, i // 4 % 6, i % 4
            sums[i + 1] = column * 20 + row * 4 + c + row * 4 + c
            local y, x = i // 20, i // 4 % 5
            doubled[i + 1] = i * (y >= 1 and y <= 4 and x >= 1 and x <= 3 and 2 or 1)
        end
        check.equal(sums, numbers(k.add(v:transpose(), v:domain({1, 1}, {1, 5}):reshape {5, 1})))
        check.equal({116, 117, 118, 119, 28, 29, 30, 31}, numbers(k.pick(v:reshape {30}, rill.from({29, 7}, "int"))))
        k.double(v:domain({2, 2}, {5, 4}))
        check.equal(doubled, numbers(v))
        local swapped = {}
        for i = 8, 111 do swapped[#swapped + 1] = i // 8 * 8 + (i + 4) % 8 end
        check.equal(swapped, numbers(k.swap(rill.stream(k.Pair, 15, bytes):domain({2}, {14}))))
    end)
end)

describe("interleaved elements:", function()
    leaks.watch(setup, teardown)

    -- Long bodies without branches: each element has its own variables, including constants that are changed and arguments of functions.
    it("each has its own variables", function()
        local statements = {}
        for i = 1, 12 do statements[i] = ("x = mod(x * a + b, 101.0); a = mod(a + %d.0, 7.0); r += x;"):format(i) end
        local k = rill.program(([[
            void turn(inout float a, float b) { a = b - a; }
            kernel void walk(float given<>, float a, float b, inout int count<>, out float r<>) {
                float x = given, y = 1.0;
                r = y;
                %s
                turn(x, r);
                count += int(x), y = -y;
                r = r.x + y * x;
            }]]):format(table.concat(statements, "\n")))
        for _, n in ipairs {1, 8, 37, 200} do
            local given, count = rill.iota(n):cast "float", rill.iota(n)
            local counts, results = {}, {}
            for e = 0, n - 1 do
                local x, a, r = e, 3, 1
                for i = 1, 12 do
                    x = (x * a + 5) % 101
                    a = (a + i) % 7
                    r = r + x
                end
                x = r - x
                counts[e + 1], results[e + 1] = e + x, r - x
            end
            check.equal(results, k.walk(given, 3, 5, count):values())
            check.equal(counts, count:values())
        end
    end)
end)
