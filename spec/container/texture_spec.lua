-- Textures, compared with rill's own interpolation and with one in plain Lua.
local core = require "rill.core"
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local process = require "spec.support.process"
local sampling = require "spec.support.sampling"

local raises <const> = check.raises

local WEIGHT <const>, BYTE <const>, vectors <const> = sampling.WEIGHT, sampling.BYTE, sampling.vectors
local components <const>, seen <const>, numbers <const> = sampling.components, sampling.seen, sampling.numbers
local linear <const>, halved <const>, compare <const> = sampling.linear, sampling.halved, sampling.compare
local sampler <const>, level_sampler <const> = sampling.sampler, sampling.level_sampler

local types <const> = {"float", "vec2", "vec4", "half", "half2", "half4", "unorm8", "unorm8x4"}
local shapes <const> = {{1}, {37}, {5, 7}, {16, 3}, {3, 4, 5}, {1, 2, 9}}

describe("mipmaps", function()
    leaks.watch(setup, teardown)

    -- Levels of c and of `data`, sampled between two of them.
    local function compare_levels(c, data, type, shape)
        local n, chain = components(type), {{data:values(), shape}}
        while math.max(table.unpack(chain[#chain][2])) > 1 do
            chain[#chain + 1] = {halved(chain[1][1], shape, n, #chain)}
        end
        local p, at, levels = {}, {}, {}
        for i = 1, 40 do
            p[i] = {}
            for d = 1, #shape do p[i][d] = math.random() * (shape[#shape + 1 - d] + 2) - 1.5 end
            at[i] = #shape == 1 and p[i][1] or p[i]
            levels[i] = math.random(0, 8 * #chain) / 8
        end
        local sample = level_sampler(seen(type), #shape)
        local got = sample(rill.from(at, vectors[#shape]), rill.from(levels, "float"), c):values()
        for i, level in ipairs(levels) do
            local function value(l, k)
                local values, sizes = table.unpack(chain[math.min(l, #chain - 1) + 1])
                local q = {}
                for d = 1, #shape do
                    q[d] = (p[i][d] + 0.5) / shape[#shape + 1 - d] * sizes[#shape + 1 - d] - 0.5
                end
                return linear(values, sizes, n, "clamp", q, k)
            end
            for k = 1, n do
                local l = math.floor(level)
                local expected = (1 - level + l) * value(l, k) + (level - l) * value(l + 1, k)
                local rounded = type:find "unorm" and 5 * BYTE or type:find "half" and 0.01 or 0
                local allowed = (#shape + 1) * WEIGHT + rounded
                assert.are.near(expected, got[(i - 1) * n + k], allowed,
                    ("%s %s, level %s"):format(type, table.concat(shape, "x"), level))
            end
        end
    end

    local level_shapes <const> = {{16}, {13}, {8, 8}, {5, 12}, {7, 1}, {4, 8, 4}, {3, 5, 6}}
    local function compare_means(...)
        for _, i in ipairs {...} do
            local shape, type = level_shapes[i], ({"float", "half4", "unorm8"})[i % 3 + 1]
            local size = #shape == 1 and shape[1] or shape
            local data <close> = numbers(type, size)
            local a <close> = rill.array(type, size, {storage = "texture", mipmaps = true})
            assert.are.equal(a, a:write(data):mipmap())
            compare_levels(a, data, type, shape)
            local b <close> = a:copy()
            a:fill(0):mipmap()
            compare_levels(b, data, type, shape)
        end
    end

    it("are means of the elements that they represent, for any sizes", function() compare_means(3) end)

    it("are means of the elements that they represent if sizes are odd at several levels", function()
        for _, shape in ipairs {15, {7, 31}, {12, 14, 3}} do
            local data <close> = numbers("float", shape)
            local a <close> = rill.array("float", shape, {storage = "texture", mipmaps = true})
            compare_levels(a:write(data):mipmap(), data, "float", math.type(shape) and {shape} or shape)
        end
    end)

    it("have of boxes without infinities finite means", function()
        local nearest = level_sampler("float", 1)
        for _, size in ipairs {8, 12, 15} do
            local a <close> = rill.array("float", size, {storage = "texture", mipmaps = true, filter = "nearest"})
            a:fill(1):set(1 / 0, size // 2 + 1):mipmap()
            for level = 1, 3 do
                local n, p, levels, expected = size >> level, {}, {}, {}
                for i = 0, n - 1 do
                    p[i + 1], levels[i + 1] = (i + 0.5) * size / n - 0.5, level
                    local inside = i * size < (size // 2 + 1) * n and (i + 1) * size > size // 2 * n
                    expected[i + 1] = inside and 1 / 0 or 1
                end
                local got = nearest(rill.from(p), rill.from(levels), a):values()
                for i = 1, n do
                    assert.is_true(got[i] == expected[i] or math.abs(got[i] - 1) < 1e-6 and expected[i] == 1)
                end
            end
        end
    end)

    it("are so of more sizes #long", function() compare_means(1, 2, 4, 5, 6, 7) end)

    it("keep their values until they are made anew, zeros at first; there may be fewer", function()
        local a <close> = rill.array("float", {8, 8}, {
            storage = "texture", mipmaps = 2, filter = "nearest", normalized = true,
        })
        local k = level_sampler("float", 2)
        local p, levels = rill.from({{0.1, 0.1}, {0.1, 0.1}, {0.1, 0.1}}, "vec2"), rill.from {0, 1, 5}
        a:write(rill.iota(64):reshape {8, 8})
        assert.same({0, 0, 0}, k(p, levels, a):values())
        assert.same({0, 4.5, 4.5}, k(p, levels, a:mipmap()):values())
        a:fill(1)
        assert.same({1, 4.5, 4.5}, k(p, levels, a):values())
        assert.are.equal((64 + 16) * 4 + 64 * 4, a.nbytes)
        assert.same({1, 1, 1}, k(rill.from({{1, 1}, {2, 2}, {3, 3}}, "vec2"), levels, a:stream()):values())
    end)

    it("belong to arrays that have them", function()
        raises("c:mipmap: the container has no coarser levels: create it by rill.array", function()
            rill.array("float", 4):mipmap()
        end)
        raises("c:mipmap: the container has no coarser levels: create it by rill.array", function()
            rill.array("float", 4, {storage = "texture"}):mipmap()
        end)
        raises("rill.array: a texture of shape 4x4 has at most 3 mipmap levels, got 4", function()
            rill.array("float", {4, 4}, {storage = "texture", mipmaps = 4})
        end)
        raises("rill.array: option 'mipmaps': expected 1 .. 32, got 0", function()
            rill.array("float", {4, 4}, {storage = "texture", mipmaps = 0})
        end)
        raises("rill.array: options 'filter', 'mipmaps', 'cube', 'normalized' and 'format' require storage", function()
            rill.array("float", {4, 4}, {mipmaps = 2})
        end)
    end)
end)

describe("cubes", function()
    leaks.watch(setup, teardown)

    -- Of each face, +x -x +y -y +z -z: its axis, and the directions in which columns and rows go.
    local faces <const> = {
        {{1, 0, 0}, {0, 0, -1}, {0, -1, 0}}, {{-1, 0, 0}, {0, 0, 1}, {0, -1, 0}},
        {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}}, {{0, -1, 0}, {1, 0, 0}, {0, 0, -1}},
        {{0, 0, 1}, {1, 0, 0}, {0, -1, 0}}, {{0, 0, -1}, {-1, 0, 0}, {0, -1, 0}},
    }

    for _, type in ipairs {"float", "unorm8x4"} do
        it("are sampled by directions" .. (type == "float" and "" or ", of packed types #long"), function()
            local side = 8
            local shape, n = {6, side, side}, components(type)
            local data <close> = numbers(type, shape)
            local c <close> = rill.array(type, shape, {storage = "texture", cube = true, mipmaps = true})
            c:write(data):mipmap()
            local small, small_shape = halved(data:values(), shape, n, 1, true)
            local p, levels, expected, values = {}, {}, {}, data:values()
            for i = 1, 60 do
                local face, level = (i - 1) % 6 + 1, i % 2
                local length, size = 0.5 + math.random(), side >> level
                -- Positions at which samples use one face only.
                local x, y = 0.5 + math.random() * (size - 2), 0.5 + math.random() * (size - 2)
                local direction = {}
                for d = 1, 3 do
                    local axis, right, down = table.unpack(faces[face])
                    direction[d] = length * (axis[d] + right[d] * ((x + 0.5) / size * 2 - 1)
                        + down[d] * ((y + 0.5) / size * 2 - 1))
                end
                p[i], levels[i] = direction, level
                for k = 1, n do
                    expected[#expected + 1] = linear(level == 0 and values or small,
                        level == 0 and shape or small_shape, n, "clamp", {x, y, face - 1}, k)
                end
            end
            local got = level_sampler(seen(type), 3)(rill.from(p, "vec3"), rill.from(levels, "float"), c):values()
            for i, value in ipairs(expected) do
                assert.are.near(value, got[i], 3 * WEIGHT + (n == 4 and 2 * BYTE or 0))
            end
        end)
    end

    it("go on across edges, and have six faces", function()
        local c <close> = rill.array("float", {6, 4, 4}, {storage = "texture", cube = true})
        c:write(rill.from {{{1}}, {{2}}, {{3}}, {{4}}, {{5}}, {{6}}} * rill.stream("float", {6, 4, 4}):fill(1))
        local got = sampler("float", 3)(rill.from({{1, 1, 0}, {0, -2, 2}, {0, 0, -9}}, "vec3"), c):values()
        assert.are.near(2, got[1], 2 * WEIGHT * 2)
        assert.are.near(4.5, got[2], 2 * WEIGHT)
        assert.are.equal(6, got[3])
        for _, shape in ipairs {{5, 4, 4}, {6, 4, 5}, {6, 6}} do
            raises("rill.physical: expected the shape {6, n, n} of a cube's faces, got " .. table.concat(shape, "x"),
                function() rill.physical("float", shape, {storage = "texture", cube = true}) end)
        end
    end)
end)

describe("textures", function()
    leaks.watch(setup, teardown)

    -- Drivers compile a program for each filter and boundary, so each pair occurs a few times over all
    -- types and shapes.
    local turn, few <const> = 0, {float = true, half4 = true, unorm8 = true}
    for _, type in ipairs(types) do
        it("of " .. type .. " are sampled as a plain program does" .. (few[type] and "" or " #long"), function()
            for _, shape in ipairs(shapes) do
                turn = turn + 1
                local options = {storage = "texture", normalized = turn // 4 % 2 == 0,
                    filter = ({"linear", "nearest", false})[turn % 3 + 1] or nil}
                local mode = ({"clamp", "wrap", "mirror", "zero"})[turn % 4 + 1]
                local size = #shape == 1 and shape[1] or shape
                local data <close> = numbers(type, size)
                local s <close> = rill.physical(type, size, options)
                s:write(data)
                compare(s:boundary(mode), data, type, shape, options, mode)
                if turn % 4 == 0 then
                    local a <close> = rill.array(type, size, options)
                    a:write(data)
                    compare(a, data, type, shape, options, "clamp")
                end
            end
        end)
    end

    it("agree with rill's own interpolation of c:stream", function()
        local p <close> = rill.stream("vec3", 500, function()
            return {math.random() * 12 - 2, math.random() * 10 - 2, math.random() * 9 - 2}
        end)
        local a <close> = rill.array("float", {5, 6, 8}, {storage = "texture"})
        a:write(rill.random({5, 6, 8}, {seed = 1}))
        local k = sampler("float", 3)
        local mine <close> = k(p, a)
        local explained = k:explain(p, a)
        local own <close> = k(p, a:stream())
        assert.truthy(explained:find("sampled in its texture", 1, true))
        assert.falsy(k:explain(p, a:stream()):find("sampled in its texture", 1, true))
        assert.is_true(rill.abs(mine - own):max() <= 3 * WEIGHT)
    end)

    it("show all kinds of writes", function()
        local a <close> = rill.array("float", {4, 4}, {storage = "texture"})
        local k, at = sampler("float", 2), rill.from({{1, 2}}, "vec2")
        local function now() return k(at, a):values()[1] end
        assert.are.equal(0, now())
        a:set(5, 3, 2)
        assert.are.equal(5, now())
        a:write({{7}}, {3, 2})
        assert.are.equal(7, now())
        a:fill(2)
        assert.are.equal(2, now())
        rill.kernel "kernel void twice(inout float x<>) { x *= 2.0; }" (a)
        assert.are.equal(4, now())
        rill.kernel "kernel void put(int i<>, inout float x[][]) { x[2][i] = 9.0; }" (rill.iota(4), a)
        assert.are.equal(9, now())
        local b <close> = a:copy()
        a:fill(1)
        assert.are.equal(9, k(at, b):values()[1])
        local s <close> = b:snapshot()
        b:set(11, 3, 2)
        assert.are.equal(11, k(at, b):values()[1])
        b:undo(s)
        assert.are.equal(9, k(at, b):values()[1])
        assert.are.equal(1, now())
    end)

    it("are read as they were before a launch that writes the same memory", function()
        local a <close> = rill.array("float", {8, 8}, {storage = "texture", filter = "nearest"})
        a:write(rill.iota(64):reshape {8, 8})
        local transpose = rill.kernel [[
            kernel void transpose_(float c[][], out float r<>) { r = sample(c, vec2(indexof(r).yx)) + c[0][indexof(r).x]; }
        ]]
        transpose {c = a, r = a}
        for y = 1, 8 do
            for x = 1, 8 do assert.are.equal((x - 1) * 8 + y - 1 + x - 1, a:get(y, x)) end
        end
    end)

    it("are gathered from, and taken by reductions, as streams are", function()
        local a <close> = rill.array("float", 64, {storage = "texture", filter = "nearest"})
        a:write(rill.iota(64))
        local k = rill.kernel "kernel float f(float x<>, float c[]) { return sample(c, x) + c[int(x)]; }"
        local x <close> = rill.from {3.25, 10, 63.9}
        assert.are.equal(3 + 3 + 10 + 10 + 63 + 63, k(x, a):sum())
        assert.are.equal(2016, a:stream():sum())
        local one = rill.from(k(x, a):values())
        assert.same({6, 20, 126}, one:values())
        local s <close> = rill.physical("float", 64, {storage = "texture", filter = "nearest"})
        s:write(rill.iota(64))
        assert.are.equal(152, core._reduce("sum", k, {x, s}))
    end)

    it("two boundaries of one memory are sampled in one launch", function()
        local s <close> = rill.physical("float", 4, {storage = "texture"})
        s:write {1, 2, 3, 4}
        local k = rill.kernel [[
            kernel void k(float p<>, float a[], float b[], float c[], out vec3 r<>) {
                r = vec3(sample(a, p), sample(b, p), sample(c, p));
            }
        ]]
        assert.same({4, 2, 5, 1, 3, 5}, k(rill.from {5, -2}, s, s:boundary "wrap", s:boundary(5)):values())
        assert.same({4, 2, 7, 1, 3, 7}, k(rill.from {5, -2}, s, s:boundary "wrap", s:boundary(7)):values())
    end)

    it("belong to whole memories: views and translated domains are interpolated in elements, as streams are", function()
        local s <close> = rill.physical("float", {4, 4}, {storage = "texture", filter = "nearest", normalized = true})
        s:write(rill.iota(16):reshape {4, 4})
        local k, at = sampler("float", 2), rill.from({{1.5, 0.5}}, "vec2")
        assert.are.equal(1.5 + 2, k(at, s:domain({1, 1}, {3, 4})):values()[1])
        local tiles <close> = rill.virtual(rill.translator.fold {shape = {4, 4}, to = {2, 8}},
            rill.physical("float", {2, 8}, {storage = "texture", filter = "nearest"}))
        tiles:write(s)
        assert.are.equal(1.5 + 2, k(at, tiles):values()[1])
        local same <close> = rill.virtual(rill.translator.fold {shape = {4, 4}, to = {4, 4}}, s)
        assert.are.equal(15, k(rill.from({{0.99, 0.8}}, "vec2"), same):values()[1])
    end)

    -- By format: the number of steps between 0 and 1, of which a value may be half a step off, and bytes
    -- of a texel. Half floats have 2048 steps in the upper half, and may be truncated instead of rounded.
    local function in_formats(formats)
        local samplers = {}
        for name, row in pairs(formats) do
            local n = name:find "rgb" and 4 or name:find "g" and 2 or 1
            local type = n == 1 and "float" or "vec" .. n
            local data = numbers(type, {4, 9}):read()
            data[2][3] = n == 1 and 3.5 or n == 2 and {3.5, -2} or {3.5, -2, 0, 1}
            local c = rill.array(type, {4, 9}, {storage = "texture", format = name}):write(data)
            assert.equal(36 * (4 * n + row[2]), c.nbytes, name)
            samplers[n] = samplers[n] or sampler(type, 2)
            local at, half = {}, rill.device().software and 0.501 or 0.55
            for i = 0, 35 do at[i + 1] = {i % 9, i // 9} end
            local got, values = samplers[n](rill.from(at, "vec2"), c):values(), c:values()
            for i, v in ipairs(values) do
                local steps = row[1]
                if not name:find "f$" then
                    v = math.max(0, math.min(1, v))
                    steps = name == "rgb10_a2" and i % 4 == 0 and 3 or steps
                end
                assert.are.near(v, got[i], half / steps * (v > 1 and 4 or 1) + 1e-6, name .. " " .. i)
            end
            local copy = c:copy()
            assert.equal(c.nbytes, copy.nbytes)
            copy:close()
            c:close()
        end
    end

    it("are stored in the requested format", function()
        in_formats {
            r8 = {255, 1}, rg8 = {255, 2}, rgba8 = {255, 4}, r16 = {65535, 2}, rg16 = {65535, 4}, rgba16 = {65535, 8},
            r16f = {1024, 2}, rg16f = {1024, 4}, rgba16f = {1024, 8}, r32f = {1 << 24, 4},
            rg32f = {1 << 24, 8}, rgba32f = {1 << 24, 16},
        }
        raises("rill.array: the format has 4 components, but elements of float have 1", rill.array, "float", 4,
            {storage = "texture", format = "rgba8"})
        raises("rill.physical: option 'format': expected one of r8, rg8, .*rgba32f, got string \"rgb565\"",
            rill.physical, "float", 4, {storage = "texture", format = "rgb565"})
        raises("'normalized' and 'format' require storage", rill.array, "float", 4, {format = "r8"})
        local made = rill.array("vec4", {6, 4, 4}, {storage = "texture", cube = true, mipmaps = 2, format = "rgba8"})
        made:fill({0.5, 1, 0, 0.25}):mipmap()
        local toward = rill.kernel "kernel void toward(vec3 p<>, vec4 c[][][], out vec4 r<>) { r = sample(c, p, 1.0); }"
        check.equal({0.5, 1, 0, 0.25}, toward(rill.from({{0, -1, 0}}, "vec3"), made):values(), 1 / 255)
    end)

    it("are held in ten bits #ten", function() in_formats {rgb10_a2 = {1023, 4}} end)

    it("are counted as memory, and released with the container", function()
        check.collect()
        collectgarbage()
        local before = rill.memory().bytes
        local a <close> = rill.array("vec4", {32, 32}, {storage = "texture"})
        assert.are.equal(2 * 32 * 32 * 16, a.nbytes)
        assert.are.equal(before + a.nbytes, rill.memory().bytes)
        a:close()
        assert.are.equal(before, rill.memory().bytes)
        rill.memory_limit(before + 100000)
        raises("rill.array: out of device memory: 65536 bytes requested", function()
            rill.array("float", {128, 128}, {storage = "texture"})
        end)
        rill.memory_limit(0)
        check.collect()
        assert.are.equal(before, rill.memory().bytes)
    end)

    it("work where a device has few bindings", function()
        local output = process.output([[
            local rill = require "rill"
            local a = rill.array("float", 4, {storage = "texture"}):write {1, 2, 3, 4}
            local k = rill.kernel "kernel void k(float p<>, float q<>, float c[], float d[], out float r<>) { r = sample(c, p) + q + d[2]; }"
            print(k(rill.from {0.5, 3}, rill.from {10, 20}, a, rill.iota(4)):values()[2])
            local two = rill.kernel "kernel void two(float p<>, float c[], float d[], out float r<>) { r = sample(c, p) + sample(d, p); }"
            print(select(2, pcall(two, rill.from {1}, a, rill.physical("float", 4, {storage = "texture"}))))
        ]], {RILL_MAX_TEXTURES = "1", RILL_MAX_BLOCKS = "2"})
        assert.truthy(output:find("26.0\n", 1, true))
        assert.truthy(output:find("two: this device has no binding left for 'd'", 1, true))
    end)

    it("name what cannot have a texture", function()
        for _, type in ipairs {"double", "vec3", "int", "uint8", "bool", rill.struct("Ray", "vec3 o; float t;")} do
            raises("a texture cannot have elements of", function() rill.array(type, 4, {storage = "texture"}) end)
        end
        raises("rill.physical: expected a texture of 1 to 3 dimensions and at least one element, got the shape 2x2x2x2",
            function() rill.physical("float", {2, 2, 2, 2}, {storage = "texture"}) end)
        raises("rill.physical: expected a texture of 1 to 3 dimensions and at least one element, got the shape 0",
            function() rill.physical("float", 0, {storage = "texture"}) end)
        raises("rill.array: a texture of 1 dimension has at most ", function()
            rill.array("unorm8", 1 << 22, {storage = "texture"})
        end)
        raises([[rill.array: option 'storage': expected "buffer" or "texture", got string "image"]], function()
            rill.array("float", 4, {storage = "image"})
        end)
        raises([[rill.array: option 'filter': expected "nearest" or "linear", got number 1]], function()
            rill.array("float", 4, {storage = "texture", filter = 1})
        end)
        raises([[options 'filter', 'mipmaps', 'cube', 'normalized' and 'format' require storage]], function()
            rill.array("float", 4, {filter = "linear"})
        end)
        raises("rill.physical: unknown option 'filters'", function()
            rill.physical("float", 4, {filters = "linear"})
        end)
    end)
end)
