$section(merge)
// Stores the entries of one matrix at their indices in the merged order of two matrices. The entries of the first are
// added to equal ones of the second; those of the second (`second` is 1) become 0, and come after them.
kernel void merge(int row<>, int column<>, $V value<>, int offsets[], int columns[], $W others[], $T scale, $T other,
    int second, inout int to_rows[], inout int to_columns[], inout $T to_values[]) {
    int low = offsets[row], end = offsets[row + 1], high = end;
    while (low < high) {
        int middle = low + (high - low) / 2;
        bool up = columns[middle] < column;
        low = up ? middle + 1 : low;
        high = up ? high : middle;
    }
    bool both = low < end && columns[min(low, max(end - 1, 0))] == column;
    int at = indexof(row).x + low + (both ? second : 0);
    to_rows[at] = row;
    to_columns[at] = column;
    $T sum = scale * $T(value);
    if (both) {
        sum = second == 1 ? $T(0) : sum + other * $T(others[low]);
    }
    to_values[at] = sum;
}

$section(expand)
// Computes product k: entry `entry` of A, from index `first` on, times an entry of the row of B with its column.
// `begins`: the first product of each entry. Rows are counted from `from`.
kernel void expand(int entry<>, int begins[], int first, int from, int rows[], int columns[], $V values[],
    int offsets[], int b_columns[], $W b_values[], out int row<>, out int column<>, out $T value<>) {
    int a = first + entry, b = offsets[columns[a]] + indexof(entry).x - begins[entry];
    row = rows[a] - from;
    column = b_columns[b];
    value = $T(values[a]) * $T(b_values[b]);
}

$section(counts)
kernel int counts(int column<>, int offsets[]) { return offsets[column + 1] - offsets[column]; }

$section(kron)
// Computes the entries of a Kronecker product in row-major order. `row`: the row of the result. Row i of A and row j of
// B give row i m + j, with an entry of A times all entries of B in turn.
kernel void kron(int row<>, int begins[], int m, int n, int a_offsets[], int a_columns[], $V a_values[],
    int b_offsets[], int b_columns[], $W b_values[], out int column<>, out $T value<>) {
    int i = row / m, j = row - i * m, k = indexof(row).x - begins[row];
    int length = b_offsets[j + 1] - b_offsets[j], q = k / max(length, 1);
    int a = a_offsets[i] + q, b = b_offsets[j] + k - q * length;
    column = a_columns[a] * n + b_columns[b];
    value = $T(a_values[a]) * $T(b_values[b]);
}

$section(begins)
// The first entry of each row of a Kronecker product, and the end. `rows`: the number of rows.
kernel int begins(int row<>, int a_offsets[], int b_offsets[], int m, int rows, int b_count) {
    int i = min(row, rows - 1) / m, j = min(row, rows - 1) - i * m;
    int before = a_offsets[i], length = a_offsets[i + 1] - before;
    return row == rows ? before * b_count + length * b_count : before * b_count + length * b_offsets[j];
}
