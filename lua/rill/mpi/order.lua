-- Operations of distributed streams that move elements between ranks: collect, distribute, rebalance, filter, find,
-- sort and unique.
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local tables = require "rill.core.tables"
local types = require "rill.core.types"
local cut = require "rill.mpi.cut"
local constructor = require "rill.mpi.constructor"
local samples = require "rill.parts.order"
local distributed = require "rill.mpi.distributed"
local texts = require "rill.stream.filter"
local wire = require "rill.mpi.wire"
local fail <const> = errors.fail
local methods <const> = distributed.methods

local order = {}

local TAG <const> = 200

-- ---- moving elements

-- Sends rows of a stream to other ranks and receives rows from them. sends: for each rank {first, count} rows of `s`,
-- or nil; counts: the numbers of rows that each rank sends to this one. Returns a stream of the rows received, in order
-- of the ranks.
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

--- order.exchange(s, element, shape, sends, counts) exchanges elements: see above.
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

--- D:rebalance() returns a distributed stream with the same elements in the standard cut, in which all ranks have about
-- as many elements. D must be cut along its first dimension only.
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
--- order.from_rows(part) returns a distributed stream whose parts are streams of any numbers of rows, in order of the
-- ranks.
order.from_rows = from_rows

--- distributed.gathered(part, params, name) is described in rill.mpi.distributed.
function distributed.gathered(part, vouts, name)
    if not part then
        for _, param in ipairs(vouts) do
            part = param.name == name and rill.stream(param.type, 0) or part
        end
    end
    return from_rows(part)
end

