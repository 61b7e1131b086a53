// Updates the vectors in an iteration of conjugate gradients, after q = A p: one launch per phase
// with many groups, or, with FUSED, all phases in one launch of one group. Sums are computed in
// double. Each group stores its own sum, and the next phase adds them. Once the iteration has
// stopped, nothing changes. Defines: GROUP; WIDE: elements are doubles; one of PLAIN (z = r),
// JACOBI (z = d r), GIVEN (z was computed before); BLOCK: read through storage blocks.
// Fast arithmetic: nothing is precise here, so the compiler may contract products and sums, which a
// GPU needs for its speed.
#include "shared/parameters.glsl"
#include "shared/cg_words.h"
layout(local_size_x = GROUP) in;
layout(location = 0) uniform uvec4 rill_p[CG_P_VECTORS];

#ifdef WIDE
#define T double
#define V dvec2
#define GROWTH CG_GROWTH_DOUBLE
#define PRODUCT(a, b) dot(a, b)
V vector_of(uvec4 w) { return V(packDouble2x32(w.xy), packDouble2x32(w.zw)); }
uvec4 texel_of(V v) { return uvec4(unpackDouble2x32(v.x), unpackDouble2x32(v.y)); }
#else
#define T float
#define V vec4
#define GROWTH double(CG_GROWTH_FLOAT)
#define PRODUCT(a, b) dot(dvec4(a), dvec4(b))
V vector_of(uvec4 w) { return uintBitsToFloat(w); }
uvec4 texel_of(V v) { return floatBitsToUint(v); }
#endif

layout(std430, binding = 1) buffer X { uvec4 x_io[]; };
layout(std430, binding = 2) buffer R { uvec4 r_io[]; };
layout(std430, binding = 3) buffer P { uvec4 p_io[]; };
layout(std430, binding = 4) coherent buffer State { double state[]; };
layout(std430, binding = 5) buffer Best { uvec4 best_io[]; }; // the x with the least residual, if the residual has increased since
#ifdef BLOCK
layout(std430, binding = 6) readonly buffer Q { uvec4 q_in[]; };
layout(std430, binding = 7) readonly buffer Z { uvec4 z_in[]; };
#define READ_X(i) vector_of(x_io[i])
#define READ_R(i) vector_of(r_io[i])
#define READ_P(i) vector_of(p_io[i])
#define READ_Q(i) vector_of(q_in[i])
#define READ_Z(i) vector_of(z_in[i])
#else
layout(binding = 0) uniform usamplerBuffer x_in;
layout(binding = 1) uniform usamplerBuffer r_in;
layout(binding = 2) uniform usamplerBuffer p_in;
layout(binding = 3) uniform usamplerBuffer q_in;
layout(binding = 4) uniform usamplerBuffer z_in;
#define READ_X(i) vector_of(texelFetch(x_in, i))
#define READ_R(i) vector_of(texelFetch(r_in, i))
#define READ_P(i) vector_of(texelFetch(p_in, i))
#define READ_Q(i) vector_of(texelFetch(q_in, i))
#define READ_Z(i) vector_of(texelFetch(z_in, i))
#endif
#ifdef FUSED
#define NEW_R(i) vector_of(r_io[i]) // written by this launch, which reads through textures may not see
#else
#define NEW_R(i) READ_R(i)
#endif

shared double part[GROUP];

int lane() { return int(gl_LocalInvocationID.x); }
int group() { return int(gl_WorkGroupID.x); }
bool writes() { return lane() == 0 && group() == 0; }

// Sets part[0] to the sum of a group's values, for invocation 0.
void combine(double value)
{
    part[lane()] = value;
    for (int half_way = GROUP / 2; half_way > 0; half_way /= 2) {
        barrier();
        if (lane() < half_way) {
            part[lane()] += part[lane() + half_way];
        }
    }
}

// Stores the sum of a group's values as its part of sum `which`.
void leave(int which, double value)
{
    combine(value);
    if (lane() == 0) {
        state[CG_PARTIALS + which * CG_MOST_GROUPS + group()] = part[0];
    }
    memoryBarrierBuffer();
    barrier();
}

// Returns sum `which`, which has `count` parts. All invocations must call it.
double total(int which, int count)
{
    double sum = 0.0lf;
    int first = CG_PARTIALS + which * CG_MOST_GROUPS;
#if GROUP > 32
    for (int g = lane(); g < count; g += GROUP) {
        sum += state[first + g];
    }
    combine(sum);
    barrier();
    sum = part[0];
    barrier();
#else
    for (int g = 0; g < count; g++) {
        sum += state[first + g];
    }
#endif
    return sum;
}

