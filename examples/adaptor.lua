-- A user-defined container: a sparse grid of voxels with methods that draw into it. Kernels and primitives accept it like any other
-- container (an adaptor, Lefohn et al., Glift, 2006, section 2.2.5).
--
--     lua5.4 examples/adaptor.lua [directory]        out
local rill = require "rill"

local size <const> = 256

local passes = rill.program [[
    kernel void ball(vec3 middle, float radius, uint value, inout uint v<>) {
        if (distance(vec3(indexof(v).xyz), middle) <= radius) v = value;
    }
    // Finds the height and the material of the highest voxel of each column.
    kernel void height(uint v[][][], int size, out int h<>, out uint material<>) {
        ivec2 p = indexof(h).xy;
        h = 0;
        material = 0u;
        for (int y = size - 1; y >= 0 && material == 0u; y--) {
            material = v[p.y][y][p.x];
            h = y;
        }
    }
    kernel void paint(neighbor int h<>, uint material<>, out vec3 c<>) {
        vec3 n = normalize(vec3(float(h[ivec2(-2, 0)] - h[ivec2(2, 0)]), 4.0, float(h[ivec2(0, -2)] - h[ivec2(0, 2)])));
        vec3 own = material == 0u ? vec3(0.05) : 0.55 + 0.45 * cos(1.9 * float(material) + vec3(0.0, 2.1, 4.2));
        c = own * (0.25 + 0.75 * max(0.0, dot(n, normalize(vec3(-1.0, 1.2, -0.6)))));
    }
]]

local Voxels = {}

--- Returns the box around a ball: first and last index, 1-based, slowest dimension first.
local function around(self, x, y, z, radius)
    local first, last = {}, {}
    for d, at in ipairs {z, y, x} do
        first[d] = math.max(1, math.floor(at - radius) + 1)
        last[d] = math.min(self.shape[d], math.ceil(at + radius) + 1)
    end
    return first, last
end

--- Fills a ball with a material and maps the pages that it touches.
function Voxels:ball(x, y, z, radius, material)
    local over = self:range(around(self, x, y, z, radius))
    passes.ball {middle = {x, y, z}, radius = radius, value = material, v = self, over = over}
    return self
end

--- Empties a ball. It runs over the mapped pages only, so it maps no new ones.
function Voxels:carve(x, y, z, radius)
    passes.ball {middle = {x, y, z}, radius = radius, value = 0, v = self, over = self:active()}
    return self
end

--- Returns an image of the voxels seen from above.
function Voxels:picture()
    local shape = {self.shape[1], self.shape[3]}
    local h, material = rill.stream("int", shape), rill.stream("uint", shape)
    passes.height(self, self.shape[2], h, material)
    return passes.paint(h, material)
end

local function voxels()
    return rill.container(rill.sparse("uint8", {size, size, size}, {page = {8, 8, 8}}), Voxels)
end

if ... == "module" then return {voxels = voxels} end

local directory = ... or "out"
os.execute(("mkdir -p '%s'"):format(directory))

local v = voxels()
for i = 0, 60 do
    local turn, far = 0.42 * i, 6 + 1.7 * i
    v:ball(128 + far * math.cos(turn), 40 + 1.2 * i, 128 + far * math.sin(turn), 7 + 0.15 * i, 1 + i % 5)
end
v:carve(128, 90, 128, 40):carve(60, 110, 190, 30)
print(v)
print(("  %d voxels of %d are filled"):format(v:filter("x > 0").size, size ^ 3))
rill.image.save(v:picture(), directory .. "/adaptor.png")
print(("  %s/adaptor.png: the voxels from above"):format(directory))
