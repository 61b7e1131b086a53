-- The exchange of halos: copies of elements of other ranks that a kernel reads as neighbors. They are stored around the
-- elements of this rank, in the same stream.
local boundary = require "rill.core.boundary"
local wire = require "rill.mpi.wire"
local cut = require "rill.mpi.cut"

local halo = {}

-- The modes in which the halo has elements outside of the whole stream. In the other modes the kernel itself computes
-- the values outside.
local SOURCE <const> = boundary.source

-- Returns the elements of the halo before and after a part along dimension d.
local function widths(c, d, part, reach, mode)
    local low, high, n = c.ends[d][part + 1], c.ends[d][part + 2], c.shape[d]
    if low == high then
        return 0, 0
    elseif SOURCE[mode] then
        return reach, reach
    end
    return math.min(reach, low), math.min(reach, n - high)
end

-- Returns the runs that a part needs along dimension d: {at = the first index relative to the part, from = the first
-- index in the whole stream, count =, owner = the part that has them}.
local function needs(c, d, part, reach, mode)
    local low, own, n = c.ends[d][part + 1], c.ends[d][part + 2] - c.ends[d][part + 1], c.shape[d]
    local before, after = widths(c, d, part, reach, mode)
    local runs, copies = {}, mode == "inner wrap" and 1 or 0 -- elements at each end of the whole that are copies
    local function add(at)
        local from = low + at
        if from < copies or from >= n - copies then
            from = SOURCE[mode](from, n)
        end
        local who, last = cut.part(c.ends[d], from), runs[#runs]
        if last and last.owner == who and last.at + last.count == at and last.from + last.count == from then
            last.count = last.count + 1
        else
            runs[#runs + 1] = {at = at, from = from, count = 1, owner = who}
        end
    end
    for at = -before, low == 0 and copies - 1 or -1 do
        add(at)
    end
    for at = low + own == n and own - copies or own, own + after - 1 do
        add(at)
    end
    return runs
end

--- halo.messages(c, d, part, reach, mode) returns the messages that a part receives along dimension d: a list of
-- {part, rows}.
function halo.messages(c, d, part, reach, mode)
    local list, by_owner = {}, {}
    for _, run in ipairs(needs(c, d, part, reach, mode)) do
        if run.owner ~= part then
            local message = by_owner[run.owner]
            if not message then
                message = {run.owner, 0}
                by_owner[run.owner], list[#list + 1] = message, message
            end
            message[2] = message[2] + run.count
        end
    end
    return list
end

-- Returns the view of `count` rows from index `at` (relative to the part) along dimension d of the store. Dimensions
-- before d are taken with their halos, which were exchanged before.
local function slab(data, reach, modes, d, at, count)
    local first, last = {}, {}
    local c = data.cut
    for e, n in ipairs(c.own) do
        local before, after = 0, 0
        if e < d and c.grid[e] > 1 then
            before, after = widths(c, e, c.place[e], reach[e], modes[e])
        end
        first[e] = data.halo[e] + 1 - before
        last[e] = data.halo[e] + n + after
    end
    first[d] = data.halo[d] + at + 1
    last[d] = first[d] + count - 1
    return data.store:domain(first, last)
end

-- Returns the rank at another part along dimension d.
local function rank_along(c, d, part)
    local place = table.move(c.place, 1, #c.place, 1, {})
    place[d] = part
    return cut.rank(c, place)
end

-- Returns what this rank receives and sends along dimension d: {needs = the runs that it needs, sends = a list of
-- {part = a part, ... = the runs that the part needs of this one}}. All streams of a cut share it: its time grows with
-- the number of ranks.
local function schedule(c, d, reach, mode)
    local name = ("%d %d %s"):format(d, reach, mode)
    c.schedules = c.schedules or {}
    local result = c.schedules[name]
    if not result then
        local own = c.place[d]
        result = {needs = needs(c, d, own, reach, mode), sends = {}}
        for part = 0, c.grid[d] - 1 do
            local runs = {part = part}
            for _, run in ipairs(part ~= own and needs(c, d, part, reach, mode) or {}) do
                runs[#runs + 1] = run.owner == own and run or nil
            end
            result.sends[#result.sends + 1] = runs[1] and runs or nil
        end
        c.schedules[name] = result
    end
    return result
end

-- Returns the plan of the exchange along dimension d: {sends, receives = lists of {rank, views}, copies = list of {to,
-- from}}.
local function plan(data, reach, modes, d)
    local c, mode = data.cut, modes[d]
    local own, low = c.place[d], c.ends[d][c.place[d] + 1]
    local result = {sends = {}, receives = {}, copies = {}}
    local by_rank, known = {}, schedule(c, d, reach[d], mode)
    for _, run in ipairs(known.needs) do
        local to = slab(data, reach, modes, d, run.at, run.count)
        if run.owner == own then
            result.copies[#result.copies + 1] = {to = to, from = slab(data, reach, modes, d, run.from - low, run.count)}
        else
            local rank = rank_along(c, d, run.owner)
            local message = by_rank[rank]
            if not message then
                message = {rank = rank}
                by_rank[rank], result.receives[#result.receives + 1] = message, message
            end
            message[#message + 1] = to
        end
    end
    for i, runs in ipairs(known.sends) do
        local message = {rank = rank_along(c, d, runs.part)}
        for j, run in ipairs(runs) do
            message[j] = slab(data, reach, modes, d, run.from - low, run.count)
        end
        result.sends[i] = message
    end
    for _, messages in ipairs {result.sends, result.receives} do
        for _, message in ipairs(messages) do
            message.bytes = 0
            for _, view in ipairs(message) do
                message.bytes = message.bytes + view.nbytes
            end
        end
    end
    return result
end

--- halo.widths(data, reach, modes, d) returns the numbers of elements before and after this part along dimension d that
-- a view for a kernel includes.
function halo.widths(data, reach, modes, d)
    local c = data.cut
    if c.grid[d] == 1 or c.size == 0 then
        return 0, 0
    end
    return widths(c, d, c.place[d], reach[d], modes[d])
end

--- halo.key(reach, modes) returns a text that is equal for equal exchanges.
function halo.key(reach, modes)
    return table.concat(reach, " ") .. ":" .. table.concat(modes, " ")
end

-- Returns the plan of a dimension from the cache of the store.
local function planned(data, reach, modes, key, d)
    local plans = data.plans[key]
    if not plans then
        plans = {}
        data.plans[key] = plans
    end
    plans[d] = plans[d] or plan(data, reach, modes, d)
    return plans[d]
end

-- Makes the requests of a plan's messages. Each has its memory, so that nothing is allocated when it is sent again. All
-- streams of a cut with elements of one type share them: the streams that a loop makes are of the same cut.
local function prepare(data, steps, key, tag)
    local shared = data.cut.messages or {}
    data.cut.messages = shared
    local name = key .. ":" .. data.type
    if not shared[name] then
        local made = {requests = {}, receives = {}, sends = {}}
        for list, make in pairs {receives = wire.mpi.receive_often, sends = wire.mpi.send_often} do
            for i, message in ipairs(steps[list]) do
                local memory = wire.mpi.memory()
                memory:hold(message.bytes)
                made[list][i] = memory
                made.requests[#made.requests + 1] = make(memory, 0, message.bytes, message.rank, tag)
            end
        end
        shared[name] = made
    end
    steps.shared = shared[name]
end

--- halo.begin(data, reach, modes, d, tag) begins the exchange along dimension d. Exchanges along earlier dimensions
-- must have ended. Returns the exchange, for halo.finish.
function halo.begin(data, reach, modes, d, tag)
    local key = halo.key(reach, modes) .. ":" .. tag
    local steps = planned(data, reach, modes, key, d)
    if not steps.shared then
        prepare(data, steps, key, tag)
    end
    for i, message in ipairs(steps.sends) do
        local offset = 0
        for _, view in ipairs(message) do
            offset = wire.download(view, steps.shared.sends[i], offset)
        end
    end
    wire.mpi.begin(table.unpack(steps.shared.requests))
    return steps
end

--- halo.finish(exchange) waits for the messages of an exchange and stores them.
function halo.finish(steps)
    for _, copy in ipairs(steps.copies) do
        copy.to:write(copy.from)
    end
    wire.mpi.wait(table.unpack(steps.shared.requests))
    for i, message in ipairs(steps.receives) do
        local offset = 0
        for _, view in ipairs(message) do
            offset = wire.upload(view, steps.shared.receives[i], offset)
        end
    end
end

return halo
