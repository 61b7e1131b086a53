-- Annotations for LuaLS, made of lua/rill/shell/reference.lua: annotations.lua OUT writes them, annotations.lua --check fails, naming each,
-- when
--   the module has a name without a line in the reference, or a line there has no name in the module;
--   a public name occurs in no spec, or not in the code of the page that the reference gives for it.
-- The layout is LuaCATS's: one file per module under a folder `library`, to be named in `Lua.workspace.library`. Needs the build
-- tree on the paths to check, and only its Lua to write.
local exports = require "tools.exports"
local files = require "tools.site.files"
local reference = require "rill.shell.reference"

-- The classes, by the letter that stands for their values in signatures; those of "s" that read are an expression's too.
local classes = {
    s = "source", e = "expression", k = "kernel", d = "device", r = "request", m = "map", p = "progress",
    a = "animation", t = "translator", c = "container", o = "range", n = "snapshot", A = "matrix",
    F = "factors", h = "hierarchy", f = "fluid", P = "particles", W = "wave", H = "heat", C = "cloth", N = "nbody",
    M = "mesh", T = "tree",
}

-- What an expression has not: these write.
local writers = {write = true, set = true, fill = true, close = true, map_cpu = true}

-- Calls beside those of a signature.
local overloads = {
    ["s:scan"] = "fun(self: rill.source, options: {exclusive?: boolean, reverse?: boolean, axis?: integer, " ..
        "segments?: rill.source|integer[]}): rill.stream",
}

local head = [=[
---@meta rill
-- Made by tools/annotations.lua from lua/rill/shell/reference.lua and the rows in lua/rill/algebra/rows: change those.

---What streams and expressions have in common.
---@class rill.source
---@field x rill.expression
---@field y rill.expression
---@field z rill.expression
---@field w rill.expression
---@field xy rill.expression
---@field xyz rill.expression
---@field r rill.expression
---@field g rill.expression
---@field b rill.expression
---@field a rill.expression
---@field rgb rill.expression
---@field [integer] any
---@operator add(rill.operand): rill.expression
---@operator sub(rill.operand): rill.expression
---@operator mul(rill.operand): rill.expression
---@operator div(rill.operand): rill.expression
---@operator idiv(rill.operand): rill.expression
---@operator mod(rill.operand): rill.expression
---@operator pow(rill.operand): rill.expression
---@operator band(rill.operand): rill.expression
---@operator bor(rill.operand): rill.expression
---@operator shl(rill.operand): rill.expression
---@operator shr(rill.operand): rill.expression
---@operator bnot: rill.expression
---@operator unm: rill.expression
---@operator len: integer
%s
local source = {}

---An array on the device.
---@class rill.stream: rill.source
local stream = {}

---Arithmetic that runs when it is used.
---@class rill.expression: rill.source
local expression = {}

---A compiled kernel: called with its arguments in order, or with one table of them by name.
---@class rill.kernel
---@overload fun(...: any): any, any, any, any
%s
local kernel = {}

---A device.
---@class rill.device
%s
local device = {}

---A read-back in flight.
---@class rill.request
local request = {}

---The elements of a stream as an array of the host.
---@class rill.map
---@field [integer] any
---@operator len: integer
local map = {}

---A progress bar.
---@class rill.progress
local progress = {}

---An animation in the making.
---@class rill.animation
local animation = {}

---Where the addresses of a virtual domain stand in memory.
---@class rill.translator
%s
local translator = {}

---A virtual domain whose elements stand in memory where a translator says.
---@class rill.container
%s
local container = {}

---What a launch runs over.
---@class rill.range
%s
local range = {}

---What a container held.
---@class rill.snapshot
local snapshot = {}

---A sparse matrix.
---@class rill.matrix
%s
local matrix = {}

---Factors of a dense matrix.
---@class rill.factors
%s
local factors = {}

---The grids of multigrid.
---@class rill.hierarchy
%s
local hierarchy = {}

---A fluid.
---@class rill.fluid
%s
local fluid = {}

---Particles of a fluid.
---@class rill.particles
%s
local particles = {}

---A wave on a grid.
---@class rill.wave
%s
local wave = {}

---Heat on a grid.
---@class rill.heat
%s
local heat = {}

---A cloth of particles.
---@class rill.cloth
%s
local cloth = {}

---Bodies that attract each other.
---@class rill.nbody
%s
local nbody = {}

---A surface of triangles.
---@class rill.mesh
%s
local mesh = {}

---A tree of boxes over the triangles of a mesh.
---@class rill.tree
%s
local tree = {}

---A structure type.
---@class rill.struct
---@field name string
---@field fields table
---@field nbytes integer

---What rill.profile reports: rows, longest first.
---@class rill.report
---@field [integer] table
---@field time number
---@field device_time number
---@field host_time number
---@field compile_time number
---@field compiled integer
---@field launches integer
---@field peak integer
---@field copy_rate number

]=]

