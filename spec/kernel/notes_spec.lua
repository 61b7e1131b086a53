-- Notes about kernel texts, and the command that finds errors and notes in files.
local rill = require "rill"
local tempfiles = require "spec.support.tempfiles"

local function notes(text, options)
    local list = {}
    for i, note in ipairs(rill.kernel(text, options):notes()) do
        list[i] = note:match ":%d+:(%d+: note: [^\n]*)"
    end
    return list
end

describe("notes about a kernel", function()
    it("name copies, quotients, hidden and unused parameters, and outputs without a value", function()
        assert.same({
            "32: note: 'unused' is not used",
            "74: note: output 'q' is never assigned: it is 0",
            "3: note: 'x' is an input: this assignment changes a copy of it",
            "3: note: 'n' is a constant: this assignment changes a copy of it",
            "11: note: this variable hides the parameter 'n'",
            "17: note: a quotient of whole numbers has no fraction, also where it becomes a float",
            "13: note: a quotient of whole numbers has no fraction, also where it becomes a float",
        }, notes [[kernel void f(float x<>, float unused<>, int n, out float r<>, out float q<>) {
  x *= 2.0;
  n++;
  { float n = 1 / 2; r = n; }
  r = x + n / 2;
}]])
    end)

    it("are not given for what is meant", function()
        assert.same({}, notes [[
            float half_of(float v) { v *= 0.5; return v; }
            kernel void f(float x<>, int n, float g[], out float r<>) {
                int k = n / 2;
                float y = float(n) / 2.0;
                r = half_of(x) * y + g[k / 2];
            }]])
    end)

    it("are found in both dialects", function()
        local text = "kernel void f(float x<>, int n, out float r<>) { r = x + n / 2; }"
        assert.same({"60: note: a quotient of whole numbers has no fraction, also where it becomes a float"},
            notes(text))
        assert.same(notes(text), notes(text, {dialect = "brook"}))
    end)
end)

describe("rill --lint", function()
    local function lint(name, content)
        local files = tempfiles.open()
        local path = files:write(name, content)
        local errors, messages = require "rill.shell.lint"(path)
        files:close()
        for i, message in ipairs(messages) do
            assert.equal(path, message:sub(1, #path))
            messages[i] = message:sub(#path + 2)
        end
        return errors, messages
    end

    it("finds the kernel texts of a script without running it", function()
        local errors, messages = lint("a.lua", [==[
error "this does not run"
local k = rill.kernel [[
  kernel void f(float x<>, out float r<>) {
    r = y;
  }]]
-- rill.kernel "a comment"
local p = rill.program("kernel void g(float x<>, out float r<>) { r = 1 / 2; }")
local b = rill.kernel("kernel void h(float2 x<>, out float r<>) { r = x; }", {dialect = "brook"})
local other = print "kernel"
]==])
        assert.equal(1, errors)
        assert.same({"4:9: error: 'y' is not declared", "7:21: note: 'x' is not used",
            "7:49: note: a quotient of whole numbers has no fraction, also where it becomes a float"}, messages)
    end)

    it("reads a file of kernels", function()
        local errors, messages = lint("a.br", "kernel void f(float2 x<>, out float r<>) { r = x; }")
        assert.same({0, {}}, {errors, messages})
        errors, messages = lint("a.glsl", "kernel void f(vec2 x<>, out float r<>) { r = x; }")
        assert.same({1, {"1:44: error: cannot convert vec2 to float"}}, {errors, messages})
    end)
end)
