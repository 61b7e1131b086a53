-- The arguments of launches over distributed streams. The module is a function(kernel, ...) that checks the arguments,
-- creates the outputs and returns a description of the launch.
local core = require "rill.core"
local boundary = require "rill.core.boundary"
local errors = require "rill.core.error"
local launch_arguments = require "rill.core.launch_arguments"
local types = require "rill.core.types"
local cut = require "rill.mpi.cut"
local distributed = require "rill.mpi.distributed"
local fail <const> = errors.fail

-- The parameters that a launch allocates if they are not given.
local MADE <const> = {["output stream"] = true, ["variable output"] = true}
local WHOLE <const> = {
    ["gather stream"] = true, ["random-access stream"] = true, constant = true, ["reduction result"] = true,
}
local WRITTEN <const> = {["output stream"] = true, ["in-place stream"] = true}
local ALONG <const> = {["input stream"] = true, ["neighbor stream"] = true, ["output stream"] = true,
    ["in-place stream"] = true}

-- Returns the arguments of a launch by name, and its options.
local function named_arguments(kernel, params, ...)
    local first, count = ..., select("#", ...)
    if count == 1 and type(first) == "table" and not getmetatable(first) then
        return first
    end
    local named, least = launch_arguments(params, MADE, ...)
    if not named then
        fail("%s: expected %d argument%s, got %d", kernel.name, least, least == 1 and "" or "s", count)
    end
    return named
end

-- How far a launch reads neighbors of a stream, slowest dimension first.
local function reach_of(kernel, param, state)
    local reach, rank = {}, #state.data.cut.shape
    for d = 1, rank do
        reach[d] = boundary.reach(param, rank, d, state.widths and state.widths[d] or state.data.cut.grid[d] == 1 and 0)
        if not reach[d] then
            fail("%s: argument '%s': the width of the halo is unknown, because the kernel computes the offsets of " ..
                "neighbors or has offsets above 9: make the distributed stream with the option halo = n, the " ..
                "largest offset", kernel.name, param.name)
        end
    end
    return reach
end

-- Notes a neighbor stream. Streams of the same elements share one halo, which is as wide as the widest of them needs.
-- Streams of the same elements with other boundary modes have other halos: the launch reads a copy. `modes`: those of
-- the signature or of the stream; nil: there are none.
local function add_neighbor(launch, name, value, state, reach, modes)
    launch.modes = boundary.join(launch.modes, modes)
    modes = modes or distributed.modes(state)
    for _, group in ipairs(launch.groups) do
        local same = group.state.data == state.data
        if same and table.concat(group.modes, " ") ~= table.concat(modes, " ") then
            value = value:copy()
            state = value._state
            launch.values[name], launch.states[name] = value, state
        elseif same then
            for d, n in ipairs(reach) do
                group.reach[d] = math.max(group.reach[d], n)
            end
            launch.neighbors[#launch.neighbors + 1] = {state = state, name = name, reach = group.reach, modes = modes}
            return
        end
    end
    launch.groups[#launch.groups + 1] = {state = state, reach = reach, modes = modes}
    launch.neighbors[#launch.neighbors + 1] = {state = state, name = name, reach = reach, modes = modes}
end

-- Returns a launch: kernel, params, arguments by name, the cut, the neighbor streams with their reach, and the groups
-- of these with the same elements.
return function(kernel, ...)
    local params = kernel.params
    local given = named_arguments(kernel, params, ...)
    local launch = {kernel = kernel, values = {}, states = {}, neighbors = {}, groups = {}, written = {}, made = {},
        vouts = {}}
    local known = {}
    for _, param in ipairs(params) do
        known[param.name] = param
    end
    for name, value in pairs(given) do
        local seed = name == "seed" and not known.seed and core._is_random(kernel)
        launch.seeded = launch.seeded or seed
        if name == "seed" and not known.seed and not seed then
            fail("%s: option 'seed': the kernel draws no random numbers: leave the seed out", kernel.name)
        elseif not known[name] and name ~= "where" and not seed then
            fail("%s: unknown argument or option '%s': launches over distributed streams take arguments by name " ..
                "and the options where and, with random numbers, seed", kernel.name, tostring(name))
        end
        launch.values[name] = value
    end
    local owner, elements
    local function take(name, value)
        local state = distributed.check(kernel.name, name, value)
        if owner and not cut.same(owner.state.data.cut, state.data.cut) then
            fail("%s: arguments '%s' and '%s' are cut differently (%s; %s): D:rebalance() gives the standard cut",
                kernel.name, owner.name, name, cut.text(owner.state.data.cut), cut.text(state.data.cut))
        end
        owner = owner or {state = state, name = name}
        launch.states[name] = state
        return state
    end
    for _, param in ipairs(params) do
        local value, of = launch.values[param.name], param.kind
        if distributed.is(value) then
            if of == "constant" then
                fail("%s: argument '%s': expected %s, got a distributed stream", kernel.name, param.name,
                    types.list[param.type] and types.list[param.type].components == 1 and "a number" or param.type)
            elseif WHOLE[of] then
                fail("%s: argument '%s': a distributed stream has only some elements on each rank: D:collect() " ..
                    "gives all of them to one rank", kernel.name, param.name)
            end
            local state = take(param.name, value)
            if of == "neighbor stream" then
                add_neighbor(launch, param.name, value, state, reach_of(kernel, param, state),
                    boundary.of_signature(kernel, param, #state.data.cut.shape) or state.modes)
            elseif of ~= "output stream" then
                elements = boundary.join(elements, state.modes)
            end
            if WRITTEN[of] then
                launch.written[#launch.written + 1] = {state = state, name = param.name}
            end
        elseif value ~= nil and ALONG[of] and type(value) ~= "number" then
            fail("%s: argument '%s': expected a distributed stream, as others are, got %s: rill.mpi.distribute " ..
                "makes one", kernel.name, param.name, errors.told(value))
        end
    end
    if distributed.is(launch.values.where) then
        take("where", launch.values.where)
    end
    if not owner then
        fail("%s: no argument is a distributed stream", kernel.name)
    end
    launch.cut = owner.state.data.cut
    for _, param in ipairs(params) do
        if param.kind == "output stream" then
            if launch.values[param.name] == nil then
                local made = distributed.create(param.type, launch.cut, launch.modes or elements, owner.state.widths)
                launch.values[param.name], launch.states[param.name] = made, made._state
                launch.written[#launch.written + 1] = {state = made._state, name = param.name}
            end
            launch.made[#launch.made + 1] = {name = param.name, value = launch.values[param.name]}
        elseif param.kind == "variable output" then
            launch.made[#launch.made + 1] = {name = param.name}
            launch.vouts[#launch.vouts + 1] = param
        end
    end
    for _, param in ipairs(params) do
        if param.kind == "in-place stream" or param.kind == "random-access stream" then
            launch.made[#launch.made + 1] = {name = param.name, value = launch.values[param.name]}
        end
    end
    return launch
end
