-- Reductions and scans of distributed streams. Every rank gets the same result, which has the same bits for any number
-- of ranks: floats are added within units, whose elements do not depend on the number of ranks, and then unit by unit.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local tables = require "rill.core.tables"
local template = require "rill.glsl.template"
local types = require "rill.core.types"
local cut = require "rill.mpi.cut"
local distributed = require "rill.mpi.distributed"
local wire = require "rill.mpi.wire"
local fail <const> = errors.fail
local methods <const> = distributed.methods

local fold = {}

local LANES <const> = 8 -- invocations that add the elements of a unit

-- Adds the elements of a unit, or their products: lane i adds the elements i, i + LANES ... of each of its lines. The
-- part has four dimensions, and u is the size of a unit in each of them. Elements are multiplied by `scale`.
local ADD <const> = [[
    kernel void unit_sums($type s[][][][], $if(pair){$type t[][][][],} double mean, double scale, ivec4 n,
        ivec4 u, out double r<>) {
        ivec4 at = indexof(r);
        int lane = at.x % $lanes;
        ivec4 low = ivec4(at.x / $lanes, at.yzw) * u, high = min(low + u, n);
        int i = 0, j = 0, k = low.y;
        double sum = 0.0lf;
        $if(w){for (i = low.w; i < high.w; i++)}
            $if(z){for (j = low.z; j < high.z; j++)}
                $if(y){for (k = low.y; k < high.y; k++)}
                    for (int x = low.x + lane; x < high.x; x += $lanes)
                        sum += $term;
        r = sum;
    }
]]

-- Adds the sums of the lanes in their order.
local JOIN <const> = template.new [[
    kernel void lane_sums(double s[], out double r<>) {
        int unit = indexof(r).x;
        double sum = 0.0lf;
        for (int lane = 0; lane < $lanes; lane++)
            sum += s[unit * $lanes + lane];
        r = sum;
    }
]]

-- Returns a list of at most four sizes, fastest first, filled up with ones. A shape of more dimensions has its last
-- dimensions as one.
local function four(list)
    local result, n = {1, 1, 1, 1}, #list
    if n > 4 then
        local rest = 1
        for d = 4, n do
            rest = rest * list[d]
        end
        return {rest, list[3], list[2], list[1]}
    end
    for d = 1, n do
        result[n - d + 1] = list[d]
    end
    return result
end

local X <const> = "double(s[i][j][k][x])$if(scaled){ * scale}"
local Y <const> = "double(t[i][j][k][x])$if(scaled){ * scale}"
-- A difference is scaled where it is in range: before the subtraction if scale < 1, else after it.
local AWAY <const> = "(double(s[i][j][k][x])$if(scaled){ * min(scale, 1.0lf)} - mean$if(scaled){ * min(scale, 1.0lf)})"
    .. "$if(scaled){ * max(scale, 1.0lf)}"

local function unit_kernel(term) return template.new((ADD:gsub("%$term", term))) end

-- Kernels that add the terms of elements, and the scales with which doubles are added again if the sum is out of range:
-- `down` if it is not finite, `up` if squares or products underflow (J. Blue 1978).
local TERMS <const> = {
    sum = {add = unit_kernel(X), down = 0x1p-64},
    square = {add = unit_kernel("(" .. X .. ") * (" .. X .. ")"), down = 0x1p-600, up = 0x1p600},
    product = {add = unit_kernel("(" .. X .. ") * (" .. Y .. ")"), down = 0x1p-550, up = 0x1p512},
    deviation = {add = unit_kernel("(" .. AWAY .. ") * (" .. AWAY .. ")"), down = 0x1p-600, up = 0x1p600},
}

-- Returns the numbers of units of a box, fastest first.
local function unit_counts(own, units)
    local counts = {}
    for i = 1, 4 do
        counts[i] = (own[i] + units[i] - 1) // units[i]
    end
    return counts
end

-- Returns the sums of the units of this rank's part, as packed doubles.
local function unit_sums(state, term, other, mean, scale)
    local c = state.data.cut
    if c.size == 0 then
        return ""
    end
    local own, units = four(c.own), four(c.units)
    local counts = unit_counts(own, units)
    local box = {own[4], own[3], own[2], own[1]}
    local function view(of)
        local part = distributed.part(of)
        local done, flat = pcall(part.reshape, part, box)
        return done and flat or part:copy():reshape(box)
    end
    local kernel = TERMS[term].add:kernel {type = types.list[state.data.type].seen, lanes = LANES,
        scaled = scale ~= nil, pair = other ~= nil, y = units[2] > 1, z = own[3] > 1, w = own[4] > 1}
    local given = {s = view(state), mean = mean or 0, scale = scale or 1, n = own, u = units,
        shape = {counts[4], counts[3], counts[2], counts[1] * LANES}}
    given.t = other and view(other)
    local lanes = kernel(given)
    local total = counts[1] * counts[2] * counts[3] * counts[4]
    local line <close> = lanes:reshape(total * LANES) -- a view left to the collector would keep the memory
    local sums = JOIN:kernel {lanes = LANES} {s = line, shape = total}
    local text = sums:bytes()
    lanes:close()
    sums:close()
    return text
