-- Compares the vorticity of fluids with the curl of known velocities.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

-- Returns the elements of a field without the cells at the sides, whose values depend on the boundary conditions.
local function inside(s)
    local last = {}
    for d, size in ipairs(s.shape) do last[d] = size - 1 end
    return s:domain(#last == 2 and {2, 2} or {2, 2, 2}, last):copy():values()
end

describe("f.vorticity", function()
    leaks.watch(setup, teardown)

    for _, grid in ipairs {"mac", "collocated"} do
        it("of a rigid rotation is twice the angular velocity: " .. grid, function()
            for _, spacing in ipairs {1, 0.25, {0.5, 2}} do
                local f = rill.fluid {shape = {12, 17}, grid = grid, spacing = spacing,
                    velocity = function(x, y) return -1.5 * (y - 3), 1.5 * (x - 4) end}
                local w = f.vorticity
                assert.equal("float 12x17", w.type .. " " .. tostring(w.shape))
                for _, value in ipairs(inside(w)) do assert.near(3, value, 1e-4) end
            end
            local axis = {0.5, -1, 2}
            local f = rill.fluid {shape = {7, 8, 9}, grid = grid, spacing = {0.5, 1, 2},
                velocity = function(x, y, z)
                    return axis[2] * z - axis[3] * y, axis[3] * x - axis[1] * z, axis[1] * y - axis[2] * x
                end}
            local w = f.vorticity
            assert.equal("vec3 7x8x9", w.type .. " " .. tostring(w.shape))
            for i, value in ipairs(inside(w)) do assert.near(2 * axis[(i - 1) % 3 + 1], value, 1e-4) end
        end)

        it("converges to the curl of a smooth flow, with the boundary conditions: " .. grid, function()
            local errors = {}
            for k, n in ipairs {16, 32} do
                local h, turn <const> = 1 / n, 2 * math.pi
                local f = rill.fluid {shape = {n, n}, grid = grid, spacing = h, boundary = "periodic",
                    velocity = function(x, y)
                        return math.sin(turn * x) * math.cos(turn * y), math.cos(turn * x) * math.sin(2 * turn * y)
                    end}
                local worst = 0
                for i, value in ipairs(f.vorticity:values()) do
                    local x, y = ((i - 1) % n + 0.5) * h, ((i - 1) // n + 0.5) * h
                    local want = -turn * math.sin(turn * x) * math.sin(2 * turn * y) +
                        turn * math.sin(turn * x) * math.sin(turn * y)
                    worst = math.max(worst, math.abs(value - want))
                end
                errors[k] = worst
            end
            assert.is_true(errors[1] < 1.5 and errors[2] < 0.3 * errors[1], table.concat(errors, " "))
            local wall = rill.fluid {shape = {4, 8}, grid = grid, viscosity = 1, spacing = 0.5,
                velocity = function() return 2, 0 end} -- no slip: the ghost cells have the velocity -2
            local v = wall.vorticity
            check.equal({-4, 0, 0, 4}, {v:get(1, 4), v:get(2, 4), v:get(3, 4), v:get(4, 4)}, 1e-5)
        end)
    end

    it("is a new stream, which steps do not change", function()
        local f = rill.fluid {shape = {8, 8}, dt = 0.1, confinement = 0.3,
            velocity = function(x, y) return -y, x end}
        local before = f.vorticity
        local values = before:values()
        f:step()
        check.equal(values, before:values())
        assert.is_false(values[20] == f.vorticity:values()[20])
    end)
end)
