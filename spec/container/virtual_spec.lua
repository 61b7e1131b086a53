-- Operations of rill.virtual that other containers have, too: mapping pages, files, and operations that do
-- not apply.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local order = require "spec.support.order"

local raises <const> = check.raises
local T <const> = rill.translator

local function saved(c)
    local path = os.tmpname() .. ".rill"
    c:save(path)
    local back = rill.load(path)
    os.remove(path)
    return back
end

describe("a virtual domain of 2048^3", function()
    leaks.watch(setup, teardown)

    it("takes the memory of its pages", function()
        local t = T.pages {shape = {2048, 2048, 2048}, page = {8, 8, 8}, capacity = 100}
        local before = rill.memory().peak
        local c = rill.virtual(t, rill.physical("float", 100 * 512), {default = -1})
        local oracle, points = {}, {}
        for frame = 0, 49 do
            local at = {math.random(0, 255) * 8, math.random(0, 255) * 8, frame * 40}
            t:map(at, nil, frame)
            c:set(frame + 1, at[3] + 1, at[2] + 1, at[1] + 1)
            points[#points + 1], oracle[#oracle + 1] = at, frame + 1
            points[#points + 1], oracle[#oracle + 1] = {at[1], at[2], at[3] + 8}, -1
            points[#points + 1], oracle[#oracle + 1] = {at[1] + 7, at[2] + 7, at[3] + 7}, 0
        end
        local k = rill.kernel "kernel void f(ivec3 p<>, float c[][][], out float r<>) { r = c[p.z][p.y][p.x]; }"
        assert.same(oracle, k(rill.from(points, "ivec3"), c):values())
        c:fill(4)
        assert.same({4, -1}, {c:get(points[1][3] + 8, points[1][2] + 1, points[1][1] + 1), c:get(2048, 2048, 2048)})
        assert.equal(8589934592, c.size)
        assert.is_true(rill.memory().peak - before < 8 * 1024 * 1024)
        assert.is_true(c.nbytes < 4 * 1024 * 1024)
        raises("f: a launch over 2048x2048x2048 is more than 2147483647 elements",
            rill.kernel "kernel void f(inout float x<>) { x = 1.0; }", {x = c, over = c:range()})
        raises("c:stream: shape 2048x2048x2048 has more than 2147483647 elements", c.stream, c)
        raises("c:write: 512 of the 1024 elements to be written are not mapped", function()
            local p = points[1]
            c:write(rill.stream("float", {16, 8, 8}), {p[3] + 1, p[2] + 1, p[1] + 1})
        end)
    end)
end)

describe("rill.virtual", function()
    it("names options that do not fit", function()
        local t, m = T.linear {shape = {4, 4}}, rill.physical("float", 16)
        raises("rill.virtual: argument #1 'translator': expected a translator, got", rill.virtual, m)
        raises("rill.virtual: argument #2 'physical': expected a stream, got nil", rill.virtual, t)
        raises("rill.virtual: translator 'linear' gives addresses of 1 dimension, but the memory's shape is 4x4",
            rill.virtual, t, rill.physical("float", {4, 4}))
        raises("rill.virtual: expected memory of at least one element without gaps", rill.virtual, t, m:stride(2))
        raises("rill.virtual: expected memory of at least one element without gaps", rill.virtual, t,
            rill.iter("float", 16, 0, 1))
        raises("rill.virtual: the domain of translator 'compose' has no bounds", rill.virtual,
            T.compose(T.linear {shape = 9}, T.hash {rank = 2}), m)
        raises("rill.virtual: the domain of translator 'pages' has more than 2%^53 elements", rill.virtual,
            T.pages {shape = {2 ^ 30 | 0, 2 ^ 30 | 0}, page = {1 << 15, 1 << 15}, levels = 2}, m)
        raises("rill.virtual: unknown option 'defualt'", rill.virtual, t, m, {defualt = 1})
        raises("rill.virtual: option 'default'", rill.virtual, t, m, {default = "x"})
        raises("rill.virtual: argument #3 'options'", rill.virtual, t, m, 1)
    end)

    it("reads the default where memory ends before the addresses", function()
        local c = rill.virtual(T.linear {shape = 10}, rill.physical("float", 6):fill(1), {default = 3})
        assert.same({1, 1, 1, 1, 1, 1, 3, 3, 3, 3}, c:values())
        assert.same({1, 3}, {c:get(6), c:get(7)})
        raises("c:write: 4 of the 10 elements to be written are not mapped", c.write, c, rill.iota(10))
        raises("c:set: 1 of the 1 elements to be written are not mapped", c.set, c, 1, 7)
        c:write(rill.iota(6), 1)
        assert.same({0, 1, 2, 3, 4, 5, 3, 3, 3, 3}, c:values())
    end)

    it("keeps its translator and memory when these are closed", function()
        local t, m = T.linear {shape = {2, 3}}, rill.physical("float", 6):fill(5)
        local c <close> = rill.virtual(t, m)
        t:close()
        m:close()
        assert.same({5, 5, 5, 5, 5, 5}, c:values())
    end)
end)

describe("a container of parts", function()
    leaks.watch(setup, teardown)

    it("maps pages of a page table to frames that are free", function()
        for seed = 1, 6 do
            local random = order.generator(seed)
            local t = T.pages {shape = {30, 22}, page = {4, 5}}
            local memory = rill.physical("int", 12 * 20):fill(99)
            local c, like = rill.virtual(t, memory, {default = -1}), rill.sparse("int", {30, 22}, {page = {4, 5},
                default = -1, capacity = 12})
            t:map({0, 0}, {4, 3}, 7)
            c:fill(-1)
            like:allocate {1, 1}
            for step = 1, 30 do
                local i, j = 1 + random(30), 1 + random(22)
                local last = {math.min(30, i + random(5)), math.min(22, j + random(6))}
                local release = random(3) == 0
                local name = release and "release" or "allocate"
                local done, message = pcall(c[name], c, {i, j}, last)
                local expected = pcall(like[name], like, {i, j}, last)
                assert(done == expected, ("seed %d, step %d: %s"):format(seed, step, message))
                if not done then
                    assert.matches("free: memory has room for 12", message)
                elseif not release then
                    local v = random(100)
                    c:set(v, i, j)
                    like:set(v, i, j)
                end
                assert.equal(like.pages.mapped, c.pages.mapped)
            end
            assert.same(like:values(), c:values())
            assert.same({like:sum(), like:active().size}, {c:sum(), c:active().size})
            local points = rill.from({{3, 4}, {20, 29}, {3, 5}}, "ivec2")
            c:release({1, 1}, {30, 22}):allocate(points)
            assert.same({2, -24}, {c.pages.mapped, c:sum()})
            assert.equal(1, c:release(points:domain(1, 1)).pages.mapped)
        end
    end)

    it("goes into files", function()
        local t = T.pages {shape = {2048, 2048}, page = {8, 8}}
        local c = rill.virtual(t, rill.physical("float", 4 * 64), {default = 3}):allocate({100, 100}, {101, 105})
        c:set(7, 100, 103)
        local back = saved(c)
        assert.matches("container<float>%[2048x2048%], pages, 2 of", tostring(back))
        assert.same({7, 3, 3, c:sum()}, {back:get(100, 103), back:get(100, 104), back:get(1, 1), back:sum()})
        back:set(1, 2000, 2000)
        local far = T.pages {shape = {2048, 2048}, page = {8, 8}}
        far:map({0, 0}, {15, 7}, 3)
        local half = rill.virtual(far, rill.physical("float", 4 * 64)):fill(2)
        assert.same({1, 128}, {saved(half).pages.mapped, saved(half):sum()})
        local fold = rill.virtual(T.fold {shape = {3, 4, 5}, to = {8, 8}}, rill.physical("vec2", {8, 8}))
        fold:set({1, 2}, 2, 3, 4)
        back = saved(fold)
        assert.same({{1, 2}, {0, 0}}, {back:get(2, 3, 4), back:get(3, 3, 4)})
        assert.equal("container<vec2>[3x4x5]", tostring(back):match "^[^,]*")
        local short = rill.virtual(T.linear {shape = {4, 5}}, rill.physical("float", 12))
        raises("c:save: a partly mapped container without pages of one size cannot be saved", saved, short)
    end)

    it("has snapshots, which are copies of the mapped elements", function()
        local t = T.pages {shape = {20, 30}, page = {4, 8}}
        local memory = rill.physical("float", 20 * 32)
        local c, other = rill.virtual(t, memory, {default = -1}), rill.virtual(t, memory:copy())
        c:allocate({1, 1}, {10, 10}):update(function(_, i, j) return i * j end)
        local values, bytes = c:values(), rill.memory().bytes
        local taken <close> = c:snapshot()
        assert.is_true(rill.memory().bytes - bytes <= 6 * 32 * 4 + 4096)
        assert.equal(0, c:diff(taken).size)
        memory:fill(0) -- by somebody else
        assert.same({6 * 32, 6}, {c:diff(taken).size, c.pages.mapped})
        c:undo(taken)
        check.equal(values, c:values())
        c:release({1, 1}):release({9, 9}):set(3, 6, 3):allocate({20, 30})
        assert.same({3 * 32 + 24, 5}, {c:diff(taken).size, c.pages.mapped})
        c:undo(taken)
        check.equal(values, c:values())
        assert.same({0, 6, 6}, {c:diff(taken).size, c.pages.mapped, other.pages.mapped})
        raises("c:undo: argument #1 'snapshot': the snapshot is of another container", other.undo, other, taken)
        c:close()
        raises("its container was closed", other.undo, other, taken)
    end)

    it("has snapshots over translators whose mapping stays", function()
        local pages = T.pages {shape = {64}, page = {8}}
        pages:map(8, 31, 0)
        local memory = rill.physical("int", 32)
        local both = rill.virtual(T.compose(pages, T.linear {shape = {8, 8}}), memory)
        local taken <close> = both:update(function(_, i, j) return 10 * i + j end):snapshot()
        both:set(5, 2, 3):set(6, 3, 3):set(7, 3, 4)
        assert.equal(3, both:diff(taken).size)
        local sum = 0
        for i, j in both:diff(taken):each() do sum = sum + 10 * i + j end
        assert.equal(23 + 33 + 34, sum)
        both:undo(taken)
        assert.equal(24 * 34.5, both:sum())
        pages:unmap(8)
        raises("c:diff: translator 'compose' maps another part of its domain than", both.diff,
            both, taken)
        raises("c:undo: translator 'compose' maps another part", both.undo, both, taken)
        pages:map(8, 15, 3)
        both:undo(taken)
        assert.equal(24 * 34.5, both:sum())
        local Ball = rill.struct("SnapshotBall", "vec2 p; int n;")
        local balls = rill.virtual(T.linear {shape = {5}}, rill.physical(Ball, 5))
        local before <close> = balls:snapshot()
        balls:set({p = {1, 2}, n = 3}, 4)
        assert.equal(1, balls:diff(before).size)
        assert.equal(0, balls:undo(before):get(4).n)
    end)

    it("says whose pages it has", function()
        local pages = T.pages {shape = {8, 8}, page = {4, 4}}
        local made = rill.virtual(T.compose(T.fold {shape = {64}, to = {8, 8}}, pages), rill.physical("float", {8, 8}))
        raises("c:allocate: this container's pages belong to a translator of which 'compose' is composed: use t:map",
            made.allocate, made, {1, 1})
        pages:map({0, 0}, nil, 0)
        assert.equal(1, made.pages.mapped)
        local levels = T.pages {shape = {8, 8}, page = {4, 4}, adaptive = true}
        local adaptive = rill.virtual(levels, rill.physical("float", 64))
        raises("c:release: this container's pages belong to its translator: use t:map and t:unmap", adaptive.release,
            adaptive, {1, 1})
        local l = rill.lists("float", {counts = rill.from({2, 0, 1}, "int")})
        raises("c:allocate: the lengths of lists cannot be changed: create new lists", l.allocate, l, {1, 1})
        local short = rill.virtual(T.linear {shape = {4, 5}}, rill.physical("float", 12))
        raises("c:allocate: the mapping of translator 'linear' is fixed", short.allocate, short, {1, 1})
        local all = rill.virtual(T.linear {shape = {4, 5}}, rill.physical("float", 20))
        assert.equal(20, all:allocate({1, 1}, {4, 5}):fill(1):sum())
    end)
end)

describe("a grid of lists", function()
    leaks.watch(setup, teardown)

    it("takes the numbers of entries as indices", function()
        for seed = 1, 10 do
            local random = order.generator(seed)
            local counts, n = {}, 0
            for i = 1, 12 do
                counts[i] = random(4)
                n = n + counts[i]
            end
            counts[5], n = counts[5] + 1, n + 1
            local values = {}
            for i = 1, n do values[i] = random(1000) end
            local l = rill.lists("int", {
                shape = {3, 4}, counts = rill.from(counts, "int"):reshape {3, 4}, values = rill.from(values, "int"),
            })
            assert.equal(l:max(), l:get(l:argmax()))
            assert.equal(l:min(), l:get(l:argmin()))
            for i, v in l:each() do assert.equal(v, l:get(i)) end
            for i in l:active():each() do assert.equal(values[i], l:get(i)) end
            for _, i in ipairs(l:find("x > 300"):values()) do assert.is_true(l:get(i + 1) > 300) end
            assert.equal(values[n], l:get(-1))
            l:set(-4, l:argmax())
            assert.equal(-4, l:min())
            local k = 0
            for i = 1, 12 do
                for j = 1, counts[i] do
                    k = k + 1
                    assert.equal(l:get(k), l:get((i - 1) // 4 + 1, (i - 1) % 4 + 1, j))
                end
            end
            raises("c:get: index " .. n + 1 .. " is out of range: the lists have " .. n .. " entries", l.get, l, n + 1)
            raises("c:get: index 0 is out of range", l.get, l, 0)
            raises("c:set: index %-" .. n + 1 .. " is out of range", l.set, l, 3, -n - 1)
        end
    end)
end)
