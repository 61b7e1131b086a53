--- rill.reuse: runs a vertex kernel once for each distinct index of a batch instead of once for each index: M. Kenzel
-- et al., On-the-fly vertex reuse for massively-parallel software geometry processing (2018). Also orders of triangles,
-- and models of vertex caches.
local core = require "rill.core"
local rill = require "rill"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local strategies = require "rill.reuse.strategies"
local fail <const> = errors.fail

local reuse = {}
local RUN <const>, STARTS <const> = "rill.reuse.run", "rill.reuse.starts"

-- ---- arguments

-- The stream of triangles or indices at an argument, evaluated: of ivec3, or with `ints` of int; and its shape.
local function indices_of(where, n, name, value, ints)
    local s = errors.open(where .. ": argument #" .. n .. " '" .. name .. "'", value)
    if s.type ~= "ivec3" and not (ints and s.type == "int") then
        fail("%s: argument #%d '%s': expected a stream of ivec3%s, got stream<%s>", where, n, name,
            ints and " or int" or "", s.type)
    end
    local done, flat = pcall(s.reshape, s, s.size)
    return done and flat or s:copy():reshape(s.size), s.shape
end

-- The stream of indices at an argument as ints, their shape, and the number of indices of a primitive.
local function ints_of(where, n, name, value)
    local s, shape = indices_of(where, n, name, value, true)
    if s.type == "int" then return s, shape, 1 end
    local ints = s:as "int"
    local done, flat = pcall(ints.reshape, ints, ints.size)
    return done and flat or ints:copy():reshape(ints.size), shape, 3
end

local function check_range(where, s, n, name)
    local least = s:min()
    if least < 0 then
        fail("%s: argument #%d '%s': index %d is out of range: vertices are counted from 0", where, n, name, least)
    end
end

local function is_rate(s)
    return rill.type(s) == "stream" and not errors.not_open(s) and s.type == "int" and #s.shape == 1
end

local function is_starts(s)
    return rill.type(s) == "stream" and not errors.not_open(s) and s.type == "ivec2" and #s.shape == 1 and s.size > 0
end

local MOST_BLOCK <const>, MOST_BATCH <const> = 1024, 65535
local SIZES <const> = {
    batch = {option.count[1], option.count[2]}, block = {option.count[1], option.count[2]},
}
local OPTIONS <const> = {
    batch = SIZES.batch, block = SIZES.block, starts = {is_starts, "a stream that rill.reuse.starts returned"},
    warp = option.number(3, MOST_BLOCK, 32), rate = {is_rate, "an open stream of int in one dimension"},
    count = {option.count[1], option.count[2]},
}

