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
        check.names({"'linalg'; did you mean rill.solve?"}, function() return rill.linalg end)
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
        check.names({"rill.wav.save: argument #2 'path': expected a path that ends in .wav"}, rill.wav.save, x, "a.mp3",
            1)
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
