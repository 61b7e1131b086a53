-- b:sort: sorted runs are written to a file without a name, and merged tile by tile. If there are too many runs to
-- merge them at once in the memory, groups of runs are merged into longer runs first, in as many passes as are needed.
--
-- A sample of each run, every d-th element, divides the sorted whole into tiles: a tile begins and ends at an
-- element of the sample. The positions of the sample's elements in their runs tell which elements of each run a
-- tile can have, within d elements at both ends. These are read, merged, and cut: elements at the beginning are
-- those that earlier tiles have written, and the number of elements up to the tile's last is counted. All reads
-- are therefore known before the merge begins. The sample must fit into the memory, and the elements that are read
-- twice, d of each run, into a part of a tile: this limits the number of runs in a merge. D. E. Knuth, The Art of
-- Computer Programming 3, section 5.4; P. J. Varman, S. D. Scheufler, B. R. Iyer and G. R. Ricard, Merging multiple
-- lists on hierarchical-memory multiprocessors, 1991.
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local template = require "rill.glsl.template"
local types = require "rill.core.types"
local tiles = require "rill.big.tiles"

local SORT_OPTIONS <const> = {descending = option.default(option.flag, false)}
local SHARES <const> = 20 -- a sort has the memory of 20 tiles, measured
local MOST_MERGED <const> = 16 -- pieces
local DENSITY <const> = 8 -- elements of the sample in a tile's share of a run, if the memory allows for it
local LEAST <const> = 4 -- the least tile in square roots of the size

local IS_NAN <const> = {
    float = "(floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u",
    double = "(unpackDouble2x32(x).y & 0x7fffffffu) > 0x7ff00000u || " ..
        "((unpackDouble2x32(x).y & 0x7fffffffu) == 0x7ff00000u && unpackDouble2x32(x).x != 0u)",
}

-- Marks the elements that are in sorted order not after element `last`: equal elements keep their order, NaNs are
-- last.
local UP_TO <const> = template.new [[
    bool is_nan($type x) { return $nan; }
    kernel void up_to($type s[], int last, out int r<>) {
        int i = indexof(r).x;
        $type x = s[i], y = s[last];
        bool a = is_nan(x), b = is_nan(y);
        bool before = a || b ? !a && b : $if(bool){bool($greater int(x) $less int(y))}$else{$if(descending){x > y}$else{x < y}};
        bool equal = a || b ? a && b : x == y;
        r = before || (equal && i <= last) ? 1 : 0;
    }
]]

