-- Checks the order of the layers: layers.lua [ROOT]. A file may include or require files of its own directory and of
-- lower ones. Prints one line per violation, and fails if there is one. cycles.lua checks the dependencies of
-- functions in object files in the same way.

local files = require "tools.site.files"

local root = arg[1] or "."
local violations = 0

local function violation(path, line, format, ...)
    violations = violations + 1
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
    return files.lines("cd '%s' && find %s %s 2>/dev/null | LC_ALL=C sort", root, where, test)
end

local function read(path)
    return files.read(root .. "/" .. path)
end

local function blank(text)
    return (text:gsub("[^\n]", " "))
end

-- Returns C code with comments and literals blanked out, line by line. `strings` keeps the literals.
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

-- ---- layers of the C sources

-- From the lowest to the highest. Layers in one row do not depend on each other.
local layers = {
    {"base"}, {"io", "gpu"}, {"stream"}, {"kernel"}, {"primitive"}, {"linalg"}, {"container"}, {"binding"},
    {"mpi", "live"},
}

-- The directories of a layer, in the same order; "" stands for the files directly in the layer. A layer without a
-- row has no other directories.
local directories = {
    base = {{"thread"}, {""}},
    gpu = {{"context"}, {"memory"}, {"program"}, {"raster"}, {"driver_test"}, {""}},
    kernel = {{"text"}, {"tree"}, {"pass"}, {"check", "emit"}, {"variant"}, {""}, {"launch"}, {"host"}},
    primitive = {{"engine"}, {"reduction"}, {"sorting"}, {"indexed", "ray_tree", "vertex_cache"}},
    linalg = {{""}, {"fft", "dense"}},
    container = {
        {"storage"}, {"translator"}, {"page"}, {"region"}, {""}, {"transfer"}, {"pool"}, {"snapshot"}, {"tree"},
        {"kind"},
    },
    io = {{""}, {"image", "mesh", "array"}},
    binding = {{""}, {"values"}, {"streams"}, {"kernels"}, {"operations", "files", "containers"}},
}

local MOST_FILES <const> = 22 -- the maximum for one directory

local heights = {} -- layer -> {height, directories = {directory = height}}
for height, row in ipairs(layers) do
    for _, layer in ipairs(row) do
        heights[layer] = {height = height, directories = {}}
        for at, names in ipairs(directories[layer] or {{""}}) do
            for _, name in ipairs(names) do
                heights[layer].directories[name] = at
            end
        end
    end
end

-- "kernel/text/lexer.h" and "base/error.h" -> layer, directory, file
local function place(name)
    local layer, rest = name:match "^([%w_]+)/(.+)$"
    if rest then
        local directory, file = rest:match "^([%w_]+)/([%w_]+%.[ch])$"
        return layer, directory or "", file or rest:match "^[%w_]+%.[ch]$"
    end
end

-- Reports directories that contain more than MOST_FILES of `paths`.
local function check_counts(paths)
    local counts = {}
    for _, path in ipairs(paths) do
        local directory = path:match "^(.*)/"
        counts[directory] = (counts[directory] or 0) + 1
    end
    for directory, count in pairs(counts) do
        if count > MOST_FILES then
            violation(directory, 1, "has %d files: a directory of more than %d is split", count, MOST_FILES)
        end
    end
end

local allowed_generated = set("shaders_embedded.h", "openers.h", "reductions.h")
local gl_words = {
    "%f[%w_]gl[A-Z]%w+%f[^%w_]", "%f[%w_]GL_[A-Z][%w_]*", "%f[%w_]GL%l+%f[^%w_]",
    "%f[%w_]egl[A-Z]%w*", "%f[%w_]EGL[A-Z_]%w*%f[^%w_]",
}
local includes = {} -- header -> {headers it includes}, to find cycles

-- Constants that C and GLSL share are below all layers.
local function shared_with_shaders(name)
    local file <close> = name:match "^shared/[%w_]+%.h$" and io.open(root .. "/shaders/" .. name)
    return file ~= nil
end

local function check_own_include(path, number, layer, directory, name)
    if shared_with_shaders(name) then
        return
    end
    local to, there, file = place(name)
    if not file or not heights[to] then
        if not allowed_generated[name] then
            violation(path, number, "\"%s\": an own header is included by its layer, directory and name", name)
        end
        return
    end
    local from = layer .. (directory ~= "" and "/" .. directory or "")
    if layer ~= to and heights[to].height >= heights[layer].height then
        violation(path, number, "layer '%s' includes '%s', which is not below it", layer, name)
    elseif layer == to and directory ~= there then
        local known = heights[layer].directories
        if (known[there] or math.huge) >= known[directory] then
            violation(path, number, "directory '%s' includes '%s', which is not below it", from, name)
        end
    elseif to == "io" and layer ~= "io" and layer ~= "binding" and layer ~= "live" then
        violation(path, number, "layer '%s' includes '%s': only the binding and src/live use io", layer, name)
    elseif layer == "live" and to ~= "live" and to ~= "io" and to ~= "base" then
        violation(path, number, "src/live includes '%s', which is not part of its shared object", name)
    end
    if path:match "%.h$" then
        table.insert(includes[path], "src/" .. name)
    end
