local rill = require "rill"
local shortened = require "spec.support.shortened"

local AGGREGATES <const> = {
    n = "count", c = "count x", sum = "sum x", mean = "mean x", var = "var x", std = "std x", min = "min x",
    max = "max x", median = "median x", q = "quantile x 0.3", first = "first x", last = "last x",
    distinct = "nunique x", any = "any x", all = "all x",
}

local function quantile(sorted, q)
    local at = q * (#sorted - 1)
    local low = math.floor(at)
    local a, b, t = sorted[low + 1], sorted[math.min(low + 2, #sorted)], at - low
    return t < 0.5 and a + (b - a) * t or b - (b - a) * (1 - t)
end

-- Returns the aggregates of a list of numbers, of which NaN is missing.
local function expected(all)
    local x, sum, nan, different, distinct = {}, 0, 0 / 0, {}, 0
    for _, v in ipairs(all) do
        if v == v then
            x[#x + 1], sum = v, sum + v
            distinct, different[v] = distinct + (different[v] and 0 or 1), true
        end
    end
    local n = #x
    local squares, any, whole = 0, false, true
    for _, v in ipairs(x) do
        squares, any, whole = squares + (v - sum / n) ^ 2, any or v ~= 0, whole and v ~= 0
    end
    local sorted = table.move(x, 1, n, 1, {})
    table.sort(sorted)
    local some, var = n > 0, n > 1 and squares / (n - 1) or nan
    return {
        n = #all, c = n, sum = sum, mean = some and sum / n or nan, var = var, std = n > 1 and math.sqrt(var) or nan,
        min = sorted[1] or nan, max = sorted[n] or nan, median = some and quantile(sorted, 0.5) or nan,
        q = some and quantile(sorted, 0.3) or nan, first = x[1] or nan, last = x[n] or nan, distinct = distinct,
        any = any, all = whole,
    }
end

local function same(a, b, message)
    if type(b) == "boolean" then
        assert.equal(b, a, message)
    elseif b ~= b then
        assert.is_true(a ~= a, message)
    else
        assert.near(b, a, 1e-12 * math.max(1, math.abs(b)), message)
    end
end

-- Compares the groups of a table by some keys with a loop over its rows.
local function compare(t, keys)
    local groups, order = {}, {}
    for _, row in t:each() do
        local parts = {}
        for k, name in ipairs(keys) do
            local v = row[name]
            parts[k] = (v ~= v or v == false and t[name].type == "uint") and "\xff" or
                type(v) == "number" and ("%020.6f"):format(v + 1e9) or tostring(v)
        end
        local key = table.concat(parts, "\1")
        if not groups[key] then
            groups[key] = {}
            order[#order + 1] = key
        end
        table.insert(groups[key], row.x)
    end
    table.sort(order)
    local result = t:group(keys):aggregate(AGGREGATES)
    assert.equal(#order, #result)
    for i, row in result:each() do
        for name, value in pairs(expected(groups[order[i]])) do
            same(row[name], value, ("%s of group %d"):format(name, i))
        end
    end
    local i = 0
    for key, u in t:group(keys):each() do
        i = i + 1
        assert.equal(#groups[order[i]], #u)
        for k, x in ipairs(groups[order[i]]) do
            assert.is_true(u.x:get(k) == x or x ~= x)
        end
        for _, name in ipairs(keys) do
            local value = u[1][name]
            assert.is_true(key[name] == value or value ~= value)
        end
    end
    assert.equal(#order, i)
end

local function fails(message, f, ...)
    local done, text = pcall(f, ...)
    assert.is_false(done)
    assert.truthy(tostring(text):find(message, 1, true), text)
end

local function random(n, seed)
    math.randomseed(seed)
    local lists = {x = {}, name = {}, k = {}, wide = {}, real = {}, flag = {}}
    local names = {"a", "bb", "c", "", "z y"}
    for i = 1, n do
        lists.x[i] = math.random(5) == 1 and 0 / 0 or math.random(-4, 4) / 4
        lists.name[i] = math.random(6) > 1 and names[math.random(#names)]
        lists.k[i], lists.flag[i] = math.random(-3, 3), math.random(2) == 1
        lists.wide[i] = ({-1e5, 7.5, 1e5, 0 / 0})[math.random(4)]
        lists.real[i] = math.random(4) == 1 and 0 / 0 or math.random(1, 3)
    end
    return rill.frame(lists)
end

describe("groups #lanes", function()
    shortened(it, "have the aggregates of loops", function(whole)
        local all <const> = {{"name"}, {"k"}, {"real"}, {"wide"}, {"flag"}, {"name", "k"},
            {"wide", "real", "name"}, {"flag", "k", "wide"}}
        for n, seed in pairs {[0] = 1, [1] = 2, [2] = 3, [17] = 4, [400] = 5} do
            local t = random(n, seed)
            for _, keys in ipairs(whole and all or {{"name"}, {"wide"}, {"flag", "k", "wide"}}) do
                compare(t, keys)
            end
        end
    end)

    it("may be one, or one for each row", function()
        local t = random(100, 6)
        t.k = 3
        compare(t, {"k"})
        t.k = rill.iota(100) * 1000000 - 50000000
        compare(t, {"k"})
        t.k = rill.iota(100):cast "double" / 8
        compare(t, {"k", "flag"})
    end)

    local TYPES <const> = {"int", "uint", "int8", "uint8", "int16", "uint16", "half", "float", "double"}

    shortened(it, "have keys of all types in order", function(whole)
        for _, type in ipairs(whole and TYPES or {"uint8", "half", "float", "double"}) do
            local t = rill.frame {k = rill.from({3, 1, 3, 2}, type), x = {1, 2, 3, 4}}
            local r = t:group "k":aggregate {s = "sum x"}
            assert.equal(type, r.k.type)
            assert.same({1, 2, 3}, r.k:values())
            assert.same({2, 4, 4}, r.s:values())
        end
        local special = rill.from({-0.0, 0, math.huge, -math.huge}, "double")
        local r = rill.frame {k = special}:group "k":aggregate {n = "count"}
        assert.same({-math.huge, 0, math.huge}, r.k:values())
        assert.same({1, 2, 1}, r.n:values())
        r = rill.frame {k = rill.from({4294967295, 0, 4294967295}, "uint")}:group "k":aggregate {n = "count"}
        assert.same({0, 4294967295}, r.k:values())
        r = rill.frame {k = {2147483647, -2147483648, 2147483647}}:group "k":aggregate {n = "count"}
        assert.same({-2147483648, 2147483647}, r.k:values())
    end)

    it("have float keys that are further apart than 2^24 #long", function()
        local at = rill.iota((1 << 23) + 8)
        local x = rill.where(at:gt(2), 1.0, 16777216.0 + at):cast "float":eval() -- 16777217 is rounded to 16777216
        local r = rill.frame {x = x}:group "x":aggregate {n = "count"}
        assert.same({1.0, 16777216.0, 16777218.0}, r.x:values())
        assert.same({at.size - 3, 2, 1}, r.n:values())
    end)

    it("keep the columns of the frame", function()
        local t = rill.frame {k = {1, 1, 2}, x = {1, 2, 6}}
        local g = t:group "k"
        t.x = {10, 20, 60}
        assert.same({1.5, 6}, g:aggregate {m = "mean x"}.m:values())
        t.x, t.k = nil, nil
        t.x = {7}
        assert.same({3, 6}, g:aggregate {s = "sum x"}.s:values())
        for keys, u in g:each() do assert.equal(keys.k == 1 and 3 or 6, u.x:sum()) end
    end)

    it("have pairs of many different keys", function()
        local n <const> = 3000
        local t = rill.frame {a = rill.iota(n) * 700001, b = rill.iota(n) // 2 * 100003, c = rill.iota(n) % 7 * 1000033}
        local r = t:group {"a", "b", "c"}:aggregate {n = "count"}
        assert.equal(n, #r)
        assert.is_true(r.a:eq(t.a):all() and r.b:eq(t.b):all() and r.c:eq(t.c):all())
        r = t:group {"b", "c"}:aggregate {n = "count"}
        assert.equal(n, r.n:sum())
        assert.equal(n, #t:unique {"b", "c"} + (n - #r))
    end)

    shortened(it, "aggregate values of all types", function(whole)
        for _, type in ipairs {"bool", table.unpack(whole and TYPES or {"uint", "half"})} do
            local x = type == "bool" and {true, false, true} or {3, 0, 5}
            local r = rill.frame {k = {1, 1, 2}, x = rill.from(x, type)}:group "k":aggregate {
                lo = "min x", hi = "max x", f = "first x", l = "last x", s = "sum x", m = "median x", u = "nunique x",
                any = "any x", all = "all x", d = "std x",
            }
            local number = type == "bool" and 1 or 3
            assert.same({x[2], x[3]}, r.lo:values(), type)
            assert.same({x[1], x[3]}, r.hi:values())
            assert.same({x[1], x[3]}, r.f:values())
            assert.same({x[2], x[3]}, r.l:values())
            assert.same({number, type == "bool" and 1 or 5}, r.s:values())
            assert.equal(number / 2, r.m:get(1))
            assert.same({2, 1}, r.u:values())
            assert.same({true, true}, r.any:values())
            assert.same({false, true}, r.all:values())
            assert.same({type, type, type, type}, {r.lo.type, r.hi.type, r.f.type, r.l.type})
        end
        local r = rill.frame {k = {1, 1, 2, 3}, x = {false, "b", "a", false}}:group "k":aggregate {
            f = "first x", l = "last x", c = "count x", u = "nunique x"}
        assert.same({"b", "a", false}, r:table().f)
        assert.same({"b", "a", false}, r:table().l)
        assert.same({1, 1, 0}, r.c:values())
        assert.same({1, 1, 0}, r.u:values())
    end)

    it("sum accurately", function()
        local n <const> = 100000
        local t = rill.frame {k = rill.iota(n) % 3, x = rill.full(n, 0.1), y = rill.full(n, 2000000000, "int")}
        local r = t:group "k":aggregate {x = "sum x", y = "sum y", m = "mean y"}
        assert.near(33334 * 0.10000000149011612, r.x:get(1), 1e-9)
        assert.equal(33334 * 2000000000, r.y:get(1) // 1 | 0)
        assert.equal(2000000000.0, r.m:get(2))
        t = rill.frame {k = 1, x = {1e16, 1, 1e16 + 2}}:group "k":aggregate {v = "var x"}
        assert.near(1e32 / 3, t.v:get(1), 1e18)
    end)

    it("take lists, orders and names with blanks", function()
        local t = rill.frame {["a b"] = {1, 1, 2}, ["x y"] = {1, 2, 3}}
        local r = t:group "a b":aggregate {{"q", {"quantile", "x y", 0.5}}, {"m", "mean x y"},
            {"p q", "quantile x y 1"}}
        assert.equal("a b,q,m,p q", table.concat(r.names, ","))
        assert.same({1.5, 3}, r.q:values())
        assert.same({2, 3}, r["p q"]:values())
        local g = t:group "a b"
        assert.equal(2, #g)
        assert.equal("groups: 2 by a b", tostring(g))
        for _, wrong in ipairs {"mode x y", "mean", "quantile x y", "quantile x y 1.5", "mean z", ""} do
            fails("groups:aggregate: ", g.aggregate, g, {m = wrong})
        end
        fails("is a key", g.aggregate, g, {["a b"] = "count"})
        fails("expected at least one column", t.group, t, {})
        fails("got elements of vec2", function() rill.frame {p = rill.stream("vec2", 1)}:group "p" end)
        fails("a category, is not defined", function()
            rill.frame {k = {1}, s = {"a"}}:group "k":aggregate {m = "max s"}
        end)
        fails("needs numbers", function()
            rill.frame {k = {1}, s = rill.stream("vec2", 1)}:group "k":aggregate {m = "max s"}
        end)
    end)
end)

describe("gradients of frames", function()
    local k, x = rill.from({0, 1, 0, 1, 2}, "int"), rill.from({1, 2.5, 3, 4, 6}, "double")

    shortened(it, "are those of the operations", function(whole)
        local function weighted(s) return (s * rill.arange(1, s.size + 1)):sum() end
        local all <const> = {"sum x", "mean x", "var x", "quantile x 0.3", "first x"}
        for _, f in ipairs(whole and all or {"var x", "first x"}) do
            assert.is_true(rill.grad_check(function(s)
                local r = rill.frame {k = k, x = s}:filter "x < 5":group "k":aggregate {r = f}
                return weighted(r.r * r.r)
            end, x) < 1e-6)
        end
        assert.is_true(rill.grad_check(function(s)
            local t = rill.frame {k = k, x = s}:with {y = "x * x"}:sort "-x"
            return weighted(t:join(t:group "k":aggregate {m = "mean y"}, {on = "k"}).m)
        end, x) < 1e-6)
    end)

    it("refuse keys and extremes", function()
        for _, f in ipairs {"min x", "nunique x"} do
            assert.is_false((pcall(rill.grad(function(s)
                return rill.frame {k = k, x = s}:group "k":aggregate {r = f}.r:sum()
            end), x)))
        end
        assert.is_false((pcall(rill.grad(function(s)
            return rill.frame {k = s, x = s}:group "k":aggregate {r = "sum x"}.k:sum()
        end), x)))
    end)
end)

describe("sorts of frames", function()
    it("are stable and have missing values last", function()
        local t = rill.frame {a = {2, 0 / 0, 1, 2, 1}, s = {"x", "y", false, "z", "x"}, i = {1, 2, 3, 4, 5}}
        local function order(...) return table.concat(t:sort(...):table().i, "") end
        assert.equal("35142", order "a")
        assert.equal("14352", order "-a")
        assert.equal("15243", order "s")
        assert.equal("42153", order "-s")
        assert.equal("53142", order {"a", "s"})
        assert.equal("41532", order {"-a", "-s"})
        assert.equal("54321", order "-i")
        assert.equal("54321", order {{"i", descending = true}})
        local both = rill.frame {["-i"] = {1, 3, 2}, i = {1, 2, 3}}
        assert.same({1, 3, 2}, both:sort {"-i"}:table().i)
        assert.same({3, 2, 1}, both:sort {{"i", descending = true}}:table().i)
        assert.same({2, 3, 1}, both:sort {"--i"}:table().i)
        fails("no column \"b\"", t.sort, t, {"a", "-b"})
        fails("given twice", t.sort, t, {"a", "-a"})
    end)

    it("return distinct rows", function()
        local t = rill.frame {a = {2, 0 / 0, 1, 2, 0 / 0}, s = {"x", "y", false, "x", "y"}, i = {1, 2, 3, 4, 5}}
        assert.same({1, 2, 3}, t:unique "a":table().i)
        assert.same({1, 2, 3}, t:unique {"a", "s"}:table().i)
        assert.equal(5, #t:unique())
    end)
end)
