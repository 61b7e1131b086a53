-- b:sort: sorted runs are written to a file without a name, and merged tile by tile. If there are too many runs to
-- merge them at once in the memory, groups of runs are merged into longer runs first, in as many passes as are needed.
-- Tiles of the result are planned by samples (rill.parts.order), so that all reads are known before the merge begins.
-- The sample must fit into the memory, and the elements that are read twice into a part of a tile: this limits the
-- number of runs in a merge.
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local order = require "rill.parts.order"
local tiles = require "rill.big.tiles"

local SORT_OPTIONS <const> = {descending = option.default(option.flag, false)}
local SHARES <const> = 20 -- a sort has the memory of 20 tiles, measured
local DENSITY <const> = 8 -- elements of the sample in a tile's share of a run, if the memory allows for it
local LEAST <const> = 4 -- the least tile in square roots of the size

-- Returns how elements are sorted: {elements = of a run, fan = the most runs that are merged at once, d = the distance
-- of elements of the sample, tile = the elements of a tile of a merge, capacity = the most elements that are read for
-- it}. A sample has at most as many elements as a run, and at most half of the elements of a tile are read twice.
local function planned(size, elements)
    elements = math.max(1, math.min(size, math.max(elements, math.ceil(LEAST * math.sqrt(size)))))
    local runs = math.max(1, (size + elements - 1) // elements)
    local most, passes, fan = math.max(2, elements // (4 * runs) - 1), 1, runs
    while fan > most do
        passes = passes + 1
        fan = math.ceil(runs ^ (1 / passes) - 1e-9)
    end
    local d = math.max(runs, elements // (DENSITY * (fan + 1))) -- the sample has at most size / runs elements
    local twice = 2 * (fan + 1) * d
    local capacity = math.max(elements, 2 * twice)
    return {elements = elements, fan = fan, d = d, tile = capacity - twice,
        capacity = math.max(1, math.min(size, capacity))}
end

-- An object that collects the sample of runs of `length` elements, every d-th element of each.
local Sampler = {}
Sampler.__index = Sampler

local function new_sampler(state, length, d)
    local whole = state.size // length
    local n = whole * order.samples(length, d) + order.samples(state.size - whole * length, d)
    return setmetatable({stream = rill.stream(state.type, n), length = length, d = d}, Sampler)
end

--- sampler:add(s, at) takes the sample of elements that begin at element `at` of the runs. They belong to one run.
function Sampler:add(s, at)
    local d, inside = self.d, at % self.length
    local skip = -inside % d
    if skip < s.size then
        local rest <close> = s:domain({skip + 1}, {s.size})
        local chosen <close> = rest:stride(d)
        local first = at // self.length * order.samples(self.length, d) + (inside + skip) // d
        local own <close> = self.stream:domain({first + 1}, {first + chosen.size})
        own:write(chosen)
    end
end

-- Returns a function that returns the next tile of the merges of all groups of runs of `length` elements, nil at the
-- end: {pieces = list of {first, count} in the scratch file, counts = of the pieces, total = their sum, skipped =
-- elements of the merged pieces before the tile, size = of the tile}.
local function planner(size, length, sample, p, descending)
    local base, finish, at, next_range = 0, 0, 0, nil -- of the group, and the first element of the next tile
    return function()
        if at >= size then
            return nil
        elseif at >= finish then
            base, finish = finish, math.min(finish + length * p.fan, size)
            local lengths, first, count = {}, base // length * order.samples(length, p.d), 0
            for start = base, finish - 1, length do
                lengths[#lengths + 1] = math.min(length, finish - start)
                count = count + order.samples(lengths[#lengths], p.d)
            end
            local own <close> = sample:domain({first + 1}, {first + count})
            next_range = order.planner(lengths, p.d, own, descending)
        end
        local stop = math.min(at + p.tile, finish)
        local pieces, before = next_range(stop - base)
        local tile = {pieces = {}, counts = {}, total = 0, skipped = at - base - before, size = stop - at}
        for r, piece in ipairs(pieces) do
            if piece.count > 0 then
                tile.pieces[#tile.pieces + 1] = {base + (r - 1) * length + piece.first, piece.count}
                tile.counts[#tile.counts + 1], tile.total = piece.count, tile.total + piece.count
            end
        end
        at = stop
        return tile
    end
end

return function(big, methods)
    -- Opens a file without a name for the sorted runs.
    local function open_scratch(where, state, path, p)
        local kind = core._tiles_kind(state.type)
        return core._tiles_open("scratch", path, {where = where, kind = kind, memory = kind, little = true,
            capacity = p.capacity, buffers = 2})
    end

    -- Returns a function that appends the elements of streams to a scratch file, and a function that waits for its end.
    local function appender(scratch)
        local at, turn = 0, 1
        return function(s)
            scratch:wait(turn)
            core._download(s, scratch:memory(turn), 0, s.nbytes)
            scratch:post(turn, true, at, s.size)
            at, turn = at + s.size, 3 - turn
        end, function()
            scratch:wait(1)
            scratch:wait(2)
        end
    end

    -- Sorts tiles and writes them to a file. Returns the stream of their samples.
    local function make_runs(where, state, scratch, p, descending)
        local sampler = new_sampler(state, p.elements, p.d)
        local append, finish = appender(scratch)
        tiles.each(where, state, p.elements, function(s, first)
            local sorted <close> = s:sort {descending = descending}
            sampler:add(sorted, first)
            append(sorted)
        end)
        finish()
        return sampler.stream
    end

    -- Merges groups of runs of `length` elements. Calls put(stream, first) for the elements in order.
    local function merge_runs(where, state, scratch, length, sample, p, descending, put)
        local next_tile = planner(state.size, length, sample, p, descending)
        local input <close> = rill.stream(state.type, p.capacity)
        local bar <close> = rill.progress(state.size, where)
        local written, buffer = 0, 1
        local function post(to)
            local tile, at = next_tile(), 0
            for _, piece in ipairs(tile and tile.pieces or {}) do
                scratch:post(to, false, piece[1], piece[2], at)
                at = at + piece[2]
            end
            return tile
        end
        local tile, following = post(1), post(2)
        while tile do
            local all <close> = input:domain({1}, {tile.total})
            scratch:wait(buffer)
            core._upload(all, scratch:memory(buffer), 0, all.nbytes)
            local later = post(buffer)
            local merged <close> = order.merge(all, tile.counts, descending)
            local part <close> = merged:domain({tile.skipped + 1}, {tile.skipped + tile.size})
            put(part, written)
            bar:step(tile.size)
            written = written + tile.size
            tile, following, buffer = following, later, 3 - buffer
        end
    end

    -- Sorts more elements than a tile has. `path`: of the result.
    local function sort_runs(where, state, path, p, descending)
        local runs <close> = setmetatable({open_scratch(where, state, path, p)}, {__close = tiles.close_all})
        local length, sample = p.elements, make_runs(where, state, runs[1], p, descending)
        while state.size > length * p.fan do
            runs[2] = open_scratch(where, state, path, p)
            local longer, append, finish = new_sampler(state, length * p.fan, p.d), appender(runs[2])
            merge_runs(where, state, runs[1], length, sample, p, descending, function(part, first)
                longer:add(part, first)
                append(part)
            end)
            finish()
            table.remove(runs, 1):close()
            sample:close()
            sample, length = longer.stream, length * p.fan
        end
        local sink <close> = tiles.sink(where, path, state.type, state.shape, p.capacity)
        merge_runs(where, state, runs[1], length, sample, p, descending, function(part) sink:put(part) end)
        sample:close()
        sink:finish()
    end

    --- b:sort(path [, options]) writes the sorted elements of a big stream of one dimension to a .npy file, and
    -- returns its big stream. The elements are in the order of s:sort, bit for bit: equal elements keep their
    -- order, and NaNs are last. A file of the same size without a name, in the directory of the result, holds
    -- sorted runs meanwhile. Option: descending (default false).
    methods.sort = errors.guard(function(b, path, options, ...)
        local where <const> = "b:sort"
        local state = big.line(b, "sort")
        tiles.check_path(where, 1, state, path)
        errors.none(where, 3, 2, (...))
        local descending = option.take(where, options, SORT_OPTIONS).descending
        if not core._tiles_kind(state.type) then
            errors.fail("%s: elements of %s have no .npy type: cast them", where, state.type)
        end
        local p = planned(state.size, tiles.elements(state, nil, SHARES))
        if state.size > p.elements then
            sort_runs(where, state, path, p, descending)
        else
            local sink <close> = tiles.sink(where, path, state.type, state.shape, p.capacity)
            tiles.each(where, state, p.elements, function(s)
                local sorted <close> = s:sort {descending = descending}
                sink:put(sorted)
            end)
            sink:finish()
        end
        return big.result(path, state.type, state)
    end, "b:sort")
end
