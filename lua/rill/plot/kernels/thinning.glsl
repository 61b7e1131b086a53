$if(T == double){
#define LARGEST packDouble2x32(uvec2(0xffffffffu, 0x7fefffffu))
#define NOTHING packDouble2x32(uvec2(0u, 0x7ff80000u))
}$else{
#define LARGEST uintBitsToFloat(0x7f7fffffu)
#define NOTHING uintBitsToFloat(0x7fc00000u)
}
// Returns whether a number can be drawn: it is finite, and above zero if the axis is logarithmic.
bool drawn($T v, bool logarithmic) {
    return abs(v) <= LARGEST && (!logarithmic || v > $T(0));
}

$section(spots)
// V(i): element i of x, or its index if x is not given.
#define V(i) $if(has_x){x[i]}$else{(start + $T(i))}
// Finds the first, last, lowest, highest, leftmost and rightmost point of part `b` of `parts`, in the order of the stream. If a part is not wider than a pixel,
// they cover the same pixels as a polyline through all of its points (the M4 aggregation of Jugel et al., VLDB 2014, and two points more for curves that run
// back). NaN if a part has no point to draw.
void order(inout int a, inout int b) {
    int least = min(a, b);
    b = max(a, b);
    a = least;
}
kernel void spots(int b<>, $if(has_x){$T x[],} $T y[], $T start, int n, int parts, int logx, int logy, inout $T px[], inout $T py[]) {
    int most = n / parts, rest = n % parts;
    int from = b * most + min(b, rest), to = from + most + (b < rest ? 1 : 0);
    int spot[6] = int[6](-1, -1, -1, -1, -1, -1);
    $T low = $T(0), high = $T(0), left = $T(0), right = $T(0);
    for (int i = from; i < to; i++) {
        $T u = V(i), v = y[i];
        if (drawn(u, logx != 0) && drawn(v, logy != 0)) {
            bool first = spot[0] < 0;
            if (first) { spot[0] = i; }
            if (first || v < low) { low = v; spot[1] = i; }
            if (first || v > high) { high = v; spot[2] = i; }
            if (first || u < left) { left = u; spot[3] = i; }
            if (first || u > right) { right = u; spot[4] = i; }
            spot[5] = i;
        }
    }
    order(spot[1], spot[2]);
    order(spot[3], spot[4]);
    order(spot[1], spot[3]);
    order(spot[2], spot[4]);
    order(spot[2], spot[3]);
    for (int k = 0; k < 6; k++) {
        bool some = spot[0] >= 0;
        $T u = some ? V(spot[k]) : $T(0), v = some ? y[spot[k]] : $T(NOTHING);
        px[6 * b + k] = u;
        py[6 * b + k] = v;
    }
}

$section(extent)
// Finds the least and the largest number to draw of each part; LARGEST and -LARGEST if there is none.
kernel void extent($T s[], int n, int parts, int logarithmic, out $T low<>, out $T high<>) {
    int b = indexof(low).x, most = n / parts, rest = n % parts;
    int from = b * most + min(b, rest), to = from + most + (b < rest ? 1 : 0);
    low = LARGEST;
    high = -LARGEST;
    for (int i = from; i < to; i++) {
        if (drawn(s[i], logarithmic != 0)) {
            low = min(low, s[i]);
            high = max(high, s[i]);
        }
    }
}

$section(between)
// Finds the first and the last element of each part that is between two numbers; n and -1 if there is none.
kernel void between($T s[], int n, int parts, $T low, $T high, out int first<>, out int last<>) {
    int b = indexof(first).x, most = n / parts, rest = n % parts;
    int from = b * most + min(b, rest), to = from + most + (b < rest ? 1 : 0);
    first = n;
    last = -1;
    for (int i = from; i < to; i++) {
        if (s[i] >= low && s[i] <= high) {
            first = min(first, i);
            last = i;
        }
    }
}

$section(cells)
#define V(i) $if(has_x){x}$else{$T(indexof(y).x + 1)}
// Marks the cell of each point. All invocations write the same value, so their order does not matter.
float logarithm($T v) { $if(T == double){int e; double m = frexp(v, e); return log(float(m)) + 0.69314718 * float(e);}$else{return log(v);} }
kernel void cells($if(has_x){$T x<>,} $T y<>, int logx, int logy, $T ux, $T uy, $T x0, $T x1, $T y0, $T y1, int nx, int ny, inout uint grid[]) {
    $T u = V(0), v = y;
    if (drawn(u, logx != 0) && drawn(v, logy != 0)) {
        u = logx != 0 ? $T(logarithm(u)) : u * ux;
        v = logy != 0 ? $T(logarithm(v)) : v * uy;
        $T p = (u - x0) / (x1 - x0), q = (v - y0) / (y1 - y0);
        if (p >= $T(0) && p <= $T(1) && q >= $T(0) && q <= $T(1)) {
            grid[min(int(q * $T(ny)), ny - 1) * nx + min(int(p * $T(nx)), nx - 1)] = 1u;
        }
    }
}
