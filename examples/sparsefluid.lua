-- Smoke simulation on a sparse grid: pages exist only where there is smoke, and are created and freed as it moves. It uses the solver of smoke.lua
-- in three dimensions; the kernels are the same for a dense grid.
--
--     lua5.4 examples/sparsefluid.lua [size [steps [directory]]]        128 120 out
--
-- Velocities are in cells per step. In unmapped pages the air is at rest and the pressure is 0.
local rill = require "rill"

local fade, buoyancy = 0.97, 0.06 -- the factor of smoke per step; its upward acceleration
local enough = 3e-3      -- the least smoke for which a page is kept
local pressure_rounds = 20

-- The passes advect, diverge, relax, project; mark, spread, without and corner, which find pages; look, paint, paint_pages.
local passes = dofile((debug.getinfo(1, "S").source:match "^@(.*/)" or "") .. "support/sparsesmoke.lua")

-- Two types of grids for the same passes. `field` creates a field of a fluid. `limit` has the arguments that restrict launches. `change` takes the
-- coordinates of the pages to allocate and of the pages to release.
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

--- Returns air at rest in size^3 cells on one of these grids, in pages of page^3. The vent is a ball near the bottom. `vessel`: a ball {x, y, z,
-- radius} that contains the smoke. Default: unbounded.
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

--- Allocates pages with smoke and the adjacent pages, and releases the others.
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

--- Runs a pass over the mapped pages. If it writes the second copy of a field, `swapped` names the field, and the copies are exchanged.
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

--- Returns the number of bytes of all fields.
function Fluid:bytes()
    local sum = 0
    for _, field in pairs(self.fields) do sum = sum + field.nbytes end
    return sum
end

--- Returns the share of pages that exist.
function Fluid:occupancy()
    return self.existing:sum() / self.existing.size
end

--- Returns an image of the smoke from the front and, next to it, of the pages, brighter where there are more along the line of sight.
function Fluid:picture(side)
    local scale, shape = side / self.size, {side, side}
    local n, pages = self.size, self.pages
    local thickness = passes.look {s = self.fields.state, depth = n, height = n, scale = scale, shape = shape}
    local boxes = passes.paint_pages {wanted = self.existing, depth = pages, height = pages, cell = self.page * scale,
        shape = shape}
    return rill.concat({passes.paint(thickness), boxes}, 2)
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
        print(("  step %3d: %4.1f %% of the pages exist, %.1f MiB"):format(step, 100 * fluid:occupancy(),
            fluid:bytes() / 2 ^ 20))
    end
end
print(("  %d steps of %d x %d x %d cells in %.1f s\n  a dense grid takes %.1f MiB"):format(steps, size, size, size,
    rill.clock() - start, size ^ 3 * 44 / 2 ^ 20))
rill.image.save(fluid:picture(512), directory .. "/sparsefluid.png")
print(("  %s/sparsefluid.png: the smoke and its pages"):format(directory))