end

-- Returns the position of this rank's first unit in the whole, the numbers of its units and of all units, for four
-- dimensions, slowest first.
local function unit_box(c)
    local whole, own, units = four(c.shape), four(c.own), four(c.units)
    local first = four(c.first)
    if #c.shape < 4 then
        for i = #c.shape + 1, 4 do
            first[i] = 0
        end
    end
    local counts, all = unit_counts(own, units), unit_counts(whole, units)
    local result = {}
    for i = math.min(4, #c.shape), 1, -1 do
        result[#result + 1], result[#result + 2], result[#result + 3] = first[i] // units[i], counts[i], all[i]
    end
    while #result < 12 do
        result[#result + 1], result[#result + 2], result[#result + 3] = 0, 1, 1
    end
    return result
end

-- Returns a stream's state whose boxes consist of whole units: its own, or that of a rebalanced copy.
local function aligned(state, d)
    if state.data.cut.aligned then
        return state
    end
    return d:rebalance()._state
end

local function add(state, term, other, mean, scale)
    local c = state.data.cut
    return wire.mpi.add_units(unit_sums(state, term, other, mean, scale), cut.is_rows(c), table.unpack(unit_box(c)))
end

local LEAST <const> = 0x1p-900 -- smaller sums of products may have lost digits

--- fold.add(state, term, other, mean) returns the sum of the terms of all elements, on every rank, and the number by which
-- the elements were multiplied, so that the sum is in range: a power of two.
function fold.add(state, term, other, mean)
    if tables.product(state.data.cut.shape) == 0 then
        return 0.0, 1.0
    end
    local total, row = add(state, term, other, mean), TERMS[term]
    local finite = total - total == 0
    local scale = not finite and row.down or math.abs(total) < LEAST and row.up
    if scale and state.data.type == "double" then
        local again = add(state, term, other, mean, scale)
        if not finite or again - again == 0 then
            return again, scale
        end
    end
    return total, 1.0
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

-- Combines the values of the ranks in order. Ranks without elements have nil.
local function combine(value, better)
    local best, owner
    for rank, text in ipairs(wire.mpi.gather(wire.encode(value))) do
        local other = wire.decode(text)
        if other ~= nil and (best == nil or better(other, best)) then
            best, owner = other, rank
        end
    end
    return best, owner
end

local function is_nan(x) return x ~= x end

-- Returns the sum of all elements, and its scale: see fold.add.
local function sum_of(state, d)
    if is_whole(state) then
        local total = 0
        local own = state.data.cut.size > 0 and distributed.part(state):sum() or 0
        for _, text in ipairs(wire.mpi.gather(wire.encode(own))) do
            total = total + wire.decode(text)
        end
        return total
    end
    return fold.add(aligned(state, d), "sum")
end

local function mean_of(state, d, n)
    local sum, scale = sum_of(state, d)
    return sum / n / (scale or 1)
end

--- D:sum() returns the sum of all elements: a number, the same on every rank and with the same bits for any number of
-- ranks. Floats are added as doubles. D:mean(), D:norm() (the square root of the sum of squares), D:var() and D:std()
-- (divided by the number of elements) likewise; mean, var and std of an empty stream are nil.
function methods.sum(d)
    local sum, scale = sum_of(scalar_state(d, "sum"), d)
    return scale and sum / scale or sum
end

--- D:mean() returns the mean of all elements: see D:sum.
function methods.mean(d)
    local state = scalar_state(d, "mean")
    local n = tables.product(state.data.cut.shape)
    return n > 0 and mean_of(state, d, n) or nil
end

--- D:norm() returns the square root of the sum of the squares.
function methods.norm(d)
    local squares, scale = fold.add(aligned(scalar_state(d, "norm"), d), "square")
    return math.sqrt(squares) / scale
end

-- Returns the variance and its scale; nothing for an empty stream.
local function variance_of(d, name)
    local state = scalar_state(d, name)
    local n = tables.product(state.data.cut.shape)
    if n > 0 then
        local squares, scale = fold.add(aligned(state, d), "deviation", nil, mean_of(state, d, n))
        return squares / n, scale
    end
end

--- D:var() returns the variance: the mean of the squared differences from the mean.
function methods.var(d)
    local value, scale = variance_of(d, "var")
    return value and value / scale / scale
end

--- D:std() returns the standard deviation, the square root of D:var.
function methods.std(d)
    local value, scale = variance_of(d, "std")
    return value and math.sqrt(value) / scale
end

--- D:dot(other) returns the sum of the products of the elements of two distributed streams with the same cut.
function methods.dot(d, other)
    local state, second = scalar_state(d, "dot"), scalar_state(other, "dot", "other")
    if not cut.same(state.data.cut, second.data.cut) then
        fail("D:dot: the arguments are cut differently (%s; %s): D:rebalance() gives the standard cut",
            cut.text(state.data.cut), cut.text(second.data.cut))
    elseif state.data.type ~= second.data.type then
        fail("D:dot: expected elements of %s, got %s", state.data.type, second.data.type)
    end
    if not state.data.cut.aligned then
        return d:rebalance():dot(other:rebalance())
    end
    local sum, scale = fold.add(state, "product", second)
    return sum / scale / scale
end

-- Defines a reduction whose result is that of one rank. `better`: whether another value replaces the best.
local function extreme(name, better)
    methods[name] = function(d)
        local state = scalar_state(d, name)
        local part = distributed.part(state)
        local own = state.data.cut.size > 0 and part[name](part) or nil
        return (combine(own, better))
    end
end

--- D:min(), D:max() return the least and the largest element, nil for an empty stream. A NaN is the result if there is
-- one.
extreme("min", function(a, b) return is_nan(a) and not is_nan(b) or a < b end)
extreme("max", function(a, b) return is_nan(a) and not is_nan(b) or a > b end)

local function index_of(name, better)
    methods[name] = function(d)
        local state = scalar_state(d, name)
        local c, own = state.data.cut, nil
        if c.size > 0 then
            local part = distributed.part(state)
            local index = {part[name](part)}
            local value = part:get(table.unpack(index))
            own = {type(value) == "boolean" and (value and 1 or 0) or value, 0}
            for e, n in ipairs(c.shape) do -- the flat index in the whole stream, which decides between equal values
                own[2] = own[2] * n + c.first[e] + index[e] - 1
            end
        end
        local best = combine(own, function(a, b)
            return better(a[1], b[1]) or (not better(b[1], a[1]) and a[2] < b[2])
        end)
        if not best then
            return nil
        end
        local index, rest = {}, best[2]
        for e = #c.shape, 1, -1 do
            index[e] = rest % c.shape[e] + 1
            rest = rest // c.shape[e]
        end
        return table.unpack(index)
    end
end

--- D:argmin(), D:argmax() return the 1-based indices of the first least or largest element, one per dimension; nil for
-- an empty stream.
index_of("argmin", function(a, b) return is_nan(a) and not is_nan(b) or a < b end)
index_of("argmax", function(a, b) return is_nan(a) and not is_nan(b) or a > b end)

local function of_all(name, start, join)
    methods[name] = function(d)
        local state = scalar_state(d, name)
        local part, value = distributed.part(state), start
        local own = state.data.cut.size > 0 and part[name](part)
        if state.data.cut.size == 0 then own = start end
        for _, text in ipairs(wire.mpi.gather(wire.encode(own))) do
            value = join(value, wire.decode(text))
        end
        return value
    end
end

--- D:any(), D:all() return whether some or all elements are not zero; D:count() the number of those.
of_all("any", false, function(a, b) return a or b end)
of_all("all", true, function(a, b) return a and b end)
of_all("count", 0, function(a, b) return a + b end)

-- These methods reduce all elements. Without this check an axis, which methods of streams take, would be ignored.
for _, name in ipairs {
    "sum", "mean", "norm", "var", "std", "min", "max", "argmin", "argmax", "any", "all", "count",
} do
    local f = methods[name]
    methods[name] = function(d, axis)
        if axis ~= nil then
            fail("D:%s: expected no argument, got %s: distributed streams are reduced as a whole; reduce D.part " ..
                "along an axis, and combine the parts with rill.mpi.reduce", name, errors.told(axis))
        end
        return f(d)
    end
end

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
    local carry = wire.mpi.scan_units(text, table.unpack(unit_box(c)))
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

return fold
