-- M:simplify: properties of the result, and distances to the mesh.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local optional = require "spec.support.optional"
local LONG <const> = os.getenv "RILL_SUITE_LONG"
local mesh <const> = rill.mesh

local lacks <const> = optional.lacks(function() mesh.box():simplify {ratio = 1} end)

-- The largest distance from points on the triangles of m to the mesh of a tree: their corners, midpoints and centers.
local function farthest(m, tree)
    local points = rill.kernel [[
        kernel void points(vec3 p[], ivec3 t[], out vec3 q<>) {
            ivec3 v = t[indexof(q).y];
            int i = indexof(q).x;
            vec3 a = p[v.x], b = p[v.y], c = p[v.z];
            q = i == 0 ? a : i == 1 ? 0.5 * (a + b) : i == 2 ? 0.5 * (b + c) : i == 3 ? 0.5 * (c + a) : (a + b + c) / 3.0;
        }
    ]]
    local all <close> = points {p = m.positions, t = m.triangles, shape = {m.faces, 5}}
    return tree:distance(all:reshape(5 * m.faces)):max()
end

-- A sheet of 30 x 30 squares with waves, with data of every kind.
local function waves()
    local sheet = mesh.grid {segments = {30, 30}}
    local bend = rill.kernel [[
        kernel void bend(vec3 p<>, out vec3 q<>) { q = vec3(p.xy, 0.1 * sin(9.0 * p.x) * cos(7.0 * p.y)); }
    ]]
    return mesh.new {positions = bend(sheet.positions), triangles = sheet.triangles, uv = sheet.uv,
        attributes = {vertex = rill.iota(sheet.vertices), face = rill.iota(sheet.faces)}}
end

