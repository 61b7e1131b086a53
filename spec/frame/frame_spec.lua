local rill = require "rill"

-- Returns the rows of a table as one string: names in the first line.
local function csv(t)
    local lines, lists = {table.concat(t.names, ",")}, t:table()
    for i = 1, #t do
        local cells = {}
        for k, name in ipairs(t.names) do
            local value = lists[name][i]
            cells[k] = value ~= value and "nan" or math.tointeger(value) and ("%d"):format(value) or tostring(value)
        end
        lines[#lines + 1] = table.concat(cells, ",")
    end
    return table.concat(lines, " ")
end

local function fails(message, f, ...)
    local done, text = pcall(f, ...)
    assert.is_false(done)
    assert.truthy(tostring(text):find(message, 1, true), text)
end

local function sample()
    return rill.frame({
        x = {1, 2, 3.5, 0 / 0, 4}, name = {"b", "a", false, "b", "a"}, n = {3, 1, 2, 2, 1},
        ok = {true, false, true, true, false},
    }, {order = {"n", "name"}})
end

describe("rill.frame", function()
    it("has columns of streams, lists and constants", function()
        local s = rill.iota(3)
        local t = rill.frame {a = s, b = s * 2, c = {1.5, 2, 3}, d = {"u", "v", "u"}, e = {true, false, true}, f = "w"}
        assert.equal("a,b,c,d,e,f 0,0,1.5,u,true,w 1,2,2,v,false,w 2,4,3,u,true,w", csv(t))
        assert.equal(s, t.a)
        assert.same({"int", "int", "double", "uint", "bool", "uint"}, {t.a.type, t.b.type, t.c.type, t.d.type,
            t.e.type, t.f.type})
        assert.equal("frame", rill.type(t))
        assert.same({a = "int", b = "int", c = "double", d = "category", e = "bool", f = "category"}, t.types)
        assert.equal(3, #t)
        assert.equal("int", rill.frame {a = {1, -2147483648}}.a.type)
        assert.equal("double", rill.frame {a = {1, 2147483648}}.a.type)
    end)

    it("is made of pairs, of rows and of an order", function()
        assert.equal("b,a 1,2", csv(rill.frame {{"b", {1}}, {"a", {2}}}))
        assert.equal("a,b 1,x nan,y 3,false", csv(rill.frame {{a = 1, b = "x"}, {b = "y"}, {a = 3}}))
        assert.equal("c,a,b 3,1,2", csv(rill.frame({a = {1}, b = {2}, c = {3}}, {order = {"c"}})))
        assert.equal("n,name,ok,x", table.concat(sample().names, ","))
        local t = sample()
        assert.equal(csv(t), csv(rill.frame(t)))
    end)

    it("refuses values that a column cannot have", function()
        fails('row 2 has no value of "a", and booleans', rill.frame, {{a = true, b = 1}, {b = 2}})
        fails('row 1 has no value of "a", and booleans', rill.frame, {{b = 1}, {a = false, b = 2}})
        assert.equal("a,b nan,1 2,2", csv(rill.frame {{a = false, b = 1}, {a = 2, b = 2}}))
        local large = (1 << 53) + 1
        fails('column "id": no double is equal to 9007199254740993', rill.frame, {id = {1, large}})
        fails('column "id": no double is equal to 9007199254740993', rill.frame, {id = large, x = {1}})
        fails("no double is equal to", rill.frame, {id = {math.maxinteger}})
        assert.equal(2.0 ^ 62, rill.frame {id = {1 << 62}}.id:get(1))
        assert.equal(2.0 ^ 53, rill.frame {id = {2.0 ^ 53}}.id:get(1))
    end)

    it("may have columns called names and types", function()
        local t = rill.frame {names = {1, 2}, types = {"a", "b"}}
        assert.same({"names", "types"}, t.names)
        assert.same({names = "int", types = "category"}, t.types)
        assert.equal(3, t:column "names":sum())
        assert.equal("names,types 1,a 2,b", csv(rill.frame(t)))
        assert.equal("names,types 2,b", csv(t:filter "names > 1"))
    end)

    it("may be empty", function()
        local t = rill.frame {}
        assert.equal(0, #t)
        assert.same({}, t.names)
        t = rill.frame {a = {}, b = rill.stream("float", 0)}
        assert.equal(0, #t:filter "a > 1 and b < 2")
        assert.equal("a,b,c", table.concat(t:with {c = "a + b"}.names, ","))
        assert.equal(0, #t:sort "a")
        assert.equal(0, #t:unique())
        assert.equal(0, #t:concat(t))
        assert.equal(0, #t:melt {id = "a"})
        assert.equal(0, #t:pivot {index = "a", columns = "b", values = "b"})
        assert.equal("frame: 0 rows, 2 columns\n     a      b\ndouble  float", tostring(t))
    end)

    it("reads, assigns and removes columns", function()
        local t = sample()
        t.head = {1, 2, 3, 4, 5}
        assert.equal("function", type(t.head))
        assert.equal(5.0, t:column("head"):get(5))
        t["a name"] = t.n * 2
        assert.equal(6, t["a name"]:get(1))
        t.n, t.name = nil, nil
        assert.equal("ok,x,head,a name", table.concat(t.names, ","))
        t.x = "all"
        assert.equal("all", t[3].x)
        fails("t.x: column \"x\" has 2 rows, but the table has 5", function() t.x = {1, 2} end)
        fails("no column or method 'xy'", function() return t.xy end)
        local names = {}
        for name, s in pairs(t) do names[#names + 1] = name .. s.size end
        assert.equal("ok5 x5 head5 a name5", table.concat(names, " "))
    end)

    it("has rows", function()
        local t, seen = sample(), {}
        for i, row in ipairs(t) do seen[i] = row.name end
        assert.same({"b", "a", false, "b", "a"}, seen)
        for i, row in t:each() do assert.equal(t[i].n, row.n) end
        assert.is_nil(t[0])
        assert.is_nil(t[6])
        assert.equal("n,x 3,1 1,2", csv(t:head(2):select {"n", "x"}))
        assert.equal("n 1", csv(t:tail(1):select "n"))
        assert.equal("n", csv(t:head(0):select "n"))
        assert.equal("n 1 2 2", csv(t:rows(2, 4):select "n"))
        assert.equal("n 2 1", csv(t:rows(-2):select "n"))
        assert.equal("n 1 3 3", csv(t:take {4, 0, 0}:select "n"))
        assert.equal("name a b", csv(t:take(rill.from({1, 3}, "uint")):select "name"))
        fails("rows 2 to 6 are out of range", t.rows, t, 2, 6)
        fails("index 7 is out of range", t.take, t, rill.from({7}, "int"))
        fails("index -1 is out of range", t.take, t, rill.from({-1}, "int"))
    end)

    it("selects, drops and renames columns", function()
        local t = sample()
        assert.equal("x,n", table.concat(t:select {"x", "n"}.names, ","))
        assert.equal("n,ok", table.concat(t:drop {"x", "name"}.names, ","))
        assert.equal("k,name,ok,y", table.concat(t:rename {n = "k", x = "y"}.names, ","))
        assert.equal("x,name,ok,n", table.concat(t:rename {n = "x", x = "n"}.names, ","))
        assert.equal(5, #t:select {})
        fails("did you mean \"name\"", t.select, t, "nmae")
        fails("given twice", t.select, t, {"n", "n"})
        fails("two columns would be \"x\"", t.rename, t, {n = "x"})
    end)

    it("names columns that were closed", function()
        local s = rill.from {1, 2}
        local t = rill.frame {a = {1, 2}, s = s}
        s:close()
        fails("frame:sort: column \"s\" was closed", t.sort, t, "a")
        assert.truthy(tostring(t):find("closed stream", 1, true))
        assert.equal(2, #t)
    end)

    it("describes columns of numbers", function()
        local t = rill.frame {x = {1, 2, 3.5, 0 / 0, 4, 7}, k = {1, 1, 1, 1, 1, 2}, s = "a", none = 0 / 0}:describe()
        local x = {}
        for i, row in t:each() do x[i] = ("%s %.4f %.4f"):format(row.statistic, row.x, row.k) end
        assert.equal("count 5.0000 6.0000|mean 3.5000 1.1667|std 2.2913 0.4082|min 1.0000 1.0000|25% 2.0000 1.0000|" ..
            "50% 3.5000 1.0000|75% 4.0000 1.0000|max 7.0000 2.0000", table.concat(x, "|"))
        assert.equal(0.0, t.none:get(1))
        fails("no column of numbers", function() rill.frame {a = {"x"}}:describe() end)
    end)

    it("prints aligned columns", function()
        assert.equal("frame: 2 rows, 2 columns\nname          value\ncategory     double\n(missing)    -0.125\n" ..
            "\u{e9}t\u{e9}\\n      12345.68", tostring(rill.frame {{"name", {false, "\u{e9}t\u{e9}\n"}},
            {"value", {-0.125, 12345.678901}}}))
        local text = tostring(rill.frame {i = rill.iota(1234567)})
        assert.equal("frame: 1,234,567 rows, 1 column\n      i\n    int\n      0\n      1\n      2\n      3\n" ..
            "      4\n" ..
            "    ...\n1234562\n1234563\n1234564\n1234565\n1234566", text)
        local wide = {}
        for i = 1, 40 do wide[i] = {"column" .. i, {i}} end
        assert.truthy(tostring(rill.frame(wide)):find "^frame: 1 row, 40 columns, %d+ not shown\n")
    end)
end)

describe("categories", function()
    it("have sorted names, or names in an order", function()
        local t = sample()
        assert.same({1, 0, 4294967295, 1, 0}, t.name:values())
        assert.equal("a,b", table.concat(t.name.names, ","))
        assert.equal(2, #t.name:names())
        fails("cannot be changed", function() t.name.names[1] = "z" end)
        local c = rill.frame.category({"s", "l", "s"}, {"s", "m", "l"})
        assert.same({0, 2, 0}, c:values())
        assert.equal("c 2", csv(rill.frame {c = c}:filter "c > 's'":with {c = rill.from({2}, "int")}))
        c = rill.frame.category(rill.from({1, 0, 4294967295}, "uint"), {"z", "y"})
        assert.equal("c y z false", csv(rill.frame {c = c}))
        fails("does not occur in the names", rill.frame.category, {"q"}, {"a"})
        fails("expected codes below 1", rill.frame.category, rill.from({1}, "uint"), {"a"})
        fails("expected different strings", rill.frame.category, {"a"}, {"a", "a"})
    end)

    it("keep their names in rows, filters and sorts", function()
        local t = sample()
        for _, u in ipairs {t:head(5), t:rows(1), t:take {0, 1, 2, 3, 4}, t:filter "n > 0", t:select "name"} do
            assert.equal("a,b", table.concat(u.name.names, ","))
        end
        t.other = t.name
        assert.equal("b", t[1].other)
    end)

    it("may have names with any characters", function()
        local texts = {"", "\0", "a\0b", "\n", "\"", "'", "\\", ",", "\xff", "\u{e9}", " ", "a b", "%s", "nan", "-1"}
        local t = rill.frame {t = texts}
        assert.same(texts, t:table().t)
        for i, text in ipairs(texts) do
            assert.same({text}, t:filter("t == k", {k = text}):table().t, i)
        end
        assert.same({"\n"}, t:filter [[t == '\n']]:table().t)
        assert.same({"'"}, t:filter [[t == '\'']]:table().t)
        assert.same({"\""}, t:filter [[t == "\""]]:table().t)
    end)
end)

describe("expressions over columns", function()
    local function rows(text, constants)
        return table.concat(sample():with {i = rill.arange(1, 6)}:filter(text, constants):table().i, "")
    end

    it("combine conditions", function()
        assert.equal("25", rows "x >= 2 and name == 'a'")
        assert.equal("25", rows "x >= 2 && name == \"a\"")
        assert.equal("1235", rows "x < 3 or not missing(x) and n < 3")
        assert.equal("4", rows "missing(x)")
        assert.equal("3", rows "missing(name)")
        assert.equal("245", rows "not (n > 2 or name ~= 'a') or not x == x and ok")
        assert.equal("134", rows "ok")
        assert.equal("25", rows "not ok")
        assert.equal("12345", rows "n")
        assert.equal("", rows "false")
    end)

    it("compare categories", function()
        assert.equal("14", rows "name == 'b'")
        assert.equal("235", rows "name != 'b'")
        assert.equal("235", rows "'b' ~= name")
        assert.equal("14", rows "name > 'a'")
        assert.equal("1245", rows "name >= 'a'")
        assert.equal("25", rows "name < 'aa'")
        assert.equal("14", rows "name >= 'aa'")
        assert.equal("14", rows "'aa' < name")
        assert.equal("", rows "name == 'zz'")
        assert.equal("12345", rows "name != 'zz'")
        assert.equal("25", rows("name == who", {who = "a"}))
        local t = rill.frame {a = {"x", "y", false, "z", false}, b = {"y", "y", "x", "w", false}, i = {1, 2, 3, 4, 5}}
        local function both(text) return table.concat(t:filter(text):table().i, "") end
        assert.equal("2", both "a == b")
        assert.equal("1345", both "a != b")
        assert.equal("1", both "a < b")
        assert.equal("24", both "a >= b")
        assert.equal("", both "b < a and b > a")
    end)

    it("compare an order of names", function()
        local t = rill.frame {c = rill.frame.category({"low", "high", "mid", false}, {"low", "mid", "high"})}
        assert.same({"high", "mid"}, t:filter "c >= 'mid'":table().c)
        assert.same({"low", "mid"}, t:filter "c <= 'mid'":table().c)
        fails("an order of their own", t.filter, t, "c > 'zero'")
        assert.same({}, t:filter "c == 'zero'":table().c)
    end)

    it("have the type of the kernel language", function()
        local t = sample():with {
            a = "n / 2", b = "n * 0.5", c = "x > 1 ? x : -1.0", d = "n > 1", e = "name", f = "vec2(n, 1)",
            g = "sqrt(x)", h = "1", i = "ok ? nan : 0.5",
        }
        local types = {}
        for name, s in pairs(t) do types[#types + 1] = name .. "=" .. s.type end
        assert.equal("n=int name=uint ok=bool x=double a=int b=double c=double d=bool e=uint f=vec2 g=double h=int " ..
            "i=double", table.concat(types, " "))
        assert.same({1, 0, 1, 1, 0}, t.a:values())
        assert.same({"b", "a", false, "b", "a"}, t:table().e)
        assert.same({1, 1, 1, 1, 1}, t.h:values())
    end)

    it("compare integers with numbers that their type does not have", function()
        local t = rill.frame {i = {-2147483648, -1, 5}, u = rill.from({1, 7, 4000000000}, "uint")}
        local function kept(...) return #t:filter(...) end
        assert.equal(3, kept "i < 3000000000")
        assert.equal(3, kept "i >= -2147483648")
        assert.equal(2, kept "i > -2147483648")
        assert.equal(3, kept("i < c", {c = 3000000000}))
        assert.equal(3, kept "u > -1")
        assert.equal(3, kept("u > c", {c = -1}))
        assert.equal(0, kept "(-2 == u) || u == - 1")
        assert.equal(1, kept "u > 3000000000")
        assert.equal(1, kept("u >= c", {c = 4000000000}))
        assert.equal(2, kept "u - 1 > 5 and i > -2")
        assert.same({"uint", "int", "double", "double"}, {t:with {z = "u - 1"}.z.type, t:with {z = "i - 1"}.z.type,
            t:with {z = "u * -1"}.z.type, t:with {z = "i + 3000000000"}.z.type})
        assert.same({2999999999.0 - 2147483647, 2999999999.0, 3000000005.0}, t:with {z = "i + 3000000000"}:table().z)
    end)

    it("compare orders of names only if they are the same", function()
        local size = rill.frame.category({"s", "m", "l"}, {"s", "m", "l"})
        local t = rill.frame {a = size, b = rill.frame.category({"m", "m", "m"}, {"s", "m", "l"}),
            c = rill.frame.category({"l", "m", "s"}, {"l", "m", "s"}), d = {"l", "l", "l"}}
        assert.equal(1, #t:filter "a < b")
        assert.equal(1, #t:filter "a == c")
        fails("'a' and 'c' have different orders", t.filter, t, "a < c")
        fails("'a' and 'd' have different orders", t.filter, t, "a >= d")
        local names = rill.frame {a = {"x", "y"}, b = {"y", "x"}, ["a as in b"] = {"z", "z"}}
        assert.equal(2, #names:filter "`a as in b` == 'z' and a ~= b")
    end)

    it("have exact decimal numbers for doubles", function()
        local t = rill.frame {d = {0.1, 0.2}, n = {1, 2}, big = {3000000000, 1},
            id = rill.from({3000000000, 1}, "uint")}
        assert.equal(1, #t:filter "d == 0.1")
        assert.equal(0.30000000000000004, t:with {s = "d + 0.2"}.s:get(1))
        assert.equal(1, #t:filter "big == 3000000000")
        assert.equal(1, #t:filter "id == 3000000000")
        assert.equal(1, #t:filter("id == k", {k = 3000000000}))
        assert.equal(2, #t:filter("n < k", {k = 30000000000}))
        assert.equal(2, #t:filter "d > -1e-3 and n < 0x10")
    end)

    it("name columns of any characters", function()
        local t = rill.frame {["fare amount"] = {1, 2}, ["float"] = {3, 4}, ["not"] = {5, 6}, c1_ = {7, 8},
            min = {1, 0}}
        assert.equal(0, t:filter "`fare amount` == 2 && `float` == 4 && `not` == 6 && c1_ == 8"[1].min)
        assert.equal(1, #t:filter "min(min, 1) > 0")
    end)

    it("take constants and columns before them", function()
        local t = rill.frame {a = {1, 2}}:with({{"b", "a * k"}, {"c", "b + a"}, {"d", {"x", "y"}}, {"e", 7}}, {k = 3})
        assert.equal("a,b,c,d,e 1,3,4,x,7 2,6,8,y,7", csv(t))
        fails("no column 'c'", t.with, t:select "a", {b = "c", c = "a"})
    end)

    it("have errors with the text and the column", function()
        local t = sample()
        fails("frame:filter: there is no column 'nme'; did you mean 'name'?: nme == 'a'", t.filter, t, "nme == 'a'")
        fails("column 'name' is a category: compare it with a string, as in name == 'text': name", t.filter, t,
            "name + 1 > 0")
        fails("the string 'a' must be compared with a category", t.filter, t, "x == 'a'")
        fails("is compared with 3: expected a string", t.filter, t, "name == 3")
        fails("the string has no end: name == 'a", t.filter, t, "name == 'a")
        fails("the name has no end: `x", t.filter, t, "`x")
        fails("not complete: x >", t.filter, t, "x >")
        fails("function 'foo' is not declared: foo(x) > 1", t.filter, t, "foo(x) > 1")
        fails("write == for equal: x = 1", t.filter, t, "x = 1")
        fails("an empty one", t.filter, t, " ")
        fails("'^' is not an operator of expressions: write pow(x, y)", t.filter, t, "x ^ 2 > 1")
        fails("or a mask, got number", t.filter, t, 3)
        fails("missing(...) expects", t.filter, t, "missing(x + 1)")
        fails("no column 'y'", t.filter, t, "missing(y)")
        fails("bool", t.with, t, {z = "ok + 1"})
    end)

    it("filter by masks", function()
        local t = sample()
        assert.equal("n 3", csv(t:filter(t.n:gt(2)):select "n"))
        assert.equal("n 3 2 2", csv(t:filter(t.ok):select "n"))
        fails("the mask has shape 2", t.filter, t, rill.from {true, false})
    end)
end)

describe("files of frames", function()
    local function path(extension) return os.tmpname() .. extension end

    it("are text with categories", function()
        local name, t = path ".csv", sample()
        t:save(name)
        local u = rill.frame.load(name)
        os.remove(name)
        assert.equal("n,name,ok,x 3,b,1,1 1,a,0,2 2,false,1,3.5 2,b,1,nan 1,a,0,4", csv(u))
        assert.equal("a,b", table.concat(u.name.names, ","))
        rill.frame.save(t, name)
        assert.equal("name b a false b a", csv(rill.csv.load(name, {frame = true, columns = {"name"}})))
        fails('column "n" is given twice', rill.frame.load, name, {columns = {"n", "n"}})
        os.remove(name)
    end)

    it("are archives with exact names and types", function()
        local name = path ".npz"
        local t = rill.frame {a = {"", "x\0y", false}, b = {1, 2, 3}, c = {true, false, true},
            d = rill.iota(3):cast "float"}
        t:save(name)
        local u = rill.frame.load(name)
        os.remove(name)
        assert.equal(csv(t), csv(u))
        assert.same({"uint", "int", "float"}, {u.a.type, u.b.type, u.d.type})
        t = rill.frame {{"x", {1, 2}}, {"names", {"a", "b"}}}
        t:save(name)
        u = rill.frame.load(name)
        assert.equal("x,names 1,a 2,b", csv(u))
        os.remove(name)
        t = rill.frame {x = {"a"}, ["x.names"] = {1}}
        fails('column "x.names"', t.save, t, name)
        fails("expected the path", rill.frame.load, 1)
    end)
end)
