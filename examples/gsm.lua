-- Signal strength of a mobile network: discs of signal around towers are scattered over a map, which keeps the maximum.
--
--     lua5.4 examples/gsm.lua [size [towers [directory]]]        512 150 out
--
-- Strength falls linearly with the distance to a tower, from 1 to 0 at its range (the GPGPU chapter, exercise 28.4-4). The chapter draws a
-- disc for each tower and computes the maximum by blending. Here one launch over towers x cells of a disc computes values and their
-- destinations, and rill.scatter with "max" writes them. The script checks the result against a gather, in which each cell of the map
-- loops over all towers. The image shows the strength, its contours, and the towers.
local rill = require "rill"

local passes = rill.program [=[
    // Element (tower, cell of its disc): the cell of the map, or -1, and the strength there.
    kernel void disc(vec3 tower[], int across, ivec2 size, out int cell<>, out float strength<>) {
        ivec2 at = indexof(cell).xy;
        vec3 t = tower[at.y];
        ivec2 p = ivec2(floor(t.xy)) + ivec2(at.x % across, at.x / across) - across / 2;
        strength = 1.0 - distance(vec2(p) + 0.5, t.xy) / t.z;
        bool inside = all(greaterThanEqual(p, ivec2(0))) && all(lessThan(p, size));
        cell = inside && strength > 0.0 ? p.y * size.x + p.x : -1;
    }

    kernel void strongest(vec3 tower[], int towers, out float strength<>) {
        vec2 p = vec2(indexof(strength).xy) + 0.5;
        strength = 0.0;
        for (int i = 0; i < towers; i++) {
            strength = max(strength, 1.0 - distance(p, tower[i].xy) / tower[i].z);
        }
    }

    // Draws no signal in dark blue, then green to yellow, a dark line for every tenth, and a dot for each tower.
    kernel void draw(float strength<>, neighbor float s<>, out vec3 color<>) {
        vec3 low = vec3(0.04, 0.06, 0.16), middle = vec3(0.05, 0.45, 0.42), high = vec3(1.0, 0.92, 0.45);
        color = mix(mix(low, middle, smoothstep(0.0, 0.45, strength)), high, smoothstep(0.45, 1.0, strength));
        float steps = floor(10.0 * strength);
        bool line = steps != floor(10.0 * s[ivec2(1, 0)]) || steps != floor(10.0 * s[ivec2(0, 1)]);
        color *= line ? 0.75 : 1.0;
        color = strength > 0.97 ? vec3(0.75, 0.1, 0.1) : color;
    }
]=]

--- Returns towers {x, y, range} in cells, at random positions from a fixed seed.
local function towers(size, count)
    local at = rill.random({count, 3}, {seed = 28})
    local list = {}
    for i, t in ipairs(at:read()) do
        list[i] = {t[1] * size, t[2] * size, size * (0.05 + 0.12 * t[3] * t[3])}
    end
    return list
end

--- Scatters the discs of towers into `map`, {rows, columns}, which is zero or has the strength of other towers.
local function scatter(list, map)
    local most = 0
    for _, t in ipairs(list) do
        most = math.max(most, t[3])
    end
    local across = 2 * math.ceil(most) + 1
    local rows, columns = table.unpack(map.shape)
    local cell, strength = passes.disc {tower = rill.from(list, "vec3"), across = across, size = {columns, rows},
        shape = {#list, across * across}}
    rill.scatter(map:reshape(rows * columns), cell, strength, "max")
    return map
end

--- Returns the same map by a gather: each cell loops over all towers.
local function gather(list, shape)
    return passes.strongest {tower = rill.from(list, "vec3"), towers = #list, shape = shape}
end

if ... == "module" then
    return {scatter = scatter, gather = gather}
end

local size, count, directory = ...
size = assert(math.tointeger(tonumber(size or 512)), "size: expected a whole number")
count = assert(math.tointeger(tonumber(count or 150)), "towers: expected a whole number")
directory = directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))

local list = towers(size, count)
local start = rill.clock()
local map = scatter(list, rill.stream("float", {size, size}))
local heard = map:map("x > 0.0 ? 1.0 : 0.0"):mean()
local seconds = rill.clock() - start
local off = (map - gather(list, {size, size})):map("abs(x)"):max()
assert(off < 1e-6, "scatter and gather differ by " .. off)
rill.image.save(passes.draw(map, map), directory .. "/gsm.png")
print(("  %d towers on %d x %d cells in %.1f ms; %.0f %% of the cells have a signal"):format(
    count, size, size, 1000 * seconds, 100 * heard))
print(("  %s/gsm.png: signal strength; the gather differs by %.0e"):format(directory, off))
