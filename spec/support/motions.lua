--- Rigid motions as four rows of four numbers, as M:transform and rill.collide.pairs take them.
local motions = {}

--- motions.turned(axis, angle, t): a rotation about an axis of any length by an angle in radians, followed by a
--- translation by t.
function motions.turned(axis, angle, t)
    local l = math.sqrt(axis[1] ^ 2 + axis[2] ^ 2 + axis[3] ^ 2)
    local x, y, z, c, s = axis[1] / l, axis[2] / l, axis[3] / l, math.cos(angle), math.sin(angle)
    local d = 1 - c
    return {
        {c + x * x * d, x * y * d - z * s, x * z * d + y * s, t[1]},
        {y * x * d + z * s, c + y * y * d, y * z * d - x * s, t[2]},
        {z * x * d - y * s, z * y * d + x * s, c + z * z * d, t[3]}, {0, 0, 0, 1},
    }
end

return motions