describe("M:simplify", function()
    leaks.watch(setup, teardown)

    if lacks then
        it("without the library is refused by the name of its package", function()
            local box = mesh.box()
            check.names({"M:simplify", "install Debian's package libmeshoptimizer-dev"}, box.simplify, box,
                {ratio = 0.5})
        end)
        return
    end

    it("reaches a ratio or a number of triangles, and keeps spheres closed", function()
        local ball = mesh.icosphere(4)
        for _, options in ipairs(LONG and
            {{ratio = 0.5}, {ratio = 0.1}, {faces = 200}, {faces = 51}, {faces = 200.0}} or
            {{ratio = 0.1}, {faces = 51}}) do
            local most = options.faces or options.ratio * ball.faces
            local less, far = ball:simplify(options)
            assert(less.faces <= most and less.faces >= most - 4, less.faces)
            assert.same({true, true, 2}, {less:is_closed(), less:is_oriented(), less:euler()})
            assert.near(1, less:volume() / ball:volume(), 0.3)
            local tree = rill.collide.bvh(ball)
            local distance = tree:distance(less.positions):max()
            assert.near(0, distance, 1e-6) -- its vertices are vertices of the mesh
            assert(far > 0 and farthest(less, tree) < 3 * far, far)
            assert(farthest(ball, rill.collide.bvh(less)) < 3 * far)
            less:close()
        end
    end)

    it("stops at an error, which has the unit of the coordinates", function()
        for _, size in ipairs {1, 1e-30, 1000} do
            local ball = mesh.icosphere(4):transform {{size, 0, 0, 0}, {0, size, 0, 0}, {0, 0, size, 0}, {0, 0, 0, 1}}
            local coarse, far = ball:simplify {error = 0.01 * size}
            local fine, near = ball:simplify {error = 0.001 * size, ratio = 0}
            assert(far <= 0.01 * size and far > 0.008 * size, far)
            assert(near <= 0.001 * size and coarse.faces < fine.faces)
            assert(farthest(coarse, rill.collide.bvh(ball)) < 0.03 * size)
            assert.equal(fine.faces, (ball:simplify {error = 0.001 * size, ratio = 0.01}).faces)
        end
    end)

    it("reduces a plane to two triangles without an error", function()
        local sheet = mesh.grid {segments = {20, 20}}
        local less, far = sheet:simplify {error = 0.0001}
        assert.same({2, 4, 1.0}, {less.faces, less.vertices, less:area()})
        assert.near(0, far, 1e-6)
    end)

    it("keeps all edges of locked borders", function()
        local m = waves()
        local free, locked = m:simplify {ratio = 0.2}, m:simplify {ratio = 0.2, lock_borders = true}
        assert(free.faces <= 360 and locked.faces <= 360)
        assert(free:boundary().size < 60)
        assert.equal(120, locked:boundary().size)
        local function border(x)
            local number, ends, texts = x.attributes.vertex:values(), x:boundary():values(), {}
            for i = 1, #ends, 2 do texts[#texts + 1] = number[ends[i] + 1] .. " " .. number[ends[i + 1] + 1] end
            table.sort(texts)
            return texts
        end
        assert.same(border(m), border(locked))
    end)

    it("keeps the data of vertices, and the data of the nearest face", function()
        local m = waves()
        local less = m:simplify {ratio = 0.3}
        local vertex, face = less.attributes.vertex, less.attributes.face
        check.equal(rill.gather(m.positions, vertex):values(), less.positions:values())
        check.equal(rill.gather(m.uv, vertex):values(), less.uv:values())
        assert.equal(less.faces, face.size)
        local p, t, number = m.positions:read(), m.triangles:read(), face:values()
        for f, v in ipairs(less.triangles:read()) do
            local far = 0
            for d = 1, 2 do
                local center, other = 0, 0
                for k = 1, 3 do
                    center = center + less.positions:get(v[k] + 1)[d] / 3
                    other = other + p[t[number[f] + 1][k] + 1][d] / 3
                end
                far = math.max(far, math.abs(center - other))
            end
            assert(far < 0.05, far)
        end
    end)

    it("keeps the data of corners: a sheet in two colors stays in two colors", function()
        local sheet = mesh.grid {segments = {16, 16}}
        local color, fields = {}, {}
        for i = 1, 20 do fields[i] = ("vec4 v%d;"):format(i) end
        local wide = rill.struct("Wide", table.concat(fields, " ") .. " int side;")
        for f, v in ipairs(sheet.triangles:read()) do
            local x = 0
            for k = 1, 3 do x = x + sheet.positions:get(v[k] + 1)[1] / 3 end
            local side = x > 0 and 1 or 0
            color[f] = {side, side, side}
        end
        -- The elements of `wide` have more bytes than the library compares at once.
        local both = rill.stream(wide, {sheet.faces, 3})
        local one = both:get(1, 1)
        one.side = 1
        for f = 1, sheet.faces do
            for k = 1, color[f][1] == 1 and 3 or 0 do both:set(one, f, k) end
        end
        for name, data in pairs {color = rill.from(color, "int"), wide = both} do
            local m = mesh.new {positions = sheet.positions, triangles = sheet.triangles, attributes = {[name] = data}}
            local less = m:simplify {ratio = 0.1}
            assert(less.faces <= 51, less.faces)
            local sides = less.attributes[name]
            assert.same({less.faces, 3}, {table.unpack(sides.shape)})
            sides = sides:read()
            for f, v in ipairs(less.triangles:read()) do
                for k = 1, 3 do
                    local x = less.positions:get(v[k] + 1)[1]
                    local side = name == "wide" and sides[f][k].side or sides[f][k]
                    assert(side == 1 and x > -1e-6 or side == 0 and x < 1e-6)
                    assert.same(sides[f][1], sides[f][k])
                end
            end
            assert.near(1, less:area(), 1e-5)
        end
    end)

    it("takes meshes without triangles, and with triangles of no area or with a vertex twice", function()
        local empty, far = mesh.new {positions = {}, triangles = {}}:simplify {ratio = 0.5}
        assert.same({0, 0, 0.0}, {empty.vertices, empty.faces, far})
        local one = mesh.new {positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {5, 5, 5}}, triangles = {{0, 1, 2}}}
        assert.same({3, 1}, {one:simplify({ratio = 1}).vertices, one:simplify({ratio = 1}).faces})
        local spots = mesh.new {positions = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}, triangles = {{0, 1, 2}, {0, 0, 1}}}
        assert(spots:simplify({faces = 1}).faces <= 1)
        math.randomseed(1)
        local function lists(count, from, to)
            local list = {}
            for i = 1, count do list[i] = {math.random(from, to), math.random(from, to), math.random(from, to)} end
            return list
        end
        for seed = 1, 30 do
            local any = mesh.new {positions = lists(seed + 1, 0, 3), triangles = lists(3 * seed, 0, seed),
                attributes = {color = rill.from(lists(3 * seed, 0, 1), "int")}}
            local less = any:simplify {faces = seed, lock_borders = seed % 2 == 0}
            assert(less.faces <= any.faces)
        end
    end)

    it("refuses bad arguments and damaged meshes", function()
        local box = mesh.box()
        for options, words in pairs {
            [{}] = "expected one of the options 'ratio', 'faces' and 'error', got none",
            [{ratio = 0.5, faces = 2}] = "options 'ratio' and 'faces' are the same: give one of them",
            [{ratio = 1.5}] = "option 'ratio': expected a number from 0 to 1, got number 1.5",
            [{faces = 1.5}] = "option 'faces': expected a number of triangles, 0 or more, got number 1.5",
            [{error = 0 / 0}] = "option 'error': expected a length of 0 or more",
            [{error = -1}] = "option 'error': expected a length of 0 or more, got number -1",
            [{ratio = 1, lock_borders = 1}] = "option 'lock_borders': expected true or false, got number 1",
        } do
            check.names({"M:simplify: ", words}, box.simplify, box, options)
        end
        box.triangles:set({0, 1, 8}, 3)
        check.names({"M:simplify: triangle 2 is {0, 1, 8}: expected vertex indices (0-based) below 8"}, box.simplify,
            box, {ratio = 0.5})
        local torn = mesh.box()
        torn.positions:set({0, 0 / 0, 0}, 1)
        check.names({"M:simplify: vertex 0 is {0", "expected finite numbers"}, torn.simplify, torn, {ratio = 0.5})
        local other = mesh.box()
        other.attributes.bad = rill.iota(5)
        check.names({"M:simplify", "'bad'", "expected one element per vertex {8}"}, other.simplify, other,
            {ratio = 0.5})
        check.names({"M:simplify", "it depends on 'p', and this operation has no gradient"}, rill.grad(function(p)
            return mesh.new {positions = p, triangles = mesh.box().triangles}:simplify({ratio = 0.5}).positions.x:sum()
        end), mesh.box().positions)
    end)
end)
