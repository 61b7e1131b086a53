-- Half cycles of multigrid in one launch each (shaders/multigrid.comp), for two-dimensional grids of floats that are
-- not small. Such a grid is stored with a halo, which is filled according to its boundary.
local core = require "rill.core"
local rill = require "rill.core.public"

local fused = {}

local MARGIN <const>, REACH <const> = core._multigrid_margin, core._multigrid_reach
local LEAST_ROWS <const> = core._multigrid_least_rows
-- Least ratio of the next grid's spacing to this one's: the rows that an invocation keeps suffice for that.
local LEAST_RATIO <const> = 1.94
local LEAST_SIZE <const> = 32    -- smaller grids have smaller ratios
local MOST_SIZE <const> = 1 << 19 -- larger grids need more work groups than devices are required to support
local NUMBERS <const> = {dirichlet = 0, neumann = 1, periodic = 2}

-- Whether a device computes these launches correctly. This is tested once, by two cycles on a small grid with these
-- launches and without them. Mesa 25.0's llvmpipe miscompiles them.
local trials = {} -- by the name of the device
local SIDE <const>, NEAR <const> = {cpu = 40, gpu = 100}, 1e-3 -- family gpu: two launches per grid, and the tail

local hierarchy

--- fused.set_hierarchy(make) sets the function rill.solve.hierarchy, which is_correct uses.
function fused.set_hierarchy(make)
    hierarchy = make
end

local function two_cycles()
    local side <const> = SIDE[rill.device().family]
    local shape <const> = {side, side}
    local h <close> = hierarchy {shape = shape, precision = "float"}
    local x, b <close> = rill.stream("float", shape), rill.random(shape, {seed = 1})
    h:cycle(x, b, 2)
    return x
end

local function is_correct()
    local device = rill.device().name
    if trials[device] == nil then
        trials[device] = true -- for the first two cycles
        local got <close> = two_cycles()
        trials[device] = false
        local wanted <close> = two_cycles()
        local off = (got - wanted):map("abs(x)"):max()
        trials[device] = off <= NEAR * wanted:map("abs(x)"):max()
    end
    return trials[device]
end

--- fused.holds(level, next_level, type) returns whether fused.down and fused.up can be used between a grid of
-- levels.make and the next one.
function fused.holds(level, next_level, type)
    if type ~= "float" or #level.sizes ~= 2 then
        return false
    end
    for i, n in ipairs(level.sizes) do
        if n < LEAST_SIZE or n > MOST_SIZE or next_level.spacing[i] < LEAST_RATIO * level.spacing[i] then
            return false
        end
    end
    return is_correct()
end

-- Return the number of texels of four floats in a row of a grid, without its halo and with it.
local function blocks(level)
    return (level.sizes[1] + 3) // 4
end

local function pitch(level)
    return blocks(level) + MARGIN // 2
end

--- fused.field(level, type) returns a stream for a grid of float or double with its halo, and a view of the grid's
-- elements.
function fused.field(level, type)
    local width, height = table.unpack(level.sizes)
    local all = rill.stream(type, {height + 2 * MARGIN, 4 * pitch(level)})
    return all, all:domain({MARGIN + 1, MARGIN + 1}, {MARGIN + height, MARGIN + width})
end

--- fused.bare(level) returns a stream for a grid of double without a halo, in rows of whole texels, and a view of the
-- grid's elements.
function fused.bare(level)
    local width, height = table.unpack(level.sizes)
    local all = rill.stream("double", {height, 4 * blocks(level)})
    return all, all:domain({1, 1}, {height, width})
end

