-- Values for the snippet isosurface, which intersects rays with an isosurface of a volume, and shades it with
-- reflection and refraction (chapter 28.7.2 of "GPGPU").

local isosurface = {}

-- Largest number of steps of a ray. With a constant limit the loop is known to end, so that no check is needed.
isosurface.STEPS = 16384

--- isosurface.surroundings(low, high, up) returns the scene around a box with these corners: a point of the floor, the
-- width of the floor's tiles, and the longest side of the box.
function isosurface.surroundings(low, high, up)
    local floor_at, reach = {}, 0
    for d = 1, 3 do
        floor_at[d] = up[d] > 0 and low[d] or up[d] < 0 and high[d] or low[d]
        reach = math.max(reach, high[d] - low[d])
    end
    return floor_at, reach / 6, reach
end

return isosurface
