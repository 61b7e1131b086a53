-- The tree of a kernel text: rill.core's _tree, and tools/tree.lua, which prints it.
local core = require "rill.core"
local process = require "spec.support.process"

describe("the tree of a kernel text", function()
    local TEXT = "#define TWICE(a) (2.0 * (a))\nkernel void f(float x<>, out float r<>) { r = TWICE(x); }\n"

    it("prints as text and as nodes", function()
        assert.equal("kernel void f(float x<>, out float r<>) {\n    r = (2.0 * (x));\n}\n", core._tree(TEXT))
        assert.truthy(core._tree(TEXT, "nodes"):find("\n  Function f\n    Type void\n    Parameter x\n", 1, true))
    end)

    it("has all errors of the text, in order", function()
        local ok, message = pcall(core._tree, "void f() {\n  a = ;\n  b = 1 +;\n}")
        assert.falsy(ok)
        assert.equal([[
text:2:7: error: expected an expression, got ';'
    2 |   a = ;
      |       ^
text:3:10: error: expected an expression, got ';'
    3 |   b = 1 +;
      |          ^
2 errors]], message)
    end)

    it("is printed by tools/tree.lua", function()
        local path = os.tmpname()
        local file <close> = assert(io.open(path, "w"))
        file:write(TEXT)
        file:flush()
        local result = process.run(("arg = {'--text', %q} dofile 'tools/tree.lua'"):format(path))
        os.remove(path)
        assert.equal(core._tree(TEXT), result.out)
    end)

    it("has types", function()
        assert.falsy(pcall(core._tree, "float f(vec2 v, vec3 w) { return dot(v, w); }", "types"))
        assert.truthy(core._tree("float f(vec2 v, vec2 w) { return dot(v, w); }", "types"))
    end)

    it("must be equal to the text if RILL_TREE is set", function()
        assert.equal("1", os.getenv "RILL_TREE")
    end)
end)