--- fused.sums(level) returns a stream for the sums of squares that fused.step computes.
function fused.sums(level)
    return rill.stream("double", blocks(level) * ((level.sizes[2] + LEAST_ROWS - 1) // LEAST_ROWS))
end

local STEP <const> = ("\0"):rep(32) -- the words that only fused.step uses

-- Returns the parameters of shaders/shared/multigrid_words.h up to the ones of UP and STEP.
local function words(level, next_level, boundary)
    local down, up, c, steps, width, height = level.down, level.up, level.center, level.steps, table.unpack(level.sizes)
    return ("=i4i4i4i4i4i4fi4ffffffffffffi4i4"):pack(width, height, pitch(level), next_level.sizes[1],
        next_level.sizes[2], pitch(next_level), level.scale, REACH, down.ratio[1], down.ratio[2], down.offset[1],
        down.offset[2], up.ratio[1], up.ratio[2], up.offset[1], up.offset[2], level.c[1] / c, level.c[2] / c, steps[1],
        steps[2], NUMBERS[boundary[1]], NUMBERS[boundary[2]])
end

-- Returns the parameters of the launch "margin". around: the width of the halo.
local function margin_words(level, boundary, around)
    local width, height = table.unpack(level.sizes)
    local zeros = "\0"
    return ("=i4i4i4"):pack(width, height, pitch(level)) .. zeros:rep(16) .. ("=i4"):pack(around) .. zeros:rep(48) ..
        ("=i4i4"):pack(NUMBERS[boundary[1]], NUMBERS[boundary[2]]) .. zeros:rep(8) .. STEP
end

local function weighted(level, weight, keep)
    return level.first_words .. ("=ff"):pack(weight, keep) .. STEP
end

--- fused.equip(level, next_level, boundary) sets the parameters of the launches for a grid, once.
function fused.equip(level, next_level, boundary)
    level.first_words = words(level, next_level, boundary)
    level.words = weighted(level, 1, 0)
    level.halo, next_level.halo = margin_words(level, boundary, REACH), margin_words(next_level, boundary, REACH)
    level.narrow_halo = margin_words(level, boundary, 1)
    level.folded = rill.device().family == "gpu"
    next_level.folded = level.folded
end

-- Fills the halo of a grid according to its boundary, if the launches of the family read it. `all` is the grid with its
-- halo.
local function continue(level, all, halo)
    if not level.folded then
        core._multigrid("margin", halo or level.halo, all)
    end
end

--- fused.down(level, next_level) smooths from zero and restricts the residual to the next grid's b.
function fused.down(level, next_level)
    continue(level, level.b.all)
    core._multigrid("down", level.words, level.b.all, next_level.b.all)
end

--- fused.up(level, next_level, weight, keep) adds the next grid's x to the result of fused.down and smooths again.
-- level.x becomes `weight` times the result plus `keep` times its previous value, which is not read if keep is 0.
function fused.up(level, next_level, weight, keep)
    continue(next_level, next_level.x.all)
    local all = level.x.all
    core._multigrid("up", (weight ~= 1 or keep ~= 0) and weighted(level, weight, keep) or level.words, level.b.all,
        next_level.x.all, all, all)
end

--- fused.step(level, matrix, factor, x, b, to, sums) computes to = x + factor * level.x, level.b = b - A to, and the
-- sums of squares of level.b. x and `to` are streams of fused.field, of float or double, b of fused.bare, sums of
-- fused.sums. level.x is not read if factor is 0. matrix: the coefficients of A, {center, neighbors along x, neighbors
-- along y}.
function fused.step(level, matrix, factor, x, b, to, sums)
    continue(level, x, level.narrow_halo)
    if factor ~= 0 then
        continue(level, level.x.all, level.narrow_halo)
    end
    local center, along, across = table.unpack(matrix)
    local given = level.first_words .. ("=ffdddd"):pack(0, 0, center, along, across, factor)
    core._multigrid("step", given, x, level.x.all, b, to, level.b.all, sums)
end

-- ---- the coarse grids in one launch, on the family gpu

-- Returns the values of a table for x, y and z; `rest` for dimensions that a grid does not have.
local function three(list, rest)
    return {list[1], list[2], list[3] or rest}
end

local function append(list, more)
    for _, value in ipairs(more) do
        list[#list + 1] = value
    end
end

-- Returns the words of a grid, in the order of shaders/shared/multigrid_words.h. The last grid has no transfers.
local function tail_words(level, boundary, x_at, b_at)
    local none <const> = {ratio = {1, 1, 1}, offset = {0, 0, 0}, open = {1, 1, 1}}
    local down, up, center = level.down or none, level.up or none, level.center
    local list, sides, walls, periodic = three(level.sizes, 1), {}, {}, {}
    for i = 1, 3 do
        sides[i], walls[i] = (level.c[i] or 0) / center, (level.wall[i] or 0) / center
        periodic[i] = boundary[i] == "periodic" and 1 or 0
    end
    append(list, {x_at, b_at, level.scale or 1})
    append(list, level.steps or {0, 0})
    for _, part in ipairs {sides, walls, three(down.ratio, 1), three(down.offset, 0), three(up.ratio, 1),
        three(up.offset, 0), three(down.open, 1), periodic} do
        append(list, part)
    end
    return list
end

--- fused.tail(list, boundary, type) returns the index of the first of the grids of levels.make that fused.run_tail
-- processes in one launch together with all coarser grids, and the words of these grids. Returns nil if there are none.
-- They have at least two grids. The first grid of all is not among them unless it is fused.
function fused.tail(list, boundary, type)
    if rill.device().family ~= "gpu" or not is_correct() then
        return nil
    end
    local room <const> = core._multigrid_tail_bytes // (type == "double" and 8 or 4)
    local used, start = 0, nil
    for i = #list, list[1].fused and 1 or 2, -1 do
        local size = list[i].size
        used = used + size
        if size > core._multigrid_tail_size or used > room or #list - i >= core._multigrid_tail_levels then
            break
        end
        start, used = i, used + size -- b of a grid that is not the first is in shared memory, too
    end
    if not start or start == #list then
        return nil
    end
    local numbers, at = {}, 0
    for i = start, #list do
        local size = list[i].size
        append(numbers, tail_words(list[i], boundary, at, at + size))
        at = at + (i == start and size or 2 * size) -- b of the first grid is not in shared memory
    end
    return start, numbers, #list - start + 1
end

--- fused.equip_tail(tail, level) sets the parameters of fused.run_tail, once. `level`: the first of its grids. tail has
-- the fields words and inverse, streams of the type of the grids, and count, the number of grids.
function fused.equip_tail(tail, level)
    local width, height, first, pitched = level.sizes[1], level.sizes[2], 0, level.sizes[1]
    if level.has_margin then
        pitched = 4 * pitch(level)
        first = MARGIN * pitched + MARGIN
    end
    tail.first_words = ("=i4i4i4i4i4"):pack(tail.count, first, pitched, width * height, level.size) ..
        ("\0"):rep(68)
    tail.all_words = tail.first_words .. ("=ff"):pack(1, 0) .. STEP
end

--- fused.run_tail(tail, level, weight, keep) computes x of a grid from b through all coarser grids. x becomes `weight`
-- times the result plus `keep` times its previous value.
function fused.run_tail(tail, level, weight, keep)
    local given = tail.all_words
    if weight ~= 1 or keep ~= 0 then
        given = tail.first_words .. ("=ff"):pack(weight, keep) .. STEP
    end
    core._multigrid("tail", given, level.b.all or level.b.s, tail.words, tail.inverse, level.x.all or level.x.s)
end

return fused
