// `morton(cell)` returns the Morton code of a cell: the interleaved bits of three numbers below 1024, x first.
uint spread(uint v) {
    v = (v | (v << 16)) & 0x030000FFu;
    v = (v | (v << 8)) & 0x0300F00Fu;
    v = (v | (v << 4)) & 0x030C30C3u;
    return (v | (v << 2)) & 0x09249249u;
}
uint morton(uvec3 cell) { return (spread(cell.x) << 2) | (spread(cell.y) << 1) | spread(cell.z); }
