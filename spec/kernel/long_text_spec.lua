-- Time and memory for long kernel texts grow with their length, not faster.
local rill = require "rill"
local core = require "rill.core"
local leaks = require "spec.support.leaks"
local process = require "spec.support.process"
local tempfiles = require "spec.support.tempfiles"

-- The seconds that a function takes.
local function seconds(run)
    local start = os.clock()
    run()
    return os.clock() - start
end

describe("a long kernel text", function()
    leaks.watch(setup, teardown)

    it("may have structures of structures with very many fields", function()
        local list = {"struct S0 { float a, b; };"}
        for i = 1, 40 do
            list[#list + 1] = ("struct S%d { S%d a, b; };"):format(i, i - 1)
        end
        local text = ("kernel void f(float x<>, out float r<>) { %s S40 p; p%s = x; r = x; }"):format(
            table.concat(list, " "), (".a"):rep(41))
        assert.is_true(seconds(function()
            assert.same({}, core._lint(text, "text", 1))
        end) < 1) -- hours if each field of a type is counted
    end)

    it("has a short program if its statements are deeply nested", function()
        local files = tempfiles.open()
        finally(function()
            files:close()
        end)
        local result = process.run([=[
            local rill = require "rill"
            local chain = ("else if (x > 1.0) r = 2.0; "):rep(600)
            local f = rill.kernel("kernel void f(float x<>, out float r<>) { if (x < 0.0) r = 1.0; " .. chain .. "else r = 3.0; }")
            local g = rill.kernel("kernel void g(float x<>, out float r<>) { r = x; " .. ("if (x > 1.0) "):rep(600) .. "r = 5.0; }")
            local x = rill.from {-1, 2, 1}
            print(table.concat(f(x):values(), " "), table.concat(g(x):values(), " "))
        ]=], {RILL_DUMP = files.directory, RILL_FAMILY = os.getenv "RILL_FAMILY" or false})
        assert.same({"1.0 2.0 3.0\t-1.0 5.0 1.0\n", ""}, {result.out, result.err})
        local longest = 0
        for _, name in ipairs(files:list()) do
            longest = math.max(longest, #tempfiles.read(files:path(name)))
        end
        assert.is_true(longest > 10000 and longest < 200000, longest) -- 2 MB if each level is indented further
    end)

    it("may use a long constant often", function()
        local function text(terms)
            local sum = "(1.0" .. (" + 1.0"):rep(terms) .. ")"
            return ("const float C = 1.0%s; kernel void f(float x<>, out float r<>) { r = x; %s}"):format(
                (" * " .. sum):rep(20), ("r += C; "):rep(3000))
        end
        rill.kernel(text(1)) -- starts the device
        local short = seconds(function()
            rill.kernel(text(2))
        end)
        local long = seconds(function()
            rill.kernel(text(1000))
        end)
        assert.is_true(long < short + 0.7, ("%.2f s, %.2f s"):format(short, long)) -- 2 s if each use reads the constant
    end)

    it("may have constants with many dimensions", function()
        local text = "const float T%s[2] = %s0.0, 5.0%s; kernel void f(float x<>, out float r<>) { r = T%s[int(x)]; }"
        local k = rill.kernel(text:format(("[1]"):rep(17), ("{"):rep(18), ("}"):rep(18), ("[0]"):rep(17)))
        assert.same({0, 5, 0}, k(rill.from {0, 1, 0}):values())
    end)

    it("is found in a long script", function()
        local files = tempfiles.open()
        finally(function()
            files:close()
        end)
        local path = files:path "a.lua"
        local file <close> = assert(io.open(path, "w"))
        assert(file:write("local t = {\n", ('{name = "a", value = "b"},\n'):rep(20000), "}\n",
            "rill.kernel [[kernel void f(float x<>, out float r<>) {\n    r = y; }]]\n"))
        file:close()
        assert.is_true(seconds(function()
            local errors, messages = require "rill.shell.lint"(path)
            assert.equal(1, errors)
            assert.equal(path .. ":20004:9: error: 'y' is not declared", messages[1])
        end) < 4) -- minutes if the whole script is searched for each string
    end)
end)
