-- NaN is "nan" wherever rill writes or gives it: C prints the sign of a NaN, which differs between drivers and says nothing.
local rill = require "rill"
local check = require "spec.support.check"
local pretty = require "rill.shell.pretty"
local process = require "spec.support.process"

-- NaN with and without a sign, by their bits.
local nans = {
    float = rill.stream("float", 2, ("<I4I4"):pack(0x7fc00000, 0xffc00000)),
    double = rill.stream("double", 2, ("<I8I8"):pack(0x7ff8000000000000, 0xfff8000000000000)),
    half = rill.stream("half", 2, ("<I2I2"):pack(0x7e00, 0xfe00)),
    vec2 = rill.stream("vec2", 1, ("<I4I4"):pack(0x7fc00000, 0xffc00000)),
}

describe("NaN", function()
    it("has no sign in what a stream gives", function()
        for name, s in pairs(nans) do
            assert.falsy(tostring(s):find "-nan", name)
            assert.truthy(tostring(s):find "nan", name)
            for _, value in ipairs(s:values()) do
                assert.equal("nan", tostring(value), name)
            end
            assert.equal("nan", tostring(s:request():values()[#s]), name)
            for _, value in s:each() do
                assert.equal("nan", tostring(type(value) == "table" and value[2] or value), name)
            end
        end
        local s = nans.float
        assert.equal("nan", tostring(s[2]))
        assert.equal("nan", tostring(s:get(2)))
        assert.equal("nan", tostring(s:map_cpu()[2]))
        for _, reduction in ipairs {"sum", "min", "max", "mean", "prod", "var", "std", "norm"} do
            assert.equal("nan", tostring(s[reduction](s)), reduction)
        end
        assert.falsy(tostring(s * -1):find "-nan")
        assert.falsy(tostring(nans.vec2:sum()[2]):find "-nan")
    end)

    it("has no sign at the prompt, in statistics and pictures", function()
        assert.equal("nan", pretty.text(0 / 0, 80))
        assert.equal("nan", pretty.text(-(0 / 0), 80))
        assert.equal("{ nan, a = nan }", pretty.text({0 / 0, a = -(0 / 0)}, 80))
        assert.falsy(tostring(nans.float:stats()):find "-nan")
        local shown = process.output [[
            local rill = require "rill"
            local s = rill.stream("float", {2, 2}, ("<I4I4I4I4"):pack(0xffc00000, 0x7fc00000, 0xffc00000, 0x7fc00000))
            require "rill.shell.preview"(s, 80)
            require "rill.shell.preview"(s:reshape(4), 80)
            rill.show(s, {mode = "ascii"})
        ]]
        assert.falsy(shown:find "-nan", shown)
        assert.truthy(shown:find "nan")
    end)

    it("has no sign in messages", function()
        local s = rill.iota(2)
        for _, nan in ipairs {0 / 0, -(0 / 0)} do
            for _, f in ipairs {
                function() rill.random(3, {sd = nan, distribution = "normal"}) end,
                function() rill.random(3, {low = nan, high = 1}) end,
                function() rill.random(3, {low = nan, high = 1, type = "int"}) end,
                function() rill.show(rill.stream("float", {2, 2}), {min = nan}) end,
                function() rill.plot({1, 2}, {xmin = nan}) end,
                function() rill.animate("x.png", {fps = nan}) end,
                function() s:get(nan) end,
                function() s:fill(nan) end,
                function() rill.iter("float", 3, nan, 1) end,
                function() rill.stream("float", nan) end,
                function() return s + {nan} end,
                function() rill.progress(nan, nan) end,
                function() return rill.image.save(rill.stream("float", {2, 2}), "x.png", nan) end,
            } do
                local message = check.failure(f)
                assert.falsy(message:find "-nan", message)
            end
        end
    end)
end)
