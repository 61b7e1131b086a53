local rill = require "rill"
local pngwriter = require "spec.support.pngwriter"
local tempfiles = require "spec.support.tempfiles"

local magic = "\x89RILL\r\n\x1a"

-- A .rill file's bytes around a description and its elements.
local function file(description, data, version)
    local body = magic .. string.pack("<I4s4", version or 1, description) .. data
    return body .. string.pack("<I4", pngwriter.crc32(body))
end

describe(".rill", function()
    local files, Ray, Hit
    setup(function()
        files = tempfiles.open()
        Ray = rill.struct("Ray", "vec3 o; vec3 d; float tmax;")
        Hit = rill.struct("Hit", "int id; vec2 uv; uint flags;")
    end)
    teardown(function() files:close() end)

    local function failure(f, ...)
        local ok, message = pcall(f, ...)
        assert.is_false(ok)
        return message
    end

    local function refused(bytes, pattern, type)
        local message = failure(rill.load, files:write("in.rill", bytes), type)
        assert.matches("rill%.load: cannot read '.*in%.rill'", message)
        assert.matches(pattern or ".", message)
    end

    local function rays(...)
        local s = rill.stream(Ray, { ... })
        local numbers = {}
        for i = 1, s.size * 7 do
            numbers[i] = string.pack("<f", i / 8)
        end
        if s.size > 0 then
            s:write(table.concat(numbers))
        end
        return s
    end

    local function saved(s)
        local path = files:path "out.rill"
        s:save(path)
        return path
    end

    it("keeps structures: type, shape and every bit", function()
        for _, shape in ipairs { { 1 }, { 5 }, { 2, 3 }, { 0 }, { 2, 0, 2 }, { 1, 2, 1, 2, 1, 2, 1, 2 } } do
            local s = rays(table.unpack(shape))
            local again = rill.load(saved(s))
            assert.are.equal(s.type, again.type)
            assert.are.equal(tostring(s.shape), tostring(again.shape))
            assert.are.equal(s:bytes(), again:bytes())
        end
        local one = rill.load(saved(rays(2))):get(2)
        assert.are.same({ o = { 1, 1.125, 1.25 }, d = { 1.375, 1.5, 1.625 }, tmax = 1.75 }, one)
    end)

    it("has the layout that is documented", function()
        local s = rill.stream(Hit, 1, string.pack("<i4ffI4", -1, 0.5, 0.25, 7))
        local description = string.pack("<I2 s2I2 s2s2I2 s2s2I2 s2s2I2 s2I2 I4 I2 I8",
            1, "Hit", 3, "id", "int", 0, "uv", "vec2", 0, "flags", "uint", 0, "", 1, 16, 1, 1)
        assert.are.equal(file(description, string.pack("<i4ffI4", -1, 0.5, 0.25, 7)), tempfiles.read(saved(s)))
    end)

    it("keeps every other type as well", function()
        local names = { "float", "double", "vec3", "bool", "half2", "unorm8", "unorm8x4", "int8", "uint16", "ivec4" }
        for _, name in ipairs(names) do
            local s = rill.stream(name, { 3, 2 })
            s:fill(1)
            local again = rill.load(saved(s))
            assert.are.equal(name, again.type)
            assert.are.equal("3x2", tostring(again.shape))
            assert.are.equal(s:bytes(), again:bytes())
        end
    end)

    it("writes views in their own order", function()
        local s = rays(2, 3)
        assert.are.equal(s:transpose():copy():bytes(), rill.load(saved(s:transpose())):bytes())
        local part = s:domain({ 2, 2 }, { 2, 3 })
        assert.are.equal(part:copy():bytes(), rill.load(saved(part)):bytes())
    end)

    it("converts numbers, and refuses other structures", function()
        local s = rill.stream("int", 3, { 1, 2, 3 })
        assert.are.same({ 1, 2, 3 }, rill.load(saved(s), "float"):values())
        local path = saved(rays(3))
        assert.are.equal(rays(3):bytes(), rill.load(path, Ray):bytes())
        assert.matches("type Ray, which cannot be read as Hit", failure(rill.load, path, Hit))
        assert.matches("type Ray, which cannot be read as float", failure(rill.load, path, "float"))
    end)

    it("refuses damage at any byte, and any shorter length", function()
        local good = tempfiles.read(saved(rays(2)))
        for at = 1, #good do
            refused(good:sub(1, at - 1) .. string.char(good:byte(at) ~ 0x04) .. good:sub(at + 1))
        end
        for length = 0, #good - 1 do
            refused(good:sub(1, length))
        end
        refused(good .. "\0", "checksum")
        assert.are.equal(rays(2):bytes(), rill.load(files:write("in.rill", good)):bytes())
    end)

    it("refuses invalid contents with a correct checksum", function()
        local plain = "<I2 s2I2 I4 I2"
        refused(file("", ""), "too early")
        refused(file(string.pack(plain, 0, "float", 0, 4, 0), ""), "rank %(0%)")
        refused(file(string.pack(plain, 0, "float", 0, 4, 9), ""), "rank %(9%)")
        refused(file(string.pack(plain .. "I8", 0, "float", 0, 4, 1, 2), "\0\0\0\0"), "do not agree")
        refused(file(string.pack(plain .. "I8I8", 0, "float", 0, 4, 2, 1 << 62, 16), "\0\0\0\0"), "do not agree")
        refused(file(string.pack(plain .. "I8", 0, "float", 0, 4, 1, -1), ""), "2^63")
        refused(file(string.pack(plain .. "I8", 0, "flaot", 0, 4, 1, 1), "\0\0\0\0"), "flaot")
        refused(file(string.pack(plain .. "I8", 0, "vec2", 0, 4, 1, 1), "\0\0\0\0"), "4 bytes, but vec2 has 8")
        refused(file(string.pack(plain .. "I8", 0, "", 1, 4, 1, 1), "\0\0\0\0"), "structure 1")
        refused(file(string.pack(plain .. "I8", 0, "float", 0, 4, 1, 1) .. "x", "\0\0\0\0"), "longer")
        refused(file(string.pack("<I2 s2I2 s2s2I2", 1, "Self", 1, "me", "", 1), ""), "structure 1")
        refused(file(string.pack("<I2 s2I2", 1, "Empty", 0), ""), "bad structure")
        refused(file(string.pack(plain .. "I8", 0, "float", 0, 4, 1, 1), "\0\0\0\0", 3), "version 3")
        refused(file(string.pack("<I2", 65535), ""), "structures")
        local right = file(string.pack(plain .. "I8", 0, "float", 0, 4, 1, 1), "\0\0\0\0")
        assert.are.same({ 0 }, rill.load(files:write("in.rill", right)):values())
    end)
end)
