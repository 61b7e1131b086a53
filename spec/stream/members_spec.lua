-- Fields of structures and components of vectors: s:field, s.name = v, s.name:write, and s:map of structures.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

describe("the members of elements", function()
    leaks.watch(setup, teardown)

    local P = rill.struct("P", "vec2 at; float life; int id; bool on; float size; float close; double d;")
    local Q = rill.struct("Q", "P p; float w;")

    local function element(i)
        return {at = {i, 2 * i}, life = i, id = i, on = i > 2, size = 10 * i, close = 7, d = i / 3}
    end

    local function points(n)
        return rill.stream(P, n or 4, function(i) return element(i) end)
    end

    -- Checks the fields of a stream of structures against a list of expected elements.
    local function holds(expected, s)
        for i, wanted in ipairs(expected) do
            local got = s:get(i)
            for name, value in pairs(wanted) do
                assert.same(value, got[name], name .. " of element " .. i)
            end
        end
    end

    it("are found by s:field, also under the names of methods and fields of streams", function()
        local s = points()
        check.equal({1, 2, 3, 4}, s:field "life":values())
        check.equal({10, 20, 30, 40}, s:field "size":values())
        check.equal({7, 7, 7, 7}, s:field "close":values())
        assert.equal("float", s:field "size".type)
        assert.equal("4", tostring(s:field "size".shape))
        assert.equal(100.0, s:field("size"):sum())
        assert.equal(4, s.size)
        local q = rill.stream(Q, 2, {p = element(3), w = 1})
        check.equal({30, 30}, q:field "p":field "size":values())
        check.equal({2, 1, 4, 3}, rill.from({{1, 2}, {3, 4}}, "vec2"):field "yx":values())
        check.equal({1, 3}, (rill.from({{1, 2}, {3, 4}}, "vec2") * 1):field "x":values())
        local c <close> = rill.array(P, {4})
        c:write(s)
        check.equal({10, 20, 30, 40}, c:field "size":values())
    end)

    it("are assigned numbers, tables, functions, streams and expressions", function()
        local s = points()
        for _, case in ipairs {
            {5, {5, 5, 5, 5}}, {{1, 2, 3, 4}, {1, 2, 3, 4}}, {rill.from {9, 8, 7, 6}, {9, 8, 7, 6}},
            {rill.iota(4), {0, 1, 2, 3}}, {rill.iota(4) * 0.5, {0, 0.5, 1, 1.5}},
            {function(i) return i * i end, {1, 4, 9, 16}}, {("<ffff"):pack(4, 3, 2, 1), {4, 3, 2, 1}},
            {rill.iota {4, 4}:transpose()[2], {1, 5, 9, 13}}, {rill.iter("float", 4, 0, 2), {0, 0.5, 1, 1.5}},
        } do
            s.life = case[1]
            check.equal(case[2], s.life:values())
        end
        s.life = {1, 2, 3, 4}
        s.life = s.life * 2 + s:field "size" -- reads what it writes
        check.equal({12, 24, 36, 48}, s.life:values())
        s.at = {9, 8}
        s.id = 3.0
        s.on = true
        s.d = 1 / 3
        holds({{at = {9.0, 8.0}, id = 3, on = true, d = 1 / 3, size = 10.0, close = 7.0, life = 12.0}}, s)
        s.at = {{1, 2}, {3, 4}, {5, 6}, {7, 8}}
        s.on = s.id:gt(3)
        s.at.x = s.at.y
        holds({{at = {2.0, 2.0}, on = false}, {at = {4.0, 4.0}}, {at = {6.0, 6.0}}, {at = {8.0, 8.0}}}, s)
        s.at.yx = rill.from({{1, 2}, {3, 4}, {5, 6}, {7, 8}}, "vec2")
        check.equal({2, 1, 4, 3, 6, 5, 8, 7}, s.at:values())
        local q = rill.stream(Q, 2)
        q.p = element(2)
        q.p.at.y = 50
        holds({{p = {at = {2.0, 50.0}, life = 2.0, id = 2, on = false, size = 20.0, close = 7.0, d = 2 / 3}}}, q)
        q.p = s:domain(1, 2)
        check.equal({12, 24}, q.p.life:values())
        for type, wanted in pairs {vec3 = {1, 6, 5}, half4 = {1, 6, 5, 0}, ivec3 = {1, 6, 5}, dvec4 = {1, 6, 5, 0}} do
            local v = rill.stream(type, 1)
            v.x = 1
            v.zy = {5, 6}
            check.equal(wanted, v:values())
        end
    end)

    it("are written by write, fill and set", function()
        local s = points()
        assert.equal(s, s:field "size":write {4, 3, 2, 1})
        check.equal({4, 3, 2, 1}, s:field "size":values())
        s.life:write({7, 8}, 2, 3):field("close"):fill(1)
        check.equal({1, 7, 8, 4}, s.life:values())
        check.equal({1, 1, 1, 1}, s:field "close":values())
        s.life:write(rill.from {5}, -1)
        s.life:set(9, 1)
        s.life[2] = 6
        s.at:set({3, 5}, 4)
        check.equal({9, 6, 8, 5}, s.life:values())
        check.equal({1, 2, 2, 4, 3, 6, 3, 5}, s.at:values())
        s.life:write({0, 1}, nil, 2)
        check.equal({0, 1, 8, 5}, s.life:values())
    end)

    it("are written from an index on, in a box of the shape of the data", function()
        local make = rill.kernel [[struct Pt { float life; vec3 pos; };
            kernel void mk(out Pt p<>) { p.life = float(indexof(p).x); p.pos = vec3(0.0); }]]
        local p = make {shape = 5}
        assert.equal(p, p.life:write({8, 9}, 2))
        assert.same({0, 8, 9, 3, 4}, p.life:eval():values())
        p.life:write(rill.from {5, 6}, 1.0)
        p.life:write(p.life:domain(1, 2) * 2, -2)
        assert.same({5, 6, 9, 10, 12}, p.life:eval():values())
        p.life:write(("ff"):pack(1, 2), 3)
        p.life:write(7, 5)
        assert.same({5, 6, 1, 2, 7}, p.life:eval():values())
        p.pos:write({{1, 2, 3}, {4, 5, 6}}, 2)
        p:field("pos"):write({7, 8, 9}, 5)
        assert.same({0, 0, 0, 1, 2, 3, 4, 5, 6, 0, 0, 0, 7, 8, 9}, p.pos:eval():as "float":reshape(15):values())
        check.raises("s.life:write: expected a table of 1, got table of 2", function() p.life:write({1, 2}, 5) end)
        local grid = rill.stream("vec2", {3, 3})
        grid.x:write({{1, 2}}, {2, 1})
        grid.y:write(rill.from {{3}, {4}}, {2, 3})
        assert.same({0, 0, 0, 1, 2, 0, 0, 0, 0}, grid.x:eval():values())
        assert.same({0, 0, 0, 0, 0, 3, 0, 0, 4}, grid.y:eval():values())
    end)

    it("are written in views, in several dimensions and in empty streams", function()
        local s = points {3, 4}
        s:transpose().life = rill.iota {4, 3}
        check.equal({0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11}, s.life:values())
        s:flip().life = rill.iota {3, 4}
        check.equal({11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}, s.life:values())
        s:domain({2, 2}, {3, 3}).life = 50
        check.equal({11, 10, 9, 8, 7, 50, 50, 4, 3, 50, 50, 0}, s.life:values())
        s:stride(2).life = {{1, 2}, {3, 4}}
        s.life:write({{6, 7}}, {1, 2}, {1, 3})
        s.life:set(60, 3, 4)
        s[2].life = 0
        check.equal({1, 6, 7, 8, 0, 0, 0, 0, 3, 50, 4, 60}, s.life:values())
        local none = rill.stream(P, 0)
        none.life = 3
        none.life = rill.zeros(0)
        assert.equal(0, none.life.size)
        local one = rill.stream(P, 1)
        one.life = {3}
        check.equal({3}, one.life:values())
        for _, n in ipairs {255, 256, 257, 1025} do
            local large = rill.stream(P, n)
            large.life = rill.iota(n)
            large.id = large.life:cast "int" + 1
            assert.equal(n * (n - 1) / 2, large.life:sum())
            assert.equal(n * (n + 1) // 2, large.id:sum())
            assert.equal(0.0, large.at.x:sum() + large:field "size":sum())
        end
    end)

    it("refuse other names and values", function()
        local s, v = points(), rill.stream("vec3", 2)
        local c <close> = rill.array(P, {4})
        for text, f in pairs {
            ["s.size = v: 'size' is a name that all streams have: write s:field(\"size\"):write(v)"] =
                function() s.size = 3 end,
            ["a stream has no field 'foo' to be set"] = function() s.foo = 3 end,
            ["'name': elements of P have no field 'foo': expected at, life, id, on, size, close, d"] =
                function() s:field "foo" end,
            ["s:field: argument #1 'name': elements of int have no field 'x'"] = function() rill.iota(3):field "x" end,
            ["s:field: argument #1 'name': expected the name of a field, got number 3"] = function() s:field(3) end,
            ["s:field: argument 's': expected a stream before the colon, got number 3"] =
                function() s.field(3, "x") end,
            ["s.life = v: expected a stream of shape 4, got one of shape 3"] = function() s.life = rill.iota(3) end,
            ["s.life = v: expected a binary string of 16 bytes, got one of 1"] =
                function() s.life = "x" end,
            ["s.life = v: expected a number, a table, a stream or an expression, got nil"] =
                function() s.life = nil end,
            ["s.life = v: expected a table of 4, got table of 2"] = function() s.life = {1, 2} end,
            ["s.life = v: expected a stream of float (input stream), got stream<vec2>[4]"] =
                function() s.life = rill.stream("vec2", 4) end,
            ["s.id = v: expected a stream of int (input stream; :cast \"int\" converts one)"] =
                function() s.id = s.life end,
            ["s.id = v: number 1.5 does not fit int"] = function() s.id = 1.5 end,
            ["s.life = v: expected a number for float, got boolean true"] = function() s.life = true end,
            ["s.life = v: expected a stream, got a container"] = function() s.life = c end,
            ["s.life = v: the stream is a view that can't be written to"] = function() s:tile(2).life = 3 end,
            ["s.xx = v: 'xx' has a component twice"] = function() v.xx = 3 end,
            ["s.w: a vec3 has 3 components"] = function() v.w = 3 end,
            ["s.life:fill: argument #1 'value': expected one float, got table of 2"] =
                function() s.life:fill {1, 2} end,
            ["s.life:set: dimension 1: 9 .. 9 is out of range 1 .. 4"] = function() s.life:set(1, 9) end,
            ["s.life:set: expected 1 index, got 2"] = function() s.life:set(1, 1, 1) end,
            ["s.life:write: dimension 1: 9 .. 9 is out of range 1 .. 4"] = function() s.life:write({1}, 9, 9) end,
            ["e:write: an expression has no memory"] = function() (s.life + 1):write(3) end,
            ["an expression can't be written ('x')"] = function() s.life.x = 3 end,
            ["the members of a container cannot be assigned"] = function() c:field "life":write(3) end,
        } do
            check.names({text}, f)
        end
        check.equal({1, 2, 3, 4}, s.life:values())
        local life = s.life
        s:close()
        check.names({"s.life:write: the stream was closed"}, life.write, life, 3)
    end)

    it("are used by s:map, whose result has the type of the expression", function()
        local s = points(3)
        for text, case in pairs {
            ["x.life * 2.0"] = {"float", {2, 4, 6}}, ["x.id + 1"] = {"int", {2, 3, 4}},
            ["x.at * 2.0"] = {"vec2", {2, 4, 4, 8, 6, 12}}, ["x.on"] = {"bool", {false, false, true}},
            ["x.d * 3.0LF"] = {"double", {1, 2, 3}}, ["ivec3(x.id)"] = {"ivec3", {1, 1, 1, 2, 2, 2, 3, 3, 3}},
            ["uint(x.id)"] = {"uint", {1, 2, 3}}, ["x.size"] = {"float", {10, 20, 30}},
        } do
            for _ = 1, 2 do
                local r = s:map(text)
                assert.equal(case[1], r.type)
                check.equal(case[2], r:values(), 1e-15)
            end
        end
        check.equal({3, 6, 9}, s:map("x.life * k", {k = 3}):values())
        local q = rill.stream(Q, 2, {p = element(3), w = 1})
        check.equal({4, 4}, q:map "x.p.life + x.w":values())
        check.equal({3, 3}, q.p:map "x.life":values())
        check.names({"s:map: ", "x.foo"}, s.map, s, "x.foo")
        assert.equal(s:bytes(), s:map "x":bytes())
        assert.equal(q.p:eval():bytes(), q:map "x.p":bytes())
        check.raises("s:map: .*mat2", s.map, s, "mat2(1.0)")
        local c <close> = rill.array(P, {3})
        c:write(s)
        check.equal({2, 4, 6}, c:map "x.life * 2.0":values())
    end)
end)

describe("a launch", function()
    it("returns its outputs, then the streams that it changed in place", function()
        local k = rill.kernel [[
            kernel void f(inout float a<>, out float r<>, inout int n[], float x<>, out float s<>) {
                a += x; r = a; s = x; if (indexof(r).x == 0) n[0] = 7;
            }
        ]]
        local a, n, x = rill.from {1, 2}, rill.stream("int", 1), rill.from {10, 20}
        local r, s, a2, n2, none = k(a, n, x)
        check.equal({11, 22}, r:values())
        check.equal({10, 20}, s:values())
        assert.equal(a, a2)
        assert.equal(n, n2)
        assert.is_nil(none)
        assert.equal(4, select("#", k {a = a, n = n, x = x}))
        assert.equal(4, select("#", k(a, n, x * 2)))
        local double = rill.kernel "kernel void twice(inout float a<>) { a *= 2.0; }"
        check.equal({8, 16}, double(double(double(rill.from {1, 2}))):values())
        assert.equal(16.0, double(double {a = rill.from {4}}):sum())
        local c <close> = rill.array("float", {2})
        assert.equal(c, double(c))
    end)
end)
