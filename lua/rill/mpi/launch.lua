-- Launches over distributed streams: a kernel runs over the part of each rank. Halos that are not up to date are
-- exchanged before, or while the inside of the part is computed.
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local collect = require "rill.mpi.launch_arguments"
local distributed = require "rill.mpi.distributed"
local halo = require "rill.mpi.halo"
local wire = require "rill.mpi.wire"

local overlap = {}

-- Launches the kernel over a box of this rank's part: first .. last, relative to the part, 1-based. An empty part is
-- launched, too, so that all ranks raise the errors of arguments.
local function run(launch, first, last)
    local c, whole = launch.cut, true
    local values, place = {}, {}
    for d, n in ipairs(c.own) do
        whole = whole and first[d] == 1 and last[d] == n
        place[d] = c.first[d] + first[d]
    end
    for name, value in pairs(launch.values) do
        local state = launch.states[name]
        if state then
            value = distributed.part(state)
            value = whole and value or value:domain(first, last)
        end
        values[name] = value
    end
    for _, neighbor in ipairs(launch.neighbors) do
        local state = neighbor.state
        local view = values[neighbor.name]:boundary(table.unpack(neighbor.modes))
        local around = {}
        for d, n in ipairs(c.own) do
            local before, after = halo.widths(state.data, neighbor.reach, neighbor.modes, d)
            if c.grid[d] > 1 or not whole then
                before = math.min(neighbor.reach[d], first[d] - 1 + before)
                after = math.min(neighbor.reach[d], n - last[d] + after)
            end
            around[2 * d - 1], around[2 * d] = before, after
        end
        values[neighbor.name] = core._halo(view, around)
    end
    values.part = {shape = c.shape, first = place}
    return launch.kernel(values)
end

-- Launches the kernel over a box, unless it is empty.
local function run_box(launch, first, last)
    for d, n in ipairs(last) do
        if n < first[d] then
            return
        end
    end
    run(launch, first, last)
end