local kinds = {}
for word in ("stream expression kernel device request map progress animation translator container range snapshot " ..
    "matrix factors hierarchy fluid particles wave heat cloth nbody mesh tree struct report"):gmatch "%a+" do
    kinds[word] = true
end

-- A type of a signature in LuaLS's words. A name before a colon is a key, not a type.
local function luals_type(text)
    return (text:gsub("(%f[%a][%a_]+)(%??:?)", function(word, mark)
        if mark:match ":" then return nil end
        return (kinds[word] or reference.aliases[word]) and "rill." .. word .. mark or nil
    end))
end

-- The name as the module and exports.lua write it: with dots.
local function dotted(entry)
    return (entry.name:gsub(":", "."))
end

local function public_entries()
    local list = {}
    for _, entry in ipairs(reference.entries()) do
        if not entry.language then list[#list + 1] = entry end
    end
    return list
end

-- The lines `---@field` of the fields whose names start so.
local function fields(letter)
    local lines = {}
    for _, entry in ipairs(public_entries()) do
        local name = entry.name:match("^" .. letter .. "%.([%w_]+)$")
        if name and entry.type then
            lines[#lines + 1] = ("---@field %s %s # %s"):format(name, luals_type(entry.type), entry.summary)
        end
    end
    return table.concat(lines, "\n")
end

-- What the name is defined on: "source:sum", "rill.image.load".
local function target(entry)
    local letter, name = entry.name:match "^(%a):(.+)$"
    if not letter then return entry.name end
    return ((letter == "s" and writers[name]) and "stream" or classes[letter]) .. ":" .. name
end

local function function_text(entry)
    local lines, names = {"---" .. entry.summary, ("---See docs/%s.md."):format(entry.page)}, {}
    for _, parameter in ipairs(entry.params) do
        names[#names + 1] = parameter.name
        local mark = parameter.optional and "?" or ""
        lines[#lines + 1] = ("---@param %s%s %s"):format(parameter.name, mark, luals_type(parameter.type))
    end
    for _, result in ipairs(entry.returns) do
        lines[#lines + 1] = "---@return " .. (result == "..." and "any ..." or luals_type(result))
    end
    lines[#lines + 1] = overloads[entry.name] and "---@overload " .. overloads[entry.name]
    lines[#lines + 1] = ("function %s(%s) end\n"):format(target(entry), table.concat(names, ", "))
    return table.concat(lines, "\n")
end

-- A part of the module that is also called, as a type of function; "" for others.
local function call_of(group)
    for _, entry in ipairs(public_entries()) do
        if entry.name == group then
            local names = {}
            for i, parameter in ipairs(entry.params) do
                local mark = parameter.optional and "?" or ""
                names[i] = ("%s%s: %s"):format(parameter.name, mark, luals_type(parameter.type))
            end
            return ("---@overload fun(%s): %s # %s\n"):format(table.concat(names, ", "), luals_type(entry.returns[1]),
                entry.summary)
        end
    end
    return ""
end

-- "rill.image" of "rill.image.load".
local function group_of(entry)
    return entry.name:match "^(rill%.%w+)%.%w+$"
end

-- The class of a module, which may have the name of the objects that it makes.
local function module_class(group)
    for _, class in pairs(classes) do
        if group == "rill." .. class then return group .. ".module" end
    end
    return group
end

local function annotations()
    local groups = {}
    for _, entry in ipairs(public_entries()) do groups[group_of(entry) or false] = true end
    local parts = {head:format(fields "s", fields "k", fields "d", fields "t", fields "c", fields "o", fields "A",
        fields "F", fields "h", fields "f", fields "P", fields "W", fields "H", fields "C", fields "N",
        fields "M", fields "T")}
    for _, name in ipairs(files.sorted_keys(reference.aliases)) do
        if name ~= classes.s then -- which is a class above
            parts[#parts + 1] = ("---@alias rill.%s %s\n"):format(name, luals_type(reference.aliases[name]))
        end
    end
    parts[#parts + 1] = "\n---Streams and kernels on a GPU, headless.\n---@class rill\nlocal rill = {}\n\n"
    local tables = {}
    for _, entry in ipairs(public_entries()) do
        local group = group_of(entry)
        if group and not tables[group] then
            tables[group] = true
            parts[#parts + 1] = ("---@class %s\n%s%s = {}\n\n"):format(module_class(group), call_of(group), group)
        end
        if entry.params and not groups[entry.name] then
            parts[#parts + 1] = function_text(entry) .. "\n"
        elseif entry.type and entry.name:match "^rill%." then
            local form = "---%s\n---@type %s\n%s = nil\n\n"
            parts[#parts + 1] = form:format(entry.summary, luals_type(entry.type), entry.name)
        end
    end
    parts[#parts + 1] = "return rill\n"
    return table.concat(parts)
end

-- ---- checking

local faults = 0

local function fault(format, ...)
    faults = faults + 1
    print("annotations: " .. format:format(...))
end

-- The names that a file of annotations declares, with the letters of the reference.
local function annotated(text)
    local letters, names, class = {stream = "s"}, {}, nil
    for letter, name in pairs(classes) do letters[name] = letter end
    for line in text:gmatch "[^\n]+" do
        local field = line:match "^%-%-%-@field ([%w_]+) .* # "
        local owner, member = line:match "^function ([%w_.]+)[.:]([%w_]+)%("
        class = line:match "^%-%-%-@class rill%.(%w+)" or class
        if owner then
            names[(letters[owner] or owner) .. "." .. member] = true
        elseif field and letters[class] then
            names[letters[class] .. "." .. field] = true
        end
        local constant = line:match "^(rill%.[%w_]+) = nil$"
        if constant then names[constant] = true end
    end
    return names
end

local function words_of(paths)
    local words = {}
    for _, path in ipairs(paths) do
        for word in files.read(path):gmatch "[%a_][%w_]*" do words[word] = true end
    end
    return words
end

local LINES <const> = "lua/rill/shell/reference.lua"

local function check()
    local names = annotated(annotations())
    for _, name in ipairs(files.sorted_keys(names)) do
        if not exports.has(name) then fault("%s has a line in %s, and is not in the module", name, LINES) end
    end
    for _, name in ipairs(files.sorted_keys(exports.names())) do
        if not names[name] then fault("%s is in the module, and has no line in %s", name, LINES) end
    end
    local tested = words_of(files.lines "find spec -name '*.lua'")
    for _, entry in ipairs(public_entries()) do
        local word = entry.name:match "[%w_]+$"
        if not tested[word] then fault("%s is in no spec", dotted(entry)) end
        if not files.read(("docs/%s.md"):format(entry.page), true) then
            fault("%s: there is no page docs/%s.md", dotted(entry), entry.page)
        end
    end
    local outcome = faults == 0 and "annotations: ok, %d names" or "annotations: %d names, %d faults"
    print(outcome:format(#files.sorted_keys(names), faults))
    return faults == 0
end

if arg[1] == "--check" then
    os.exit(check())
end
files.make_folder(files.folder(arg[1]))
files.write(arg[1], annotations())
