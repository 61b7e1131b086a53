-- Walls: planes, boxes and signed distances. A particle inside a wall is moved to its surface and beyond by
-- `restitution` times its depth. The velocity component into the wall is reflected, times the restitution (chapter
-- 28.7.2).
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local lattice = require "rill.stream.grid"
local option = require "rill.core.options"
local template = require "rill.glsl.template"
local vector = require "rill.core.vector"

local walls = {}

for name, text in pairs(template.sections "walls") do
    template.snippet("wall_" .. name, text)
end

--- walls.row: the row for option.take.
walls.row = {option.table[1], "a table of walls"}

local MOST_NODES <const> = 1 << 24 -- at which a distance function is called

-- ---- options

local function is_share(value)
    return type(value) == "number" and value >= 0 and value <= 1
end

local function is_distance(value)
    return type(value) == "function" or not errors.not_open(value)
end

local function rows_of(dimensions)
    local function is_vector(value)
        return option.is_vector(value, dimensions)
    end
    local function is_box(value)
        local box = type(value) == "table" and not rill.type(value) and #value == 2
        box = box and is_vector(value[1]) and is_vector(value[2])
        for d = 1, box and dimensions or 0 do
            box = box and value[1][d] < value[2][d]
        end
        return box
    end
    local point = {is_vector, ("a table of %d numbers"):format(dimensions)}
    local box = {is_box, ("a table of two corners of %d numbers, the lower one first"):format(dimensions)}
    local part = {is_share, "a number from 0 to 1"}
    return {
        restitution = part, friction = part, normal = point, point = point, box = box, obstacle = box, low = point,
        high = point, spacing = option.positive,
        distance = {is_distance, "an open stream or a function"},
    }
end

-- Planes and boxes become rows. Distance fields become lists of stream, corners, nodes per length, restitution and
-- friction.
local function add_row(self, wall, what, distance, middle, side)
    local list = self.rows
    list[#list + 1] = {what, wall.restitution or 0, wall.friction or 0, distance}
    list[#list + 1] = {middle[1], middle[2], middle[3] or 0, 0}
    list[#list + 1] = {side[1], side[2], side[3] or 0, 0}
end

local function add_normal(self, wall, where)
    local length, distance = vector.length(wall.normal), 0
    if length == 0 then
        errors.fail("%s: 'normal' is zero: expected a vector that points out of the wall", where)
    end
    local normal = vector.map(function(n) return n / length end, wall.normal)
    for d = 1, wall.point and self.dimensions or 0 do
        distance = distance + normal[d] * wall.point[d]
    end
    add_row(self, wall, 0, distance, normal, {0, 0})
end

-- A box that particles cannot leave consists of planes.
local function add_box(self, wall)
    local low, high = wall.box[1], wall.box[2]
    for d = 1, self.dimensions do
        local normal = {0, 0, 0}
        normal[d] = 1
        add_row(self, wall, 0, low[d], normal, {0, 0})
        normal[d] = -1
        add_row(self, wall, 0, -high[d], normal, {0, 0})
    end
end

local function add_obstacle(self, wall)
    local low, high = table.unpack(wall.obstacle)
    local side = vector.map(function(l, h) return (h - l) / 2 end, low, high)
    add_row(self, wall, 1, 0, vector.middle(low, high), side)
end

-- Returns a function's values at nodes from low to high, x fastest, at most `spacing` apart.
local function sampled(self, wall, where, spacing)
    local low, dimensions, shape, step, nodes = wall.low, self.dimensions, {}, {}, 1
    for d = 1, dimensions do
        local side = wall.high[d] - low[d]
        local parts = math.max(1, math.ceil(side / spacing))
        shape[dimensions + 1 - d], step[d], nodes = parts + 1, side / parts, nodes * (parts + 1)
    end
    if nodes > MOST_NODES then
        errors.fail("%s: 'distance' would be called at %.0f nodes: give a 'spacing' above %g", where, nodes, spacing)
    end
    local function value(x, y, z)
        local distance = wall.distance(x, y, z)
        if type(distance) ~= "number" or distance ~= distance then
            errors.fail("%s: 'distance' must return a number, and returned %s at (%g, %g)", where,
                errors.told(distance), x, y)
        end
        return distance
    end
    return lattice.sampled("float", shape, step, value, low)
end

local function given(self, wall, where)
    local s = rill.type(wall.distance) == "expression" and wall.distance:eval() or wall.distance
    if s.type ~= "float" or #s.shape ~= self.dimensions then
        errors.fail("%s: 'distance': expected a stream of float of %d dimensions, got one of %s of shape %s", where,
            self.dimensions, s.type, tostring(s.shape))
    end
    return s
end

local function add_distance(self, wall, where)
    if not (wall.low and wall.high) or not rows_of(self.dimensions).box[1] {wall.low, wall.high} then
        errors.fail("%s: 'distance' needs 'low' and 'high', the corners of its region, the lower one first",
            where)
    end
    local spacing = type(wall.distance) == "function" and (wall.spacing or self.radius / 4)
    local s, scale = spacing and sampled(self, wall, where, spacing) or given(self, wall, where), {}
    self.made[1 + #self.made] = spacing and s or nil
    for d = 1, self.dimensions do
        local size = s.shape[self.dimensions + 1 - d]
        if size < 2 then
            errors.fail("%s: 'distance': expected at least two nodes in every dimension, got shape %s", where,
                tostring(s.shape))
        end
        scale[d] = (size - 1) / (wall.high[d] - wall.low[d])
    end
    self.fields[#self.fields + 1] = {s, wall.low, wall.high, scale, wall.restitution or 0, wall.friction or 0}
end

local ADD <const> = {normal = add_normal, box = add_box, obstacle = add_obstacle, distance = add_distance}

--- walls.new(solver, list, dimensions, radius) returns the option `walls` of a solver as a table. `values`:
-- arguments by name for kernels that have $call(wall_inputs) among their parameters, and $call(wall_collide), which
-- moves `here` and changes `speed`, in their bodies. `made`: the streams created for them. `text`: their template
-- values.
function walls.new(solver, list, dimensions, radius)
    local self = {dimensions = dimensions, radius = radius, rows = {}, fields = {}, made = {}}
    for n, wall in ipairs(list) do
        local where = ("%s: wall %d"):format(solver, n)
        local taken, way = option.take(where, wall, rows_of(dimensions)), nil
        for name in pairs(ADD) do
            if taken[name] ~= nil then
                way = way and "" or name
            end
        end
        if not ADD[way] then
            errors.fail("%s: expected one of 'normal', 'box', 'obstacle' and 'distance'", where)
        end
        ADD[way](self, taken, where)
    end
    return walls.finish(self)
end

--- walls.finish(self) computes the arguments for the walls that were added, and returns self.
function walls.finish(self)
    local rows = #self.rows > 0 and self.rows or {{0, 0, 0, 0}}
    self.values = {wall_count = #self.rows // 3, wall = rill.from(rows, "vec4")}
    self.made[#self.made + 1] = self.values.wall
    self.text = {wall_list = #self.rows > 0, wall_fields = {}}
    for n, field in ipairs(self.fields) do
        self.text.wall_fields[n] = n
        for i, name in ipairs {"distance", "low", "high", "scale", "restitution", "friction"} do
            self.values[name .. "_" .. n] = field[i]
        end
    end
    return self
end

return walls
