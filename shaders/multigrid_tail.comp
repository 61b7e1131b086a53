// The coarse part of a V-cycle in a single launch of one work group: from b of a grid of at most
// MULTIGRID_TAIL_SIZE elements to its correction x, through all coarser grids, with the methods of
// lua/rill/solve/kernels/vcycle.glsl. x of all grids, and b of all but the first, are in shared
// memory. An invocation processes the elements i, i + GROUP, ... of each grid. Grids of two
// dimensions have depth 1. Defines: GROUP; OWN: most elements per invocation; WIDE: doubles.
#include "shared/parameters.glsl"
#include "shared/multigrid_words.h"
layout(local_size_x = GROUP) in;
layout(location = 0) uniform uvec4 rill_p[MULTIGRID_P_VECTORS];

#ifdef WIDE
#define T double
const int VALUES = MULTIGRID_TAIL_BYTES / 8;
#else
#define T float
const int VALUES = MULTIGRID_TAIL_BYTES / 4;
#endif
layout(std430, binding = 1) buffer Result { T result_io[]; };
layout(std430, binding = 2) readonly buffer RightSide { T b_in[]; };
layout(std430, binding = 3) readonly buffer Words { T words_in[]; };
layout(std430, binding = 4) readonly buffer Inverse { T inverse_in[]; };

shared T values[VALUES];
shared T words[MULTIGRID_TAIL_LEVELS * MULTIGRID_TAIL_WORDS];

#define INT(word) int(PARAMETER(word))
#define FLOAT(word) uintBitsToFloat(PARAMETER(word))
#define WORD(level, word) words[(level) * MULTIGRID_TAIL_WORDS + (word)]
#define WHOLE(level, word) int(WORD(level, word))
#define THREE(level, word) vec3(WORD(level, word), WORD(level, (word) + 1), WORD(level, (word) + 2))

int local = int(gl_LocalInvocationID.x), begin = INT(MULTIGRID_P_TAIL_FIRST), pitch = INT(MULTIGRID_P_TAIL_PITCH);
int layer = INT(MULTIGRID_P_TAIL_LAYER);

// 2, which compilers do not know: they would repeat the text of loops of two turns, and take twice as long.
int twice = 2 + min(INT(MULTIGRID_P_TAIL_LEVELS), 0);

// The grid that is processed
int level, size, x_at, b_at;
ivec3 n;
bvec3 wraps;
T own[OWN];

ivec3 sizes_of(int grid)
{
    return ivec3(THREE(grid, MULTIGRID_TAIL_SIZES));
}

void enter(int grid)
{
    level = grid;
    n = sizes_of(grid);
    size = n.x * n.y * n.z;
    x_at = WHOLE(grid, MULTIGRID_TAIL_X);
    b_at = WHOLE(grid, MULTIGRID_TAIL_B);
    wraps = greaterThan(THREE(grid, MULTIGRID_TAIL_PERIODIC), vec3(0.5));
}

ivec3 position(int i, ivec3 extent)
{
    // Grids are so small that quotients of floats are exact. Integer divisions take longer.
    int row = int((float(i) + 0.5) / float(extent.x)), plane = int((float(row) + 0.5) / float(extent.y));
    return ivec3(i - row * extent.x, row - plane * extent.y, plane);
}

// Returns the index of the element that an index outside reads. An index that is more than `count` elements outside has
// the weight 0.
int inside(int i, int count, bool wrap)
{
    int moved = i < 0 ? i + count : i >= count ? i - count : i;
    return clamp(wrap ? moved : i, 0, count - 1);
}

T b_of(int i, ivec3 at)
{
    return level == 0 ? b_in[begin + at.z * layer + at.y * pitch + at.x] : values[b_at + i];
}

