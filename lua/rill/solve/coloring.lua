-- Colours for the rows of a sparse matrix, so that no row of a colour has an entry in the column of another: those may be relaxed at once. Two
-- colours where they do (red and black); else greedy ones in an order of hashed numbers (Jones and Plassmann 1993). All on the device.
local rill = require "rill.core.public"
local operator = require "rill.solve.operator"
local kernel <const> = operator.kernel

local colouring = {}

local MOST_JOINED <const> = 1 << 30 -- a root and its side are packed into an int
local ROUNDS <const> = 40
local LONG <const> = 512 -- rows with more neighbours have colours of their own

-- ---- two colours

-- Each row knows a root of a tree and on which side of it it is: 2 root + side. Trees that an entry joins are hung below the lesser root.
local HOOK <const> = [=[
    kernel void hook(int row<>, int column<>, int trees[], inout int roots[]) {
        int a = trees[row], b = trees[column];
        if ((a >> 1) != (b >> 1)) {
            atomicMin(roots[max(a, b) >> 1], (min(a, b) & ~1) | ((a ^ b ^ 1) & 1));
        }
    }
]=]
local JUMP <const> = [=[
    kernel void jump(int trees[], int tree<>, out int r<>) {
        int above = trees[tree >> 1];
        r = (above & ~1) | ((tree ^ above) & 1);
    }
]=]
-- 1: an entry joins two trees; 2: two rows on one side.
local JOINS <const> = [=[
    kernel int joins(int row<>, int column<>, int trees[]) {
        int a = trees[row], b = trees[column];
        return row == column ? 0 : (a >> 1) != (b >> 1) ? 1 : a == b ? 2 : 0;
    }
]=]

-- Which of two sides each row is on; nil where two do not do.
local function two_sides(rows, columns, n)
    local trees = (rill.iota(n) * 2):eval()
    for _ = 1, n <= MOST_JOINED and ROUNDS or 0 do
        local joins <close> = kernel(JOINS, {})(rows, columns, trees)
        local worst = joins:max()
        if worst == 0 then
            return trees
        elseif worst == 2 then
            break
        end
        local roots = trees:copy()
        kernel(HOOK, {})(rows, columns, trees, roots)
        trees:close()
        repeat -- as many times as the logarithm of the longest way to a root
            local above = kernel(JUMP, {})(roots, roots)
            local moved = above:ne(roots):any()
            roots:close()
            roots = above
        until not moved
        trees = roots
    end
    trees:close()
end

-- ---- more

-- No two rows have one rank.
local RANK <const> = [=[
    uint rank_of(int row) {
        uint h = uint(row) * 0x9E3779B1u;
        h ^= h >> 15;
        return h * 0x85EBCA6Bu;
    }
]=]
-- The colour of a row that comes before all its neighbours without one: the first that none of them has. Else none. Rows put aside count for nothing.
local CHOOSE <const> = RANK .. [=[
    const int NONE = -1;
    kernel int choose(int row<>, int offsets[], int columns[], int colours[]) {
        int first = offsets[row], last = offsets[row + 1], chosen = NONE;
        bool leads = true;
        uint mine = rank_of(row);
        for (int k = first; k < last && leads; k++) {
            int other = columns[k];
            leads = other == row || colours[other] != NONE || rank_of(other) < mine;
        }
        for (int word = 0; leads && chosen == NONE && 32 * word <= last - first; word++) {
            uint taken = 0u;
            for (int k = first; k < last; k++) {
                int c = colours[columns[k]];
                taken |= c >= 0 && c / 32 == word ? 1u << (c % 32) : 0u;
            }
            chosen = taken == 0xFFFFFFFFu ? NONE : 32 * word + findLSB(~taken);
        }
        return chosen;
    }
]=]
local PLACE <const> = [=[
    kernel void place(int row<>, int colour<>, inout int colours[]) {
        if (colour >= 0) { colours[row] = colour; }
    }
]=]
local ASIDE <const> = [=[
    kernel int aside(int offsets[], int row<>, int most) { return offsets[row + 1] - offsets[row] > most ? -2 : -1; }
]=]

-- Entries at (i, j) wherever there is one at (i, j) or (j, i).
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
    local colours = kernel(ASIDE, {})(offsets, rill.iota(n), LONG)
    local left = colours:find(colours:eq(-1))
    while left.size > 0 do
        local chosen <close> = kernel(CHOOSE, {})(left, offsets, across, colours)
        kernel(PLACE, {})(left, chosen, colours)
        local rest = left:filter(chosen:lt(0))
        left:close()
        left = rest
    end
    local aside <close> = colours:find(colours:eq(-2))
    if aside.size > 0 then
        local next = math.max(colours:max(), -1) + 1
        kernel(PLACE, {})(aside, (rill.iota(aside.size) + next):eval(), colours)
    end
    return colours
end

-- ---- lists

--- colouring.of(rows, columns, n): a list of streams, of each colour the rows that have it; of entries at those rows and columns.
function colouring.of(rows, columns, n)
    if n == 0 then
        return {}
    end
    local sides = two_sides(rows, columns, n)
    local colours <close> = sides and (sides & 1):eval() or greedy(rows, columns, n)
    local order = rill.argsort(colours)
    local sorted <close> = rill.gather(colours, order)
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

return colouring
