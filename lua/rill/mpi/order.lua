-- Operations of distributed streams that move elements between ranks: collect, distribute, rebalance, filter, find, sort,
-- unique and histogram.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local tables = require "rill.core.tables"
local types = require "rill.core.types"
local cut = require "rill.mpi.cut"
local distributed = require "rill.mpi.distributed"
local wire = require "rill.mpi.wire"
local fail <const> = errors.fail
local methods <const> = distributed.methods

local order = {}

local TAG <const> = 200

-- ---- moving elements

-- Sends rows of a stream to other ranks and receives rows from them. sends: for each rank {first, count} rows of `s`, or nil;
-- counts: the numbers of rows that each rank sends to this one. Returns a stream of the rows received, in order of the ranks.
local function exchange(s, element, shape, sends, counts)
    local total, width = 0, 1
    for d = 2, #shape do
        width = width * shape[d]
    end
    for _, n in ipairs(counts) do
        total = total + n
    end
    local own = {total, table.unpack(shape, 2)}
    local result = rill.stream(element, own)
    local size = rill.stream(element, 1).nbytes * width
    local requests, memories, at = {}, {}, 0
    local incoming = {}
    for rank, n in ipairs(counts) do
        if n > 0 and rank ~= wire.rank then
            local memory = wire.borrow(n * size)
            memories[#memories + 1] = memory
            incoming[#incoming + 1] = {memory = memory, at = at, count = n}
            wire.post(requests, false, memory, 0, n * size, rank, TAG)
        elseif n > 0 then
            incoming[#incoming + 1] = {at = at, count = n, first = sends[rank][1]}
        end
        at = at + n
    end
    local function rows(of, first, count)
        local low, high = {first + 1}, {first + count}
        for d = 2, #shape do
            low[d], high[d] = 1, shape[d]
        end
        return of:domain(low, high)
    end
    for step = 1, wire.size - 1 do -- not all ranks send to the same rank first
        local rank = (wire.rank - 1 + step) % wire.size + 1
        local range = sends[rank]
        if range and range[2] > 0 then
            local memory = wire.borrow(range[2] * size)
            memories[#memories + 1] = memory
            wire.download(rows(s, range[1], range[2]), memory, 0)
            wire.post(requests, true, memory, 0, range[2] * size, rank, TAG)
        end
    end
    for _, piece in ipairs(incoming) do
        if piece.first then
            rows(result, piece.at, piece.count):write(rows(s, piece.first, piece.count))
        end
    end
    wire.wait(requests)
    for _, piece in ipairs(incoming) do
        if piece.memory then
            wire.upload(rows(result, piece.at, piece.count), piece.memory, 0)
        end
    end
    for _, memory in ipairs(memories) do
        wire.give(memory)
    end
    return result
end

--- order.exchange(s, element, shape, sends, counts): see above.
order.exchange = exchange

-- The overlap of two ranges of rows: first, relative to the first range, and count.
local function overlap(low, high, from, to)
    local first, last = math.max(low, from), math.min(high, to)
    return {first - low, math.max(0, last - first)}
end

-- Moves the rows of a part, which is cut along the first dimension, to another such cut.
local function recut(part, c, target)
    local sends, counts = {}, {}
    local low, high = c.ends[1][wire.rank], c.ends[1][wire.rank + 1]
    local from, to = target.ends[1][wire.rank], target.ends[1][wire.rank + 1]
    for rank = 1, wire.size do
        sends[rank] = overlap(low, high, target.ends[1][rank], target.ends[1][rank + 1])
        counts[rank] = overlap(c.ends[1][rank], c.ends[1][rank + 1], from, to)[2]
    end
    return exchange(part, part.type, c.shape, sends, counts)
end

local function need_rows(where, c)
    if not cut.is_rows(c) then
        fail("%s: expected a distributed stream that is cut along its first dimension only, got %s", where, cut.text(c))
    end
end

--- order.recut(d, target) returns a distributed stream with the same elements in another cut along the first dimension.
function order.recut(d, target)
    local state = d._state
    return distributed.adopt(recut(distributed.part(state), state.data.cut, target), target, state.modes)
end

--- D:rebalance() returns a distributed stream with the same elements in the standard cut, in which all ranks have about as many elements. D must be cut
-- along its first dimension only.
function methods.rebalance(d)
    local state = distributed.check("D:rebalance", "d", d)
    local c = state.data.cut
    need_rows("D:rebalance", c)
    local target = cut.new("D:rebalance", c.shape)
    if cut.same(c, target) then
        return d:copy()
    end
    return distributed.adopt(recut(distributed.part(state), c, target), target, state.modes)
end

-- Returns a distributed stream whose parts are streams of any numbers of rows, in order of the ranks.
local function from_rows(part)
    local counts, total = {}, 0
    for rank, text in ipairs(wire.mpi.gather(string.pack("<i8", part.shape[1]))) do
        counts[rank] = string.unpack("<i8", text)
        total = total + counts[rank]
    end
    local shape = tables.copy(part.shape)
    shape[1] = total
    return distributed.adopt(part, cut.rows(shape, counts))
end
--- order.from_rows(part) returns a distributed stream whose parts are streams of any numbers of rows, in order of the ranks.
order.from_rows = from_rows

--- distributed.gathered(part, params, name): see rill.mpi.distributed.
function distributed.gathered(part, vouts, name)
    if not part then
        for _, param in ipairs(vouts) do
            part = param.name == name and rill.stream(param.type, 0) or part
        end
    end
    return from_rows(part)
end

--- D:collect([root]) returns all elements as a stream on one rank, and nil on the others. Default of root: 1. D:collect "all" returns them on every rank.
function methods.collect(d, root)
    local state = distributed.check("D:collect", "d", d)
    local all = root == "all"
    root = all and 1 or root or 1
    if math.type(root) ~= "integer" or root < 1 or root > wire.size then
        fail("D:collect: argument #1 'root': expected a rank from 1 to %d, or \"all\", got %s", wire.size,
            errors.told(root))
    end
    local c, part = state.data.cut, distributed.part(state)
    local whole = (wire.rank == root or all) and rill.stream(state.data.type, c.shape) or nil
    local function place(rank, other)
        local position, low, high, bytes = cut.place(c, rank), {}, {}, 1
        for e in ipairs(c.shape) do
            low[e], high[e] = c.ends[e][position[e] + 1] + 1, c.ends[e][position[e] + 2]
            bytes = bytes * (high[e] - low[e] + 1)
        end
        return bytes > 0 and (other or true) and {low, high, bytes} or nil
    end
    local requests, memories = {}, {}
    local targets = {}
    if c.size > 0 then
        for rank = 1, wire.size do
            if rank ~= wire.rank and (all or rank == root) then
                local memory = wire.borrow(part.nbytes)
                memories[#memories + 1] = memory
                wire.download(part, memory, 0)
                wire.post(requests, true, memory, 0, part.nbytes, rank, TAG + 1)
            end
        end
    end
    for rank = 1, whole and wire.size or 0 do
        local box = place(rank)
        if box and rank ~= wire.rank then
            local view = whole:domain(box[1], box[2])
            local memory = wire.borrow(view.nbytes)
            memories[#memories + 1] = memory
            targets[#targets + 1] = {view = view, memory = memory}
            wire.post(requests, false, memory, 0, view.nbytes, rank, TAG + 1)
        elseif box then
            whole:domain(box[1], box[2]):write(part)
        end
    end
    wire.wait(requests)
    for _, target in ipairs(targets) do
        wire.upload(target.view, target.memory, 0)
    end
    for _, memory in ipairs(memories) do
        wire.give(memory)
    end
    return whole
end

--- rill.mpi.distribute(stream, root [, options]) returns a distributed stream of the elements of a stream that one rank has; the others pass nil. Default of
-- root: 1. Options: boundary, halo, ranks, as for rill.mpi.stream.
function order.distribute(s, root, options)
    local where <const> = "rill.mpi.distribute"
    root = root or 1
    if math.type(root) ~= "integer" or root < 1 or root > wire.size then
        fail("%s: argument #2 'root': expected a rank from 1 to %d, got %s", where, wire.size, errors.told(root))
    end
    local own, problem
    if wire.rank == root then
        local done
        local other <const> = errors.not_open(s)
        done, own = pcall(errors.open, where, other and rill.zeros(0) or s)
        problem = other and ("%s: argument #1 'stream': expected an open stream, got %s"):format(where, other) or
            not done and own or type(own.type) ~= "string" and
            where .. ": a stream of structures cannot be sent: distribute its fields"
    end
    local told = wire.decode(wire.mpi.gather(wire.encode(wire.rank == root and
        {problem or nil, shape = not problem and tables.copy(own.shape) or nil, type = not problem and own.type or
            nil} or {}))[root])
    if told[1] then
        fail("%s", told[1])
    end
    local d = distributed.stream(told.type, told.shape, options)
    local state = d._state
    local c, part = state.data.cut, distributed.part(state)
    local requests, memories = {}, {}
    if wire.rank == root then
        for rank = 1, wire.size do
            local position, low, high, size = cut.place(c, rank), {}, {}, 1
            for e in ipairs(c.shape) do
                low[e], high[e] = c.ends[e][position[e] + 1] + 1, c.ends[e][position[e] + 2]
                size = size * (high[e] - low[e] + 1)
            end
            local view = size > 0 and own:domain(low, high)
            if view and rank == root then
                part:write(view)
            elseif view then
                local memory = wire.borrow(view.nbytes)
                memories[#memories + 1] = memory
                wire.download(view, memory, 0)
                wire.post(requests, true, memory, 0, view.nbytes, rank, TAG + 2)
            end
        end
    elseif c.size > 0 then
        local memory = wire.borrow(part.nbytes)
        memories[1] = memory
        wire.post(requests, false, memory, 0, part.nbytes, root, TAG + 2)
    end
    wire.wait(requests)
    if wire.rank ~= root and c.size > 0 then
        wire.upload(part, memories[1], 0)
    end
    for _, memory in ipairs(memories) do
        wire.give(memory)
    end
    return d
end

-- ---- filters

local function line_state(d, name)
    local state = distributed.check("D:" .. name, "d", d)
    if #state.data.cut.shape ~= 1 then
        fail("D:%s: expected a distributed stream of one dimension, got %d", name, #state.data.cut.shape)
    end
    return state
end

-- The part of a mask or predicate, which s:filter and s:find take.
local function predicate(where, state, test)
    if not distributed.is(test) then
        return test
    end
    local other = distributed.check(where, "test", test)
    if not cut.same(state.data.cut, other.data.cut) then
        fail("%s: the mask is cut differently (%s; %s)", where, cut.text(other.data.cut), cut.text(state.data.cut))
    end
    return distributed.part(other)
end

--- D:filter(test) returns a distributed stream of the elements for which a test holds, in order. test: as for s:filter, or a distributed mask with
-- the cut of D. Each rank keeps the elements of its part: D:rebalance() evens out their numbers. D has one dimension.
function methods.filter(d, test)
    local state = line_state(d, "filter")
    local part = distributed.part(state)
    local kept = part:filter(predicate("D:filter", state, test))
    return from_rows(kept)
end

--- D:find(test) returns a distributed stream (int) of the 0-based indices of the elements for which a test holds: see D:filter.
function methods.find(d, test)
    local state = line_state(d, "find")
    local found = distributed.part(state):find(predicate("D:find", state, test))
    return from_rows((found + state.data.cut.first[1]):eval())
end

-- ---- sorting

local SAMPLES <const> = 64 -- of each rank

-- Returns the elements at some positions of a sorted stream, as a stream.
local function sample(sorted, n)
    local positions = {}
    for i = 1, n do
        positions[i] = math.min(sorted.size - 1, (2 * i - 1) * sorted.size // (2 * n))
    end
    return rill.gather(sorted, rill.from(positions, "int"))
end

local EARLY_SAMPLES <const>, MOST_EARLY <const>, UNEVEN <const> = 512, 8, 1.3

-- Divides the elements of a stream at separators first .. last - 1. Appends the pieces to a list, in the order of the ranks.
local function divide(s, separators, first, last, descending, pieces)
    if first == last or s.size == 0 then
        for _ = first, last do
            pieces[#pieces + 1] = #pieces + 1 == first and s or rill.stream(s.type, 0)
        end
        return
    end
    local middle = (first + last) // 2
    local value = separators[middle]
    -- NaN comes last in both orders.
    local low, high = s:partition(descending and "x > at" or "x < at", {at = value})
    divide(low, separators, first, middle, descending, pieces)
    divide(high, separators, middle + 1, last, descending, pieces)
end

-- Sends the elements of streams that are not sorted to the ranks, so that all elements of a rank come before those of the
-- next: one sort of each rank's elements follows. Returns nil, on all ranks, if there are many ranks, if equal elements
-- would make the parts uneven, and for elements of bool.
local function divide_early(s, element, descending)
    if wire.size > MOST_EARLY or element == "bool" then -- bools are mostly equal
        return nil
    end
    local own = ""
    if s.size > 0 then
        local positions = {}
        for i = 1, EARLY_SAMPLES do
            positions[i] = (2 * i - 1) * s.size // (2 * EARLY_SAMPLES)
        end
        own = rill.gather(s, rill.from(positions, "int")):bytes()
    end
    local all = table.concat(wire.mpi.gather(own))
    local n = #all // rill.stream(element, 1).nbytes
    if n == 0 then
        return nil
    end
    local pool, separators = rill.stream(element, n):write(all):sort {descending = descending}, {}
    for rank = 1, wire.size - 1 do
        separators[rank] = pool:get(n * rank // wire.size + 1)
        if separators[rank] ~= separators[rank] then
            return nil
        end
    end
    local pieces, given = {}, {}
    divide(s, separators, 1, wire.size, descending, pieces)
    for rank, piece in ipairs(pieces) do
        given[rank] = piece.size
    end
    local totals, sum = {}, 0
    for rank = 1, wire.size do totals[rank] = 0 end
    for _, text in ipairs(wire.mpi.gather(string.pack("<" .. ("i8"):rep(wire.size), table.unpack(given)))) do
        for rank, count in ipairs {string.unpack("<" .. ("i8"):rep(wire.size), text)} do
            if rank <= wire.size then -- the last result is a position
                totals[rank], sum = totals[rank] + count, sum + count
            end
        end
    end
    if math.max(table.unpack(totals)) > UNEVEN * sum / wire.size + EARLY_SAMPLES then
        return nil
    end
    local sends, first = {}, 0
    for rank, count in ipairs(given) do
        sends[rank] = {first, count}
        first = first + count
    end
    local taken = exchange(rill.concat(pieces), element, {0}, sends, wire.mpi.counts(given))
    return taken.size > 0 and taken:sort {descending = descending} or taken
end

local SORT_OPTIONS <const> = {descending = option.default(option.flag, false)}

--- D:sort([options]) returns the sorted elements as a distributed stream in the standard cut: rank 1 has the first ones. D has one dimension of
-- numbers; 0.0 and -0.0 are equal, and their order may depend on the number of ranks. A sample of each rank's sorted elements gives the values at which the
-- ranks are separated (J. S. Huang and Y. C. Chow, Parallel sorting and data partitioning by sampling, 1983). Option: descending (default false).
function methods.sort(d, options)
    local state = line_state(d, "sort")
    local o = option.take("D:sort", options, SORT_OPTIONS)
    local c = state.data.cut
    if not types.scalar(state.data.type) then
        fail("D:sort: expected a distributed stream of numbers, got elements of %s", state.data.type)
    end
    local part = distributed.part(state)
    local sorted = wire.size > 1 and divide_early(part, state.data.type, o.descending)
    if not sorted then
        sorted = part.size > 0 and part:sort {descending = o.descending} or rill.stream(part.type, 0)
        sorted = wire.size > 1 and order.split(sorted, state.data.type, o.descending) or sorted
    end
    local result = from_rows(sorted)
    local target = cut.new("D:sort", c.shape)
    return cut.same(result._state.data.cut, target) and result or result:rebalance()
end

-- Returns, for each rank but the last, the number of elements of a sorted stream that go to it or to earlier ranks.
-- Equal elements at a separator are divided evenly, so that many equal elements do not all go to one rank.
local function separate(sorted, separators, descending)
    local low, high
    if sorted.size == 0 then
        low, high = {}, {}
        for i = 1, separators.size do
            low[i], high[i] = 0, 0
        end
    elseif descending then
        local flipped = sorted:flip():copy()
        low, high = rill.searchsorted(flipped, separators, {side = "right"}):values(),
            rill.searchsorted(flipped, separators):values()
        for i in ipairs(low) do
            low[i], high[i] = sorted.size - low[i], sorted.size - high[i]
        end
    else
        low, high = rill.searchsorted(sorted, separators):values(),
            rill.searchsorted(sorted, separators, {side = "right"}):values()
    end
    local ends, n = {}, separators.size
    for i = 1, n do
        local first, last = i, i -- the separators equal to this one
        while first > 1 and low[first - 1] == low[i] and high[first - 1] == high[i] do first = first - 1 end
        while last < n and low[last + 1] == low[i] and high[last + 1] == high[i] do last = last + 1 end
        ends[i] = low[i] + (high[i] - low[i]) * (i - first + 1) // (last - first + 2)
    end
    return ends
end

-- Merges the sorted runs of a stream, whose lengths are given.
local function merge_runs(s, counts, descending)
    local runs, first = {}, 0
    for _, n in ipairs(counts) do
        if n > 0 then
            runs[#runs + 1] = s:domain({first + 1}, {first + n})
        end
        first = first + n
    end
    if descending then -- rill.merge takes ascending runs
        return #runs > 1 and s:sort {descending = true} or s
    end
    while #runs > 1 do
        local merged = {}
        for i = 1, #runs, 2 do
            merged[#merged + 1] = runs[i + 1] and rill.merge(runs[i], runs[i + 1]) or runs[i]
        end
        runs = merged
    end
    return runs[1] and runs[1].size == s.size and runs[1] or s
end

--- order.split(sorted, element, descending) sends the elements of sorted streams to the ranks, so that all elements of a rank
-- come before those of the next. Returns this rank's elements, sorted.
function order.split(sorted, element, descending)
    local own = sorted.size > 0 and sample(sorted, SAMPLES):bytes() or ""
    local all = table.concat(wire.mpi.gather(own))
    local one = rill.stream(element, 1).nbytes
    local n = #all // one
    if n == 0 then
        return sorted
    end
    local pool = rill.stream(element, n):write(all):sort {descending = descending}
    local positions = {}
    for rank = 1, wire.size - 1 do
        positions[rank] = n * rank // wire.size
    end
    local ends = separate(sorted, rill.gather(pool, rill.from(positions, "int")), descending)
    local sends, given, before = {}, {}, 0
    for rank = 1, wire.size do
        local last = ends[rank] or sorted.size
        last = math.max(last, before)
        sends[rank], given[rank] = {before, last - before}, last - before
        before = last
    end
    local counts = wire.mpi.counts(given)
    return merge_runs(exchange(sorted, element, {0}, sends, counts), counts, descending)
end

--- D:unique() returns the distinct elements in ascending order, as a distributed stream, and how often each occurs (int). D has one dimension of numbers.
function methods.unique(d)
    line_state(d, "unique")
    local sorted = d:sort()
    local part = distributed.part(sorted._state)
    local values, counts = part:unique()
    local function equal(a, b) -- all NaN are one value
        return a == b or (a ~= a and b ~= b)
    end
    -- An element at the end of a part may continue on the following ranks: the first rank that has it counts it.
    local own = {n = values.size}
    if values.size > 0 then
        own.first, own.last = values:get(1), values:get(values.size)
        own.count, own.end_count = counts:get(1), counts:get(values.size)
    end
    local all = {}
    for rank, text in ipairs(wire.mpi.gather(wire.encode(own))) do
        all[rank] = wire.decode(text)
    end
    local first, extra = 1, 0
    if own.n > 0 then
        for rank = 1, wire.rank - 1 do
            if all[rank].n > 0 and equal(all[rank].last, own.first) then
                first = 2
            end
        end
        for rank = wire.rank + 1, wire.size do
            local other = all[rank]
            if other.n > 0 then
                if not equal(other.first, own.last) then
                    break
                end
                extra = extra + other.count
                if other.n > 1 then
                    break
                end
            end
        end
        if extra > 0 and not (own.n == 1 and first == 2) then
            counts:set(own.end_count + extra, own.n)
        end
    end
    local function rest(s)
        return first > s.size and rill.stream(s.type, 0) or s:domain({first}, {s.size}):copy()
    end
    return from_rows(rest(values)), from_rows(rest(counts))
end

-- Returns a stream of the least and the largest element, without NaN.
local function range(d, state)
    local low, high = d, d
    local seen = types.seen_scalar(state.data.type)
    if seen == "float" or seen == "double" then
        low = d:map("x == x ? x : other", {other = math.huge})
        high = d:map("x == x ? x : other", {other = -math.huge})
    end
    low, high = low:min(), high:max()
    return low and low <= high and rill.from({low, high}, "double") or rill.stream("double", 0)
end

--- D:histogram(options) returns the numbers of elements per bin, as a stream that is the same on every rank: see s:histogram.
function methods.histogram(d, options)
    local state = distributed.check("D:histogram", "d", d)
    local o = {}
    for key, value in pairs(options or {}) do
        o[key] = value
    end
    if o.min == nil or o.max == nil then
        local _, edges = range(d, state):histogram {bins = 1, min = o.min, max = o.max}
        o.min, o.max = edges:get(1), edges:get(2)
    end
    local counts = distributed.part(state):histogram(o)
    local total
    for _, text in ipairs(wire.mpi.gather(counts:bytes())) do
        local other = rill.stream(counts.type, counts.shape):write(text)
        total = total and (total + other):eval() or other
    end
    return total
end

return order
