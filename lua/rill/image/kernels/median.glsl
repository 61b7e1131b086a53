$section(network)
$use(float_key)
kernel void median(neighbor $F u<>, out $F r<>) {
$for(w, window){$I a$w.k = key(u[ivec2($w.x, $w.y)]);
}$I t;
$for(n, network){$n}
r = value(a$middle); }

$section(select)
// Processes four pixels of a row together. `low` is a lower bound of the median's key. A pass counts the window's keys below three numbers that divide
// the remaining range of keys into four parts.
void count(uint keys[][], ivec2 at, int radius, int first, int last, uvec4 low, int shift, inout ivec4 n1,
        inout ivec4 n2, inout ivec4 n3) {
    uvec4 p1 = low + (1u << uint(shift)), p2 = p1 + (1u << uint(shift)), p3 = p2 + (1u << uint(shift));
    for (int j = at.y + first; j <= at.y + last; j++) {
        uvec4 w = uvec4(0u, keys[j][at.x - radius], keys[j][at.x - radius + 1], keys[j][at.x - radius + 2]);
        for (int i = at.x - radius + 3; i <= at.x + radius + 3; i++) {
            w = uvec4(w.yzw, keys[j][i]);
            n1 += ivec4(lessThan(w, p1));
            n2 += ivec4(lessThan(w, p2));
            n3 += ivec4(lessThan(w, p3));
        }
    }
}
uvec4 chosen(ivec4 n1, ivec4 n2, ivec4 n3, int rank, int shift) {
    ivec4 r = ivec4(rank);
    return (uvec4(lessThanEqual(n1, r)) + uvec4(lessThanEqual(n2, r)) + uvec4(lessThanEqual(n3, r))) << uint(shift);
}
kernel void narrow(uint keys[][], int radius, int rank, int shift, inout uvec4 low<>) {
    ivec4 n1 = ivec4(0), n2 = ivec4(0), n3 = ivec4(0);
    count(keys, ivec2(4, 1) * indexof(low).xy, radius, -radius, radius, low, shift, n1, n2, n3);
    low += chosen(n1, n2, n3, rank, shift);
}

// Counts a part of the window's rows, for windows of more elements than loops may have iterations. `choose` is the rest of `narrow`.
kernel void part(uint keys[][], int radius, int first, int last, int shift, uvec4 low<>, inout ivec4 n1<>,
        inout ivec4 n2<>, inout ivec4 n3<>) {
    ivec4 m1 = n1, m2 = n2, m3 = n3;
    count(keys, ivec2(4, 1) * indexof(low).xy, radius, first, last, low, shift, m1, m2, m3);
    n1 = m1; n2 = m2; n3 = m3;
}
kernel void choose(ivec4 n1<>, ivec4 n2<>, ivec4 n3<>, int rank, int shift, inout uvec4 low<>) {
    low += chosen(n1, n2, n3, rank, shift);
}

$section(planes)
$use(float_key)
$if(F == float){
kernel void split(float s<>, out uint x<>) { x = uint(key(s)) ^ 0x80000000u; }
kernel void join(uvec4 x[][], out float r<>) {
    ivec2 at = indexof(r).xy;
    r = value(int(x[ivec2(at.x / 4, at.y)][at.x % 4] ^ 0x80000000u));
}
}
$if(F == vec3){
kernel void split(vec3 s<>, out uint x<>, out uint y<>, out uint z<>) {
    uvec3 k = uvec3(key(s)) ^ 0x80000000u;
    x = k.x; y = k.y; z = k.z;
}
kernel void join(uvec4 x[][], uvec4 y[][], uvec4 z[][], out vec3 r<>) {
    ivec2 at = indexof(r).xy, from = ivec2(at.x / 4, at.y);
    uint i = uint(at.x % 4);
    r = value(ivec3(uvec3(x[from][i], y[from][i], z[from][i]) ^ 0x80000000u));
}
}
$if(F == vec4){
kernel void split(vec4 s<>, out uint x<>, out uint y<>, out uint z<>, out uint w<>) {
    uvec4 k = uvec4(key(s)) ^ 0x80000000u;
    x = k.x; y = k.y; z = k.z; w = k.w;
}
kernel void join(uvec4 x[][], uvec4 y[][], uvec4 z[][], uvec4 w[][], out vec4 r<>) {
    ivec2 at = indexof(r).xy, from = ivec2(at.x / 4, at.y);
    uint i = uint(at.x % 4);
    r = value(ivec4(uvec4(x[from][i], y[from][i], z[from][i], w[from][i]) ^ 0x80000000u));
}
}