-- Begins the exchanges along dimension d of all halos that are not up to date.
local function begin_exchanges(launch, d)
    local list = {}
    for i, group in ipairs(launch.groups) do
        local state = group.state
        local data = state.data
        if launch.cut.grid[d] > 1 and launch.cut.size > 0 and group.stale then
            data.fresh = nil -- until all exchanges have ended
            list[#list + 1] = halo.begin(data, group.reach, group.modes, d, 256 * d + i)
        end
    end
    return list
end

local function finish_exchanges(list)
    for _, exchange in ipairs(list) do
        halo.finish(exchange)
    end
end

-- Finds the halos that have to be exchanged. Returns, for each dimension with such halos, the largest reaches into
-- those before and after the part, {before, after}; nil if there is none.
local function find_stale(launch)
    local widest
    for _, group in ipairs(launch.groups) do
        local data = distributed.widen(group.state, group.reach)
        local key = halo.key(group.reach, group.modes)
        group.stale = data.fresh ~= key
        for d, n in ipairs(group.reach) do
            if group.stale and launch.cut.grid[d] > 1 and n > 0 then
                local before, after = halo.widths(data, group.reach, group.modes, d)
                widest = widest or {}
                widest[d] = widest[d] or {0, 0}
                widest[d] = {math.max(widest[d][1], before > 0 and n or 0),
                    math.max(widest[d][2], after > 0 and n or 0)}
            end
        end
        group.key = key
    end
    return widest
end

--- overlap.least_overlap: the seconds of an exchange from which computing during it pays: those of the launches at
-- the sides of a part, about 25 us each with llvmpipe. The least time of the first TIMED exchanges decides. 0: always.
overlap.least_overlap = 1e-4
local TIMED <const> = 5

-- Returns the times of the exchanges that a launch makes: {count =, least =}, kept in the cut.
local function timing_of(launch)
    local keys = {}
    for i, group in ipairs(launch.groups) do
        keys[i] = group.stale and group.state.data.type .. group.key or ""
    end
    local key = table.concat(keys, ";")
    launch.cut.timings = launch.cut.timings or {}
    launch.cut.timings[key] = launch.cut.timings[key] or {count = 0, least = math.huge}
    return launch.cut.timings[key]
end

-- Returns whether the inside is computed during the exchange: the kernel must not write what it reads as neighbors, and
-- must be allowed to run in several launches.
local function overlaps(launch, timing)
    local least <const> = overlap.least_overlap
    local free = (least == 0 or timing.count >= TIMED and timing.least >= least) and #launch.vouts == 0 and
        launch.values.where == nil
    for _, neighbor in ipairs(launch.neighbors) do
        for _, output in ipairs(launch.written) do
            free = free and output.state.data ~= neighbor.state.data
        end
    end
    for _, param in ipairs(launch.kernel.params) do
        free = free and param.kind ~= "random-access stream" and param.kind ~= "in-place stream"
    end
    return free
end

-- The inside, then the slabs at the sides of the part that have halos.
local function boxes(launch, widest)
    local first, last, slabs = {}, {}, {}
    for d, n in ipairs(launch.cut.own) do
        first[d], last[d] = 1, n
    end
    for d, n in ipairs(launch.cut.own) do
        if widest[d] then
            local before = math.min(widest[d][1], n)
            local after = math.min(widest[d][2], n - before)
            local low, high = table.move(last, 1, #last, 1, {}), table.move(first, 1, #first, 1, {})
            low[d], high[d] = before, n - after + 1
            if before > 0 then slabs[#slabs + 1] = {table.move(first, 1, #first, 1, {}), low} end
            if after > 0 then slabs[#slabs + 1] = {high, table.move(last, 1, #last, 1, {})} end
            first[d], last[d] = before + 1, n - after
        end
    end
    return {first, last}, slabs
end

-- Runs the launch over the whole part or, for vouts, returns the streams that the kernel made.
local function run_all(launch)
    local first, last = {}, {}
    for d, n in ipairs(launch.cut.own) do
        first[d], last[d] = 1, n
    end
    return table.pack(run(launch, first, last))
end

-- Exchanges the halos that are not up to date.
local function exchange_halos(launch, widest)
    for d = 1, widest and #launch.cut.shape or 0 do
        finish_exchanges(begin_exchanges(launch, d))
    end
    for _, group in ipairs(launch.groups) do
        group.state.data.fresh = group.key
    end
end

--- overlap.neighborhood(state, reach) returns a stream of this rank's part with the elements up to reach[d] around it,
-- those outside of the whole according to the boundary modes as a kernel would get them, and the index, from 0, of its
-- first element in the whole, per dimension.
function overlap.neighborhood(state, reach)
    local modes = distributed.modes(state)
    local launch = {cut = state.data.cut, groups = {{state = state, reach = reach, modes = modes}}}
    exchange_halos(launch, find_stale(launch))
    local data, c, low, high, first = state.data, state.data.cut, {}, {}, {}
    for d, n in ipairs(c.own) do
        local before, after = halo.widths(data, reach, modes, d)
        low[d], high[d], first[d] = data.halo[d] + 1 - before, data.halo[d] + n + after, c.first[d] - before
    end
    return (c.size > 0 and data.store:domain(low, high) or data.part):boundary(table.unpack(modes)), first
end

local function launch_kernel(kernel, ...)
    local launch = collect(kernel, ...)
    if not launch.seeded then
        local numbers = {}
        launch.kernel = core._numbered(kernel, numbers) -- for all boxes of the part
        core._count_numbers(numbers) -- even if it fails on this rank, as it may succeed on others
    end
    local widest = find_stale(launch)
    local timing, results = widest and timing_of(launch), nil
    if widest and overlaps(launch, timing) then
        local inside, slabs = boxes(launch, widest)
        local exchanges
        for d = 1, #launch.cut.shape do
            if widest[d] then
                exchanges = begin_exchanges(launch, d)
                local done, message = true, nil
                if inside then
                    done, message = pcall(run_box, launch, inside[1], inside[2])
                    inside = nil
                end
                finish_exchanges(exchanges)
                if not done then
                    error(message, 0)
                end
            end
        end
        for _, slab in ipairs(slabs) do
            run_box(launch, slab[1], slab[2])
        end
    else
        local timed, begin = timing and timing.count < TIMED, nil
        if timed then -- not the time of earlier launches
            rill.sync()
            begin = wire.mpi.time()
        end
        exchange_halos(launch, widest)
        if timed then
            timing.count, timing.least = timing.count + 1, math.min(timing.least, wire.mpi.time() - begin)
        end
        results = run_all(launch)
    end
    for _, group in ipairs(launch.groups) do
        group.state.data.fresh = group.key
    end
    for _, output in ipairs(launch.written) do
        output.state.data.fresh = nil
    end
    local list, at = {}, 0
    for i, made in ipairs(launch.made) do
        at = at + 1
        list[i] = made.value or distributed.gathered(results and results[at], launch.vouts, made.name)
    end
    return table.unpack(list, 1, #launch.made)
end

distributed.class.metatable.__launch = errors.guard(launch_kernel)

return overlap
