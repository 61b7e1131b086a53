$section(spread)
kernel float spread(int tile<>, float tiles[], ivec4 counts) {
    ivec4 t = ivec4(tile, tile / counts.x, tile / (counts.x * counts.y), tile / (counts.x * counts.y * counts.z)) % counts;
    ivec4 low = max(t - 1, 0), high = min(t + 1, counts - 1);
    float most = 0.0;
    for (int w = low.w; w <= high.w; w++)
        for (int z = low.z; z <= high.z; z++)
            for (int y = low.y; y <= high.y; y++)
                for (int x = low.x; x <= high.x; x++)
                    most = max(most, tiles[((w * counts.z + z) * counts.y + y) * counts.x + x]);
    return most;
}

$section(corner)
kernel ivec4 corner(int tile<>, int bits, ivec4 counts) {
    return ivec4(tile, tile / counts.x, tile / (counts.x * counts.y), tile / (counts.x * counts.y * counts.z)) % counts << bits;
}

$section(cells)
// Returns the index of cell n of the listed tiles, tile by tile; -1 outside of the shape.
kernel int cell(int n<>, ivec4 corners[], int bits, int rank, ivec4 sizes) {
    int mask = (1 << bits) - 1;
    ivec4 inside = ivec4(n, n >> bits, n >> (2 * bits), n >> (3 * bits)) & mask;
    ivec4 p = corners[n >> (rank * bits)] + ivec4(inside.x, rank > 1 ? inside.y : 0, rank > 2 ? inside.z : 0, rank > 3 ? inside.w : 0);
    return any(greaterThanEqual(p, sizes)) ? -1 : ((p.w * sizes.z + p.z) * sizes.y + p.y) * sizes.x + p.x;
}

$section(hull)
// Returns the first and the last marked row of a tile.
kernel ivec2 hull(int tile<>, $T b[], $T y[], $T most, int rows, int height) {
    ivec2 found = ivec2(0, -1);
    for (int k = 0; k < height; k++) {
        int row = tile * height + k, at = min(row, rows - 1);
        if (row < rows && !(abs(b[at] - y[at]) <= most)) {
            found = ivec2(found.y < 0 ? row : found.x, row);
        }
    }
    return found;
}

$section(fresh)
// Returns false for an entry that lies on the same diagonal and joins the same tiles as an entry of the row before, since that one is sufficient.
kernel bool fresh(int row<>, int column<>, int k<>, int offsets[], int columns[], int height) {
    int first = offsets[row], before = row % height > 0 ? offsets[row - 1] + (k - first) : first;
    int other = columns[min(before, k)];
    return before >= first || other - (row - 1) != column - row || other / height != column / height;
}

$section(edge)
// Returns the position of an entry's tile in the list of tiles that the row's tile depends on.
kernel int edge(int row<>, int column<>, int offsets[], int tiles[], int height) {
    int low = offsets[row / height], high = offsets[row / height + 1] - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        bool up = tiles[middle] < column / height;
        low = up ? middle + 1 : low;
        high = up ? high : middle;
    }
    return low;
}

$section(reach)
// Returns the range of a tile's rows that depend on marked rows: the marked ranges of other tiles, shifted by the differences of the entries between the tiles.
kernel ivec2 reach(int tile<>, ivec2 marks[], int offsets[], int tiles[], int least[], int most[], int rows, int height, int many) {
    int first = tile * height, last = min(first + height - 1, rows - 1);
    int begin = offsets[tile], count = offsets[tile + 1] - begin;
    ivec2 found = count > many ? ivec2(first, last) : marks[tile];
    for (int e = begin; e < begin + min(count, many); e++) {
        ivec2 from = marks[tiles[e]];
        ivec2 to = ivec2(max(from.x + least[e], first), min(from.y + most[e], last));
        if (from.y >= 0 && to.x <= to.y) {
            found = found.y < 0 ? to : ivec2(min(found.x, to.x), max(found.y, to.y));
        }
    }
    return found;
}

$section(row)
kernel int row(int n<>, int tiles[], int rows, int height) {
    int row = tiles[n / height] * height + n % height;
    return row < rows ? row : -1;
}

$section(mark)
// Marks the tile of a cell whose residual is above `most` or NaN.
kernel void mark($T $first<>, $T y<>, $T d$each, $T most, int bits, ivec4 counts, inout float tiles[]) {
    if (!($residual <= most)) {
        ivec4 t = indexof(y) >> bits;
        tiles[((t.w * counts.z + t.z) * counts.y + t.y) * counts.x + t.x] = 1.0;
    }
}
