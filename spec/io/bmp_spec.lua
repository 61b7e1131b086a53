-- BMP files that are written by hand, and round trips.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local tempfiles = require "spec.support.tempfiles"

-- Returns the bytes of a file. o: header (its size), compression, palette, masks, colors, offset.
local function bmp(width, height, bits, data, o)
    o = o or {}
    local info
    if o.header == 12 then
        info = string.pack("<I4I2I2I2I2", 12, width, height, 1, bits)
    else
        info = string.pack("<I4i4i4I2I2I4I4i4i4I4I4", o.header or 40, width, height, 1, bits, o.compression or 0, 0, 0,
            0, o.colors or 0, 0) .. (o.masks or "")
        info = info .. ("\0"):rep((o.header or 40) - #info)
    end
    local rest = (o.palette or "")
    return "BM" .. string.pack("<I4I4I4", 14 + #info + #rest + #data, 0, o.offset or 14 + #info + #rest) .. info ..
        rest .. data
end

describe("BMP", function()
    local files
    leaks.watch(setup, teardown)
    setup(function() files = tempfiles.open() end)
    teardown(function() files:close() end)

    local function load_bytes(bytes, type)
        return rill.image.load(files:write("in.dat", bytes), type)
    end

    -- Compares the samples, numbers from 0 to 255, with those of the file.
    local function holds(type, shape, expected, bytes)
        local s = load_bytes(bytes)
        assert.same({type, shape}, {s.type, tostring(s.shape)})
        check.equal(expected, (s * 255):eval():values(), 1e-4)
    end

    local function refused(names, bytes)
        table.insert(names, 1, "rill.image.load: cannot read")
        check.names(names, load_bytes, bytes)
    end

    it("with 24 bits, in both orders of rows, with padded rows", function()
        local rows <const> = "\1\2\3\4\5\6\0\0" .. "\7\8\9\10\11\12\0\0"
        holds("vec3", "2x2", {9, 8, 7, 12, 11, 10, 3, 2, 1, 6, 5, 4}, bmp(2, 2, 24, rows))
        holds("vec3", "2x2", {3, 2, 1, 6, 5, 4, 9, 8, 7, 12, 11, 10}, bmp(2, -2, 24, rows))
        holds("vec3", "1x1", {3, 2, 1}, bmp(1, 1, 24, "\1\2\3\0", {header = 12}))
        holds("vec3", "1x1", {3, 2, 1}, bmp(1, 1, 24, "\1\2\3\0", {header = 124}))
    end)

    it("with 32 bits, with and without alpha", function()
        holds("vec3", "2x1", {7, 6, 5, 3, 2, 1}, bmp(1, 2, 32, "\1\2\3\4\5\6\7\8"))
        local masks <const> = string.pack("<I4I4I4I4", 0xff, 0xff00, 0xff0000, 0xff000000)
        holds("vec4", "1x1", {1, 2, 3, 4}, bmp(1, 1, 32, "\1\2\3\4", {header = 56, compression = 3, masks = masks}))
        holds("vec4", "1x1", {1, 2, 3, 4}, bmp(1, 1, 32, "\1\2\3\4", {compression = 6, masks = masks}))
        holds("vec3", "1x1", {1, 2, 3}, bmp(1, 1, 32, "\1\2\3\4", {compression = 3, masks = masks:sub(1, 12)}))
        holds("vec3", "1x1", {1, 2, 3}, bmp(1, 1, 32, "\1\2\3\4", {header = 108, compression = 3,
            masks = masks:sub(1, 12) .. "\0\0\0\0"}))
        refused({"bad BMP: its pixels have bit masks that are not whole bytes"}, bmp(1, 1, 32, "\1\2\3\4",
            {compression = 3, masks = string.pack("<I4I4I4", 0x3ff, 0xffc00, 0x3ff00000)}))
    end)

    it("with palettes of 1, 4 and 8 bits", function()
        local colors <const> = "\1\2\3\0" .. "\4\5\6\0" .. "\7\8\9\0"
        holds("vec3", "1x3", {3, 2, 1, 6, 5, 4, 9, 8, 7}, bmp(3, 1, 8, "\0\1\2\0", {palette = colors, colors = 3}))
        holds("vec3", "1x3", {9, 8, 7, 6, 5, 4, 3, 2, 1}, bmp(3, 1, 4, "\x21\0\0\0", {palette = colors, colors = 3}))
        holds("float", "2x3", {255, 0, 0, 0, 255, 0}, bmp(3, 2, 1, "\x40\0\0\0\x80\0\0\0",
            {palette = "\0\0\0\0\xff\xff\xff\0"}))
        holds("vec3", "1x2", {3, 2, 1, 6, 5, 4}, bmp(2, 1, 1, "\x40\0\0\0", {header = 12, palette = "\1\2\3\4\5\6"}))
        local grays = {}
        for i = 0, 255 do grays[i + 1] = string.char(i, i, i, 0) end
        holds("float", "1x3", {0, 77, 255}, bmp(3, 1, 8, "\0\77\xff\0", {palette = table.concat(grays)}))
        refused({"it is damaged: a pixel has color 3, but the palette has 3"}, bmp(1, 1, 8, "\3\0\0\0",
            {palette = colors, colors = 3}))
        refused({"bad BMP: it is truncated"}, bmp(1, 1, 8, "\3\0\0\0", {palette = colors}))
    end)

    it("that are compressed, truncated or damaged", function()
        for _, offset in ipairs {0, 14, 53} do
            refused({("its pixels begin at byte %d, before the end of its headers"):format(offset)},
                bmp(1, 1, 24, "\1\2\3\0", {offset = offset}))
        end
        refused({"its compression 1 (1 and 2: run lengths) is not supported"}, bmp(1, 1, 8, "", {compression = 1}))
        refused({"its compression 2"}, bmp(1, 1, 4, "", {compression = 2}))
        refused({"its compression 4"}, bmp(1, 1, 0, "", {compression = 4}))
        refused({"its compression 3"}, bmp(1, 1, 24, "", {compression = 3}))
        refused({"16 bits per pixel are not supported: expected 1, 4, 8, 24 or 32"}, bmp(1, 1, 16, "\0\0\0\0"))
        refused({"16 bits per pixel"}, bmp(1, 1, 16, "\0\0\0\0", {compression = 3}))
        refused({"0 rows and 5 columns has no pixels"}, bmp(5, 0, 24, ""))
        refused({"has no pixels"}, bmp(-5, 1, 24, ""))
        refused({"its header has 20 bytes: expected 12, or 40 or more"},
            (bmp(1, 1, 24, "\0\0\0\0"):gsub("%(", "\20", 1)))
        collectgarbage()
        local before = rill.memory().bytes
        refused({"it is truncated: its header says 2147483647 rows and 2147483647 columns"},
            bmp(0x7fffffff, 0x7fffffff, 32, "\0\0\0\0"))
        refused({"it is truncated: its header says 2147483648 rows"}, bmp(1, -0x80000000, 32, "\0\0\0\0"))
        refused({"it is truncated"}, bmp(1, 1, 24, "\0\0\0\0", {offset = 0xffffffff}))
        assert.equal(before, rill.memory().bytes)
        local good <const> = bmp(2, 2, 24, ("x"):rep(16))
        for length = 0, #good - 1 do
            refused({}, good:sub(1, length))
        end
        refused({"its content is not an image"}, "BM")
        refused({"its content is not an image"}, "BMW is a text, not an image; it has no header")
    end)

    it("that are read again after they were written", function()
        local path = files:path "out.bmp"
        for _, shape in ipairs {{1, 1}, {2, 3}, {5, 4}, {33, 66}} do
            for _, n in ipairs {1, 3, 4} do
                local bytes = rill.random({shape[1], shape[2] * n}, {seed = 1, type = "int", low = 0, high = 255})
                local s = bytes:cast("float") / 255
                s = s:eval():reshape(n == 1 and shape or {shape[1], shape[2], n})
                s = n == 1 and s or s:as(n == 3 and "vec3" or "vec4")
                rill.image.save(s, path)
                local again = rill.image.load(path)
                assert.same({s.type, tostring(s.shape)}, {again.type, tostring(again.shape)})
                check.equal(s:values(), again:values(), 1e-6)
            end
        end
        rill.image.save(rill.from({{1, 2, 255}}, "uint8"), path)
        assert.equal("BM" .. string.pack("<I4I4I4", 1082, 0, 1078), tempfiles.read(path):sub(1, 14))
        assert.equal("\1\2\xff\0", tempfiles.read(path):sub(-4))
        rill.image.save(rill.from({{{0, 0.2, 1}}}, "vec3"), path)
        assert.equal("\xff\51\0\0", tempfiles.read(path):sub(-4))
        check.names({"rill.image.save: cannot write", "the format holds no 16 bits"}, rill.image.save,
            rill.from({{1}}, "uint16"), path)
    end)
end)
