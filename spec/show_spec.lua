local rill = require "rill"
local check = require "spec.support.check"
local process = require "spec.support.process"

-- What a script prints when its output is no terminal.
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

    it("draws colours by their luminance, and expressions", function()
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
            {"argument #1 's': expected a stream, got number", 3},
            {"two dimensions and of float, .* got stream<float>%[4%]", rill.stream("float", 4)},
            {"got stream<vec2>%[2x2%]", rill.stream("vec2", {2, 2})},
            {"got stream<float>%[0x2%]", rill.stream("float", {0, 2})},
            {"a stream of int needs the options min and max", rill.stream("int", {2, 2})},
            {"unknown option 'wide'", s, {wide = 3}},
            {"option 'width': expected a number, got string", s, {width = "3"}},
            {"there is no colormap 'rainbow'", s, {colormap = "rainbow"}},
            {"option 'colormap' is for streams of numbers", rill.stream("vec3", {2, 2}), {colormap = "gray"}},
            {"both are 1, which leaves no range", s, {min = 1, max = 1}},
            {"argument #2 'options': expected a table", s, 5},
        }
        for _, case in ipairs(cases) do
            check.raises("rill%.show: .*" .. case[1], rill.show, case[2], case[3])
        end
    end)
end)
