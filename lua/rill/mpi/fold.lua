-- Reductions, histograms and scans of distributed streams. Every rank gets the same result. The partial sums of scans
-- have the same bits for any number of ranks: floats are added within units, whose elements do not depend on the number
-- of ranks, and then unit by unit.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local fold = require "rill.parts.fold"
local histogram = require "rill.parts.histogram"
local quantile = require "rill.parts.quantile"
local top_k = require "rill.parts.top_k"
local option = require "rill.core.options"
local tables = require "rill.core.tables"
local template = require "rill.glsl.template"
local types = require "rill.core.types"
local cut = require "rill.mpi.cut"
local distributed = require "rill.mpi.distributed"
local wire = require "rill.mpi.wire"
local fail <const> = errors.fail
local methods <const> = distributed.methods

-- Returns a stream's state whose boxes consist of whole units: its own, or that of a rebalanced copy.
local function aligned(state, d)
    if state.data.cut.aligned then
        return state
    end
    return d:rebalance()._state
end

local function scalar_state(d, name, argument)
    local state = distributed.check("D:" .. name, argument or "d", d)
    if not types.scalar(state.data.type) then
        fail("D:%s: expected a distributed stream of numbers, got elements of %s", name, state.data.type)
    end
    return state
end

local function is_whole(state)
    local seen = types.seen_scalar(state.data.type)
    return seen ~= "float" and seen ~= "double"
end

-- Returns the state of the second operand of D:dot.
local function operand(state, other)
    local second = scalar_state(other, "dot", "other")
    if not cut.same(state.data.cut, second.data.cut) then
        fail("D:dot: the arguments are cut differently (%s; %s): D:rebalance() gives the standard cut",
            cut.text(state.data.cut), cut.text(second.data.cut))
    elseif state.data.type ~= second.data.type then
        fail("D:dot: expected elements of %s, got %s", state.data.type, second.data.type)
    end
    return second
end

