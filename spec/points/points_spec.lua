-- Point clouds: normals, voxels, outliers, registration and files, compared with brute force in doubles.
local rill = require "rill"
local check = require "spec.support.check"
local clouds = require "spec.support.clouds"
local leaks = require "spec.support.leaks"
local shortened = require "spec.support.shortened"
local tempfiles = require "spec.support.tempfiles"
local points <const> = rill.points

-- ---- clouds

-- Functions that return one point.
local function gauss()
    return math.sqrt(-2 * math.log(1 - math.random())) * math.cos(2 * math.pi * math.random())
end

local kinds = {
    uniform = function() return {gauss(), gauss(), gauss()} end,
    line = function() local t = gauss() return {t, 2 * t, 3 - t} end,
    plane = function() return {gauss(), gauss(), 0.5} end,
    lattice = function() return {math.random(-2, 2), math.random(-2, 2), math.random(-1, 1)} end,
    equal = function() return {0.25, -3, 7} end,
    far = function() return {1e6 + math.random(), 1e6 + math.random(), math.random()} end,
    tiny = function() return {1e-15 * gauss(), 1e-15 * gauss(), 1e-15 * gauss()} end,
    huge = function() return {1e18 * gauss(), 1e18 * gauss(), 1e18 * gauss()} end,
}

-- Returns a stream of n points of a kind, and its elements.
local function cloud(kind, n)
    local list = {}
    for i = 1, n do list[i] = kinds[kind]() end
    local s = n > 0 and rill.from(list, "vec3") or rill.stream("vec3", 0)
    return s, s:read()
end

local function sub(a, b) return {a[1] - b[1], a[2] - b[2], a[3] - b[3]} end
local function dot(a, b) return a[1] * b[1] + a[2] * b[2] + a[3] * b[3] end

local function each(f)
    for kind in pairs(kinds) do
        for _, n in ipairs {0, 1, 2, 5, 60} do
            math.randomseed(n)
            local p, list = cloud(kind, n)
            f(p, list, kind .. " " .. n)
        end
    end
end