--- D:collect([root]) returns all elements as a stream on one rank, and nil on the others. Default of root: 1. D:collect
-- "all" returns them on every rank.
function methods.collect(d, root)
    local state = distributed.check("D:collect", "d", d)
    local all = root == "all"
    root = all and 1 or tables.whole(root) or 1
    if math.type(root) ~= "integer" or root < 1 or root > wire.size then
        fail("D:collect: argument #1 'root': expected a rank from 1 to %d, or \"all\", got %s", wire.size,
            errors.told(root))
    end
    local c, part = state.data.cut, distributed.part(state)
    local whole = (wire.rank == root or all) and rill.stream(state.data.type, c.shape) or nil
    local requests, memories, targets = {}, {}, {}
    if c.size > 0 and (all and wire.size > 1 or not whole) then
        local memory = wire.borrow(part.nbytes) -- of all messages
        memories[1] = memory
        wire.download(part, memory, 0)
        for rank = all and 1 or root, all and wire.size or root do
            if rank ~= wire.rank then
                wire.post(requests, true, memory, 0, part.nbytes, rank, TAG + 1)
            end
        end
    end
    for rank = 1, whole and wire.size or 0 do
        local first, last, size = cut.box(c, rank)
        if size > 0 and rank ~= wire.rank then
            local view = whole:domain(first, last)
            local memory = wire.borrow(view.nbytes)
            memories[#memories + 1] = memory
            targets[#targets + 1] = {view = view, memory = memory}
            wire.post(requests, false, memory, 0, view.nbytes, rank, TAG + 1)
        elseif size > 0 then
            whole:domain(first, last):write(part)
        end
    end
    wire.wait(requests)
    for _, target in ipairs(targets) do
        wire.upload(target.view, target.memory, 0)
    end
    for _, memory in ipairs(memories) do
        wire.give(memory)
    end
    if whole and state.modes then
        local bounded <close> = whole:boundary(table.unpack(state.modes))
        core._inherit(whole, bounded)
    end
    return whole
end

--- rill.mpi.distribute(stream, root [, options]) returns a distributed stream of the elements of a stream that one rank
-- has; the others pass nil. Default of root: 1. Options: boundary, halo, ranks, as for rill.mpi.stream.
function order.distribute(s, root, options)
    local where <const> = "rill.mpi.distribute"
    root = tables.whole(root) or 1
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
    local mine = {}
    if wire.rank == root then
        mine = problem and {problem} or
            {shape = tables.copy(own.shape), type = own.type, modes = core._boundary(own, true)}
    end
    local told = wire.decode(wire.mpi.gather(wire.encode(mine))[root])
    if told[1] then
        fail("%s", told[1])
    end
    local d = constructor.stream(told.type, told.shape, options)
    local state = d._state
    state.modes = state.modes or told.modes
    local c, part = state.data.cut, distributed.part(state)
    local requests, memories = {}, {}
    if wire.rank == root then
        for rank = 1, wire.size do
            local first, last, size = cut.box(c, rank)
            local view = size > 0 and own:domain(first, last)
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

local LARGEST <const> = (1 << 31) - 1 -- the largest int

-- Returns the part of a mask. Expressions and kernels count indices in the whole.
local function mask_of(d, state, name, test, constants)
    local where <const>, c, part = "D:" .. name, state.data.cut, distributed.part(state)
    local is_text = type(test) == "string"
    if c.shape[1] > LARGEST and (name == "find" or rill.type(test) == "kernel" or
        is_text and test:find "%f[%w_]i%f[^%w_]") then
        fail("%s: the stream has %d elements, and indices are below 2^31: use D.part, or filter by an expression " ..
            "without i", where, c.shape[1])
    elseif is_text then
        local place = c.size > 0 and {first = c.first[1] + 1, shape = c.shape[1]} or nil
        return texts.mask(where, part, test, constants, place)
    elseif rill.type(test) == "kernel" then
        local none <close> = rill.stream(part.type, 0)
        none[name](none, core._is_random(test) and test:seed(0) or test, constants) -- raises unless it is a predicate
        test, constants = test(d), nil
    end
    if constants ~= nil then
        fail("%s: argument #2 'constants': expected none, since only an expression has constants, got %s", where,
            errors.told(constants))
    elseif not distributed.is(test) then
        return test
    end
    local other = distributed.check(where, "test", test)
    if not cut.same(c, other.data.cut) then
        fail("%s: the mask is cut differently (%s; %s)", where, cut.text(other.data.cut), cut.text(c))
    end
    return distributed.part(other)
end

--- D:filter(test [, constants]) returns a distributed stream of the elements for which a test holds, in order. test: as
-- for s:filter, with indices in the whole, or a distributed mask with the cut of D. Each rank keeps the elements of its
-- part: D:rebalance() evens out their numbers. D has one dimension.
function methods.filter(d, test, constants)
    local state = line_state(d, "filter")
    return from_rows(distributed.part(state):filter(mask_of(d, state, "filter", test, constants)))
end

--- D:find(test [, constants]) returns a distributed stream (int) of the 0-based indices of the elements for which a
-- test holds: see D:filter. D has fewer than 2^31 elements.
function methods.find(d, test, constants)
    local state = line_state(d, "find")
    local found = distributed.part(state):find(mask_of(d, state, "find", test, constants))
    return from_rows((found + state.data.cut.first[1]):eval())
end

-- ---- sorting

local SORT_OPTIONS <const> = {descending = option.default(option.flag, false)}

local MOST_SAMPLES <const> = 1 << 22 -- elements

--- order.samples(size) returns the number of elements of the samples of all ranks in a sort, divided by the square of
-- the number of ranks. If it is s, ranks receive 2/s more elements than they keep.
function order.samples(size)
    return math.max(2, math.min(64, MOST_SAMPLES // (size * size)))
end

--- D:sort([options]) returns the sorted elements as a distributed stream in the standard cut: rank 1 has the first
-- ones. D has one dimension of numbers. Equal elements keep their order. Each rank sorts its elements, sends those of
-- other ranks to them, and merges. Option: descending (default false).
function methods.sort(d, options)
    local state = line_state(d, "sort")
    local descending = option.take("D:sort", options, SORT_OPTIONS).descending
    local c, element = state.data.cut, state.data.type
    if not types.scalar(element) then
        fail("D:sort: expected a distributed stream of numbers, got elements of %s", element)
    end
    local part, target = distributed.part(state), cut.new("D:sort", c.shape)
    local sorted = part.size > 0 and part:sort {descending = descending} or rill.stream(element, 0)
    if wire.size == 1 or c.shape[1] == 0 then
        return distributed.adopt(sorted, target)
    end
    local lengths, total = {}, 0
    local distance <const> = math.max(1, c.shape[1] // (order.samples(wire.size) * wire.size * wire.size))
    for rank = 1, wire.size do
        lengths[rank] = c.ends[1][rank + 1] - c.ends[1][rank]
        total = total + samples.samples(lengths[rank], distance)
    end
    local own <close> = sorted:stride(distance)
    local sample <close> = rill.stream(element, total):write(table.concat(wire.mpi.gather(own:bytes())))
    local next_range = samples.planner(lengths, distance, sample, descending)
    local sends, counts, skipped = {}, {}, 0
    for rank = 1, wire.size do
        local pieces, before = next_range(target.ends[1][rank + 1])
        sends[rank] = {pieces[wire.rank].first, pieces[wire.rank].count}
        for r, piece in ipairs(rank == wire.rank and pieces or {}) do
            counts[r], skipped = piece.count, target.ends[1][rank] - before
        end
    end
    local taken <close> = exchange(sorted, element, {0}, sends, counts)
    sorted:close() -- the merge can use the memory
    local merged = samples.merge(taken, counts, descending)
    if merged.size > target.own[1] then
        local all <close> = merged
        merged = target.own[1] > 0 and all:domain({skipped + 1}, {skipped + target.own[1]}):copy()
            or rill.stream(element, 0)
    end
    return distributed.adopt(merged, target)
end

--- D:unique() returns the distinct elements in ascending order, as a distributed stream, and how often each occurs
-- (int). D has one dimension of numbers.
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

return order
