-- Materials and lights of rill.ray.trace: checks the options, and packs them for the kernels.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local models = require "rill.render.models"
local shading = require "rill.render.shading"
local fail <const> = errors.fail

local materials = {}

local WHERE <const> = "rill.ray.trace"

local function is_radiance(v)
    if type(v) == "number" then return option.is_finite(v) and v >= 0 end
    return option.is_vector(v, 3) and math.min(v[1], v[2], v[3]) >= 0
end

-- Returns three numbers of linear light for a number or a table of three.
local function radiance(v)
    return type(v) == "number" and {v, v, v} or v
end

--- materials.radiance_row: the row of an option that is an amount of light.
materials.radiance_row = {is_radiance, "a number, or three numbers, 0 or more"}

local TYPES <const> = {diffuse = 0, mirror = 1, glass = 2, emitter = 0}
local MATERIAL <const> = {
    type = option.words(TYPES, "diffuse"), color = models.color_row, emission = materials.radiance_row,
    ior = option.number(1.0, 10, 1.5), smooth = option.flag,
}
local COLORS <const> = {diffuse = {0.75, 0.75, 0.75}, mirror = {1, 1, 1}, glass = {1, 1, 1}, emitter = {0, 0, 0}}

--- materials.take(given, count) returns for each of `count` meshes a table {color, type, emission, ior, smooth}.
-- `given`: a material for all, a list with one per mesh, or nil.
function materials.take(given, count)
    local list = {}
    local several = given ~= nil and option.table[1](given) and (#given > 0)
    if given ~= nil and not option.table[1](given) then
        fail("%s: option 'materials': expected a table with a material, or a list of one per mesh, got %s", WHERE,
            errors.told(given))
    elseif several and (#given ~= count or not option.is_list(given)) then
        fail("%s: option 'materials': expected one material for each of the %d meshes of the scene, got %d", WHERE,
            count, #given)
    end
    for i = 1, count do
        local where = WHERE .. ": option 'materials'" .. (several and (": material %d"):format(i) or "")
        local m = several and given[i] or given or {}
        if not option.table[1](m) then
            fail("%s: expected a table such as {type = \"glass\"}, got %s", where, errors.told(m))
        end
        local taken = option.take(where, m, MATERIAL)
        list[i] = {
            color = shading.linear(models.color(taken.color) or COLORS[taken.type]), type = TYPES[taken.type],
            emission = radiance(taken.emission or taken.type == "emitter" and 1 or 0), ior = taken.ior,
            smooth = taken.smooth,
        }
    end
    return list
end

--- materials.stream(list) returns the materials as the kernels read them.
function materials.stream(list)
    local rows = {}
    for i, m in ipairs(list) do
        local c, e = m.color, m.emission
        rows[2 * i - 1], rows[2 * i] = {c[1], c[2], c[3], m.type}, {e[1], e[2], e[3], m.ior}
    end
    return rill.from(rows, "vec4")
end

local LIGHT <const> = {
    position = option.vector, direction = option.vector, color = materials.radiance_row, radius = option.not_negative,
}

--- materials.lights(given) returns the stream of lights, and their number.
function materials.lights(given)
    if given ~= nil and not option.is_list(given) then
        fail("%s: option 'lights': expected a list of lights, got %s", WHERE, errors.told(given))
    end
    local rows = {}
    for i, light in ipairs(given or {}) do
        local where <const> = ("%s: option 'lights': light %d"):format(WHERE, i)
        local taken = option.take(where, light, LIGHT)
        local place = taken.position or taken.direction
        if not place or taken.position and taken.direction then
            fail("%s: expected either 'position' or 'direction'", where)
        end
        local size = math.sqrt(place[1] ^ 2 + place[2] ^ 2 + place[3] ^ 2)
        if taken.direction and size == 0 then fail("%s: 'direction' has length 0", where) end
        local unit <const> = taken.direction and size or 1
        local color = radiance(taken.color or 1)
        rows[2 * i - 1] = {place[1] / unit, place[2] / unit, place[3] / unit, taken.radius or 0}
        rows[2 * i] = {color[1], color[2], color[3], taken.direction and 1 or 0}
    end
    return #rows > 0 and rill.from(rows, "vec4") or rill.stream("vec4", 2), #rows // 2
end

local function color_of(v)
    if is_radiance(v) then return radiance(v) end
    local c = type(v) == "string" and models.color(v)
    return c and shading.linear(c)
end

--- materials.background(value) returns the light from the horizon and from the zenith.
function materials.background(value)
    if value == nil then return {0, 0, 0}, {0, 0, 0} end
    local one = color_of(value)
    if one then return one, one end
    local pair = type(value) == "table" and #value == 2 and {color_of(value[1]), color_of(value[2])} or {}
    if #pair ~= 2 then
        fail("%s: option 'background': expected a color, an amount of light, or {horizon, zenith}, got %s", WHERE,
            errors.told(value))
    end
    return pair[1], pair[2]
end

return materials
