// `hilbert(cell)` returns the position of a cell on a Hilbert curve: a cell is three numbers below 1024 (J. Skilling, "Programming the
// Hilbert curve", 2004).
$use(morton)
uint hilbert(uvec3 x) {
    for (uint q = 512u; q > 1u; q >>= 1) {
        uint p = q - 1u, t;
        if ((x.x & q) != 0u) x.x ^= p;
        t = (x.x ^ x.y) & p;
        if ((x.y & q) != 0u) x.x ^= p; else x.xy ^= t;
        t = (x.x ^ x.z) & p;
        if ((x.z & q) != 0u) x.x ^= p; else x.xz ^= t;
    }
    x.y ^= x.x;
    x.z ^= x.y;
    uint t = 0u;
    for (uint q = 512u; q > 1u; q >>= 1) t ^= (x.z & q) != 0u ? q - 1u : 0u;
    return morton(x ^ t);
}
