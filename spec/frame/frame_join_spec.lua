local rill = require "rill"

local function text(t)
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
    local done, found = pcall(f, ...)
    assert.is_false(done)
    assert.truthy(tostring(found):find(message, 1, true), found)
end

local t <const> = rill.frame({city = {"a", "b", "a", "c", false}, v = {1.5, 2, 3, 4, 5}}, {order = {"city"}})

describe("joins of frames", function()
    it("find rows of unique keys", function()
        local u = rill.frame {city = {"b", "a", "z"}, pop = {10, 20, 30}, v = {7.5, 8, 9}}
        assert.equal("city,v,pop,v_2 a,1.5,20,8 b,2,10,7.5 a,3,20,8", text(t:join(u, {on = "city"})))
        assert.equal("city,v,pop,v_u a,1.5,20,8 b,2,10,7.5 a,3,20,8 c,4,-1,nan false,5,-1,nan",
            text(t:join(u, {on = "city", how = "left", default = -1, suffix = "_u"})))
        assert.equal("city,v,pop,v_2 a,1.5,20,8 b,2,10,7.5 a,3,20,8 c,4,0,nan false,5,0,nan z,nan,30,9",
            text(t:join(u, {on = "city", how = "outer", default = {pop = 0}})))
        assert.equal("city,v a,1.5 b,2 a,3", text(t:join(u, {on = "city", how = "semi"})))
        assert.equal("city,v c,4 false,5", text(t:join(u, {on = "city", how = "anti"})))
        assert.equal("city,v,pop,v_2 a,1.5,20,8 b,2,10,7.5 a,3,20,8", text(t:join(u, {on = "city", unique = true})))
    end)

    it("find pairs of repeated keys, and missing keys", function()
        local u = rill.frame {town = {"a", false, "a", "q"}, n = {1, 2, 3, 4}}
        local on = {left = "city", right = "town"}
        assert.equal("city,v,n a,1.5,1 a,1.5,3 a,3,1 a,3,3 false,5,2", text(t:join(u, {on = on})))
        assert.equal("city,v,n a,1.5,1 a,1.5,3 b,2,9 a,3,1 a,3,3 c,4,9 false,5,2",
            text(t:join(u, {on = on, how = "left", default = 9})))
        assert.equal("city,v,n a,1.5,1 a,1.5,3 b,2,9 a,3,1 a,3,3 c,4,9 false,5,2 q,nan,4",
            text(t:join(u, {on = on, how = "outer", default = 9})))
        assert.equal("city,v a,1.5 a,3 false,5", text(t:join(u, {on = on, how = "semi"})))
        fails("row 3 of the right table has the keys of an earlier row: town = \"a\"", t.join, t, u,
            {on = on, unique = true})
    end)

    it("compare several keys and numbers of different types", function()
        local a = rill.frame {x = {1, 2, 2, 3}, y = rill.from({1, 1, 2, 0 / 0}, "float"), i = {1, 2, 3, 4}}
        local b = rill.frame {x = rill.from({2, 3, 2}, "double"), y = {1.0, 0 / 0, 1.5}, j = {1, 2, 3}}
        assert.equal("i,x,y,j 2,2,1,1 4,3,nan,2", text(a:join(b, {on = {"x", "y"}})))
        local r = a:join(b, {on = {"x", "y"}, how = "outer", default = 0})
        assert.equal("i,x,y,j 1,1,1,0 2,2,1,1 3,2,2,0 4,3,nan,2 0,2,1.5,3", text(r))
        assert.same({"int", "double", "double", "int"}, {r.i.type, r.x.type, r.y.type, r.j.type})
    end)

    it("of empty tables", function()
        local u, none = rill.frame {city = {"a"}, n = {1}}, rill.frame {city = rill.frame.category({}, {}), n = {}}
        for _, how in ipairs {"inner", "left", "outer", "semi", "anti"} do
            local kept = (how == "inner" or how == "semi") and 0 or 1
            assert.equal(kept, #u:join(none, {on = "city", how = how}), how)
            assert.equal(how == "outer" and 1 or 0, #none:join(u, {on = "city", how = how, default = 0}), how)
            assert.equal(0, #none:join(none, {on = "city", how = how}), how)
        end
    end)

    it("check their arguments", function()
        local u = rill.frame {city = {"a", "c"}, n = {1, 2}, flag = {true, false}, v = {1, 2}, v_2 = {1, 2}}
        fails("option 'on' is missing", t.join, t, u, {})
        fails("no column \"town\"", t.join, t, u, {on = "town"})
        fails("expected as many names", t.join, t, u, {on = {left = "city", right = {"city", "n"}}})
        fails("the key \"v\" of the left table is double, and the key \"city\" of the right table is category", t.join,
            t, u, {on = {left = "v", right = "city"}})
        fails("the key \"v\" of the left table is double, and the key \"flag\" of the right table is bool", t.join, t,
            u, {on = {left = "v", right = "flag"}})
        fails("\"v_2\" exists, too", rill.frame {k = {1}, v = {1}, v_2 = {1}}.join, rill.frame {k = {1}, v = {1},
            v_2 = {2}}, rill.frame {k = {1}, v = {3}}, {on = "k"})
        fails("column \"n\" of int has no value", t.join, t, u:drop {"v", "v_2", "flag"}, {on = "city", how = "left"})
        fails("number 1.5 does not fit column \"n\" of int", t.join, t, u, {on = "city", how = "left", default = 1.5})
        fails("expected a table of rill.frame", t.join, t, {}, {on = "city"})
        local r = t:join(u:select {"city", "flag"}, {on = "city", how = "left", default = true})
        assert.same({true, true, true, false, true}, r.flag:values())
    end)

    it("tell the size of a result that is too large", function()
        local big = rill.frame {k = rill.zeros(100000, "int")}
        fails("the result would have 10000000000 rows", big.join, big, big, {on = "k"})
    end)
end)

describe("other forms of frames", function()
    it("follow one another", function()
        local u = rill.frame {v = {9, 8}, city = {"A", "b"}}
        local r = t:concat(u)
        assert.equal("city,v a,1.5 b,2 a,3 c,4 false,5 A,9 b,8", text(r))
        assert.equal("A,a,b,c", table.concat(r.city.names, ","))
        assert.equal("double", r.v.type)
        assert.equal(text(r:concat(u, u)), text(r:concat {u, u}))
        local order = rill.frame {c = rill.frame.category({"x"}, {"z", "x"})}
        assert.equal("z,x,a", table.concat(order:concat(rill.frame {c = {"a"}}).c.names, ","))
        fails("the table has no column \"v\"", t.concat, t, u:drop "v")
        fails("has a column \"w\"", t.concat, t, u:with {w = 1})
        fails("category and double", t.concat, t, rill.frame {v = {1}, city = {1.5}})
        fails("expected a table of rill.frame", t.concat, t, 3)
        assert.equal(text(r:concat(u, u)), text(rill.frame.concat {r, u, u}))
        assert.equal(text(t), text(rill.frame.concat {t}))
        fails("rill.frame.concat: argument #1 'list': expected a list of tables, {t, u}, got an empty list",
            rill.frame.concat, {})
        fails("got a table: t:concat(u) appends one", rill.frame.concat, t)
        fails("item 2: expected a table of rill.frame, got number 3", rill.frame.concat, {t, 3})
        fails("item 3: the table has no column \"v\"", rill.frame.concat, {t, u, u:drop "v"})
    end)

    it("pivot and melt", function()
        local s = rill.frame {c = {"a", "b", "a", "b", "c"}, y = {1, 1, 2, 2, 1}, v = {1.5, 2, 3, 4, 5},
            n = {1, 2, 3, 4, 5}}
        assert.equal("c,1,2 a,1.5,3 b,2,4 c,5,nan", text(s:pivot {index = "c", columns = "y", values = "v"}))
        assert.equal("c,1,2 a,1,1 b,1,1 c,1,0",
            text(s:pivot {index = "c", columns = "y", values = "v", with = "count"}))
        assert.equal("y,a,b,c 1,1,2,5 2,3,4,-1",
            text(s:pivot {index = "y", columns = "c", values = "n", with = "max", default = -1}))
        assert.equal("c,1,2 a,1.5,3 b,2,4 c,5,nan",
            text(s:pivot {index = {"c"}, columns = "y", values = "v", with = "quantile 0.5"}))
        fails("1 combinations have no row", s.pivot, s, {index = "y", columns = "c", values = "n", with = "max"})
        fails("option 'columns' is missing", s.pivot, s, {index = "y", values = "n"})
        fails('option \'with\': expected the name of a function, such as "sum", got "mean n"', s.pivot, s,
            {index = "y", columns = "c", values = "v", with = "mean n"})
        local single = rill.frame {i = {1, 1, 1}, c = rill.from({0.1, 2, 0 / 0}, "float"), v = {5, 6, 7}}
        assert.equal("i,0.1,2,missing 1,5,6,7", text(single:pivot {index = "i", columns = "c", values = "v"}))
        local wide = s:pivot {index = "c", columns = "y", values = "v"}
        assert.equal("c,year,v a,1,1.5 b,1,2 c,1,5 a,2,3 b,2,4 c,2,nan",
            text(wide:melt {id = "c", variable = "year", value = "v"}))
        assert.equal("variable,value y,1 y,1 y,2 y,2 y,1 v,1.5 v,2 v,3 v,4 v,5",
            text(s:melt {values = {"y", "v"}}))
        fails("expected columns of numbers, or of categories", s.melt, s)
        fails("two columns would be \"c\"", s.melt, s, {id = "c", value = "c"})
    end)
end)
