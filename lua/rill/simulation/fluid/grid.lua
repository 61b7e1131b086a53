-- The grid of a fluid: where values are stored, and boundary conditions.
--
-- Every field is stored in streams with one halo element on each side. Element i (0-based) of a dimension is cell i
-- (1-based); elements 0 and n + 1 are computed from the cells inside by the boundary conditions. On a MAC grid
-- (Harlow and Welch 1965) component k of the velocity is stored on the low face of its cell along dimension k, on a
-- collocated grid at the cell center. Kernels compute halo elements too, from the same values as the element inside,
-- so the halo needs no separate launch.
local rill = require "rill.core.public"
local boundary = require "rill.core.boundary"
local provider = require "rill.stream.provider"
local dimensions = require "rill.glsl.dimensions"
local operator = require "rill.solve.operator"
local template = require "rill.glsl.template"

local grid = {}

-- ---- templates

template.snippet("fluid_grid", template.file "grid")

-- Returns the template values of a grid in addition to the values of its dimensions: mac, and components, which have
-- `across`: for each dimension, the offset of component k in cells (shift), and how many more faces than cells it has
-- (edge).
local function values_of(rank, mac, parts)
    local element = dimensions[rank].element
    local values = {
        mac = mac, held = false, components = {}, parts = parts or false, zeros = rank == 2 and "0" or "0, 0",
        field_element = element:gsub("%]", " - s.first]", 1), cell_element = element:gsub("%]", " - s.corner]", 1),
    }
    for k, axis in ipairs(dimensions[rank].axes) do
        local across = {}
        for d, other in ipairs(dimensions[rank].axes) do
            local on_face = mac and d == k
            across[d] = {axis = other.axis, shift = on_face and "1.0" or "0.5", edge = on_face and "1" or "0"}
        end
        values.components[k] = {k = axis.k, axis = axis.axis, step = axis.step, across = across}
    end
    return dimensions.with(rank, values)
end

--- self:program(text, values) returns the kernels of a template that begins with $use(fluid_grid). The template uses
-- the values of the grid and `values`.
local function program(self, text, values)
    return text:program(setmetatable(values or {}, self.values))
end

-- names_of.u is {"u0", "u1", "u2"}.
local names_of <const> = setmetatable({}, {__index = function(names, name)
    names[name] = {name .. 0, name .. 1, name .. 2}
    return names[name]
end})

local NEAR <const> = 3 -- rows around an element that kernels read, unless they follow a path

--- self:launch(kernel, arguments [, components [, reach]]) calls a kernel with named arguments and the sides `s`.
-- components: arrays of streams, as {u = f.u} for the parameters u0, u1 (and u2). reach: how many rows from an element
-- the kernel reads, which matters on several ranks.
local function launch(self, kernel, arguments, components, reach)
    arguments.s = self.sides
    for name, list in pairs(components or {}) do
        local names = names_of[name]
        for k, s in ipairs(list) do
            arguments[names[k]] = s
        end
    end
    return self:call(kernel, arguments, reach or NEAR)
end

-- ---- sides

-- Returns sign and add: at this side, a halo element of component k along dimension d is sign times the element
-- inside, plus add.
local function effect(self, side, k, d, slips)
    local across, conditions = k == d, side.mode.fluid
    local condition, velocity = across and conditions.normal or conditions.tangential, side.velocity
    if condition == "gradient" or slips and not velocity and not across then
        return 1, 0
    elseif self.mac and across then
        return 0, velocity and velocity[k] or 0
    end
    return -1, 2 * (velocity and velocity[k] or 0)
end

