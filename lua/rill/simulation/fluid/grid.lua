-- The grid of a fluid: where its numbers stand, and what its sides do to them.
--
-- Every field is kept in streams that have one element more on each side than there are cells: element i (from 0) of a
-- dimension is cell i, and elements
-- 0 and n + 1 are what the sides make of the cells within. On a MAC grid (Harlow and Welch 1965) component k of the
-- velocity stands on the low
-- face of its cell across dimension k, on a collocated one in the cell's middle. Kernels write the outer elements,
-- too: such an element is computed
-- as the one that it is made of, so no field has to be completed by a launch of its own.
local rill = require "rill.core.public"
local boundary = require "rill.core.boundary"

local grid = {}

local AXES <const> = {"x", "y", "z"}

-- ---- texts

-- What every kernel text of a fluid begins with. `inside` brings a position, in cells from the low corner, back into
-- the domain.
local HEAD <const> = [=[
#define AT(s, i) ELEMENT
struct Sides { @{V low_sign#K; V low_add#K; V high_sign#K; V high_add#K;} V size; V wraps; V low_held; V high_held; V per; };
V inside(V x, Sides s) { return mix(clamp(x, V(0.0), s.size), x - s.size * floor(x / s.size), s.wraps); }
I folded(I i, I more, Sides s) {
    I n = I(s.size), wraps = I(s.wraps);
    return wraps * (i + n * (I(lessThan(i, I(1))) - I(greaterThan(i, n)))) + (1 - wraps) * clamp(i, I(1), n + more);
}
]=]

-- The element that component k at place i is made of, and what the sides make of its value.
local COMPONENT <const> = [=[
const V shift_K = V(SHIFT);
I fold_K(I i, Sides s) { return folded(i, I(MORE), s); }
float bounded_K(float value, I i, Sides s) {
    I n = I(s.size);
BOUNDS
    return value;
}
]=]

local BOUND <const> = [=[
    value = i.AXIS <= EDGE ? s.low_signK.AXIS * value + s.low_addK.AXIS : value;
    value = i.AXIS > n.AXIS ? s.high_signK.AXIS * value + s.high_addK.AXIS : value;
]=]

local function replaced(text, words)
    return (text:gsub("%f[%w_]%u+%f[^%w_]", words))
end

local function component(self, k)
    local shift, more, bounds = {}, {}, {}
    for d = 1, self.rank do
        local across = self.mac and d == k
        shift[d], more[d] = across and "1.0" or "0.5", across and "1" or "0"
        bounds[d] = replaced(BOUND:gsub("K%f[.]", k - 1), {AXIS = AXES[d], EDGE = across and "1" or "0"})
    end
    local text = COMPONENT:gsub("_K", "_" .. k - 1)
    return replaced(text, {
        SHIFT = table.concat(shift, ", "), MORE = table.concat(more, ", "), BOUNDS = table.concat(bounds),
    })
end

-- The text once for each component.
local function each(self, text, between)
    local list = {}
    for k = 1, self.rank do
        list[k] = replaced(text:gsub("#K", tostring(k - 1)), {AXIS = AXES[k], STEP = self.steps[k]})
    end
    return table.concat(list, between)
end

-- A text with `@{...}` once for each component, `@{, ...}` with commas between them.
local function expanded(self, text)
    return (text:gsub("@(%b{})", function(body)
        local comma, rest = body:sub(2, -2):match "^(,?)(.*)$"
        return each(self, rest, comma)
    end))
end

local made = {}

--- self:program(text): the kernels of a text. V and I are the vectors of the grid's rank, AT(s, i) is the element of a
-- gather at I i, FIELD the
-- brackets of a gather. `@{...}` stands once for each component, `@{, ...}` with commas between: #K is its number from
-- 0, AXIS its axis, STEP the
-- way to the next element along that.
local function program(self, text)
    local parts = {expanded(self, HEAD)}
    for k = 1, self.rank do
        parts[#parts + 1] = component(self, k)
    end
    parts[#parts + 1] = expanded(self, text)
    local full = replaced(table.concat(parts), self.words)
    made[full] = made[full] or rill.program(full)
    return made[full]
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

local methods = {program = program, field = field, fields = fields, cells = cells}
methods.__index = methods

--- grid.new(shape, spacing, sides, mac, slips): a grid. Of its arrays shape is in the order of Lua, the others are in
-- that of kernels, x first:
-- sizes, spacing, sides (each {low, high} of {mode=, velocity=}). `slips`: walls do not hold what flows along them.
function grid.new(shape, spacing, sides, mac, slips)
    local rank = #shape
    local self = setmetatable({rank = rank, shape = shape, spacing = spacing, mac = mac, kinds = sides, closed = true},
        methods)
    self.sizes, self.padded, self.first, self.last, self.steps, self.count = {}, {}, {}, {}, {}, 1
    for d = 1, rank do
        self.sizes[d], self.count = shape[rank + 1 - d], self.count * shape[d]
        self.padded[d], self.first[d], self.last[d] = shape[d] + 2, 2, shape[d] + 1
        local step = {0, 0, 0}
        step[d] = 1
        self.steps[d] = ("I(%s)"):format(table.concat(step, ", ", 1, rank))
    end
    self.words = {
        V = "vec" .. rank, I = "ivec" .. rank, FIELD = ("[]"):rep(rank), PLACE = rank == 2 and "xy" or "xyz",
        ELEMENT = rank == 2 and "s[(i).y][(i).x]" or "s[(i).z][(i).y][(i).x]",
    }
    self.sides = sides_of(self, sides, slips)
    return self
end

return grid
