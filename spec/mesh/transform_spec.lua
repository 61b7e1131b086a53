local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

-- Returns the 16 numbers of a transform.
local function flat(m)
    local list = {}
    for i = 1, 4 do
        assert.equal(4, #m[i])
        table.move(m[i], 1, 4, #list + 1, list)
    end
    return list
end

local function near(expected, m)
    check.equal(expected, flat(m), 4e-15)
end

describe("transforms", function()
    leaks.watch(setup, teardown)

    it("have rows that multiply columns", function()
        near({1, 0, 0, 4, 0, 1, 0, 5, 0, 0, 1, 6, 0, 0, 0, 1}, rill.translation {4, 5, 6})
        near({2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1}, rill.scaling(2))
        near({2, 0, 0, 0, 0, 3, 0, 0, 0, 0, -4, 0, 0, 0, 0, 1}, rill.scaling {2, 3, -4})
        local c, s <const> = math.cos(0.3), math.sin(0.3)
        near({1, 0, 0, 0, 0, c, -s, 0, 0, s, c, 0, 0, 0, 0, 1}, rill.rotation("x", 0.3))
        near({c, 0, s, 0, 0, 1, 0, 0, -s, 0, c, 0, 0, 0, 0, 1}, rill.rotation("y", 0.3))
        near({c, -s, 0, 0, s, c, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, rill.rotation("z", 0.3))
        near(flat(rill.rotation("z", -0.3)), rill.rotation({0, 0, -1e200}, 0.3))
        near({1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, rill.rotation({1, 2, 3}, 0))
        near({0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1}, rill.rotation({1, 1, 1}, 2 * math.pi / 3))
    end)

    it("are orthogonal rotations that keep the axis", function()
        math.randomseed(8)
        for _ = 1, 100 do
            local axis = {math.random() - 0.5, math.random() - 0.5, math.random() - 0.5}
            local angle = 20 * math.random() - 10
            local m = rill.rotation(axis, angle)
            check.equal(axis, m * axis, 1e-15)
            local back = m * rill.rotation(axis, -angle)
            near({1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, back)
            assert.near(1 + 2 * math.cos(angle), m[1][1] + m[2][2] + m[3][3], 1e-14) -- the trace
        end
    end)

    it("are multiplied from the left", function()
        local plain = {{0, -1, 0, 1}, {1, 0, 0, 2}, {0, 0, 1, 3}, {0, 0, 0, 1}}
        local moved = rill.translation {10, 20, 30}
        near({0, -1, 0, 11, 1, 0, 0, 22, 0, 0, 1, 33, 0, 0, 0, 1}, moved * plain)
        near({0, -1, 0, -19, 1, 0, 0, 12, 0, 0, 1, 33, 0, 0, 0, 1}, plain * moved)
        check.equal({-1, 12, 36}, rill.scaling {1, 3, 4} * (rill.translation {0, 3, 8} * {-1, 1, 1}))
    end)

    it("move meshes, and are options of rill.collide", function()
        local m = rill.mesh.box {size = 2}
        local matrix = rill.translation {5, 0, 0} * rill.rotation({0, 0, 1}, math.pi / 2) * rill.scaling {1, 2, 3}
        local expected = {}
        for i, p in ipairs(m.positions:read()) do
            table.move(matrix * p, 1, 3, 3 * i - 2, expected)
        end
        local got = {}
        for i, p in ipairs(m:transform(matrix).positions:read()) do
            table.move(p, 1, 3, 3 * i - 2, got)
        end
        check.equal(expected, got, 1e-6)
        local tree <close> = rill.collide.bvh(m)
        assert.is_true(rill.collide.pairs(tree, tree, {b = rill.translation {1.5, 0.2, 0.1}}).size > 0)
        assert.equal(0, rill.collide.pairs(tree, tree, {b = rill.translation {2.5, 0, 0}}).size)
    end)

    it("refuse bad arguments", function()
        for text, f in pairs {
            ["rill.rotation: argument #1 'axis': expected \"x\", \"y\", \"z\", or {x, y, z} other than 0, got \"w\""] =
                function() rill.rotation("w", 1) end,
            ["other than 0, got {0, 0, 0}"] = function() rill.rotation({0, 0, 0}, 1) end,
            ["rill.rotation: argument #2 'angle': expected a finite number of radians, got nil"] =
                function() rill.rotation "x" end,
            ["rill.translation: argument #1 'v': expected a table of 3 finite numbers, got number 1"] =
                function() rill.translation(1) end,
            ["rill.translation: argument #2: expected none"] = function() rill.translation({1, 2, 3}, 4) end,
            ["rill.scaling: argument #1 'v': expected a finite number, or a table of 3, got {1, 2}"] =
                function() rill.scaling {1, 2} end,
            ["M * N: expected two transforms, or a transform and a point {x, y, z}, got {{"] =
                function() return rill.scaling(2) * 3 end,
        } do
            check.names({text}, f)
        end
    end)
end)
