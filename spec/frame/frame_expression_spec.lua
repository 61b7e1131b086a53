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
        fails([[t:filter "name == 'text'"]], function() return t.c:eq "x" end)
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
        fails("rill.frame.load(path) reads a file", rill.frame, "x.csv")
        fails("t:with {x = \"x > 0\"} adds a column", t.aggregate, t, {n = "count x > 0"})
        fails("files of type parquet are not supported", t.save, t, "x.parquet")
    end)

    it("add frames without rows", function()
        local t = rill.frame {c = {}}:concat(rill.frame {c = {"x"}}, rill.frame {c = {}})
        assert.same({"x"}, t:table().c)
    end)
end)

describe("rows within groups", function()
    it("have positions", function()
        local n, seen, expected = 3001, {}, {}
        local keys, x = {}, {}
        for i = 1, n do
            keys[i], x[i] = (i * 7919 // 13) % 17, i
            expected[i] = seen[keys[i]] or 0
            seen[keys[i]] = expected[i] + 1
        end
        local t = rill.frame {k = keys, x = x}
        assert.same(expected, t:group "k":positions():values())
        assert.equal(34, #t:filter(t:group "k":positions():lt(2)))
        assert.equal(0, t:head(0):group "k":positions().size)
        fails("expected no arguments", function() t:group "k":positions(1) end)
    end)
end)

describe("aggregates of a frame", function()
    it("are one row", function()
        local t = rill.frame {x = {4, 1, 0 / 0, 7}, c = {"b", false, "a", "b"}, i = {2000000000, 2000000000, 3, -1}}
        assert.same({n = {4}, k = {3}, s = {12.0}, m = {4.0}, f = {"b"}, u = {2}, w = {4000000002.0}, q = {4.0}},
            t:aggregate {n = "count", k = "count x", s = "sum x", m = "mean x", f = "first c", u = "nunique c",
            w = "sum i", q = "median x"}:table())
        assert.equal(0, #t:head(0):aggregate {n = "count", s = "sum x", f = "first c", m = "max i"})
        assert.same({"s", "m"}, t:aggregate {{"s", "sum x"}, {"m", "mean x"}}.names)
        fails('frame:aggregate: column "m": \'mean\' of "c", a category', t.aggregate, t, {m = "mean c"})
    end)
end)

describe("texts in expressions", function()
    it("have errors that say what to write", function()
        local t = rill.frame {c = {"b", false}, x = {1, 2}}
        fails("; rill.frame.category(codes, names) makes texts that depend on a condition: missing(c) ? 'none' : c",
            t.with, t, {y = "missing(c) ? 'none' : c"})
        fails("the string 'hi' must be compared with a category; rill.frame.category(", t.with, t,
            {y = "x > 3 ? 'hi' : 'lo'"})
        fails("column 'c' is a category: compare it with a string, as in name == 'text'; rill.frame.category(", t.with,
            t, {y = "x > 3 ? c : 'lo'"})
        fails("; rill.gather(numbers, codes) converts it, with a number for each of its names: double(c)", t.with, t,
            {y = "double(c)"})
        fails("; write == for equal: c = 'x'", t.filter, t, "c = 'x'")
        for _, nothing in ipairs {"nil", "NULL", "None", "nan"} do
            fails(("is compared with %s: write missing(c) or not missing(c): c == %s"):format(nothing, nothing),
                t.filter, t, "c == " .. nothing)
        end
        fails("there is no value 'nil': write missing(x) or not missing(x): x ~= nil", t.filter, t, "x ~= nil")
        local u = rill.frame {["nil"] = {1, 2}}
        assert.equal(1, #u:filter "nil == 2")
    end)
end)

describe("names of categories", function()
    it("are dropped if they do not occur", function()
        local t = rill.frame {c = {"b", "d", "a", false, "c"}, i = {1, 2, 3, 4, 5}}
        local u = t:filter "c == 'd' or c == 'a' or missing(c)"
        assert.equal(4, #u.c.names)
        local small = rill.frame.category(u.c)
        assert.same({"a", "d"}, {small.names[1], small.names[2]})
        assert.same({1, 0, 4294967295}, small:values())
        assert.equal(0, #rill.frame.category(t:head(0).c).names)
        assert.equal(0, #rill.frame.category(t:filter "missing(c)".c).names)
        local name = os.tmpname() .. ".npz"
        u:save(name)
        local v = rill.frame.load(name)
        assert.same({"d", "a", false}, v:table().c)
        assert.equal(2, #v.c.names)
        local size = rill.frame {c = rill.frame.category({"s"}, {"s", "m", "l"})}
        size:save(name)
        assert.equal(3, #rill.frame.load(name).c.names)
        os.remove(name)
    end)

    it("are not numbers", function()
        local t = rill.frame {x = {1, 2, 3}, c = {"b", "a", "b"}}
        local c, other = t.c, rill.frame.category {"z", "b", "a"}
        assert.same({1, 0, 1}, c:codes():values())
        assert.same({1, 0, 1}, rill.frame.category(c:codes(), c.names):codes():values())
        assert.equal(0, rill.frame.category({}, {"a"}):codes().size)
        assert.equal(2, c:codes():sum())
        assert.same({1, 1}, rill.vec2(t.x, c:codes()):get(1))
        for name, call in pairs {
            ["rill.vec2: argument #2 'y'"] = function() return rill.vec2(t.x, c) end,
            ["rill.vec3: argument #1 'x'"] = function() return rill.vec3(c, t.x, 0) end,
            ["a + b: argument #2 'b'"] = function() return t.x + c end,
            ["a * b: argument #1 'a'"] = function() return c * 2 end,
            ["-a: argument #1 'a'"] = function() return -c end,
            ["rill.sqrt: argument #1 'x'"] = function() return rill.sqrt(c) end,
            ["rill.where: argument #1 'cond'"] = function() return rill.where(c, 1, 2) end,
            ["s:sum: argument 's'"] = function() return c:sum() end,
            ["s:mean: argument 's'"] = function() return c:mean() end,
            ["s:std: argument 's'"] = function() return c:std() end,
            ["s:any: argument 's'"] = function() return c:any() end,
            ["s:dot: argument #1 't'"] = function() return t.x:dot(c) end,
            ["s:median: argument 's'"] = function() return c:median() end,
            ["s:quantile: argument 's'"] = function() return c:quantile(0.5) end,
            ["s:scan: argument 's'"] = function() return c:scan() end,
            ["s:cumsum: argument 's'"] = function() return c:cumsum() end,
            ["s:diff: argument 's'"] = function() return c:diff() end,
            ["s:moving_mean: argument 's'"] = function() return c:moving_mean(2) end,
            ["s:histogram: argument 's'"] = function() return c:histogram() end,
            ["rill.bincount: option 'weights'"] = function() return rill.bincount(c, {weights = c}) end,
            ["rill.reduce_by_key: argument #2 'values'"] = function() return rill.reduce_by_key(t.x, c) end,
            ["rill.segmented_reduce: argument #1 'values'"] = function()
                return rill.segmented_reduce(c, t.x:gt(1))
            end,
            ["rill.corrcoef: argument #2 'y'"] = function() return rill.corrcoef(t.x, c) end,
            ["rill.quantile_by_key: argument #2 'values'"] = function()
                return rill.quantile_by_key(t.x, c, 0.5)
            end,
            ["rill.points.voxel: option 'values'"] = function()
                return rill.points.voxel({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, 1, {values = c})
            end,
            ["rill.fft: argument #1 's'"] = function() return rill.fft(c) end,
        } do
            fails(name .. " is a category", call)
        end
        fails("a category: s:codes() is the stream of its codes", rill.neighbors, c, {k = 1})
        fails("the categories have different names", c.eq, c, other)
        fails("item 2: the categories have different names", rill.concat, {c, other})
        fails("has no field or method 'codes'", function() return t.x:codes() end)
        fails("s:codes: expected a category", c.codes, t.x)
        -- Comparisons, choices, extremes and keys use the order of the names.
        assert.same({true, false, true}, c:gt(0):values())
        assert.same({true, true, true}, c:eq(rill.frame.category({"b", "a", "b"}, {"a", "b"})):values())
        assert.same({1, 0, 1}, rill.where(t.x:gt(0), c, 5):values())
        assert.same({0, 0, 0}, rill.min(c, 0):values())
        assert.same({0, 1}, {c:min(), c:max()})
        assert.same({1, 2}, rill.bincount(c):values())
        assert.same({4, 2}, rill.gather(rill.from {2, 4}, c):domain(1, 2):values())
        assert.same({1, 0, 1, 1, 0, 1}, rill.concat {c, c}:values())
    end)

    it("are merged in ascending order", function()
        local all, expected = {}, {}
        for k = 1, 5 do
            local list = {}
            for i = 1, 40 do
                list[i] = ("n%d"):format((i * 37 * k) % 101)
                expected[#expected + 1] = list[i]
            end
            all[k] = rill.frame {c = list}
        end
        local t = rill.frame.concat(all)
        assert.same(expected, t:table().c)
        for i = 2, #t.c.names do
            assert.truthy(t.c.names[i - 1] < t.c.names[i])
        end
        local a = rill.frame {c = {"x", "m", "a"}, i = {1, 2, 3}}
        local b = rill.frame {c = {"b", "m", "x", "z"}, k = {5, 6, 7, 8}}
        assert.same({c = {"x", "m"}, i = {1, 2}, k = {7, 6}}, a:join(b, {on = "c"}):table())
    end)
end)

describe("help", function()
    it("describes groups and methods of frames", function()
        local t = sample()
        assert.truthy(rill.help(t:group "c"):find("aggregate each positions", 1, true))
        assert.truthy(rill.help(t.filter):find("frame:filter(condition", 1, true))
    end)
end)
