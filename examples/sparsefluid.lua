-- Smoke in space, whose grid exists only where there is smoke: pages come before it and go behind it. The solver of smoke.lua in three
-- dimensions; its kernels are the same for a dense grid.
--
--     lua5.4 examples/sparsefluid.lua [size [steps [directory]]]        128 120 out
--
-- Velocities are in cells per step. Where no page is, air is at rest and has no pressure.
local rill = require "rill"

local fade = 0.97        -- what is left of the smoke after a step
local buoyancy = 0.06    -- push of smoke upwards
local enough = 3e-3      -- smoke for which a page stays
local pressure_rounds = 20

-- What an element holds: velocity in xyz, smoke in w. y is up.
local passes = rill.program [[
    // 1 in the vessel that holds the smoke, a ball, and 0 outside, where there is nothing.
    float held(ivec3 p, vec4 vessel) {
        vec3 away = vec3(p) - vessel.xyz;
        return dot(away, away) <= vessel.w * vessel.w ? 1.0 : 0.0;
    }

    // What is here now was upstream one step ago; the vent adds to it, smoke rises.
    kernel void advect(float fade, float buoyancy, vec4 vent, vec3 wind, vec4 vessel, vec4 s<>, vec4 from[][][], out vec4 r<>) {
        vec3 here = vec3(indexof(r).xyz);
        r = sample(from, here - s.xyz);
        vec3 away = (here - vent.xyz) / vent.w;
        float inflow = max(0.0, 1.0 - dot(away, away));
        r.w = min(r.w * fade + 0.3 * inflow, 1.0);
        r.xyz += buoyancy * r.w * vec3(0.0, 1.0, 0.0) + inflow * wind;
        r *= held(indexof(r).xyz, vessel);
    }

    kernel void diverge(vec4 vessel, neighbor vec4 s<>, out float d<>) {
        d = 0.5 * held(indexof(d).xyz, vessel) * (s[ivec3(1, 0, 0)].x - s[ivec3(-1, 0, 0)].x + s[ivec3(0, 1, 0)].y - s[ivec3(0, -1, 0)].y
            + s[ivec3(0, 0, 1)].z - s[ivec3(0, 0, -1)].z);
    }

    // One Jacobi round of (laplacian of p) = d.
    kernel void relax(vec4 vessel, neighbor float p<>, float d<>, out float r<>) {
        r = (p[ivec3(-1, 0, 0)] + p[ivec3(1, 0, 0)] + p[ivec3(0, -1, 0)] + p[ivec3(0, 1, 0)] + p[ivec3(0, 0, -1)]
            + p[ivec3(0, 0, 1)] - d) * (1.0 / 6.0) * held(indexof(r).xyz, vessel);
    }

    // Without the gradient of the pressure, what flows into a cell flows out of it.
    kernel void project(vec4 vessel, neighbor float p<>, vec4 s<>, out vec4 r<>) {
        r = s - 0.5 * held(indexof(r).xyz, vessel) * vec4(p[ivec3(1, 0, 0)] - p[ivec3(-1, 0, 0)], p[ivec3(0, 1, 0)] - p[ivec3(0, -1, 0)],
                           p[ivec3(0, 0, 1)] - p[ivec3(0, 0, -1)], 0.0);
    }

    // Which pages hold smoke, and which should exist: those and all around.
    kernel void mark(int page, float enough, vec4 s<>, inout int smoke[][][]) {
        ivec3 p = indexof(s).xyz / page;
        if (s.w > enough) smoke[p.z][p.y][p.x] = 1;
    }
    kernel void spread(neighbor int smoke<>, out int wanted<>) {
        wanted = 0;
        for (int z = -1; z <= 1; z++)
            for (int y = -1; y <= 1; y++)
                for (int x = -1; x <= 1; x++) wanted = max(wanted, smoke[ivec3(x, y, z)]);
    }
    kernel bool without(int a<>, int b<>) { return a != 0 && b == 0; }
    kernel void corner(ivec3 pages, int page, int number<>, out ivec3 p<>) {
        p = page * ivec3(number % pages.x, number / pages.x % pages.y, number / (pages.x * pages.y));
    }

    // How it looks from the front: smoke glows from dark violet over orange to pale yellow; beside it the pages.
    vec3 glow(float t) {
        vec3 c = mix(vec3(0.01, 0.01, 0.03), vec3(0.28, 0.07, 0.42), smoothstep(0.0, 0.3, t));
        c = mix(c, vec3(0.80, 0.20, 0.38), smoothstep(0.2, 0.55, t));
        c = mix(c, vec3(0.99, 0.60, 0.36), smoothstep(0.45, 0.8, t));
        return mix(c, vec3(1.00, 0.98, 0.80), smoothstep(0.7, 1.0, t));
    }
    kernel void look(vec4 s[][][], int depth, float scale, int height, out float thickness<>) {
        vec2 at = vec2(indexof(thickness).xy) / scale;
        thickness = 0.0;
        for (int z = 0; z < depth; z++) thickness += sample(s, vec3(at.x, float(height - 1) - at.y, float(z))).w;
    }
    kernel void paint(neighbor float thickness<>, out vec3 colour<>) {
        vec2 slope = vec2(thickness[ivec2(1, 0)] - thickness[ivec2(-1, 0)], thickness[ivec2(0, 1)] - thickness[ivec2(0, -1)]);
        float relief = dot(slope, vec2(0.5, 0.8)) / (1.0 + length(slope));
        colour = glow(1.0 - exp(-0.12 * thickness[0])) * (1.0 + 0.5 * relief);
    }
    kernel void paint_pages(int wanted[][][], int depth, int height, float cell, out vec3 colour<>) {
        vec2 at = vec2(indexof(colour).xy) / cell, in_page = fract(at) * cell;
        int n = 0;
        for (int z = 0; z < depth; z++) n += wanted[z][height - 1 - int(at.y)][int(at.x)];
        float line = n > 0 && min(in_page.x, in_page.y) < 1.0 ? 1.0 : 0.0;
        float share = float(n) / float(depth);
        colour = n == 0 ? vec3(0.01, 0.01, 0.03) : mix(vec3(0.05, 0.12, 0.2), vec3(0.35, 0.75, 0.9), sqrt(share));
        colour = mix(colour, vec3(0.01, 0.01, 0.03), 0.7 * line);
    }
]]

