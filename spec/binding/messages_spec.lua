-- Mistakes of users of other libraries: the message contains rill's name for the operation or type.
local rill = require "rill"
local check = require "spec.support.check"

describe("a mask as an index", function()
    local x = rill.iota(6)

    it("says what filters and gathers", function()
        for _, key in ipairs {x:gt(3), rill.iota(2), x:gt(3):eval()} do
            check.names({"s[i]: expected a whole number, got ", "x:filter(mask)", "rill.gather"}, function()
                return x[key]
            end)
            check.names({"e[i]: expected a whole number, got ", "e:filter(mask)", "rill.gather"}, function()
                return (x * 2)[key]
            end)
            check.names({"s[i] = v: expected a whole number", "rill.where(mask, v, x)", "rill.scatter"}, function()
                x[key] = 1
            end)
        end
        check.equal({4, 5}, x:filter(x:gt(3)):values())
        local y = rill.iota(6)
        y:write(rill.where(y:gt(3), 1, y))
        check.equal({0, 1, 2, 3, 1, 1}, y:values())
    end)
end)

describe("a part of the module", function()
    it("lists its functions if it is called", function()
        check.names({"rill.solve is not a function; it has bicgstab, cg, "}, function() return rill.solve(1) end)
        check.names({"rill.blas is not a function; it has asum, axpy, "}, function() return rill.blas {} end)
        check.names({"'solver'; did you mean rill.solve?"}, function() return rill.solver end)
        check.names({"'gmres'; did you mean rill.solve.bicgstab?"}, function() return rill.solve.gmres end)
    end)
end)

describe("a type of numpy or C", function()
    it("is answered with the name in rill, or the reason why there is none", function()
        for name, here in pairs {
            float64 = "'double'", float32 = "'float'", int32 = "'int'", uint32 = "'uint'", float16 = "'half'",
            boolean = "'bool'", f8 = "'double'", uint8_t = "'uint8'", number = "'float' or 'double'", byte = "'uint8'",
        } do
            check.names({("unknown type '%s'; it is called %s here"):format(name, here)}, rill.stream, name, 3)
            assert.falsy(pcall(rill.iota(2).cast, rill.iota(2), name))
        end
        for _, name in ipairs {"int64", "uint64", "long", "i8"} do
            check.names({"'" .. name .. "'", "at most 32 bits", "'double'"}, rill.stream, name, 3)
        end
    end)
end)

describe("reshape", function()
    it("names both shapes", function()
        local s = rill.stream("float", {2, 3})
        check.names({"shape 2x3 has 6 elements, 4x2 has 8"}, s.reshape, s, {4, 2})
        local turned = s:transpose()
        check.names({"shape 3x2", "as shape 6 requires", ":copy()"}, turned.reshape, turned, 6)
    end)
end)

