-- Reads and writes files of points.
local rill = require "rill.core.public"
local core = require "rill.core"
local errors = require "rill.core.error"
local held = require "rill.core.scope"
local option = require "rill.core.options"
local vectors = require "rill.geometry.vectors"
local fail <const> = errors.fail

local files = {}

local function is_colored(path) return type(path) == "string" and path:lower():find "%.xyzrgb$" ~= nil end

-- ---- colors

local ROUNDED <const> = 0.5 / 255 -- colors so far outside of 0 .. 1 are rounded to 0 or 1

-- Returns the least and the largest finite component of colors; 0 and 0 if there are none.
local function range(colors)
    local own <close> = held {}
    own.finite = rill.where(rill.isnan(colors) | rill.isinf(colors), 0, colors):eval()
    if own.finite.size == 0 then return 0, 0 end
    local low, high = own.finite:min(), own.finite:max()
    return math.min(table.unpack(low)), math.max(table.unpack(high))
end

-- Returns colors in 0 .. 1, of which a few may be outside by rounding.
local function limited(colors, low, high)
    return (low < 0 or high > 1) and rill.clamp(colors, 0, 1):eval() or colors
end

-- Returns the colors of a file as numbers from 0 to 1. Whole numbers up to 255 are divided by 255.
local function normalized(where, path, colors)
    local low, high = range(colors)
    if low >= -ROUNDED and high <= 1 + ROUNDED then
        return limited(colors, low, high)
    end
    local own <close> = held {}
    own.scaled = (colors / 255):eval()
    own.whole = rill.floor(colors):eval()
    own.odd = (rill.isnan(colors) | own.whole:eq(colors)):eval()
    if low < 0 or high > 255 or not own.odd:all() then
        fail("%s: '%s' has colors from %g to %g: expected numbers from 0 to 1, or whole numbers from 0 to 255; " ..
            "rill.csv.load reads other columns", where, path, low, high)
    end
    local result <const> = own.scaled
    own.scaled = nil
    return result
end

-- ---- reading

local LOAD <const> = {
    type = option.choice({"float", "double"}, "float"), invalid = option.choice({"error", "drop", "keep"}, "error"),
}

-- Returns the streams of a file: points, normals and colors, or false.
local function read(where, path, taken)
    local loaded <const> = table.pack(pcall(core._mesh_load, path, false, where, taken.type == "double",
        taken.invalid ~= "error"))
    if not loaded[1] then
        local message <const> = loaded[2]:match "rill%.points%.load: .*$" or loaded[2]
        fail("%s%s", message, taken.invalid == "error" and message:find "vertex %d+ has a number that is not finite" and
            "; the option invalid = \"drop\" leaves such points out, \"keep\" keeps them" or "")
    end
    local points, triangles, normals, uv, colors = table.unpack(loaded, 2)
    triangles:close()
    if uv then uv:close() end
    if is_colored(path) and not colors then normals, colors = nil, normals end
    if normals and normals.shape ~= points.shape then -- one per face or corner of a mesh
        normals:close()
        normals = nil
    end
    return points, normals, colors
end

-- Returns the elements of streams for which all of them are finite.
local function finite(points, normals, colors)
    local bad = rill.isnan(points) | rill.isinf(points)
    for _, s in ipairs {normals or points, colors or points} do bad = bad | rill.isnan(s) | rill.isinf(s) end
    local good <close> = (~bad):eval()
    return points:filter(good), normals and normals:filter(good), colors and colors:filter(good)
end

--- rill.points.load(path, options) returns the points of a file, a stream of vec3 or dvec3, and a table of the streams
-- `normals` and `colors`. In files that end with .xyzrgb, numbers four to six are colors.
files.load = errors.guard(function(path, options)
    local where <const> = "rill.points.load"
    local taken <const> = option.take(where, options, LOAD)
    local points, normals, colors = read(where, path, taken)
    if taken.invalid == "drop" then points, normals, colors = finite(points, normals, colors) end
    return points, {normals = normals or nil, colors = colors and normalized(where, path, colors) or nil}
end, "rill.points.load")

-- ---- writing

local SAVE <const> = {
    normals = {option.is_data, "a stream of vec3, or a list"}, colors = {option.is_data, "a stream of vec3, or a list"},
    encoding = option.words {ascii = true, little = true, big = true},
}

-- Returns the colors of an option as numbers from 0 to 1.
local function colors_of(where, given, count)
    local colors <const> = vectors.each(where, "colors", given, count)
    local low, high = range(colors)
    if low < -ROUNDED or high > 1 + ROUNDED then
        fail("%s: option 'colors': expected numbers from 0 to 1, got %g to %g%s", where, low, high, low >= 0 and
            high > 1 and high <= 255 and ": (colors / 255):eval() converts 0 .. 255" or "")
    end
    return limited(colors, low, high)
end

--- rill.points.save(path, p, options) writes a file in the format of its extension, .ply or .xyz.
files.save = errors.guard(function(path, p, options)
    local where <const> = "rill.points.save"
    local taken <const> = option.take(where, options, SAVE)
    local points <const> = vectors.take(where, 2, "p", p, true)
    if #points.shape ~= 1 then
        fail("%s: argument #2 'p': expected a stream of one dimension, got shape {%s}", where,
            table.concat(points.shape, ", "))
    end
    if type(path) == "string" and not path:lower():find "%.ply$" and not path:lower():find "%.xyz$" then
        fail("%s: argument #1 'path': points are saved as .ply or .xyz, got '%s'", where, path)
    end
    local normals <const> = taken.normals and vectors.each(where, "normals", taken.normals, points.size) or false
    local colors <const> = taken.colors and colors_of(where, taken.colors, points.size) or false
    core._mesh_save(path, taken.encoding, points, false, normals, false, colors, where)
    for given, s in pairs {[p] = points, [taken.normals or 0] = normals, [taken.colors or 1] = colors} do
        if s and s ~= given then s:close() end
    end
end, "rill.points.save")

return files
