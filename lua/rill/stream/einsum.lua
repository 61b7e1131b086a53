-- rill.einsum, rill.outer and rill.trace: products of streams, and sums over their dimensions.
local rill = require "rill.core.public"
local axes = require "rill.stream.axes"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local recorder = require "rill.core.recorder"
local tables = require "rill.core.tables"
local types = require "rill.core.types"
local fail <const> = errors.fail

local einsum = {}

local MOST_RANK <const> = 8

-- ---- operands: {s = a stream, labels = one label for each dimension, or none for the shape {1}}

local function index_of(list, item)
    for k, v in ipairs(list) do
        if v == item then
            return k
        end
    end
end

-- Returns the labels of a list that are in `other` (is_in true) or are not, in order.
local function common(list, other, is_in)
    local found = {}
    for _, label in ipairs(list) do
        if (index_of(other, label) ~= nil) == is_in then
            found[#found + 1] = label
        end
    end
    return found
end

local function sizes_of(labels, sizes)
    local shape = {}
    for k, label in ipairs(labels) do
        shape[k] = sizes[label]
    end
    return #shape > 0 and shape or {1}
end

-- Replaces two dimensions with the same label by their diagonal.
local function take_diagonal(operand, first, second)
    local order, labels, shape, old <const> = {}, {}, {}, operand.s.shape
    for d = 1, #old do
        if d ~= first and d ~= second then
            order[#order + 1], labels[#labels + 1], shape[#shape + 1] = d, operand.labels[d], old[d]
        end
    end
    local steps, n <const> = {}, old[first]
    for d = 1, #shape do
        steps[d] = 1
    end
    labels[#labels + 1] = operand.labels[first]
    order[#order + 1], order[#order + 2], shape[#shape + 1], steps[#steps + 1] = first, second, n * n, n + 1
    operand.s = axes.reshaped(operand.s:transpose(order), shape):stride(table.unpack(steps))
    operand.labels = labels
end

local function take_diagonals(operand)
    for d = #operand.labels, 2, -1 do
        local first <const> = index_of(operand.labels, operand.labels[d])
        if first < d then
            take_diagonal(operand, first, d)
            return take_diagonals(operand)
        end
    end
end

-- Removes the dimensions of size 1 whose label has another size in another operand: they are repeated.
local function drop_ones(operand, sizes)
    local labels, shape <const> = {}, operand.s.shape
    for d, label in ipairs(operand.labels) do
        if shape[d] == sizes[label] then
            labels[#labels + 1] = label
        end
    end
    if #labels < #operand.labels then
        operand.labels, operand.s = labels, axes.reshaped(operand.s, sizes_of(labels, sizes))
    end
end

-- Sums over the labels that are not needed.
local function sum_rest(operand, needed)
    local rest = {}
    for d, label in ipairs(operand.labels) do
        if not index_of(needed, label) then
            rest[#rest + 1] = d
        end
    end
    if #rest > 0 then
        operand.s = operand.s:sum(rest)
        operand.labels = common(operand.labels, needed, true)
    end
end

-- Returns a view of the operand with its dimensions in the order of the labels `order`.
local function ordered(operand, order)
    local places = {}
    for k, label in ipairs(order) do
        places[k] = index_of(operand.labels, label)
    end
    return #order > 1 and operand.s:transpose(places) or operand.s
end

-- Returns a view of the operand with the dimensions `order`, of size 1 where the operand has no such label.
local function spread(operand, order, sizes)
    local shape = {}
    for k, label in ipairs(order) do
        shape[k] = index_of(operand.labels, label) and sizes[label] or 1
    end
    return axes.reshaped(ordered(operand, common(order, operand.labels, true)), #shape > 0 and shape or {1})
end

local function joined(...)
    local list = {}
    for _, part in ipairs {...} do
        table.move(part, 1, #part, #list + 1, list)
    end
    return list
end

-- Multiplies element by element, and sums over the labels of `summed`. If there are any, the dimensions keep the order
-- of the larger operand, so that it is read in its order.
local function by_elements(a, b, out, summed, sizes)
    if #summed == 0 then
        errors.fits("rill.einsum", sizes_of(out, sizes))
        return {s = (spread(a, out, sizes) * spread(b, out, sizes)):eval(), labels = out}
    end
    local large <const>, other <const> = a.s.size >= b.s.size and a or b, a.s.size >= b.s.size and b or a
    local result = {labels = joined(large.labels, common(other.labels, large.labels, false))}
    local order <const> = result.labels
    result.s = spread(a, order, sizes) * spread(b, order, sizes)
    sum_rest(result, out)
    return result
end

-- Multiplies batches of matrices: a {batch, rows, summed} by b {batch, summed, columns}; without a batch also vectors.
local function by_matrices(a, b, batch, rows, columns, summed, sizes)
    local function matrix(operand, first, second)
        local shape = {}
        for _, part in ipairs {batch, first, second} do
            if #part > 0 then
                shape[#shape + 1] = tables.product(sizes_of(part, sizes))
            end
        end
        return axes.reshaped(ordered(operand, joined(batch, first, second)), shape)
    end
    local labels <const> = joined(batch, rows, columns)
    errors.fits("rill.einsum", sizes_of(labels, sizes))
    local product <const> = rill.matmul(matrix(a, rows, summed), matrix(b, summed, columns))
    return {s = product:reshape(sizes_of(labels, sizes)), labels = labels}
end

-- Returns the product of two operands, with the labels of `needed` that one of them has.
local function product_of(a, b, needed, sizes)
    drop_ones(a, sizes)
    drop_ones(b, sizes)
    sum_rest(a, joined(needed, b.labels))
    sum_rest(b, joined(needed, a.labels))
    local both <const> = common(a.labels, b.labels, true)
    local batch <const>, summed <const> = common(both, needed, true), common(both, needed, false)
    local rows <const>, columns <const> = common(a.labels, b.labels, false), common(b.labels, a.labels, false)
    local out <const> = common(needed, joined(batch, rows, columns), true)
    if #out > MOST_RANK then
        fail("rill.einsum: a product has %d dimensions, but the limit is %d", #out, MOST_RANK)
    elseif #summed == 0 or #rows == 0 and #columns == 0 or #batch > 0 and (#rows == 0 or #columns == 0) then
        return by_elements(a, b, out, summed, sizes)
    end
    return by_matrices(a, b, batch, rows, columns, summed, sizes)
end

-- ---- subscripts

local function wrong(format, ...)
    fail("rill.einsum: argument #1 'subscripts': %s", format:format(...))
end

-- Returns the list of the labels in a term: letters, and `extra` for "...": "1" to "8", for the dimensions without
-- letter.
local function labels_of(term, extra)
    local before, after = term:match "^(%a*)%.%.%.(%a*)$"
    if not before and not term:find "^%a*$" then
        wrong("expected letters, with one '...' at most, got '%s'", term)
    end
    local list = {}
    for letter in (before or term):gmatch "." do
        list[#list + 1] = letter
    end
    for k = MOST_RANK - (before and extra or 0) + 1, MOST_RANK do
        list[#list + 1] = tostring(k)
    end
    for letter in (after or ""):gmatch "." do
        list[#list + 1] = letter
    end
    return list
end

-- Returns the operands, the labels of the result, and the size of each label.
local function parse(subscripts, streams)
    local text <const> = subscripts:gsub("%s", "")
    local inputs, output = text:match "^(.-)%->(.*)$"
    local operands, sizes, extra, count = {}, {}, 0, {}
    for term in ((inputs or text) .. ","):gmatch "([^,]*)," do
        local s <const> = streams[#operands + 1]
        if not s then
            wrong("it has more operands than the %d streams that follow", #streams)
        end
        local letters <const> = #term:gsub("%.", "")
        local rank <const> = #s.shape
        local more <const> = term:find("...", 1, true) and rank - letters or 0
        local scalar <const> = term == "" and s.size == 1
        local labels <const> = labels_of(term, more)
        if #labels ~= rank and not scalar or more < 0 then
            wrong("'%s' has %d letters, but stream %d has shape %s", term, letters, #operands + 1, s.shape)
        end
        extra = math.max(extra, more)
        for d, label in ipairs(labels) do
            local size <const>, known <const> = s.shape[d], sizes[label] or s.shape[d]
            local same <const> = s.shape[index_of(labels, label)] -- within a term sizes of 1 are not repeated
            if known ~= size and known ~= 1 and size ~= 1 or same ~= size then
                wrong("'%s' has size %d and size %d", label:find "%a" and label or "...",
                    same ~= size and same or known, size)
            end
            sizes[label] = known == 1 and size or known
            count[label] = (count[label] or 0) + 1
        end
        operands[#operands + 1] = {s = scalar and axes.reshaped(s, 1) or s, labels = labels}
    end
    if #operands ~= #streams then
        wrong("it has %d operands, but %d streams follow", #operands, #streams)
    end
    if output then
        return operands, labels_of(output, extra), sizes
    end
    local out = labels_of("...", extra)
    for _, label in ipairs(tables.keys(count)) do
        if count[label] == 1 and label:find "%a" then
            out[#out + 1] = label
        end
    end
    return operands, out, sizes
end

local function check_output(out, sizes)
    for k, label in ipairs(out) do
        if not sizes[label] then
            wrong("the result has '%s', which no stream has", label)
        elseif index_of(out, label) < k then
            wrong("the result has '%s' twice", label)
        end
    end
    if #out > MOST_RANK then
        wrong("the result has %d dimensions, but the limit is %d", #out, MOST_RANK)
    end
end

-- Casts integers to the type of the result if some streams are real, so that neither their sums nor products of them
-- wrap.
local function cast_integers(streams)
    local real
    for _, s in ipairs(streams) do
        local seen <const> = types.seen_scalar(s.type)
        real = seen == "double" and seen or real or seen == "float" and seen or nil
    end
    for k, s in ipairs(real and streams or {}) do
        streams[k] = types.is_real(s.type) and s or s:cast(real)
    end
end

--- rill.einsum(subscripts, a, ...) returns the sum of products that numpy's subscripts describe: "ij,jk->ik" is a
-- matrix product, "ii->" a trace, "bij,bjk->bik" a batch of matrix products. Each letter is a dimension; letters that
-- the result does not have are summed over. Without "->" the result has the letters that occur once, in alphabetical
-- order. "..." is any number of leading or trailing dimensions, which are broadcast. With more than two streams, the
-- products are computed from left to right. The result is a new stream of the wider type, or a number if it has no
-- dimension.
function einsum.einsum(subscripts, ...)
    local streams <const> = table.pack(...)
    if type(subscripts) ~= "string" then
        wrong("expected a string like \"ij,jk->ik\", got %s", errors.told(subscripts))
    elseif streams.n == 0 then
        fail("rill.einsum: argument #2: expected an open stream, got no value")
    end
    for k = 1, streams.n do
        streams[k] = types.numbers(("rill.einsum: argument #%d"):format(k + 1), streams[k])
    end
    cast_integers(streams)
    local operands, out, sizes = parse(subscripts, streams)
    check_output(out, sizes)
    for _, operand in ipairs(operands) do
        take_diagonals(operand)
    end
    local result = operands[1]
    for k = 2, #operands do
        local needed = out
        for later = k + 1, #operands do
            needed = joined(needed, common(operands[later].labels, needed, false))
        end
        result = product_of(result, operands[k], needed, sizes)
    end
    sum_rest(result, out)
    if #out == 0 then
        return recorder.number(result.s)
    end
    local s <const>, seen <const> = ordered(result, out), types.seen_scalar(result.s.type)
    if s.type ~= seen then -- no operation has widened a small type
        return s:cast(seen)
    end
    return (#operands == 1 or s ~= result.s) and s:copy() or s
end

--- rill.outer(a, b) returns the outer product, a new stream of shape {a.size, b.size}: a[i] * b[j], with the elements
-- of both streams in row-major order.
function einsum.outer(a, b, ...)
    errors.none("rill.outer", 3, 2, (...))
    a, b = types.numbers("rill.outer: argument #1 'a'", a), types.numbers("rill.outer: argument #2 'b'", b)
    errors.fits("rill.outer", {a.size, b.size})
    return (axes.reshaped(a, {a.size, 1}) * axes.reshaped(b, {1, b.size})):eval()
end

--- rill.trace(s [, {offset =}]) returns the sum of the diagonal of a matrix, a number as that of s:sum(). If s has more
-- than two dimensions, the diagonal is along the first two, and the result is a new stream of the others, in which
-- integers wrap. offset: the diagonal, above (> 0) or below (< 0) the main one. Default: 0.
function einsum.trace(s, options, ...)
    errors.none("rill.trace", 3, 2, (...))
    s = types.numbers("rill.trace: argument #1 's'", s)
    local o <const> = option.take("rill.trace", options, {
        offset = {function(v) return math.type(v) == "integer" end, "a whole number", 0},
    })
    local shape <const> = s.shape
    if #shape < 2 then
        fail("rill.trace: argument #1 's': expected at least two dimensions, got shape %s", shape)
    end
    local letters <const> = ("abcdef"):sub(1, #shape - 2)
    local subscripts <const> = #shape == 2 and "ii->i" or "ii" .. letters .. "->" .. letters
    local function traced(part)
        local result <const> = einsum.einsum(subscripts, part)
        return #shape == 2 and result:sum() or result
    end
    local row <const>, column <const> = math.max(-o.offset, 0), math.max(o.offset, 0)
    local n <const> = math.max(math.min(shape[1] - row, shape[2] - column), 0)
    if n == 0 then
        shape[1], shape[2] = 0, 0
        return traced(rill.stream(s.type, shape))
    end
    local from, to = {row + 1, column + 1}, {row + n, column + n}
    for d = 3, #shape do
        from[d], to[d] = 1, shape[d]
    end
    return traced(s:domain(from, to))
end

for name, f in pairs(einsum) do
    einsum[name] = errors.guard(f, "rill." .. name)
end

return einsum
