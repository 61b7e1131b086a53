local core = require "rill.core"
local rill = require "rill"
local check = require "spec.support.check"
local process = require "spec.support.process"
local tempfiles = require "spec.support.tempfiles"

-- Returns the output of a script whose output is not a terminal.
local function shown(script)
    return process.output(script)
end

describe("rill.show", function()
    it("draws letters of rising brightness into a pipe", function()
        local out = shown [[
            local rill = require "rill"
            rill.show(rill.from{{0, 0.25, 0.5, 0.75, 1}, {0, 0.25, 0.5, 0.75, 1}})
        ]]
        assert.are.equal(" :+#@\n", out)
    end)

    it("scales by min and max, and shrinks by averages", function()
        local out = shown [[
            local rill = require "rill"
            rill.show(rill.from({{0, 10}, {0, 10}}, "int"), {min = 0, max = 10})
            rill.show(rill.from{{0, 1, 1, 1}, {1, 0, 1, 1}, {0, 1, 1, 1}, {1, 0, 1, 1}}, {width = 2})
        ]]
        assert.are.equal(" @\n+@\n", out)
    end)

    local header = "rill = require 'rill' function show(type, ...) rill.show(rill.stream(type, {2, 2}, ...)) end "
    local half = "show('%s', 0.5)"

    it("reports once values outside 0 to 1, and how to draw them", function()
        assert.are.equal("@@\nvalues from 5 to 255, drawn in 0 to 1; {min = 5, max = 255} draws all\n" ..
            " @\n" ..
            "@@\nvalues from 2 to 2, drawn in 0 to 1; {min = 0, max = 2} draws all\n", shown [[
            local rill = require "rill"
            local s = rill.from{{5, 255}, {5, 255}}
            rill.show(s)
            rill.show(s, {min = 5, max = 255})
            rill.show(rill.stream("float", {2, 2}, 2), {text = true})
            rill.show(rill.stream("float", {2, 2}, 2))
        ]])
        local whole = header .. "show('uint8', 200) show('bool', true) show('unorm8', 1)"
        for _, type in ipairs {"float", "half", "vec4", "dvec3"} do whole = whole .. half:format(type) end
        assert.falsy(shown(whole):find "values")
        local nan = "{0 / 0, 0, 1 / 0, 3}"
        assert.truthy(shown(header .. "show('float', " .. nan .. ")"):find "values from 0 to 3, drawn")
        assert.falsy(shown(header .. "show('float', 0 / 0)"):find "values")
    end)

    it("reports values outside a range of which one end is given", function()
        local function note(type, values, options)
            return shown(("require('rill').show(require('rill').from({%s}, '%s'), {%s})"):format(values, type, options))
                :match "values.*"
        end
        assert.equal("values from -1 to 5, drawn in 0 to 10; {min = -1, max = 5} draws all\n",
            note("float", "{-1, 5}", "max = 10"))
        assert.equal("values from -3 to -2, drawn in 0 to -1; {min = -3, max = -2} draws all\n",
            note("float", "{-3, -2}", "max = -1"))
        assert.equal("values from 10 to 200, drawn in 0 to 100; {min = 10, max = 200} draws all\n",
            note("uint8", "{10, 200}", "max = 100"))
        assert.is_nil(note("float", "{-1, 5}", "min = -1, max = 2"))
        assert.is_nil(note("float", "{0.5, 5}", "max = 10"))
        assert.is_nil(note("uint8", "{10, 200}", ""))
    end)

    it("draws other integers from their minimum to their maximum", function()
        for _, type in ipairs {"int", "uint", "int16"} do
            local s = rill.from({{7, 8, 9, 10, 16}, {7, 8, 9, 10, 16}}, type)
            assert.equal(" .:-@\n", rill.show(s, {text = true}))
        end
        assert.equal("  @@\n", rill.show(rill.from({{-4, -5, -2, 1}}, "int"), {text = true, min = -4, max = -2}))
        assert.equal("@@  \n", rill.show(rill.from({{-4, -5, -2, 1}}, "int"), {text = true, min = -2, max = -4}))
        assert.equal(" .@\n", rill.show(rill.from({{1, 2, 9}}, "int"), {text = true, min = 1}))
        assert.equal("  \n", rill.show(rill.from({{3, 3}}, "int"), {text = true}))
    end)

    it("reports nothing if all values are inside, for any type #long", function()
        for _, type in ipairs {"float", "half", "double", "vec3", "vec4", "half4", "dvec3", "dvec4"} do
            assert.falsy(shown(header .. half:format(type)):find "values", type)
        end
    end)

    it("draws colors by their luminance, and expressions", function()
        local out = shown [[
            local rill = require "rill"
            local s = rill.stream("vec3", {2, 3}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}})
            rill.show(s)
        ]]
        assert.are.equal(":# \n", out)
    end)

    it("says what it can't draw", function()
        local s = rill.stream("float", {2, 2})
        local cases = {
            {"argument #1 's': expected an open stream, got number", 3},
            {"two dimensions of numbers, .* got stream<float>%[4x1x1%]", rill.stream("float", {4, 1, 1})},
            {"got stream<vec3>%[4%]", rill.stream("vec3", 4)},
            {"that is not empty, .* got stream<float>%[0%]", rill.stream("float", 0)},
            {"expected min below max, got 2 and 1", rill.stream("float", 4), {min = 2, max = 1}},
            {"option 'mode': expected kitty, iterm, blocks, 256 or ascii, got 'sixel'", s, {mode = "sixel"}},
            {"option 'width': expected a finite number, got inf", s, {width = math.huge}},
            {"got stream<vec2>%[2x2%]", rill.stream("vec2", {2, 2})},
            {"got stream<float>%[0x2%]", rill.stream("float", {0, 2})},
            {"unknown option 'wide'", s, {wide = 3}},
            {"option 'width': expected a number, got string", s, {width = "3"}},
            {"unknown colormap 'rainbow'", s, {colormap = "rainbow"}},
            {"option 'colormap': expected a stream of numbers", rill.stream("vec3", {2, 2}), {colormap = "gray"}},
            {"expected two different values, both are 1", s, {min = 1, max = 1}},
            {"argument #2 'options': expected a table", s, 5},
        }
        for _, case in ipairs(cases) do
            check.raises("rill%.show: .*" .. case[1], rill.show, case[2], case[3])
        end
    end)

    local checks = rill.from{{0, 1}, {1, 0}, {0.5, 1}}

    it("draws two pixels to a cell in 24 bits, and leaves the ground below an odd row alone", function()
        local black, white, gray = "2;0;0;0", "2;255;255;255", "2;128;128;128"
        local first = "\27[38;%s;48;%sm\u{2580}\27[38;%s;48;%sm\u{2580}\27[0m\n"
        local second = "\27[38;%s;49m\u{2580}\27[38;%s;49m\u{2580}\27[0m\n"
        local expected = first:format(black, white, white, black) .. second:format(gray, white)
        assert.are.equal(expected, rill.show(checks, {mode = "blocks", text = true}))
    end)

    it("draws the nearest of 256 colors", function()
        local s = rill.stream("vec3", {2, 3}, {
            {1, 0, 0}, {0.4, 0.4, 0.4}, {0, 0.55, 1}, {1, 1, 1}, {0, 0, 0}, {0.53, 0.69, 0},
        })
        local cell = "\27[38;5;%d;48;5;%dm\u{2580}"
        local expected = cell:format(196, 231) .. cell:format(241, 16) .. cell:format(33, 106) .. "\27[0m\n"
        assert.are.equal(expected, rill.show(s, {mode = 256, text = true}))
    end)

    local function unbase64(text)
        local digits, bits, out, held = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", 0, {}, 0
        for c in text:gsub("=", ""):gmatch "." do
            held, bits = held << 6 | digits:find(c, 1, true) - 1, bits + 6
            if bits >= 8 then
                bits = bits - 8
                out[#out + 1] = string.char(held >> bits & 255)
            end
        end
        return table.concat(out)
    end

    local function picture_of(png)
        local files = tempfiles.open()
        local path = files:path "sent.png"
        local file = assert(io.open(path, "wb"))
        file:write(png)
        file:close()
        local s = rill.image.load(path, "float")
        files:close()
        return s
    end

    it("sends a PNG by kitty's protocol, in pieces of 4096 bytes", function()
        local noise = rill.random({200, 100}, {seed = 1})
        local text, pieces = rill.show(noise, {mode = "kitty", text = true}), {}
        for keys, data in text:gmatch "\27_G([^;]*);([^\27]*)\27\\" do
            pieces[#pieces + 1] = data
            assert.is_true(#data <= 4096)
            if #pieces == 1 then
                assert.are.equal("a=T,f=100,q=2,c=80,m=1", keys)
            end
        end
        assert.is_true(#pieces > 2)
        assert.is_truthy(text:find "\27_Gm=0;[^\27]*\27\\\n$")
        local sent = picture_of(unbase64(table.concat(pieces))) -- 80 columns of 8 pixels: 6 pixels to an element
        assert.are.same({1200, 600}, {table.unpack(sent.shape)})
        assert.are.near(noise:get(200, 100), sent:get(1200, 600), 1 / 255)
    end)

    it("sends small pictures enlarged by whole numbers, in iTerm2's way", function()
        local text = rill.show(checks, {mode = "iterm", text = true})
        local pattern = "^\27%]1337;File=inline=1;size=(%d+);width=(%d+);preserveAspectRatio=1:([^\7]*)\7\n$"
        local size, width, data = text:match(pattern)
        local png = unbase64(data)
        assert.are.equal(#png, tonumber(size))
        assert.are.equal("2", width)
        local sent = picture_of(png)
        assert.are.same({24, 16}, {table.unpack(sent.shape)})
        for i = 1, 3 do
            for j = 1, 2 do
                local wanted = math.floor(checks:get(i, j) * 255 + 0.5) / 255
                assert.are.near(wanted, sent:get(8 * i - 7, 8 * j - 7), 1e-6)
                assert.are.near(wanted, sent:get(8 * i, 8 * j), 1e-6)
            end
        end
    end)

    it("draws a stream of one dimension as a sparkline", function()
        local function spark(values, options)
            options.text, options.mode = true, options.mode or "blocks"
            return rill.show(rill.type(values) and values or rill.from(values), options)
        end
        assert.are.equal("\u{2581}\u{2583}\u{2586}\u{2588}\n", spark({0, 1, 2, 3}, {}))
        assert.are.equal(" =@\n", spark({0, 1, 2}, {mode = "ascii"}):gsub("%+", "="))
        assert.are.equal("\u{2585}\u{2585}\n", spark({7, 7}, {}))
        assert.are.equal("\u{2581} \u{2588} \n", spark({1, 0 / 0, 3, 1 / 0}, {}))
        assert.are.equal("  \n", spark({0 / 0, 1 / 0}, {}))
        assert.are.equal("\u{2581}\u{2588}\n", spark({1, 3, 5, 7}, {width = 2}))
        assert.are.equal("\u{2588}\u{2581}\n", spark(rill.from({-5, 5, -300, -500}, "int"), {width = 2}))
        assert.are.equal("\u{2581}\u{2583}\n", spark({0, 1}, {min = 0, max = 4}))
    end)

    it("averages the parts of long streams correctly", function()
        for _, n in ipairs {79, 81, 1023, 100003} do
            local s = rill.random(n, {seed = n})
            local values, means = s:values(), require "rill.plot.sparkline".means(s, 79)
            assert.are.equal(79, #means)
            local parts = math.max(math.ceil(n / (79 * 1024)), 1)
            local at, most, rest = 0, n // (79 * parts), n % (79 * parts)
            for k = 1, 79 do
                local sum, count = 0, 0
                for chunk = (k - 1) * parts, k * parts - 1 do
                    local size = most + (chunk < rest and 1 or 0)
                    for i = at + 1, at + size do
                        sum = sum + values[i]
                    end
                    at, count = at + size, count + size
                end
                assert.are.near(sum / count, means[k], 1e-6)
            end
            assert.are.equal(n, at)
        end
    end)

    -- Returns the first characters of the output if standard output is a terminal and only these environment variables are set.
    local function look(variables)
        local getenv, terminal = os.getenv, core._terminal
        os.getenv = function(name) return variables[name] end -- luacheck: ignore
        core._terminal = function() return true, 80, 24, 8, 16 end
        local drawn, text = pcall(rill.show, rill.from{{0, 1}, {0, 1}}, {text = true})
        os.getenv, core._terminal = getenv, terminal -- luacheck: ignore
        assert(drawn, text)
        return (text:sub(1, 6):gsub("\27", "E"))
    end

    it("chooses the mode by environment variables", function()
        local cases = {
            {" @\n", {}}, {" @\n", {TERM = "dumb", COLORTERM = "truecolor"}}, {" @\n", {TERM = "xterm"}},
            {" @\n", {TERM = "vt100", COLORTERM = "truecolor"}}, {" @\n", {TERM = "linux", COLORTERM = "truecolor"}},
            {"E[38;5", {TERM = "xterm-256color"}}, {"E[38;2", {TERM = "xterm-256color", COLORTERM = "truecolor"}},
            {" @\n", {TERM = "xterm-256color", NO_COLOR = "1"}}, {"E[38;5", {TERM = "xterm-256color", NO_COLOR = ""}},
            {" @\n", {TERM = "xterm-256color", LANG = "de_DE.ISO-8859-1"}},
            {"E[38;5", {TERM = "xterm-256color", LANG = "de_DE.utf8"}},
            {"E_Ga=T", {TERM = "xterm-kitty"}}, {"E_Ga=T", {TERM = "xterm-256color", KITTY_WINDOW_ID = "1"}},
            {"E[38;5", {TERM = "tmux-256color", KITTY_WINDOW_ID = "1", TMUX = "/tmp/t"}},
            {"E]1337", {TERM = "xterm-256color", TERM_PROGRAM = "iTerm.app"}},
            {"E]1337", {TERM = "xterm-256color", TERM_PROGRAM = "WezTerm"}},
            {"E]1337", {TERM = "xterm-256color", LC_TERMINAL = "iTerm2"}},
        }
        for _, case in ipairs(cases) do
            assert.are.equal(case[1], look(case[2]))
        end
    end)

    it("fits tall and wide pictures into the terminal", function()
        local tall = rill.show(rill.stream("float", {5000, 3}, 1), {mode = "ascii", text = true})
        assert.are.equal(("@\n"):rep(200), tall)
        local wide = rill.show(rill.stream("float", {3, 5000}, 1), {mode = "ascii", text = true})
        assert.are.equal(("@"):rep(80) .. "\n", wide)
    end)
end)
