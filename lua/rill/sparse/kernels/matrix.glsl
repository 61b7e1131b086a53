$section(spread)
kernel void spread(int row<>, int column<>, $V value<>, int k<>, int offsets[], int pitch, inout int columns[],
    inout $V values[]) {
    int at = (k - offsets[row]) * pitch + row;
    columns[at] = column;
    values[at] = value;
}

$section(place)
kernel void place(int column<>, int row<>, $V value<>, inout int next[], inout int rows[], inout $V values[]) {
    int at = atomicAdd(next[column], 1);
    rows[at] = row;
    values[at] = value;
}

$section(arrange)
// Sorts the entries of each column by their rows, by insertion.
kernel void arrange(int begin<>, int offsets[], inout int rows[], inout $V values[]) {
    int end = offsets[indexof(begin).x + 1];
    for (int k = begin + 1; k < end; k++) {
        int row = rows[k], j = k;
        $V value = values[k];
        while (j > begin && rows[j - 1] > row) {
            rows[j] = rows[j - 1];
            values[j] = values[j - 1];
            j--;
        }
        rows[j] = row;
        values[j] = value;
    }
}

$section(order)
// Returns 2 if an entry precedes the previous entry in row-major order, 1 if both have the same row and column, else
// 0.
kernel int order(int rows[], int columns[], int r<>, int c<>) {
    int k = indexof(r).x, before = max(k - 1, 0), s = rows[before], d = columns[before];
    return k == 0 || s < r || (s == r && d < c) ? 0 : s == r && d == c ? 1 : 2;
}

$section(ell)
kernel void ell(int columns[][], $V values[][], $T x[][], int width, out $T y<>) {
    int row = indexof(y).y, j = indexof(y).x;
    $T sum = $T(0);
    for (int k = 0; k < width; k++) {
        int c = columns[k][row];
        sum += c < 0 ? $T(0) : $T(values[k][row]) * x[c][j];
    }
    y = sum;
}

$section(keys)
kernel uint keys(int row<>, int column<>, int n) { return uint(row) * uint(n) + uint(column); }
