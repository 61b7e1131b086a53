-- The grid of a fluid: where its numbers stand, and what its sides do to them.
--
-- Every field is kept in streams that have one element more on each side than there are cells: element i (from 0) of a
-- dimension is cell i, and elements 0 and n + 1 are what the sides make of the cells within. On a MAC grid (Harlow and
-- Welch 1965) component k of the velocity stands on the low face of its cell across dimension k, on a collocated one
-- in the cell's middle. Kernels write the outer elements, too: such an element is computed as the one that it is made
-- of, so no field has to be completed by a launch of its own.
local rill = require "rill.core.public"
local boundary = require "rill.core.boundary"
local dimensions = require "rill.glsl.dimensions"
local template = require "rill.glsl.template"

local grid = {}

-- ---- texts

template.snippet("fluid_grid", template.file "grid")

-- What a text of a grid may use besides dimensions: mac, and components, the axes with `across`: for each dimension how far component k is
-- shifted along it, in cells, and how many faces more than cells it has.
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

--- self:program(text, values): the kernels of a template that begins with $use(fluid_grid). Its values are those of the grid and `values`.
local function program(self, text, values)
    return text:program(setmetatable(values or {}, self.values))
end

-- u -> {"u0", "u1", "u2"}
local names_of <const> = setmetatable({}, {__index = function(names, name)
    names[name] = {name .. 0, name .. 1, name .. 2}
    return names[name]
end})

--- self:launch(kernel, arguments [, components]): calls a kernel with named arguments and the sides `s`. components: arrays of streams, {u = f.u} for the
-- parameters u0, u1 (and u2).
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

-- What a side does to the component k across dimension d: an outer element is sign times the one within, plus add.
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

-- What struct Sides holds: vectors over the dimensions. `held`: whether pressure outside is that within, or 0.
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

--- self:field(type): a stream with its outer elements. What is beyond these is the nearest of them, and that is said: at the high sides kernels
-- compute with elements there that count nothing.
local function field(self, type)
    return rill.stream(type or "float", self.padded):boundary "clamp"
end

--- self:fields(count): an array of streams of floats, one per component unless told.
local function fields(self, count)
    local list = {}
    for k = 1, count or self.rank do
        list[k] = field(self)
    end
    return list
end

--- self:cells(s): the cells of such a stream, a view.
local function cells(self, s)
    return s:domain(self.first, self.last)
end

local methods = {program = program, launch = launch, field = field, fields = fields, cells = cells}
methods.__index = methods

--- grid.new(shape, spacing, sides, mac, slips): a grid. Of its arrays shape is in the order of Lua, the others are in
-- that of kernels, x first: sizes, spacing, sides (each {low, high} of {mode=, velocity=}). `slips`: walls do not hold
-- what flows along them.
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
