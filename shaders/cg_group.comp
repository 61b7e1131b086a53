// Solves a small sparse system by conjugate gradients in one work group: many iterations per
// launch, and the iterative refinement around them (x plus the correction, and the residual in
// double). The matrix consists of slices of SPMV_SLICE rows in their order, as in spmv.h. An
// invocation processes four rows at a time, called a quad. `work` keeps the state between launches:
// CG_GROUP_KEPT doubles, then vectors of whole slices. In double: x, the residual, b, and x before
// the correction. In T: the inverse diagonal m, p, q = A p, r, the correction d, and the correction
// with the least residual. Sums are computed in double and in a fixed order. Defines: GROUP; WIDE:
// T is double; VALUE_DOUBLE; WIDE_VALUE_DOUBLE: the values with which the residual is computed are
// doubles; X_DOUBLE; B_DOUBLE; JACOBI; TILED: the matrix consists of tiles (cg_group.h); BLOCK:
// read through storage blocks.
// Fast arithmetic: nothing is precise here, so the compiler may contract products and sums, which a
// GPU needs for its speed.
#include "shared/parameters.glsl"
#include "shared/spmv_words.h"
#include "shared/cg_words.h"
#include "shared/cg_group_words.h"
layout(local_size_x = GROUP) in;
layout(location = 0) uniform uvec4 rill_p[CG_GROUP_P_VECTORS];

#ifdef WIDE
#define T double
#define V dvec4
#define TEXELS 2 // texels of a quad
#define GROWTH CG_GROWTH_DOUBLE
#define PRODUCT(a, b) dot(a, b)
#else
#define T float
#define V vec4
#define TEXELS 1
#define GROWTH double(CG_GROWTH_FLOAT)
#define PRODUCT(a, b) dot(dvec4(a), dvec4(b))
#endif

layout(std430, binding = 1) coherent buffer Work { uvec4 work[]; };
layout(std430, binding = 2) buffer X { uint x_io[]; };
layout(std430, binding = 3) readonly buffer B { uint b_in[]; };
layout(std430, binding = 4) readonly buffer M { uint m_in[]; };
#ifdef BLOCK
layout(std430, binding = 5) readonly buffer Begins { uint begins_in[]; };
#ifdef TILED
layout(std430, binding = 6) readonly buffer Columns { uint columns_in[]; };
#else
layout(std430, binding = 6) readonly buffer Columns { uvec4 columns_in[]; };
#endif
layout(std430, binding = 7) readonly buffer Values { uvec4 values_in[]; };
layout(std430, binding = 8) readonly buffer WideValues { uvec4 wide_values_in[]; };
#define BEGIN(i) int(begins_in[i])
#define COLUMNS(i) ivec4(columns_in[i])
#define COLUMN(i) int(columns_in[i])
#define VALUES(i) values_in[i]
#define WIDE_VALUES(i) wide_values_in[i]
#define TEXEL(i) work[i]
#define PAIR(i) ((i) % 2 == 0 ? work[(i) / 2].xy : work[(i) / 2].zw)
#define WORD(i) work[(i) / 4][(i) % 4]
#else
layout(binding = 0) uniform usamplerBuffer begins_in;
layout(binding = 1) uniform usamplerBuffer columns_in;
layout(binding = 2) uniform usamplerBuffer values_in;
layout(binding = 3) uniform usamplerBuffer wide_values_in;
layout(binding = 0, rgba32ui) uniform coherent readonly uimageBuffer texels_in; // includes `work`
layout(binding = 1, rg32ui) uniform coherent readonly uimageBuffer pairs_in;
layout(binding = 2, r32ui) uniform coherent readonly uimageBuffer words_in;
#define BEGIN(i) int(texelFetch(begins_in, i).x)
#define COLUMNS(i) ivec4(texelFetch(columns_in, i))
#define COLUMN(i) int(texelFetch(columns_in, i).x)
#define VALUES(i) texelFetch(values_in, i)
#define WIDE_VALUES(i) texelFetch(wide_values_in, i)
#define TEXEL(i) imageLoad(texels_in, i)
#define PAIR(i) imageLoad(pairs_in, i).xy
#define WORD(i) imageLoad(words_in, i).x
#endif

