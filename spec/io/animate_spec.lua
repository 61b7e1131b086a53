local rill = require "rill"
local check = require "spec.support.check"
local tempfiles = require "spec.support.tempfiles"

-- CRC-32 bit by bit, as the PNG specification defines it.
local function crc(bytes)
    local value = 0xffffffff
    for i = 1, #bytes do
        value = value ~ bytes:byte(i)
        for _ = 1, 8 do
            value = value & 1 == 1 and value >> 1 ~ 0xedb88320 or value >> 1
        end
    end
    return value ~ 0xffffffff
end

local function read(path)
    local file = assert(io.open(path, "rb"))
    local bytes = file:read "a"
    file:close()
    return bytes
end

local function write(path, bytes)
    local file = assert(io.open(path, "wb"))
    file:write(bytes)
    file:close()
end

-- The chunks of a PNG, each checked: {type =, data =}.
local function chunks(bytes)
    assert.are.equal("\137PNG\r\n\26\n", bytes:sub(1, 8))
    local list, at = {}, 9
    while at <= #bytes do
        local size, kind = string.unpack(">I4c4", bytes, at)
        local data = bytes:sub(at + 8, at + 7 + size)
        assert.are.equal(size, #data)
        assert.are.equal(crc(kind .. data), (string.unpack(">I4", bytes, at + 8 + size)))
        list[#list + 1] = {type = kind, data = data}
        at = at + 12 + size
    end
    return list
end

local function chunk(kind, data)
    return string.pack(">I4", #data) .. kind .. data .. string.pack(">I4", crc(kind .. data))
end

-- Parses an animation: {frames =, plays =, list of {width, height, delay = {,}, png = a file of the frame}}.
local function decode(bytes)
    local list, found, sequence = chunks(bytes), {}, 0
    assert.are.equal("IHDR", list[1].type)
    assert.are.equal("acTL", list[2].type)
    assert.are.equal("IEND", list[#list].type)
    found.frames, found.plays = string.unpack(">I4I4", list[2].data)
    local function counted(data)
        assert.are.equal(sequence, (string.unpack(">I4", data)))
        sequence = sequence + 1
    end
    for i = 3, #list - 1 do
        local kind, data = list[i].type, list[i].data
        if kind == "fcTL" then
            counted(data)
            local _, width, height, x, y, num, den, dispose, blend = string.unpack(">I4I4I4I4I4I2I2BB", data)
            assert.are.same({0, 0, 0, 0, 26}, {x, y, dispose, blend, #data})
            found[#found + 1] = {width = width, height = height, delay = {num, den}, data = {}}
        elseif kind == "fdAT" then
            assert.is_true(#found > 1)
            counted(data)
            table.insert(found[#found].data, data:sub(5))
        else
            assert.are.equal("IDAT", kind)
            assert.are.equal(1, #found)
            table.insert(found[1].data, data)
        end
    end
    for _, frame in ipairs(found) do
        local parts = chunk("IHDR", list[1].data) .. chunk("IDAT", table.concat(frame.data)) .. chunk("IEND", "")
        frame.png = "\137PNG\r\n\26\n" .. parts
    end
    return found
end

describe("rill.animate", function()
    local files
    setup(function() files = tempfiles.open() end)
    teardown(function() files:close() end)

    local function left_over()
        local pipe = assert(io.popen(("ls -A '%s' | grep -c '^.rill-'"):format(files.directory)))
        local count = pipe:read "n"
        pipe:close()
        return count
    end

    it("writes an animated PNG whose frames come back, the first one for any reader of PNG", function()
        local path, frames = files:path "moving.png", {}
        local a = rill.animate(path, 25)
        for k = 1, 5 do
            frames[k] = rill.random({31, 200}, {seed = k, type = "float"}):map "floor(x * 255.0) / 255.0"
            assert.are.equal(a, a:frame(frames[k]))
        end
        assert.is_nil(io.open(path)) -- not before it is closed
        a:close()
        a:close()
        local found = decode(read(path))
        assert.are.same({5, 0, 5}, {found.frames, found.plays, #found})
        for k, frame in ipairs(found) do
            assert.are.same({200, 31, 1, 25}, {frame.width, frame.height, table.unpack(frame.delay)})
            write(files:path "frame.png", frame.png)
            check.equal(frames[k]:values(), rill.image.load(files:path "frame.png"):values(), 1e-6)
        end
        check.equal(frames[1]:values(), rill.image.load(path):values(), 1e-6)
        assert.are.equal(0, left_over())
    end)

    it("takes the options and types of rill.image.save", function()
        local path = files:path "types.png"
        do
            local a <close> = rill.animate(path, 12.5)
            local s, whole = rill.iota {4, 6}:cast "float", rill.iota {4, 6}
            a:frame(s, {min = 0, max = 23, colormap = "viridis"})
            a:frame(rill.stream("vec3", {4, 6}, {1, 0, 0}))
            local cases = {
                {"the first frame has 3 channels of 8 bits, this one 1 of 8", s},
                {"the first frame is of 4x6 pixels, this one of 6x4", rill.stream("vec3", {6, 4})},
                {"argument #1 's': expected a stream", 3},
                {"argument #2 'options': expected a table", s, 3},
                {"a stream of int requires the options min and max", whole},
                {"option 'colormap': unknown colormap 'jet'", s, {colormap = "jet"}},
            }
            for _, case in ipairs(cases) do
                check.raises("a:frame: " .. case[1], a.frame, a, case[2], case[3])
            end
        end
        local found = decode(read(path)) -- what failed left no trace
        assert.are.same({2, 10, 125}, {#found, table.unpack(found[1].delay)})
        local options = {min = 0, max = 23, colormap = "viridis"}
        rill.image.save(rill.iota {4, 6}:cast "float", files:path "still.png", options)
        assert.are.equal(rill.image.load(files:path "still.png"):bytes(), rill.image.load(path):bytes())
    end)

    it("gives every rate a fraction of seconds", function()
        local cases = {
            {1, {1, 1}}, {60, {1, 60}}, {29.97, {100, 2997}}, {0.5, {10, 5}}, {0.3, {10, 3}}, {1000, {1, 1000}},
            {1 / 3, {3000, 1000}},
        }
        for _, case in ipairs(cases) do
            local a = rill.animate(files:path "rate.png", case[1])
            a:frame(rill.stream("float", {1, 1}))
            a:close()
            assert.are.same(case[2], decode(read(files:path "rate.png"))[1].delay)
        end
    end)

    it("leaves the path as it was when there is no frame, and whole after an error", function()
        local path = files:path "kept.png"
        write(path, "what it held")
        local a = rill.animate(path, 10)
        assert.are.equal(("animation '%s' (no frame yet)"):format(path), tostring(a))
        check.raises("a:close: no frame was written", a.close, a)
        assert.are.equal("what it held", read(path))
        assert.are.equal("animation (closed)", tostring(a))
        check.raises("a:frame: the animation is closed", a.frame, a, rill.stream("float", {1, 1}))
        check.raises("the reason", function()
            local b <close> = rill.animate(path, 10)
            b:frame(rill.stream("float", {2, 2}))
            error "the reason"
        end)
        assert.are.equal(1, #decode(read(path)))
        rill.animate(path, 10):frame(rill.stream("float", {3, 3}))
        check.collect() -- forgotten: ended by the collector
        assert.are.same({3, 3}, {table.unpack(rill.image.load(path).shape)})
        assert.are.equal(0, left_over())
    end)

    it("says what is wrong with its arguments", function()
        local cases = {
            {"argument #1 'path': expected a path %(a string%), got nil"}, {"argument #1 'path'", 5, 5},
            {"'x.avi': expected a path in .png", "x.avi", 5}, {"'x': expected a path in", "x", 5},
            {"argument #2 'fps': expected frames per second, 0.02 to 1000, got string", "x.png", "fast"},
            {"got 0", "x.png", 0}, {"got inf", "x.png", math.huge}, {"got %-?nan", "x.png", 0 / 0},
            {"cannot write '/no/such/x.png': No such file", "/no/such/x.png", 5},
            {"is a directory", files.directory .. "/.png", 5},
        }
        os.execute(("mkdir '%s/.png'"):format(files.directory))
        for _, case in ipairs(cases) do
            check.raises("rill.animate: .*" .. case[1], rill.animate, case[2], case[3])
        end
        os.execute(("rmdir '%s/.png'"):format(files.directory))
    end)

    local has_ffmpeg = os.execute "command -v ffmpeg >/dev/null 2>&1"

    it("raises an error if ffmpeg is not installed", function()
        local process = require "spec.support.process"
        local interpreter = io.popen("command -v " .. (os.getenv "RILL_LUA" or "lua5.4")):read()
        local out = process.output(([[
            local rill = require "rill"
            print(select(2, pcall(rill.animate, "%s/film.mp4", 25)))
        ]]):format(files.directory), {RILL_LUA = interpreter, PATH = "/nowhere:" .. interpreter:match "^(.*)/"})
        if not has_ffmpeg or not os.execute(("test -x '%s/ffmpeg'"):format(interpreter:match "^(.*)/")) then
            local said = "film.mp4': .mp4 is written by the program ffmpeg, which is not on PATH; install it"
            assert.is_truthy(out:find(said, 1, true))
        end
    end)

    -- A replacement for ffmpeg: keeps its input, or fails.
    local function with_ffmpeg(script, body)
        local directory = files:path "bin"
        os.execute(("mkdir -p '%s'"):format(directory))
        write(directory .. "/ffmpeg", "#!/bin/sh\n" .. script)
        os.execute(("chmod +x '%s/ffmpeg'"):format(directory))
        local process = require "spec.support.process"
        return process.output(body, {PATH = directory .. ":" .. os.getenv "PATH", OUT = files:path "film.mp4"})
    end

    it("hands raw frames to ffmpeg", function()
        local out = with_ffmpeg('for last; do :; done; { echo "$@"; cat; } > "${last#file:}"\n', [[
            local rill = require "rill"
            local a <close> = rill.animate(os.getenv "OUT", 29.97)
            for k = 0, 2 do
                a:frame(rill.stream("vec3", {1, 2}, {k / 255, 1, 0}))
            end
            print(pcall(a.frame, a, rill.stream("vec3", {2, 2})))
            print(pcall(a.frame, a, rill.stream("float", {1, 2})))
            print(pcall(a.frame, a, rill.stream("vec3", {1, 2}), {depth = 16}))
        ]])
        assert.is_truthy(out:find "a:frame: the first frame is of 1x2 pixels, this one of 2x2\n")
        assert.is_truthy(out:find "a:frame: the first frame has 3 channels, this one 1\n")
        assert.is_truthy(out:find "a:frame: option 'depth': a video has 8 bits, got 16\n")
        local words, frames = read(files:path "film.mp4"):match "^([^\n]*)\n(.*)$"
        local input = "-f rawvideo -pixel_format rgb24 -video_size 2x1 -framerate 29970/1000 -i pipe:0"
        assert.is_truthy(words:find(input, 1, true))
        assert.is_truthy(words:find " file:[^ ]*%.tmp$") -- no path is an option, nor another protocol's
        assert.are.equal("\0\255\0\0\255\0" .. "\1\255\0\1\255\0" .. "\2\255\0\2\255\0", frames)
        assert.are.equal(0, left_over())
    end)

    it("reports ffmpeg's message when it failed, early or late", function()
        write(files:path "film.mp4", "what it held")
        local out = with_ffmpeg("echo no such codec >&2; exit 1\n", [[
            local rill = require "rill"
            local a = rill.animate(os.getenv "OUT", 25)
            local big, good, message = rill.stream("float", {1000, 1000})
            for _ = 1, 50 do
                good, message = pcall(a.frame, a, big)
                if not good then break end
            end
            print(message)
            print(pcall(a.close, a))
        ]])
        assert.is_truthy(out:find "a:frame: cannot write '[^\n]*film.mp4': ffmpeg failed: no such codec\n")
        assert.is_truthy(out:find "false\ta:close: ffmpeg has failed before")
        out = with_ffmpeg("cat > /dev/null; echo disk full; exit 3\n", [[
            local rill = require "rill"
            local a = rill.animate(os.getenv "OUT", 25)
            a:frame(rill.stream("float", {2, 2}))
            print(pcall(a.close, a))
        ]])
        assert.is_truthy(out:find "a:close: cannot write '[^\n]*film.mp4': ffmpeg failed: disk full")
        assert.are.equal("what it held", read(files:path "film.mp4"))
        assert.are.equal(0, left_over())
    end)

    it("writes videos with the ffmpeg that is installed", function()
        if not has_ffmpeg then
            pending "ffmpeg is not installed"
            return
        end
        for extension, mark in pairs {mp4 = "^....ftyp", gif = "^GIF89a", webm = "^\x1a\x45\xdf\xa3"} do
            local path = files:path("film." .. extension)
            do
                local a <close> = rill.animate(path, 10)
                for k = 1, 3 do
                    a:frame(rill.stream("float", {33, 47}, k / 4), {colormap = "magma"})
                end
            end
            assert.is_truthy(read(path):find(mark))
        end
        assert.are.equal(0, left_over())
    end)
end)
