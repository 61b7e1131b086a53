kernel void resize($T s[][], int first[], float w[][], int terms, out $T r<>) {
    ivec2 at = indexof(r).xy;
    int from = first[at.$axis];
    r = $T(0.0);
    for (int k = 0; k < terms; k++) {
        float weight = w[k][at.$axis];
        if (weight != 0.0) r += weight * s[$place];
    }
}