const int QUADS = SPMV_SLICE / 4; // quads of a slice
int lane = int(gl_LocalInvocationID.x);
// Read once, since compilers may not move them out of loops.
int rows = int(PARAMETER(CG_GROUP_P_ROWS)), quads = int(PARAMETER(CG_GROUP_P_SLICES)) * QUADS;
int begins_first = int(PARAMETER(CG_GROUP_P_BEGINS)), columns_first = int(PARAMETER(CG_GROUP_P_COLUMNS)) / 4;
int values_first = int(PARAMETER(CG_GROUP_P_VALUES)) / 4, wide_values_first = int(PARAMETER(CG_GROUP_P_WIDE)) / 4;
// First texels of the vectors.
int at_x = CG_GROUP_KEPT / 2, at_residual = at_x + 2 * quads, at_b = at_residual + 2 * quads;
int at_before = at_b + 2 * quads, at_m = at_before + 2 * quads;
int at_p = at_m + TEXELS * quads, at_q = at_p + TEXELS * quads, at_r = at_q + TEXELS * quads, at_d = at_r + TEXELS * quads, at_best = at_d + TEXELS * quads;

double double_parameter(int word) { return packDouble2x32(uvec2(PARAMETER(word), PARAMETER(word + 1))); }

// ---- doubles and vectors

dvec2 doubles_of(uvec4 w) { return dvec2(packDouble2x32(w.xy), packDouble2x32(w.zw)); }
uvec4 texel_of(dvec2 v) { return uvec4(unpackDouble2x32(v.x), unpackDouble2x32(v.y)); }
dvec4 wide_quad(int at, int n) { return dvec4(doubles_of(TEXEL(at + 2 * n)), doubles_of(TEXEL(at + 2 * n + 1))); }
void store_wide(int at, int n, dvec4 v)
{
    work[at + 2 * n] = texel_of(v.xy);
    work[at + 2 * n + 1] = texel_of(v.zw);
}
double wide_element(int at, int i) { return packDouble2x32(PAIR(2 * at + i)); }

#ifdef WIDE
V quad(int at, int n) { return wide_quad(at, n); }
void store_quad(int at, int n, V v) { store_wide(at, n, v); }
T element(int at, int i) { return wide_element(at, i); }
#else
V quad(int at, int n) { return uintBitsToFloat(TEXEL(at + n)); }
void store_quad(int at, int n, V v) { work[at + n] = floatBitsToUint(v); }
T element(int at, int i) { return uintBitsToFloat(WORD(4 * at + i)); }
#endif

double kept(int i) { return i % 2 == 0 ? doubles_of(work[i / 2]).x : doubles_of(work[i / 2]).y; }
// Called by one invocation.
void keep(int i, double value)
{
    uvec2 words = unpackDouble2x32(value);
    if (i % 2 == 0) {
        work[i / 2].xy = words;
    } else {
        work[i / 2].zw = words;
    }
}

double x_element(int i)
{
#ifdef X_DOUBLE
    int at = int(PARAMETER(CG_GROUP_P_X)) + 2 * i;
    return packDouble2x32(uvec2(x_io[at], x_io[at + 1]));
#else
    return double(uintBitsToFloat(x_io[int(PARAMETER(CG_GROUP_P_X)) + i]));
#endif
}
// Stores an element of x and returns its value as stored.
double store_x(int i, double value)
{
#ifdef X_DOUBLE
    int at = int(PARAMETER(CG_GROUP_P_X)) + 2 * i;
    uvec2 words = unpackDouble2x32(value);
    x_io[at] = words.x;
    x_io[at + 1] = words.y;
    return value;
#else
    precise float narrow = float(value); // precise: Mesa 25.0 replaces double(float(x)) by x
    precise double wide = double(narrow);
    x_io[int(PARAMETER(CG_GROUP_P_X)) + i] = floatBitsToUint(narrow);
    return wide;
#endif
}
double b_element(int i)
{
#ifdef B_DOUBLE
    int at = int(PARAMETER(CG_GROUP_P_B)) + 2 * i;
    return packDouble2x32(uvec2(b_in[at], b_in[at + 1]));
#else
    return double(uintBitsToFloat(b_in[int(PARAMETER(CG_GROUP_P_B)) + i]));
#endif
}
T m_element(int i)
{
#ifdef WIDE
    int at = int(PARAMETER(CG_GROUP_P_M)) + 2 * i;
    return packDouble2x32(uvec2(m_in[at], m_in[at + 1]));
#else
    return uintBitsToFloat(m_in[int(PARAMETER(CG_GROUP_P_M)) + i]);
#endif
}

// ---- the group

// Makes the stores of every invocation visible to the group.
void meet()
{
    memoryBarrier();
    barrier();
}

#if GROUP > 32
#define HEADS 32
shared dvec2 part[GROUP], head[HEADS];
// Bounds that compilers do not know: they would unroll these loops, which takes seconds.
int lanes = GROUP + min(rows, 0), heads = HEADS + min(rows, 0);