describe("rill.points", function()
    leaks.watch(setup, teardown)

    it("computes normals from covariances", function()
        each(function(p, list, what)
            clouds.normals(p, list, what)
        end)
    end)

    it("turns normals toward a position", function()
        local ball = rill.mesh.icosphere(2).positions
        for _, side in ipairs {1, -1} do
            -- All points of a ball are seen from its center; from outside only those on one side.
            local n, p = points.normals(ball, {k = 7, toward = {0, 0, side * 1e6}}):read(), ball:read()
            for i = 1, #p do
                local v = sub({0, 0, side * 1e6}, p[i])
                assert(dot(n[i], v) >= 0)
                assert(math.abs(dot(n[i], p[i])) > 0.97)
            end
        end
    end)

    it("computes means of voxels", function()
        each(function(p, list, what)
            for _, size in ipairs {0.5, 1, 3.7} do
                size = what:find "tiny" and size * 1e-15 or what:find "huge" and size * 1e18 or size
                clouds.voxel(p, list, what, size)
            end
        end)
    end)

    it("numbers more cells than a word counts", function()
        local means, counts = points.voxel({{1e6, 0, 0}, {-1e6, 1e6, 3}, {1e6, 0.25, 0}, {0, -1e6, -1e6}}, 0.5)
        assert.same({{-1e6, 1e6, 3}, {0, -1e6, -1e6}, {1e6, 0.125, 0}}, means:read())
        assert.same({1, 1, 2}, counts:read())
    end)

    it("computes means in voxels that are larger than the cloud, and in many voxels along one axis", function()
        for _, size in ipairs {1e9, 1e30, 1e300} do
            local means, counts = points.voxel({{1, 2, 3}, {-1, -2, -3}, {-2, -2, -3}}, size)
            assert.same({{-1.5, -2, -3}, {1, 2, 3}}, means:read())
            assert.same({2, 1}, counts:read())
        end
        for d = 1, 3 do
            local p = {{0, 0, 0}, {0, 0, 0}}
            p[1][d], p[2][d] = -2e9, 2e9
            assert.same(p, (points.voxel(p, 1)):read())
        end
    end)

    it("computes means of integers whose sum is out of range, and of no values", function()
        local p, many = {{0, 0, 0}, {0.1, 0, 0}}, 2000000000
        local values = {a = rill.from({many, many + 2}, "int"), b = rill.from({{many, -many}, {many, -many}}, "ivec2"),
            c = rill.from({4000000000, 4000000000}, "uint"), d = rill.from({1, 2}, "int")}
        local _, _, means = points.voxel(p, 1, {values = values})
        assert.same({many}, means.a:read())
        assert.same({{many, -many}}, means.b:read())
        assert.same({4000000000}, means.c:read())
        assert.same({1.5}, means.d:read())
        assert.equal(0, select(3, points.voxel(rill.stream("vec3", 0), 1, {values = rill.stream("float", 0)})).size)
    end)

    it("finds outliers by mean distances", function()
        each(function(p, list, what)
            clouds.outliers(p, list, what)
        end)
    end)

    it("registers clouds after a motion", function()
        math.randomseed(4)
        local T = rill.translation {0.02, -0.03, 0.01} * rill.rotation({1, 2, 3}, 0.03)
        for _, kind in ipairs {"uniform", "plane", "far", "lattice"} do
            local target = cloud(kind, 400)
            local shift = kind == "far" and {-1e6, -1e6, 0} or {0, 0, 0}
            local middle = rill.translation(shift)
            local move = rill.translation {-shift[1], -shift[2], -shift[3]} * T * middle
            local source = points.transform(target, move)
            local X, report = points.icp(source, target, {iterations = 100})
            local back = points.transform(source, X)
            local off = back:cast "dvec3" - target:cast "dvec3"
            local most <const> = rill.abs(off):max()
            local worst = type(most) == "table" and math.max(table.unpack(most)) or most
            assert(worst < (kind == "far" and 0.2 or 1e-5), ("%s: %g"):format(kind, worst))
            assert.equal(1, report.fitness)
            assert.truthy(report.converged)
        end
    end)

    it("registers by planes in fewer iterations", function()
        local bump = rill.kernel [[kernel void bump(vec3 p<>, out vec3 q<>) {
            q = p * (1.0 + 0.2 * sin(4.0 * p.x) * sin(3.0 * p.y) + 0.1 * p.z);
        }]]
        local target = bump(rill.mesh.icosphere(4).positions)
        local T = rill.translation {0.05, -0.02, 0.03} * rill.rotation({1, 2, 3}, 0.1)
        local source = points.transform(target, T)
        local _, slow = points.icp(source, target)
        local X, fast = points.icp(source, target, {normals = points.normals(target)})
        assert(fast.iterations < slow.iterations and fast.rmse < 1e-6 and fast.converged)
        local P = X * T
        for i = 1, 3 do
            for j = 1, 4 do assert.near(i == j and 1 or 0, P[i][j], 1e-6) end
        end
        -- From the result, nothing is left to do; with one iteration there is.
        local _, again = points.icp(source, target, {initial = X})
        assert(again.iterations == 1 and again.rmse < 1e-6)
        local _, one = points.icp(source, target, {iterations = 1})
        assert(one.iterations == 1 and not one.converged)
    end)

    it("registers the part that overlaps, and degenerate clouds", function()
        math.randomseed(9)
        local target = cloud("uniform", 300)
        local both = rill.concat {target:domain(1, 200), (cloud("far", 50))}
        local T = rill.translation {0.01, 0.02, -0.01}
        local X, report = points.icp(points.transform(both, T), target, {distance = 0.5, iterations = 60})
        assert.near(0.8, report.fitness, 1e-12)
        assert.near(-0.02, X[2][4], 1e-5)
        for _, kind in ipairs {"line", "equal", "plane", "tiny", "huge"} do
            for _, n in ipairs {1, 2, 40} do
                local p, list = cloud(kind, n)
                local move = math.abs(list[1][1]) * 1e-3
                local Y, told = points.icp(points.transform(p, rill.translation {move, 0, 0}), p)
                for i = 1, 3 do
                    for j = 1, 3 do assert.near(i == j and 1 or 0, Y[i][j], 1e-2, kind .. n) end
                end
                assert(told.rmse <= move, kind .. n)
            end
        end
    end)

    it("measures registrations", function()
        each(function(p, list, what)
            local scale <const> = what:find "tiny" and 1e-15 or what:find "huge" and 1e18 or 1
            if p.size > 0 then clouds.evaluation(p, list, what, 0.4 * scale) end
        end)
        local p = {{0, 0, 0}, {1, 0, 0}, {9, 0, 0}}
        assert.same({fitness = 2 / 3, rmse = 0.5, pairs = 2}, points.evaluate(p, {{0.5, 0, 0}}, {distance = 1}))
        assert.same({fitness = 0, rmse = 0, pairs = 0}, points.evaluate(p, {{50, 0, 0}}, {distance = 1}))
        assert.same({fitness = 1, rmse = 0, pairs = 3}, points.evaluate(p, rill.from(p, "dvec3")))
        local T <const> = rill.translation {1, 2, 3} * rill.rotation("y", 0.2)
        assert.near(0, points.evaluate(p, points.transform(p, T), {transform = T}).rmse, 1e-6)
    end)

    it("inverts transforms", function()
        local T <const> = rill.translation {1e6, -2, 3} * rill.rotation({1, 2, 3}, 0.7) * rill.scaling {2, -3, 1e-3}
        for _, P in ipairs {T * points.inverse(T), points.inverse(T) * T} do
            for i = 1, 4 do
                for j = 1, 4 do assert.near(i == j and 1 or 0, P[i][j], 1e-7) end
            end
        end
        assert.same({{0, 0, 1, -3}, {1, 0, 0, -1}, {0, 1, 0, -2}, {0, 0, 0, 1}},
            points.inverse {{0, 1, 0, 1}, {0, 0, 1, 2}, {1, 0, 0, 3}, {0, 0, 0, 1}})
        check.names({"rill.points.inverse: argument #1 'transform'", "has no inverse"}, points.inverse,
            rill.scaling {1, 0, 1})
        check.names({"rill.points.inverse: argument #1 'transform'", "four rows", "got nil"}, points.inverse)
        check.names({"not in the range of doubles"}, points.inverse, rill.scaling(1e-320))
    end)

    it("finds planes", function()
        each(function(p, list, what)
            local scale <const> = what:find "tiny" and 1e-15 or what:find "huge" and 1e18 or 1
            clouds.plane(p, list, what, 0.1 * scale, 3)
            if what:find "lattice" and #list <= 5 then clouds.plane(p, list, what, 1e-9, 5, true) end
        end)
        -- Four of five points are exactly in one plane.
        local five <const> = {{-3, -3, -2}, {-3, -2, -3}, {0, -2, -2}, {3, -1, -3}, {-3, -3, -3}}
        clouds.plane(rill.from(five, "vec3"), five, "five", 1e-9, 1, true)
        -- A floor with bumps, a wall, and stray points.
        local make <const> = rill.kernel [[kernel void place(int i<>, out dvec3 p<>) {
            dvec3 r = dvec3(random(), random(), random());
            p = dvec3(500000.0, 4000000.0, 100.0)
                + (i < 1200 ? dvec3(r.xy, 0.25 * r.x + 0.01 * (r.z - 0.5)) : i < 1800 ? dvec3(0.0, r.yz) : r);
        }]]
        rill.seed(5)
        local p <const> = make(rill.iota(2000))
        local plane, inside = points.segment_plane(p, {distance = 0.01, seed = 1})
        assert.near(-0.25 / math.sqrt(1.0625), plane[1], 1e-2)
        local count <const> = inside:count()
        assert(count >= 1200 and count < 1260, count)
        local rest <const> = p:filter(~inside)
        local wall, near = points.segment_plane(rest, {distance = 1e-6, seed = 1})
        assert.near(1, math.abs(wall[1]), 1e-5)
        assert(near:count() >= 590)
    end)

    it("finds clusters", function()
        each(function(p, list, what)
            local scale <const> = what:find "tiny" and 1e-15 or what:find "huge" and 1e18 or 1
            for _, minimum in ipairs {1, 3, 8} do
                clouds.clusters(p, list, what, 0.5 * scale, minimum)
            end
            clouds.clusters(p:cast "dvec3", list, what, scale, 4)
        end)
        -- Points on a line and in a plane, in one long chain.
        local line, flat = {}, {}
        for i = 1, 500 do line[i], flat[i] = {(i * 7 % 500) / 4}, {(i * 7 % 500) / 4, 1} end
        local s <const> = rill.from(line):reshape(500)
        clouds.clusters(s, line, "line", 0.25, 3)
        clouds.clusters(rill.from(flat, "vec2"), flat, "flat", 0.25, 3)
        local label, count = points.dbscan(flat, {radius = 0.25, minimum = 2})
        assert(count == 1 and label:min() == 0 and label:max() == 0)
        label, count = points.dbscan({}, {radius = 1})
        assert(label.size == 0 and count == 0)
    end)

    it("transforms points of any shape", function()
        local p = rill.from({{1, 2, 3}, {4, 5, 6}}, "vec3"):reshape {1, 2}
        local q = points.transform(p, rill.translation {1, 0, 0} * rill.scaling {2, 3, 4})
        assert.same({1, 2}, {q.shape[1], q.shape[2]})
        assert.same({{3, 6, 12}, {9, 15, 24}}, q:reshape(2):read())
        assert.same({{1, 2, 0}}, points.transform({{1, 2, 3}}, rill.translation {0, 0, -3}):read())
    end)

    it("refuses points that a differentiated function depends on", function()
        local p = rill.random(20, {type = "vec3", seed = 1})
        for _, call in ipairs {points.normals, points.outliers, function(x) return points.voxel(x, 1) end,
            function(x) return points.icp(x, p) end, function(x) return points.evaluate(p, x) end,
            function(x) return points.segment_plane(x, {distance = 1}) end,
            function(x) return points.dbscan(x, {radius = 1}) end} do
            local differentiated = rill.grad(function(x)
                call(x)
                return rill.length(x):sum()
            end)
            check.names({"depends on the arguments of the function that is differentiated", "pass rill.value(",
                "rill.points."}, differentiated, p)
        end
        local T = rill.translation {1, 2, 3} * rill.scaling(2)
        local g = rill.grad(function(x) return rill.dot(points.transform(x, T), {1, 2, 3}):sum() end)(p)
        assert.same({2, 4, 6}, g:get(3))
    end)

    shortened(it, "computes with doubles that are large compared with the cloud", function(whole)
        local near <const> = rill.random({300, 3}, {type = "double", seed = 4}):as "dvec3"
        local offset <const> = rill.from({{500000, 4649776, 100}}, "dvec3")
        local far <const> = (near + offset):eval()
        local function apart(a, b) return rill.length(a - b):max() end
        local there <const> = rill.translation {-500000, -4649776, -100}
        assert.is_true(apart(points.transform(far, there), near) < 1e-8)
        assert.is_true(apart(points.normals(far), points.normals(near)) < 1e-5)
        if whole then
            assert.same(points.outliers(near):values(), points.outliers(far):values())
        end
        local few, counts = points.voxel(far, 0.25)
        local expected, count = points.voxel(near, 0.25)
        assert.same(count:values(), counts:values())
        assert.is_true(apart(few - offset, expected) < 1e-8)
        local T <const> = rill.translation {500000, 4649776, 100} * rill.rotation("z", 0.02) * there
        local _, report = points.icp(points.transform(far, T), far)
        assert.is_true(report.converged and report.rmse < 1e-7, report.rmse)
        if not whole then
            return
        end
        _, report = points.icp(near:cast "vec3", near)
        assert.is_true(report.rmse < 1e-6, report.rmse)
    end)

    it("takes matrices, doubles and lists", function()
        local p <const> = rill.random({20, 3}, {seed = 1})
        local expected <const> = points.normals(p:as "vec3")
        local wide <const> = p:cast "double"
        for _, s in ipairs {p, wide, wide:as "dvec3", p * 1, p:transpose():copy():transpose(), p:as "vec3"} do
            assert.equal(expected:bytes(), points.normals(s):bytes())
        end
        assert.same({2, 3}, points.transform(rill.stream("float", {2, 3, 3}), rill.translation {0, 0, 0}).shape)
        local g <const> = rill.grad(function(q)
            return points.transform(q, rill.scaling {2, 3, 4}).y:sum()
        end)
        assert.same({{0, 3, 0}, {0, 3, 0}}, g(rill.stream("float", {2, 3})):read())
        assert.same({{0, 3, 0}, {0, 3, 0}}, g(rill.stream("dvec3", 2)):read())
        local _, _, mean = points.voxel({{0, 0, 0}, {0.1, 0, 0}, {2, 0, 0}}, 1, {values = {1, 3, 5}})
        assert.same({2, 5}, mean:values())
        local _, _, means = points.voxel({{0, 0, 0}, {0.1, 0, 0}}, 1, {values = {a = {1, 3}, b = {{1, 0}, {0, 1}}}})
        assert.same({2}, means.a:values())
        assert.same({{0.5, 0.5}}, means.b:read())
    end)

    it("names wrong arguments", function()
        local flat <const> = rill.stream("float", {2, 2})
        for expected, value in pairs {
            ["a stream of float of shape 2x2"] = flat,
            ["a stream of vec2 of shape 2: rill.vec3(s.x, s.y, 0) adds a coordinate"] = flat:as "vec2",
            ["a stream of ivec3 of shape 2: s:cast \"vec3\" converts it"] = rill.stream("ivec3", 2),
            ["a stream of int of shape 2x3: s:cast \"float\" converts it"] = rill.stream("int", {2, 3}),
            ["frame: rill.vec3(t.x, t.y, t.z) joins three columns"] = rill.frame {x = {1}, y = {2}, z = {3}},
            ["a list of streams: rill.vec3 joins them"] = {flat, flat, flat},
        } do
            check.names({"argument #1 'p': expected a stream of vec3", expected}, points.normals, value)
        end
        check.names({"got a stream of shape {3}"}, points.voxel, {{0, 0, 0}}, 1, {values = rill.iota(3)})
        local p = {{0, 0, 0}, {1, 0, 0}}
        local bad = {{0, 0, 0}, {1, 0 / 0, 0}}
        for _, name in ipairs {"normals", "outliers"} do
            check.names({"rill.points." .. name .. ": argument #1 'p': element 2 is {1.0, nan, 0.0}: expected finite"},
                points[name], bad)
            check.names({"rill.points." .. name .. ": argument #1 'p': expected a stream of vec3"}, points[name], 7)
            check.names({"rill.points." .. name, "option 'k'", "got number 0"}, points[name], p, {k = 0})
            check.names({"one dimension", "s:reshape(4) has one"}, points[name], rill.stream("vec3", {2, 2}))
        end
        check.names({"rill.points.voxel: argument #2 'size'", "got number 0"}, points.voxel, p, 0)
        for _, name in ipairs {"normals", "outliers"} do
            check.names({"argument #1 'p': distances up to 6e+38", "larger unit"}, points[name],
                {{3e38, 0, 0}, {-3e38, 0, 0}})
        end
        check.names({"rill.points.icp: option 'normals': element 2 is {nan"}, points.icp, p, p,
            {normals = {{0, 0, 1}, {0 / 0, 0, 1}}})
        check.names({"rill.points.voxel: argument #2 'size'", "got nil"}, points.voxel, p)
        check.names({"1e-10 is too small for coordinates up to 1"}, points.voxel, p, 1e-10)
        check.names({"element 2 is"}, points.voxel, bad, 1)
        check.names({"option 'values'", "2 points"}, points.voxel, p, 1, {values = rill.stream("float", 3)})
        check.names({"rill.points.icp: argument #2 'target'", "element 2"}, points.icp, p, bad)
        check.names({"argument 'source' has no points"}, points.icp, rill.stream("vec3", 0), p)
        check.names({"argument 'target' has no points"}, points.icp, p, rill.stream("vec3", 0))
        check.names({"option 'normals'", "2 points"}, points.icp, p, p, {normals = {{0, 0, 1}}})
        check.names({"option 'initial'", "four rows"}, points.icp, p, p, {initial = {{1}}})
        check.names({"rill.points.icp: the source moved by the option 'initial': element 1 is {inf"}, points.icp, p, p,
            {initial = {{1, 0, 0, 1e39}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}})
        check.names({"no point of the source is within the option 'distance', 0.5"}, points.icp, {{9, 9, 9}}, p,
            {distance = 0.5})
        check.names({"argument #2 'transform'", "four rows"}, points.transform, p, {1, 2})
        check.names({"rill.points.segment_plane: option 'distance' is missing"}, points.segment_plane, p)
        check.names({"rill.points.segment_plane: argument #1 'p': a plane needs 3 points or more, got 2"},
            points.segment_plane, p, {distance = 1})
        check.names({"no sample of three points determines a plane", "on a line"}, points.segment_plane,
            {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}}, {distance = 1})
        check.names({"rill.points.segment_plane: argument #1 'p': element 2 is"}, points.segment_plane, bad,
            {distance = 1})
        check.names({"rill.points.dbscan: option 'radius' is missing"}, points.dbscan, p)
        check.names({"rill.points.dbscan: argument #1 'p': element 2 is", "finite"}, points.dbscan, bad, {radius = 1})
        check.names({"option 'minimum'", "got number 0"}, points.dbscan, p, {radius = 1, minimum = 0})
        check.names({"rill.points.evaluate: argument 'target' has no points"}, points.evaluate, p,
            rill.stream("vec3", 0))
        check.names({"rill.points.evaluate: option 'transform'", "four rows"}, points.evaluate, p, p,
            {transform = {1}})
        check.names({"rill.points.evaluate: the source moved by the option 'transform': element 1 is {inf"},
            points.evaluate, p, p, {transform = {{1, 0, 0, 1e39}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}})
        check.names({"rill.points has no", "icp"}, function() return points.registration end)
    end)

    describe("files", function()
        local files
        setup(function() files = tempfiles.open() end)
        teardown(function() files:close() end)

        it("keep points, normals and colors", function()
            math.randomseed(2)
            local p, n = cloud("uniform", 33), cloud("uniform", 33)
            local c = rill.from({{0, 0.5, 1}}, "vec3"):replicate(33)
            for _, name in ipairs {"a.ply", "a.xyz"} do
                for _, encoding in ipairs(name == "a.ply" and {"ascii", "little", "big"} or {"ascii"}) do
                    local path = files:path(name)
                    points.save(path, p, {normals = n, colors = c, encoding = encoding})
                    local q, more = points.load(path)
                    assert.equal(p:bytes(), q:bytes())
                    assert.equal(n:bytes(), more.normals:bytes())
                    for _, x in ipairs(more.colors:read()) do
                        assert.near(0, x[1], 0)
                        assert.near(0.5, x[2], 0.6 / 255)
                        assert.near(1, x[3], 0)
                    end
                    points.save(path, p, {encoding = encoding})
                    q, more = points.load(path)
                    assert.equal(p:bytes(), q:bytes())
                    assert.same({}, more)
                end
            end
            local path = files:path "b.ply"
            points.save(path, {{1, 2, 3}}, {colors = {{-0.0001, 0.2, 1.0001}}})
            assert.same({0, 51, 255}, select(2, points.load(path)).colors:map("round(x * 255.0)"):get(1))
            for _, name in ipairs {"b.ply", "b.xyz"} do
                points.save(files:path(name), rill.stream("vec3", 0))
                assert.equal(0, (points.load(files:path(name))).size)
            end
            local ball = rill.mesh.icosphere(1)
            ball:save(path)
            assert.equal(ball.positions:bytes(), (points.load(path)):bytes())
        end)

        it("keep doubles", function()
            local p <const> = rill.from({{500000.125, 4649776.0625, 1 / 3}, {-1e-300, 0.1, 1e200}}, "dvec3")
            for _, name in ipairs {"d.ply", "d.xyz"} do
                for _, encoding in ipairs(name == "d.ply" and {"ascii", "little", "big"} or {"ascii"}) do
                    local path <const> = files:path(name)
                    points.save(path, p, {encoding = encoding, normals = {{0, 0, 1}, {1, 0, 0}}})
                    local q, more = points.load(path, {type = "double"})
                    assert.equal("dvec3", q.type)
                    assert.equal(p:bytes(), q:bytes())
                    assert.same({{0, 0, 1}, {1, 0, 0}}, more.normals:read())
                    check.names({"vertex 1 has a number that is not finite"}, points.load, path)
                    points.save(path, p:domain(1, 1), {encoding = encoding})
                    assert.same(p:domain(1, 1):cast("vec3"):read(), (points.load(path)):read())
                end
            end
            local ball <const> = rill.mesh.icosphere(1)
            for _, name in ipairs {"d.obj", "d.off", "d.stl"} do
                ball:save(files:path(name))
                local single = points.load(files:path(name))
                local q = points.load(files:path(name), {type = "double"})
                assert.equal("dvec3", q.type)
                assert.equal(single:bytes(), q:cast("vec3"):bytes())
            end
            check.names({"vertex 0 has a number that is not finite"}, points.save, files:path "d.ply",
                rill.from({{0, 0 / 0, 0}}, "dvec3"))
        end)

        it("with numbers that are not finite are refused, or their points are left out or kept", function()
            local ply <const> = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n" ..
                "property float z\nproperty float nx\nproperty float ny\nproperty float nz\nproperty uchar red\n" ..
                "property uchar green\nproperty uchar blue\nelement face 1\nproperty list uchar int vertex_indices\n" ..
                "end_header\n0 0 0 0 0 1 255 0 0\nnan 1 1 0 0 1 0 0 0\n2 2 2 0 inf 1 0 0 0\n3 3 3 1 0 0 0 255 0\n" ..
                "3 0 1 3\n"
            local xyz <const> = "0 0 0 0 0 1 1 0 0\nnan 1 1 0 0 1 0 0 0\n2 2 2 0 inf 1 0 0 0\n3 3 3 1 0 0 0 1 0\n"
            for name, text in pairs {["n.ply"] = ply, ["n.xyz"] = xyz} do
                local path <const> = files:write(name, text)
                for _, type in ipairs {"float", "double"} do
                    check.names({"rill.points.load: cannot read", "vertex 1 has a number that is not finite",
                        "the option invalid = \"drop\" leaves such points out"}, points.load, path, {type = type})
                    local p, more = points.load(path, {type = type, invalid = "drop"})
                    assert.equal(type == "double" and "dvec3" or "vec3", p.type)
                    assert.same({{0, 0, 0}, {3, 3, 3}}, p:read())
                    assert.same({{0, 0, 1}, {1, 0, 0}}, more.normals:read())
                    assert.same({{1, 0, 0}, {0, 1, 0}}, more.colors:read())
                    p, more = points.load(path, {type = type, invalid = "keep"})
                    assert.equal(4, p.size)
                    assert.truthy(p:get(2)[1] ~= p:get(2)[1])
                    assert.same({0, math.huge, 1}, more.normals:get(3))
                    assert.same({{1, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 1, 0}}, more.colors:read())
                end
            end
            local path <const> = files:write("e.xyz", "nan 0 0\n")
            assert.equal(0, (points.load(path, {invalid = "drop"})).size)
            check.names({"option 'invalid'", "got \"skip\""}, points.load, path, {invalid = "skip"})
            check.names({"option 'type'", "\"float\" or \"double\""}, points.load, path, {type = "dvec3"})
        end)

        it("with colors up to 255 are divided by 255, and other colors are refused", function()
            local path <const> = files:write("c.xyzrgb", "0 0 0 255 51 0\n1 0 0 0 0 0\n")
            local _, more = points.load(path)
            local c <const> = more.colors:read()
            assert.near(0.2, c[1][2], 1e-7)
            assert.same({{1, c[1][2], 0}, {0, 0, 0}}, c)
            for _, text in ipairs {"0 0 0 2.5 0 0\n", "0 0 0 256 0 0\n", "0 0 0 -1 0 0\n", "0 0 0 300.5 1 1\n"} do
                check.names({"rill.points.load: '", "expected numbers from 0 to 1, or whole numbers from 0 to 255",
                    "rill.csv.load reads other columns"}, points.load, files:write("c.xyzrgb", text))
            end
            assert.same({1, 0, 0.5}, select(2, points.load(files:write("c.xyzrgb", "0 0 0 1.001 -0.001 0.5\n")))
                .colors:get(1))
            for _, name in ipairs {"c.ply", "c.xyz"} do
                check.names({"rill.points.save: option 'colors': expected numbers from 0 to 1, got 0 to 255",
                    "(colors / 255):eval() converts 0 .. 255"}, points.save, files:path(name), {{0, 0, 0}},
                    {colors = {{0, 128, 255}}})
                check.names({"expected numbers from 0 to 1, got -1 to 7"}, points.save, files:path(name), {{0, 0, 0}},
                    {colors = {{-1, 0, 7}}})
                points.save(files:path(name), rill.stream("vec3", 0), {colors = rill.stream("vec3", 0)})
            end
        end)

        it("of other programs are understood", function()
            local function load(text, name) return points.load(files:write(name or "in.xyz", text)) end
            local p, more = load "# scan\n1 2 3\n\n4\t5  6e0\n"
            assert.same({{1, 2, 3}, {4, 5, 6}}, p:read())
            assert.same({}, more)
            p, more = load "1 2 3 0 0 1\n"
            assert.same({{1, 2, 3}}, p:read())
            assert.same({{0, 0, 1}}, more.normals:read())
            p, more = load("1 2 3 0 0.5 1\n", "in.xyzrgb")
            assert.same({{0, 0.5, 1}}, more.colors:read())
            assert.is_nil(more.normals)
            assert.same({{1, 2, 3}}, p:read())
            local head = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n" ..
                "property float z\n"
            for type, full in pairs {uchar = 255, ushort = 65535, float = 1, int = 2147483647} do
                local text = head
                for _, name in ipairs {"red", "green", "blue"} do
                    text = text .. ("property %s %s\n"):format(type, name)
                end
                p, more = load(text .. ("end_header\n1 2 3 0 %d %d\n"):format(full, full // 5), "in.ply")
                assert.same({{1, 2, 3}}, p:read())
                local c = more.colors:get(1)
                assert(c[1] == 0 and c[2] == 1)
                assert.near(full // 5 / full, c[3], 1e-6)
            end
            p, more = load(head .. "property uchar red\nend_header\n1 2 3 4\n", "in.ply")
            assert.same({{1, 2, 3}}, p:read())
            assert.is_nil(more.colors) -- without green and blue
        end)

        it("with defects are refused", function()
            local function refused(text, ...)
                check.names({"rill.points.load: cannot read", ...}, points.load, files:write("in.xyz", text))
            end
            refused("1 2 3 4\n", "the number of columns on its first line is 4", "rill.csv.load")
            refused("2\nwater\nO 0 0 0\nH 1 0 0\n", "the number of columns on its first line is 1")
            refused("1,2,3\n4,5,6\n", "the number of columns on its first line is 1", "divided by blanks")
            refused("1 2 3\n4 5\n", "line 2", "expected a column, a number, got the end of the line")
            refused("1 2 3\n4 5 6 7\n", "line 2", "the end of the line", "7")
            refused("1 2 3\n4 x 6\n", "line 2", "expected a column, a number", '"x"')
            refused("1 2 3\n1e99 5 6\n", "line 2", "not finite")
            check.names({"rill.points.save: argument #1 'path'", ".ply or .xyz", "a.pcd"}, points.save, "a.pcd",
                {{1, 2, 3}})
            check.names({"option 'colors'", "1 points", "shape {2}"}, points.save, "a.ply", {{1, 2, 3}},
                {colors = {{0, 0, 0}, {1, 1, 1}}})
            check.names({"rill.points.save", "vertex 0 has a number that is not finite"}, points.save,
                files:path "c.ply", {{1, 0 / 0, 3}})
            check.names({"one dimension"}, points.save, "a.ply", rill.stream("vec3", {2, 2}))
        end)
    end)
end)
