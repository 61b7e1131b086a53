-- A model of the time of the operations of rill.mpi: a message of n bytes takes latency + n / bandwidth (R. W. Hockney
-- 1994), and elements are copied between device and host memory. Messages and bytes are counted by running the schedule
-- of all ranks without data.
local cut = require "rill.mpi.cut"
local halo = require "rill.mpi.halo"
local vcycle = require "rill.solve.vcycle"
local order = require "rill.mpi.order"

local model = {}

-- Returns the largest of the ranks' counts, and the sums.
local function collect(counts)
    local result = {messages = 0, bytes = 0, all_messages = 0, all_bytes = 0}
    for _, c in ipairs(counts) do
        result.messages, result.bytes = math.max(result.messages, c.messages), math.max(result.bytes, c.bytes)
        result.all_messages, result.all_bytes = result.all_messages + c.messages, result.all_bytes + c.bytes
    end
    return result
end

--- model.halo(shape, ranks, reach, bytes, modes) counts one exchange of halos: {messages, bytes = the largest numbers
-- that a rank receives, all_messages, all_bytes = of all ranks, rounds = messages that follow one another}. shape: of
-- the whole; ranks: the numbers of ranks along the dimensions; reach: per dimension; bytes: of an element; modes: of
-- the boundary, default "clamp".
function model.halo(shape, ranks, reach, bytes, modes)
    local size = 1
    for _, n in ipairs(ranks) do size = size * n end
    local c = cut.new("model", shape, ranks, nil, size)
    local counts, rounds = {}, 0
    for d, n in ipairs(c.grid) do
        rounds = rounds + (n > 1 and reach[d] > 0 and 1 or 0)
    end
    for rank = 1, size do
        local place, own = cut.place(c, rank), {messages = 0, bytes = 0}
        for d, n in ipairs(c.grid) do
            local area = bytes -- of a row along dimension d, with the halos of the dimensions before it
            for e in ipairs(c.shape) do
                if e ~= d then
                    local low, high = c.ends[e][place[e] + 1], c.ends[e][place[e] + 2]
                    local around = e < d and c.grid[e] > 1 and high > low and
                        math.min(reach[e], low) + math.min(reach[e], c.shape[e] - high) or 0
                    area = area * (high - low + around)
                end
            end
            for _, message in ipairs(n > 1 and halo.messages(c, d, place[d], reach[d], modes and modes[d] or
                "clamp") or {}) do
                own.messages, own.bytes = own.messages + 1, own.bytes + message[2] * area
            end
        end
        counts[rank] = own
    end
    local result = collect(counts)
    result.rounds = rounds
    return result
end

local function rounds_of(size)
    local rounds = 0
    while 1 << rounds < size do
        rounds = rounds + 1
    end
    return rounds
end

local STATE <const> = 100 -- bytes of the state of a reduction, about

--- model.reduce(size) counts a reduction of all elements: the states of all ranks, which each rank gathers in rounds
-- over pairs of ranks, after their lengths.
function model.reduce(size)
    local rounds, bytes = 2 * rounds_of(size), STATE * (size - 1)
    return {messages = rounds, bytes = bytes, all_messages = rounds * size, all_bytes = bytes * size, rounds = rounds}
end

--- model.sort(n, size, bytes) counts a sort of n elements in random order: the samples of all ranks, and the elements.
-- Afterwards each rank merges the elements of all ranks, which takes log2(size) passes over them.
function model.sort(n, size, bytes)
    local rounds, share = 2 * rounds_of(size), order.samples(size)
    local sent = size > 1 and n // size * bytes * (size - 1) // size * (share + 2) // share or 0
    local own = {messages = rounds + size - 1, bytes = share * size * (size - 1) * bytes + sent}
    return {messages = own.messages, bytes = own.bytes, all_messages = own.messages * size,
        all_bytes = own.bytes * size, rounds = rounds + (size > 1 and 1 or 0)}
end