-- Merges the sorted pieces of a stream in order. Returns a stream to be closed. Many pieces are sorted again, as each
-- level of merges takes a fifth of the time of a sort.
local function merge(s, pieces, descending)
    if #pieces > MOST_MERGED then
        return s:sort {descending = descending}
    end
    local list, owned, at = {}, false, 0
    for p, piece in ipairs(pieces) do
        list[p] = s:domain({at + 1}, {at + piece[2]})
        at = at + piece[2]
    end
    local views <const> = list
    while #list > 1 do
        local merged = {}
        for i = 1, #list, 2 do
            local a, b = list[i], list[i + 1]
            merged[#merged + 1] = b and rill.merge(a, b, {descending = descending}) or a:copy()
            if owned then
                a:close()
                local _ = b and b:close()
            end
        end
        list, owned = merged, true
    end
    local result = owned and list[1] or list[1]:copy()
    for _, view in ipairs(views) do
        view:close()
    end
    return result
end

-- Returns how elements are sorted: {elements = of a tile, fan = the most runs that are merged at once, d = the distance
-- of elements of the sample, capacity = the most elements that a merge reads at once}. A sample has at most as many
-- elements as a tile, and the parts of a tile that are read twice have at most half of its elements. Tiles of LEAST
-- sqrt(size) elements or more can therefore merge eight runs or more.
local function planned(size, elements)
    elements = math.max(1, math.min(size, math.max(elements, math.ceil(LEAST * math.sqrt(size)))))
    local runs = math.max(1, (size + elements - 1) // elements)
    local most, passes, fan = math.max(2, elements // (2 * runs)), 1, runs
    while fan > most do
        passes = passes + 1
        fan = math.ceil(runs ^ (1 / passes) - 1e-9)
    end
    local d = math.max(runs, elements // (DENSITY * fan)) -- the sample has at most size / runs elements
    local capacity = math.max(1, math.min(size, math.max(elements, 2 * fan * d)))
    return {elements = elements, fan = fan, d = d, capacity = capacity}
end

-- Returns the number of elements of the sample in a run of `count` elements.
local function samples_of(count, d)
    return (count + d - 1) // d
end

-- An object that collects the sample of runs of `length` elements, every d-th element of each.
local Sampler = {}
Sampler.__index = Sampler

local function new_sampler(state, length, d)
    local whole = state.size // length
    local n = whole * samples_of(length, d) + samples_of(state.size - whole * length, d)
    return setmetatable({stream = rill.stream(state.type, n), length = length, d = d}, Sampler)
end

--- sampler:add(s, at) takes the sample of elements that begin at element `at` of the runs. They belong to one run.
function Sampler:add(s, at)
    local d, inside = self.d, at % self.length
    local skip = -inside % d
    if skip < s.size then
        local rest <close> = s:domain({skip + 1}, {s.size})
        local chosen <close> = rest:stride(d)
        local first = at // self.length * samples_of(self.length, d) + (inside + skip) // d
        local own <close> = self.stream:domain({first + 1}, {first + chosen.size})
        own:write(chosen)
    end
end

-- Returns a function that returns the next tile of the merge of a group of runs, or nil at the end: {pieces = list of
-- {first, count} in the scratch file, total = the elements of the pieces, last = the index among them of the tile's
-- last element, or nil at the end, before = the first element of the pieces in the merged run}. `base`, `size`: the
-- elements of the group. `order`: the indices of the sorted sample.
local function group_planner(base, size, length, order, p)
    local d <const> = p.d
    local runs <const> = (size + length - 1) // length
    local each <const>, step <const> = samples_of(length, d), math.max(1, p.capacity // d - runs)
    local taken, first = {}, 0 -- taken: the samples of each run up to the end of the last tile
    for r = 1, runs do
        taken[r] = 0
    end
    return function()
        if first >= order.size then
            return nil
        end
        local final = math.min(first + step, order.size)
        local window <close> = order:domain({first + 1}, {final})
        local places, low = window:values(), {}
        for r = 1, runs do
            low[r] = taken[r] > 0 and (taken[r] - 1) * d + 1 or 0
        end
        for _, place in ipairs(places) do
            local r = place // each + 1
            taken[r] = taken[r] + 1
        end
        local last_run = final < order.size and places[#places] // each + 1
        local tile = {pieces = {}, total = 0, before = base}
        for r = 1, runs do
            local count = math.min(length, size - (r - 1) * length)
            local high = last_run and math.min(count, taken[r] * d) or count
            if r == last_run then
                tile.last = tile.total + (taken[r] - 1) * d - low[r]
            end
            tile.before = tile.before + low[r]
            if high > low[r] then
                tile.pieces[#tile.pieces + 1] = {base + (r - 1) * length + low[r], high - low[r]}
                tile.total = tile.total + high - low[r]
            end
        end
        first = final
        return tile
    end
end

-- Returns a function that returns the next tile of the merges of all groups of runs, as group_planner, or nil at the
-- end.
local function planner(size, length, sample, p, descending)
    local base, whole, order, next_tile = 0, length * p.fan, nil, nil
    return function()
        local tile = next_tile and next_tile()
        if not tile and base < size then
            if order then
                order:close()
            end
            local count, first = math.min(whole, size - base), base // length * samples_of(length, p.d)
            local runs = (count + length - 1) // length
            local samples = (runs - 1) * samples_of(length, p.d) + samples_of(count - (runs - 1) * length, p.d)
            local own <close> = sample:domain({first + 1}, {first + samples})
            order = rill.argsort(own, {descending = descending})
            next_tile = group_planner(base, count, length, order, p)
            base = base + count
            tile = next_tile()
        end
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
        local seen = types.list[state.type].seen
        local up_to = UP_TO:kernel {type = seen, nan = IS_NAN[seen] or "false", descending = descending,
            bool = seen == "bool", greater = descending and "-" or "", less = descending and "< -" or "<"}
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
            local final = tile.total
            if tile.last then
                local marks <close> = up_to {s = all, last = tile.last, shape = tile.total}
                final = marks:sum()
            end
            local merged <close> = merge(all, tile.pieces, descending)
            local first = written - tile.before
            if final > first then
                local part <close> = merged:domain({first + 1}, {final})
                put(part, written)
            end
            bar:step(final - first)
            written = written + final - first
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
