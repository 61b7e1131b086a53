$use(union_find)
$use(fluid_grid)
// A part is identified by its first cell, the root of its tree, which is stored in `parent` for each of its cells;
// solid cells have -1. At the root, `count` is the number of cells, plus OPEN if the part has an open side, and
// `total` is the sum, in 64-bit fixed point with unit `share`, so that the order of additions does not matter.
const uint OPEN = 0x80000000u;
kernel void begin($I stride, float here<>, out int parent<>, out uint count<>) {
    $I i = indexof(parent).$fields;
    parent = here < 0.5 ? 0 $for(c, components){+ i.$c.axis * stride.$c.axis} : -1;
    count = 0u;
}
// Unites neighbors along x within each $length cells.
kernel void run(int strip<>, Sides s, inout int parent[]) {
    int begin = strip * $length, end = min(begin + $length, sizeof_stream(parent).x);
    int width = int(s.size.x), x = begin % width, first = -1;
    for (int c = begin; c < end; c++) {
        int own = parent[c];
        first = own < 0 || x == 0 || first < 0 ? own : first;
        if (first < own) parent[c] = first;
        x = x + 1 < width ? x + 1 : 0;
    }
}
// Unites the remaining neighbors.
kernel void unite(Sides s, $I stride, uint count<>, inout int parent[]) {
    $I i = indexof(count).$fields, n = $I(s.size);
    int own = 0 $for(c, components){+ i.$c.axis * stride.$c.axis};
    bool fluid = parent[own] >= 0, joined = fluid && i.x > 0 && parent[max(own - 1, 0)] >= 0;
$for(c, components){
    {
        int other = i.$c.axis > 0 ? own - stride.$c.axis : s.wraps.$c.axis > 0.5 ? own + (n.$c.axis - 1) * stride.$c.axis : own;
        // Cells that are already united along x in both rows need to be united only once.
        bool done = $c.step.x == 0 ? joined && parent[max(other - 1, 0)] >= 0 : joined && own % $length > 0;
        if (fluid && other != own && !done && parent[other] >= 0) {
            int a = own, b = other;
            UNITE(a, b)
        }
    }
}
}
kernel void name(int strip<>, inout int parent[], inout uint count[]) {
    int begin = strip * $length, end = min(begin + $length, sizeof_stream(parent).x), part = -1;
    uint run = 0u;
    for (int c = begin; c < end; c++) {
        int root = parent[c];
        if (root >= 0) {
            HALVE_TO_ROOT(root)
            parent[c] = root;
        }
        if (root != part) {
            if (part >= 0) atomicAdd(count[part], run);
            part = root;
            run = 0u;
        }
        run++;
    }
    if (part >= 0) atomicAdd(count[part], run);
}
kernel void reach(Sides s, int parent<>, inout uint count[]) {
    $I i = indexof(parent).$fields, n = $I(s.size) - 1;
    bool opens = false $for(c, components){|| i.$c.axis == 0 && s.low_held.$c.axis == 0.0 || i.$c.axis == n.$c.axis && s.high_held.$c.axis == 0.0};
    if (parent >= 0 && opens) atomicOr(count[parent], OPEN);
}
double share_of(double square, double cells) { return sqrt(cells * square) * exp2(-$bits.0); }
kernel void sum(int strip<>, double square[], int parent[], uint count[], float b[], inout uint total[]) {
    int cells = sizeof_stream(parent).x, begin = strip * $length, end = min(begin + $length, cells), part = -1;
    double share = share_of(square[0], double(sizeof_stream(count).x)), sum = 0.0LF;
    for (int c = begin; c <= end; c++) {
        int root = c < end ? parent[c] : -1;
        if (root != part) {
            if (part >= 0 && count[part] < OPEN && sum != 0.0LF) {
                double fixed = floor(sum / share + 0.5LF), high = floor(fixed / 4294967296.0LF);
                uint low = uint(fixed - high * 4294967296.0LF), before = atomicAdd(total[2 * part], low);
                atomicAdd(total[2 * part + 1], uint(int(high)) + (before + low < low ? 1u : 0u));
            }
            part = root;
            sum = 0.0LF;
        }
        sum += c < end ? double(b[c]) : 0.0LF;
    }
}
double sum_of(uvec2 total) { return double(int(total.y)) * 4294967296.0LF + double(total.x); }
kernel void level(double square[], int parent<>, uint count[], uvec2 total[], inout float b<>) {
    int part = max(parent, 0);
    bool closed = parent >= 0 && count[part] < OPEN;
    double sum = sum_of(total[part]) * share_of(square[0], double(sizeof_stream(count).x));
    b -= closed ? float(sum / double(count[part])) : 0.0;
}
kernel void off(double square[], double cells, uvec2 total<>, uint count<>, out double r<>) {
    bool closed = count > 0u && count < OPEN;
    r = closed ? sum_of(total) * share_of(square[0], cells) / sqrt(double(count)) : 0.0LF;
}
reduce void add(double x<>, reduce double sum<>) { sum += x; }
kernel double closed(uint count<>) { return count > 0u && count < OPEN ? 1.0LF : 0.0LF; }
