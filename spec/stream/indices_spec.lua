-- Streams of 0-based indices: which functions return them, what keeps the mark and what ends it.
local rill = require "rill"
local leaks = require "spec.support.leaks"
local tempfiles = require "spec.support.tempfiles"

local MARK <const> = ", 0-based indices"

local function marked(s)
    return tostring(s):find(MARK, 1, true) ~= nil
end

describe("a stream of 0-based indices", function()
    leaks.watch(setup, teardown)
    local x = rill.from {3, 1, 2, 9}
    local m = rill.from {{1, 5, 2}, {7, 0, 3}}
    local function indices() return rill.argsort(x) end

    it("is printed as such", function()
        assert.equal("stream<int>[4] 16 bytes, 0-based indices\n1  2  0  3", tostring(rill.argsort(x)))
        assert.equal("stream<int>[3] 12 bytes, 0-based indices\n1  0  1", tostring(m:argmax(1)))
        assert.equal("stream<int>[0] 0 bytes, 0-based indices", tostring(x:find "x > 100"))
        assert.equal("stream<int>[200] 800 bytes, 0-based indices\n0  1  2  ...  197  198  199",
            tostring(rill.argsort(rill.iota(200))))
    end)

    it("is the result of these functions", function()
        local list <close> = rill.sparse("float", {8, 8}, {page = {4, 4}})
        list:write(rill.from {{1, 2}, {3, 4}}, {1, 1}, {2, 2})
        for name, s in pairs {
            find = x:find "x > 1", ["find of a mask"] = x:find(x:gt(1)),
            ["find of an expression"] = (x * 2):find "x > 1",
            argsort = rill.argsort(m, {axis = 1, descending = true}), argmin = m:argmin(2), argmax = m:argmax(-1),
            keep = m:argmax(1, {keep = true}), ["argmax of an expression"] = (m + 1):argmax(1),
            searchsorted = rill.searchsorted(rill.iota(5), rill.iota(3), {side = "right"}),
            top_k = select(2, x:top_k(2)), ["c:find"] = list:find "x > 2.0", ["c:top_k"] = select(2, list:top_k(2)),
            unique = select(3, m:unique {inverse = true}),
        } do
            assert.is_true(marked(s), name)
        end
    end)

    it("is not the result of other functions", function()
        local values, counts = x:unique()
        local keys, order = rill.sort_by_key(x, rill.iota(4))
        for name, s in pairs {
            iota = rill.iota(4), unique = values, counts = counts, keys = keys, order = order, best = (x:top_k(2)),
            permutation = rill.permutation(4), choice = rill.choice(4, 2), ["choice without repetition"] =
            rill.choice(40, 2, {replace = false}), ["choice by p"] = rill.choice(2, 2, {p = {1, 1}}),
            ["one of each"] = rill.choice(2, 2, {p = {1, 1}, replace = false}), bincount = rill.bincount(rill.iota(4)),
            runs = select(2, x:runs()), scan = rill.iota(4):scan(), filter = x:filter "x > 1", min = m:min(1),
        } do
            assert.is_false(marked(s), name)
        end
        assert.equal(3, rill.searchsorted(rill.iota(5), 3))
    end)

    it("keeps the mark in copies and views", function()
        local s = indices()
        for name, view in pairs {
            copy = s:copy(), eval = s:eval(), domain = s:domain(2, 3), stride = s:stride(2), back = s:stride(-1),
            flip = s:flip(), tile = s:tile(2), replicate = s:replicate(2), group = s:group(2),
            reshape = s:reshape {2, 2},
            transpose = s:reshape {2, 2}:transpose(), row = s:reshape {2, 2}[2], boundary = s:boundary "wrap",
            expand = s:expand(1), split = s:split(2)[2],
            squeeze = s:expand(1):squeeze(),
            vectors = s:reshape {2, 2}:as "ivec2", ["copy of a view"] = s:flip():copy(),
            ["copy of a copy"] = s:copy():copy(), empty = s:domain(1, 2):domain(2, 1),
        } do
            assert.is_true(marked(view), name)
        end
    end)

    it("loses the mark in computed streams", function()
        local s = indices()
        local add = rill.kernel "kernel void add(int a<>, out int r<>) { r = a + 1; }"
        local same = rill.kernel "kernel void same(int a<>, out int r<>) { r = a; }"
        local files = tempfiles.open()
        s:save(files:path "s.rill")
        s:save(files:path "s.npy")
        for name, other in pairs {
            sum = s + 1, cast = s:cast "uint", like = s:like(), map = s:map "x", kernel = add(s), copied = same(s),
            sort = s:sort(), gather = rill.gather(s, s), select = s:select(s), roll = s:roll(1), diff = s:diff(),
            concat = rill.concat {s, s}, stack = rill.stack {s, s}, pad = s:pad {after = 1}, filter = s:filter "x > 1",
            from = rill.from(s:values(), "int"), written = rill.stream("int", 4):write(s),
            rill = rill.load(files:path "s.rill"), npy = rill.load(files:path "s.npy"),
        } do
            assert.is_false(marked(other), name)
        end
        files:close()
        assert.is_true(marked(s))
    end)

    it("loses the mark when it is written", function()
        local double = rill.kernel "kernel void twice(inout int a<>) { a *= 2; }"
        local make = rill.kernel "kernel void make(int a<>, out int r<>) { r = a; }"
        for name, write in pairs {
            set = function(s) s:set(0, 1) end, assign = function(s) s[2] = 5 end, fill = function(s) s:fill(0) end,
            write = function(s) s:write {1, 2, 3, 4} end, box = function(s) s:write({7}, 2, 2) end,
            stream = function(s) s:write(rill.iota(4)) end, expression = function(s) s:write(s + 1) end,
            view = function(s) s:flip():domain(1, 2):fill(0) end, row = function(s) s:reshape {2, 2}[1] = {5, 6} end,
            inout = function(s) double(s) end, out = function(s) make(rill.iota(4), s) end,
            scatter = function(s) rill.scatter(s, rill.from({0}, "int"), rill.from({3}, "int")) end,
            host = function(s) local map = s:map_cpu() map[1] = 5 map:unmap() end,
        } do
            local s = indices()
            local copy, view = s:copy(), s:domain(1, 4)
            write(s)
            assert.is_false(marked(s), name)
            assert.is_false(marked(s:copy()), name)
            assert.is_true(marked(copy), name)
            assert.is_false(marked(view), name)
        end
        local s = indices()
        local first, last = s:domain(1, 2), s:domain(3, 4)
        last:fill(0)
        assert.same({true, false}, {marked(first), marked(last)})
    end)

    it("does not pass the mark to a stream in the same memory", function()
        for _ = 1, 4 do
            local s = rill.argsort(rill.iota(1000))
            assert.is_true(marked(s))
            s:close()
            assert.is_false(marked(rill.stream("int", 1000)))
            assert.is_false(marked(rill.iota(1000)))
        end
    end)

    it("can be passed to s:select, rill.gather and kernels", function()
        assert.same({1, 2, 3, 9}, x:select(rill.argsort(x)):values())
        assert.same({1, 2, 3, 9}, rill.gather(x, rill.argsort(x)):values())
        assert.same({3, 2, 9}, x:select(x:find "x > 1"):values())
        local best, at = x:top_k(2)
        assert.same(best:values(), x:select(at):values())
        assert.same({7, 0, 3}, m:select(m:argmax(1), 1)[1]:values())
        local pick = rill.kernel "kernel void pick(int i<>, float a[], out float r<>) { r = a[i]; }"
        assert.same({1, 2, 3, 9}, pick(rill.argsort(x), x):values())
    end)

    it("is described on one page, to which each page links that mentions the functions", function()
        local words <const> = "`s:find`, `rill.argsort`, `rill.lexsort`, `rill.searchsorted`, `s:top_k`, "
            .. "`s:argmin(axis)`, `s:argmax(axis)` and "
            .. "`s:unique {inverse = true}` return 0-based indices, which `s:select`, "
            .. "`rill.gather` and kernels take directly. In several dimensions, `rill.argsort`, `s:argmin(axis)` and "
            .. "`s:argmax(axis)` return indices along the axis, which `rill.take_along` takes. `s:get`, `s[i]`, "
            .. "`s:argmin()` and `s:argmax()` use 1-based indices."
        local lists <const> = {container = true, cost = true, errors = true, module = true} -- only name the functions
        local link <const> = "#streams-of-indices)"
        local count, described = 0, {}
        local pipe <close> = assert(io.popen "ls docs/*.md")
        for path in pipe:lines() do
            local file <close> = assert(io.open(path))
            local text = file:read "a":gsub("%s+", " "):gsub("D:%w+", "") -- methods of distributed streams
            if text:find(words, 1, true) then
                described[#described + 1] = path
            end
            local mentions = text:find "%f[%w_]argsort" or text:find "%f[%w_]top_k" or text:find ":find%f[%W]" or
                text:find "searchsorted" or text:find "argmax%f[%W]"
            if mentions and not lists[path:match "(%w[%w_]*)%.md$"] then
                count = count + 1
                assert(text:find(link, 1, true), path .. " has no link to stream.md" .. link)
            end
        end
        assert.same({"docs/stream.md"}, described)
        assert.is_true(count > 8)
    end)
end)
