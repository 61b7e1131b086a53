-- Cel shading: an image reduced to a few levels per channel (the GPGPU chapter, exercise 28.3-1).
--
--     lua5.4 examples/cel.lua [levels [picture.png [directory]]]        4, a synthetic picture, out
--
-- Each pixel is computed from itself alone, which the chapter calls vector processing. Each channel is divided into bands of equal width, and each band
-- becomes one level from 0 to 1. The kernel below is the exercise; rill.image.cel does the same. The script checks that both agree bit for bit, that
-- each channel has at most as many values as levels, and that no channel changes by more than the width of a band.
local rill = require "rill"

local here = debug.getinfo(1, "S").source:match "^@(.*/)" or "./"
local balloons = dofile(here .. "support/balloons.lua")

local quantize = rill.kernel [[
    kernel void quantize(float levels, vec3 p<>, out vec3 r<>) {
        r = clamp(floor(p * levels), 0.0, levels - 1.0) / (levels - 1.0);
    }
]]

--- Returns the number of distinct values of each channel.
local function counts(picture)
    local found = {}
    for c, letter in ipairs {"x", "y", "z"} do
        local values <close> = picture[letter]:eval()
        found[c] = values:reshape {values.size}:sort():unique().size
    end
    return table.unpack(found)
end

if ... == "module" then
    return {quantize = quantize, counts = counts}
end

local levels, path, directory = ...
levels = assert(math.tointeger(tonumber(levels or 4)), "levels: expected a whole number")
directory = directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))

local picture = path and rill.image.load(path, "vec3") or balloons.scene {shape = {384, 512}}
local flat = quantize(levels, picture)
assert(flat:bytes() == rill.image.cel(picture, {levels = levels}):bytes(), "rill.image.cel gives another result")
local r, g, b = counts(flat)
assert(math.max(r, g, b) <= levels, "a channel has more values than levels")
local off = rill.abs(flat - picture)
local moved = math.max(off.x:max(), off.y:max(), off.z:max())
assert(moved <= 1 / levels + 1e-6, "a channel changed by " .. moved)
rill.image.save(flat, directory .. "/cel.png")
print(("  %s pixels with %d, %d and %d values of red, green and blue; the largest change is %.3f"):format(
    picture.shape, r, g, b, moved))
print(("  %s/cel.png"):format(directory))
