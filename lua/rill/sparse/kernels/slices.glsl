$section(slots)
kernel int slots(int lengths[], int order[], int slice<>, int rows, int height) {
    int longest = 0, end = min((slice + 1) * height, rows);
    for (int at = slice * height; at < end; at++) {
        longest = max(longest, lengths[order[at]]);
    }
    return longest;
}
