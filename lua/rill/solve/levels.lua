-- The grids of geometric multigrid for (shift - laplace) x = b. Each grid has about half the resolution of the one
-- before in those dimensions in which elements are closest (semi-coarsening), down to a grid that is solved directly.
-- Sizes are arbitrary: coarse elements need not coincide with fine ones, and values are interpolated linearly by
-- position (Trottenberg, Oosterlee, Schueller, "Multigrid", 2001). The smoother is Chebyshev's method (Adams and
-- others, 2003): steps x + omega (b - A x), in which no element waits for another.

local levels = {}

local DIRECT_MOST <const> = 64 -- most elements of the grid that is solved by its inverse
local CLOSE <const> = 1.3      -- a dimension is coarsened if its spacing is at most this factor times the least
-- Lower end of the smoothed range, relative to the least eigenvalue of the modes that the next grid cannot represent.
local LOWEST <const> = 0.7
local STEPS <const> = 2    -- smoothing steps before the coarser grid, and after it
-- The largest share of a mode that a cycle leaves is the share that smoothing leaves plus MISSED, since grids do not
-- quite agree, but at least MISSED_MOST (measured).
local MISSED <const>, MISSED_MOST <const> = 0.07, 0.12
local NEARLY <const> = 0.9999 -- share of a mode that a cycle removes if the only grid is solved by its inverse
local SMALL <const> = 1e-4 -- a smaller shift, relative to the least other eigenvalue, counts as 0

-- ---- one dimension

-- Element i of a grid is at position ratio i + offset, in elements of a grid whose spacing is smaller by the factor
-- ratio. These give the offset.
local OFFSETS <const> = {
    dirichlet = function(ratio) return ratio - 1 end,
    neumann = function(ratio) return 0.5 * ratio - 0.5 end,
    periodic = function() return 0 end,
}

