--- rill: streams, kernels and reductions on a graphics device. What is written in C is rill.core, whose public names are here; Lua adds what is
-- easier said in Lua. A file beside this one is a module, rill.NAME, loaded when it is first named; what they share is in folders.
local core = require "rill.core"
local rill = require "rill.core.public"
local lazy = require "rill.core.lazy"
local suggest = require "rill.core.suggest"

-- Functions and methods of streams, by the files that have them.
local functions = {
    ["rill.stream.concat"] = {"concat"}, ["rill.stream.active"] = {"active", "branch"},
    ["rill.stream.choice"] = {"permutation", "choice"}, ["rill.stream.convolve"] = {"convolve", "correlate"},
    ["rill.container.lists"] = {"lists"}, ["rill.core.progress"] = {"progress"},
    ["rill.shell.help"] = {"help"}, ["rill.shell.repl"] = {"repl"}, ["rill.shell.selftest"] = {"selftest"},
}
local methods = {
    ["rill.stream.map"] = {"map"}, ["rill.stream.sort_key"] = {"sort"}, ["rill.stream.stats"] = {"stats"},
    ["rill.stream.filter"] = {"filter", "find", "partition", "runs", "unique"},
}
local images = { -- beside those of rill.image that are written in C
    ["rill.image.distance"] = {"distance"}, ["rill.image.label"] = {"label"},
    ["rill.image.histogram"] = {"equalize", "integral", "otsu"}, ["rill.image.mask"] = {"threshold"},
    ["rill.image.region_growing"] = {"segment"},
    ["rill.image.canny"] = {"canny"}, ["rill.image.color"] = {"convert"}, ["rill.image.diffuse"] = {"diffuse"},
    ["rill.image.sobel"] = {"sobel"}, ["rill.image.median"] = {"median"},
    ["rill.image.morphology"] = {"close", "dilate", "erode", "open"}, ["rill.image.resize"] = {"resize"},
    ["rill.image.smooth"] = {"bilateral", "gaussian"}, ["rill.image.tone"] = {"cel", "tonemap"},
    ["rill.image.convolve"] = {"convolve", "correlate", "separable"},
}
for module, names in pairs(functions) do
    for _, name in ipairs(names) do
        rill[name] = lazy.call(module, name)
    end
end
for module, names in pairs(images) do
    for _, name in ipairs(names) do
        rill.image[name] = lazy.call(module, name)
    end
end
for module, names in pairs(methods) do
    for _, name in ipairs(names) do
        core._method(name, lazy.call(module, name))
    end
end
core._container_method("map_cpu", lazy.call("rill.container.map_cpu", "map_cpu"))
core._container_method("neighbors", lazy.call("rill.container.neighbors", "neighbors"))
for _, name in ipairs {"like", "cast"} do
    core._container_method(name, lazy.call("rill.container.cast", name))
end
core._container_method("map", lazy.call("rill.stream.map", "container_map"))
for _, row in ipairs(lazy.require "rill.core.packed_methods") do
    core._container_method(row[1], lazy.call("rill.container.pack", row[1]))
end
core._active_list = lazy.call("rill.stream.active", "list")
core._box_ranges = lazy.call("rill.container.ranges", "of_boxes")

require "rill.algebra.arithmetic"
require "rill.algebra.fusion"

for _, files in ipairs(lazy.moves and {functions, images, methods} or {}) do
    for module in pairs(files) do
        require(module)
    end
    require "rill.container.pack"
end

suggest.set_reference(function()
    return lazy.require "rill.shell.reference"
end)
local hooks = require "rill.algebra.expression".hooks
hooks.hint, hooks.among = suggest.hint, suggest.among -- for errors of the C part

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
