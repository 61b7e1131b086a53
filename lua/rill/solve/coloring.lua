-- Colors the rows of a sparse matrix such that no row has an entry in the column of another row of its color, so that
-- the rows of a color can be relaxed at once. It uses two colors (red and black) if these suffice, otherwise a greedy
-- coloring in the order of hashed indices (Jones and Plassmann 1993). Everything is computed on the device.
local rill = require "rill.core.public"
local template = require "rill.glsl.template"
local kernels <const> = template.sections "coloring"

local coloring = {}

local MOST_JOINED <const> = 1 << 30 -- rows: a root and a side are packed into an int
local ROUNDS <const> = 40
local LONG <const> = 512 -- each row with more neighbors gets a color that no other row has

-- ---- two colors

-- Returns, for each row, its side of a bipartition (bit 0 of an element), or nil if there is none or it was not found
-- in ROUNDS rounds.
local function two_sides(rows, columns, n)
    local trees = (rill.iota(n) * 2):eval()
    for _ = 1, n <= MOST_JOINED and ROUNDS or 0 do
        local joins <close> = kernels.joins:kernel()(rows, columns, trees)
        local worst = joins:max()
        if worst == 0 then
            return trees
        elseif worst == 2 then
            break
        end
        local roots = trees:copy()
        kernels.hook:kernel()(rows, columns, trees, roots)
        trees:close()
        repeat -- log2 of the longest path to a root times
            local above = kernels.jump:kernel()(roots, roots)
            local moved = above:ne(roots):any()
            roots:close()
            roots = above
        until not moved
        trees = roots
    end
    trees:close()
end

-- ---- greedy coloring

local ASIDE <const> = template.new [=[
    kernel int aside(int offsets[], int row<>, int most) { return offsets[row + 1] - offsets[row] > most ? -2 : -1; }
]=]

-- Returns a matrix with an entry at (i, j) wherever there is one at (i, j) or (j, i).
local function symmetric(rows, columns, n)
    local both = rill.sparse.coo {
        shape = {n, n}, rows = rill.concat {rows, columns}, columns = rill.concat {columns, rows},
        values = rill.stream("float", 2 * rows.size, 1),
    }
    local csr = both:to "csr"
    both:close()
    return csr
end

local function greedy(rows, columns, n)
    local pattern <close> = symmetric(rows, columns, n)
    local offsets, across = pattern.offsets, pattern.columns
    local colors = ASIDE:kernel()(offsets, rill.iota(n), LONG)
    local left = colors:find(colors:eq(-1))
    while left.size > 0 do
        local chosen <close> = kernels.choose:kernel()(left, offsets, across, colors)
        kernels.place:kernel()(left, chosen, colors)
        local rest = left:filter(chosen:lt(0))
        left:close()
        left = rest
    end
    local aside <close> = colors:find(colors:eq(-2))
    if aside.size > 0 then
        local next = math.max(colors:max(), -1) + 1
        kernels.place:kernel()(aside, (rill.iota(aside.size) + next):eval(), colors)
    end
    return colors
end

-- ---- lists

--- coloring.of(rows, columns, n) returns a list of streams, one for each color, of the rows that have it, for a matrix
-- of n rows with entries at `rows` and `columns`.
function coloring.of(rows, columns, n)
    if n == 0 then
        return {}
    end
    local sides = two_sides(rows, columns, n)
    local colors <close> = sides and (sides & 1):eval() or greedy(rows, columns, n)
    local order = rill.argsort(colors)
    local sorted <close> = rill.gather(colors, order)
    local values, counts = sorted:runs()
    local lists, first = {}, 1
    for i, count in ipairs(counts:values()) do
        lists[i] = order:domain(first, first + count - 1)
        first = first + count
    end
    values:close()
    counts:close()
    return lists
end

return coloring
