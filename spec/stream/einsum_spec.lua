-- rill.einsum, outer and trace against plain loops in double.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

local LONG <const> = os.getenv "RILL_SUITE_LONG"

-- Returns a stream of small integers, often a view.
local function random(shape, kind, way)
    local wide, step, sign = {}, {}, way == 2 and -1 or 1
    for d, size in ipairs(shape) do
        wide[d], step[d] = way > 0 and size * 2 or size, way > 0 and 2 * sign or 1
    end
    local s = rill.random(wide, {type = "int", low = 0, high = 6, seed = #shape + way + shape[1]})
    s = (kind == "bool" and s:gt(3) or s):cast(kind)
    return way > 0 and s:stride(table.unpack(step)) or s
end

local function number(v)
    return v == true and 1 or v == false and 0 or v
end

-- Returns the flat result of subscripts with "->" and without "...".
local function reference(subscripts, streams)
    local inputs, output = subscripts:match "^(.*)%->(.*)$"
    local terms, sizes, letters, values = {}, {}, {}, {}
    for term in (inputs .. ","):gmatch "([^,]*)," do
        terms[#terms + 1] = term
        for d = 1, #term do
            local letter = term:sub(d, d)
            if not sizes[letter] and not output:find(letter) then letters[#letters + 1] = letter end
            sizes[letter] = streams[#terms].shape[d]
        end
        values[#terms] = streams[#terms]:values()
    end
    local order, index, result = {}, {}, {}
    for letter in output:gmatch "." do order[#order + 1] = letter end
    for _, letter in ipairs(letters) do order[#order + 1] = letter end
    local function product()
        local value = 1
        for k, term in ipairs(terms) do
            local at = 0
            for letter in term:gmatch "." do at = at * sizes[letter] + index[letter] end
            value = value * number(values[k][at + 1])
        end
        return value
    end
    local function sum(level)
        local letter, total = order[level], 0
        if not letter then return product() end
        for i = 0, sizes[letter] - 1 do
            index[letter] = i
            total = total + sum(level + 1)
        end
        return total
    end
    local function fill(level)
        if level > #output then
            result[#result + 1] = sum(level)
            return
        end
        for i = 0, sizes[order[level]] - 1 do
            index[order[level]] = i
            fill(level + 1)
        end
    end
    fill(1)
    return result
end

local function same(expected, got)
    check.equal(expected, rill.type(got) and got:values() or {got}, 1e-3)
end

local SIZES <const> = {i = 3, j = 4, k = 5, l = 2, b = 3}

-- Compares one case with streams of given types and views.
local function compare(subscripts, kinds, way)
    local streams = {}
    for term in (subscripts:match "^(.*)%->" .. ","):gmatch "([^,]*)," do
        local shape = {}
        for letter in term:gmatch "." do shape[#shape + 1] = SIZES[letter] end
        streams[#streams + 1] = random(shape, kinds[#streams % #kinds + 1], way)
    end
    local got = rill.einsum(subscripts, table.unpack(streams))
    same(reference(subscripts, streams), got)
    local shape = {}
    for letter in subscripts:match "%->(.*)$":gmatch "." do shape[#shape + 1] = SIZES[letter] end
    if #shape > 0 then
        assert.equal(table.concat(shape, "x"), tostring(got.shape))
    end
    return got
end

describe("einsum", function()
    leaks.watch(setup, teardown)

    it("computes products of two streams #doubles", function()
        for k, subscripts in ipairs {
            "ij,jk->ik", "ij,jk->ki", "ij,kj->ik", "ji,jk->ik", "ij,j->i", "j,jk->k", "i,i->", "i,i->i", "i,j->ij",
            "i,j->ji", "ij,ij->ij", "ij,ij->", "ij,ji->ij", "ij,ij->i", "ij,ij->j", "ij,kl->ijkl", "ij,kl->",
            "ij,kl->il", "bij,bjk->bik", "bij,bkj->ikb", "bij,bj->bi", "bij,bij->b", "ijb,bjk->ki", "ijk,kjl->il",
            "ijk,jl->kil", "ii,i->i", "ii,ij->j", "iij,j->", "ij,k->k", "bi,bj->bij", "ijk,ikj->ik",
        } do
            -- In the short mode one of six.
            for n, types in ipairs {
                {"float"}, {"float"}, {"float"}, {"double", "int"}, {"int", "bool"}, {"half", "uint"},
            } do
                if LONG or n == k % 6 + 1 then compare(subscripts, types, n % 3) end
            end
        end
    end)

    it("computes sums, diagonals and transposes of one stream, and products of three", function()
        for _, subscripts in ipairs {
            "i->i", "i->", "ij->ji", "ij->", "ij->i", "ij->j", "ii->i", "ii->", "iij->ji", "iii->i", "ijj->",
            "bik->kbi",
            "ij,jk,kl->il", "i,i,i->", "ij,i,j->", "ij,jk,ki->", "i,j,k->kji",
        } do
            for way = 0, 2 do
                compare(subscripts, {"float"}, way)
            end
            compare(subscripts, {"int"}, 1)
        end
        local s = rill.from {1, 2}
        local same_values = rill.einsum("i->i", s)
        same_values:fill(0)
        check.equal({1, 2}, s:values())
    end)

    it("has types as kernels read them #doubles", function()
        assert.equal("float", compare("ij,jk->ik", {"half"}, 0).type)
        assert.equal("double", compare("ij,jk->ik", {"double", "float"}, 0).type)
        assert.equal("int", compare("ij,jk->ik", {"bool"}, 0).type)
        assert.equal("int", compare("ij,ij->ij", {"int8"}, 0).type)
        local u, i = rill.from({1, 2}, "uint"), rill.from({-3, -5}, "int")
        assert.equal(0.5 * -3 + 2 * 0.25 * -5, rill.einsum("i,i,i->", u, i, rill.from {0.5, 0.25}))
        local large = rill.from({2000000000, 2000000000}, "int")
        assert.equal(2e9, rill.einsum("i,j->", large, rill.from({0.5}, "double")))
    end)

    it("has the type in kernels also without sums and products #doubles", function()
        for kind, seen in pairs {
            int8 = "int", uint16 = "uint", half = "float", unorm8 = "float", bool = "int", uint8 = "uint",
            int16 = "int", float = "float", double = "double", int = "int", uint = "uint",
        } do
            if not (LONG or kind:find "^u") then goto next end
            local m = rill.from {{1, 0, 1}, {1, 1, 0}}:cast(kind)
            for _, text in ipairs {"ab", "ba", "ab->ba", "...", "a...->a...", "ab->a", "ab->b"} do
                assert.equal(seen, rill.einsum(text, m).type, kind .. " " .. text)
            end
            assert.equal(seen, rill.einsum("aa->a", m:domain({1, 1}, {2, 2})).type)
            check.equal({1, 1, 0, 1, 1, 0}, rill.einsum("ab->ba", m):values())
            ::next::
        end
    end)

    it("without an arrow has the letters that occur once, in order", function()
        local a, b = random({3, 4}, "float", 0), random({4, 5}, "float", 0)
        same(reference("ij,jk->ik", {a, b}), rill.einsum("ij,jk", a, b))
        same(reference("ij->ji", {a}), rill.einsum("ba", a))
        same(reference("ij->", {a:domain({1, 1}, {3, 3})}), rill.einsum(" ij -> ", a:domain({1, 1}, {3, 3})))
        assert.equal(7, rill.einsum("ii", rill.from {{3, 1}, {1, 4}}))
    end)

    it("broadcasts the dimensions of ..., and dimensions of size 1", function()
        local a, b, v = random({2, 3, 4}, "float", 0), random({2, 4, 5}, "float", 1), random({4}, "float", 0)
        same(reference("bij,bjk->bik", {a, b}), rill.einsum("...ij,...jk->...ik", a, b))
        same(reference("bij,bjk->bik", {a, b}), rill.einsum("...ij,...jk", a, b))
        same(reference("bij,j->bi", {a, v}), rill.einsum("...j,j->...", a, v))
        same(reference("bij->jbi", {a}), rill.einsum("...j->j...", a))
        local row = random({1, 3, 4}, "float", 0)
        same(reference("bij,kij->bij", {a, row}), rill.einsum("...,...->...", a, row))
        same(reference("bij,kij->bij", {a, row}), rill.einsum("bij,bij->bij", a, row))
        same(reference("bij,kij->kij", {a, row}), rill.einsum("bij,cij->cij", a, row))
        check.equal({6, 8}, rill.einsum(",i->i", rill.from {2}, rill.from {3, 4}):values())
    end)

    it("of streams without elements", function()
        local none = rill.stream("float", {3, 0})
        assert.equal("3x5", tostring(rill.einsum("ij,jk->ik", none, rill.stream("float", {0, 5})).shape))
        check.equal({0, 0, 0}, rill.einsum("ij->i", none):values())
        assert.equal(0, rill.einsum("ij->", none))
        assert.equal("0x3", tostring(rill.einsum("ij->ji", none).shape))
        assert.equal(0, rill.einsum("ij,ij", none, none))
    end)

    it("refuses other subscripts", function()
        local a, b = rill.iota {2, 3}, rill.iota {2, 3}
        for _, row in ipairs {
            {"'j' has size 3 and size 2", "ij,jk->ik", a, b}, {"'i' has size 2 and size 3", "ii->", a},
            {"'ijk' has 3 letters, but stream 1 has shape 2x3", "ijk->i", a},
            {"the result has 'l', which no stream has", "ij->il", a}, {"the result has 'i' twice", "ij->ii", a},
            {"it has 1 operands, but 2 streams follow", "ij", a, b},
            {"it has more operands than the 1 streams that follow", "ij,jk", a},
            {"expected letters, with one '...' at most, got 'i;j'", "i;j", a},
            {"expected letters, with one '...' at most, got 'i%->j'", "ij->i->j", a},
            {"expected a string like", 3, a},
        } do
            check.raises("rill.einsum: argument #1 'subscripts': " .. row[1], rill.einsum, table.unpack(row, 2))
        end
        check.raises("rill.einsum: argument #2: expected an open stream, got no value", rill.einsum, "i")
        check.raises("rill.einsum: argument #2: expected a stream of numbers", rill.einsum, "i", rill.stream("vec2", 3))
        local five = rill.ones {2, 2, 2, 2, 2}
        check.raises("rill.einsum: a product has 10 dimensions, but the limit is 8", rill.einsum,
            "abcde,fghij,abcfg,dehij->", five, five, five, five)
        check.raises("rill.einsum: argument #1 'subscripts': the result has 10 dimensions, but the limit is 8",
            rill.einsum, "abcde,fghij->abcdefghij", five, five)
    end)
end)

describe("outer and trace", function()
    leaks.watch(setup, teardown)

    it("multiply all pairs of elements", function()
        for _, kind in ipairs {"float", "double", "int", "half", "bool"} do
            local a, b = random({2, 3}, kind, 1), random({5}, kind, 2)
            local got = rill.outer(a, b)
            assert.equal("6x5", tostring(got.shape))
            same(reference("i,j->ij", {a:copy():reshape(6), b}), got)
        end
        assert.equal("0x2", tostring(rill.outer(rill.stream("float", 0), rill.iota(2)).shape))
        check.raises("rill.outer: argument #1 'a': expected an open stream, got number", rill.outer, 1, 2)
        check.raises("rill.outer: shape 65536x65536 has more than", rill.outer, rill.iota(1 << 16), rill.iota(1 << 16))
    end)

    it("add the diagonal", function()
        for _, kind in ipairs {"float", "double", "int", "half", "bool"} do
            for _, shape in ipairs {{4, 4}, {3, 5}, {5, 3}, {1, 1}, {3, 4, 2}, {2, 2, 2, 2}} do
                local s = random(shape, kind, 1)
                local values, rest = s:values(), 1
                for d = 3, #shape do rest = rest * shape[d] end
                for offset = -5, 5 do
                    local expected = {}
                    for r = 1, rest do
                        expected[r] = 0
                        for i = 0, shape[1] - 1 do
                            local j = i + offset
                            if j >= 0 and j < shape[2] then
                                expected[r] = expected[r] + number(values[(i * shape[2] + j) * rest + r])
                            end
                        end
                    end
                    same(expected, rill.trace(s, {offset = offset}))
                end
            end
        end
        assert.equal(0, rill.trace(rill.stream("float", {0, 3})))
        local most <const> = rill.from({{2 ^ 31 - 1, 0}, {0, 2 ^ 31 - 1}}, "int")
        assert.equal(2 ^ 32 - 2, rill.trace(most))
        assert.equal(2 ^ 31 + 6, rill.trace(rill.from({{2 ^ 31, 0}, {0, 6}}, "uint")))
        assert.equal("integer", math.type(rill.trace(most)))
        assert.same({-2}, rill.trace(most:reshape {2, 2, 1}):values()) -- the elements of a stream wrap
        check.raises("rill.trace: argument #1 's': expected at least two dimensions, got shape 3", rill.trace,
            rill.iota(3))
        check.raises("rill.trace: option 'offset': expected a whole number", rill.trace, rill.eye(2), {offset = 0.5})
    end)
end)
