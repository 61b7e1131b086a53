local rill = require "rill"
local tempfiles = require "spec.support.tempfiles"

local END = "\0\0\0\0\0\0\0\1"
local kinds = { [0] = "place", "near", "luma", "run" }

local function header(width, height, channels, space)
    return string.pack(">c4I4I4BB", "qoif", width, height, channels, space or 0)
end

-- An independent reader, which trusts the file. Returns the samples as a string, and the number of chunks of each kind.
local function decoded(bytes)
    local width, height, channels, space = string.unpack(">I4I4BB", bytes, 5)
    local at, r, g, b, a, pixels = 15, 0, 0, 0, 255, {}
    local seen, count, before = {}, {}, nil
    assert(bytes:sub(1, 4) == "qoif" and (channels == 3 or channels == 4) and space == 0)
    while #pixels < width * height do
        local first, times = bytes:byte(at), 1
        local kind
        local number = first & 63
        at = at + 1
        if first >= 0xfe then
            kind = first == 0xff and "rgba" or "rgb"
            r, g, b = bytes:byte(at, at + 2)
            a = first == 0xff and bytes:byte(at + 3) or a
            at = at + (first == 0xff and 4 or 3)
        else
            kind = kinds[first >> 6]
            if kind == "place" then
                assert(before ~= first, "the same place twice: a run says it")
                r, g, b, a = table.unpack(seen[number] or { 0, 0, 0, 0 })
            elseif kind == "near" then
                r, g, b = r + (number >> 4) - 2, g + (number >> 2 & 3) - 2, b + (number & 3) - 2
            elseif kind == "luma" then
                local others = bytes:byte(at)
                at = at + 1
                r, g, b = r + number - 40 + (others >> 4), g + number - 32, b + number - 40 + (others & 15)
            else
                times = number + 1
            end
            r, g, b = r & 255, g & 255, b & 255
        end
        before, count[kind] = first, (count[kind] or 0) + 1
        seen[(r * 3 + g * 5 + b * 7 + a * 11) % 64] = { r, g, b, a }
        for _ = 1, times do
            pixels[#pixels + 1] = channels == 4 and string.char(r, g, b, a) or string.char(r, g, b)
        end
    end
    assert(bytes:sub(at) == END)
    return table.concat(pixels), count
end

-- Reproducible numbers in 0 .. below - 1.
local state = 1
local function draw(below)
    state = (state * 1103515245 + 12345) & 0x7FFFFFFF
    return (state >> 8) % below
end

-- Pixels of which some equal the previous one, some are near it, some equal an earlier one, so that all kinds of chunks are used.
local function samples(count, channels)
    local pixels, last = {}, { 0, 0, 0, 255 }
    for i = 1, count do
        local way, p = draw(6), { table.unpack(last) }
        if way == 0 then
            p = { draw(256), draw(256), draw(256), last[4] }
        elseif way == 1 then
            p[4] = channels == 4 and draw(256) or 255
        elseif way == 2 and i > 1 then
            p = pixels[math.max(1, i - 1 - draw(20))]
        elseif way >= 3 and draw(20) > 0 then
            local most, green = way == 3 and 1 or 8, way == 3 and 0 or draw(64) - 32
            for c = 1, 3 do
                p[c] = (p[c] + green + (c == 2 and 0 or draw(2 * most) - most)) & 255
            end
        end
        for _ = 1, way == 5 and draw(10) == 0 and draw(200) or 0 do
            pixels[#pixels + 1] = p
        end
        pixels[#pixels + 1], last = p, p
    end
    local parts = {}
    for i = 1, count do
        parts[i] = string.char(table.unpack(pixels[i], 1, channels))
    end
    return table.concat(parts)
end

describe("QOI", function()
    local files
    setup(function() files = tempfiles.open() end)
    teardown(function() files:close() end)

    local function load_bytes(bytes, type)
        return rill.image.load(files:write("in.dat", bytes), type)
    end

    local function saved(s, options)
        rill.image.save(s, files:path "out.qoi", options)
        return tempfiles.read(files:path "out.qoi")
    end

    local function refused(bytes, pattern)
        local ok, message = pcall(load_bytes, bytes)
        assert.is_false(ok)
        assert.matches("rill%.image%.load: cannot read '.*in%.dat': ", message)
        assert.matches(pattern, message)
    end

    -- The samples of the pixels in some chunks.
    local function pixels(count, chunks, channels)
        local s = load_bytes(header(count, 1, channels or 4) .. chunks .. END, "unorm8x4")
        return { s:bytes():byte(1, -1) }
    end

    describe("reading", function()
        it("takes whole pixels", function()
            assert.are.same({ 1, 2, 3, 255 }, pixels(1, "\xfe\1\2\3"))
            assert.are.same({ 1, 2, 3, 4, 9, 8, 7, 4 }, pixels(2, "\xff\1\2\3\4\xfe\9\8\7"))
        end)

        it("takes differences, which wrap around", function()
            assert.are.same({ 254, 255, 1, 255 }, pixels(1, "\x47"))
            assert.are.same({ 1, 0, 254, 255 }, pixels(1, "\x78"))
            assert.are.same({ 9, 20, 29, 40, 10, 19, 27, 40 }, pixels(2, "\xff\9\20\29\40\x74"))
        end)

        it("takes differences by green's, which wrap around", function()
            assert.are.same({ 216, 224, 231, 255 }, pixels(1, "\x80\x0f"))
            assert.are.same({ 38, 31, 23, 255 }, pixels(1, "\xbf\xf0"))
            assert.are.same({ 200, 100, 50, 3, 211, 110, 55, 3 }, pixels(2, "\xff\200\100\50\3\xaa\x93"))
        end)

        it("takes pixels seen before by their place, and transparent black where none was", function()
            local place = (5 * 3 + 6 * 5 + 7 * 7 + 8 * 11) % 64
            assert.are.same({ 5, 6, 7, 8, 1, 1, 1, 1, 5, 6, 7, 8 },
                pixels(3, "\xff\5\6\7\8\xff\1\1\1\1" .. string.char(place)))
            assert.are.same({ 0, 0, 0, 0, 1, 1, 1, 0 }, pixels(2, "\x11\x7f"))
            -- The previous pixel, and a pixel made by a difference.
            assert.are.same({ 1, 1, 1, 255, 1, 1, 1, 255 }, pixels(2, "\x7f" .. string.char((15 + 255 * 11) % 64)))
            -- Black that only occurred in a run.
            assert.are.same({ 0, 0, 0, 255, 9, 9, 9, 255, 0, 0, 0, 255 },
                pixels(3, "\xc0\xfe\9\9\9" .. string.char(255 * 11 % 64)))
        end)

        it("takes runs, of black at the start", function()
            assert.are.same({ 0, 0, 0, 255, 0, 0, 0, 255 }, pixels(2, "\xc1"))
            local run = pixels(63, "\xff\1\2\3\4\xfd")
            for i = 1, 252 do
                assert.are.equal((i - 1) % 4 + 1, run[i])
            end
        end)

        it("gives vec3 without alpha and vec4 with it, whatever the color space", function()
            local rgb = load_bytes(header(1, 2, 3, 1) .. "\xfe\0\51\102\xff\153\204\255\7" .. END)
            assert.are.equal("vec3", rgb.type)
            assert.are.equal("2x1", tostring(rgb.shape))
            for i, v in ipairs(rgb:values()) do
                assert.is_true(math.abs(v - (i - 1) / 5) < 1e-7)
            end
            local rgba = load_bytes(header(1, 1, 4) .. "\xff\0\51\102\153" .. END)
            assert.are.equal("vec4", rgba.type)
            assert.is_true(math.abs(rgba:values()[4] - 0.6) < 1e-7)
        end)
    end)

    describe("bad input", function()
        local good = header(5, 2, 4) .. "\xff\1\2\3\4\x47\x80\x0f\xfe\1\2\3\x11\xc4" .. END

        it("that is truncated is refused at every length", function()
            load_bytes(good)
            for length = 4, #good - 1 do
                refused(good:sub(1, length), "truncated")
            end
            refused("qoi", "not an image that rill reads")
        end)

        it("with a false header is refused", function()
            refused(header(0, 3, 4) .. "\xc0" .. END, "0 columns: no pixels")
            refused(header(3, 0, 4) .. "\xc0" .. END, "0 rows .*no pixels")
            refused(header(63, 1, 4) .. "\xfd" .. END, "1 rows and 63 columns, more than its 23 bytes can hold")
            refused(header(0xffffffff, 0xffffffff, 4) .. "\xfd" .. END, "more than its 23 bytes can hold")
            refused(header(1, 1, 2) .. "\xc0" .. END, "header is damaged: it has 2 channels")
            refused(header(1, 1, 4, 2) .. "\xc0" .. END, "header is damaged: it has 4 channels and color space 2")
        end)

        it("with more pixels or bytes than its size is refused", function()
            refused(header(4, 1, 4) .. "\xc4" .. END, "damaged: 4 pixels of .* are missing, but a chunk has 5")
            refused(header(4, 1, 4) .. "\xc3\xc0" .. END, "damaged: the end marker does not follow")
            refused(header(4, 1, 4) .. "\xc3" .. END .. "x", "1 bytes follow its end marker")
            refused(header(4, 1, 4) .. "\xc3" .. END .. END, "8 bytes follow its end marker")
            refused(header(4, 1, 4) .. "\xc3\0\0\0\0\0\0\0\2", "damaged: the end marker does not follow")
        end)

        it("of any kind is an error or a picture", function()
            for i = 1, 400 do
                local at = draw(#good - 4) + 5
                local bytes = good:sub(1, at - 1) .. string.char(draw(256)) .. good:sub(at + 1 + i % 3)
                local ok, s = pcall(load_bytes, bytes)
                assert.is_true(ok and s.size > 0 or not ok and s:match "cannot read" ~= nil)
            end
        end)
    end)

    describe("writing", function()
        it("repeats gray, and keeps alpha", function()
            assert.are.equal(header(2, 1, 3) .. "\xfe\xc8\xc8\xc8\xa2\x88" .. END,
                saved(rill.stream("uint8", { 1, 2 }, { 200, 202 })))
            local s = rill.stream("unorm8x4", { 1, 1 }, { 0.2, 0.4, 0.6, 0.8 })
            assert.are.equal(header(1, 1, 4) .. "\xff\51\102\153\204" .. END, saved(s))
        end)

        it("splits long runs", function()
            assert.are.equal(header(126, 1, 3) .. "\xfd\xfd\xc1" .. END, saved(rill.stream("uint8", { 1, 126 })))
        end)

        it("is read back as it was, at many sizes", function()
            local used = {}
            for _, size in ipairs { { 1, 1 }, { 2, 1 }, { 1, 300 }, { 63, 1 }, { 7, 9 }, { 50, 70 }, { 200, 300 } } do
                local count = size[1] * size[2]
                for channels = count > 10000 and 4 or 3, 4 do
                    local want = samples(count, channels)
                    local s = channels == 4 and rill.stream("unorm8x4", size, want)
                        or load_bytes(("P6 %d %d 255\n"):format(size[2], size[1]) .. want)
                    local bytes = saved(s)
                    local got, count_of = decoded(bytes)
                    assert.is_true(got == want)
                    for kind, n in pairs(count_of) do
                        used[kind] = (used[kind] or 0) + n
                    end
                    local back = load_bytes(bytes)
                    assert.are.equal(channels == 4 and "vec4" or "vec3", back.type)
                    assert.are.same({ size[1], size[2] }, { table.unpack(back.shape) })
                    assert.is_true(bytes == saved(back))
                end
                local gray = rill.stream("uint8", size, samples(count, 3):sub(1, count))
                assert.is_true(gray:bytes() == load_bytes(saved(gray), "unorm8"):bytes())
            end
            for _, kind in ipairs { "rgb", "rgba", "place", "near", "luma", "run" } do
                assert.is_true((used[kind] or 0) > 100, kind)
            end
        end)

        it("refuses what the format does not hold", function()
            local deep = rill.stream("uint16", { 1, 1 }, 258)
            local ok, message = pcall(saved, deep)
            assert.is_false(ok)
            assert.matches("rill%.image%.save: cannot write '.*out%.qoi': the format holds no 16 bits", message)
            assert.are.equal(header(1, 1, 3) .. "\x7f" .. END, saved(deep, { depth = 8 }))
        end)
    end)
end)
