-- The meshes to draw, given as meshes or tables of streams, and their appearance.
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local tables = require "rill.core.tables"
local types = require "rill.core.types"
local shading = require "rill.render.shading"
local fail <const> = errors.fail

local models = {}

local NAMES <const> = {
    black = "#000000", white = "#ffffff", gray = "#b4b7bc", red = "#d62728", green = "#2ca02c", blue = "#1f77b4",
    yellow = "#edc948",
    orange = "#ff7f0e", purple = "#9467bd", brown = "#8c564b", pink = "#f7a6c1", cyan = "#17becf", clay = "#c98f6b",
}

local names <const> = tables.keys(NAMES)

local function is_unit(v) return type(v) == "number" and v >= 0 and v <= 1 end

--- models.color(value) returns {red, green, blue} from 0 to 1 for "#rrggbb", a name or three numbers, else nil.
function models.color(value)
    local text = type(value) == "string" and (NAMES[value] or value)
    local r, g, b = (text or ""):match "^#(%x%x)(%x%x)(%x%x)$"
    if r then
        return {tonumber(r, 16) / 255, tonumber(g, 16) / 255, tonumber(b, 16) / 255}
    end
    return option.is_vector(value,
        3) and is_unit(value[1]) and is_unit(value[2]) and is_unit(value[3]) and value or nil
end

local function is_source(value)
    local kind = rill.type(value)
    return (kind == "stream" or kind == "expression") and not errors.not_open(value)
end
local COLOR <const> = '"#rrggbb", three numbers from 0 to 1, ' .. table.concat(names, ", ")

local colormaps = {}
for _, name in ipairs(core._colormaps) do colormaps[name] = true end

--- models.styles: rows for option.take of the options that each mesh may have. models.color_row: the row of a color.
models.color_row = {function(v) return models.color(v) ~= nil end, COLOR}
models.styles = {
    color = {function(v) return models.color(v) or is_source(v) end, COLOR .. ", or a stream"},
    colormap = option.words(colormaps),
    range = {function(v) return option.is_vector(v, 2) and v[1] < v[2] end,
        "{min, max}, min below max"},
    texture = {is_source, "an image, a stream {rows, columns} of float, vec3 or vec4"},
    opacity = {is_unit, "a number from 0 to 1"},
    shading = option.words {smooth = true, flat = true, wireframe = true, none = true},
    edges = {function(v) return type(v) == "boolean" or models.color(v) ~= nil end, "true, false, " .. COLOR},
}

-- ---- meshes

local function field(value, name)
    local done, found = pcall(function() return value[name] end)
    return done and found or nil
end

--- models.is_mesh(value) returns whether a value has streams of positions and triangles.
function models.is_mesh(value)
    local kind = rill.type(value)
    return type(value) == "table" and (not kind or kind == "mesh") and field(value,
        "positions") ~= nil and field(value, "triangles") ~= nil
end

local function stream_of(where, value, name, kind)
    local s = field(value, name)
    if errors.not_open(s) then
        fail("rill.render: %s: '%s': expected an open stream of %s, got %s", where, name, kind, errors.told(s))
    elseif s.type ~= kind or #s.shape ~= 1 then
        fail("rill.render: %s: '%s': expected %s in one dimension, got %s of shape %s", where, name, kind, s.type,
            table.concat(s.shape, "x"))
    end
    return rill.type(s) == "expression" and s:eval() or s
end

-- Returns a one-dimensional stream of data per vertex (per = 0), face (1) or corner (2).
local function attribute(where, mesh, s, name, kinds)
    local shape, vertices, faces = s.shape, mesh.positions.size, mesh.triangles.size
    local per = #shape == 1 and (shape[1] == vertices and 0 or shape[1] == faces and 1) or
        #shape == 2 and shape[1] == faces and shape[2] == 3 and 2
    if not per or not kinds[s.type] then
        fail("rill.render: %s'%s': expected %s per vertex {%d}, face {%d} or corner {%d, 3}, got %s of shape %s",
            where, name,
            kinds.words, vertices, faces, faces, s.type, table.concat(shape, "x"))
    end
    s = rill.type(s) == "expression" and s:eval() or s
    return {values = per == 2 and s:reshape(s.size) or s, per = per}
end

-- Returns the normals of a mesh, or computes them from its triangles.
local function normals_of(where, mesh, value)
    local given = field(value, "normals")
    given = type(given) == "function" and value:normals() or given
    if given then
        return attribute(where .. ": ", mesh, given, "normals", {vec3 = true, words = "vec3"})
    end
    return {values = shading.normals(mesh), per = 0}
end

-- ---- appearance

local function map_of(name)
    local bytes, colors = core._colormap(name), {}
    for i = 0, 255 do
        local r, g, b = bytes:byte(3 * i + 1, 3 * i + 3)
        colors[i + 1] = {r / 255, g / 255, b / 255}
    end
    return rill.from(colors, "vec3")
end