describe("a remedy in a message", function()
    local x = rill.from {1, 2, 3}

    it("names options as options", function()
        check.names({"rill.random: option 'distribution': expected"}, rill.random, 3, {distribution = "gauss"})
        check.names({"rill.random: option 'seed': expected a whole number"}, rill.random, 3, {seed = "a"})
        check.names({"rill.bincount: option 'minlength': expected"}, rill.bincount, rill.iota(3), {minlength = -1})
        check.names({"s:scan: option 'segments': expected"}, x.scan, x, "add", {segments = rill.from {1, 2}})
        check.names({"rill.fft: option 'length': expected"}, rill.fft, x, {length = "a", real = true, inverse = true})
    end)

    it("says how to convert the argument", function()
        for _, case in ipairs {
            {rill.bincount, x, 's:cast "int" converts'}, {rill.image.gaussian, x:cast "double", "s:cast 'float'"},
            {rill.image.sobel, rill.zeros({3, 3}, "uint8"), "got elements of uint8: s:cast 'float'"},
            {function(t) return rill.sin(t) end, {1, 2}, "rill.from makes a stream"},
            {rill.stack, {1, 2}, "rill.from makes a stream"},
            {rill.heat, {shape = {1, 2}, temperature = {{1, 2}}}, "rill.from makes one"},
        } do
            check.names({case[3]}, case[1], case[2], 1)
        end
    end)

    it("names the extension of files that are written", function()
        check.names({"rill.npz.save: argument #1 'path': expected a path that ends in .npz"}, rill.npz.save, "a.npy",
            {x = x})
        check.names({"rill.wav.save: cannot write 'a.txt': expected one of the extensions .wav"}, rill.wav.save, x,
            "a.txt", 1)
    end)

    it("says that an object has no length", function()
        for name, object in pairs {wave = rill.wave {shape = {2, 2}}, mesh = rill.mesh.icosphere(1)} do
            check.names({"a " .. name .. " has no length"}, function() return #object end)
        end
    end)

    it("says what to call instead", function()
        check.names({"s:histogram: option 'bins'", "count rill.searchsorted(edges, s) with rill.bincount"}, x.histogram,
            x, {bins = {0, 0.5, 1}})
        check.names({"'return_counts': the counts are always returned"}, x.unique, x, {return_counts = true})
        check.names({"s:get(i, j, ...) reads one element"}, function() return x[{1, 2}] end)
        check.names({"unknown operator 'mean'", "the sum divided by the count"}, x.scan, x, "mean")
        check.names({"unknown operator 'sum'", "add computes sums"}, x.scan, x, "sum")
        check.names({"s:boundary", "or a number (the value outside)"}, x.boundary, x, "foo")
        check.names({"s:write: argument #1 'data': expected a table of 3, got table of 1"}, x.write, x, {1})
    end)
end)

describe("a call of a kernel", function()
    local two <const>, rows <const> = rill.from {1, 2}, rill.from {{1, 2}, {3, 4}}
    local f <const> = rill.kernel "kernel void f(float x<>, float limit, out float r<>) { r = x + limit; }"
    local v <const> = rill.kernel "kernel void v(vec2 p<>, out vec2 r<>) { r = p; }"
    local g <const> = rill.kernel "kernel void g(vec2 p[], out float d<>) { d = p[0].x; }"
    local wide <const>, tall <const> = rill.stream("float", {3, 4}), rill.stream("float", {4, 3})

    for label, case in pairs {
        ["an output of another shape"] = {"'x': shape 3x4 does not fit 4x3: dimension 1 must be 4, a divisor of it, or "
            .. "larger; 4x3 is the shape of the output 'r'", f, wide, 1, tall},
        ["an option of another shape"] = {"or larger; 4x3 is the option 'shape'", f,
            {x = wide, limit = 1, shape = {4, 3}}},
        ["a stream for a number"] = {"'limit': expected a number for float, got stream<float>[2]; declare it " ..
            "'float limit<>' to pass a stream", f, two, two},
        ["an expression for a number"] = {"declare it 'float limit<>' to pass a stream", f, two, two + 1},
        ["a number for a stream"] = {"(input stream; declare it 'float x' to pass one value), got number 1", f, 1, 2},
        ["rows for vectors"] = {'(input stream; :as "vec2" views the rows as one), got stream<float>[2x2]', v, rows},
        ["rows for a gather of vectors"] = {'(gather stream; :as "vec2" views the rows as one)', g, rows},
        ["a table of the shape"] = {"(output stream; a shape is given by name: g {p = ..., shape = ...})", g,
            rows:as "vec2", {shape = {2, 2}}},
        ["sizes at the place of an output"] = {"a shape is given by name: f {x = ..., shape = ...}", f, two, 3, {4, 6}},
        ["a size at the place of an output"] = {"a shape is given by name: f {x = ..., shape = ...}), got number 4", f,
            two, 3, 4},
        ["too few arguments"] = {"f: expected 2 arguments (or 3 with its outputs), got 1; its arguments are 'x', " ..
            "'limit'", f, two},
    } do
        it("says what to write for " .. label, function()
            check.names({(case[1])}, table.unpack(case, 2))
        end)
    end

    it("says nothing about declarations that are right", function()
        for text, call in pairs {
            ["got stream<int>[2]"] = function() v(rill.iota(2)) end,
            ["got stream<float>[2x3]"] = function() v(rill.from {{1, 2, 3}, {4, 5, 6}}) end,
            ["got string \"a\""] = function() f(two, "a") end,
        } do
            local message <const> = check.failure(call)
            assert.equal(text, message:sub(-#text))
            assert.falsy(message:find ":as" or message:find "declare", message)
        end
        assert.same({1, 2, 3, 4}, v(rows:as "vec2"):values())
    end)

    it("explains the shape of explain as that of the launch", function()
        check.names({"4x3 is the shape of the output 'r'"}, f.explain, f, wide, 1, tall)
    end)
end)

describe("a structure", function()
    it("is passed itself, and belongs to a program", function()
        local text <const> = "struct Grain { vec2 p; }; kernel void f(Grain g<>, out vec2 r<>) { r = g.p; }"
        check.names({"'Grain': a structure of a kernel text is passed itself",
            "field Grain of the result of rill.program"}, rill.stream, "Grain", 3)
        local k <const> = rill.kernel(text)
        check.names({"'Grain'; rill.program returns the structures"}, function() return k.Grain end)
        check.names({"the key 'p'; tables with names are elements of a structure", "argument #2 'type'"},
            rill.from, {{p = {1, 2}}})
        assert.equal(1, rill.from({{p = {1, 2}}}, rill.program(text).Grain).size)
        check.names({"the key 'x'; a vector is written {x, y ...}"}, rill.from, {{x = 1}}, "vec2")
    end)
end)

describe("a path instead of a text", function()
    it("is answered with rill.programfile", function()
        for _, path in ipairs {"wave.txt", "kernels/wave.br"} do
            check.names({"expected kernel text (rill.programfile reads it from a file), got string"}, rill.kernel, path)
            check.names({"rill.programfile"}, rill.program, path)
        end
        assert.falsy(check.failure(rill.kernel, "float a = 1.0"):find "programfile")
    end)
end)

describe("a row that a stream does not have", function()
    it("is nil, which the operator explains", function()
        local u <const> = rill.stream("float", {2, 3})
        check.names({"a + b: argument #2 'b'", "got nil (s[i] is nil if i is larger than s.shape[1])"},
            function() return u[1] + u[3] end)
    end)
end)

-- The functions that take any table, or none of their arguments; and those that are called last by a function which
-- passes them the module.
local any <const> = {type = 1, help = 1, clock = 1, command = 1, repl = 1, selftest = 1, strategies = 1, device = 1,
    barrier = 1, meshgrid = 1, concat = 1, choice = 1, animate = 1, plot = 1, stack = 1, progress = 1, sparse = 1,
    load = 1, atan = 1}

describe("a function of rill that is called with a colon", function()
    it("says to write a dot", function()
        local s <const>, tested = rill.from {1, 2}, 0
        for _, entry in ipairs(require "rill.shell.reference".entries()) do
            local owner, name = entry.name:match "^(rill[%w_.]*)%.(%l[%w_]*)$"
            local call = owner and not entry.language and
                load(("local rill, s = ... local x = %s:%s(s)"):format(owner, name))
            if call and not any[name] and not entry.name:find "^rill%.mpi" then
                local message <const> = check.failure(call, rill, s)
                local text <const> = ("%s: called with a colon: write %s(...), with a dot"):format(entry.name,
                    entry.name)
                assert.truthy(message:find(text, 1, true), message)
                tested = tested + 1
            end
        end
        assert.truthy(tested > 150, tested)
    end)
end)
