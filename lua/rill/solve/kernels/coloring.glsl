$section(hook)
// An element of `trees` is 2 root + side: the root of the row's tree and the row's side of the bipartition relative to that root. Of two trees that an entry
// joins, the one with the larger root becomes a child of the other.
kernel void hook(int row<>, int column<>, int trees[], inout int roots[]) {
    int a = trees[row], b = trees[column];
    if ((a >> 1) != (b >> 1)) {
        atomicMin(roots[max(a, b) >> 1], (min(a, b) & ~1) | ((a ^ b ^ 1) & 1));
    }
}

$section(jump)
kernel void jump(int trees[], int tree<>, out int r<>) {
    int above = trees[tree >> 1];
    r = (above & ~1) | ((tree ^ above) & 1);
}

$section(joins)
// Returns 1 if an entry joins two trees, 2 if it joins two rows on one side of a tree, else 0.
kernel int joins(int row<>, int column<>, int trees[]) {
    int a = trees[row], b = trees[column];
    return row == column ? 0 : (a >> 1) != (b >> 1) ? 1 : a == b ? 2 : 0;
}

$section(place)
kernel void place(int row<>, int color<>, inout int colors[]) {
    if (color >= 0) { colors[row] = color; }
}

$section(choose)
// Returns a hash of a row. It is a bijection, so ranks are distinct.
uint rank_of(int row) {
    uint h = uint(row) * 0x9E3779B1u;
    h ^= h >> 15;
    return h * 0x85EBCA6Bu;
}

// Returns the first color that no neighbor has, if no neighbor without a color has a larger rank, else NONE. Rows that are set aside (-2) are ignored.
const int NONE = -1;
kernel int choose(int row<>, int offsets[], int columns[], int colors[]) {
    int first = offsets[row], last = offsets[row + 1], chosen = NONE;
    bool leads = true;
    uint mine = rank_of(row);
    for (int k = first; k < last && leads; k++) {
        int other = columns[k];
        leads = other == row || colors[other] != NONE || rank_of(other) < mine;
    }
    for (int word = 0; leads && chosen == NONE && 32 * word <= last - first; word++) {
        uint taken = 0u;
        for (int k = first; k < last; k++) {
            int c = colors[columns[k]];
            taken |= c >= 0 && c / 32 == word ? 1u << (c % 32) : 0u;
        }
        chosen = taken == 0xFFFFFFFFu ? NONE : 32 * word + findLSB(~taken);
    }
    return chosen;
}
