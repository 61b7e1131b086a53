-- WAV files that are written by hand, and round trips.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local tempfiles = require "spec.support.tempfiles"

local nan <const>, inf <const> = 0 / 0, math.huge

-- Returns the bytes of a file. o: format, bits, channels, rate, block, extension, before (chunks), length (of the data).
local function wav(data, o)
    local bits, channels = o.bits or 16, o.channels or 1
    local block = o.block or channels * ((bits + 7) // 8)
    local format = string.pack("<I2I2I4I4I2I2", o.format or 1, channels, o.rate or 8000, 0, block, bits) ..
        (o.extension or "")
    local body = "WAVE" .. (o.before or "") .. "fmt " .. string.pack("<s4", format) .. (o.after or "") .. "data" ..
        string.pack("<I4", o.length or #data) .. data
    return "RIFF" .. string.pack("<s4", body)
end

describe("WAV files", function()
    local files
    leaks.watch(setup, teardown)
    setup(function() files = tempfiles.open() end)
    teardown(function() files:close() end)

    local function load_bytes(bytes, type)
        return rill.wav.load(files:write("in.wav", bytes), type)
    end

    local function holds(expected, shape, bytes, type)
        local s, rate = load_bytes(bytes, type)
        assert.same({type or "float", shape, 8000}, {s.type, tostring(s.shape), rate})
        check.equal(expected, s:values())
    end

    local function refused(names, bytes, type)
        table.insert(names, 1, "rill.wav.load: ")
        check.names(names, load_bytes, bytes, type)
    end

    it("of integers of 8 to 32 bits", function()
        holds({-1, 0, 127 / 128}, "3x1", wav("\0\x80\xff", {bits = 8}))
        holds({-128, 0, 127}, "3x1", wav("\0\x80\xff\0", {bits = 8, length = 3}), "int")
        local samples <const> = {0, 1, -1, 32767, -32768, 256}
        local pcm <const> = string.pack("<i2i2i2i2i2i2", table.unpack(samples))
        holds(samples, "6x1", wav(pcm, {}), "int")
        holds({0, 2 ^ -15, -2 ^ -15, 32767 / 32768, -1, 2 ^ -7}, "2x3", wav(pcm, {channels = 3}))
        holds({2 ^ -23, -1, (2 ^ 23 - 1) / 2 ^ 23}, "3x1", wav("\1\0\0\0\0\x80\xff\xff\x7f", {bits = 24}))
        holds({1, -8388608, 8388607}, "3x1", wav("\1\0\0\0\0\x80\xff\xff\x7f", {bits = 24}), "int")
        holds({(2 ^ 31 - 1) / 2 ^ 31, -1}, "1x2", wav(string.pack("<i4i4", math.maxinteger >> 32, -1 << 31),
            {bits = 32, channels = 2}), "double")
        holds({16 / 32768}, "1x1", wav("\16\0", {bits = 12}))
        holds({}, "0x2", wav("", {channels = 2}))
    end)

    it("of floats, in the extensible form, with other chunks", function()
        holds({0.5, -3, inf}, "3x1", wav(string.pack("<fff", 0.5, -3, inf), {format = 3, bits = 32}))
        holds({0.1, nan}, "1x2", wav(string.pack("<dd", 0.1, nan), {format = 3, bits = 64, channels = 2}), "double")
        local guid <const> = "\0\0\0\0\16\0\x80\0\0\xAA\0\x38\x9B\x71"
        holds({1 / 32768}, "1x1", wav("\1\0", {format = 0xfffe, before = "LIST\3\0\0\0abc\0", after = "fact\0\0\0\0",
            extension = string.pack("<I2I2I4I2", 22, 16, 4, 1) .. guid}))
        holds({0.25}, "1x1", wav(string.pack("<f", 0.25), {format = 0xfffe, bits = 32,
            extension = string.pack("<I2I2I4I2", 22, 32, 4, 3) .. guid}))
        holds({0.25}, "1x1", wav(string.pack("<f", 0.25), {format = 3, bits = 32, length = 0xffffffff}))
        holds({1 / 32768}, "1x1", wav("\1\0", {}) .. "LIST\0\0\0\0")
    end)

    it("whose length is unknown because they were written to a pipe", function()
        local pcm <const> = string.pack("<i2i2i2", 1, -2, 3)
        for _, length in ipairs {0, 0xffffffff} do
            holds({1, -2, 3}, "3x1", wav(pcm, {length = length}), "int")
            holds({0, 0, 0, 0, 0, 0}, "3x2", wav(("\0"):rep(12), {length = length, channels = 2}))
            refused({"its last frame has only 2 of 4 bytes"}, wav(pcm, {channels = 2, length = length}))
        end
        local chunks <const> = "LIST\3\0\0\0abc\0id3 \0\0\0\0"
        holds({}, "0x1", wav(chunks, {length = 0}))
        holds({}, "0x1", wav("LIST\3\0\0\0abc", {length = 0}))
        holds({1 / 128}, "1x1", wav("\x81", {length = 0, bits = 8}))
        local words <const> = wav("LIST\4\0\0\0abc\0LIST", {length = 0, bits = 8})
        assert.equal(16, (load_bytes(words)).size)
    end)

    it("that are truncated, damaged or compressed", function()
        local good <const> = wav("\1\0\2\0", {})
        for length = 0, #good - 1 do
            refused({"cannot read"}, good:sub(1, length))
        end
        refused({"the file is empty"}, "")
        refused({"it is not a WAV file"}, "hello, this is a text")
        refused({"its last frame has only 1 of 4 bytes"}, wav("\1\0\2\0\3", {channels = 2}))
        refused({"a chunk should have 4294967294 bytes, but only 2 follow"}, wav("\1\0", {length = 0xfffffffe}))
        refused({"it has no samples"}, "RIFF\4\0\0\0WAVE")
        refused({"its samples precede their format"}, "RIFF\4\0\0\0WAVEdata\2\0\0\0\1\0")
        refused({"format 85: expected 1 (integers) or 3 (floats)"}, wav("", {format = 85}))
        refused({"have 33 bits"}, wav("", {bits = 33}))
        refused({"have 0 bits"}, wav("", {bits = 0, block = 1}))
        refused({"have 16 bits: expected integers of up to 32, or floats of 32 or 64"}, wav("", {format = 3}))
        refused({"damaged: 1 channels of 16 bits in frames of 3 bytes"}, wav("", {block = 3}))
        refused({"damaged: 0 channels"}, wav("", {channels = 0}))
        refused({"damaged", "0 frames per second"}, wav("", {rate = 0}))
        refused({"its format chunk has 4 bytes"}, "RIFF\4\0\0\0WAVEfmt \4\0\0\0\1\0\1\0data\0\0\0\0")
        refused({"its samples are floats: expected the type float or double, got int"},
            wav("\0\0\0\0", {format = 3, bits = 32}), "int")
        refused({"argument #2 'type': expected float, double or int"}, good, "vec2")
        check.names({"rill.load: ", "it is a WAV file: use rill.wav.load"}, rill.load, files:write("x.wav", good))
    end)

    local function saved(s, rate, options)
        local path = files:path "out.wav"
        rill.wav.save(s, path, rate, options)
        return tempfiles.read(path), path
    end

    it("that are written as PCM", function()
        local bytes = saved(rill.from {0, 1, -1, 0.5, nan, 2 ^ -16 * 3, -9, inf}, 44100)
        assert.equal("RIFF" .. string.pack("<I4", 36 + 16) .. "WAVEfmt " .. string.pack("<I4I2I2I4I4I2I2", 16, 1, 1,
            44100, 88200, 2, 16) .. "data" .. string.pack("<I4i2i2i2i2i2i2i2i2", 16, 0, 32767, -32768, 16384, 0, 2,
            -32768, 32767), bytes)
        bytes = saved(rill.from {{0, 1, -1}}, 8000, {depth = 8})
        assert.equal("data" .. string.pack("<I4", 3) .. "\x80\xff\0\0", bytes:sub(-12))
        assert.equal(string.pack("<I4", #bytes - 8), bytes:sub(5, 8))
        bytes = saved(rill.from {{0.5}, {-1}}, 8000, {depth = 24})
        assert.equal("\0\0\x40\0\0\x80", bytes:sub(-6))
        bytes = saved(rill.from({0.5, -1}, "double"), 8000, {depth = 32})
        assert.equal(string.pack("<i4i4", 1 << 30, -1 << 31), bytes:sub(-8))
        bytes = saved(rill.from({1.5, nan}, "float"), 8000, {depth = "float"})
        assert.equal("fact" .. string.pack("<I4I4", 4, 2) .. "data" .. string.pack("<I4f", 8, 1.5), bytes:sub(39, 62))
        assert.equal("data" .. string.pack("<I4i2i2", 4, -5, 700), saved(rill.from({-5, 700}, "int16"), 1):sub(-12))
        assert.equal("data" .. string.pack("<I4", 0), saved(rill.stream("float", {0, 2}), 8000):sub(-8))
    end)

    it("that are read again after they were written", function()
        for _, depth in ipairs {8, 16, 24, 32} do
            for _, count in ipairs {0, 1, 7, 30001} do
                local most = 1 << (depth - 1)
                local s = rill.random({count, 2}, {seed = 1, type = "int", low = -most, high = most - 1})
                local _, path = saved(s, 48000, {depth = depth})
                local again, rate = rill.wav.load(path, "int")
                assert.same({s:bytes(), 48000}, {again:bytes(), rate})
                local _, scaled = saved((rill.wav.load(path, "double")), 48000, {depth = depth})
                assert.equal(s:bytes(), (rill.wav.load(scaled, "int")):bytes())
            end
        end
        local d = rill.random({5001, 3}, {seed = 2, type = "double"})
        local _, path = saved(d, 8000, {depth = "double"})
        assert.equal(d:bytes(), (rill.wav.load(path, "double")):bytes())
        _, path = saved(d:transpose(), 8000, {depth = "float"})
        assert.equal(d:transpose():cast("float"):bytes(), (rill.wav.load(path)):bytes())
    end)

    it("that cannot be written", function()
        local function wrong(names, ...)
            table.insert(names, 1, "rill.wav.save: ")
            check.names(names, rill.wav.save, ...)
        end
        local path, s = files:path "bad.wav", rill.from {1, 2}
        wrong({"argument #1 's'", "{frames, channels}"}, rill.stream("float", {1, 2, 3}), path, 1)
        wrong({"argument #1 's'"}, rill.stream("vec2", 2), path, 1)
        wrong({"argument #1 's'"}, rill.stream("uint", 2), path, 1)
        wrong({"a stream with 1 to 65535 channels"}, rill.stream("float", {1, 65536}), path, 1)
        wrong({"a stream with 1 to 65535 channels"}, rill.stream("float", {1, 0}), path, 1)
        wrong({"a stream with frames of at most 65535 bytes"}, rill.stream("float", {1, 40000}), path, 1)
        wrong({"argument #3 'rate': expected a number of frames per second"}, s, path, 0)
        wrong({"argument #3 'rate': expected a whole number"}, s, path, 0.5)
        wrong({"option 'depth': expected 8, 16, 24, 32, \"float\" or \"double\", got number 12"}, s, path, 1,
            {depth = 12})
        wrong({"option 'depth': a stream of int has integer samples"}, rill.iota(2), path, 1, {depth = "float"})
        wrong({"cannot write", "sample 128 of frame 1 (0-based) does not fit 8 bits"},
            rill.from({{1, 2}, {3, 128}}, "int"), path, 1, {depth = 8})
        assert.is_nil(io.open(path))
    end)
end)
