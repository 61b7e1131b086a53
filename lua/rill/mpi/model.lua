-- A model of the time of the operations of rill.mpi: a message of n bytes takes latency + n / bandwidth (R. W. Hockney 1994), and
-- elements are copied between device and host memory. Messages and bytes are counted by running the schedule of all ranks without data.
local cut = require "rill.mpi.cut"
local halo = require "rill.mpi.halo"

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

--- model.halo(shape, ranks, reach, bytes, modes) counts one exchange of halos: {messages, bytes = the largest numbers that a rank receives, all_messages,
-- all_bytes = of all ranks, rounds = messages that follow one another}. shape: of the whole; ranks: the numbers of ranks along the dimensions; reach: per dimension;
-- bytes: of an element; modes: of the boundary, default "clamp".
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

--- model.reduce(shape, size) counts a sum over all elements: an allreduce of the sums of the units, in rounds over pairs of ranks.
function model.reduce(shape, size)
    local c = cut.new("model", shape, nil, nil, size)
    local units = (shape[1] + c.units[1] - 1) // c.units[1]
    local rounds = rounds_of(size)
    return {messages = rounds, bytes = 8 * units * rounds, all_messages = rounds * size,
        all_bytes = 8 * units * rounds * size,
        rounds = rounds}
end

--- model.sort(n, size, bytes) counts a sample sort of n random elements: the samples of all ranks, the counts, the elements, and the elements that even out the
-- parts, at most two messages of a share of the samples' error.
function model.sort(n, size, bytes)
    local rounds, samples = rounds_of(size), 64
    local each = n // size
    local own = {
        messages = rounds + 2 * (size - 1) + (size > 1 and 2 or 0),
        bytes = samples * bytes * (size - 1) + 8 * (size - 1) + (size > 1 and each * bytes * (size - 1) // size +
            each * bytes // samples or 0),
    }
    return {messages = own.messages, bytes = own.bytes, all_messages = own.messages * size,
        all_bytes = own.bytes * size,
        rounds = rounds + 3}
end

--- model.seconds(count, parameters) returns the time of the messages of a rank: {latency =, bandwidth =, copy_latency =, copy_bandwidth =} in seconds and
-- bytes per second. The messages of a round travel at the same time, but their bytes one after the other.
function model.seconds(count, parameters)
    local p = parameters
    return count.messages * p.latency + count.bytes / p.bandwidth +
        2 * (count.messages * p.copy_latency + count.bytes / p.copy_bandwidth)
end

return model
