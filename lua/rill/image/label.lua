-- rill.image.label: connected components of a mask. The mask is packed into tiles of 4 rows of 8 pixels, one 32-bit
-- word each. Bit operations find the components of a tile. Components that touch across an edge of their tiles are
-- united in a union-find forest by atomic minima (D. P. Playne and K. Hawick, A new algorithm for parallel
-- connected-component labelling on GPUs, 2018; tiles as nodes: S. Allegretti and others, Optimized block-based
-- algorithms to label connected components on GPUs, 2020) with path halving (J. Jaiganesh and M. Burtscher, A
-- high-performance connected components implementation for GPUs, 2018). Nodes are numbered in the order of their first
-- pixels, row by row, so the root of a component is the node of its first pixel.
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local tables = require "rill.core.tables"
local types = require "rill.core.types"
local kernels <const> = require "rill.glsl.template".sections "label"
local take <const> = require "rill.image.mask".take

local fail <const> = errors.fail

local label = {}

local FAR <const> = (1 << 31) - 1 -- above every row and column
local MOST_REGIONS <const> = (1 << 29) - 1 -- four sums of each region are in one stream

local WRITERS <const> = {{name = "write", type = "int", width = 8}, {name = "write_quads", type = "ivec4", width = 2}}
for _, writer in ipairs(WRITERS) do
    writer.cells = {}
    for i = 0, 4 * writer.width - 1 do
        local value = writer.width == 2 and ("quad%d"):format(i) or ("quad%d[%d]"):format(i // 4, i % 4)
        writer.cells[i + 1] = {x = i % writer.width, y = i // writer.width, value = value}
    end
end
local QUADS <const> = {0, 1, 2, 3, 4, 5, 6, 7}
local VALUES <const> = { -- by connectivity
    [4] = {writers = WRITERS, quads = QUADS, corners = false}, [8] = {writers = WRITERS, quads = QUADS, corners = true},
}
local OPTIONS <const> = {connectivity = {function(value) return value == 4 or value == 8 end, "4 or 8", 4}}

-- Returns a view of s with four pixels of a row as one element, which is processed in the time of one; nil if the
-- number of columns is not a multiple of 4.
local function quads_of(s)
    local rows <const>, columns <const> = table.unpack(s.shape)
    return columns % 4 == 0 and core._over(s, "ivec4", {rows, columns // 4}) or nil
end

-- Returns the tiles of a mask, the first pixels of their components, and a view of the first pixels with four tiles as
-- one element.
local function tiles_of(p, mask)
    local down <const>, fours <const> = (mask.shape[1] + 3) // 4, (mask.shape[2] + 31) // 32
    local tile, by_fours = rill.stream("uint", {down, 4 * fours}), rill.stream("uvec4", {down, fours})
    local first = core._over(by_fours, "uint", tile.shape)
    local quads = quads_of(mask)
    local bounded <close> = (quads or mask):boundary "zero"
    if quads then
        p.pack_quads(bounded, tile, first)
        quads:close()
    else
        p.pack(bounded, tile, first)
    end
    return tile, first, by_fours
end

local function write(p, tile, first, numbers, word, count_to, labels)
    local quads = quads_of(labels)
    if quads then
        p.write_quads(tile, first, numbers, word, count_to, quads)
        quads:close()
    else
        p.write(tile, first, numbers, word, count_to, labels)
    end
end

-- Returns the number of each node's component, and the number of components.
local function numbered(p, parent)
    local root <close> = p.roots(parent)
    local running <close> = root:scan()
    return p.number {parent = parent, running = running, shape = parent.size}, running:get(parent.size)
end

local function label_tiles(p, tile, first, by_fours, shape)
    local rows <const>, fours <const> = shape[1], by_fours.shape[2]
    local word, count = p.words {firsts = by_fours, shape = {rows, fours}}
    local count_to <close> = count:scan()
    local nodes, labels, parts = count_to:get(rows, fours), nil, 0
    if nodes > 0 then
        local tiles, firsts = tile:boundary "zero", first:boundary "zero"
        local own = rill.iota(nodes)
        local parent <close> = own:copy()
        p.unite(tile, first, tiles, firsts, word, count_to, parent)
        for _, s in ipairs {tiles, firsts, own} do s:close() end
        local numbers
        numbers, parts = numbered(p, parent)
        labels = core._sized(count, shape) -- every pixel is written
        write(p, tile, first, numbers, word, count_to, labels)
        numbers:close()
    end
    word:close()
    count:close()
    return labels or rill.stream("int", shape), parts
end

--- rill.image.label(mask [, {connectivity = 4}]) returns labels, count. True pixels that share a side belong to one
-- component; with connectivity 8 also pixels that share a corner. All pixels of component k of `count` have the label
-- k, an int; false pixels have 0. Components are numbered in the order of their first pixels, row by row. Waits for the
-- device to read the count.
label.label = errors.guard(function(given, options, ...)
    errors.none("rill.image.label", 3, 2, (...))
    local mask = take("rill.image.label", given)
    local o <const> = option.take("rill.image.label", options, OPTIONS)
    local p, shape = kernels.label:program(VALUES[math.tointeger(o.connectivity)]), mask.shape
    if mask.size == 0 then
        return rill.stream("int", shape), 0
    end
    local tile, first, by_fours = tiles_of(p, mask)
    if rill.type(given) == "stream" and mask ~= given then mask:close() end
    local labels, count = label_tiles(p, tile, first, by_fours, shape)
    tile:close()
    first:close()
    by_fours:close()
    return labels, count
end, "rill.image.label")

-- ---- properties of regions

local STRIP <const> = 32 -- rows of one column that an invocation traverses

-- Returns the stream of labels, as int {rows, columns}, and the number of regions.
local function labels_of(labels, count)
    local where <const> = "rill.image.regions"
    local other = errors.not_open(labels)
    labels, count = other == nil and errors.open(where, labels) or labels, tables.whole(count)
    local kind = other == nil and types.scalar(labels.type) and types.seen_scalar(labels.type)
    if kind ~= "int" and kind ~= "uint" or #labels.shape ~= 2 then
        fail("%s: argument #1 'labels': expected labels, a stream {rows, columns} of integers, got %s", where,
            other or ("stream<%s>[%s]"):format(labels.type, labels.shape))
    elseif count ~= nil and (math.type(count) ~= "integer" or count < 0 or count > MOST_REGIONS) then
        fail("%s: argument #2 'count': expected a whole number from 0 to %d, got %s", where, MOST_REGIONS,
            errors.told(count))
    end
    labels = labels.type == "int" and labels or labels:cast "int"
    count = count or labels.size > 0 and math.max(0, labels:max()) or 0
    if count > MOST_REGIONS then
        fail("%s: argument #1 'labels': the largest label is %d: expected up to %d", where, count, MOST_REGIONS)
    end
    return labels, count
end

--- rill.image.regions(labels [, count]) returns the properties of the regions 1 to `count` of a stream of labels, a
-- table of streams: `area`, the number of pixels (int); `centroid`, the mean row and column (vec2); `first` and `last`,
-- the smallest and the largest row and column, both included (ivec2). Rows and columns are 0-based. Pixels whose label
-- is not in 1 .. count are ignored. A region without pixels has the area 0, the centroid NaN, and a `last` before its
-- `first`. Default of `count`: the largest label, for which the call waits for the device.
label.regions = errors.guard(function(labels, count, ...)
    errors.none("rill.image.regions", 3, 2, (...))
    labels, count = labels_of(labels, count)
    local area, sums = rill.stream("int", count), rill.stream("uint", 4 * count)
    local box = rill.stream("int", 4 * count, FAR)
    if labels.size > 0 and count > 0 then
        local strips <close> = labels:stride(STRIP, 1)
        kernels.measure:kernel {strip = STRIP}(strips, labels, labels.shape[1], count, area, sums, box)
    end
    local centroid, first, last = rill.stream("vec2", count), rill.stream("ivec2", count), rill.stream("ivec2", count)
    if count > 0 then
        kernels.finish:kernel()(area, sums, box, centroid, first, last)
    end
    sums:close()
    box:close()
    return {count = count, area = area, centroid = centroid, first = first, last = last}
end, "rill.image.regions")

return label
