-- Streams whose length only the device has (results of a filter in the gpu family) behave like all others: every operation has the same result as on
-- an uploaded stream with the same values.
local rill = require "rill"
local check = require "spec.support.check"

local numbers = rill.random(3000, {seed = 3})
local keys = rill.random(3000, {seed = 4, type = "int", low = 0, high = 50})
local add = rill.kernel "kernel void add(float x<>, float y<>, out float r<>) { r = x + y; }"
local pick = rill.kernel "kernel void pick(int i<>, float a[], out float r<>) { r = a[i]; }"
local pushed = rill.kernel "kernel void pushed(float x<>, vout float r<>) { if (x > 0.7) { push(r, x); push(r, -x); } }"
local sized = rill.kernel "kernel void sized(float x<>, out int r<>) { r = sizeof_stream(x).x; }"
local shift = rill.kernel "kernel void shift(neighbor float x<>, out float r<>) { r = x[1]; }"
local most = rill.kernel "reduce void most(float x<>, reduce float r<>) { r = max(r, x); }"

-- f: the floats, i: the ints, of one new pair.
local operations = {
    {"size, shape, bytes", function(f) return #f, f.size, f.nbytes, f.shape[1] end},
    {"reductions", function(f) return f:sum(), f:max(), f:argmax(), f:norm(), f:dot(f), f:count() end},
    {"axis", function(f) return f:max(1), f:mean(1, {keep = true}) end},
    {"scan", function(f, i) return i:scan(), i:scan("max", {reverse = true, exclusive = true}), f:scan(most) end},
    {"find", function(f) return f:find "x > 0.5", f:partition "x > 0.5" end},
    {"runs", function(_, i) return i:runs(), i:unique() end},
    {"sort", function(f, i) return f:sort {descending = true}, rill.argsort(f), rill.sort_by_key(i, i) end},
    {"top_k #tables", function(f) return f:top_k(5) end},
    {"search", function(f) return rill.searchsorted(f:sort(), f), rill.merge(f:sort(), f:sort()) end},
    {"histogram", function(f, i) return f:histogram {bins = 10, min = 0, max = 1}, rill.bincount(i) end},
    {"by key", function(_, i) return rill.reduce_by_key(i, i), rill.segmented_reduce(i, {100, #i - 100}, "max") end},
    {"gather", function(f, i) return rill.gather(f, i), rill.gather(numbers, i), pick(rill.iota(10), f) end},
    {"scatter", function(_, i)
        local src = rill.stream("int", 60, 1)
        return rill.scatter(rill.stream("int", 60), i, i, "add"), rill.scatter(rill.stream("int", 60), i, i),
            rill.gather_op(rill.stream("int", #i), i, src, "add"), src
    end},
    {"algebra", function(f) return (f * 2 + 1):eval(), (f * f):sum(), rill.where(f:gt(0.5), f, 0):eval() end},
    {"masks", function(f) return f:filter(f:gt(0.8)), f:filter(f:gt(0.8)):map "x * 2":sort() end},
    {"chain", function(f) return f:map "x + 1":filter "x > 1.5":map "x * 2":filter "i % 2 == 0":sort() end},
    {"views", function(f) return f:domain(3, 9), f:tile(2), f:stride(7), f:replicate(2), f[2] end},
    {"changes", function(f)
        f:write({1, 2, 3}, 1)
        f:set(9, 4)
        return f, f:copy(), f:cast "half", f:like()
    end},
    {"concat", function(f) return rill.concat {f, f} end},
    {"each", function(f)
        local sum = 0
        for _, v in f:each() do sum = sum + v end
        return sum
    end},
    {"request", function(f) return #f:request():values(), #f:bytes() end},
    {"kernels", function(f) return add(f, f), add(f, f:map "x * 2"), add(f, rill.from {1}) end},
    {"a given output", function(f) return add(f, rill.stream("float", #f)), add(f, f, rill.stream("float", #f)) end},
    {"sizes in kernels", function(f) return sized(f), shift(f) end},
    {"vout", function(f) return pushed(f) end},
    {"where", function(f) return add {x = f, y = f, where = f:gt(0.5)} end},
    {"shape", function(f) return add {x = f, y = rill.from {2}, shape = #f} end},
    {"reduce kernels", function(f) return most(f) end},
    {"nothing", function(f) return f:filter "x > 2.0":map "x + 1.0":sort(), f:filter "x > 2.0":scan() end},
}

-- Two streams of one filter whose lengths are not read.
local function counted()
    return numbers:filter "x > 0.4", keys:filter "x > 10"
end

local function uploaded()
    local f, i = counted()
    return rill.from(f:values()), rill.from(i:values(), "int")
end

local function plain(value)
    return rill.type(value) == "stream" and value:values() or value
end

describe("a length counted on the device", function()
    for _, operation in ipairs(operations) do
        it("serves " .. operation[1], function()
            local expected, got = {operation[2](uploaded())}, {operation[2](counted())}
            assert.are.equal(#expected, #got)
            for n, value in ipairs(expected) do
                assert.are.equal(rill.type(value), rill.type(got[n]))
                assert.are.same(plain(value), plain(got[n]))
            end
        end)
    end

    it("does not fit if lengths differ", function()
        local f, i = counted()
        check.raises("broadcast", add, f, i)
    end)
end)
