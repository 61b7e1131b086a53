-- Tuning choices, which affect speed only: they are measured once, kept, forced by RILL_TUNE, and change no result.
local process = require "spec.support.process"
local shortened = require "spec.support.shortened"
local tempfiles = require "spec.support.tempfiles"

local PRINT <const> = [[
    local rill = require "rill"
    local names = {}
    for name, choice in pairs(rill.device().tuning) do
        local count = 0
        for _, seconds in pairs(choice.seconds) do
            assert(seconds > 0 and seconds < 1)
            count = count + 1
        end
        names[#names + 1] = ("%s=%d %s %d"):format(name, choice.value, choice.source, count)
    end
    table.sort(names)
    print(table.concat(names, "\n"))
    print(rill.memory().bytes, rill.memory().streams, rill.memory().pooled)
]]

-- Runs kernels that depend on each choice, with some reductions. Prints the bytes of their results as one number.
local COMPUTE <const> = [[
    local rill = require "rill"
    local sum = 0
    local function add(s)
        for i, byte in ipairs {s:bytes():byte(1, -1)} do sum = (sum * 31 + byte * i) %% 1000000007 end
    end
    for _, n in ipairs {1, 3, 15, 16, 17, 64, 255, 1000, 4099} do
        local x, y = rill.random(n, {seed = n}), rill.random(n, {seed = n + 1})
        add(x:map "2.5 * x + 0.1")
        add((x * y + x):eval())
        add(x:cast "half":map "x + 1.0")
        add(x:cast "double":map "x * 3.0LF")
        add(rill.gather(x, rill.floor(y * n):eval():cast "int"))
        add(x:domain(1, n // 2 + 1):map "x + 1.0")
    end
    local blur = rill.kernel [=[
        kernel void blur(neighbor float u<>, out float r<>) { r = u[ivec2(-1, 0)] + u[ivec2(0, 1)] - u[ivec2(1, -1)]; }
    ]=]
    for _, shape in ipairs {{1, 1}, {3, 5}, {17, 31}, {64, 64}} do
        local x = rill.random(shape, {seed = 5})
        add(blur(x))
        for _, operation in ipairs {%s} do
            add(x[operation](x, 1))
            add(x[operation](x, 2))
            add(rill.from({x[operation](x)}, "double"))
        end
    end
    print(sum)
]]

-- Sorts and transforms of the family gpu. Prints the bytes of the sorts as one number, and the greatest error of the
-- transforms of whole numbers of some shapes, which are transformed back.
local GPU <const> = [[
    local rill = require "rill"
    local sum, most = 0, 0
    local keys = rill.random(20000, {seed = 7, type = "int", low = -1000, high = 1000})
    for i, place in ipairs(rill.argsort(keys):values()) do sum = (sum * 31 + place * i) %% 1000000007 end
    for i, byte in ipairs {keys:sort():bytes():byte(1, 7000)} do sum = (sum * 31 + byte * i) %% 1000000007 end
    for _, shape in ipairs {%s} do
        local s = rill.floor(10 * rill.random(shape, {seed = 2, type = "vec2"})):eval()
        local first, last = s:values(), rill.fft(rill.fft(s), {inverse = true}):values()
        for i in ipairs(first) do most = math.max(most, math.abs(first[i] - last[i])) end
    end
    print(sum, most)
]]

-- Together these have every value of every choice but the default.
local TOGETHER <const> = {
    "step=8 gather_step=8 strip_rows=4", "buffer_textures=0 paired_stores=0, step=4 gather_step=4 strip_rows=2",
}
local ALONE <const> = {
    "buffer_textures=0", "paired_stores=0", "step=8", "step=4", "gather_step=8", "gather_step=4",
    "strip_rows=4", "strip_rows=2",
}

describe("tuning choices", function()
    local files

    -- The driver test runs once for all tests.
    setup(function() files = tempfiles.open() end)
    teardown(function() files:close() end)

    local function run(script, more)
        local environment = { RILL_CACHE = files.directory, RILL_TUNE = false }
        for name, value in pairs(more or {}) do
            environment[name] = value
        end
        return process.output(script, environment)
    end

    local function records()
        local names = {}
        for _, name in ipairs(files:list()) do
            names[#names + 1] = name:match "^trial%-%x+%-tuning$"
        end
        return names
    end

    before_each(function()
        for _, name in ipairs(records()) do
            assert(os.remove(files:path(name)))
        end
    end)

    local function measured()
        local traits = require "rill".device().traits
        if traits.family ~= "cpu" or not traits.synchronous then
            pending "devices that queue work are not measured"
            return false
        end
        return true
    end

    shortened(it, "are measured once and kept, and leave no memory behind #large", function(whole)
        if not measured() then return end
        local first = run(PRINT)
        assert.matches("paired_stores=%d measured 2", first)
        assert.matches("strip_rows=%d measured 3", first)
        assert.matches("\n0\t0\t0", first)
        assert.equal(1, #records())
        assert.equal(first, run(PRINT))
        if not whole then
            return
        end
        -- The choices are measured again if the record is damaged.
        local path = files.directory .. "/" .. records()[1]
        local file = assert(io.open(path, "r+"))
        file:seek("set", 20)
        file:write "x"
        file:close()
        assert.matches("paired_stores=%d measured 2", run(PRINT))
        local text = assert(io.open(path)):read "a"
        assert.matches("^rill tuning 1\nbuffer_textures ", text)
    end)

    it("are forced by RILL_TUNE, which keeps no record of them", function()
        local output = run(PRINT, { RILL_TUNE = "paired_stores=0, strip_rows=2" })
        assert.matches("paired_stores=0 forced 0", output)
        assert.matches("strip_rows=2 forced 0", output)
        assert.same({}, records())
    end)

    it("are the defaults with RILL_TUNE=default", function()
        local output = run(PRINT, { RILL_TUNE = "default" })
        for line in output:gmatch "[^\n]+=[^\n]+" do
            assert.matches(" default 0$", line)
        end
        assert.same({}, records())
    end)

    shortened(it, "change no result", function(whole)
        local script = COMPUTE:format(whole and [["sum", "mean", "var", "norm"]] or [["sum"]])
        local expected = run(script, { RILL_TUNE = "default" })
        assert.matches("^%d+", expected)
        for _, values in ipairs { TOGETHER, whole and ALONE or nil } do
            for _, value in ipairs(values) do
                assert.equal(expected, run(script, { RILL_TUNE = value }), value)
            end
        end
    end)

    shortened(it, "of sorts and transforms on GPUs are correct #large", function(whole)
        local expected
        local values <const> = {"look_back=0 fft_elements=512", "readonly=0 look_back=2 fft_registers=8",
            "fft_elements=1024 fft_registers=8", "fft_elements=2048"}
        local script = GPU:format(whole and "{128, 5}, {3, 256}, {512}, {1 << 16}" or "{512}")
        for i = 1, whole and #values or 2 do
            local value = values[i]
            local sum, most = run(script, {RILL_TUNE = value, RILL_FAMILY = "gpu"}):match "^(%d+)\t([%d.e-]+)\n$"
            expected = expected or sum
            assert.equal(expected, sum, value)
            assert.is_true(tonumber(most) < 2e-5, value .. ": " .. most)
        end
    end)

    it("are named by the message about a malformed RILL_TUNE", function()
        for _, value in ipairs { "pairs=1", "step=5", "step=4294967312", "step=", "step", "step=4x", "default=1" } do
            local output = run([[print(select(2, pcall(require "rill".device)))]], { RILL_TUNE = value })
            assert.matches("RILL_TUNE: '" .. value .. "' is not a choice: expected 'default', or some of ", output, 1,
                true)
            assert.matches("step=16|8|4", output, 1, true)
        end
    end)
end)
