-- Lists the public names of the loaded module and of a value of each type. Names are written as "rill.stream",
-- "rill.image.load", "s.sum", "k.params"; the letters are those of lua/rill/shell/reference.lua. Needs the build
-- tree on the paths.
local files = require "tools.site.files"

local exports = {}

local function is_public(name)
    return type(name) == "string" and name:match "^%a" ~= nil
end

local function add_keys(into, prefix, value)
    for key in pairs(value) do
        if is_public(key) then into[prefix .. key] = true end
    end
    return into
end

--- Returns the set of the public keys of a table.
function exports.keys(value)
    return add_keys({}, "", value)
end

--- Returns the names that a value has: in its metatable, in the table that it indexes, and in the tables among the
--- upvalues of its indexing function.
function exports.members(value)
    local names = {}
    local meta = debug.getmetatable(value)
    local index = meta.__index
    add_keys(names, "", meta)
    if type(index) == "table" then add_keys(names, "", index) end
    for i = 1, type(index) == "function" and 255 or 0 do
        local name, upvalue = debug.getupvalue(index, i)
        if not name then
            break
        elseif type(upvalue) == "table" then
            add_keys(names, "", upvalue)
        end
    end
    return names
end

-- Returns a value of each type, by letter. "e", an expression, also has the names of a stream.
-- Without MPI, the names of rill.mpi cannot be enumerated.
local function has_mpi() return (pcall(require, "rill.mpi.core")) end

-- Returns values of the types of rill.mpi, by letter.
local function add_distributed(list)
    local rill, mpi = require "rill", require "rill.mpi"
    local positions, box = rill.stream("vec2", 1), {{0, 0}, {1, 1}}
    list.D = mpi.stream("float", 1)
    list.Q = mpi.particles {positions = positions, box = box}
    list.Y = mpi.smoke {shape = {4, 4}}
    list.Z = mpi.sph {positions = positions, box = box, radius = 1, sound = 1}
    return list
end

-- Without libwebsockets, the names of views cannot be enumerated.
local function has_live() return (pcall(require, "rill.live.core")) end

local function add_view(list)
    list.v = require "rill".live {port = 0, quiet = true}
    list.u = list.v:choice("a", {"b"})
    return list
end

local function samples()
    local rill = require "rill"
    local s, path = rill.stream("float", 1), os.tmpname()
    os.remove(path)
    s:save(path .. ".npy")
    local big = rill.big(path .. ".npy", {tile = 1})
    os.remove(path .. ".npy")
    local list = {
        rill = rill, s = s, e = s + 1, d = rill.device(), r = s:request(), m = s:map_cpu(), p = rill.progress(1),
        k = rill.kernel "kernel void f(float x<>, out float r<>) { r = x; }", a = rill.animate(path .. ".png"),
        t = rill.translator.pages {shape = 4, page = 2, capacity = 1},
        c = rill.virtual(rill.translator.pages {shape = 4, page = 2}, rill.physical("float", 2)),
        o = rill.array("float", 1):active(), n = rill.array("float", 1):snapshot(),
        A = rill.sparse.csr {shape = {1, 1}, offsets = {0, 1}, columns = {0}, values = {1}},
        F = rill.solve.lu(rill.stream("float", {1, 1}, 1)),
        h = rill.solve.hierarchy {shape = {1, 1}}, f = rill.fluid {shape = {1, 1}},
        W = rill.wave {shape = {1}}, H = rill.heat {shape = {1}},
        C = rill.cloth {shape = {1, 1}}, N = rill.nbody {positions = rill.stream("vec2", 1)},
        O = rill.optimize.sgd {s:copy()},
        K = rill.neighbors({1, 2}, {radius = 1}), M = rill.mesh.grid {}, T = rill.collide.bvh(rill.mesh.box()),
        S = rill.ray.scene(rill.mesh.box()),
        frame = rill.frame {x = s}, groups = rill.frame({x = s}):group "x",
        b = big, P = rill.sph {positions = rill.stream("vec2", 1), radius = 1, sound = 1},
    }
    list = has_mpi() and add_distributed(list) or list
    return has_live() and add_view(list) or list
end

-- Loads the public modules of lua/rill that are loaded at their first use: the modules that the manual names.
local function load_modules(rill)
    local manual = {}
    for _, path in ipairs(files.list("docs", "*.md")) do manual[#manual + 1] = files.read(path) end
    manual = table.concat(manual, "\n")
    for _, path in ipairs(files.lines "ls lua/rill/*.lua lua/rill/*/init.lua") do
        local name = path:match "^lua/rill/([^/]+)%.lua$" or path:match "^lua/rill/([^/]+)/init%.lua$"
        if name and name ~= "init" and manual:find("`rill%." .. name .. "%f[^%w_]") then
            local _ = (name ~= "mpi" or has_mpi()) and rill[name]
        end
    end
end

local made

local function sample(letter)
    made = made or samples()
    return made[letter]
end

--- Returns the set of names that can be enumerated: of the module, of its tables, and of a value of each type.
function exports.names()
    local names = {}
    load_modules(sample "rill")
    for key, value in pairs(sample "rill") do
        if is_public(key) and type(value) == "table" then
            add_keys(names, "rill." .. key .. ".", value)
        elseif is_public(key) then
            names["rill." .. key] = true
        end
    end
    for _, letter in ipairs {"s", "k", "d", "r", "p", "a", "t", "c", "o", "n"} do
        for name in pairs(exports.members(sample(letter))) do
            names[letter .. "." .. name] = true
        end
    end
    return names
end

--- Returns whether the name exists.
function exports.has(name)
    if not has_mpi() and (name:match "^rill%.mpi%." or name:match "^[DQYZ]%.") then
        return true
    elseif not has_live() and name:match "^[vu]%." then
        return true
    end
    local value = sample(name:match "^[^.]+")
    for key in name:gmatch "%.([^.]+)" do
        local found, member = pcall(function() return value[key] end)
        if not found or member == nil then return false end
        value = member
    end
    return true
end

return exports
