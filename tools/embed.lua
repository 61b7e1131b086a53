-- Converts shader files to C: embed.lua OUT FILE... writes OUT.c and OUT.h. Files of shaders/ and shaders/shared/,
-- which C looks up by name, become an array of {name, text} that ends with NULLs; the name is the path below
-- shaders/. Each file of shaders/functions/, which C inserts into generated texts, becomes an array shader_NAME,
-- with its includes expanded and its comments removed.

local files = require "tools.site.files"

local out = assert(arg[1], "usage: embed.lua OUT FILE...")

-- Writes bytes, not a string literal: C11 guarantees only 4,095 characters in a literal.
local function bytes(text)
    local lines = {}
    for first = 1, #text, 24 do
        lines[#lines + 1] = "    " .. table.concat({text:byte(first, first + 23)}, ", ") .. ","
    end
    lines[#lines + 1] = "    0,"
    return table.concat(lines, "\n")
end

local function define(name, text)
    return ("const char %s[] = {\n%s\n};\n"):format(name, bytes(text))
end

local function whole(path)
    local text = files.read(path):gsub('#include "([^"]+)"\n', function(name) return files.read("shaders/" .. name) end)
    return (("\n" .. text):gsub("%s*//[^\n]*", ""):gsub("\n[\n%s]*\n", "\n"):gsub("^\n", ""))
end

local texts, rows, functions = {}, {}, {}
for i = 2, #arg do
    local name = arg[i]:gsub("^shaders/", "")
    local part = name:match "^functions/([%w_]+)%.glsl$"
    if part then
        texts[#texts + 1] = define("shader_" .. part, whole(arg[i]))
        functions[#functions + 1] = ("extern const char shader_%s[];\n"):format(part)
    else
        texts[#texts + 1] = "static " .. define("text_" .. i - 1, files.read(arg[i]))
        rows[#rows + 1] = ('    {"%s", text_%d},\n'):format(name, i - 1)
    end
end

files.write(out .. ".h", [[
/* Generated from shaders/ by tools/embed.lua. */
#ifndef RILL_SHADERS_EMBEDDED_H
#define RILL_SHADERS_EMBEDDED_H

typedef struct EmbeddedShader {
    const char *name, *text; /* NULL, NULL: the end of the list */
} EmbeddedShader;

extern const EmbeddedShader shaders_embedded[];

]] .. table.concat(functions) .. "\n#endif\n")
files.write(out .. ".c", '/* Generated from shaders/ by tools/embed.lua. */\n#include "shaders_embedded.h"\n\n'
    .. "#include <stddef.h>\n\n" .. table.concat(texts, "\n")
    .. "\nconst EmbeddedShader shaders_embedded[] = {\n" .. table.concat(rows)
    .. "    {NULL, NULL},\n};\n")
