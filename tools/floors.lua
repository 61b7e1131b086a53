-- The rules of the house that a grep can check: floors.lua [ROOT]. Prints one line per breach and fails if there is any.

local root = arg[1] or "."
local breaches = 0

local function breach(path, line, format, ...)
    breaches = breaches + 1
    print(("%s:%d: %s"):format(path, line, format:format(...)))
end

local function set(...)
    local result = {}
    for _, name in ipairs {...} do
        result[name] = true
    end
    return result
end

local function find(where, test)
    local paths = {}
    local pipe = assert(io.popen(("cd '%s' && find %s %s 2>/dev/null | LC_ALL=C sort"):format(root, where, test)))
    for path in pipe:lines() do
        paths[#paths + 1] = path:gsub("^%./", "")
    end
    pipe:close()
    return paths
end

local function read(path)
    local file = assert(io.open(root .. "/" .. path, "rb"))
    local text = file:read "a"
    file:close()
    return text
end

local function blank(text)
    return (text:gsub("[^\n]", " "))
end

-- C with comments and the insides of literals blanked out, lines kept. `strings` keeps the literals.
local function strip_c(text, strings)
    local out, at = {}, 1
    while at <= #text do
        local from = text:find([=[[/"']]=], at)
        if not from then
            break
        end
        out[#out + 1] = text:sub(at, from - 1)
        local two, to = text:sub(from, from + 1), from
        if two == "/*" then
            to = select(2, text:find("*/", from + 2, true)) or #text
            out[#out + 1] = blank(text:sub(from, to))
        elseif two == "//" then
            to = (text:find("\n", from, true) or #text + 1) - 1
            out[#out + 1] = blank(text:sub(from, to))
        elseif two:sub(1, 1) == "/" then
            out[#out + 1] = "/"
        else
            local quote = two:sub(1, 1)
            to = from + 1
            while to <= #text and text:sub(to, to) ~= quote do
                to = to + (text:sub(to, to) == "\\" and 2 or 1)
            end
            out[#out + 1] = strings and text:sub(from, to) or blank(text:sub(from, to))
        end
        at = to + 1
    end
    out[#out + 1] = text:sub(at)
    return table.concat(out)
end

local function lines(text)
    local number, each = 0, (text .. "\n"):gmatch "([^\n]*)\n"
    return function()
        local line = each()
        if line then
            number = number + 1
            return number, line
        end
    end
end

-- ---- floors of the C sources

-- From the ground up; io stands beside them on base, and only the binding looks at it.
local floors = {"base", "gpu", "stream", "kernel", "primitive", "container", "solver", "binding"}
local below = {io = set("base", "io")}
for i, floor in ipairs(floors) do
    below[floor] = set(table.unpack(floors, 1, i))
end
below.binding.io = true

-- Rooms of a floor, from the ground up; "" is the floor's own folder. Those of one line stand side by side.
local rooms = {
    kernel = {{"text"}, {"dialect", "body"}, {"variant"}, {""}, {"launch"}},
    io = {{""}, {"mesh"}},
    primitive = {{"engine"}, {""}},
    binding = {{""}, {"values"}, {"streams"}, {"kernels"}, {"operations", "files", "containers"}},
}
local heights = {} -- floor -> room -> its height
for floor in pairs(below) do
    heights[floor] = {[""] = 1}
    for height, line in ipairs(rooms[floor] or {}) do
        for _, room in ipairs(line) do
            heights[floor][room] = height
        end
    end
end

-- "kernel/text/lexer.h" and "base/error.h" -> floor, room, file
local function place(name)
    local floor, rest = name:match "^([%w_]+)/(.+)$"
    if rest then
        local room, file = rest:match "^([%w_]+)/([%w_]+%.[ch])$"
        return floor, room or "", file or rest:match "^[%w_]+%.[ch]$"
    end
end

-- On these floors a file is one algorithm, format or userdata, and includes none of its siblings in its room ...
local apart = set("container", "solver", "io", "binding")
-- ... but for these: [includer] = headers, "*" is every file of the floor.
local exceptions = {
    -- What the files on kernels, on pictures, on translators and on containers share.
    binding = {["*"] = set("binding.h", "lua_kernel.h", "lua_picture.h", "lua_translator.h", "lua_container.h",
        "container_handle.h", "range_handle.h")},
    -- What kinds of translators share.
    container = {["*"] = set("translator.h", "translator_kind.h", "address_text.h", "range.h", "word_table.h",
        "growth.h", "frame_table.h", "paged.h", "pages.h", "adaptive.h", "tree.h", "tree_parts.h", "container.h",
        "container_parts.h", "frames.h", "page_list.h", "region.h"),
        tree_image = set("container_image.h"), page_replicas = set("page_overlap.h")},
    -- What formats share; and the one that picks the format, which may include any.
    io = {["*"] = set("byteorder.h", "colormap.h", "crc.h", "file.h", "image.h", "mesh_data.h", "text.h"),
        apng = set("png.h"), ply = set("ply_head.h"),
        mesh_file = setmetatable({}, {__index = function() return true end}),
        format = setmetatable({}, {__index = function() return true end})},
}

local allowed_generated = set("shaders_embedded.h", "openers.h")
local gl_words = {
    "%f[%w_]gl[A-Z]%w+%f[^%w_]", "%f[%w_]GL_[A-Z][%w_]*", "%f[%w_]GL%l+%f[^%w_]",
    "%f[%w_]egl[A-Z]%w*", "%f[%w_]EGL[A-Z_]%w*%f[^%w_]",
}
local includes = {} -- header -> {headers it includes}, to find circles

-- Constants that C and GLSL share stand below all floors.
local function shared_with_shaders(name)
    local file <close> = name:match "^shared/[%w_]+%.h$" and io.open(root .. "/shaders/" .. name)
    return file ~= nil
end

local function check_own_include(path, number, floor, room, name)
    if shared_with_shaders(name) then
        return
    end
    local to, there, file = place(name)
    if not file then
        if not allowed_generated[name] then
            breach(path, number, "include \"floor/%s\": an own header is included by its floor, room and name", name)
        end
        return
    end
    if not below[floor][to] then
        breach(path, number, "floor '%s' includes '%s', which is not below it", floor, name)
    elseif floor == to and room ~= there and (heights[floor][there] or math.huge) >= heights[floor][room] then
        breach(path, number, "room '%s' includes '%s', whose room is not below it", room, name)
    end
    local stem = path:match "([%w_]+)%.[ch]$"
    local listed = exceptions[floor] or {}
    local excepted = (listed["*"] or {})[file] or (listed[stem] or {})[file]
    if floor == to and room == there and apart[floor] and file ~= stem .. ".h" and not excepted then
        breach(path, number, "includes its sibling '%s'; exceptions are written down in tools/floors.lua", name)
    end
    if path:match "%.h$" then
        table.insert(includes[path], "src/" .. name)
    end
end

local function check_system_include(path, number, floor, name)
    if name:match "^E?GL/" or name:match "^KHR/" or name:match "^GLES" then
        if floor ~= "gpu" then
            breach(path, number, "<%s> outside src/gpu", name)
        end
    elseif name == "lua.h" or name == "lauxlib.h" or name == "lualib.h" then
        if floor ~= "binding" then
            breach(path, number, "<%s> outside src/binding", name)
        end
    elseif name:match "/" and not name:match "^sys/" then
        breach(path, number, "<%s>: a library this check does not know", name)
    end
end

local function check_c_file(path, floor, room)
    local text = read(path)
    includes[path] = {}
    for number, line in lines(strip_c(text, true)) do
        local own, system = line:match '^%s*#%s*include%s+"([^"]+)"', line:match "^%s*#%s*include%s+<([^>]+)>"
        if own then
            check_own_include(path, number, floor, room, own)
        elseif system then
            check_system_include(path, number, floor, system)
        end
    end
    for number, line in lines(strip_c(text)) do
        for _, word in ipairs(floor ~= "gpu" and not line:match "^%s*#%s*include" and gl_words or {}) do
            if line:match(word) then
                breach(path, number, "'%s' outside src/gpu", line:match(word))
                break
            end
        end
        if floor ~= "binding" and line:match "%f[%w_]luaL?_%w+" then
            breach(path, number, "'%s' outside src/binding", line:match "%f[%w_]luaL?_%w+")
        end
    end
end

-- Headers that include each other in a circle: include guards hide it.
local function check_circles()
    local state = {}
    local function visit(path, from)
        if state[path] == "open" then
            breach(from, 1, "includes '%s' in a circle", path)
        elseif not state[path] then
            state[path] = "open"
            for _, header in ipairs(includes[path] or {}) do
                visit(header, path)
            end
            state[path] = "done"
        end
    end
    for _, path in ipairs(find("src", "-name '*.h'")) do
        visit(path, path)
    end
end

local function check_sources()
    for _, path in ipairs(find("src", "-type f")) do
        local floor, room, file = place(path:match "^src/(.*)$")
        if not file then
            breach(path, 1, "sources are src/FLOOR/name.c or src/FLOOR/ROOM/name.c, and .h")
        elseif not below[floor] then
            breach(path, 1, "there is no floor '%s'", floor)
        elseif not heights[floor][room] then
            breach(path, 1, "floor '%s' has no room '%s'; rooms are listed in tools/floors.lua", floor, room)
        else
            check_c_file(path, floor, room)
        end
    end
    check_circles()
end

-- ---- Lua: only the public module, and each directory's own support

-- rill and its modules; what they share stands in folders, and is for them and their specs.
local function public(name)
    return name == "rill" or name:match "^rill%.[%w_]+$" ~= nil and name ~= "rill.core"
end

local function own(name)
    return name == "rill" or name:match "^rill%.[%w_.]+$" ~= nil
end

local may_require = {
    lua = own,
    examples = public,
    bin = public,
    spec = function(name)
        return own(name) or name:match "^spec%.support" ~= nil or name == "busted" or name == "luassert"
    end,
    fuzz = function(name)
        return own(name) or name:match "^spec%.support" ~= nil or name:match "^fuzz%." ~= nil
    end,
    bench = function(name)
        return public(name) or name:match "^bench%.support" ~= nil or name == "peer"
    end,
}

local function check_lua()
    for directory, allowed in pairs(may_require) do
        for _, path in ipairs(find(directory, "-type f \\( -name '*.lua' -o -path 'bin/*' \\)")) do
            for number, line in lines(read(path)) do
                for name in line:gsub("%-%-.*", ""):gmatch "%f[%w_]require%f[^%w_]%s*%(?%s*[\"']([^\"']+)[\"']" do
                    if not allowed(name, path) then
                        breach(path, number, "%s/ requires only the public module and its own support, not '%s'",
                            directory, name)
                    end
                end
            end
        end
    end
end

-- ---- shaders

local function check_shaders()
    for _, path in ipairs(find("shaders", "-type f")) do
        for number, line in lines(read(path)) do
            local name = line:match '^%s*#%s*%l+%s+["<]([^">]+)[">]'
            if name and path:match "^shaders/shared/" then
                breach(path, number, "a shared shader imports nothing, not '%s'", name)
            elseif name and not name:match "^shared/[%w_]+%.glsl$" and not name:match "^shared/[%w_]+%.h$" then
                breach(path, number, "imports '%s': shaders import only shaders/shared/", name)
            end
        end
    end
end

-- ---- names

-- Names that a tool or Lua's own loader asks for may stand in several directories; specs have a reference of their own; and a
-- bench or an example may bear the name of the module it measures or shows.
local repeated = set("init.lua", ".gitignore", "README.md", "reference.lua", "horn.lua", "predication.lua", "blas.lua",
    "cg.lua", "cost.lua", "fluid.lua", "multigrid.lua", "collide.lua", "subdivide.lua", "geometry.lua")

local function check_names()
    local seen = {}
    local pruned = "-not -path './.git/*' -not -path './build*' -not -path './out/*' -not -path './lua_modules/*'"
    for _, path in ipairs(find(".", "-type f " .. pruned)) do
        local name = path:match "[^/]+$"
        if seen[name] and not repeated[name] then
            breach(path, 1, "'%s' has the same name; file names are unique in the tree", seen[name])
        end
        seen[name] = path
    end
end

check_sources()
check_lua()
check_shaders()
check_names()
if breaches > 0 then
    print(("floors: %d breaches of the rules of the house"):format(breaches))
    os.exit(false)
end
print "floors: ok"