-- Returns the sum of counts, each of which is repeated: {{count, times}, ...}.
local function total(list)
    local sum = {messages = 0, bytes = 0, all_messages = 0, all_bytes = 0, rounds = 0}
    for _, item in ipairs(list) do
        for name, value in pairs(sum) do
            sum[name] = value + item[1][name] * item[2]
        end
    end
    return sum
end

-- Counts the exchange of some rows (default: 1) with each neighbor, of a stream that is cut along its first dimension.
local function row_halo(shape, size, bytes, rows)
    local reach = {}
    for d in ipairs(shape) do reach[d] = rows or 1 end
    return model.halo(shape, {size}, reach, bytes)
end

--- model.cg(shape, size, bytes, preconditioned) counts an iteration of rill.solve.cg without the preconditioner itself:
-- the halo of a matrix that reads the nearest neighbors, and the sums. bytes: of an element; preconditioned: whether
-- the preconditioner is a function, whose method needs two more sums.
function model.cg(shape, size, bytes, preconditioned)
    return total {{row_halo(shape, size, bytes), 1}, {model.reduce(size), preconditioned and 4 or 2}}
end

-- The exchanges of one row of a level: smoothing from zero, the residual, and two steps of smoothing.
local ROWS <const> = 4

--- model.multigrid(shape, size, bytes) counts a cycle of rill.solve.multigrid: the halos of the levels, and the last
-- level, which all ranks gather.
function model.multigrid(shape, size, bytes)
    local list, level = {}, {table.unpack(shape)}
    while true do
        local elements = 1
        for _, n in ipairs(level) do elements = elements * n end
        if elements <= vcycle.gathered then
            local share = bytes * elements * (size - 1) // size
            list[#list + 1] = {{messages = size - 1, bytes = share, all_messages = size * (size - 1),
                all_bytes = share * size, rounds = size > 1 and 1 or 0}, 1}
            return total(list)
        end
        list[#list + 1] = {row_halo(level, size, bytes), ROWS}
        list[#list + 1] = {row_halo(level, size, bytes, vcycle.reach.down), 1}
        list[#list + 1] = #list > 2 and {row_halo(level, size, bytes, vcycle.reach.up), 1} or nil
        for d, n in ipairs(level) do level[d] = (n + 1) // 2 end
    end
end

--- model.ghosts(near, size, fields, bytes) counts an exchange of ghosts: Q:ghosts and Q:sum. near: the particles of
-- other ranks within the radius of a rank's range; fields: the number of fields, with id and position; bytes: of a
-- particle in these fields. The ranges of ranks that are not neighbors are farther apart than the radius.
function model.ghosts(near, size, fields, bytes)
    local rounds, neighbors = rounds_of(size), math.min(2, size - 1)
    local own = {messages = 2 * rounds + neighbors * fields, bytes = size > 1 and 24 * size + near * bytes or 0}
    return {messages = own.messages, bytes = own.bytes, all_messages = own.messages * size,
        all_bytes = own.bytes * size, rounds = size > 1 and 2 * rounds + fields or 0}
end

--- model.checkpoint(bytes, size, bandwidth, latency) returns the seconds of rill.mpi.checkpoint: the writing of all
-- bytes at the bandwidth of the file system, and seven agreements of the ranks of two collective operations each.
-- latency: of a message.
function model.checkpoint(bytes, size, bandwidth, latency)
    return bytes / bandwidth + 14 * rounds_of(size) * latency
end

--- model.seconds(count, parameters) returns the time of the messages of a rank: {latency =, bandwidth =, copy_latency
-- =, copy_bandwidth =} in seconds and bytes per second. The messages of a round travel at the same time, but their
-- bytes one after the other.
function model.seconds(count, parameters)
    local p = parameters
    return count.messages * p.latency + count.bytes / p.bandwidth +
        2 * (count.messages * p.copy_latency + count.bytes / p.copy_bandwidth)
end

return model