-- The eigenvalues of 2 x[i] - x[i-1] - x[i+1], ascending, k from 0 to n - 1.
local EIGENVALUES <const> = {
    dirichlet = function(k, n) return 2 - 2 * math.cos(math.pi * (k + 1) / (n + 1)) end,
    neumann = function(k, n) return 2 - 2 * math.cos(math.pi * k / n) end,
    periodic = function(k, n) return 2 - 2 * math.cos(2 * math.pi * ((k + 1) // 2) / n) end,
}

local EIGENVECTORS <const> = { -- of unit length, element j
    dirichlet = function(k, n, j) return math.sqrt(2 / (n + 1)) * math.sin(math.pi * (k + 1) * (j + 1) / (n + 1)) end,
    neumann = function(k, n, j) return math.sqrt((k == 0 and 1 or 2) / n) * math.cos(math.pi * k * (j + 0.5) / n) end,
    periodic = function(k, n, j)
        local angle = 2 * math.pi * ((k + 1) // 2) * j / n
        local length = math.sqrt((k == 0 or k + 1 == n and n % 2 == 0) and 1 / n or 2 / n)
        return length * (k % 2 == 1 and math.cos(angle) or k > 0 and math.sin(angle) or 1)
    end,
}

-- ---- levels

-- Dimensions are in the order of kernels: x, the fastest, first.
local function new_level(sizes, spacing, boundary, shift)
    local c, wall, center = {}, {}, shift
    for i, n in ipairs(sizes) do
        c[i] = (n > 1 or boundary[i] == "dirichlet") and 1 / spacing[i] ^ 2 or 0
        wall[i] = boundary[i] == "dirichlet" and c[i] or 0
        center = center + 2 * c[i]
    end
    local size = 1
    for _, n in ipairs(sizes) do
        size = size * n
    end
    center = center > 0 and center or 1 -- a single element without neighbors
    return {sizes = sizes, spacing = spacing, size = size, c = c, wall = wall, center = center}
end

-- Returns the next coarser grid, with half the elements in the dimensions whose spacing is small. Sets level.halved.
local function coarser(level, boundary, shift)
    local least = math.huge
    for i, n in ipairs(level.sizes) do
        least = n > 1 and math.min(least, level.spacing[i]) or least
    end
    local sizes, spacing, halved = {}, {}, {}
    for i, n in ipairs(level.sizes) do
        halved[i] = n > 1 and level.spacing[i] <= CLOSE * least
        local walls = boundary[i] == "dirichlet" and 1 or 0
        sizes[i] = halved[i] and (n + 1 - walls) // 2 or n
        spacing[i] = level.spacing[i] * (n + walls) / (sizes[i] + walls)
    end
    level.halved = halved
    return new_level(sizes, spacing, boundary, shift)
end

-- Sets the steps of Chebyshev's method on the modes that the next grid cannot represent, for b and A divided by the
-- center, and the share of the modes that remains after them.
local function smoothing(level, boundary, shift)
    local low, high, rest = math.huge, shift, shift
    for i, n in ipairs(level.sizes) do
        local value = EIGENVALUES[boundary[i]]
        high = high + level.c[i] * value(n - 1, n)
        rest = rest + level.c[i] * value(0, n)
    end
    for i, n in ipairs(level.sizes) do
        if level.halved[i] then
            low = math.min(low, rest + level.c[i] * (2 * LOWEST - EIGENVALUES[boundary[i]](0, n)))
        end
    end
    local middle, reach, steps = (high + low) / 2 / level.center, (high - low) / 2 / level.center, {}
    for k = 1, STEPS do
        steps[k] = 1 / (middle + reach * math.cos(math.pi * (2 * k - 1) / (2 * STEPS)))
    end
    level.steps, level.left = steps, 1 / (2 * (middle / reach) ^ 2 - 1)
end

-- Returns whether the constant mode must be solved separately: its eigenvalue, `shift`, is 0 or small compared with the
-- others.
local function has_constants(level, boundary, shift)
    local least = math.huge
    for i, n in ipairs(level.sizes) do
        if boundary[i] == "dirichlet" then
            return false
        end
        least = n > 1 and math.min(least, level.c[i] * EIGENVALUES[boundary[i]](1, n)) or least
    end
    return shift < SMALL * least
end

-- Returns the rows of the inverse of a small grid's matrix over the dimensions 1 to i. `value` is the part of the
-- eigenvalues of the dimensions above i. `without` omits the mode that has index 0 in all dimensions.
local function inverse(level, boundary, i, value, without)
    if i == 0 then
        return {{without and 0 or 1 / value}}
    end
    local n, kind, rows = level.sizes[i], boundary[i], {}
    for k = 0, n - 1 do
        local part = inverse(level, boundary, i - 1, value + level.c[i] * EIGENVALUES[kind](k, n),
            without and k == 0)
        local m, v = #part, {}
        for j = 0, n - 1 do
            v[j] = EIGENVECTORS[kind](k, n, j)
        end
        for a = 0, n * m - 1 do
            local row, from, va = rows[a + 1] or {}, part[a % m + 1], v[a // m]
            rows[a + 1] = row
            for b = 0, n - 1 do
                local f, at = va * v[b], b * m
                for j = 1, m do
                    row[at + j] = (row[at + j] or 0) + f * from[j]
                end
            end
        end
    end
    return rows
end

local function position(boundary, ratio)
    local offset, open = {}, {}
    for i, kind in ipairs(boundary) do
        offset[i], open[i] = OFFSETS[kind](ratio[i]), kind == "dirichlet" and 0 or 1
    end
    return {ratio = ratio, offset = offset, open = open}
end

-- Sets the positions of the elements of two grids in each other, and the factor of residuals between them.
local function connect(fine, coarse, boundary)
    local down, up, scale = {}, {}, fine.center / coarse.center
    for i = 1, #boundary do
        down[i] = coarse.spacing[i] / fine.spacing[i]
        up[i] = fine.spacing[i] / coarse.spacing[i]
        scale = scale * up[i]
    end
    fine.down, fine.up, fine.scale = position(boundary, down), position(boundary, up), scale
end

--- levels.make(sizes, spacing, boundary, shift) returns an array of grids, the finest first. Dimensions are in the
-- order of kernels, with x, the fastest, first. A grid has these fields: sizes; size (number of elements); c (1 /
-- spacing^2); wall (c if the boundary is "dirichlet", else 0); center (the diagonal of A in the interior); down and up
-- (positions of the next grid's elements in this one, and the reverse); scale (of residuals); steps (of smoothing). The
-- last grid has inverse instead of the last four, rows of numbers, for b divided by center. Fields of the array:
-- constants (whether the constant mode is excluded from the solve); least (the least share of an error mode that a
-- cycle removes, at most 1).
function levels.make(sizes, spacing, boundary, shift)
    local list = {new_level(sizes, spacing, boundary, shift)}
    local level = list[1]
    list.least = NEARLY
    while level.size > DIRECT_MOST do
        local next_level = coarser(level, boundary, shift)
        connect(level, next_level, boundary)
        smoothing(level, boundary, shift)
        list.least = math.min(list.least, 1 - math.max(level.left ^ 2 + MISSED, MISSED_MOST))
        list[#list + 1], level = next_level, next_level
    end
    list.constants = has_constants(list[1], boundary, shift)
    level.inverse = inverse(level, boundary, #sizes, shift, list.constants)
    for _, row in ipairs(level.inverse) do
        for j = 1, level.size do
            row[j] = row[j] * level.center
        end
    end
    return list
end

return levels