// Returns the sum of the values of all invocations of the group.
dvec2 group_sum(dvec2 value)
{
    part[lane] = value;
    meet();
    if (lane < HEADS) {
        dvec2 sum = part[lane];
        for (int i = lane + HEADS; i < lanes; i += HEADS) {
            sum += part[i];
        }
        head[lane] = sum;
    }
    meet();
    dvec2 sum = head[0];
    for (int i = 1; i < heads; i++) {
        sum += head[i];
    }
    return sum;
}
#else
shared dvec2 part[2 * GROUP]; // two halves, used in turns, so that a value is not overwritten while others read it
int turn = 0;

dvec2 group_sum(dvec2 value)
{
    part[turn + lane] = value;
    meet();
    dvec2 sum = part[turn];
    for (int i = 1; i < GROUP; i++) {
        sum += part[turn + i];
    }
    turn = GROUP - turn;
    return sum;
}
#endif

// ---- products

#ifdef VALUE_DOUBLE
V four_values(int q) { return V(doubles_of(VALUES(values_first + 2 * q)), doubles_of(VALUES(values_first + 2 * q + 1))); }
#else
V four_values(int q) { return V(uintBitsToFloat(VALUES(values_first + q))); }
#endif
#ifdef WIDE_VALUE_DOUBLE
dvec4 four_wide(int q)
{
    return dvec4(doubles_of(WIDE_VALUES(wide_values_first + 2 * q)), doubles_of(WIDE_VALUES(wide_values_first + 2 * q + 1)));
}
#else
dvec4 four_wide(int q) { return dvec4(uintBitsToFloat(WIDE_VALUES(wide_values_first + q))); }
#endif
// Returns quad n of the product of A and a vector. Its rows are the rows of quad quad_of(n).
#ifdef TILED
int quad_of(int n) { return BEGIN(begins_first + quads / QUADS + 1 + n); }
#define PRODUCT_OF(NAME, D4, FOUR, QUAD, AT)                                                                                     \
    D4 NAME(int n)                                                                                                               \
    {                                                                                                                            \
        int slice = begins_first + n / QUADS, begin = BEGIN(slice), places = BEGIN(slice + 1) - begin;                           \
        int q = begin * QUADS + n % QUADS, at = 4 * begin * QUADS + n % QUADS;                                                   \
        D4 sum = D4(0.0);                                                                                                        \
        for (int k = 0; k < places; k++) {                                                                                       \
            D4 v = QUAD(AT, clamp(COLUMN(4 * columns_first + q), 0, quads - 1));                                                 \
            sum += FOUR(at) * v.x;                                                                                               \
            sum += FOUR(at + QUADS) * v.y;                                                                                       \
            sum += FOUR(at + 2 * QUADS) * v.z;                                                                                   \
            sum += FOUR(at + 3 * QUADS) * v.w;                                                                                   \
            q += QUADS;                                                                                                          \
            at += 4 * QUADS;                                                                                                     \
        }                                                                                                                        \
        return sum;                                                                                                              \
    }
#else
int quad_of(int n) { return n; }
#define PRODUCT_OF(NAME, D, D4, FOUR, ELEMENT, AT)                                                                               \
    D4 NAME(int n)                                                                                                               \
    {                                                                                                                            \
        int slice = begins_first + n / QUADS, begin = BEGIN(slice), places = BEGIN(slice + 1) - begin;                           \
        int q = begin * QUADS + n % QUADS;                                                                                       \
        D4 sum = D4(0.0);                                                                                                        \
        for (int k = 0; k < places; k++) {                                                                                       \
            ivec4 s = COLUMNS(columns_first + q), c = clamp(s, 0, rows - 1);                                                     \
            D4 v = FOUR(q) * D4(ELEMENT(AT, c.x), ELEMENT(AT, c.y), ELEMENT(AT, c.z), ELEMENT(AT, c.w));                         \
            sum += D4(s.x < 0 ? D(0.0) : v.x, s.y < 0 ? D(0.0) : v.y, s.z < 0 ? D(0.0) : v.z, s.w < 0 ? D(0.0) : v.w);           \
            q += QUADS;                                                                                                          \
        }                                                                                                                        \
        return sum;                                                                                                              \
    }
#endif
#ifdef TILED
PRODUCT_OF(product_p, V, four_values, quad, at_p)
PRODUCT_OF(product_x, dvec4, four_wide, wide_quad, at_x)
#else
PRODUCT_OF(product_p, T, V, four_values, element, at_p)
PRODUCT_OF(product_x, double, dvec4, four_wide, wide_element, at_x)
#endif

// ---- phases

