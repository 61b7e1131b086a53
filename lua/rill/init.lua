--- rill: streams, kernels and reductions on a graphics device. The table contains the public names of rill.core, which
-- is written in C, and the functions of the Lua files. Each Lua file in this directory is a module, rill.NAME, which is
-- loaded when the name is first used; code that modules share is in subdirectories.
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local lazy = require "rill.core.lazy"
local recorder = require "rill.core.recorder"
local suggest = lazy.module "rill.core.suggest"

local modules = {} -- the files of functions that are loaded when they are first called

-- Passes each named function of a file to `set`, wrapped so that the file is loaded at the first call.
local function offer(set, module, ...)
    modules[#modules + 1] = module
    for _, name in ipairs {...} do
        set(name, lazy.call(module, name))
    end
end

-- Sets a function of rill, or a method of streams, which can have a rule for its gradient (lua/rill/grad).
local function set_function(name, f) rill[name] = recorder.wrap("rill." .. name, f) end
local function set_method(name, f) core._method(name, recorder.wrap("s:" .. name, f)) end
offer(set_function, "rill.stream.concat", "concat")
offer(set_function, "rill.stream.creation", "zeros", "ones", "full", "eye", "arange", "linspace", "logspace",
    "geomspace", "meshgrid", "fftfreq", "rfftfreq")
offer(set_function, "rill.stream.selection", "stack", "take_along", "unravel_index", "fftshift", "ifftshift")
offer(set_function, "rill.stream.numerical.composed", "isclose")
offer(set_function, "rill.stream.numerical.calculus", "gradient", "trapz", "cumtrapz")
offer(set_function, "rill.stream.numerical.polynomial", "polyfit", "polyval", "roots")
offer(set_function, "rill.stream.numerical.matrices", "tril", "triu", "diagonal", "kron", "tensordot", "inner", "vdot")
offer(set_function, "rill.stream.lexsort", "lexsort")
offer(set_function, "rill.stream.lookup", "lookup", "union", "intersect", "difference")
offer(set_function, "rill.stream.quantile", "quantile_by_key")
offer(set_function, "rill.stream.print", "print_options")
core._metamethod("__tostring", lazy.call("rill.stream.print", "text"))
offer(set_function, "rill.stream.statistics", "cov", "corrcoef", "histogram2d", "interp")
offer(set_function, "rill.stream.einsum", "einsum", "outer", "trace")
offer(set_function, "rill.stream.active", "active", "branch")
offer(set_function, "rill.random.choice", "permutation", "choice")
offer(set_function, "rill.stream.convolve", "convolve", "correlate")
offer(set_function, "rill.container.lists", "lists")
offer(set_function, "rill.geometry.transform", "rotation", "translation", "scaling")
offer(set_function, "rill.geometry.points.neighbors", "neighbors")
offer(set_function, "rill.core.progress", "progress")
offer(set_function, "rill.grad.functions", "grad", "value_and_grad", "vjp", "jvp", "hvp", "constant", "value")
offer(set_function, "rill.grad.check", "grad_check")
offer(set_function, "rill.grad.steps", "steps")
offer(set_function, "rill.big.big", "big")
offer(set_function, "rill.shell.help", "help")
offer(set_function, "rill.shell.repl", "repl")
offer(set_function, "rill.shell.selftest", "selftest")

offer(set_method, "rill.stream.selection", "select", "roll", "rot90", "diff", "split", "pad", "squeeze", "expand")
offer(set_method, "rill.stream.lookup", "isin")
offer(set_method, "rill.stream.numerical.composed", "softmax", "logsumexp", "nansum", "nanmean")
offer(set_method, "rill.stream.numerical.ewm", "ewm")
offer(set_method, "rill.stream.map", "map")
offer(set_method, "rill.stream.sort_key", "sort")
offer(set_method, "rill.stream.stats", "stats")
offer(set_method, "rill.stream.quantile", "median", "quantile", "nanquantile", "percentile")
offer(set_method, "rill.stream.statistics", "cumsum", "cumprod", "moving_mean")
offer(set_method, "rill.stream.filter", "filter", "find", "partition", "runs", "unique")

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
offer(function(name, f) core._kernel_methods[name] = f end, "rill.grad.kernel.derivative", "gradient", "tangent")
local distribution
offer(function(_, f) distribution = f end, "rill.random.distributions", "random")
core._active_list = lazy.call("rill.stream.active", "list")
core._box_ranges = lazy.call("rill.container.ranges", "of_boxes")

require "rill.algebra.arithmetic"
require "rill.algebra.members"
require "rill.algebra.fusion"

for _, module in ipairs(lazy.moves and modules or {}) do
    require(module)
end

--- Returns the table of public names, for rill.core.suggest.
function lazy.reference()
    return lazy.require "rill.shell.reference"
end
local hooks = require "rill.algebra.expression".hooks

--- hooks.hint(owner, key) calls suggest.hint of rill.core.suggest, for errors of the C part.
function hooks.hint(...) return suggest.hint(...) end
--- hooks.reduce_axes(name, s, axis, options) calls rill.stream.reduce_axes, for reductions with a table of axes or with
-- the option ddof.
hooks.reduce_axes = lazy.call("rill.stream.reduce_axes", "reduce")
--- hooks.distribution(shape, options) calls rill.random.distributions, for the distributions of rill.random that are
-- not written in C.
hooks.distribution = distribution
--- hooks.among(key, known) calls suggest.among of rill.core.suggest, for errors of the C part.
function hooks.among(...) return suggest.among(...) end

-- Functions that are modules in numpy: their fields are errors with a hint.
for _, name in ipairs {"random", "fft"} do
    rill[name] = errors.callable(rill[name], "rill." .. name)
end

-- Names in this directory that are not public modules.
local inside = {init = true, core = true}

-- Loads the module rill.<name>; nil if there is none.
local function submodule(name)
    local full = "rill." .. name
    if package.loaded[full] ~= nil or package.preload[full] or package.searchpath(full, package.path) then
        local found <const> = require(full)
        return type(found) == "table" and getmetatable(found) == nil and errors.strict(found, full) or found
    end
end

-- An unknown name loads the module of that name; if there is none, it raises an error.
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
