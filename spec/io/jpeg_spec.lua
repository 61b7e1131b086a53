-- JPEG files that another program wrote, and round trips. The expected samples are those of libjpeg-turbo 2.1.5 through
-- Pillow, and the originals within the error of the quality.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local tempfiles = require "spec.support.tempfiles"

local function bytes_of(digits)
    return (digits:gsub("%x%x", function(pair) return string.char(tonumber(pair, 16)) end))
end

-- 3 x 2 gray pixels; the same with the orientation 6 (rotated) in EXIF data; 9 x 3 RGB pixels, progressive; 1 pixel of
-- CMYK.
local gray <const> = bytes_of(
    "ffd8ffe000104a46494600010100000100010000ffdb0043000101010101010101010101010101010101010101010101010101010101" ..
    "0101010101010101010101010101010101010101010101010101010101010101010101ffc0000b080002000301011100ffc400140001" ..
    "0000000000000000000000000000000affc4001d100001040301010000000000000000000007010506080203040900ffda0008010100" ..
    "003f003cbe9cde8bb7577d10bad5e6b3dc5b4f5d80220b2e5f840981c0ab085b1187c5f0b6799baea69880ec67009747e17098bb5ebc" ..
    "b2d6dcc11a646c69e2c1570e6e4d58aaa7dfffd9")
local rotated <const> = bytes_of(
    "ffd8ffe000104a46494600010100000100010000ffe100224578696600004d4d002a0000000800010112000300000001000600000000" ..
    "0000ffdb0043000101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101" ..
    "0101010101010101010101010101010101ffc0000b080002000301011100ffc4001400010000000000000000000000000000000affc4" ..
    "001d100001040301010000000000000000000007010506080203040900ffda0008010100003f003cbe9cde8bb7577d10bad5e6b3dc5b" ..
    "4f5d80220b2e5f840981c0ab085b1187c5f0b6799baea69880ec67009747e17098bb5ebcb2d6dcc11a646c69e2c1570e6e4d58aaa7df" ..
    "ffd9")
local progressive <const> = bytes_of(
    "ffd8ffe000104a46494600010100000100010000ffdb0043000201010101010201010102020202020403020202020504040304060506" ..
    "060605060606070908060709070606080b08090a0a0a0a0a06080b0c0b0a0c090a0a0affdb004301020202020202050303050a070607" ..
    "0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0affc20011" ..
    "080003000903011100021101031101ffc4001500010100000000000000000000000000000607ffc40017010003010000000000000000" ..
    "000000000005060708ffda000c030100021003100000011a51a677aba21fffc400161000030000000000000000000000000000000635" ..
    "ffda00080101000105026e9a7fffc4001b110000070100000000000000000000000001020307103573b2ffda0008010301013f0172a8" ..
    "93d0393c7fffc4001a1100010501000000000000000000000000030207103673b3ffda0008010201013f0162eda7c15d071fffc40018" ..
    "100002030000000000000000000000000001021073b1ffda0008010100063f024bc618ffc40014100100000000000000000000000000" ..
    "000010ffda0008010100013f2101ff00ffda000c03010002000300000010e3ffc40014110100000000000000000000000000000010ff" ..
    "da0008010301013f102f7fffc40014110100000000000000000000000000000010ffda0008010201013f1032ff00ffc4001410010000" ..
    "0000000000000000000000000010ffda0008010100013f100a7fffd9")
local cmyk <const> = bytes_of(
    "ffd8ffee000e41646f626500640000000000ffdb004300100b0c0e0c0a100e0d0e1211101318281a181616183123251d283a333d3c39" ..
    "33383740485c4e404457453738506d51575f626768673e4d71797064785c656763ffc000140800010001044311004d11005911004b11" ..
    "00ffc40014000100000000000000000000000000000007ffc40014100100000000000000000000000000000000ffda000e0443004d00" ..
    "59004b00003f00402010080fffd9")

local built = false
for _, format in ipairs(rill.image.formats()) do
    built = built or format.name == "JPEG"
end