void start()
{
    for (int n = lane; n < quads; n += GROUP) {
        double b[4], x[4]; // arrays: NVIDIA's compiler cannot store to a component of a dvec4 with a variable index
        T m[4];
        for (int j = 0; j < 4; j++) {
            bool there = 4 * n + j < rows;
            b[j] = there ? b_element(4 * n + j) : 0.0lf;
            x[j] = there ? x_element(4 * n + j) : 0.0lf;
#ifdef JACOBI
            m[j] = there ? m_element(4 * n + j) : T(0.0);
#endif
        }
        dvec4 b_quad = dvec4(b[0], b[1], b[2], b[3]);
        store_wide(at_b, n, b_quad);
        store_wide(at_residual, n, b_quad);
        store_wide(at_x, n, dvec4(x[0], x[1], x[2], x[3]));
#ifdef JACOBI
        store_quad(at_m, n, V(m[0], m[1], m[2], m[3]));
#endif
    }
}

// Returns z for r.
V preconditioned(V r, int n)
{
#ifdef JACOBI
    return quad(at_m, n) * r;
#else
    return r;
#endif
}

struct Scalars {
    double rr, rz, pq, least, best, best_rz;
    int state, count;
};

// Updates the state after a residual of the iteration was computed. Returns whether to continue.
int judged(Scalars s)
{
    bool grown = s.rr > GROWTH * s.best && s.rz > GROWTH * s.best_rz;
    return s.rr <= s.least ? int(CG_CONVERGED) : grown ? int(CG_GROWN) : s.rz > 0.0lf ? int(CG_RUNNING) : s.rz <= 0.0lf ? int(CG_UNEVEN) : int(CG_NO_NUMBER);
}

Scalars begin_correction()
{
    double scale = double_parameter(CG_GROUP_P_SCALE), goal = double_parameter(CG_GROUP_P_GOAL);
    dvec2 sums = dvec2(0.0lf);
    for (int n = lane; n < quads; n += GROUP) {
        V r = V(wide_quad(at_residual, n) * scale), z = preconditioned(r, n);
        store_quad(at_r, n, r);
        store_quad(at_p, n, z);
        store_quad(at_d, n, V(0.0));
        sums += dvec2(PRODUCT(r, r), PRODUCT(r, z));
    }
    sums = group_sum(sums);
    Scalars s = Scalars(sums.x, sums.y, 0.0lf, goal * goal * sums.x, sums.x, sums.y, 0, 0);
    s.state = judged(s);
    if (lane == 0) {
        keep(CG_GROUP_FIRST, s.rr);
    }
    return s;
}

// Runs one iteration, and stores r'r after it at index `place` of the history.
void iterate(inout Scalars s, int place)
{
    dvec2 sums = dvec2(0.0lf);
    for (int n = lane; n < quads; n += GROUP) {
        int own = quad_of(n);
        V q = product_p(n);
        store_quad(at_q, own, q);
        sums.x += PRODUCT(quad(at_p, own), q);
    }
    s.pq = group_sum(sums).x;
    s.state = s.pq > 0.0lf ? int(CG_RUNNING) : s.pq <= 0.0lf ? int(CG_INDEFINITE) : int(CG_NO_NUMBER);
    if (s.state == int(CG_RUNNING)) {
        T alpha = T(s.rz / s.pq);
        sums = dvec2(0.0lf);
        for (int n = lane; n < quads; n += GROUP) {
            V r = quad(at_r, n) - alpha * quad(at_q, n);
            store_quad(at_r, n, r);
            double square = PRODUCT(r, r);
#ifdef JACOBI
            sums += dvec2(square, PRODUCT(r, preconditioned(r, n)));
#else
            sums += dvec2(square);
#endif
        }
        sums = group_sum(sums);
        T beta = T(sums.y / s.rz);
        int left = !(sums.x < s.best) && s.rr == s.best ? quads : 0; // a loop without iterations is skipped, while a branch would be computed
        for (int n = lane; n < left; n += GROUP) {
            store_quad(at_best, n, quad(at_d, n));
        }
        s.rr = sums.x;
        s.rz = sums.y;
        s.count++;
        s.state = judged(s);
        s.best = s.rr < s.best ? s.rr : s.best;
        s.best_rz = s.rz < s.best_rz ? s.rz : s.best_rz;
        for (int n = lane; n < quads; n += GROUP) {
            V p = quad(at_p, n);
            store_quad(at_d, n, quad(at_d, n) + alpha * p);
            store_quad(at_p, n, preconditioned(quad(at_r, n), n) + beta * p);
        }
        if (lane == 0) {
            keep(place, s.rr);
        }
        meet();
    }
}

