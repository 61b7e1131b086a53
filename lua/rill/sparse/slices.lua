--- The format with the fastest products on the family cpu: slices of 32 rows, each stored as ELL with as many slots
-- as its longest row. If the rows of a slice differ too much, rows are sorted by length within windows (SELL-C-sigma;
-- Kreutzer and others, 2014). The slices are a copy of the entries, for matrices that are used more than once.
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local template = require "rill.glsl.template"
local entries = require "rill.sparse.rows"
local kernels <const> = template.sections "slices"

errors.own()

local slices = {}

slices.ROWS = 32 -- SPMV_SLICE of spmv_words.h

local SLICE <const> = slices.ROWS
local WINDOW <const> = 4096 -- rows of a window, whole slices
local LEAST <const> = 16384 -- least entries: with fewer, a product takes as long as its launch
local LONGEST <const> = 32768 -- longest row, each entry of which is a trip of a loop
local MOST <const> = (1 << 31) - 1
-- Slots per entry up to which rows are not sorted, and up to which slices are made.
local GOOD <const>, ROOM <const> = 17 / 16, 1.5

local KEY <const> = template.new [=[
    kernel int key(int length<>, int row<>, int longest) { return (row >> 12) * (longest + 1) + (longest - length); }
]=]

-- Returns the first slot of each slice and the number of slots.
local function slots_of(lengths, order)
    local m = order.size
    local counts <close> = kernels.slots:kernel()(lengths, order, rill.iota((m + SLICE - 1) // SLICE + 1), m, SLICE)
    local begins = counts:scan("add", {exclusive = true})
    return begins, begins:get(begins.size)
end

local function fill(made, columns, values)
    made.version = select(2, core._leaf(values))
    return core._spmv_slice(made.offsets, columns, values, made.begins, made.order, made.columns, made.values)
end

local function make(offsets, columns, values)
    local m = offsets.size - 1
    if m < 1 or values.size < LEAST then
        return false
    end
    local lengths <close> = entries.lengths(offsets)
    local longest = lengths:max()
    if longest > LONGEST or (m // WINDOW + 1) * (longest + 1) > MOST then
        return false
    end
    local order = rill.iota(m):copy()
    local begins, count = slots_of(lengths, order)
    local ordered = count * SLICE <= values.size * GOOD
    if not ordered then
        local keys <close> = KEY:kernel()(lengths, order, longest)
        order = rill.argsort(keys)
        begins, count = slots_of(lengths, order)
    end
    if count * SLICE > values.size * ROOM then
        return false
    end
    local made = {
        offsets = offsets, begins = begins, order = order, ordered = ordered,
        columns = rill.stream("int", count * SLICE), values = rill.stream(values.type, count * SLICE),
    }
    return fill(made, columns, values) and made
end

--- slices.make(offsets, columns, values) returns the slices of the rows that begin at `offsets`; false if they would
-- not pay or memory is short.
function slices.make(...)
    local done, made = pcall(make, ...)
    if not done and not tostring(made):find("out of device memory", 1, true) then
        error(made, 0)
    end
    return done and made
end

--- slices.plain(offsets, columns, values, fits) returns slices of rows in their order, whatever their lengths; false
-- if fits(slots, begins) is false, where a slot has one entry for each row of a slice, or if the device cannot make
-- them.
function slices.plain(offsets, columns, values, fits)
    local lengths <close> = entries.lengths(offsets)
    local order = rill.iota(offsets.size - 1):copy()
    local begins, count = slots_of(lengths, order)
    if not fits(count, begins) then
        return false
    end
    local made = {
        offsets = offsets, begins = begins, order = order, ordered = true, places = count,
        columns = rill.stream("int", count * SLICE), values = rill.stream(values.type, count * SLICE),
    }
    return fill(made, columns, values) and made
end

--- slices.refresh(made, columns, values) copies the values again if they were written.
function slices.refresh(made, columns, values)
    if core._written(values, made.version) then
        fill(made, columns, values)
    end
end

--- slices.close(made) frees the memory of the slices.
function slices.close(made)
    for _, name in ipairs {"begins", "order", "columns", "values"} do
        made[name]:close()
    end
end

return slices
