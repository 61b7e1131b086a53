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