// Returns the position of the correction with the least residual, or of the last correction if its
// residual is about as small.
int at_correction(Scalars s)
{
    double growth = s.state == int(CG_RUNNING) ? double(CG_GROWTH_ALLOWED) * double(CG_GROWTH_ALLOWED) : 1.0lf;
    return s.rr <= growth * s.best ? at_d : at_best;
}

void take_back()
{
    for (int n = lane; n < quads; n += GROUP) {
        dvec4 before = wide_quad(at_before, n);
        store_wide(at_x, n, before);
        for (int j = 0; j < 4; j++) {
            if (4 * n + j < rows) {
                store_x(4 * n + j, before[j]);
            }
        }
    }
    meet();
}

// Adds a multiple of the correction to x, unless an element would exceed the range of x's type:
// then x is unchanged.
void add_correction(int at)
{
    double factor = double_parameter(CG_GROUP_P_FACTOR), largest = double_parameter(CG_GROUP_P_LARGEST), beyond = 0.0lf;
    for (int n = lane; n < quads; n += GROUP) {
        dvec4 sum = abs(wide_quad(at_x, n) + factor * dvec4(quad(at, n)));
        bool fits = sum.x <= largest && sum.y <= largest && sum.z <= largest && sum.w <= largest;
        beyond += fits ? 0.0lf : 1.0lf;
    }
    beyond = group_sum(dvec2(beyond)).x;
    if (beyond == 0.0lf) {
        for (int n = lane; n < quads; n += GROUP) {
            dvec4 before = wide_quad(at_x, n), added = before + factor * dvec4(quad(at, n));
            double sum[4] = double[4](added.x, added.y, added.z, added.w);
            store_wide(at_before, n, before);
            for (int j = 0; j < 4; j++) {
                if (4 * n + j < rows) {
                    sum[j] = store_x(4 * n + j, sum[j]);
                }
            }
            store_wide(at_x, n, dvec4(sum[0], sum[1], sum[2], sum[3]));
        }
    }
    if (lane == 0) {
        keep(CG_GROUP_ADDED, beyond == 0.0lf ? 1.0lf : 0.0lf);
    }
    meet();
}

void residual()
{
    dvec2 sums = dvec2(0.0lf);
    for (int n = lane; n < quads; n += GROUP) {
        int own = quad_of(n);
        dvec4 r = wide_quad(at_b, own) - product_x(n);
        store_wide(at_residual, own, r);
        sums.x += dot(r, r);
    }
    sums = group_sum(sums);
    if (lane == 0) {
        keep(CG_GROUP_SQUARES, sums.x);
    }
}

void main()
{
    uint phases = PARAMETER(CG_GROUP_P_PHASES);
    int steps = int(PARAMETER(CG_GROUP_P_STEPS)), most = int(PARAMETER(CG_GROUP_P_MOST));
    bool stopped = true;
    Scalars s;
    if ((phases & uint(CG_GROUP_START)) != 0u) {
        start();
        meet();
    }
    if ((phases & uint(CG_GROUP_BEGIN)) != 0u) {
        s = begin_correction();
    } else {
        double goal = double_parameter(CG_GROUP_P_GOAL);
        s = Scalars(kept(CG_RR), kept(CG_RZ), kept(CG_PQ), goal * goal * kept(CG_GROUP_FIRST), kept(CG_GROUP_BEST),
                    kept(CG_GROUP_BEST_RZ), int(kept(CG_STATE)), int(kept(CG_COUNT)));
    }
    if ((phases & uint(CG_GROUP_ITERATE)) != 0u) {
        meet();
        for (int step = 0; step < steps && s.count < most && s.state == int(CG_RUNNING); step++) {
            iterate(s, CG_GROUP_HISTORY + step);
        }
        stopped = s.state != int(CG_RUNNING) || s.count >= most;
        if (lane == 0) {
            keep(CG_RR, s.rr);
            keep(CG_RZ, s.rz);
            keep(CG_PQ, s.pq);
            keep(CG_STATE, double(s.state));
            keep(CG_COUNT, double(s.count));
            keep(CG_GROUP_BEST, s.best);
            keep(CG_GROUP_BEST_RZ, s.best_rz);
            keep(CG_GROUP_DONE, stopped ? 1.0lf : 0.0lf);
        }
    }
    if (stopped && (phases & uint(CG_GROUP_ADD)) != 0u) {
        if (double_parameter(CG_GROUP_P_FACTOR) == 0.0lf) {
            take_back();
        } else {
            add_correction(at_correction(s));
        }
    }
    if (stopped && (phases & uint(CG_GROUP_MEASURE)) != 0u) {
        residual();
    }
}
