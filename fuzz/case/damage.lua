-- Generates damaged files. Loading must raise an error or return a stream that can be read. It must not use more
-- memory than the file justifies, and if the format has a checksum that was not adapted, must return the original
-- values or raise an error.
local rill = require "rill"
local source = require "fuzz.support.source"

local damage = {batch = 60}

local formats = {
    {"npy", {"float", "int", "uint8", "double", "half", "bool", "vec3"}}, {"rill", {"float", "vec3", "half",
        "unorm8x4", "bool", "P"}},
    {"png", {"float", "vec3", "vec4", "uint8", "uint16"}}, {"ppm", {"vec3", "uint8"}}, {"pgm", {"uint8", "float"}},
        {"pfm", {"float"}},
}

-- All other image formats.
local named = {}
for _, row in ipairs(formats) do
    named[row[1]] = true
end
for _, format in ipairs(rill.image.formats()) do
    if not named[format.extension] then
        formats[#formats + 1] = {format.extension, {"vec3", "float"}}
    end
end

local texts = {"-", "9", "99999999999", "\n", " ", "#", "'", "(", ")", ",", "\0", "e9", "4294967296", "0"}

local function edit(d)
    local kind = d:pick {"set", "word", "cut", "remove", "repeat", "insert"}
    -- Headers are short, so positions near the beginning are drawn more often.
    local at = d:chance(1, 3) and d:below(3000) or d:below(140)
    local value = d:below(256)
    if kind == "word" then
        value = d:pick {0, 1, 0xffffffff, 0x7fffffff, 0x80000000, 0x10000, 0xff, d:below(1 << 32)}
    elseif kind == "insert" then
        value = d:pick(texts)
    end
    return ("{%q, %d, %s}"):format(kind, at, type(value) == "string" and ("%q"):format(value):gsub("\\\n", "\\n")
        or value)
end

local FRAME = [[
local mutation = require "fuzz.support.mutation"
local P = rill.struct("P", "vec3 at; int n;")
local s = rill.stream(%s, %s, %s)
local base = os.tmpname()
local path = base .. ".%s"
local load, save = %s
save(s, path)
local right = load(path):bytes()
local bytes = mutation.read(path)
local changed = mutation.edited(bytes, {%s})
local repaired = %s
mutation.write(path, repaired and mutation.repaired(%q, changed) or changed)
local before = mutation.peak()
local good, result = pcall(load, path%s)
local after = mutation.peak()
os.remove(base)
os.remove(path)
if good then
    local got = result:bytes()
    assert(#got <= 64 * #changed + 65536, "more values than the file can hold")
    if %s and changed ~= bytes and not repaired or changed == bytes then
        assert(got == right%s, "other values, and no error")
    end
else
    assert(type(result) == "string" and #result < 4000)
end
if before then
    assert(after - before < 65536, "took " .. after - before .. " KB")
end
]]

local function script(d)
    local row = d:pick(formats)
    local format, types = table.unpack(row)
    local type = d:pick(types)
    local picture = format ~= "npy" and format ~= "rill"
    local shape = (picture or d:chance(1, 2)) and {d:int(1, 9), d:int(1, 9)} or {d:int(0, 30)}
    local n = source.size(shape)
    local init = type == "P" and "{at = {1, 2, 3}, n = 4}" or type == "bool" and "true" or type:find "^vec4"
        and "{0.25, 0.5, 0.75, 1}"
        or type:find "^vec" and "{0.25, 0.5, 1}" or type == "unorm8x4" and "{0, 0.2, 1, 1}"
        or ("function(i, j) return (i * 7 + (j or 1)) %% %d end"):format(type == "float" and picture and 2 or 100)
    local edits = d:many(1, 4, 1, function() return edit(d) end)
    local convert = d:chance(1, 4) and d:pick {"float", "int", "vec3", "uint8", "half", "vec4"}
    local checked = format == "rill" or format == "png" and n > 0
    return FRAME:format(type == "P" and "P" or ("%q"):format(type), source.list(shape), init, format,
        picture and "rill.image.load, rill.image.save" or "rill.load, s.save", table.concat(edits, ", "),
        tostring(d:chance(1, 2)), format, convert and (", %q"):format(convert) or "", tostring(checked
            and format == "rill"),
        convert and " or true" or "")
end

function damage.scripts(draws)
    local scripts = {}
    for i, d in ipairs(draws) do
        scripts[i] = script(d)
    end
    return scripts
end

return damage
