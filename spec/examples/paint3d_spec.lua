local paint3d = assert(loadfile "examples/paint3d.lua")("module")

local function dot(a, b)
    return a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
end

-- How much a dab covers a node, in plain Lua; all texels are of the finest level.
local function coverage(painting, places, node, dab, thick)
    local from, side = {}, painting.side
    for d = 1, 3 do from[d] = node[d] / painting.size * 2 - 1 - painting.eye[d] end
    local depth = dot(from, painting.ahead)
    local x = (dot(from, painting.right) / depth / 0.42 * 0.5 + 0.5) * side
    local y = (-dot(from, painting.up) / depth / 0.42 * 0.5 + 0.5) * side
    local column, row = math.max(0, math.min(side - 1, x // 1)), math.max(0, math.min(side - 1, y // 1))
    local seen = places[(row * side + column) * 4 + 4 | 0]
    if depth <= 0 or seen == 0 or math.abs(math.sqrt(dot(from, from)) - seen) >= thick then
        return 0
    end
    local t = math.sqrt((x - dab[1]) ^ 2 + (y - dab[2]) ^ 2) / dab[3]
    t = math.max(0, math.min(1, (t - 0.6) / 0.4))
    return 1 - t * t * (3 - 2 * t)
end

describe("painting in three dimensions", function()
    it("colours the texels that are projected under the brush, near the surface", function()
        local painting = paint3d.create(48, 32, 2)
        local dab = {24.5, 26.5, 7, 0.75}
        painting:stroke({dab}, {1, 0, 0})
        local values, places = painting.paint:stream():values(), painting.place:values()
        local i, wrong, painted = 0, 0, 0
        for z = 0, 32 do
            for y = 0, 32 do
                for x = 0, 32 do
                    local w = coverage(painting, places, {x, y, z}, dab, 8 / 32)
                    local red, green, a = values[i + 1], values[i + 2], values[i + 4]
                    if math.abs(green - (1 - 0.75 * w)) > 1e-3 or math.abs(a - w) > 1e-3 or red ~= 1 then
                        wrong = wrong + 1
                    end
                    i, painted = i + 4, painted + (w > 0 and 1 or 0)
                end
            end
        end
        assert.is_true(painted > 100)
        assert.is_true(wrong <= painted / 100) -- where a node lies between two pixels floats decide
    end)

    it("takes texels where there is paint, as fine as the brush, and shows it", function()
        local painting = paint3d.create(64, 2048)
        painting:stroke({{32, 34, 12, 1}}, {0, 0, 1})
        local broad = painting.paint.pages.mapped
        painting:stroke({{32, 34, 0.1, 1}}, {0, 1, 0})
        assert.is_true(broad > 8 and painting.paint.pages.mapped > broad)
        assert.is_true(painting.paint.nbytes <= 32 * 2 ^ 20)
        local picture = painting:picture()
        local blue, bare = picture:get(35, 38), picture:get(35, 60)
        assert.is_true(blue[3] > 0.2 and blue[1] < 0.01)
        assert.is_true(math.abs(bare[1] - bare[3]) < 0.1)
    end)
end)
