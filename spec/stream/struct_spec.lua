local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

local FIELDS = "vec3 o; vec3 d; float tmax, tmin;"

local function ray(first)
    return {o = {first, 2, 3}, d = {4, 5, 6}, tmax = 7, tmin = 8}
end

local function bytes(first)
    return string.pack("<ffffffff", first, 2, 3, 4, 5, 6, 7, 8)
end

describe("structures", function()
    leaks.watch(setup, teardown)

    local Ray = rill.struct("Ray", FIELDS)

    it("tell their name and fields", function()
        assert.equal("Ray", Ray.name)
        assert.equal(4, #Ray.fields)
        assert.equal("tmin", Ray.fields[4].name)
        assert.equal("vec3", Ray.fields[2].type)
        assert.equal(12, Ray.fields[2].offset)
        assert.equal("struct", rill.type(Ray))
        assert.equal("struct Ray { vec3 o; vec3 d; float tmax; float tmin; }", tostring(Ray))
        check.raises("a structure has no field 'foo'", function() return Ray.foo end)
    end)

    it("are the same when their names and fields are", function()
        assert.equal(Ray, rill.struct("Ray", FIELDS))
        assert.equal(rill.stream("Ray", 1).type, rill.stream(Ray, 1).type)
    end)

    it("lie packed, in order, without padding", function()
        local s = rill.stream(Ray, 3, {ray(1), ray(10), ray(20)})
        assert.equal(96, s.nbytes)
        assert.equal("Ray", s.type)
        assert.equal(bytes(1) .. bytes(10) .. bytes(20), s:bytes())
        assert.same({o = {10.0, 2.0, 3.0}, d = {4.0, 5.0, 6.0}, tmax = 7.0, tmin = 8.0}, s:get(2))
        assert.same({1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0}, s:values(1, 1))
    end)

    it("are initialized by one element, lists, numbers, functions, strings and nested tables", function()
        local three = bytes(1):rep(3)
        local numbers = {}
        for i = 0, 23 do
            numbers[i + 1] = i % 8 + 1
        end
        local list = {ray(1), ray(1), ray(1)}
        assert.equal(three, rill.stream(Ray, 3, ray(1)):bytes())
        assert.equal(three, rill.stream(Ray, 3, list):bytes())
        assert.equal(three, rill.stream("Ray", 3, numbers):bytes())
        assert.equal(three, rill.stream(Ray, 3, function() return ray(1) end):bytes())
        assert.equal(three, rill.stream(Ray, 3, three):bytes())
        assert.equal(three, rill.stream(Ray, {1, 3}, {list}):bytes())
        assert.equal(three, rill.stream(Ray, {3, 1}, list):bytes())
        assert.equal(three, rill.from({{ray(1)}, {ray(1)}, {ray(1)}}, Ray):bytes())
    end)

    it("are written whole, filled, mapped and iterated", function()
        local s = rill.stream(Ray, 2)
        s[2] = ray(5)
        assert.equal(5.0, s[2].o[1])
        s:fill(ray(6))
        assert.equal(bytes(6):rep(2), s:bytes())
        local map <close> = s:map_cpu()
        assert.equal(8.0, map[2].tmin)
        map[1] = ray(7)
        map:unmap()
        local seen = {}
        for i, element in s:each() do
            seen[i] = element.o[1]
        end
        assert.same({7.0, 6.0}, seen)
    end)

    it("fill an empty stream as any other", function()
        local value = {o = {0, 0, 0}, d = {1, 0, 0}, tmax = 1, tmin = 0}
        assert.equal(0, #rill.stream(Ray, {0}, value))
        assert.equal(0, #rill.stream(Ray, {2, 0}, value))
        assert.equal(0, #rill.stream(Ray, 0, {}))
        check.raises("has no field", rill.stream, Ray, 0, {nope = 8})
    end)

    it("hold structures", function()
        local Nest = rill.struct("Nest", "Ray r; int id;")
        local s = rill.stream(Nest, 1, {r = ray(1), id = 3})
        assert.equal(36, s.nbytes)
        assert.equal(5.0, s:get(1).r.d[2])
        assert.equal(3, s:get(1).id)
    end)

    it("name the field that is wrong", function()
        local s = rill.stream(Ray, 2)
        local function set(element)
            return function() s:set(element, 1) end
        end
        check.raises("structure Ray has no field 'nope'", set {o = {1, 2, 3}, d = {4, 5, 6}, tmax = 7, nope = 8})
        check.raises("field 'tmin' is missing", set {o = {1, 2, 3}, d = {4, 5, 6}, tmax = 7})
        check.raises("no field 'x'", set {o = {1, 2, 3}, d = {4, 5, 6}, tmax = 7, tmin = 8, x = 1})
        check.raises("field 'o'.*component 2.*expected a number",
            set {o = {1, "a", 3}, d = {4, 5, 6}, tmax = 7, tmin = 8})
        assert.equal(("\0"):rep(64), s:bytes())
    end)

    it("are named with their fields in messages", function()
        local Cell = rill.struct("Cell", "vec2 at; int n;")
        local s = rill.stream(Cell, 2)
        check.names({"'idd'", "the fields of Cell are at, n"}, function() return s.idd end)
        check.names({"'siez'", "s.size", "the fields of Cell are at, n"}, function() return s.siez end)
        check.names({"'idd'", "the fields of Cell are at, n"}, function() s.idd = 1 end)
        local outer = rill.stream(rill.struct("Outer", "Cell cell; float t;"), 2)
        check.names({"an expression has no field or method 'idd'", "the fields of Cell are at, n"}, function()
            return outer.cell.idd
        end)
        check.names({"no field 'idd': expected at, n"}, function() return outer.cell:field "idd" end)
        check.names({"name a field of it", "the fields of Cell are at, n"}, function() return s + 1 end)
        check.names({'key = "x.n"'}, s.sort, s)
        check.names({"like s.n"}, rill.argsort, s)
        check.names({"rill.sort_by_key"}, s.sort, s, {key = s.n})
        check.names({"did you mean x.n?"}, s.sort, s, {key = "n"})
        check.names({"did you mean x.n?"}, s.filter, s, "n > 0")
        check.names({"keyed by field", "{at = ..., n = ...}"}, rill.stream, Cell, 2, {{1, 2}, {3, 4}})
        check.names({"no field number 1", "at, n"}, s.set, s, {1, 2}, 1)
        check.names({"{at = ..., n = ...}", "number 3"}, s.fill, s, 3)
        check.names({"expected ';' before the type 'float'"}, rill.struct, "S", "int a, float b")
        check.names({"expected ';' after field 'a'"}, rill.struct, "S", "int a b")
        check.names({"a text as", "table with the key 'a'"}, rill.struct, "S", {a = "int"})
        check.names({"rill.from makes a stream of a table"}, rill.array, {1, 2})
    end)

    it("refuse fields that mean nothing", function()
        check.raises("unknown type 'vec5'", rill.struct, "A", "vec5 a;")
        check.raises("two fields named 'a'", rill.struct, "A", "float a; int a;")
        check.raises("no fields", rill.struct, "A", "")
        check.raises("name of a field", rill.struct, "A", "float ;")
        check.raises("4%-byte words", rill.struct, "A", "half a;")
    end)
end)
