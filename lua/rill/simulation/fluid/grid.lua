-- The grid of a fluid: where values are stored, and boundary conditions.
--
-- Every field is stored in streams with one halo element on each side. Element i (0-based) of a dimension is cell i
-- (1-based); elements 0 and n + 1 are computed from the cells inside by the boundary conditions. On a MAC grid
-- (Harlow and Welch 1965) component k of the velocity is stored on the low face of its cell along dimension k, on a
-- collocated grid at the cell center. Kernels compute halo elements too, from the same values as the element inside,
-- so the halo needs no separate launch.
local rill = require "rill.core.public"
local boundary = require "rill.core.boundary"
local dimensions = require "rill.glsl.dimensions"
local template = require "rill.glsl.template"

local grid = {}

-- ---- templates

template.snippet("fluid_grid", template.file "grid")

-- Returns the template values of a grid in addition to the values of its dimensions: mac, and components, which have
-- `across`: for each dimension, the offset of component k in cells (shift), and how many more faces than cells it has
-- (edge).
local function values_of(rank, mac)
    local values = {mac = mac, held = false, components = {}}
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

--- self:launch(kernel, arguments [, components]) calls a kernel with named arguments and the sides `s`. components:
-- arrays of streams, as {u = f.u} for the parameters u0, u1 (and u2).
local function launch(self, kernel, arguments, components)
    arguments.s = self.sides
    for name, list in pairs(components or {}) do
        local names = names_of[name]
        for k, s in ipairs(list) do
            arguments[names[k]] = s
        end
    end
    return kernel(arguments)
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
    return data
end

-- ---- fields

--- self:field(type) returns a stream with halo. It has the boundary mode "clamp", because kernels read elements
-- beyond the halo at the high sides; the results are not used.
local function field(self, type)
    return rill.stream(type or "float", self.padded):boundary "clamp"
end

--- self:fields(count) returns an array of streams of floats. Default: one per component.
local function fields(self, count)
    local list = {}
    for k = 1, count or self.rank do
        list[k] = field(self)
    end
    return list
end

--- self:cells(s) returns a view of the cells of such a stream, without the halo.
local function cells(self, s)
    return s:domain(self.first, self.last)
end

local methods = {program = program, launch = launch, field = field, fields = fields, cells = cells}
methods.__index = methods

--- grid.new(shape, spacing, sides, mac, slips) returns a grid. shape is in the order of Lua; sizes, spacing and
-- sides (each {low, high} of {mode =, velocity =}) are in the order of kernels, x first. slips: walls do not affect
-- the tangential velocity.
function grid.new(shape, spacing, sides, mac, slips)
    local rank = #shape
    local self = setmetatable({rank = rank, shape = shape, spacing = spacing, mac = mac, kinds = sides, closed = true},
        methods)
    self.sizes, self.padded, self.first, self.last, self.count = {}, {}, {}, {}, 1
    for d = 1, rank do
        self.sizes[d], self.count = shape[rank + 1 - d], self.count * shape[d]
        self.padded[d], self.first[d], self.last[d] = shape[d] + 2, 2, shape[d] + 1
    end
    self.values = {__index = values_of(rank, mac)}
    self.sides = sides_of(self, sides, slips)
    return self
end

return grid
