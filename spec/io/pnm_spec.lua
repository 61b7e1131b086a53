local rill = require "rill"
local pngwriter = require "spec.support.pngwriter"
local tempfiles = require "spec.support.tempfiles"

describe("PGM, PPM and PFM", function()
    local files
    setup(function() files = tempfiles.open() end)
    teardown(function() files:close() end)

    local function load_bytes(bytes, type)
        return rill.image.load(files:write("in.dat", bytes), type)
    end

    local function failure(f, ...)
        local ok, message = pcall(f, ...)
        assert.is_false(ok)
        return message
    end

    local function refused(bytes, pattern)
        local message = failure(load_bytes, bytes)
        assert.matches("rill%.image%.load: cannot read '.*in%.dat'", message)
        assert.matches(pattern or ".", message)
    end

    describe("reading", function()
        it("gives text and binary, 8 and 16 bits", function()
            local want = { 0, 1, 2, 253, 254, 255 }
            assert.are.same(want, load_bytes("P2\n3 2\n255\n0 1 2\n253 254 255\n", "uint8"):values())
            assert.are.same(want, load_bytes("P5\n3 2\n255\n\0\1\2\253\254\255", "uint8"):values())
            assert.are.same({ 0, 258, 65535 }, load_bytes("P2 3 1 65535 0 258 65535", "uint16"):values())
            assert.are.same({ 0, 258, 65535 }, load_bytes("P5 3 1 65535\n\0\0\1\2\255\255", "uint16"):values())
            local rgb = load_bytes("P6\n1 2\n255\n\0\51\102\153\204\255\n")
            assert.are.equal("vec3", rgb.type)
            assert.are.equal("2x1", tostring(rgb.shape))
            for i, v in ipairs(rgb:values()) do
                assert.is_true(math.abs(v - (i - 1) / 5) < 1e-7)
            end
            assert.are.equal(rgb:bytes(), load_bytes("P3\n1 2\n255\n0 51 102 153 204 255"):bytes())
            assert.are.equal("vec3", load_bytes("P6 1 1 65535 \0\0\1\2\255\255").type)
        end)

        it("divides by the largest sample the header declares", function()
            assert.are.same({ 0, 0.5, 1 }, load_bytes("P2 3 1 8 0 4 8"):values())
            assert.are.same({ 0, 0.5, 1 }, load_bytes("P5 3 1 1000\n\0\0\1\xf4\3\xe8"):values())
            assert.are.same({ 0, 4, 8 }, load_bytes("P2 3 1 8 0 4 8", "uint8"):values())
        end)

        it("skips comments in the header", function()
            local text = "P5 # kind\n# a comment of its own line\r3#width\n 2 # height\n#\n255\n\1\2\3\4\5\6"
            assert.are.same({ 1, 2, 3, 4, 5, 6 }, load_bytes(text, "uint8"):values())
            assert.are.same({ 35, 10 }, load_bytes("P5 2 1 255\n#\n", "uint8"):values())
        end)

        it("gives the floats of a PFM, from the bottom up, in either byte order", function()
            local gray = load_bytes("Pf\n2 2\n-1.0\n" .. string.pack("<ffff", 1, 2, 3, -4e30))
            assert.are.equal("float", gray.type)
            assert.are.equal(string.pack("<ffff", 3, -4e30, 1, 2), gray:bytes())
            local color = load_bytes("PF\n1 2\n2.5e+0\n" .. string.pack(">ffffff", 1, 2, 3, 4, 5, 6))
            assert.are.equal("vec3", color.type)
            assert.are.same({ 4, 5, 6, 1, 2, 3 }, color:values())
        end)

        it("reads the camera picture exactly", function()
            local data, why = tempfiles.data()
            if not data then
                pending(why)
                return
            end
            local pgm = rill.image.load(data .. "/images/camera.pgm", "uint8")
            assert.are.equal(0x59c2562e, pngwriter.crc32(pgm:bytes()))
            assert.are.equal(rill.image.load(data .. "/images/camera.png"):bytes(),
                rill.image.load(data .. "/images/camera.pgm"):bytes())
            local path = files:path "camera.pgm"
            rill.image.save(pgm, path)
            assert.are.equal(tempfiles.read(data .. "/images/camera.pgm"), tempfiles.read(path))
        end)
    end)

    describe("bad input", function()
        it("that is truncated is refused at every length", function()
            for _, good in ipairs { "P5\n3 2\n255\nabcdef", "P6 1 2 255\nabcdef", "P5 3 1 65535\nabcdef",
                    "P2 3 1 9 1 2 3",
                    "P3 1 1 9 1 2 3", "Pf 2 1 -1\nabcdefgh" } do
                load_bytes(good)
                for length = 0, #good - 1 do
                    refused(good:sub(1, length))
                end
            end
        end)

        it("with a false size is refused", function()
            refused("P5 2000000000 2000000000 255\nabc", "2000000000 rows and 2000000000 columns")
            refused("P5 4294967297 1 255\nabc", "width")
            refused("P5 99999999999999999999999 1 255\nabc", "width")
            refused("P5 0 3 255\nabc", "no pixels")
            refused("P5 3 0 255\nabc", "no pixels")
            refused("P5 -3 1 255\nabc", "width")
            refused("P5 2 1 255\nabcd", "2 bytes follow")
            refused("P2 2 1 255 1 2 3", "follow")
            refused("Pf 2000000000 2000000000 -1\nabcd", "truncated")
        end)

        it("with samples out of range is refused", function()
            refused("P2 2 1 8 4 9", "sample is above 8")
            refused("P5 2 1 8\n\1\9", "sample of 9.*8")
            refused("P5 1 1 300\n\2\0", "sample of 512")
            refused("P2 1 1 0 0", "largest sample is 0")
            refused("P2 1 1 65536 0", "largest sample is above 65535")
            refused("P2 2 1 8 4 x", "expected a sample at byte %d+, found 'x'")
        end)

        it("of other kinds is refused by name", function()
            refused("P1 1 1 0", "PBM")
            refused("P4 1 1 \0", "PBM")
            refused("P7\nWIDTH 1\n", "PAM")
            refused("P9 1 1 1", "not an image that rill reads")
            refused("P52 1 255\nab")
            refused("Pf 1 1 0.0\nabcd", "scale")
            refused("Pf 1 1 x\nabcd", "scale")
        end)
    end)

    describe("writing", function()
        it("keeps 8 and 16 bits exactly", function()
            local u8 = rill.stream("uint8", { 2, 3 }, { 0, 1, 2, 253, 254, 255 })
            local u16 = rill.stream("uint16", { 1, 3 }, { 0, 258, 65535 })
            local path = files:path "a.pgm"
            rill.image.save(u8, path)
            assert.are.equal("P5\n3 2\n255\n\0\1\2\253\254\255", tempfiles.read(path))
            rill.image.save(u16, path)
            assert.are.equal("P5\n3 1\n65535\n\0\0\1\2\255\255", tempfiles.read(path))
            assert.are.same({ 0, 258, 65535 }, rill.image.load(path, "uint16"):values())
            local colors = rill.stream("vec3", { 1, 2 }, { { 0, 0.2, 0.4 }, { 0.6, 0.8, 1 } })
            rill.image.save(colors, files:path "a.ppm")
            assert.are.equal("P6\n2 1\n255\n\0\51\102\153\204\255", tempfiles.read(files:path "a.ppm"))
        end)

        it("repeats gray in a PPM, and lets .pnm choose", function()
            local gray = rill.stream("uint8", { 1, 2 }, { 7, 9 })
            rill.image.save(gray, files:path "g.ppm")
            assert.are.equal("P6\n2 1\n255\n\7\7\7\9\9\9", tempfiles.read(files:path "g.ppm"))
            rill.image.save(gray, files:path "g.pnm")
            assert.are.equal("P5\n2 1\n255\n\7\9", tempfiles.read(files:path "g.pnm"))
            rill.image.save(rill.stream("vec3", { 1, 1 }), files:path "c.PNM")
            assert.are.equal("P6\n1 1\n255\n\0\0\0", tempfiles.read(files:path "c.PNM"))
        end)

        it("keeps the floats of a PFM bit by bit", function()
            local bytes = string.pack("<ffffff", 0 / 0, 1 / 0, -1 / 0, -0.0, 1e-42, 3.4e38)
            local gray = rill.stream("float", { 3, 2 }, bytes)
            rill.image.save(gray, files:path "a.pfm")
            assert.are.equal("Pf\n2 3\n-1.0\n" .. bytes:sub(17, 24) .. bytes:sub(9, 16) .. bytes:sub(1, 8),
                tempfiles.read(files:path "a.pfm"))
            assert.are.equal(bytes, rill.image.load(files:path "a.pfm"):bytes())
            local colors = rill.stream("vec3", { 2, 1 }, bytes)
            rill.image.save(colors, files:path "c.pfm")
            assert.are.equal(bytes, rill.image.load(files:path "c.pfm"):bytes())
        end)

        it("refuses what the format cannot hold", function()
            local rgba, rgb = rill.stream("vec4", { 2, 2 }), rill.stream("vec3", { 2, 2 })
            for _, name in ipairs { "x.pgm", "x.ppm", "x.pnm", "x.pfm" } do
                assert.matches("no alpha", failure(rill.image.save, rgba, files:path(name)))
            end
            assert.matches("gray images only", failure(rill.image.save, rgb, files:path "x.pgm"))
            assert.matches("'depth' is not for PFM", failure(rill.image.save, rgb, files:path "x.pfm", { depth = 16 }))
            assert.is_nil(io.open(files:path "x.pgm"))
        end)
    end)
end)
