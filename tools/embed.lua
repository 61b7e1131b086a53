-- Turns shader files into C: embed.lua OUT FILE... writes OUT.c and OUT.h, an array of {name, text} that ends in NULLs.
-- A file's name is its path below shaders/.

local out = assert(arg[1], "usage: embed.lua OUT FILE...")

local function read(path)
    local file = assert(io.open(path, "rb"))
    local text = file:read "a"
    file:close()
    return text
end

local function write(path, text)
    local file = assert(io.open(path, "wb"))
    assert(file:write(text))
    assert(file:close())
end

-- Bytes, not a string literal: C11 promises no more than 4,095 characters in one.
local function bytes(text)
    local lines = {}
    for first = 1, #text, 24 do
        lines[#lines + 1] = "    " .. table.concat({text:byte(first, first + 23)}, ", ") .. ","
    end
    lines[#lines + 1] = "    0,"
    return table.concat(lines, "\n")
end

local texts, rows = {}, {}
for i = 2, #arg do
    local name = arg[i]:gsub("^shaders/", "")
    texts[#texts + 1] = ("static const char text_%d[] = {\n%s\n};\n"):format(i - 1, bytes(read(arg[i])))
    rows[#rows + 1] = ('    {"%s", text_%d},\n'):format(name, i - 1)
end

write(out .. ".h", [[
/* Generated from shaders/ by tools/embed.lua. */
#ifndef RILL_SHADERS_EMBEDDED_H
#define RILL_SHADERS_EMBEDDED_H

typedef struct EmbeddedShader {
    const char *name, *text; /* NULL, NULL: the end of the list */
} EmbeddedShader;

extern const EmbeddedShader shaders_embedded[];

#endif
]])
write(out .. ".c", '/* Generated from shaders/ by tools/embed.lua. */\n#include "shaders_embedded.h"\n\n'
    .. "#include <stddef.h>\n\n" .. table.concat(texts, "\n")
    .. "\nconst EmbeddedShader shaders_embedded[] = {\n" .. table.concat(rows)
    .. "    {NULL, NULL},\n};\n")
