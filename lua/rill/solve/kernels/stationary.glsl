$section(relax_rows)
kernel void relax_rows(int row<>, $T y<>, $T b[], $T d[], $T omega, inout $T x[]) {
    x[row] += omega * (b[row] - y) / d[row];
}

$section(blend_side)
kernel void blend_side($T y<>, $T omega, int side, inout $T x<>) {
    ivec4 p = indexof(x);
    x += ((p.x + p.y + p.z + p.w) & 1) == side ? omega * (y - x) : $T(0);
}