end

local function check_system_include(path, number, layer, name)
    if name:match "^E?GL/" or name:match "^KHR/" or name:match "^GLES" then
        if layer ~= "gpu" then
            violation(path, number, "<%s> outside src/gpu", name)
        end
    elseif name == "lua.h" or name == "lauxlib.h" or name == "lualib.h" then
        if layer ~= "binding" and layer ~= "mpi" and layer ~= "live" then
            violation(path, number, "<%s> outside src/binding", name)
        end
    elseif name:match "/" and not name:match "^sys/" and not (layer == "live" and name:match "^arpa/") then
        violation(path, number, "<%s>: a library this check does not know", name)
    end
end

local function check_c_file(path, layer, directory)
    local text = read(path)
    includes[path] = {}
    for number, line in lines(strip_c(text, true)) do
        local own, system = line:match '^%s*#%s*include%s+"([^"]+)"', line:match "^%s*#%s*include%s+<([^>]+)>"
        if own then
            check_own_include(path, number, layer, directory, own)
        elseif system then
            check_system_include(path, number, layer, system)
        end
    end
    for number, line in lines(strip_c(text)) do
        for _, word in ipairs(layer ~= "gpu" and not line:match "^%s*#%s*include" and gl_words or {}) do
            if line:match(word) then
                violation(path, number, "'%s' outside src/gpu", line:match(word))
                break
            end
        end
        if layer ~= "binding" and layer ~= "mpi" and layer ~= "live" and line:match "%f[%w_]luaL?_%w+" then
            violation(path, number, "'%s' outside src/binding", line:match "%f[%w_]luaL?_%w+")
        end
    end
end

-- Calls report(file, path) for each file that depends on itself. edges: file -> list of files.
local function find_cycles(edges, report)
    local state = {}
    local function visit(file, trail)
        if state[file] == "open" then
            report(file, trail .. file)
        elseif not state[file] then
            state[file] = "open"
            for _, name in ipairs(edges[file] or {}) do
                visit(name, trail .. file .. " -> ")
            end
            state[file] = "done"
        end
    end
    for _, file in ipairs(files.sorted_keys(edges)) do
        visit(file, "")
    end
end

local function check_sources()
    local paths = find("src", "-type f -not -name README.md")
    for _, path in ipairs(paths) do
        local layer, directory, file = place(path:match "^src/(.*)$")
        if not file then
            violation(path, 1, "sources are src/LAYER/name.c or src/LAYER/DIRECTORY/name.c, and .h")
        elseif not heights[layer] then
            violation(path, 1, "there is no layer '%s'", layer)
        elseif not heights[layer].directories[directory] then
            violation(path, 1, "layer '%s' has no directory '%s': see tools/layers.lua", layer, directory)
        else
            check_c_file(path, layer, directory)
        end
    end
    check_counts(paths)
    find_cycles(includes, function(path, trail) -- include guards hide such a cycle
        violation(path, 1, "files include each other in a cycle: %s", trail)
    end)
end

-- ---- Lua: only the public module, and each directory's support files

-- rill and its modules. Shared parts are in directories, and only rill and its specs may require them.
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
        -- Messages are timed below the public functions. Specs check the figures that bench/counts.lua prints.
        return public(name) or name:match "^bench%.support" ~= nil or name == "peer" or name:match "^rill%.mpi%." ~= nil
            or name:match "^spec%.support%.probe" ~= nil
    end,
}

