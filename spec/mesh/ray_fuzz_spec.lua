-- rill.ray against exact arithmetic: corners, origins and directions are integers, whose determinants are exact as Lua integers, multiplied by a power of two.
local rill = require "rill"

local STRUCTURES <const> = {"none", "grid", "bvh"}
local SIDE <const>, ROUNDS <const> = 400, tonumber(os.getenv "RILL_ROUNDS") or
    os.getenv "RILL_SUITE_LONG" and 12 or 4

local function sub(a, b) return {a[1] - b[1], a[2] - b[2], a[3] - b[3]} end
local function dot(a, b) return a[1] * b[1] + a[2] * b[2] + a[3] * b[3] end
local cross <const> = require("rill.core.vector").cross

-- Returns the exact numerators of t and of the weights, their positive denominator, and whether the ray meets the interior (1), nothing (0), or an edge (nil).
local function meets(o, d, p, q, r)
    local e, f, s = sub(q, p), sub(r, p), sub(o, p)
    local h, k = cross(d, f), cross(s, e)
    local det = dot(e, h)
    local u, v, t = dot(s, h), dot(d, k), dot(f, k)
    if det < 0 then det, u, v, t = -det, -u, -v, -t end
    local least = math.min(u, v, det - u - v)
    if det == 0 or t == 0 then return t, u, v, det, nil end
    if t < 0 or least < 0 then return t, u, v, det, 0 end
    return t, u, v, det, least > 0 and 1 or nil
end

local function point(reach)
    return {math.random(-reach, reach), math.random(-reach, reach), math.random(-reach, reach)}
end

-- Triangles of several sizes; some are slivers, some lie in a plane with the others.
local function triangles_of(n)
    local list = {}
    for i = 1, n do
        local a, side = point(SIDE), ({2, 20, SIDE})[i % 3 + 1]
        local function near() local v = point(side) return {a[1] + v[1], a[2] + v[2], a[3] + v[3]} end
        local b, c = near(), near()
        if i % 4 == 0 then c = {b[1] + math.random(-1, 1), b[2] + math.random(-1, 1), b[3] + math.random(-1, 1)} end
        if i % 5 == 0 then a[3], b[3], c[3] = 7, 7, 7 end
        list[i] = {a, b, c}
    end
    return list
end

-- Rays towards points of triangles: any of them, corners, points of edges, and directions that are almost in the plane of the triangle.
local function ray_towards(t, k)
    local weights = ({{1, 0, 0}, {1, 1, 0}, {2, 1, 1}, {1, 5, 2}, {3, 2, 3}, {1, 1, 14}})[k % 6 + 1]
    local sum, to = weights[1] + weights[2] + weights[3], {}
    for d = 1, 3 do to[d] = (weights[1] * t[1][d] + weights[2] * t[2][d] + weights[3] * t[3][d]) // sum end
    local way = point(300)
    if k % 2 == 0 then
        local e, f = sub(t[2], t[1]), sub(t[3], t[1])
        local x, y = math.random(-1, 1), math.random(-1, 1)
        for d = 1, 3 do way[d] = x * e[d] + y * f[d] + math.random(-1, 1) end
    end
    if way[1] == 0 and way[2] == 0 and way[3] == 0 then way[3] = 1 end
    local away = math.random(1, 4)
    return sub(to, {away * way[1], away * way[2], away * way[3]}), way
end

local function scaled(list, factor)
    local made = {}
    for i, v in ipairs(list) do made[i] = {v[1] * factor, v[2] * factor, v[3] * factor} end
    return rill.from(made, "vec3")
end

-- Returns what is known exactly about a ray: the least and the largest number of crossings, the nearest crossing of an interior {t, u, v, index}, and whether an
-- edge or the origin's plane may be nearer.
local function expected(o, d, list)
    local least, most, nearest, doubt = 0, 0, nil, math.huge
    for i, t in ipairs(list) do
        local at, u, v, det, through = meets(o, d, t[1], t[2], t[3])
        if through == 1 then
            least, most = least + 1, most + 1
            local far = at / det
            if not nearest or far < nearest[1] then nearest = {far, u / det, v / det, i - 1} end
        elseif not through then
            most = most + 1
            doubt = det == 0 and -1 or math.min(doubt, at / det)
        end
    end
    return least, most, nearest, doubt
end

local function check_ray(got, o, d, list, scale)
    local least, most, nearest, doubt = expected(o, d, list)
    local what <const> = ("ray {%d, %d, %d} {%d, %d, %d} scale %g"):format(o[1], o[2], o[3], d[1], d[2], d[3], scale)
    assert.is_true(got.count >= least and got.count <= most, what .. " count " .. got.count)
    assert.are.equal(got.count > 0, got.any, what)
    assert.are.equal(got.count > 0, got.triangle >= 0, what)
    if nearest and (doubt > nearest[1] * (1 + 1e-6)) then
        local size <const> = SIDE / math.max(math.abs(d[1]), math.abs(d[2]), math.abs(d[3]))
        local bound <const> = 1e-7 * math.max(nearest[1], size)
        assert.is_true(math.abs(got.distance - nearest[1]) <= bound, what .. " " .. got.distance .. " " .. nearest[1])
        if got.triangle == nearest[4] then
            assert.is_true(math.abs(got.weight[1] - nearest[2]) <= 1e-7, what)
            assert.is_true(math.abs(got.weight[2] - nearest[3]) <= 1e-7, what)
        end
    end
end

describe("rays and exact arithmetic", function()
    it("agree about hits, distances and weights, at all scales and angles", function()
        for round = 1, ROUNDS do
            math.randomseed(round)
            local list, o, d = triangles_of(math.random(1, 40)), {}, {}
            for k = 1, 300 do o[k], d[k] = ray_towards(list[math.random(#list)], k) end
            local scale <const>, length <const> = 2.0 ^ math.random(-118, 48), 2.0 ^ math.random(-20, 20)
            local corners, faces = {}, {}
            for i, t in ipairs(list) do
                faces[i] = {3 * i - 3, 3 * i - 2, 3 * i - 1}
                table.move(t, 1, 3, #corners + 1, corners)
            end
            local m = rill.mesh.new {positions = scaled(corners, scale), triangles = faces}
            for _, structure in ipairs(STRUCTURES) do
                local s <close> = rill.ray.scene(m, {structure = structure})
                local os, ds = scaled(o, scale), scaled(d, length)
                local t, f, b = s:closest(os, ds)
                t, f, b = t:values(), f:values(), b:values()
                local c, a = s:count(os, ds):values(), s:any(os, ds):values()
                local reached = s:any(os, ds, t):values() -- up to the distance of the first crossing
                for k = 1, #o do
                    check_ray({distance = t[k] * length / scale, triangle = f[k], weight = {b[2 * k - 1], b[2 * k]},
                        count = c[k], any = a[k]}, o[k], d[k], list, scale)
                    assert.are.equal(a[k], reached[k])
                end
            end
        end
    end)
end)
