local rill = require "rill"

local function fails(message, f, ...)
    local done, text = pcall(f, ...)
    assert.is_false(done)
    assert.truthy(tostring(text):find(message, 1, true), text)
end

local ID <const> = {123456789, -7, 2147483647, -2147483648, 0}
local D <const> = {1.5, 2.5, -3.5, 0.25, 100}

local function sample()
    return rill.frame {
        id = ID, d = D, f = rill.from(D, "float"), u = rill.from({4000000000, 7, 0, 1, 4294967295}, "uint"),
        c = {"x", "y", "x", "x", "y"}, ok = {true, false, true, true, false},
    }
end

local function column(expression, constants)
    return sample():with({z = expression}, constants):column "z"
end

-- Checks an expression of the column id against a function of Lua.
local function check(expression, kind, f, values)
    local s <const> = column(expression)
    assert.equal(kind, s.type, expression)
    for i, x in ipairs(values or ID) do
        assert.equal(f(x), s:get(i), ("%s of %s"):format(expression, x))
    end
end

describe("functions of integers in expressions", function()
    it("return integers that are exact", function()
        check("mod(id, 10)", "int", function(x) return x % 10 end)
        check("mod(id, -86400)", "int", function(x) return x % -86400 end)
        check("mod(id, -1)", "int", function() return 0 end)
        check("mod(id, 0)", "int", function() return 0 end)
        check("fmod(id, 10)", "int", function(x) return math.fmod(x, 10) end)
        for _, name in ipairs {"floor", "ceil", "round", "trunc"} do
            check(name .. "(id)", "int", function(x) return x end)
            check(name .. "(id / 2 + 1)", "int", function(x) return (x < 0 and -(-x // 2) or x // 2) + 1 end)
        end
        check("min(id, 5)", "int", function(x) return math.min(x, 5) end)
        check("clamp(id, -5, 123456788)", "int", function(x) return math.max(-5, math.min(x, 123456788)) end)
        check("abs(id + 1)", "int", function(x) return x == 2147483647 and -2147483648 or math.abs(x + 1) end)
        local u <const> = {4000000000, 7, 0, 1, 4294967295}
        check("mod(u, 1000)", "uint", function(x) return x % 1000 end, u)
        check("abs(u)", "uint", function(x) return x end, u)
        check("sign(u)", "uint", function(x) return x > 0 and 1 or 0 end, u)
        check("mod(mod(id, 1000), 7) + (floor(id) > 0 ? 1 : 0)", "int", function(x)
            return x % 1000 % 7 + (x > 0 and 1 or 0)
        end)
        assert.equal(1, #sample():filter("mod(id, k) == 3", {k = 5}))
        assert.same({123456789, 2147483647}, sample():filter "floor(id) > 123456788":table().id)
    end)

    it("are doubles for other functions", function()
        check("sqrt(id)", "double", function(x) return x >= 0 and x ^ 0.5 or x end, {123456789})
        check("pow(id, 2)", "double", function(x) return x * x * 1.0 end, {123456789, -7})
        check("mod(id, 2.5)", "double", function(x) return x % 2.5 end)
        check("max(id, 1.5)", "double", function(x) return math.max(x * 1.0, 1.5) end)
        check("sqrt(2) * d", "double", function(x) return 2 ^ 0.5 * x end, D)
        check("floor(d)", "double", function(x) return math.floor(x) * 1.0 end, D)
        assert.equal("float", column "pow(f, 2)".type)
        assert.equal("float", column "floor(f)".type)
        assert.equal("int", column "floor(ok and d > 1 ? id : 2)".type)
    end)

    it("include functions that kernels have for floats only", function()
        for i, x in ipairs(D) do
            assert.near(math.rad(x), column "radians(d)":get(i), 1e-15)
            assert.near(math.deg(x), column "degrees(d)":get(i), 1e-11)
            assert.near(math.log(math.abs(x), 10), column "log10(abs(d))":get(i), 1e-15)
            assert.near((x * x + 9) ^ 0.5, column "hypot(d, 3)":get(i), 1e-14)
            assert.equal(math.max(0, math.min(x, 1)), column "saturate(d)":get(i))
            assert.near(math.rad(x), column "radians(f)":get(i), 1e-5)
        end
        assert.equal("float", column "radians(f)".type)
        assert.equal("float", column "log10(f)".type)
    end)
end)

describe("errors of expressions", function()
    it("name what is written instead of operators of other languages", function()
        local t = sample()
        fails("'^' is not an operator of expressions: write pow(x, y)", t.filter, t, "id ^ 2 > 1")
        fails("'**' is not an operator of expressions: write pow(x, y)", t.filter, t, "d ** 2 > 1")
        fails("'in' is not an operator", t.filter, t, "c in ('x', 'y')")
        fails("no functions of texts", t.filter, t, "c:match('x')")
        fails("write a < b and b < c", t.filter, t, "1 < d < 3")
        fails("write mod(x, y)", t.filter, t, "d % 2 > 1")
        assert.equal(5, #t:filter "(id < 5) == (id < 5) and d < 500 or d > 1 ? id < id + 0.5 : d < 3")
    end)

    it("name constants and new columns that hide others", function()
        local t = sample()
        fails("'c' is a column, too", t.filter, t, "d > c", {c = 1})
        fails("'id' is a column, too", t.with, t, {z = "d + 1"}, {id = 1})
        fails("no column 'z' yet", t.with, t, {z = "d + 1", y = "z * 2"})
        assert.same({5.0}, t:with {{"z", "d + 1"}, {"y", "z * 2"}}:head(1).y:values())
        assert.equal("hello", t:with {z = "'hello'"}[5].z)
        fails("no column 'hello'", t.with, t, {z = "hello"})
        fails("== of Lua does not compare streams", t.filter, t, t.c == "x")
    end)
end)

describe("calls of methods of frames", function()
    it("refuse arguments that they do not have", function()
        local t = sample()
        fails('frame:group: expected one list: {"c", "ok"}', t.group, t, "c", "ok")
        fails('frame:select: expected one list: {"c", "ok"}', t.select, t, "c", "ok")
        fails('"-d" sorts in descending order', t.sort, t, "d", "desc")
        fails('"-d" sorts in descending order', t.sort, t, "d", {descending = true})
        fails("expected no arguments", t.describe, t, "d")
        fails("expected one argument", t.head, t, 1, 2)
        fails("expected one argument", t.group, t, "c", {dropna = true})
        fails("one table of columns", function() t:group "c":aggregate({n = "count"}, {}) end)
        fails("rows of a frame cannot be assigned", function() t[1] = {id = 1} end)
    end)

    it("suggest the equivalents of names in other libraries", function()
        local t = sample()
        for name, here in pairs {sort_values = "frame:sort", merge = "frame:join", drop_duplicates = "frame:unique",
            columns = "frame.names", shape = "#frame", value_counts = "aggregate"} do
            fails(here, function() return t[name] end)
        end
        fails("groups:aggregate", function() return t:group "c".mean end)
        fails("frame:concat", function() return rill.frame.concat end)
        fails("rill.frame.load(path) reads a file", rill.frame, "x.csv")
        fails("files of type parquet are not supported", t.save, t, "x.parquet")
    end)

    it("add frames without rows", function()
        local t = rill.frame {c = {}}:concat(rill.frame {c = {"x"}}, rill.frame {c = {}})
        assert.same({"x"}, t:table().c)
    end)
end)
