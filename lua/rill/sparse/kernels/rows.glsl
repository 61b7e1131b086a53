$section(mark)
kernel void mark(int offsets[], int row<>, inout int firsts[]) {
    int first = offsets[row];
    if (offsets[row + 1] > first) {
        firsts[first] = row;
    }
}