// Adds the products of an element and of its two neighbors along a dimension.
#define ALONG(d, stride) \
    if (n.d > 1 || WORD(level, MULTIGRID_TAIL_WALLS + axis) != T(0)) { \
        int low = inside(at.d - 1, n.d, wraps.d), high = inside(at.d + 1, n.d, wraps.d); \
        edge += WORD(level, MULTIGRID_TAIL_WALLS + axis) * T(int(at.d == 0) + int(at.d == n.d - 1)); \
        around += WORD(level, MULTIGRID_TAIL_SIDES + axis) * \
                  (values[x_at + i + (low - at.d) * (stride)] + values[x_at + i + (high - at.d) * (stride)]); \
    } \
    axis++;

// Sets own to alpha x + omega (b - A x).
void relax(T alpha, T omega)
{
    for (int k = 0; k < OWN; k++) {
        int i = local + k * GROUP;
        if (i < size) {
            ivec3 at = position(i, n);
            T edge = T(0), around = T(0), here = values[x_at + i];
            int axis = 0;
            ALONG(x, 1)
            ALONG(y, n.x)
            ALONG(z, n.x * n.y)
            own[k] = alpha * here + omega * (b_of(i, at) - (T(1) + edge) * here + around);
        }
    }
}

// Stores own as x. All invocations have read x before, and the stored elements can be read after it.
void store()
{
    barrier();
    for (int k = 0; k < OWN; k++) {
        int i = local + k * GROUP;
        if (i < size) {
            values[x_at + i] = own[k];
        }
    }
    barrier();
}

// Returns the weights of four elements from `first` on for a coarse element at p.
vec4 weights(float p, float ratio, int first, int count, float open)
{
    vec4 place = float(first) + vec4(0.0, 1.0, 2.0, 3.0);
    vec4 within = step(-0.5, place) * step(place, vec4(float(count) - 0.5));
    return max(1.0 - abs(place - p) / ratio, 0.0) * max(within, open);
}

// Restricts x, which is the residual here, to b of the next grid.
void coarsen()
{
    ivec3 coarse = sizes_of(level + 1);
    int total = coarse.x * coarse.y * coarse.z, to = WHOLE(level + 1, MULTIGRID_TAIL_B);
    vec3 ratio = THREE(level, MULTIGRID_TAIL_DOWN), offset = THREE(level, MULTIGRID_TAIL_DOWN + 3);
    vec3 open = THREE(level, MULTIGRID_TAIL_OPEN);
    T scale = WORD(level, MULTIGRID_TAIL_SCALE);
    for (int i = local; i < total; i += GROUP) {
        vec3 p = vec3(position(i, coarse)) * ratio + offset;
        ivec3 first = ivec3(floor(p - ratio)) + 1;
        vec4 wx = weights(p.x, ratio.x, first.x, n.x, open.x), wy = weights(p.y, ratio.y, first.y, n.y, open.y);
        vec4 wz = n.z > 1 ? weights(p.z, ratio.z, first.z, n.z, open.z) : vec4(1.0, 0.0, 0.0, 0.0);
        int x0 = inside(first.x, n.x, wraps.x), x1 = inside(first.x + 1, n.x, wraps.x);
        int x2 = inside(first.x + 2, n.x, wraps.x), x3 = inside(first.x + 3, n.x, wraps.x);
        T sum = T(0);
        for (int k = 0; k < (n.z > 1 ? 16 : 4); k++) {
            int y = inside(first.y + k % 4, n.y, wraps.y), z = n.z > 1 ? inside(first.z + k / 4, n.z, wraps.z) : 0;
            int row = x_at + (z * n.y + y) * n.x;
            sum += T(wz[k / 4] * wy[k % 4]) * (T(wx.x) * values[row + x0] + T(wx.y) * values[row + x1] +
                                               T(wx.z) * values[row + x2] + T(wx.w) * values[row + x3]);
        }
        values[to + i] = scale * sum;
    }
}

// Returns the weights of linear interpolation between the elements below and above p.
vec2 shares(float p, int count, float open)
{
    float low = floor(p);
    return vec2(1.0 - (p - low), p - low) * max(vec2(step(0.0, low), step(low, float(count) - 1.5)), open);
}