local function check_lua()
    for directory, allowed in pairs(may_require) do
        for _, path in ipairs(find(directory, "-type f \\( -name '*.lua' -o -path 'bin/*' \\)")) do
            for number, line in lines(read(path)) do
                for name in line:gsub("%-%-.*", ""):gmatch "%f[%w_]require%f[^%w_]%s*%(?%s*[\"']([^\"']+)[\"']" do
                    if not allowed(name, path) then
                        violation(path, number, "%s/ requires only the public module and its own support, not '%s'",
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
                violation(path, number, "a shared shader imports nothing, not '%s'", name)
            elseif name and not name:match "^shared/[%w_]+%.glsl$" and not name:match "^shared/[%w_]+%.h$" then
                violation(path, number, "imports '%s': shaders import only shaders/shared/", name)
            end
        end
    end
end

-- ---- layers of the Lua modules

-- From the lowest to the highest: directories of lua/rill, and public modules directly in lua/rill or as the
-- init.lua of a directory. "solve/" is the directory, "solve" the module. Entries of one row do not depend on each
-- other, except algebra and its rows.
local lua_layers = {
    {"core"},
    {"glsl/snippets"}, {"glsl"},
    {"algebra", "algebra/rows"}, {"stream", "horn", "random"}, {"stream/numerical"},
    {"signal/"}, {"signal"},
    {"grad/kernel"}, {"parts"}, {"container"}, {"image"}, {"sparse/"}, {"sparse"}, {"geometry"}, {"reuse/"}, {"reuse"},
    {"geometry/mesh"}, {"geometry/subdivide", "geometry/collide", "geometry/points"}, {"geometry/envelope"}, {"mesh"},
    {"subdivide", "collide"}, {"points/"}, {"points"}, {"blas"}, {"optimize/"}, {"optimize"}, {"solve/"}, {"solve"},
    {"linalg/"}, {"linalg"},
    {"simulation"},
    {"simulation/particle", "simulation/fluid"},
    {"heat", "wave", "cloth", "sph", "nbody", "fluid"}, {"render/"}, {"render"}, {"ray/"}, {"ray"},
    {"render/volume"}, {"volume"},
    {"plot/"}, {"plot"}, {"show"}, {"animate"}, {"frame/"}, {"csv/", "npz/"}, {"csv", "npz"}, {"frame"}, {"big"},
    {"mpi/"}, {"mpi"},
    {"grad", "grad/rules"}, {"shell"}, {"live/"}, {"live"}, {"cost", "debug", "help", "profile", "repl", "selftest"},
    {"command"},
}
local lua_heights = {}
for height, row in ipairs(lua_layers) do
    for _, name in ipairs(row) do
        lua_heights[name] = height
    end
end

-- "rill.core.error" -> its index in lua_layers
local function lua_place(module)
    local directory = module:match "^rill%.(.*)%.[%w_]+$"
    if not directory then
        return module:match "^rill%.([%w_]+)$"
    end
    directory = directory:gsub("%.", "/")
    return lua_heights[directory .. "/"] and directory .. "/" or directory
end

-- Returns what a line depends on, as {module = true}: the modules that it requires, the name of a module that is
-- loaded later, and rill.NAME, which loads a public module.
local function lua_needs(line, modules)
    local needs = {}
    for name in line:gmatch "require%s*%(?[\"'](rill[%w_.]*)[\"']" do
        needs[name] = true
    end
    for name in line:gmatch "[\"'](rill%.[%w_]+%.[%w_.]+)[\"']" do
        needs[name] = modules[name] and true or nil
    end
    for name in line:gsub("[\"'][^\"']*[\"']", ""):gmatch "%f[%w_.]rill%.([%w_]+)" do
        needs["rill." .. name] = modules["rill." .. name] and true or nil
    end
    return needs
end

local function check_lua_layers()
    local modules, paths, edges = {}, find("lua", "-type f -name '*.lua'"), {}
    for _, path in ipairs(paths) do
        modules[path:match "^lua/(.*)%.lua$":gsub("/", "."):gsub("%.init$", "")] = path
    end
    modules.rill = nil -- depends on everything, and only public modules depend on it
    for module, path in pairs(modules) do
        local from = lua_place(module)
        edges[module] = {}
        if not lua_heights[from] then
            violation(path, 1, "'%s' has no place in `lua_layers` of tools/layers.lua", from)
        end
        local text = read(path):gsub("%-%-%b[]", blank):gsub("(%[(=*)%[.-%]%2%])", blank)
        for number, line in lines(lua_heights[from] and text or "") do
            for name in pairs(lua_needs(line:gsub("%-%-.*", ""), modules)) do
                local to = lua_place(name)
                if name == "rill" and module:match "%..*%." then
                    violation(path, number, "requires rill: a module in a directory requires rill.core.public")
                elseif modules[name] and name ~= module then
                    if lua_heights[to] > lua_heights[from] then
                        violation(path, number, "'%s' requires '%s', which is not below it", from, name)
                    end
                    table.insert(edges[module], name)
                end
            end
        end
    end
    find_cycles(edges, function(module, trail)
        violation(modules[module], 1, "modules need each other in a cycle: %s", trail)
    end)
    check_counts(find("lua", "-type f"))
end

check_sources()
check_lua()
check_shaders()
check_lua_layers()
if violations > 0 then
    print(("layers: %d violations"):format(violations))
    os.exit(false)
end
print "layers: ok"