describe("JPEG", function()
    local files
    leaks.watch(setup, teardown)
    setup(function() files = tempfiles.open() end)
    teardown(function() files:close() end)

    local function load_bytes(bytes, type)
        return rill.image.load(files:write("in.dat", bytes), type)
    end

    local function refused(names, bytes)
        table.insert(names, 1, "rill.image.load: cannot read")
        check.names(names, load_bytes, bytes)
    end

    if not built then
        it("without the library is refused by the name of its package", function()
            local words = "rill was built without JPEG: install Debian's package libjpeg-dev"
            refused({words}, gray)
            check.names({"rill.image.save: cannot write", words}, rill.image.save, rill.stream("float", {2, 2}),
                files:path "a.jpg")
        end)
        return
    end

    it("gray, RGB and progressive", function()
        local s = load_bytes(gray)
        assert.same({"float", "2x3"}, {s.type, tostring(s.shape)})
        check.equal({0, 128, 255, 255, 64, 0}, load_bytes(gray, "uint8"):values())
        s = load_bytes(progressive)
        assert.same({"vec3", "3x9"}, {s.type, tostring(s.shape)})
        check.equal({200, 100, 51, 200, 101, 46, 199, 99, 50, 200, 100, 50, 200, 100, 50,
            19, 61, 243, 19, 59, 242, 20, 61, 241, 20, 61, 241}, (s * 255):eval():domain({1, 1}, {1, 9}):values(), 1e-4)
        assert.equal("vec4", load_bytes(gray, "vec4").type)
    end)

    it("with an orientation in EXIF data is read as it is stored", function()
        check.equal(load_bytes(gray, "uint8"):values(), load_bytes(rotated, "uint8"):values())
        assert.equal("2x3", tostring(load_bytes(rotated).shape))
    end)

    it("with CMYK is refused", function()
        refused({"bad JPEG: its color space is CMYK, which is not supported: convert it to RGB"}, cmyk)
    end)

    it("that is truncated or damaged is refused", function()
        for _, file in ipairs {gray, progressive} do
            for length = 0, #file - 1 do
                refused({}, file:sub(1, length))
            end
            for at = 1, #file do
                local damaged = file:sub(1, at - 1) .. string.char(file:byte(at) ~ 0x55) .. file:sub(at + 1)
                local good, message = pcall(load_bytes, damaged)
                assert.is_true(good or message:find "rill%.image%.load: cannot read" ~= nil)
            end
        end
        check.equal(load_bytes(gray):values(), load_bytes(gray .. "more"):values())
    end)

    it("with a size that its bytes cannot hold is refused before memory is allocated", function()
        collectgarbage()
        local before = rill.memory().bytes
        local at = gray:find("\xff\xc0", 1, true)
        local huge = gray:sub(1, at + 4) .. "\xff\x00\xff\x00" .. gray:sub(at + 9)
        refused({"bad JPEG: its header says 65280 rows and 65280 columns, more than its"}, huge)
        refused({"bad JPEG: "}, gray:sub(1, at + 4) .. "\0\0\0\0" .. gray:sub(at + 9))
        assert.equal(before, rill.memory().bytes)
    end)

    it("that was written has about the same samples", function()
        local path = files:path "out.jpg"
        for _, shape in ipairs {{1, 1}, {1, 9}, {17, 8}, {64, 65}} do
            local s = rill.stream("float", shape, function(i, j) return (i + j) / (shape[1] + shape[2]) end)
            rill.image.save(s, path)
            local again = rill.image.load(path)
            assert.same({"float", tostring(s.shape)}, {again.type, tostring(again.shape)})
            check.equal(s:values(), again:values(), 0.02)
            local color = rill.vec3(s, 0.5 * s, 1 - s):eval()
            rill.image.save(color, files:path "out.JPEG", {quality = 100})
            again = rill.image.load(files:path "out.JPEG")
            assert.same({"vec3", tostring(s.shape)}, {again.type, tostring(again.shape)})
            check.equal(color:values(), again:values(), 0.04)
        end
        local noise = rill.random({64, 64}, {seed = 1})
        local sizes = {}
        for i, quality in ipairs {5, 50, 90, 100} do
            rill.image.save(noise, path, {quality = quality})
            sizes[i] = #tempfiles.read(path)
            assert.is_true(i == 1 or sizes[i] > sizes[i - 1])
        end
        rill.image.save(noise, path)
        assert.equal(sizes[3], #tempfiles.read(path))
        rill.image.save(rill.from({{7, 65535}}, "uint16"), path, {quality = 100})
        assert.equal("1x2", tostring(rill.image.load(path).shape))
    end)

    it("that cannot be written is an error", function()
        local s, path = rill.stream("float", {2, 2}), files:path "bad.jpg"
        local function wrong(names, ...)
            table.insert(names, 1, "rill.image.save: ")
            check.names(names, rill.image.save, ...)
        end
        wrong({"option 'quality': expected a whole number from 1 to 100, got number 0"}, s, path, {quality = 0})
        wrong({"option 'quality': expected a whole number from 1 to 100, got number 1.5"}, s, path, {quality = 1.5})
        wrong({"option 'quality' is for JPEG files"}, s, files:path "a.png", {quality = 50})
        wrong({"option 'depth': a JPEG has 8 bits, got 16"}, s, path, {depth = 16})
        wrong({"the format holds no alpha"}, rill.stream("vec4", {2, 2}), path)
        wrong({"JPEG: Maximum supported image dimension is 65500 pixels"}, rill.stream("float", {1, 65501}), path)
        assert.is_nil(io.open(path))
    end)
end)