void main()
{
    int begin = group() * int(PARAMETER(CG_P_CHUNK)) + lane();
    int end = min((group() + 1) * int(PARAMETER(CG_P_CHUNK)), int(PARAMETER(CG_P_TEXELS)));
    uint phases = PARAMETER(CG_P_PHASES);
    bool direction = (phases & uint(CG_DIRECTION)) != 0u;
    int groups = int(PARAMETER(CG_P_GROUPS));
    double least = packDouble2x32(uvec2(PARAMETER(CG_P_LEAST), PARAMETER(CG_P_LEAST + 1)));
    double rz_before = state[CG_RZ_BEFORE], alpha = state[CG_ALPHA], now = state[CG_MIDDLE];
    double rr_before = state[CG_RR_BEFORE], best = state[CG_BEST_BEFORE], best_rz = state[CG_BEST_RZ_BEFORE];

    if ((phases & uint(CG_DOT)) != 0u) {
        double sum = 0.0lf;
        for (int i = begin; i < end; i += GROUP) {
            sum += PRODUCT(READ_P(i), READ_Q(i));
        }
        leave(CG_SUM_PQ, sum);
    }

    if ((phases & uint(CG_RESIDUAL)) != 0u) {
        double pq = total(CG_SUM_PQ, int(PARAMETER(CG_P_DOTS)));
        rz_before = state[CG_RZ];
        rr_before = state[CG_RR];
        best = state[CG_BEST];
        best_rz = state[CG_BEST_RZ];
        double was = state[CG_STATE];
        now = was != CG_RUNNING ? was : pq > 0.0lf ? CG_RUNNING : pq <= 0.0lf ? CG_INDEFINITE : CG_NO_NUMBER;
        alpha = now == CG_RUNNING ? rz_before / pq : 0.0lf;
        double rr = 0.0lf, rz = 0.0lf;
        int stop = now == CG_RUNNING ? end : begin;
        for (int i = begin; i < stop; i += GROUP) {
            V r = READ_R(i) - T(alpha) * READ_Q(i);
            r_io[i] = texel_of(r);
            rr += PRODUCT(r, r);
#ifdef JACOBI
            rz += PRODUCT(r, READ_Z(i) * r);
#endif
        }
        if (writes()) {
            state[CG_RZ_BEFORE] = rz_before;
            state[CG_RR_BEFORE] = rr_before;
            state[CG_BEST_BEFORE] = best;
            state[CG_BEST_RZ_BEFORE] = best_rz;
            state[CG_ALPHA] = alpha;
            state[CG_MIDDLE] = now;
            if (was == CG_RUNNING) {
                state[CG_PQ] = pq;
            }
        }
        leave(CG_SUM_RR, rr);
#ifdef JACOBI
        leave(CG_SUM_RZ, rz);
#endif
    }

    if (direction) {
        double rr = total(CG_SUM_RR, groups);
        bool relative = (phases & uint(CG_RELATIVE)) != 0u;
        double scale = relative ? rr : state[CG_SCALE];
#ifdef PLAIN
        double rz = rr;
#else
        double rz = total(CG_SUM_RZ, groups);
#endif
        bool grown = rr > GROWTH * best && rz > GROWTH * best_rz;
        double after = now != CG_RUNNING ? now : rr <= least * scale ? CG_CONVERGED : grown ? CG_GROWN : rz > 0.0lf ? CG_RUNNING :
            rz <= 0.0lf ? CG_UNEVEN : CG_NO_NUMBER;
        T beta = T(rz / rz_before);
        int stop = now == CG_RUNNING ? end : begin;
        int left = !(rr < best) && rr_before == best ? stop : begin; // a loop without iterations is skipped, while a branch would be computed
        for (int i = begin; i < left; i += GROUP) {
            best_io[i] = texel_of(READ_X(i));
        }
        for (int i = begin; i < stop; i += GROUP) {
            V p = READ_P(i);
            x_io[i] = texel_of(READ_X(i) + T(alpha) * p);
#ifdef PLAIN
            V z = NEW_R(i);
#endif
#ifdef JACOBI
            V z = READ_Z(i) * NEW_R(i);
#endif
#ifdef GIVEN
            V z = READ_Z(i);
#endif
            p_io[i] = texel_of(z + beta * p);
        }
        if (writes()) {
            if (now == CG_RUNNING) {
                state[CG_COUNT] += 1.0lf;
                state[CG_RR] = rr;
                state[CG_RZ] = rz;
                state[CG_BEST] = rr < best ? rr : best;
                state[CG_BEST_RZ] = rz < best_rz ? rz : best_rz;
            }
            if (relative) {
                state[CG_SCALE] = scale;
            }
            state[CG_STATE] = after;
        }
    }

    if ((phases & uint(CG_RESTORE)) != 0u) {
        best = state[CG_BEST];
        int stop = !isinf(best) && !(state[CG_RR] <= least * best) ? end : begin;
        for (int i = begin; i < stop; i += GROUP) {
            x_io[i] = best_io[i];
        }
    }
}
