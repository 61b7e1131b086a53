$section(fresh)
kernel bool fresh(int keys[], int key<>) {
    int k = indexof(key).x;
    return k == 0 || keys[max(k - 1, 0)] != key;
}

$section(places)
kernel int places(int lengths[], int order[], int slice<>, int quads, int height) {
    return slice * height < quads ? lengths[order[slice * height]] : 0;
}

$section(slot)
// Returns the index of an entry in the values of the tiles: the columns of a tile in order, each as the texels of all
// quads of a slice.
kernel int slot(int row<>, int column<>, int keys[], int count, int offsets[], int begins[], int at[],
    int width, int height) {
    int quad = row / 4, key = quad * width + column / 4, low = 0, high = count - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        bool up = keys[middle] < key;
        low = up ? middle + 1 : low;
        high = up ? high : middle;
    }
    int n = at[quad], place = begins[n / height] + low - offsets[quad];
    return ((place * 4 + column % 4) * height + n % height) * 4 + row % 4;
}

$section(column)
kernel void column(int key<>, int offsets[], int begins[], int at[], int width, int height, inout int columns[]) {
    int quad = key / width, n = at[quad], place = begins[n / height] + indexof(key).x - offsets[quad];
    columns[place * height + n % height] = key % width;
}
