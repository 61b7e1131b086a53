-- Half cycles of multigrid in one launch each (shaders/multigrid.comp), for grids of floats in two dimensions that are not small. Such a grid
-- stands in memory with a margin, where its boundary is continued.
local core = require "rill.core"
local rill = require "rill"

local fused = {}

local MARGIN <const> = core._multigrid_margin
local LEAST_RATIO <const> = 1.94 -- between the next grid's spacing and this one's: what an invocation keeps lasts for so much
local LEAST_SIZE <const> = 34    -- smaller ones have ratios below that
local MOST_SIZE <const> = 1 << 19 -- longer ones would be more work groups than devices must run
local NUMBERS <const> = {dirichlet = 0, neumann = 1, periodic = 2}

--- fused.holds(level, next_level, type): whether fused.down and fused.up go from a grid of levels.make to the next and back.
function fused.holds(level, next_level, type)
    if type ~= "float" or #level.sizes ~= 2 then
        return false
    end
    for i, n in ipairs(level.sizes) do
        if n < LEAST_SIZE or n > MOST_SIZE or next_level.spacing[i] < LEAST_RATIO * level.spacing[i] then
            return false
        end
    end
    return true
end

-- Texels in a row of a grid.
local function pitch(level)
    return (level.sizes[1] + 3) // 4 + MARGIN // 2
end

--- fused.field(level): memory for a grid with its margin, and the stream of the grid's elements.
function fused.field(level)
    local width, height = table.unpack(level.sizes)
    local all = rill.stream("float", {height + 2 * MARGIN, 4 * pitch(level)})
    return all, all:domain({MARGIN + 1, MARGIN + 1}, {MARGIN + height, MARGIN + width})
end

-- The words of shaders/shared/multigrid_words.h; next_level is nil where only the margin is made.
local function words(level, next_level, boundary)
    local width, height = table.unpack(level.sizes)
    local x, y = NUMBERS[boundary[1]], NUMBERS[boundary[2]]
    if not next_level then
        local zeros = ("\0"):rep(68)
        return ("=i4i4i4"):pack(width, height, pitch(level)) .. zeros .. ("=i4i4i4i4"):pack(x, y, 0, 0)
    end
    local down, up, c, steps, to = level.down, level.up, level.center, level.steps, pitch(level)
    return ("=i4i4i4i4i4i4fi4ffffffffffffi4i4i4i4"):pack(width, height, to, next_level.sizes[1],
        next_level.sizes[2], pitch(next_level), level.scale, 0, down.ratio[1], down.ratio[2], down.offset[1],
        down.offset[2], up.ratio[1], up.ratio[2], up.offset[1], up.offset[2], level.c[1] / c, level.c[2] / c, steps[1],
        steps[2], x, y, level.is_bare and width // 4 or to, level.is_bare and 0 or MARGIN * to + 1)
end

--- fused.equip(level, next_level, boundary): what the launches need, once.
function fused.equip(level, next_level, boundary)
    level.words, next_level.words = words(level, next_level, boundary), words(next_level, nil, boundary)
end

--- fused.down(level, next_level): smooths from zero, and restricts the residual to the next grid's b.
function fused.down(level, next_level)
    core._multigrid("margin", level.words, nil, nil, level.b.all)
    core._multigrid("down", level.words, level.b.all, nil, next_level.b.all)
end

--- fused.up(level, next_level): adds the next grid's x to what fused.down smoothed, and smooths again: level.x.
function fused.up(level, next_level)
    core._multigrid("margin", next_level.words, nil, nil, next_level.x.all)
    core._multigrid("up", level.words, level.b.all, next_level.x.all, level.x.all or level.x.s)
end

return fused
