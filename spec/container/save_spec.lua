local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local pngwriter = require "spec.support.pngwriter"
local tempfiles = require "spec.support.tempfiles"

local raises <const> = check.raises

-- Returns the file's bytes with a valid checksum.
local function mended(bytes)
    local body = bytes:sub(1, -5)
    return body .. string.pack("<I4", pngwriter.crc32(body))
end

describe("a container in a file", function()
    local files
    leaks.watch(setup, teardown)
    setup(function() files = tempfiles.open() end)
    teardown(function() files:close() end)

    local function again(c)
        local path = files:path "c.rill"
        c:save(path)
        return rill.load(path), tempfiles.read(path)
    end

    local function make()
        local sparse = rill.sparse("vec2", {20, 30}, {page = {4, 8}, default = {1, 2}, capacity = 25, levels = 2})
        sparse:set({3, 4}, 1, 1):set({5, 6}, 20, 30):set({7, 8}, 9, 9):release({9, 9}):set({9, 8}, 1, 30)
        local hash = rill.hashgrid("int", {page = {3, 2}, default = -1})
        hash:set(4, -100, 5):set(5, 1000000000, -7):set(6, 0, 0)
        local stack = rill.stack("float", {capacity = 50})
        stack:push(rill.iota(13))
        stack:pop(3)
        local lists = rill.lists("int", {shape = {2, 2}, keys = rill.from({3, 0, 3, 3, 1}, "int")})
        local array = rill.array("uint8", {3, 4, 5}):fill(7):set(200, 2, 2, 2)
        local texture = rill.array("float", {4, 6}, {storage = "texture", mipmaps = true, filter = "nearest"}):fill(3)
        local quad = rill.quadtree("float", {size = 32, page = 4, default = 3}):filter_mode "nearest"
        quad:set(9, 3, 4):set(8, 30, 2)
        local oct = rill.octree("vec2", {size = 8, page = 2, depth = 1})
        oct:set({7, 8}, 2, 3, 4)
        return {quad = quad, oct = oct, sparse = sparse, hash = hash, stack = stack, lists = lists, array = array,
            texture = texture}
    end

    it("is unchanged", function()
        local made = make()
        for name, c in pairs(made) do
            local d = again(c)
            assert.equal("container", rill.type(d))
            assert.equal(tostring(c), tostring(d), name)
            assert.same(c.pages, d.pages)
            assert.equal(c.type, d.type)
            if name == "quad" then
                local k = rill.kernel "kernel void k(vec2 p<>, float q[][], out float r<>) { r = sample(q, p); }"
                local p = rill.random(100, {type = "vec2", high = 32})
                assert.same(k(p, c):values(), k(p, d):values())
                d:set(1, 20, 20)
                assert.same({9, 8, 1}, {d:get(3, 4), d:get(30, 2), d:get(20, 20)})
                d = again(c)
            end
            if name == "hash" then
                assert.same({4, 5, 6, -1},
                    {d:get(-100, 5), d:get(1000000000, -7), d:get(0, 0), d:get(50, 50)})
            else
                assert.same(c:stream():bytes(), d:stream():bytes())
                assert.same(c:values(), d:values())
            end
            assert.equal(tempfiles.read(files:path "c.rill"), select(2, again(d)))
        end
        local d = again(made.stack)
        d:push(rill.iota(40))
        raises("'capacity' is 50", d.push, d, rill.iota(1))
        local s = again(made.sparse)
        s:set({1, 1}, 12, 12)
        assert.same({1.0, 2.0}, s:get(9, 9))
    end)

    it("keeps structures, and containers of nothing", function()
        local Cell = rill.struct("Cell", "vec3 v; int n;")
        local c = rill.sparse(Cell, 10, {page = 4, default = {v = {1, 2, 3}, n = -1}})
        assert.equal(0, again(c).pages.mapped)
        c:set({v = {4, 5, 6}, n = 7}, 5)
        local d = again(c)
        assert.same({c:get(5), c:get(1)}, {d:get(5), d:get(1)})
        assert.equal(0, #again(rill.stack("int")))
        assert.equal(0, again(rill.hashgrid("float", {rank = 3})).pages.mapped)
        assert.equal(0, again(rill.lists("int", {counts = rill.from({0, 0}, "int")})).size)
    end)

    it("is refused if it is truncated, damaged or of another version", function()
        for name, c in pairs(make()) do
            local _, bytes = again(c)
            local step = math.max(1, #bytes // 60)
            for length = 0, #bytes - 1, step do
                raises("rill.load: cannot read '.*cut.rill'", rill.load,
                    files:write("cut.rill", bytes:sub(1, length)))
            end
            raises("its? .*truncated", rill.load, files:write("cut.rill", bytes:sub(1, -2)))
            for at = 13, #bytes, step do
                local flipped = bytes:sub(1, at - 1) .. string.char(bytes:byte(at) ~ 1) .. bytes:sub(at + 1)
                raises("rill.load: cannot read", rill.load, files:write("bad.rill", flipped))
            end
            raises("the .rill file has version 3; this rill reads version 1 and 2", rill.load,
                files:write("bad.rill", mended(bytes:sub(1, 8) .. "\3" .. bytes:sub(10))))
            -- damage with a valid checksum: an error, or a container
            local before = rill.memory().peak
            for at = 17, math.min(#bytes - 4, 250), 2 do
                for _, xor in ipairs {1, 255} do
                    local other = bytes:sub(1, at - 1) .. string.char(bytes:byte(at) ~ xor) .. bytes:sub(at + 1)
                    local done, d = pcall(rill.load, files:write("bad.rill", mended(other)))
                    if done then
                        assert.is_truthy(rill.type(d), name)
                        d:close()
                    else
                        assert.matches("rill.load: ", d)
                    end
                end
            end
            assert.is_true(rill.memory().peak - before < 64 * 1024 * 1024)
        end
        local _, bytes = again(rill.array("float", 3))
        raises("it holds a container of an unknown kind, 'arroy'", rill.load,
            files:write("bad.rill", mended((bytes:gsub("array", "arroy")))))
    end)

    it("has its texture again", function()
        local options <const> = {
            {storage = "texture", mipmaps = 3}, {storage = "texture", normalized = true, filter = "nearest"},
            {storage = "texture", format = "r16f", mipmaps = true}, {storage = "texture", cube = true},
        }
        for i, option in ipairs(options) do
            local shape = option.cube and {6, 5, 5} or {9, 13}
            local c = rill.array("float", shape, option):write(rill.random(shape, {seed = i}))
            if option.mipmaps then c:mipmap() end
            local d = again(c)
            local points = rill.random(200, {type = option.cube and "vec3" or "vec2", low = -1, high = 12, seed = 9})
            if option.normalized then points = (points / 12):eval() end
            local k = rill.kernel((([[kernel void k(VEC p<>, float c[][]MORE, out float a<>, out float b<>) {
                a = sample(c, p);
                b = LEVEL;
            }]]):gsub("VEC", points.type):gsub("MORE", option.cube and "[]" or ""):gsub("LEVEL",
                option.mipmaps and "sample(c, p, 1.25)" or "a")))
            for n = 1, 2 do
                assert.same((select(n, k(points, c))):values(), (select(n, k(points, d))):values())
            end
            assert.equal(c.nbytes, d.nbytes)
        end
    end)

    it("names wrong arguments", function()
        local c = rill.array("float", 3)
        raises("c:save: argument #1 'path': expected a path that ends in .rill, got", c.save, c, "a.npy")
        raises("c:save: ", c.save, c, "/nowhere/a.rill")
        local v = rill.virtual(rill.translator.linear {shape = 8}, rill.physical("float", 7))
        raises("c:save: a partly mapped container without pages of one size cannot be saved", v.save,
            v, files:path "v.rill")
        c:save(files:path "a.rill")
        raises("it holds a container of type float, which cannot be read as int", rill.load, files:path "a.rill", "int")
    end)
end)