-- Returns the contents of struct Sides: vectors over the dimensions. `held`: 1 if the pressure outside equals the
-- pressure inside, 0 if it is 0.
local function sides_of(self, sides, slips)
    local data = {size = {}, wraps = {}, low_held = {}, high_held = {}, per = {}}
    for d = 1, self.rank do
        for i, name in ipairs {"low", "high"} do
            local side = sides[d][i]
            for k = 1, self.rank do
                local sign, add = name .. "_sign" .. k - 1, name .. "_add" .. k - 1
                data[sign], data[add] = data[sign] or {}, data[add] or {}
                data[sign][d], data[add][d] = effect(self, side, k, d, slips)
            end
            local held = side.mode.fluid.pressure == "gradient"
            data[name .. "_held"][d], self.closed = held and 1 or 0, self.closed and held
        end
        data.size[d], data.per[d] = self.sizes[d], 1 / self.spacing[d]
        data.wraps[d] = sides[d][1].mode == boundary.mode.periodic and 1 or 0
    end
    if self.parts then
        data.first, data.corner, data.free = 0, 0, {0, 0, self.rank == 3 and 0 or nil}
        data.free[self.rank] = self.free
    end
    return data
end

-- ---- fields

-- The methods of a grid in one process. rill.mpi.grid replaces those that depend on where elements are stored; `parts`
-- is then true.
local methods = {program = program, launch = launch}
methods.__index = methods

--- self:call(kernel, arguments, reach) calls a kernel with named arguments: see self:launch.
function methods.call(_, kernel, arguments)
    return kernel(arguments)
end

--- self:field(type) returns a stream with halo. It has the boundary mode "clamp", because kernels read elements
-- beyond the halo at the high sides; the results are not used.
function methods:field(type)
    return rill.stream(type or "float", self.padded):boundary "clamp"
end

--- self:fields(count) returns an array of streams of floats. Default: one per component.
function methods:fields(count)
    local list = {}
    for k = 1, count or self.rank do
        list[k] = self:field()
    end
    return list
end

--- self:stream(type) returns a stream of the cells, without halo.
function methods:stream(type)
    return rill.stream(type, self.shape)
end

--- self:room(shape) returns a stream of floats for a solver, of the cells of a grid with as many rows.
function methods.room(_, shape)
    return operator.room("float", shape)
end

--- self:take(s) returns a stream with the elements of one that a user gave, which may be the same stream.
function methods.take(_, s)
    return s
end

--- self:sampled(is_padded, shift, sample) returns the stream sample(shape, shift), with halo or of cells. `shift`: see
-- lattice.sampled.
function methods:sampled(is_padded, shift, sample)
    return sample(is_padded and self.padded or self.shape, shift)
end

--- Views of streams with halo: self:own_cells(s) returns the cells of this process. self:cells(s) returns all cells,
-- which may be a new distributed stream, and self:all_cells(s) all cells as a stream of this process.
function methods:own_cells(s)
    return s:domain(self.first, self.last)
end
methods.cells, methods.all_cells = methods.own_cells, methods.own_cells

--- self:part(s) returns the elements of this process, a stream; self:rows(s) those of a stream of the whole grid.
function methods.part(_, s)
    return s
end
methods.rows = methods.part

--- self:largest(s) sets s, a stream of one number, to the largest value of all processes, and self:sum(s) to the sum.
-- self:add(totals, places) adds up the
-- 64-bit integers of all processes. self:changed(s) declares that self:part(s) was written.
function methods.largest() end
methods.sum, methods.add, methods.changed = methods.largest, methods.largest, methods.largest

--- grid.new(shape, spacing, sides, mac, slips [, on]) returns a grid. on: the option `on`. shape is in the order of
-- Lua; sizes, spacing and sides (each {low, high} of {mode =, velocity =}) are in the order of kernels, x first. slips:
-- walls do not affect the tangential velocity.
function grid.new(shape, spacing, sides, mac, slips, on)
    local rank = #shape
    local self = setmetatable({rank = rank, shape = shape, spacing = spacing, mac = mac, kinds = sides, closed = true},
        methods)
    self.sizes, self.padded, self.first, self.last, self.count = {}, {}, {}, {}, 1
    for d = 1, rank do
        self.sizes[d], self.count = shape[rank + 1 - d], self.count * shape[d]
        self.padded[d], self.first[d], self.last[d] = shape[d] + 2, 2, shape[d] + 1
    end
    self.module, self.on = on, provider.of(on)
    if self.on.divide then
        self.on.divide(self, "rill.fluid", sides[rank][1].mode == boundary.mode.periodic)
    end
    self.values = {__index = values_of(rank, mac, self.parts)}
    self.sides = sides_of(self, sides, slips)
    return self
end

return grid
