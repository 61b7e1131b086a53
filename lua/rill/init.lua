--- rill: streams, kernels and reductions on a graphics device. What is written in C is rill.core, whose public names are here; Lua adds what is
-- easier said in Lua. A file beside this one is a module, rill.NAME, loaded when it is first named; what they share is in folders.
local core = require "rill.core"
local rill = require "rill.core.public"
local lazy = require "rill.core.lazy"
local suggest = lazy.module "rill.core.suggest"

local modules = {} -- files of functions that are loaded when they are first called

-- Gives each function of a file to `set`, with its name.
local function offer(set, module, ...)
    modules[#modules + 1] = module
    for _, name in ipairs {...} do
        set(name, lazy.call(module, name))
    end
end

local function set_function(name, f) rill[name] = f end
offer(set_function, "rill.stream.concat", "concat")
offer(set_function, "rill.stream.active", "active", "branch")
offer(set_function, "rill.stream.choice", "permutation", "choice")
offer(set_function, "rill.stream.convolve", "convolve", "correlate")
offer(set_function, "rill.container.lists", "lists")
offer(set_function, "rill.core.progress", "progress")
offer(set_function, "rill.shell.help", "help")
offer(set_function, "rill.shell.repl", "repl")
offer(set_function, "rill.shell.selftest", "selftest")

offer(core._method, "rill.stream.map", "map")
offer(core._method, "rill.stream.sort_key", "sort")
offer(core._method, "rill.stream.stats", "stats")
offer(core._method, "rill.stream.filter", "filter", "find", "partition", "runs", "unique")

offer(core._container_method, "rill.container.map_cpu", "map_cpu")
offer(core._container_method, "rill.container.neighbors", "neighbors")
offer(core._container_method, "rill.container.cast", "like", "cast")
core._container_method("map", lazy.call("rill.stream.map", "container_map"))
for _, row in ipairs(lazy.require "rill.core.packed_methods") do
    offer(core._container_method, "rill.container.pack", row[1])
end

local function set_filter(name, f) rill.image[name] = f end
for name, file in lazy.require "rill.image.filters":gmatch "([%w_]+) ([%w_]+) %([^\n]*" do
    offer(set_filter, "rill.image." .. file, name)
end
core._active_list = lazy.call("rill.stream.active", "list")
core._box_ranges = lazy.call("rill.container.ranges", "of_boxes")

require "rill.algebra.arithmetic"
require "rill.algebra.fusion"

for _, module in ipairs(lazy.moves and modules or {}) do
    require(module)
end

--- The table of public names, for rill.core.suggest.
function lazy.reference()
    return lazy.require "rill.shell.reference"
end
local hooks = require "rill.algebra.expression".hooks

--- hooks.hint(owner, key): that of rill.core.suggest, for errors of the C part.
function hooks.hint(...) return suggest.hint(...) end
--- hooks.among(key, known): the same.
function hooks.among(...) return suggest.among(...) end

-- Files beside this one that are no modules to use.
local inside = {init = true, core = true}

-- Where Lua finds rill.<name>, a module of its own; nil where there is none.
local function submodule(name)
    local full = "rill." .. name
    if package.loaded[full] ~= nil or package.preload[full] or package.searchpath(full, package.path) then
        return require(full)
    end
end

-- A module is loaded when it is first named; any other unknown name is an error.
return setmetatable(rill, {
    __name = "rill",
    __index = function(self, key)
        local found
        if type(key) == "string" and key:find("^%l[%w_]*$") and not inside[key] then
            found = submodule(key)
        end
        if found == nil then
            error(("rill has no field or module '%s'%s"):format(tostring(key), suggest.hint("rill", key)), 2)
        end
        rawset(self, key, found)
        return found
    end,
    __close = function() end,
})