-- Two kinds of grids for the same passes. `field` makes one field of a fluid, `limit` is what a launch is limited to, `change` is told where
-- pages begin (streams of coordinates) that are wanted now, and those that no longer are.
local Sparse, Dense = {}, {}
Sparse.__index, Dense.__index = Sparse, Dense

function Sparse.field(_, fluid, type)
    local size, page = fluid.size, fluid.page
    return rill.sparse(type, {size, size, size}, {page = {page, page, page}})
end

function Sparse:change(fluid, added, gone)
    for _, field in pairs(fluid.fields) do
        if added.size > 0 then field:allocate(added) end
        if gone.size > 0 then field:release(gone) end
    end
    self.limit = {over = fluid.fields.state:active()}
end

function Dense.field(_, fluid, type)
    return rill.stream(type, {fluid.size, fluid.size, fluid.size})
end

function Dense.change() end

local Fluid = {}
Fluid.__index = Fluid

--- Air at rest in size^3 cells on one of these grids, in pages of page^3; the vent is a ball near the bottom. `vessel`: {x, y, z, radius} of
-- what holds it, nothing unless told.
local function create(size, page, grid, vessel)
    local pages = size // page
    local self = setmetatable({size = size, page = page, pages = pages, grid = grid, time = 0}, Fluid)
    self.vessel = vessel or {0, 0, 0, 1e9}
    self.fields = {}
    for name, type in pairs {state = "vec4", state_next = "vec4", pressure = "float", pressure_next = "float",
                             divergence = "float"} do
        self.fields[name] = grid:field(self, type)
    end
    local function each_page() return rill.stream("int", {pages, pages, pages}):fill(0) end
    self.smoke, self.existing, self.wanted = each_page(), each_page(), each_page()
    self.vent = {size / 2, size / 6, size / 2, math.min(6, size / 8)}
    local middle, height, radius = size / 2, size / 6, self.vent[4]
    local function at(cells) return math.max(cells // page, 0) + 1 | 0 end
    for z = at(middle - radius), at(middle + radius) do
        for y = at(height - radius), at(height + radius) do
            for x = at(middle - radius), at(middle + radius) do self.smoke:set(1, z, y, x) end
        end
    end
    self:change()
    return self
end

--- Pages come where smoke is and all around, and go where it is no longer.
function Fluid:change()
    passes.spread(self.smoke, self.wanted)
    local function corners(these, those)
        local numbers = passes.without(these, those):reshape(self.pages ^ 3 | 0):find "x"
        return passes.corner({self.pages, self.pages, self.pages}, self.page, numbers)
    end
    local added, gone = corners(self.wanted, self.existing), corners(self.existing, self.wanted)
    self.existing, self.wanted = self.wanted, self.existing
    if added.size + gone.size > 0 then self.grid:change(self, added, gone) end
end

--- One pass over what exists. What it writes into the spare of a field is the field afterwards.
function Fluid:pass(name, arguments, swapped)
    for key, value in pairs(self.grid.limit or {}) do arguments[key] = value end
    passes[name](arguments)
    if swapped then
        local f, spare = self.fields, swapped .. "_next"
        f[swapped], f[spare] = f[spare], f[swapped]
    end
end

function Fluid:step()
    local f = self.fields
    local wind = {0.3 * math.sin(0.11 * self.time), 0.6, 0.3 * math.cos(0.07 * self.time)}
    self:pass("advect", {fade = fade, buoyancy = buoyancy, vent = self.vent, wind = wind, vessel = self.vessel,
                         s = f.state, from = f.state, r = f.state_next}, "state")
    self:pass("diverge", {vessel = self.vessel, s = f.state, d = f.divergence})
    for _ = 1, pressure_rounds do
        self:pass("relax", {vessel = self.vessel, p = f.pressure, d = f.divergence, r = f.pressure_next},
            "pressure")
    end
    self:pass("project", {vessel = self.vessel, p = f.pressure, s = f.state, r = f.state_next}, "state")
    self.smoke:fill(0)
    self:pass("mark", {page = self.page, enough = enough, s = f.state, smoke = self.smoke})
    self:change()
    self.time = self.time + 1
end

--- Bytes of all fields.
function Fluid:bytes()
    local sum = 0
    for _, field in pairs(self.fields) do sum = sum + field.nbytes end
    return sum
end

--- The share of pages that exist.
function Fluid:occupancy()
    return self.existing:sum() / self.existing.size
end

--- The smoke from the front, and beside it the pages: brighter where more lie behind each other.
function Fluid:picture(side)
    local scale = side / self.size
    local picture = rill.stream("vec3", {side, 2 * side})
    local thickness = rill.stream("float", {side, side})
    passes.look(self.fields.state, self.size, scale, self.size, thickness)
    picture:write(passes.paint(thickness), {1, 1}, {side, side})
    local boxes = rill.stream("vec3", {side, side})
    passes.paint_pages(self.existing, self.pages, self.pages, self.page * scale, boxes)
    picture:write(boxes, {1, side + 1}, {side, 2 * side})
    return picture
end

local module = {enough = enough, create = create, sparse = function() return setmetatable({}, Sparse) end,
                dense = function() return setmetatable({}, Dense) end}
if ... == "module" then return module end

local size, steps, directory = ...
size, directory = assert(math.tointeger(tonumber(size or 128)), "size: expected a whole number"), directory or "out"
steps = assert(math.tointeger(tonumber(steps or 120)), "steps: expected a whole number")
os.execute(("mkdir -p '%s'"):format(directory))

local fluid, start = create(size, 8, module.sparse()), rill.clock()
for step = 1, steps do
    fluid:step()
    if step % math.max(1, steps // 5) == 0 or step == steps then
        rill.image.save(fluid:picture(512), ("%s/sparsefluid-%03d.png"):format(directory, step))
        local pattern = "  step %3d: %4.1f %% of the pages exist, %.1f MiB"
        print(pattern:format(step, 100 * fluid:occupancy(), fluid:bytes() / 2 ^ 20))
    end
end
print(("  %d steps of %d x %d x %d cells in %.1f s"):format(steps, size, size, size, rill.clock() - start))
print(("  a dense grid takes %.1f MiB"):format(size ^ 3 * 44 / 2 ^ 20))
rill.image.save(fluid:picture(512), directory .. "/sparsefluid.png")
print(("  %s/sparsefluid.png: the smoke, and the pages it is in"):format(directory))
