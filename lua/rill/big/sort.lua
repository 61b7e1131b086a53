-- b:sort: sorted runs are written to a file without a name, and merged tile by tile.
--
-- A sample of each run, every d-th element, divides the sorted whole into tiles: a tile begins and ends at an
-- element of the sample. The positions of the sample's elements in their runs tell which elements of each run a
-- tile can have, within d elements at both ends. These are read, merged, and cut: elements at the beginning are
-- those that earlier tiles have written, and the number of elements up to the tile's last is counted. All reads
-- are therefore known before the merge begins. D. E. Knuth, The Art of Computer Programming 3, section 5.4; P. J.
-- Varman, S. D. Scheufler, B. R. Iyer and G. R. Ricard, Merging multiple lists on hierarchical-memory
-- multiprocessors, 1991.
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
local DENSITY <const> = 8 -- elements of the sample in a tile's share of a run

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

-- Returns the number of elements of the sample in a run of `count` elements.
local function samples_of(count, d)
    return (count + d - 1) // d
end

-- Returns a function that returns the next tile of the merge, or nil at the end: {pieces = list of {first, count} in the
-- scratch file, total = the elements of the pieces, last = the index among them of the tile's last element, or nil at
-- the end, before = the elements that come before the pieces in their runs}. `order`: the indices of the sorted sample.
local function planner(size, elements, order, d, capacity)
    local runs <const> = (size + elements - 1) // elements
    local each <const>, step <const> = samples_of(elements, d), math.max(1, capacity // d - runs)
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
        local tile = {pieces = {}, total = 0, before = 0}
        for r = 1, runs do
            local count = math.min(elements, size - (r - 1) * elements)
            local high = last_run and math.min(count, taken[r] * d) or count
            if r == last_run then
                tile.last = tile.total + (taken[r] - 1) * d - low[r]
            end
            tile.before = tile.before + low[r]
            if high > low[r] then
                tile.pieces[#tile.pieces + 1] = {(r - 1) * elements + low[r], high - low[r]}
                tile.total = tile.total + high - low[r]
            end
        end
        first = final
        return tile
    end
end

return function(big, methods)
    -- Sorts tiles and writes them to a file. Returns the stream of their samples.
    local function make_runs(where, state, scratch, elements, d, descending)
        local whole = state.size // elements
        local n = whole * samples_of(elements, d) + samples_of(state.size - whole * elements, d)
        local sample, at, turn = rill.stream(state.type, n), 0, 1
        tiles.each(where, state, elements, function(s, first, count)
            local sorted <close> = s:sort {descending = descending}
            local chosen <close> = sorted:stride(d)
            local own <close> = sample:domain({at + 1}, {at + chosen.size})
            own:write(chosen)
            at = at + chosen.size
            scratch:wait(turn)
            core._download(sorted, scratch:memory(turn), 0, sorted.nbytes)
            scratch:post(turn, true, first, count)
            turn = 3 - turn
        end)
        scratch:wait(1)
        scratch:wait(2)
        return sample
    end

    -- Merges the runs into a file.
    local function merge_runs(where, state, next_tile, scratch, sink, capacity, descending)
        local input <close> = rill.stream(state.type, capacity)
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
                sink:put(part)
            end
            bar:step(final - first)
            written = written + final - first
            tile, following, buffer = following, later, 3 - buffer
        end
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
        local kind = core._tiles_kind(state.type)
        if not kind then
            errors.fail("%s: elements of %s have no .npy type: cast them", where, state.type)
        end
        local elements = math.min(math.max(1, state.size), tiles.elements(state, nil, SHARES))
        local count = (state.size + elements - 1) // elements
        local d = math.max(1, elements // (DENSITY * math.max(1, count)))
        local capacity = math.min(math.max(1, state.size), math.max(elements, 2 * count * d))
        local sink <close> = tiles.sink(where, path, state.type, state.shape, capacity)
        if count <= 1 then
            tiles.each(where, state, elements, function(s)
                local sorted <close> = s:sort {descending = descending}
                sink:put(sorted)
            end)
        else
            local scratch <close> = core._tiles_open("scratch", path, {where = where, kind = kind, memory = kind,
                little = true, capacity = capacity, buffers = 2})
            local sample <close> = make_runs(where, state, scratch, elements, d, descending)
            local order <close> = rill.argsort(sample, {descending = descending})
            merge_runs(where, state, planner(state.size, elements, order, d, capacity), scratch, sink, capacity,
                descending)
        end
        sink:finish()
        return big.result(path, state.type, state)
    end, "b:sort")
end