// Adds the interpolated correction of the next grid to x.
void refine()
{
    ivec3 coarse = sizes_of(level + 1);
    int from = WHOLE(level + 1, MULTIGRID_TAIL_X);
    vec3 ratio = THREE(level, MULTIGRID_TAIL_UP), offset = THREE(level, MULTIGRID_TAIL_UP + 3);
    vec3 open = THREE(level, MULTIGRID_TAIL_OPEN);
    for (int k = 0; k < OWN; k++) {
        int i = local + k * GROUP;
        if (i < size) {
            vec3 p = vec3(position(i, n)) * ratio + offset;
            ivec3 first = ivec3(floor(p));
            vec2 wx = shares(p.x, coarse.x, open.x), wy = shares(p.y, coarse.y, open.y);
            vec2 wz = n.z > 1 ? shares(p.z, coarse.z, open.z) : vec2(1.0, 0.0);
            int x0 = inside(first.x, coarse.x, wraps.x), x1 = inside(first.x + 1, coarse.x, wraps.x);
            int y0 = inside(first.y, coarse.y, wraps.y), y1 = inside(first.y + 1, coarse.y, wraps.y);
            T sum = T(0);
            for (int z = 0; z < (n.z > 1 ? 2 : 1); z++) {
                int plane = n.z > 1 ? inside(first.z + z, coarse.z, wraps.z) * coarse.y : 0;
                int low = from + (plane + y0) * coarse.x, high = from + (plane + y1) * coarse.x;
                sum += T(wz[z]) * (T(wy.x) * (T(wx.x) * values[low + x0] + T(wx.y) * values[low + x1]) +
                                   T(wy.y) * (T(wx.x) * values[high + x0] + T(wx.y) * values[high + x1]));
            }
            values[x_at + i] += sum;
        }
    }
    barrier();
}

// Smooths from zero and restricts the residual.
void descend()
{
    for (int k = 0; k < OWN; k++) {
        int i = local + k * GROUP;
        if (i < size) {
            own[k] = b_of(i, position(i, n));
        }
    }
    store();
    T u = WORD(level, MULTIGRID_TAIL_STEPS), v = WORD(level, MULTIGRID_TAIL_STEPS + 1);
    T x[OWN];
    for (int k = 0; k < twice; k++) { // two steps from zero in one, then the residual
        x = own; // at last the result of the steps
        relax(k == 0 ? u + v - u * v : T(0), k == 0 ? u * v : T(1));
        store();
    }
    coarsen();
    own = x;
    store();
}

// Multiplies b of the last grid with the inverse of its matrix.
void solve()
{
    if (local < size) {
        T sum = T(0);
        for (int i = 0; i < size; i++) {
            sum += inverse_in[local * size + i] * values[b_at + i];
        }
        values[x_at + local] = sum;
    }
    barrier();
}

void main()
{
    int levels = INT(MULTIGRID_P_TAIL_LEVELS);
    for (int i = local; i < levels * MULTIGRID_TAIL_WORDS; i += GROUP) {
        words[i] = words_in[i];
    }
    barrier();
    for (int grid = 0; grid < levels - 1; grid++) {
        enter(grid);
        descend();
    }
    enter(levels - 1);
    solve();
    for (int grid = levels - 2; grid >= 0; grid--) {
        enter(grid);
        refine();
        for (int k = 0; k < twice; k++) {
            relax(T(1), WORD(level, MULTIGRID_TAIL_STEPS + k));
            store();
        }
    }
    T weight = T(FLOAT(MULTIGRID_P_WEIGHT)), keep = T(FLOAT(MULTIGRID_P_KEEP));
    for (int k = 0; k < OWN; k++) {
        int i = local + k * GROUP;
        if (i < size) {
            ivec3 at = position(i, n);
            int to = begin + at.z * layer + at.y * pitch + at.x;
            T result = weight * own[k];
            // A loop, because a branch does not avoid the read on every device, and the previous
            // content may be NaN.
            for (int kept = 0; kept < int(keep != T(0)); kept++) {
                result += keep * result_io[to];
            }
            result_io[to] = result;
        }
    }
}
