$section(find)
// Returns the number of rows less than `row` (a lower bound). One program serves every number of entries.
kernel int find(int rows[], int row<>, int count) {
    int low = 0, high = count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        bool up = rows[middle] < row;
        low = up ? middle + 1 : low;
        high = up ? high : middle;
    }
    return low;
}

$section(heads)
// Stores the index of each row's first entry.
kernel void heads(int rows[], int row<>, inout int firsts[]) {
    int k = indexof(row).x;
    if (k == 0 || rows[max(k - 1, 0)] != row) {
        firsts[row] = k;
    }
}

$section(pieces)
kernel int pieces(int offsets[], int row<>, int rows, int size) {
    int length = row < rows ? offsets[row + 1] - offsets[row] : 0;
    return row < rows ? max(length - 1, 0) / size + 1 : 0; // written so that no sum exceeds 2^31
}

$section(begins)
kernel int begins(int offsets[], int first[], int rows[], int piece<>, int pieces, int size, int count) {
    int row = rows[min(piece, pieces - 1)];
    return piece == pieces ? count : offsets[row] + (piece - first[row]) * size;
}

$section(long_pieces)
kernel int long_pieces(int offsets[], int rows[], int k<>, int count, int size) {
    int row = rows[min(k, count - 1)];
    return k < count ? (offsets[row + 1] - offsets[row] - 1) / size + 1 : 0;
}

$section(several)
kernel int several(int pieces<>) { return pieces > 1 ? pieces : 0; }

$section(long_begins)
kernel ivec4 long_begins(int offsets[], int rows[], int first[], int several[], int parts[], int which<>, int piece<>, int size) {
    int row = rows[which], k = piece - first[which], begin = offsets[row] + k * size, end = offsets[row + 1];
    return ivec4(begin, begin + min(size, end - begin), row, several[which] > 0 ? parts[which] + k : -1);
}
