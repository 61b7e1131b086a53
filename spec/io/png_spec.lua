local rill = require "rill"
local pngwriter = require "spec.support.pngwriter"
local tempfiles = require "spec.support.tempfiles"

local channels = { gray = 1, gray_alpha = 2, rgb = 3, rgba = 4, palette = 1 }

-- Reproducible numbers in 0..limit.
local state = 1
local function number(limit)
    state = (state * 1103515245 + 12345) & 0x7FFFFFFF
    return (state >> 8) % (limit + 1)
end

local function picture(color, depth, width, height)
    local o = { color = color, depth = depth, width = width, height = height, samples = {} }
    for i = 1, width * height * channels[color] do
        o.samples[i] = number((1 << depth) - 1)
    end
    if color == "palette" then
        o.palette = {}
        for i = 1, 1 << depth do
            o.palette[i] = { number(255), number(255), number(255) }
        end
    end
    return o
end

-- The expected result of rill.image.load without a type, from the samples: a flat table of numbers, and the type's name.
local function expected(o)
    local white, n, values = (1 << o.depth) - 1, channels[o.color], {}
    local function add(...)
        for _, v in ipairs { ... } do
            values[#values + 1] = v
        end
    end
    for p = 0, o.width * o.height - 1 do
        local s = { table.unpack(o.samples, p * n + 1, p * n + n) }
        if o.color == "palette" then
            local entry = o.palette[s[1] + 1]
            add(entry[1] / 255, entry[2] / 255, entry[3] / 255)
            if o.trns then
                add((o.trns:byte(s[1] + 1) or 255) / 255)
            end
        elseif o.color == "gray" then
            local g = s[1] / white
            if o.trns then
                add(g, g, g, s[1] == string.unpack(">I2", o.trns) and 0 or 1)
            else
                add(g)
            end
        elseif o.color == "gray_alpha" then
            local g = s[1] / white
            add(g, g, g, s[2] / white)
        else
            for c = 1, n do
                add(s[c] / white)
            end
            if o.trns then
                local r, g, b = string.unpack(">I2I2I2", o.trns)
                add((s[1] == r and s[2] == g and s[3] == b) and 0 or 1)
            end
        end
    end
    local components = #values // (o.width * o.height)
    return values, ({ [1] = "float", [3] = "vec3", [4] = "vec4" })[components]
end

local function assert_close(want, got)
    assert.are.equal(#want, #got)
    for i = 1, #want do
        if math.abs(want[i] - got[i]) > 6e-8 then
            assert.are.equal(want[i], got[i], "number " .. i)
        end
    end
end

describe("PNG", function()
    local files
    setup(function() files = tempfiles.open() end)
    teardown(function() files:close() end)

    local function load_bytes(bytes, type)
        return rill.image.load(files:write("in.png", bytes), type)
    end

    local function failure(f, ...)
        local ok, message = pcall(f, ...)
        assert.is_false(ok)
        return message
    end

    describe("reading", function()
        local depths = {
            gray = { 1, 2, 4, 8, 16 }, palette = { 1, 2, 4, 8 },
            gray_alpha = { 8, 16 }, rgb = { 8, 16 }, rgba = { 8, 16 },
        }
        local sizes = { { 1, 1 }, { 3, 2 }, { 13, 11 }, { 8, 17 } }

        local function check(o)
            for _, interlaced in ipairs { false, true } do
                o.interlaced = interlaced
                local want, type = expected(o)
                local s = load_bytes(pngwriter.encode(o))
                assert.are.equal(type, s.type)
                assert.are.equal(o.height .. "x" .. o.width, tostring(s.shape))
                assert_close(want, s:values())
            end
        end

        for color, list in pairs(depths) do
            for _, depth in ipairs(list) do
                it(("gives %s of %d bits, interlaced too"):format(color, depth), function()
                    for _, size in ipairs(sizes) do
                        check(picture(color, depth, size[1], size[2]))
                    end
                end)
            end
        end

        it("turns tRNS into alpha", function()
            for _, depth in ipairs { 1, 2, 4, 8, 16 } do
                local o = picture("gray", depth, 7, 5)
                o.trns = string.pack(">I2", o.samples[1])
                check(o)
            end
            for _, depth in ipairs { 8, 16 } do
                local o = picture("rgb", depth, 7, 5)
                o.trns = string.pack(">I2I2I2", o.samples[1], o.samples[2], o.samples[3])
                check(o)
            end
            for _, depth in ipairs { 1, 2, 4, 8 } do
                local o = picture("palette", depth, 7, 5)
                o.trns = "\7\200"
                check(o)
            end
        end)

        it("converts to the type asked for", function()
            local o = picture("rgba", 8, 3, 2)
            local path = files:write("rgba.png", pngwriter.encode(o))
            local luminance, rgb, rgba, bytes = {}, {}, {}, {}
            for p = 0, 5 do
                local r, g, b, a = table.unpack(o.samples, p * 4 + 1, p * 4 + 4)
                luminance[#luminance + 1] = (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255
                for _, v in ipairs { r, g, b } do
                    rgb[#rgb + 1] = v / 255
                end
                for _, v in ipairs { r, g, b, a } do
                    rgba[#rgba + 1] = v / 255
                    bytes[#bytes + 1] = string.char(v)
                end
            end
            assert_close(luminance, rill.image.load(path, "float"):values())
            assert_close(rgb, rill.image.load(path, "vec3"):values())
            assert_close(rgba, rill.image.load(path, "vec4"):values())
            assert_close(rgba, rill.image.load(path, "float4"):values())
            assert.are.equal(table.concat(bytes), rill.image.load(path, "unorm8x4"):bytes())
            for i, v in ipairs(rill.image.load(path, "half4"):values()) do
                assert.is_true(math.abs(v - rgba[i]) <= 1 / 4096)
            end
        end)

        it("repeats gray and adds alpha 1", function()
            local path = files:write("gray.png", pngwriter.encode {
                color = "gray", depth = 8, width = 2, height = 1, samples = { 0, 51 } })
            assert_close({ 0, 0, 0, 0.2, 0.2, 0.2 }, rill.image.load(path, "vec3"):values())
            assert_close({ 0, 0, 0, 1, 0.2, 0.2, 0.2, 1 }, rill.image.load(path, "vec4"):values())
            assert.are.equal("\0\51", rill.image.load(path, "unorm8"):bytes())
            assert.are.same({ 0, 51 }, rill.image.load(path, "uint8"):values())
            assert.are.same({ 0, 51 }, rill.image.load(path, "uint16"):values())
        end)

        it("refuses types that do not fit the image", function()
            local gray16 = files:write("gray16.png", pngwriter.encode(picture("gray", 16, 2, 2)))
            local rgb = files:write("rgb.png", pngwriter.encode(picture("rgb", 8, 2, 2)))
            assert.matches("argument #2 'type'.*unorm8x4", failure(rill.image.load, rgb, "vec2"))
            assert.matches("argument #2 'type'", failure(rill.image.load, rgb, "int"))
            assert.matches("argument #2 'type'", failure(rill.image.load, rgb, "flaot"))
            assert.matches("rgb.png.*gray image", failure(rill.image.load, rgb, "uint8"))
            assert.matches("gray16.png.*16 bits.*'uint16'", failure(rill.image.load, gray16, "uint8"))
        end)

        it("reads the camera picture exactly", function()
            local data, why = tempfiles.data()
            if not data then
                pending(why)
                return
            end
            local s = rill.image.load(data .. "/images/camera.png", "uint8")
            local sum = 0
            for _, v in ipairs(s:values()) do
                sum = sum + v
            end
            assert.are.equal("512x512", tostring(s.shape))
            assert.are.equal(33832495, sum)
            assert.are.equal(0x59c2562e, pngwriter.crc32(s:bytes()))
        end)
    end)

    describe("bad input", function()
        local good = pngwriter.encode(picture("rgb", 8, 5, 4))

        local function refused(bytes, pattern)
            local message = failure(load_bytes, bytes)
            assert.matches("rill%.image%.load: cannot read '.*in%.png'", message)
            assert.matches(pattern or ".", message)
        end

        it("is refused at every length short of the whole", function()
            for length = 0, #good - 1 do
                refused(good:sub(1, length))
            end
            assert.are.equal("vec3", load_bytes(good).type)
        end)

        it("is refused when any byte of a chunk is wrong", function()
            for at = 9, #good do
                local other = string.char(good:byte(at) ~ 0x10)
                refused(good:sub(1, at - 1) .. other .. good:sub(at + 1))
            end
        end)

        it("is refused when a chunk other than IDAT is damaged", function()
            local o = picture("palette", 4, 5, 4)
            o.trns = "\1\2\3"
            o.extra = pngwriter.chunk("tEXt", "Comment\0drawn by a spec")
            local whole = pngwriter.encode(o)
            assert.are.equal("vec4", load_bytes(whole).type)
            for _, data in ipairs { "\1\2\3", "drawn" } do
                local at = whole:find(data, 1, true)
                refused(whole:sub(1, at) .. "!" .. whole:sub(at + 2), "CRC error")
            end
        end)

        it("with a false size is refused", function()
            for _, header in ipairs { { width = 6 }, { height = 5 }, { height = 3 },
                    { width = 2000000000, height = 2000000000 }, { width = 40000, height = 40000 },
                    { width = 1, height = 2147483647 }, { width = 0 }, { height = 0 },
                    { width = 4294967295 } } do
                local o = picture("rgb", 8, 5, 4)
                o.header = header
                refused(pngwriter.encode(o))
            end
            local o = picture("gray", 8, 4, 4)
            o.header = { width = 60000, height = 60000 }
            refused(pngwriter.encode(o), "60000 rows and 60000 columns, more than its %d+ bytes can hold")
        end)

        it("that is not an image is refused", function()
            refused("", "empty")
            refused("return 1", "not an image that rill reads")
            refused("\x89PNG\r\n\x1a\n")
            refused(("\x89PNG\r\n\x1a\n"):rep(100))
        end)

        it("names the path and the reason", function()
            assert.matches("rill%.image%.load: cannot read '/proc/missing/a%.png': No such file",
                failure(rill.image.load, "/proc/missing/a.png"))
            assert.matches("is a directory", failure(rill.image.load, files.directory))
            assert.matches("argument #1 'path'", failure(rill.image.load))
            assert.matches("argument #1 'path'", failure(rill.image.load, 5))
            assert.matches("argument #1 'path'", failure(rill.image.load, "a\0b.png"))
        end)
    end)

    describe("writing", function()
        local function save(s, options, name)
            local path = files:path(name or "out.png")
            rill.image.save(s, path, options)
            return path
        end

        local function gray_bytes(s, options)
            return rill.image.load(save(s, options), "uint8"):values()
        end

        local function shaped(type, rows, cols, limit)
            local n = (type:match "[34]$" or 1) * rows * cols
            local values = {}
            for i = 1, n do
                values[i] = number(limit)
            end
            return values
        end

        it("keeps 8 and 16 bits exactly", function()
            for _, case in ipairs { { "uint8", 255 }, { "uint16", 65535 } } do
                local type, limit = case[1], case[2]
                local s = rill.stream(type, { 9, 7 }, shaped(type, 9, 7, limit))
                assert.are.equal(s:bytes(), rill.image.load(save(s), type):bytes())
            end
            for _, type in ipairs { "unorm8", "unorm8x4" } do
                local values = shaped(type, 9, 7, 255)
                for i, v in ipairs(values) do
                    values[i] = string.char(v)
                end
                local s = rill.stream(type, { 9, 7 }, table.concat(values))
                assert.are.equal(s:bytes(), rill.image.load(save(s), type):bytes())
            end
        end)

        it("keeps every 16-bit level through floats", function()
            local levels = {}
            for i = 0, 65535 do
                levels[i + 1] = i
            end
            local raw = rill.stream("uint16", { 256, 256 }, levels)
            local s = rill.image.load(save(raw))
            assert.are.equal("float", s.type)
            assert.are.equal(raw:bytes(), rill.image.load(save(s, { depth = 16 }), "uint16"):bytes())
        end)

        it("keeps colors and alpha of 8 and 16 bits", function()
            for _, color in ipairs { "rgb", "rgba" } do
                for _, depth in ipairs { 8, 16 } do
                    local o = picture(color, depth, 6, 5)
                    local s = load_bytes(pngwriter.encode(o))
                    local again = rill.image.load(save(s, { depth = depth }))
                    assert.are.equal(s.type, again.type)
                    assert.are.equal(s:bytes(), again:bytes())
                end
            end
        end)

        it("scales from 8 to 16 bits and back", function()
            local s = rill.stream("uint8", { 1, 3 }, { 0, 100, 255 })
            local path = save(s, { depth = 16 })
            assert.are.same({ 0, 25700, 65535 }, rill.image.load(path, "uint16"):values())
            assert.are.same({ 0, 100, 255 }, gray_bytes(rill.image.load(path, "uint16"), { depth = 8 }))
        end)

        it("clamps to 0..1 and writes NaN black", function()
            local s = rill.stream("float", { 1, 8 }, { -1, 0, 0.5, 1, 2, 0 / 0, 1 / 0, -1 / 0 })
            assert.are.same({ 0, 0, 128, 255, 255, 0, 255, 0 }, gray_bytes(s))
        end)

        it("scales by min and max", function()
            local s = rill.stream("float", { 1, 5 }, { -20, -10, 0, 10, 20 })
            assert.are.same({ 0, 0, 128, 255, 255 }, gray_bytes(s, { min = -10, max = 10 }))
            assert.are.same({ 255, 255, 128, 0, 0 }, gray_bytes(s, { min = 10, max = -10 }))
            local c = rill.stream("vec4", { 1, 1 }, { { 0, 5, 10, 0.5 } })
            assert.are.equal("\0\128\255\128", rill.image.load(save(c, { max = 10 }), "unorm8x4"):bytes())
        end)

        it("takes every type of images", function()
            assert.are.same({ 0, 255 }, gray_bytes(rill.stream("bool", { 1, 2 }, { false, true })))
            assert.are.same({ 0, 128 }, gray_bytes(rill.stream("half", { 1, 2 }, { 0, 0.5 })))
            for _, type in ipairs { "int", "uint", "int8", "int16" } do
                assert.are.same({ 0, 255 }, gray_bytes(rill.stream(type, { 1, 2 }, { 0, 100 }), { min = 0, max = 100 }))
            end
            local h = rill.stream("half4", { 1, 1 }, { { 0, 0.25, 0.5, 1 } })
            assert.are.equal("\0\64\128\255", rill.image.load(save(h), "unorm8x4"):bytes())
        end)

        it("draws views as they are", function()
            local s = rill.stream("uint8", { 3, 4 }, { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 })
            assert.are.same({ 6, 7, 10, 11 }, gray_bytes(s:domain({ 2, 2 }, { 3, 3 })))
            assert.are.same({ 1, 5, 9, 2, 6, 10, 3, 7, 11, 4, 8, 12 }, gray_bytes(s:transpose()))
            assert.are.same({ 0, 0, 0, 128, 128, 128 }, gray_bytes(rill.iter("float", { 2, 1 }, 0, 1):replicate(1, 3)))
        end)

        it("leaves the stream as it was", function()
            local s = rill.stream("float", { 2, 2 }, { 1, 2, 3, 4 })
            save(s, { min = 1, max = 4, colormap = "magma" })
            assert.are.same({ 1, 2, 3, 4 }, s:values())
        end)

        it("refuses streams that are not images", function()
            local path = files:path "never.png"
            local function refused(s, pattern, options)
                assert.matches("^[^\n]*rill%.image%.save: .*" .. pattern, failure(rill.image.save, s, path, options))
            end
            refused(rill.stream("vec2", { 2, 2 }), "float, vec3, vec4.*got stream<vec2>")
            refused(rill.stream("ivec3", { 2, 2 }), "float, vec3, vec4")
            refused(rill.stream("float", 4), "2 dimensions.*got stream<float>%[4%]")
            refused(rill.stream("float", { 2, 2, 3 }), "2 dimensions")
            refused(rill.stream("float", { 0, 3 }), "at least one element")
            refused(rill.stream("int", { 2, 2 }), "min and max")
            refused(rill.stream("int", { 2, 2 }), "min and max", { min = 0 })
            refused(rill.stream("vec3", { 2, 2 }), "'colormap'", { colormap = "viridis" })
            refused({}, "argument #1 's'")
            local closed = rill.stream("float", { 2, 2 })
            closed:close()
            refused(closed, "closed stream")
            assert.is_nil(io.open(path))
        end)

        it("refuses options it does not know", function()
            local s, path = rill.stream("float", { 2, 2 }), files:path "never.png"
            local function refused(options, pattern)
                assert.matches("rill%.image%.save: .*" .. pattern, failure(rill.image.save, s, path, options))
            end
            refused({ colourmap = "magma" },
                "unknown option 'colourmap': expected colormap, depth, max, min, quality; did you mean 'colormap'?")
            refused({ "magma" }, "unknown option number 1")
            refused({ colormap = "jet" }, "'jet': expected viridis, magma, gray or coolwarm")
            refused({ colormap = 1 }, "'colormap'")
            refused({ depth = 12 }, "'depth': expected 8 or 16, got number 12")
            refused({ min = 0 / 0 }, "'min': expected a finite number")
            refused({ min = "0" }, "'min': expected a finite number")
            refused({ max = 1 / 0 }, "'max'")
            refused({ min = 1 }, "two different values")
            refused("magma", "argument #3 'options'")
            assert.is_nil(io.open(path))
        end)

        it("names the path and the reason when it cannot write", function()
            local s = rill.stream("float", { 2, 2 })
            assert.matches("cannot write '/proc/missing/a%.png': No such file or directory",
                failure(rill.image.save, s, "/proc/missing/a.png"))
            assert.matches("cannot write '/proc/a%.png': ", failure(rill.image.save, s, "/proc/a.png"))
            local plain = files:write("plain", "")
            assert.matches("Not a directory", failure(rill.image.save, s, plain .. "/a.png"))
            assert.matches("extension '.tga' is not one of .png", failure(rill.image.save, s, files:path "a.tga"))
            assert.matches("extension", failure(rill.image.save, s, files:path "png"))
            assert(os.execute("mkdir '" .. files:path "dir.png" .. "'"))
            assert.matches("is a directory", failure(rill.image.save, s, files:path "dir.png"))
            assert.matches("argument #2 'path'", failure(rill.image.save, s))
        end)

        it("replaces a file whole and leaves nothing else behind", function()
            local own = tempfiles.open()
            local path = own:path "a.png"
            rill.image.save(rill.stream("float", { 2, 2 }), path)
            rill.image.save(rill.stream("float", { 3, 3 }), path)
            assert.are.equal("3x3", tostring(rill.image.load(path).shape))
            local before = own.read(path)
            failure(rill.image.save, rill.stream("vec4", { 2, 2 }), own:path "a.ppm")
            assert.are.equal(before, own.read(path))
            assert.matches("File name too long",
                failure(rill.image.save, rill.stream("float", { 2, 2 }), own:path(("a"):rep(300) .. ".png")))
            assert.are.same({ "a.png" }, own:list())
            assert(os.execute("ln -s a.png '" .. own:path "link.png" .. "'"))
            rill.image.save(rill.stream("float", { 4, 4 }), own:path "link.png")
            assert.are.equal("4x4", tostring(rill.image.load(path).shape))
            own:close()
        end)
    end)
end)
