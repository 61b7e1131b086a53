local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

describe("rill.stream", function()
    leaks.watch(setup, teardown)

    it("is zero without an initializer", function()
        assert.same({0.0, 0.0}, rill.stream("float", 2):values())
        assert.same({false, false}, rill.stream("bool", 2):values())
    end)

    it("fills with a number, a boolean or a vector", function()
        assert.same({2.5, 2.5}, rill.stream("float", 2, 2.5):values())
        assert.same({1, 2, 3, 1, 2, 3}, rill.stream("ivec3", 2, {1, 2, 3}):values())
        assert.same({0.0, 0.0, 0.0, 0.0}, rill.stream("vec2", 2, 0):values())
        assert.same({true, true}, rill.stream("bool", 2, true):values())
        assert.same({false}, rill.stream("bool", 1, false):values())
    end)

    it("takes flat tables of elements or of numbers, and nested ones", function()
        assert.same({1.0, 2.0, 3.0, 4.0}, rill.stream("vec2", 2, {{1, 2}, {3, 4}}):values())
        assert.same({1.0, 2.0, 3.0, 4.0}, rill.stream("vec2", 2, {1, 2, 3, 4}):values())
        assert.same({{1.0, 2.0, 3.0, 4.0}}, rill.stream("float", {1, 4}, {1, 2, 3, 4}):read())
        local flat = rill.stream("vec2", {2, 2}, {{1, 2}, {3, 4}, {5, 6}, {7, 8}})
        local nested = rill.stream("vec2", {2, 2}, {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}})
        assert.equal(flat:bytes(), nested:bytes())
    end)

    it("calls a function with the indices, which gives the element or its components", function()
        local s = rill.stream("int", {2, 2, 2}, function(i, j, k) return i * 100 + j * 10 + k end)
        assert.same({111, 112, 121, 122, 211, 212, 221, 222}, s:values())
        assert.same({{{1.0, 1.0}, {1.0, 2.0}}}, rill.stream("vec2", {1, 2}, function(i, j) return i, j end):read())
    end)

    for _, case in ipairs {
        {"a ragged row", "row %[2%].*expected a table of 2, got table of 3", "float", {2, 2}, {{1, 2}, {1, 2, 3}}},
        {"a row that is a number", "row %[2%].*expected a table of 2, got number", "float", {2, 2}, {{1, 2}, 3}},
        {"a short string", "expected a binary string of 16 bytes, got one of 5", "float", 4, "abcde"},
        {"a short table", "expected a table of 4, got table of 3", "float", 4, {1, 2, 3}},
        {"a short table of numbers", "expected a flat table of 4 numbers, got one of 3", "vec2", 2, {1, 2, 3}},
        {"too deep a table", "nested 3 deep", "float", {2, 1}, {{{1}}, {{1}}}},
        {"a hole", "element %[2%].*nil", "float", 3, {1, nil, 3}},
        {"a word among numbers", "element %[2%]%[1%].*expected a number", "float", {2, 1}, {{1}, {"x"}}},
        {"a file", "expected a value for every element", "float", 3, io.stdout},
    } do
        it("refuses " .. case[1], function()
            check.raises("rill%.stream: argument #3 'init': .*" .. case[2], rill.stream, case[3], case[4], case[5])
        end)
    end

    it("refuses tables with keys and without items", function()
        for key, value in pairs {["'a'"] = {a = 1}, ["number 2"] = {[2] = 1}, ["'b'"] = {{{b = 1}}}} do
            local message <const> = "expected a table with the items 1, 2 ..., got one with the key " .. key
            check.names({"rill.from: argument #1 'table': " .. message}, rill.from, value)
            check.names({"rill.gather: argument #2 'index': " .. message}, rill.gather, rill.iota(3), value)
        end
        check.names({"got one with the key 'x'"}, rill.from, {{x = 1}}, "vec2")
        assert.equal("0", tostring(rill.from {}.shape))
        assert.equal("2x0", tostring(rill.from {{}, {}}.shape))
    end)

    it("names the element a function gave wrong, and passes its errors on", function()
        check.raises("element 2.*returned 3 values", rill.stream, "vec2", 2, function(i)
            if i == 2 then
                return 1, 2, 3
            end
            return 1, 2
        end)
        check.raises("element 1.*returned 0", rill.stream, "float", 2, function() end)
        check.raises("element 3.*does not fit", rill.stream, "int", 3, function(i) return i == 3 and 1.5 or 1 end)
        check.raises("boom", rill.stream, "float", 3, function() error "boom" end)
    end)
end)

describe("rill.from", function()
    leaks.watch(setup, teardown)

    it("infers shape and type", function()
        local s = rill.from {{1, 2, 3}, {4, 5, 6}}
        assert.equal("float", s.type)
        assert.equal("2x3", tostring(s.shape))
        assert.same({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}}, s:read())
        assert.equal("bool", rill.from({true, false}).type)
        assert.equal(0, rill.from({}).size)
    end)

    it("takes a type; of a vector type the innermost tables are the elements", function()
        assert.same({1, 2}, rill.from({1, 2}, "int"):values())
        assert.equal("1x1", tostring(rill.from({{{1, 2}}}, "vec2").shape))
        assert.same({{{1.0, 2.0}}}, rill.from({{{1, 2}}}, "vec2"):read())
        assert.equal("1x1x2", tostring(rill.from({{{1, 2}}}).shape))
    end)

    it("refuses what has no shape", function()
        check.raises("row %[2%].*expected a table of 2, got table of 1", rill.from, {{1, 2}, {3}})
        check.raises("expected a nested table", rill.from, 3)
        check.raises("innermost", rill.from, {1, 2, 3}, "vec3")
        check.raises("unknown type", rill.from, {1}, "flaot")
    end)
end)

describe("rill.concat", function()
    leaks.watch(setup, teardown)

    it("joins along any axis", function()
        local a, b = rill.from {{1, 2}, {3, 4}}, rill.from {{5}, {6}}
        assert.same({{1.0, 2.0, 5.0}, {3.0, 4.0, 6.0}}, rill.concat({a, b}, 2):read())
        assert.same({{1.0, 2.0, 5.0}, {3.0, 4.0, 6.0}}, rill.concat({a, b}, -1):read())
        assert.same({{1.0, 2.0}, {3.0, 4.0}, {1.0, 2.0}, {3.0, 4.0}}, rill.concat({a, a}):read())
        assert.same({0, 1, 0, 1, 2}, rill.concat({rill.iota(2), rill.iota(0), rill.iota(3)}):values())
    end)

    it("names the stream that does not fit", function()
        check.raises("item 2.*does not fit", rill.concat, {rill.iota(2), rill.from {1}})
        check.raises("item 2.*does not fit", rill.concat, {rill.iota {2, 2}, rill.iota {2, 3}})
        check.raises("item 2: expected an open stream, got a number", rill.concat, {rill.iota(2), 3})
        check.raises("empty table", rill.concat, {})
        check.raises("1 %.%. 1", rill.concat, {rill.iota(2)}, 2)
    end)
end)

describe("rill.progress", function()
    it("counts, draws only on a terminal, and checks its arguments", function()
        local bar <close> = rill.progress(10, "work")
        bar:step()
        bar:step(9)
        check.raises("expected a number", rill.progress, "x")
        check.raises("expected a string", rill.progress, 10, 3)
        check.raises("expected a number", bar.step, bar, "x")
    end)
end)