-- Returns how to color by a stream of vec3, or of numbers through a colormap, as {kernel =, per =, values =}: a part of
-- the shading kernel, whether its data is per vertex (0), face (1) or corner (2), and its arguments. Textures use the
-- same form.
local function stream_color(prefix, mesh, style)
    local color = style.color
    local info = types.scalar(color.type)
    if not info then
        local got = attribute(prefix, mesh, color, "color", {vec3 = true, words = "a number or vec3"})
        return {kernel = "painted", per = got.per, values = {colors = got.values}}
    end
    local got = attribute(prefix, mesh, color:cast "float", "color", {float = true, words = "a number or vec3"})
    local low, high = table.unpack(style.range or {})
    if not low then
        local stats = got.values.size > 0 and got.values:stats() or {}
        low, high = stats.min or 0, stats.max or 1
    end
    return {kernel = "mapped", per = got.per, values = {
        values = got.values, map = map_of(style.colormap or "viridis"), low = low,
        scale = 1 / (high > low and high - low or 1),
    }}
end

-- Conversions of texture images to vec3, by the type that kernels read.
local TEXTURES <const> = {
    float = function(s) return rill.image.convert(s, "gray", "srgb") end,
    vec3 = function(s) return s.type == "vec3" and s or s:cast "vec3" end,
    vec4 = function(s) return s.xyz end,
}

local function texture_of(where, prefix, mesh, value, style)
    local s, uv <const> = style.texture, field(value, "uv")
    local info <const> = types.list[s.type]
    local convert <const> = info and TEXTURES[info.seen]
    if not uv then
        fail("rill.render: %s'texture' needs texture coordinates, and the mesh has no 'uv'", prefix)
    elseif #s.shape ~= 2 or s.size == 0 or not convert then
        fail("rill.render: %s'texture': expected {rows, columns} of float, vec3 or vec4, got %s of shape %s", prefix,
            s.type, table.concat(s.shape, "x"))
    end
    local got = attribute(where .. ": ", mesh, uv, "uv", {vec2 = true, words = "vec2"})
    s = convert(s)
    s = (rill.type(s) == "expression" and s:eval() or s):boundary "wrap"
    return {kernel = "textured", per = got.per, values = {uv = got.values, texture = s}}
end

local DARK <const>, GRAY <const> = {0.13, 0.17, 0.23}, {0.72, 0.73, 0.75}

-- Returns a mesh with its appearance and the streams for drawing. own: the options given with the mesh itself, in
-- argument #1.
local function model(where, value, style, own)
    local function prefix(name) return own and own[name] ~= nil and where .. ": option " or "option " end
    local mesh = {
        positions = stream_of(where, value, "positions", "vec3"),
        triangles = stream_of(where, value, "triangles", "ivec3"),
        shading = style.shading or "smooth", opacity = style.opacity or 1,
    }
    local wire <const> = mesh.shading == "wireframe"
    mesh.edges = style.edges and shading.linear(models.color(style.edges == true and DARK or style.edges)) or nil
    mesh.constant = shading.linear(models.color(style.color) or style.texture and {1, 1, 1} or wire and DARK or GRAY)
    mesh.faces = mesh.triangles.size
    if mesh.faces > 0 and mesh.positions.size > 0 then
        mesh.paint = style.texture and texture_of(where, prefix "texture", mesh, value, style) or
            is_source(style.color) and stream_color(prefix "color", mesh, style) or nil
        mesh.normals = mesh.shading == "smooth" and normals_of(where, mesh, value) or {values = mesh.positions, per = 0}
    end
    return mesh
end

local function describe(value)
    return rill.type(value) == "mesh" and tostring(value) or errors.told(value)
end

-- Returns the model of a mesh, or of {mesh, color =, ...}, whose own options override `styles`.
local function entry(where, value, styles)
    if models.is_mesh(value) then
        return model(where, value, styles)
    elseif type(value) ~= "table" or rill.type(value) or not models.is_mesh(value[1]) then
        fail("rill.render: %s: expected a mesh, or {mesh, color = ...}, got %s", where, describe(value))
    end
    local own, both = {}, {}
    for key, v in pairs(value) do
        if key ~= 1 then own[key] = v end
    end
    own = option.take("rill.render: " .. where, own, models.styles)
    for name in pairs(models.styles) do
        both[name] = styles[name]
        if own[name] ~= nil then both[name] = own[name] end
    end
    return model(where, value[1], both, own)
end

-- Raises an error unless a list has only the keys 1 to n.
local function check_list(list)
    for key in pairs(list) do
        if math.type(key) ~= "integer" then
            fail("rill.render: argument #1 'm': a list of meshes has the key '%s': "
                .. "give options of one mesh in its entry, as in {{mesh, color = \"red\"}}, "
                .. "and options of all meshes in the second argument", tostring(key))
        elseif key < 1 or key > #list or list[key - 1] == nil and key > 1 then
            fail("rill.render: argument #1 'm': mesh %d of the list is missing", key > 1 and key - 1 or 1)
        end
    end
end

--- models.take(value, styles) returns the models of a mesh or a list, each with `base`, the index of its first face.
function models.take(value, styles)
    local meshes, base = {}, 0
    if models.is_mesh(value) then
        meshes[1] = entry("argument #1 'm'", value, styles)
    elseif type(value) ~= "table" or rill.type(value) or (#value == 0 and next(value) ~= nil) then
        fail("rill.render: argument #1 'm': expected a mesh or a list of meshes, got %s",
            describe(value))
    else
        check_list(value)
        for i, one in ipairs(value) do
            meshes[i] = entry(("argument #1 'm': mesh %d"):format(i), one, styles)
        end
    end
    for _, mesh in ipairs(meshes) do
        mesh.base, base = base, base + mesh.faces
    end
    return meshes
end

return models
