-- rill.sound: FLAC, Ogg Vorbis, AIFF and MP3 files. WAV files, which need no library: see wav_spec.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local optional = require "spec.support.optional"
local tempfiles = require "spec.support.tempfiles"

local LONG <const> = os.getenv "RILL_SUITE_LONG"
local nan <const>, inf <const> = 0 / 0, math.huge
local RATE <const> = 44100

describe("rill.sound", function()
    local files, lacks
    leaks.watch(setup, teardown)
    setup(function()
        files = tempfiles.open()
        lacks = optional.lacks(rill.sound.load, files:write("probe.flac", "fLaC\0\0\0\0"))
    end)
    teardown(function() files:close() end)

    local function path_of(extension) return files:path("sound." .. extension) end

    local function round_trip(s, extension, options, type)
        rill.sound.save(s, path_of(extension), RATE, options)
        local read, rate = rill.sound.load(path_of(extension), type)
        assert.equal(RATE, rate)
        return read
    end

    -- Two tones, the second with the opposite sign.
    local function tones(frames)
        local x = rill.iota(frames) * (2 * math.pi / RATE)
        local tone = (0.4 * rill.sin(440 * x) + 0.2 * rill.sin(1000 * x)):eval()
        return rill.stack({tone, -tone}, 2)
    end

    it("reads and writes WAV files without a library", function()
        local s = rill.from({{1, -2}, {3, -4}, {32767, -32768}}, "int")
        check.equal(s:values(), round_trip(s, "wav", nil, "int"):values())
        assert.equal(tempfiles.read(path_of "wav"), (function()
            rill.wav.save(s, files:path "old.wav", RATE)
            return tempfiles.read(files:path "old.wav")
        end)())
        check.names({"rill.sound.load: cannot read", "it is not a WAV file"}, rill.sound.load, files:write("a", "text"))
    end)

    it("needs libsndfile for the other formats, and names its package", function()
        if not lacks then return pending "libsndfile is installed" end
        local words = "rill was built without libsndfile: install Debian's package libsndfile1-dev"
        for _, extension in ipairs {"flac", "ogg", "mp3", "aiff", "aif"} do
            check.names({"rill.sound.save: cannot write", words}, rill.sound.save, tones(10), path_of(extension), RATE)
        end
        for _, bytes in ipairs {"fLaC", "OggS", "ID3\4", "\xff\xfb\0\0", "FORM\0\0\0\4AIFF"} do
            check.names({"rill.sound.load: cannot read", words}, rill.sound.load, files:write("in", bytes))
        end
    end)

    it("keeps every sample of FLAC and AIFF", function()
        if lacks then return pending(lacks) end
        local most = {[8] = 127, [16] = 32767, [24] = 8388607, [32] = 2147483647}
        for _, case in ipairs {{"flac", 8}, {"flac", 16}, {"flac", 24}, {"aiff", 8}, {"aif", 16}, {"aiff", 24},
            {"aiff", 32}} do
            local extension, bits = table.unpack(case)
            local list, m = {}, most[bits]
            math.randomseed(bits)
            for i = 1, 5000 do list[i] = {math.random(-m - 1, m), i % 2 * m, -m - 1} end
            local s = rill.from(list, "int")
            local read = round_trip(s, extension, {depth = bits}, "int")
            assert.same({"int", "5000x3"}, {read.type, tostring(read.shape)})
            check.equal(s:values(), read:values())
            local part = rill.sound.load(path_of(extension), "double")
            assert.equal(0, (part - s:cast "double" / (m + 1)):eval():max())
        end
        for _, depth in ipairs {"float", "double"} do
            local s = rill.from({0.1, -3, nan, inf}, depth)
            check.equal(s:values(), round_trip(s, "aiff", {depth = depth}, depth):values())
        end
        local s = rill.from {0, 1, -1, 0.5, nan, 3 * 2 ^ -16, -9, inf}
        for _, extension in ipairs {"flac", "aiff", "wav"} do
            check.equal({0, 32767, -32768, 16384, 0, 2, -32768, 32767}, round_trip(s, extension, nil, "int"):values())
        end
        assert.equal("0x1", tostring(round_trip(rill.stream("float", 0), "aiff").shape))
    end)

    it("keeps the sound of Ogg Vorbis and MP3", function()
        if lacks then return pending(lacks) end
        local s = tones(30000)
        for extension, least in pairs {ogg = 30, mp3 = 30} do
            local sizes = {}
            for i, quality in ipairs {10, 90} do
                local read = round_trip(s, extension, {quality = quality})
                assert.same({"float", "30000x2"}, {read.type, tostring(read.shape)})
                sizes[i] = #tempfiles.read(path_of(extension))
            end
            assert(sizes[1] < sizes[2] and sizes[2] < 120000)
            local d = (round_trip(s, extension) - s):eval()
            local ratio = 10 * math.log(s:dot(s) / d:dot(d), 10)
            assert(ratio > least, ratio)
            local loud = round_trip(rill.from {nan, 5, -5, inf}, extension)
            assert(loud:max() < 10 and loud:min() > -10)
            check.names({"rill.sound.load: cannot read", "its samples are floats"}, rill.sound.load, path_of(extension),
                "int")
        end
        local whole = (s * 32767):cast "int16"
        local d = (round_trip(whole, "ogg") - s):eval()
        assert(10 * math.log(s:dot(s) / d:dot(d), 10) > 30)
    end)

    it("refuses what a format does not hold", function()
        if lacks then return pending(lacks) end
        local s = tones(100)
        local function refused(words, ...)
            check.names({"rill.sound.save: ", words}, rill.sound.save, ...)
        end
        refused("FLAC cannot hold 2 channels of integers of 32 bits at 44100", s, path_of "flac", RATE, {depth = 32})
        refused("FLAC cannot hold 2 channels of floats of 32 bits", s, path_of "flac", RATE, {depth = "float"})
        refused("FLAC cannot hold 9 channels", rill.stream("float", {5, 9}), path_of "flac", RATE)
        refused("MP3 cannot hold 2 channels at 12345 frames per second", s, path_of "mp3", 12345)
        refused("MP3 cannot hold 3 channels", rill.stream("float", {5, 3}), path_of "mp3", RATE)
        refused("Ogg Vorbis cannot hold 2 channels at 4294967295", s, path_of "ogg", 4294967295)
        refused("sample 40000 of frame 1 (0-based) does not fit 16 bits", rill.from({0, 40000}, "int"), path_of "flac",
            RATE, {depth = 16})
        refused("option 'depth' is not for Ogg Vorbis files (.ogg)", s, path_of "ogg", RATE, {depth = 16})
        refused("option 'quality' is for Ogg Vorbis and MP3 files", s, path_of "flac", RATE, {quality = 50})
        refused("option 'quality': expected", s, path_of "ogg", RATE, {quality = 0})
        refused("expected one of the extensions .wav, .flac, .aiff, .aif, .ogg and .mp3", s, path_of "m4a", RATE)
        check.names({"rill.wav.save: ", "expected one of the extensions"}, rill.wav.save, s, path_of "txt", RATE)
    end)

    it("survives truncated and damaged files", function()
        if lacks then return pending(lacks) end
        local s = tones(3000)
        math.randomseed(5)
        for _, extension in ipairs {"flac", "aiff", "ogg", "mp3"} do
            rill.sound.save(s, path_of(extension), RATE)
            local good = tempfiles.read(path_of(extension))
            local function try(bytes)
                local done, read = pcall(rill.sound.load, files:write("bad", bytes))
                assert(done and read.shape[2] >= 1 or not done and tostring(read):find "rill.sound.load: ", read)
                if done then read:close() end
                return done
            end
            for i = 1, LONG and 40 or 25 do try(good:sub(1, i < 20 and i or math.random(#good))) end
            for _ = 1, extension == "mp3" and 20 or LONG and 100 or 30 do -- libmpg123 prints remarks
                local bytes = {good:byte(1, -1)}
                for _ = 1, math.random(4) do
                    local at = math.random(3) == 1 and math.random(#bytes) or math.random(math.min(#bytes, 200))
                    bytes[at] = math.random(0, 255)
                end
                for i, byte in ipairs(bytes) do bytes[i] = string.char(byte) end
                try(table.concat(bytes))
            end
            if extension == "flac" or extension == "aiff" then
                assert.is_false(try(good:sub(1, #good // 2)))
            end
        end
        for _, bytes in ipairs {"fLaC", "OggS", "ID3\4", "\xff\xfb\0\0", "FORM\0\0\0\4AIFF",
            "OggS" .. ("x"):rep(500)} do
            check.names({"rill.sound.load: cannot read"}, rill.sound.load, files:write("bad", bytes))
        end
    end)
end)
