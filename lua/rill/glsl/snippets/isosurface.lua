-- The surface where the values of a volume pass one (chapter 28.7.2 of "GPGPU"): where a ray meets it, and what is mirrored and refracted there. Texts for
-- kernels.

local isosurface = {}

isosurface.STEPS = 16384 -- at most, of a ray: the loop is provably short, so that it need not be watched

--- isosurface.surroundings(low, high, up): what stands around a box with these corners: where the floor is, and how wide its tiles.
function isosurface.surroundings(low, high, up)
    local floor_at, reach = {}, 0
    for d = 1, 3 do
        floor_at[d] = up[d] > 0 and low[d] or up[d] < 0 and high[d] or low[d]
        reach = math.max(reach, high[d] - low[d])
    end
    return floor_at, reach / 6, reach
end

return isosurface
