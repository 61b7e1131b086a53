local rill = require "rill"
local names <const> = require "spec.support.check".names
local leaks = require "spec.support.leaks"
local nearest = require "spec.support.nearest"

math.randomseed(4)
local LONG <const> = os.getenv "RILL_SUITE_LONG"

-- Returns n points; make(d) returns a coordinate.
local function scattered(n, rank, make)
    local list = {}
    for i = 1, n do
        list[i] = {}
        for d = 1, rank do list[i][d] = make(d) end
    end
    return list
end

local function uniform() return math.random() end

-- Compares a search with brute force.
local function check(type, rank, points, options, queries)
    local p, stored = nearest.stream(rill, points, type, rank)
    local q, asked
    if queries then
        q, asked = nearest.stream(rill, queries, type, rank)
    end
    options.queries = q
    local n = rill.neighbors(p, options)
    local box = options.periodic
    box = _G.type(box) == "number" and {box, box, box} or box
    nearest.compare(nearest.lists(stored, asked or stored, options.radius, box, options.self == false), n, type)
    return n
end

describe("rill.neighbors", function()
    leaks.watch(setup, teardown)

    it("finds the k nearest points in 1 to 3 dimensions, of floats and doubles", function()
        for _, type in ipairs {"float", "double"} do
            for rank = (LONG or type == "float") and 1 or 3, 3 do
                for _, n in ipairs(LONG and {0, 1, 7, 8, 9, 65, 300} or {0, 1, 9, 65}) do
                    check(type, rank, scattered(n, rank, uniform), {k = 5})
                end
            end
        end
    end)

    it("finds any number of neighbors", function()
        local points <const> = scattered(150, 3, uniform)
        for _, k in ipairs(LONG and {1, 2, 3, 12, 13, 32, 33, 64, 65, 150, 151, 400} or {13, 400}) do
            check("float", 3, points, {k = k})
        end
        check("double", 2, scattered(90, 2, uniform), {k = 70, periodic = {1, 1.5}})
    end)

    it("finds all points within a radius", function()
        for _, radius in ipairs(LONG and {0, 1e-30, 0.1, 0.3, 1, math.huge} or {0, 0.3, math.huge}) do
            check("float", 3, scattered(200, 3, uniform), {radius = radius})
            check("double", 1, scattered(60, 1, uniform), {radius = radius})
            check("float", 2, {}, {radius = radius})
        end
    end)

    it("sorts few long lists among many short ones", function()
        local points = {}
        for i = 1, 400 do points[i] = {math.random()} end
        for i = 401, 8000 do points[i] = {-10.0 * i} end
        local n <const> = rill.neighbors(points, {radius = 2})
        local starts <const>, indices <const>, distances <const> = n.starts:read(), n.indices:read(), n.distances:read()
        assert.equal(400 * 400 + 7600, #indices)
        for _, i in ipairs {1, 77, 400} do
            assert.equal(400, starts[i + 1] - starts[i])
            assert.equal(i - 1, indices[starts[i] + 1])
            for j = starts[i] + 2, starts[i + 1] do assert(distances[j - 1] <= distances[j]) end
        end
        assert.equal(7999, indices[#indices])
    end)

    it("combines k and a radius, which includes its end", function()
        check("float", 2, scattered(100, 2, function() return math.random(0, 6) end), {k = 6, radius = 1})
        local n = rill.neighbors({{0, 0}, {3, 4}, {6, 8}}, {k = 2, radius = 5})
        assert.same({0, 1, 1, 0, 2, 1}, n.indices:values())
    end)

    it("orders equally near points by their indices", function()
        for rank = LONG and 1 or 3, 3 do
            local points <const> = scattered(250, rank, function() return math.random(0, 3) end)
            check("float", rank, points, {k = 9})
            check("float", rank, points, {radius = 1})
            check("double", rank, points, {k = 40}, scattered(20, rank, function() return math.random(-2, 5) end))
        end
    end)

    it("takes queries", function()
        local points <const>, queries <const> = scattered(120, 3, uniform), scattered(33, 3, function()
            return 3 * math.random() - 1
        end)
        check("float", 3, points, {k = 4}, queries)
        check("float", 3, points, {radius = 0.5}, queries)
        check("float", 3, points, {k = 4}, {})
        check("float", 3, {}, {k = 4}, queries)
        check("float", 3, {}, {radius = 4}, queries)
    end)

    it("leaves out the point itself", function()
        local points <const> = scattered(60, 2, function() return math.random(0, 9) end)
        check("float", 2, points, {k = 5, self = false})
        check("float", 2, points, {k = 70, self = false})
        check("float", 2, points, {radius = 2, self = false})
    end)

    it("measures distances in a periodic box", function()
        local points <const> = scattered(150, 3, uniform)
        check("float", 3, points, {k = 7, periodic = 1})
        check("float", 3, points, {radius = 0.4, periodic = {1, 1.5, math.huge}})
        check("float", 1, scattered(50, 1, uniform), {k = 7, periodic = 1.0})
        local n = rill.neighbors({-0.4, 0.4, 0}, {k = 2, periodic = 1}) -- any interval of the length of the box
        assert.same({0, 1, 1, 0, 2, 0}, n.indices:values())
    end)

    it("resolves dense clusters next to distant points", function()
        local points <const> = {}
        for i = 1, 300 do
            local far <const> = i == 7 and 1e15 or 0
            points[i] = {far + 1e-9 * math.random(), math.random() * 1e-9, i % 2 + 1e-12 * math.random()}
        end
        check("double", 3, points, {k = 8})
        if LONG then check("float", 3, points, {k = 8}) end
    end)

    it("computes with coordinates from 1e-20 to 1e20", function()
        local function wide() return (math.random(0, 1) * 2 - 1) * 10 ^ (40 * math.random() - 20) end
        for _, type in ipairs {"float", "double"} do
            check(type, 3, scattered(150, 3, wide), {k = 6})
            check(type, 2, scattered(150, 2, wide), {radius = 1e-3})
        end
    end)

    it("continues searches that a device interrupts", function()
        -- The 40,000 points are equally far from the queries, apart from a few.
        local p <const> = rill.stream("vec2", 40000, {1, 0})
        p:domain(20000, 20010):fill {0, 1}
        local n = rill.neighbors(p, {k = 40, queries = {{0, 0}, {1, 1}}})
        local first <const> = {}
        for i = 1, 40 do first[i] = i - 1 end
        assert.same(first, n.indices[1]:values())
        assert.same(first, n.indices[2]:values())
        local all = n:query(rill.from({{0, 0}}, "vec2"), {radius = 1})
        assert.equal(40000, all.indices.size)
        assert.equal(39999 * 20000, all.indices:cast "double":sum())
        assert.equal(17, all.indices:get(18))
    end)

    it("takes tables, matrices, views and expressions", function()
        local rows <const> = {{1, 2, 3}, {4, 5, 6}, {1, 2, 4}}
        local m <const> = rill.from(rows)
        local expected <const> = rill.neighbors(rows, {k = 3}).indices:values()
        assert.same({0, 2, 1, 1, 2, 0, 2, 0, 1}, expected)
        for _, p in ipairs {m, m:as "vec3", m:transpose():copy():transpose(), m * 1, m:cast "double",
            rill.from {{1, 2, 3, 0}, {4, 5, 6, 0}, {1, 2, 4, 0}}:domain({1, 1}, {3, 3})} do
            assert.same(expected, rill.neighbors(p, {k = 3}).indices:values())
        end
        local line <const> = rill.from {{1}, {5}, {2}}
        assert.same({0, 2, 1, 2, 2, 0}, rill.neighbors(line, {k = 2}).indices:values())
        assert.same({0, 2, 1, 2, 2, 0}, rill.neighbors({1, 5, 2}, {k = 2}).indices:values())
    end)

    it("takes empty lists, lists of queries as doubles, and columns of tables", function()
        assert.same({0, 2}, rill.neighbors({}, {k = 2}).indices.shape)
        assert.equal(0, rill.neighbors({{1, 2}}, {k = 2, queries = {}}).indices.size)
        local t <const> = rill.frame {x = {1, 5, 2}, y = {0.5, 0.25, 0.5}}
        local p <const> = rill.vec2(t.x, t.y)
        local n <const> = rill.neighbors(p, {k = 1, queries = {{4, 0}}})
        assert.equal("double", n.distances.type)
        assert.same({1}, n.indices:reshape(1):values())
        local near <const> = rill.neighbors(p, {k = 1, self = false})
        assert.same({2, 2, 0}, t:with {near = near.indices:reshape(#t)}.near:values())
        assert.same({1, 5, 2}, rill.frame {x = p.x, y = p.y}.x:values())
        -- a table of pairs
        local pairs_of <const> = rill.neighbors(p, {radius = 1, self = false})
        local from <const> = rill.searchsorted(pairs_of.starts, rill.iota(#pairs_of.indices), {side = "right"}) - 1
        assert.same({0, 2}, from:eval():values())
        assert.same({2, 0}, pairs_of.indices:values())
    end)

    it("updates its points and searches other queries", function()
        local first <const>, second <const> = scattered(80, 2, uniform), scattered(90, 2, uniform)
        local n = check("float", 2, first, {k = 3})
        assert.equal(n, n:update(rill.from(second, "vec2")))
        local q, asked = nearest.stream(rill, first, "float", 2)
        local _, stored = nearest.stream(rill, second, "float", 2)
        nearest.compare(nearest.lists(stored, stored), n, "float")
        nearest.compare(nearest.lists(stored, asked), n:query(q), "float")
        nearest.compare(nearest.lists(stored, asked, 0.1), n:query(q, {radius = 0.1}), "float")
        assert.equal("3 nearest neighbors of 90 points among 90", tostring(n))
        n:close()
        assert.equal("closed neighbor search", tostring(n))
        assert.has_error(function() n:update(q) end)
    end)

    it("is read by kernels", function()
        local x <const> = rill.from {1, 2, 4, 8}
        local n = rill.neighbors({0, 1, 2, 10}, {k = 2})
        local mean <const> = rill.kernel [=[
            kernel void mean(float x[], int near[][], out float r<>) {
                int i = indexof(r).x, n = sizeof_stream(near).x;
                r = 0.0;
                for (int j = 0; j < n; j++) r += x[near[i][j]] / float(n);
            }
        ]=]
        assert.same({1.5, 1.5, 3, 6}, mean {x = x, near = n.indices, shape = 4}:values())
        n = rill.neighbors({0, 1, 2, 10}, {radius = 1})
        local sum <const> = rill.kernel [=[
            kernel void sum(float x[], int starts[], int near[], out float r<>) {
                int i = indexof(r).x;
                r = 0.0;
                for (int j = starts[i]; j < starts[i + 1]; j++) r += x[near[j]];
            }
        ]=]
        assert.same({3, 7, 6, 8}, sum {x = x, starts = n.starts, near = n.indices, shape = 4}:values())
        local element <const> = rill.kernel "kernel void element(int near<>, out int r<>) { r = near; }"
        for _, call in ipairs {function() return mean {x = x, near = n, shape = 4} end,
            function() return element(n) end, function() return rill.gather(x, n) end,
            function() return rill.from(n) end, function() return x:filter(n) end} do
            names({"got a neighbor search: its streams are n.indices, n.distances and n.starts"}, call)
        end
        names({"got mesh"}, rill.from, rill.mesh.box())
        names({"got frame"}, rill.from, {rill.frame {x = {1}}})
    end)

    it("takes large whole numbers as a radius", function()
        local p <const> = rill.from({{0, 0}, {4e9, 0}, {1.5e10, 0}}, "vec2")
        local n <const> = rill.neighbors(p, {radius = 5000000000, queries = {{4e9, 1}, {0, 0}, {1e10, 0}}})
        assert.same({0, 2, 4, 4}, n.starts:values())
        local one <const> = rill.neighbors(p, {k = 1, radius = 5000000000, self = false})
        assert.same({1, 0, -1}, one.indices:reshape(3):values())
    end)

    it("says how results for one neighbor become masks", function()
        local p <const> = rill.from({{0, 0}, {1, 0}, {5, 5}}, "vec2")
        local t <const>, d = rill.frame {x = {1, 2, 3}}, rill.neighbors(p, {k = 1, self = false}).distances
        names({"the mask has shape 3x1, the stream 3: mask:eval():reshape(3) has the shape of the stream"},
            p.filter, p, d:lt(2))
        names({": mask:reshape(3) has the shape of the stream"}, p.filter, p, d:lt(2):eval())
        names({"3 rows: mask:reshape(3) has one element for each row"}, t.filter, t, d:lt(2))
        assert.equal(2, p:filter(d:reshape(3):lt(2)).size)
        assert.equal(2, p:filter(d:lt(2):eval():reshape(3)).size)
        names({"the mask has shape 2x1, the stream 3"}, p.filter, p, rill.stream("bool", {2, 1}))
    end)

    it("refuses points that a differentiated function depends on", function()
        local p <const> = rill.from {0, 1, 3}
        local n <const> = rill.neighbors(p, {k = 2, self = false})
        for _, f in ipairs {
            function(x) return rill.neighbors(x * 2, {k = 2}).distances:sum() end,
            function(x) return rill.neighbors(p, {k = 2, queries = x}).distances:sum() end,
            function(x) return n:query(x).distances:sum() end,
            function(x) return n:update(x).distances:sum() end,
        } do
            assert.has_error(function() rill.grad(f)(p) end)
            local _, message = pcall(rill.grad(f), p)
            assert.truthy(message:find("search with rill.value(p)", 1, true), message)
        end
        local g <const> = rill.grad(function(x)
            local near <const> = rill.neighbors(rill.value(x), {k = 1, self = false}).indices:reshape(3)
            return ((rill.gather(x, near) - x) ^ 2):sum()
        end)(p)
        assert.same({-4, 0, 4}, g:values())
    end)

    it("refuses what it cannot search", function()
        local function fails(expected, ...)
            local done, message = pcall(rill.neighbors, ...)
            assert.is_false(done)
            assert.truthy(message:find(expected, 1, true), message)
        end
        local p <const> = rill.from({{0, 0}, {1, 1}}, "vec2")
        fails("element 2 is {nan, 1.0}: expected finite coordinates", {{0, 0}, {0 / 0, 1}}, {k = 1})
        fails("element 1 is inf: expected finite coordinates", {1 / 0, 2}, {k = 1})
        local double <const> = p:cast "dvec2"
        fails("expected points of vec2, as the first argument has, got dvec2: s:cast \"vec2\" converts them", p,
            {k = 1, queries = double})
        local t <const> = rill.frame {x = {1, 2}, y = {0.5, 1.5}}
        fails("got frame: rill.vec3(t.x, t.y, t.z) joins three columns, rill.vec2(t.x, t.y) two", t, {k = 1})
        fails("got a list of streams: rill.vec2 joins them", {t.x, t.y}, {k = 1})
        if rill.device().traits.host_memory then -- no stream has more than 2 GiB
            fails("2 queries and k = 600000000 are 1200000000 neighbors", p, {k = 600000000})
            fails("or pass the queries in parts", p, {k = 600000000})
        end
        local n <const> = rill.neighbors(p, {k = 1})
        local done, message = pcall(n.query, n, p, {kk = 1})
        assert.is_false(done)
        assert.truthy(message:find("neighbors:query: unknown option 'kk'", 1, true), message)
        fails("option 'queries': element 1 is nan", {1, 2}, {k = 1, queries = {0 / 0}})
        fails("got elements of int", rill.iota(3), {k = 1})
        fails("got float of shape 2x4: points have one to three coordinates", rill.stream("float", {2, 4}), {k = 1})
        fails("s:reshape(4) has one dimension", rill.stream("vec2", {2, 2}), {k = 1})
        fails("got nil", nil, {k = 1})
        fails("got float of shape 1x0: points have one to three coordinates", {{}}, {k = 1})
        fails("expected an option k, the number of neighbors, or radius", p)
        fails("option 'k': expected a whole number, 1 or more, got number 0", p, {k = 0})
        fails("option 'radius': expected a number, 0 or more, got number -1", p, {radius = -1})
        fails("option 'radius': expected a number, 0 or more, got number nan", p, {radius = 0 / 0})
        fails("unknown option 'kk'", p, {kk = 1})
        fails("option 'k' is given twice", p, {k = 1}, {k = 2})
        fails("expected points of vec2, as the first argument has, got vec3", p, {k = 1, queries = {{1, 2, 3}}})
        fails("option 'self' applies to queries that are the points themselves", p, {k = 1, self = false, queries = p})
        fails("option 'periodic': coordinates along x are 0 to 1, more than the side 0.5 of the box", p,
            {k = 1, periodic = {0.5, 2}})
        fails("option 'periodic': expected the side of a periodic box", p, {k = 1, periodic = 0})
        fails("option 'periodic' has 3 values, the points have 2 dimensions", p, {k = 1, periodic = {1, 2, 3}})
        fails("coordinates up to 1e150", rill.from({1e200}, "double"), {k = 1})
        fails("2 queries and k = 2000000000 are 4000000000 neighbors, more than 2147483647", p, {k = 2000000000})
        fails("100000 queries with radius inf are 10000000000 neighbors", rill.random(100000), {radius = math.huge})
        local before <const> = rill.memory_limit(1 << 20)
        fails("2 queries and k = 1000000 are 2000000 neighbors, which need 15 MiB of memory", p, {k = 1000000})
        rill.memory_limit(6 << 20)
        local held <close> = rill.stream("float", 1 << 20) -- 4 MiB
        fails("2 queries and k = 200000 are 400000 neighbors, which need 3 MiB of memory, more than the ", p,
            {k = 200000})
        rill.memory_limit(before)
        assert.equal(1 << 20, held.size)
    end)
end)
