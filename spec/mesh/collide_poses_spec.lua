--- Whether two rings intersect, for a thousand poses, compared with the results of libfcl 0.7
-- (BVHModel<OBBRSS<double>>, the same vertices as floats).
local rill = require "rill"
local turned <const> = require "spec.support.motions".turned

-- One digit for four poses, the first pose in the highest bit. No result changes if a ring is moved by 1e-6 along any
-- axis.
local ANSWERS <const> = "ea6773bd7157acf092b1fa9f8bbe5973fe4bca65803acfdb8f54d2b643d1a4d8e3d15ffc5fe24e999d2691f3df"
    .. "0cbc997d5db7e686f8bbb5afc5b3e5ebfbd0953c2a8f7c35fcffba3b1f584bf02aec15d7b70745b8adde77739e"
    .. "76277a6171c64dc4d1ef7ee9fd79bdbe75bec3a7a56eaebdff9e6c25a0ec6f6d956391"

local state = 12345
local function draw()
    state = (state * 1103515245 + 12345) % 2147483648
    return state / 1073741824 - 1
end

local function random_pose()
    local axis = {draw(), draw(), draw()}
    local angle = math.pi * draw()
    return turned(axis, angle, {2.4 * draw(), 2.4 * draw(), 1.6 * draw()})
end

describe("rill.collide", function()
    it("agrees with libfcl for a thousand poses in one call", function()
        local poses, digits = {}, {}
        for k = 1, 1000 do poses[k] = random_pose() end
        local ring = rill.collide.bvh(rill.mesh.torus {segments = {48, 20}})
        local any, report = rill.collide.pairs(ring, ring, {b = poses, stop = "any"})
        for k = 1, 1000, 4 do
            local digit = 0
            for i = k, k + 3 do digit = 2 * digit + (any:get(i) and 1 or 0) end
            digits[#digits + 1] = ("%x"):format(digit)
        end
        assert.equal(ANSWERS, table.concat(digits))
        assert.equal(#poses, report.lists[1])
    end)
end)