-- The values for the parameters besides the index, from a list in the order of the parameters or by their names.
local function arguments_of(shade, given)
    local list, known = {}, {}
    for n, other in ipairs(shade.others) do
        known[other.name] = true
        local value = given[other.name]
        if value == nil then value = given[n] end
        if value == nil then
            fail("%s: argument #4 'arguments': '%s' is missing", RUN, other.name)
        end
        list[n] = value
    end
    for key in pairs(given) do
        if not known[key] and not (math.type(key) == "integer" and key >= 1 and key <= #shade.others) then
            fail("%s: argument #4 'arguments': unknown argument %s: '%s' takes %d besides the index", RUN,
                errors.told(key), shade.name, #shade.others)
        end
    end
    return list
end

-- The sizes of batches and blocks of a strategy.
local function sizes_of(where, row, taken, corners)
    local batch = taken.batch or row.batch or corners
    local o = {warp = row.static and taken.warp or nil, batch = batch - batch % corners}
    if batch < corners or batch > MOST_BATCH then
        fail("%s: option 'batch': expected %d to %d indices, got %d", where, corners, MOST_BATCH, batch)
    end
    o.block = not row.static and (taken.block or row.block) or nil
    if o.block and (o.block < corners or o.block > MOST_BLOCK) then
        fail("%s: option 'block': expected %d to %d distinct indices, got %d", where, corners, MOST_BLOCK, o.block)
    end
    return o
end

-- ---- reports

local NAMES <const> = {"invocations", "probes", "worst_probe", "votes", "passes", "slow"}

-- Returns a report whose counters are read back when one of them is used first.
local function report_of(plain, count, primitives)
    return setmetatable(plain, {__index = function(report, key)
        if not count then return nil end
        local known = key == "asr"
        for _, name in ipairs(NAMES) do known = known or name == key end
        if not known then return nil end
        local sums = {0, 0, 0, 0, 0, 0}
        for i, value in ipairs(count:values()) do
            local n = (i - 1) % #sums + 1
            sums[n] = n == 3 and math.max(sums[n], value) or sums[n] + value
        end
        count:close()
        for n, name in ipairs(NAMES) do rawset(report, name, sums[n]) end
        rawset(report, "asr", primitives > 0 and sums[1] / primitives or 0)
        count = nil
        return rawget(report, key)
    end})
end

-- ---- running

-- The streams for the results: one element for each index, in the shape of the indices.
local function results_of(o)
    local shape = {table.unpack(o.shape)}
    if o.corners == 3 then shape[#shape + 1] = 3 end
    local out, whole = {}, {}
    for n, result in ipairs(o.shade.results) do
        whole[n] = rill.stream(result.element, shape)
        out[n] = whole[n]:reshape(o.total)
    end
    return out, whole
end

local function run_multi(o, taken)
    check_range(RUN, o.indices, 2, "indices")
    local most = o.indices:max()
    local vertices = taken.count or most + 1
    if most >= vertices then
        fail("%s: argument #2 'indices': index %d is out of range: option 'count' is %d", RUN, most, vertices)
    end
    o.vertices = vertices
    strategies.multi(o)
    return {invocations = vertices, asr = vertices / o.primitives, batches = 0, probes = 0, worst_probe = 0, votes = 0,
        passes = 0, slow = 0}
end

local function refuse_starts(o)
    fail("%s: option 'starts': the batches are not those of these indices with batch = %d and block = %d: "
        .. "expected what rill.reuse.starts returns for them", RUN, o.batch, o.block)
end

-- Returns the batches of option 'starts', or computes them, and how many distinct indices all batches have.
local function starts_of(o, given)
    local starts = given or core._reuse_batches(RUN, o.indices, o.corners, o.batch, o.block)
    local first, last = starts:get(1), starts:get(starts.size)
    if last[1] ~= o.total then
        fail("%s: option 'starts': it has the batches of %d indices, argument #2 'indices' has %d", RUN, last[1],
            o.total)
    elseif first[1] ~= 0 or first[2] ~= 0 or last[2] < 1 or last[2] > o.total then
        refuse_starts(o)
    end
    return starts, last[2]
end

local function run_batched(strategy, row, o, given)
    if not row.static then
        o.starts, o.distinct = starts_of(o, given)
    end
    local count = strategies.batched(RUN, strategy, o)
    if given and o.starts then
        local distinct = count:domain({1, 1}, {count.shape[1], 1})
        if distinct:max() > o.block then refuse_starts(o) end
    elseif o.starts then
        o.starts:close()
    end
    return report_of({batches = count.shape[1]}, count, o.primitives)
end

--- rill.reuse.run(strategy, indices, kernel, arguments [, options]) returns a stream with an element for each index, in
-- order, and a report. strategy: one of rill.reuse.strategies(). indices: a stream of ivec3 (triangles; the result has
-- one dimension of size 3 more) or of int. kernel: its first parameter is the index, `int i`; the others are constants,
-- gathers `T x[]` and outputs; the values of the others are `arguments`, in order or by name. A kernel with several
-- outputs gives several streams. options: batch, the most indices of a batch (default: 96 of "warp", else 1023); block,
-- the most distinct indices of a dynamic batch (default: 256); warp, the width of a warp (default: 32); count, how many
-- vertices "multi" shades (default: the greatest index and 1); starts, what rill.reuse.starts returned for these
-- indices (default: it is computed); rate, a stream of int to whose element i the invocations for index i are added.
-- The report has invocations, asr (invocations per triangle, or per index of an int stream), batches, probes,
-- worst_probe, votes, passes and slow; its counters are read back when one of them is used first. Dynamic strategies
-- read the indices back to find the batches; "multi" reads back the range of the indices.
reuse.run = errors.guard(function(strategy, indices, kernel, arguments, options)
    local row = strategies.rows[strategy]
    if not row then
        fail("%s: argument #1 'strategy': expected one of \"%s\", got %s", RUN,
            table.concat(strategies.names(), '", "'), errors.told(strategy))
    end
    local flat, shape, corners = ints_of(RUN, 2, "indices", indices)
    if rill.type(kernel) ~= "kernel" then
        fail("%s: argument #3 'kernel': expected a kernel, got %s", RUN, errors.told(kernel))
    end
    if arguments ~= nil and (type(arguments) ~= "table" or rill.type(arguments)) then
        fail("%s: argument #4 'arguments': expected a table, got %s", RUN, errors.told(arguments))
    end
    local taken = option.take(RUN, options, OPTIONS)
    local shade = strategies.shade(RUN, kernel)
    local o = {shade = shade, corners = corners, total = flat.size, primitives = flat.size // corners,
        indices = flat, shape = shape, family = rill.device().family,
        rate = taken.rate, arguments = arguments_of(shade, arguments or {})}
    for key, value in pairs(row.bytes and sizes_of(RUN, row, taken, corners) or {}) do
        o[key] = value
    end
    local out, whole = results_of(o)
    o.out = out
    local report
    if o.total == 0 then
        report = {invocations = 0, asr = 0, batches = 0, probes = 0, worst_probe = 0, votes = 0, passes = 0, slow = 0}
    elseif strategy == "naive" then
        strategies.naive(o)
        report = {invocations = o.total, asr = corners, batches = 0, probes = 0, worst_probe = 0, votes = 0, passes = 0,
            slow = 0}
    elseif strategy == "multi" then
        report = run_multi(o, taken)
    else
        report = run_batched(strategy, row, o, taken.starts)
    end
    for n, s in ipairs(out) do
        if not rawequal(s, whole[n]) then s:close() end
    end
    whole[#whole + 1] = report
    return table.unpack(whole)
end, RUN)

--- rill.reuse.starts(indices [, {batch =, block =}]) returns the dynamic batches of indices, for the option `starts` of
-- rill.reuse.run: a stream of ivec2 with the position of the first index of each batch and the number of distinct
-- indices of all earlier batches, and then both numbers for all batches. The indices are read back.
reuse.starts = errors.guard(function(indices, options)
    local flat, _, corners = ints_of(STARTS, 1, "indices", indices)
    local o = sizes_of(STARTS, strategies.rows.hash, option.take(STARTS, options, SIZES), corners)
    return core._reuse_batches(STARTS, flat, corners, o.batch, o.block)
end, STARTS)

--- rill.reuse.strategies() returns a list of the names of strategies: "naive", one invocation for each index; "warp",
-- statically batched warp voting; "sort", "hash" and "parallel_hash", dynamically batched; "multi", all vertices by a
-- first kernel and the triangles by a second.
function reuse.strategies()
    return strategies.names()
end

-- ---- orders and caches

local ORDER <const>, CACHE <const>, ACMR <const> = "rill.reuse.order", "rill.reuse.cache", "rill.reuse.acmr"
local ENTRIES <const> = {forsyth = {4, 256, 32}, hoppe = {3, 128, 16}}
local ORDERS <const> = {
    entries = {option.count[1], option.count[2]}, seed = {option.count[1], option.count[2]},
}

--- rill.reuse.order(triangles, method [, options]) returns the triangles in another order, and the stream of their
-- numbers (0-based) in the old one. method: "forsyth" (T. Forsyth, Linear-speed vertex cache optimisation, 2006),
-- "hoppe" (H. Hoppe, Optimization of mesh locality for transparent vertex caching, 1999: greedy strips) or "random".
-- options: entries of the modeled cache ("forsyth": 4 to 256, default 32; "hoppe": 3 to 128, default 16); seed of
-- "random" (default: 1). Both methods read the triangles back.
reuse.order = errors.guard(function(triangles, method, options)
    local s = indices_of(ORDER, 1, "triangles", triangles)
    local range = ENTRIES[method]
    if not range and method ~= "random" then
        fail("%s: argument #2 'method': expected \"forsyth\", \"hoppe\" or \"random\", got %s", ORDER,
            errors.told(method))
    end
    local taken = option.take(ORDER, options, ORDERS)
    local entries = taken.entries or range and range[3]
    if range and (entries < range[1] or entries > range[2]) then
        fail("%s: option 'entries': expected %d to %d, got %d", ORDER, range[1], range[2], entries)
    end
    local order = method == "random" and rill.permutation(s.size, {seed = taken.seed or 1}) or
        core._reuse_order(s, method == "hoppe", entries)
    return rill.gather(s, order), order
end, ORDER)

local MODES <const> = {
    entries = {option.count[1], option.count[2], 1024}, parallel = {option.count[1], option.count[2]},
    window = option.words({"blocks", "sliding"}, "blocks"), replacement = option.words({"lru", "fifo"}, "lru"),
}

local function misses(where, triangles, taken)
    local s = indices_of(where, 1, "triangles", triangles)
    if taken.entries > 1 << 20 or (taken.parallel or 0) > 1 << 20 then
        fail("%s: option '%s': expected at most %d", where, taken.entries > 1 << 20 and "entries" or "parallel",
            1 << 20)
    end
    local count, vertices = core._reuse_misses(s, taken.entries, taken.replacement == "lru", taken.parallel or 0,
        taken.window == "sliding")
    return s.size > 0 and count / s.size or 0, s.size > 0 and vertices / s.size or 0
end

--- rill.reuse.cache(triangles [, options]) returns the misses per triangle of a modeled cache, and the ideal: distinct
-- vertices per triangle. options: entries (default: 1024); parallel, how many indices are in flight (default: none, a
-- vertex is available at once); window, "blocks": the vertices of a block of `parallel` indices become available
-- together (default), or "sliding": each does `parallel` indices later; replacement, "lru" (default) or "fifo".
reuse.cache = errors.guard(function(triangles, options)
    return misses(CACHE, triangles, option.take(CACHE, options, MODES))
end, CACHE)

--- rill.reuse.acmr(triangles [, entries]) returns the average cache miss ratio: misses per triangle of a cache of
-- `entries` (default: 16), first in, first out.
reuse.acmr = errors.guard(function(triangles, entries)
    local taken = option.take(ACMR, {entries = entries}, {entries = {option.count[1], option.count[2], 16}})
    taken.replacement = "fifo"
    return (misses(ACMR, triangles, taken))
end, ACMR)

local DRIVER <const> = "rill.reuse.driver"

--- rill.reuse.driver(triangles) returns how often the device's own pipeline runs a vertex shader for a draw call of
-- these triangles, counted by an atomic counter: invocations, and invocations per triangle. The number is read back.
reuse.driver = errors.guard(function(triangles)
    local s = indices_of(DRIVER, 1, "triangles", triangles)
    local count <close> = rill.stream("int", 1)
    core._rasterize(DRIVER, "invocations", 1, 1, {{false, s, 0}}, count)
    local invocations = count:get(1)
    return invocations, s.size > 0 and invocations / s.size or 0
end, DRIVER)

return errors.strict(reuse, "rill.reuse")
