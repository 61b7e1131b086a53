$use(stencil)

$section(relax)
// Computes r = alpha x + omega (b - A x). Neighbors outside read as the nearest element, which is Neumann's boundary, or periodically. `wall` adds to the diagonal at
// the edges, which turns Neumann's boundary into Dirichlet's. `c` is 1 / spacing^2.
kernel void relax($T alpha, $T omega, $V c, $V wall, neighbor $T x<>, $T b<>, out $T r<>) {
    ivec4 at = indexof(r), last = sizeof_stream(r) - 1;
    $T here = x[0];
    r = alpha * here + omega * (b - ($T(1) + DIAGONAL) * here + AROUND);
}

$section(coarsen)
// `n` is the size of the fine grid, and `first` the index in it of the first element of r, which may be a part of it.
// Restricts residuals by the transpose of linear interpolation: each coarse element is a weighted sum of the elements less than `ratio` from it. With Dirichlet's
// boundary (open = 0) elements outside do not count.
vec4 weights(float p, float ratio, int first, int size, float open) {
    vec4 place = float(first) + vec4(0, 1, 2, 3);
    vec4 inside = step(-0.5, place) * step(place, vec4(float(size) - 0.5));
    return max(1.0 - abs(place - p) / ratio, 0.0) * max(inside, open);
}
$if(rank == 2){
kernel void coarsen(vec2 ratio, vec2 offset, vec2 open, ivec2 n, ivec2 first, $T scale, $T r[][], out $T b<>) {
    vec2 p = vec2(indexof(b).xy) * ratio + offset;
    ivec2 i = ivec2(floor(p - ratio)) + 1;
    vec4 wx = weights(p.x, ratio.x, i.x, n.x, open.x), wy = weights(p.y, ratio.y, i.y, n.y, open.y);
    i -= first;
    $T sum = $T(0);
    for (int y = 0; y < 4; y++) {
        sum += $T(wy[y]) * ($T(wx.x) * r[i.y + y][i.x] + $T(wx.y) * r[i.y + y][i.x + 1] + $T(wx.z) * r[i.y + y][i.x + 2] +
                           $T(wx.w) * r[i.y + y][i.x + 3]);
    }
    b = scale * sum;
}
}$else{
kernel void coarsen(vec3 ratio, vec3 offset, vec3 open, ivec3 n, ivec3 first, $T scale, $T r[][][], out $T b<>) {
    vec3 p = vec3(indexof(b).xyz) * ratio + offset;
    ivec3 i = ivec3(floor(p - ratio)) + 1;
    vec4 wx = weights(p.x, ratio.x, i.x, n.x, open.x), wy = weights(p.y, ratio.y, i.y, n.y, open.y);
    vec4 wz = weights(p.z, ratio.z, i.z, n.z, open.z);
    i -= first;
    $T sum = $T(0);
    for (int k = 0; k < 16; k++) {
        int y = i.y + k % 4, z = i.z + k / 4;
        sum += $T(wz[k / 4] * wy[k % 4]) * ($T(wx.x) * r[z][y][i.x] + $T(wx.y) * r[z][y][i.x + 1] +
                                           $T(wx.z) * r[z][y][i.x + 2] + $T(wx.w) * r[z][y][i.x + 3]);
    }
    b = scale * sum;
}
}

$section(refine)
// Adds the linear interpolation of e to x. `n` is the size of the coarse grid, and `first` the index in it of the first
// element of e.
vec2 shares(float p, int size, float open) {
    float low = floor(p);
    return vec2(1.0 - (p - low), p - low) * max(vec2(step(0.0, low), step(low, float(size) - 1.5)), open);
}
$if(rank == 2){
kernel void refine(vec2 ratio, vec2 offset, vec2 open, ivec2 n, ivec2 first, $T e[][], inout $T x<>) {
    vec2 p = vec2(indexof(x).xy) * ratio + offset;
    ivec2 i = ivec2(floor(p));
    vec2 wx = shares(p.x, n.x, open.x), wy = shares(p.y, n.y, open.y);
    i -= first;
    x += $T(wy.x) * ($T(wx.x) * e[i.y][i.x] + $T(wx.y) * e[i.y][i.x + 1]) +
         $T(wy.y) * ($T(wx.x) * e[i.y + 1][i.x] + $T(wx.y) * e[i.y + 1][i.x + 1]);
}
}$else{
kernel void refine(vec3 ratio, vec3 offset, vec3 open, ivec3 n, ivec3 first, $T e[][][], inout $T x<>) {
    vec3 p = vec3(indexof(x).xyz) * ratio + offset;
    ivec3 i = ivec3(floor(p));
    vec2 wx = shares(p.x, n.x, open.x), wy = shares(p.y, n.y, open.y), wz = shares(p.z, n.z, open.z);
    i -= first;
    x += $T(wz.x) * ($T(wy.x) * ($T(wx.x) * e[i.z][i.y][i.x] + $T(wx.y) * e[i.z][i.y][i.x + 1]) +
                    $T(wy.y) * ($T(wx.x) * e[i.z][i.y + 1][i.x] + $T(wx.y) * e[i.z][i.y + 1][i.x + 1])) +
         $T(wz.y) * ($T(wy.x) * ($T(wx.x) * e[i.z + 1][i.y][i.x] + $T(wx.y) * e[i.z + 1][i.y][i.x + 1]) +
                    $T(wy.y) * ($T(wx.x) * e[i.z + 1][i.y + 1][i.x] + $T(wx.y) * e[i.z + 1][i.y + 1][i.x + 1]));
}
}

$section(direct)
kernel void direct(int size, $T inverse[][], $T b[], out $T x<>) {
    int row = indexof(x).x;
    for (int i = 0; i < size; i++) {
        x += inverse[row][i] * b[i];
    }
}