-- The provider of a distributed stream: see rill.parts.fold.
local function provide(where, name, d, other)
    local state = name == "histogram" and distributed.check(where, "d", d) or scalar_state(d, name)
    local second = name == "dot" and operand(state, other)
    local c <const> = state.data.cut
    if name == "top_k" and #c.shape ~= 1 then
        fail("D:top_k: expected a distributed stream of one dimension, got %d", #c.shape)
    end
    local size <const> = tables.product(c.shape)
    return {where = where, type = state.data.type, size = size, gather = wire.gather, each = function(f)
        f(distributed.part(state), function(i)
            local at = fold.indices(c.own, i)
            for e, first in ipairs(c.first) do
                at[e] = at[e] + first
            end
            return at
        end, second and distributed.part(second))
    end}
end

--- D:sum() and the other reductions of streams return the reduction of all elements, the same on every rank. Indices
-- of elements are one per dimension.
fold.define(methods, "D", provide)

--- D:histogram([options]) returns the numbers of elements per bin, and the edges of the bins, as streams that are the
-- same on every rank: see s:histogram. The counts are doubles if D has 2^31 elements or more.
histogram.define(methods, "D", provide)

--- D:quantile(q), D:percentile(p) and D:median() return numbers with the bits of s:quantile, s:percentile and s:median,
-- of all elements, the same on every rank.
quantile.define(methods, "D", provide)

--- D:top_k(k [, options]) returns the first k elements of the sorted stream, of one dimension, and their 0-based
-- indices in the whole, int, or double from 2^31 elements on: streams that are the same on every rank. Of equal
-- elements the first ones are taken. Option: largest (default true): false takes the smallest.
top_k.define(methods, "D", provide)

-- ---- scans

-- The elements of a chunk, which one invocation scans.
local CHUNK <const> = 32

local CHUNK_SUMS <const> = template.new [[
    kernel void chunk_sums($type s[], int n, int unit, int chunks, out $wide r<>) {
        int c = indexof(r).x, low = c / chunks * unit + c % chunks * $chunk;
        int high = min(min(low + $chunk, (c / chunks + 1) * unit), n);
        $wide sum = $wide(0);
        for (int i = low; i < high; i++)
            sum += $wide(s[i]);
        r = sum;
    }
]]

local UNIT_SCANS <const> = template.new [[
    kernel void unit_scans($wide s[], int chunks, inout $wide before[], out $wide r<>) {
        int first = indexof(r).x * chunks;
        $wide sum = $wide(0);
        for (int c = first; c < first + chunks; c++) {
            before[c] = sum;
            sum += s[c];
        }
        r = sum;
    }
]]

local CHUNK_SCANS <const> = template.new [[
    kernel void chunk_scans($type s[], $wide before[], $wide carry[], int n, int unit, int chunks, inout $type r[],
        out int done<>) {
        int c = indexof(done).x, low = c / chunks * unit + c % chunks * $chunk;
        int high = min(min(low + $chunk, (c / chunks + 1) * unit), n);
        $wide sum = carry[c / chunks] + before[c];
        for (int i = low; i < high; i++) {
            $wide next = sum + $wide(s[i]);
            r[i] = $type($if(exclusive){sum}$else{next});
            sum = next;
        }
        done = 0;
    }
]]

local SCAN_OPTIONS <const> = {exclusive = option.default(option.flag, false)}

-- The remainders of whole sums, as the 32-bit integers that the kernels compute with.
local WRAP <const> = {
    int = "x - 4294967296.0lf * floor((x + 2147483648.0lf) / 4294967296.0lf)",
    uint = "x - 4294967296.0lf * floor(x / 4294967296.0lf)",
}

--- D:scan([options]) returns the running sums of a distributed stream of one dimension of numbers, as a distributed
-- stream of the type of s:scan (int, uint, float or double) in the same cut. Sums of integers are those modulo 2^32.
-- Floats are added as doubles, in an order that does not depend on the number of ranks. Option: exclusive (default
-- false): an element is not part of its own sum.
function methods.scan(d, options)
    local state = scalar_state(d, "scan")
    local o = option.take("D:scan", options, SCAN_OPTIONS)
    if #state.data.cut.shape ~= 1 then
        fail("D:scan: expected a distributed stream of one dimension, got %d", #state.data.cut.shape)
    end
    local own = aligned(state, d)
    local c, seen = own.data.cut, types.seen_scalar(own.data.type)
    seen = seen == "bool" and "int" or seen
    local wide = is_whole(own) and seen or "double"
    local result = distributed.create(seen, c)
    local part = distributed.part(own)
    part = own.data.type ~= seen and c.size > 0 and part:cast(seen) or part
    local n, unit = c.own[1], c.units[1]
    local chunks, units = (unit + CHUNK - 1) // CHUNK, (n + unit - 1) // unit
    local before, totals, text = nil, nil, ""
    local values = {type = seen, wide = wide, chunk = CHUNK, exclusive = o.exclusive}
    if n > 0 then
        local sums = CHUNK_SUMS:kernel(values) {s = part, n = n, unit = unit, chunks = chunks,
            shape = units * chunks}
        before = rill.stream(wide, units * chunks)
        totals = UNIT_SCANS:kernel(values) {s = sums, chunks = chunks, before = before, shape = units}
        text = totals:cast("double"):bytes()
        sums:close()
    end
    if c.shape[1] == 0 then
        return result
    end
    local carry = wire.mpi.scan_units(text, c.first[1] // unit, (c.shape[1] + unit - 1) // unit)
    if n > 0 then
        carry = rill.stream("double", units):write(carry)
        totals:write((WRAP[wide] and carry:map(WRAP[wide]) or carry):cast(wide))
        CHUNK_SCANS:kernel(values) {s = part, before = before, carry = totals, n = n, unit = unit,
            chunks = chunks, r = distributed.part(result._state), shape = units * chunks}
        before:close()
        totals:close()
    end
    return result
end
