-- Functions that take streams are called with a container or an expression of containers: they work, or
-- the error says what to do.
local rill = require "rill"
local leaks = require "spec.support.leaks"

local T <const> = rill.translator
local copy <const> = "kernel void copy(float x<>, out float r<>) { r = x; }"

local function all(n)
    return {{first = 0, last = n - 1}}
end

-- Containers by the letters of a case.
local made <const> = {
    x = function() return rill.sparse("float", 16, {page = 4}):generate(function(i) return i % 5 end, all(16)) end,
    i = function() return rill.sparse("int", 16, {page = 4}):generate(function(i) return i // 4 end, all(16)) end,
    n = function() return rill.sparse("int", 16, {page = 4}):allocate(1, 16) end,
    b = function() return rill.sparse("bool", 16, {page = 4}):allocate(1, 16) end,
    m = function() return rill.sparse("float", {4, 4}, {page = {2, 2}}):allocate({1, 1}, {4, 4}) end,
    p = function() return rill.sparse("vec2", 4, {page = 2}):allocate(1, 4) end,
    l = function() return rill.sparse("int", 4, {page = 2}):allocate(1, 4):fill(4) end,
    o = function() return rill.sparse("int", 5, {page = 2}):generate(function(i) return i * 2 - 2 end, all(5)) end,
}

-- Functions that are called with these arguments, of which one at a time is a container.
local cases <const> = {
    {"ix", function(i, x) return rill.reduce_by_key(i, x) end},
    {"xl", function(x, l) return rill.segmented_reduce(x, l) end},
    {"xx", function(a, b) return rill.concat {a, b} end},
    {"xx", function(a, b) return a:copy():write(b) end},
    {"xl", function(x, l) return x:scan("add", {segments = l}) end},
    {"x", function(x) return rill.choice(x, 3) end},
    {"x", function(x) return rill.choice(16, 3, {p = x}) end},
    {"x", function(x) return rill.argsort(x) end},
    {"ix", function(i, x) return rill.sort_by_key(i, x) end},
    {"xx", function(a, b) return rill.searchsorted(a, b) end},
    {"xx", function(a, b) return rill.merge(a, b) end},
    {"xi", function(x, i) return rill.gather(x, i) end},
    {"xix", function(d, i, s) return rill.scatter(d, i, s) end},
    {"xix", function(d, i, s) return rill.scatter_op(d, i, s, "add") end},
    {"xix", function(d, i, s) return rill.gather_op(d, i, s, "add") end},
    {"xx", function(x, w) return x:histogram {weights = w} end},
    {"ix", function(i, w) return rill.bincount(i, {weights = w}) end},
    {"mm", function(a, b) return rill.matmul(a, b) end},
    {"xx", function(a, b) return rill.blas.axpy(2, a, b) end},
    {"x", function(x) return rill.blas.scal(2, x) end},
    {"xx", function(a, b) return rill.blas.dot(a, b) end},
    {"x", function(x) return rill.blas.nrm2(x) end},
    {"x", function(x) return rill.blas.asum(x) end},
    {"x", function(x) return rill.blas.iamax(x) end},
    {"mm", function(a, b) return rill.blas.gemm(1, a, b, 0, rill.stream("float", {4, 4})) end},
    {"x", function(x) return rill.plot(x, {text = true}) end},
    {"xx", function(a, b) return rill.plot(a, b, {text = true}) end},
    {"p", function(p) return rill.plot(p, {text = true}) end},
    {"x", function(x) return rill.debug.stats(x) end},
    {"m", function(m) return rill.show(m, {text = true}) end},
    {"l", function(l) return T.lists {counts = l} end},
    {"o", function(o) return T.lists {offsets = o} end},
    {"l", function(l) return rill.lists("int", {counts = l}) end},
    {"o", function(o) return rill.lists("int", {offsets = o}) end},
    {"ix", function(i, x) return rill.lists("float", {shape = 5, keys = i, values = x}) end},
    {"x", function(x) return rill.virtual(T.linear {shape = 16}, x) end},
    {"x", function(x) return rill.horn.filter(x, "x > 0.0") end},
    {"x", function(x) return rill.horn.sort_filter(x, "x > 0.0") end},
    {"b", function(b) return rill.horn.scan(b) end},
    {"i", function(i) return rill.horn.search(i) end},
    {"xn", function(x, n) return rill.horn.gather(x, n) end},
    {"n", function(n) return T.linear {shape = 16}:translate(n) end},
    {"n", function(n) return T.linear {shape = 16}:inverse(n) end},
    {"nn", function(a, b) return T.linear {shape = 16}:ranges(a, b) end},
    {"n", function(n) return made.x():allocate(n) end},
    {"n", function(n) return made.x():release(n) end},
    {"p", function(p) return rill.quadtree("float", {size = 8, page = 2}):refine(p, 0) end},
    {"p", function(p) return rill.quadtree("float", {size = 8, page = 2}):level(p) end},
    {"n", function(n) return rill.quadtree("float", {size = 8, page = 2}):refine(rill.stream("vec2", 16), n) end},
    {"b", function(b) return rill.active(b) end},
    {"bx", function(b, x)
        local k = rill.kernel(copy)
        return rill.branch(b, k, k)(x)
    end},
    {"bx", function(b, x) return rill.kernel(copy) {x = x, r = rill.stream("float", 16), where = b} end},
    {"xb", function(x, b) return x:filter(b) end},
    {"xx", function(a, b) return a:dot(b) end},
    {"bxx", function(b, x, y) return rill.where(b, x, y):eval() end},
    {"xx", function(x, y) return rill.vec2(x, y):eval() end},
}

local function arguments(letters, at, make)
    local list = {}
    for n = 1, #letters do
        local c = made[letters:sub(n, n)]()
        list[n] = n == at and make(c) or c:stream()
    end
    return list
end

local function as_array(c)
    return rill.array(c.type, c.shape):write(c:stream())
end

local function as_expression(c)
    return c.type == "bool" and c | false or c.type == "int" and c + 0 or c * 1
end

describe("a container where a stream is expected", function()
    leaks.watch(setup, teardown)

    it("is one of cases that take streams #long", function()
        for number, case in ipairs(cases) do
            local good, message = pcall(case[2], table.unpack(arguments(case[1], 0)))
            assert(good, ("case %d: %s"):format(number, message))
        end
    end)

    local ways <const> = {
        ["in part"] = function(c) return c end, ["wholly #long"] = as_array, ["and calculated #long"] = as_expression,
    }
    for name, make in pairs(ways) do
        it("works, or the message says how, mapped " .. name, function()
            local worked, refused = 0, 0
            for number, case in ipairs(cases) do
                for at = 1, #case[1] do
                    local good, message = pcall(case[2], table.unpack(arguments(case[1], at, make)))
                    worked, refused = worked + (good and 1 or 0), refused + (good and 0 or 1)
                    local told = good or message:find(":stream()", 1, true) or message:find("e:eval()", 1, true) or
                        make == as_expression and message:find("which is written, got expression", 1, true)
                    assert(told, ("case %d, argument %d: %s"):format(number, at, message))
                end
            end
            assert.is_true(worked > 15 and refused > 15)
        end)
    end

    it("is distinguished from a closed one", function()
        local c = rill.array("float", 3)
        c:close()
        local good, message = pcall(rill.concat, {c})
        assert.is_false(good)
        assert.matches("item 1: expected an open stream, got closed container", message, 1, true)
    end)
end)
