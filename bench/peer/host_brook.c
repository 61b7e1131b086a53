/* The applications of Buck et al., "Brook for GPUs" (2004), in C. bench/brook/ has them as kernels and as GLSL. */
#include "host_works.h"
#include "peer.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef float V4 __attribute__((vector_size(16), aligned(16)));
typedef float V8 __attribute__((vector_size(32), aligned(32)));

/* x, y -> r = a x + y. Numbers: elements, a. */
static void saxpy(const HostWork *w, size_t begin, size_t end)
{
    const float *restrict x = w->buffers[0], *restrict y = w->buffers[1];
    float *restrict r = w->buffers[2], a = (float)w->numbers[1];
    for (size_t i = begin; i < end; i++) r[i] = a * x[i] + y[i];
}

/* A, x, y -> r = alpha A x + beta y. Numbers: rows, columns, alpha, beta. */
static void sgemv(const HostWork *w, size_t begin, size_t end)
{
    size_t columns = (size_t)w->numbers[1];
    const float *restrict x = w->buffers[1], *restrict y = w->buffers[2];
    for (size_t i = begin; i < end; i++) {
        const float *restrict row = w->buffers[0] + i * columns;
        float sum = 0;
        for (size_t j = 0; j < columns; j++) sum += row[j] * x[j];
        w->buffers[3][i] = (float)w->numbers[2] * sum + (float)w->numbers[3] * y[i];
    }
}

/* A step of the evolution in bench/brook/evolve.lua. Level, image -> level, image. Numbers: rows, columns, k, rate. */
static void segment(const HostWork *w, size_t begin, size_t end)
{
    int width = (int)w->numbers[1], height = (int)w->numbers[0];
    float k = (float)w->numbers[2], rate = (float)w->numbers[3];
    for (int i = (int)begin; i < (int)end; i++) {
        size_t above = (size_t)(i > 0 ? i - 1 : 0) * (size_t)width, here = (size_t)i * (size_t)width;
        size_t below = (size_t)(i < height - 1 ? i + 1 : i) * (size_t)width;
        const float *restrict u = w->buffers[0] + here, *restrict p = w->buffers[1] + here;
        const float *restrict ua = w->buffers[0] + above, *restrict pa = w->buffers[1] + above;
        const float *restrict ub = w->buffers[0] + below, *restrict pb = w->buffers[1] + below;
        float *restrict ru = w->buffers[2] + here, *restrict rp = w->buffers[3] + here;
#define FLOW(level, image) (k / (k + ((image)-p[j]) * ((image)-p[j])) * ((level)-u[j]))
#define CELL(left, right)                                                                                              \
    ru[j] = u[j] + rate / (k + p[j] * p[j]) *                                                                          \
                       (FLOW(u[left], p[left]) + FLOW(u[right], p[right]) + FLOW(ua[j], pa[j]) + FLOW(ub[j], pb[j]));  \
    rp[j] = p[j]
        int j = 0;
        CELL(0, 1);
        for (j = 1; j < width - 1; j++) {
            CELL(j - 1, j + 1);
        }
        CELL(width - 2, width - 1);
    }
}

/* FFTW on one thread per channel. The library is loaded on demand. Buffers: complex channels one after the other, result.
 * Numbers: channels, rows, columns. */
typedef void *Plan;
typedef Plan PlanFunction(int, int, void *, void *, int, unsigned);
typedef void ExecuteFunction(Plan, void *, void *);
static ExecuteFunction *fftw_execute;

static bool prepare_fft(HostWork *w)
{
    void *library = dlopen("libfftw3f.so.3", RTLD_NOW);
    PlanFunction *make = library ? (PlanFunction *)dlsym(library, "fftwf_plan_dft_2d") : NULL;
    fftw_execute = library ? (ExecuteFunction *)dlsym(library, "fftwf_execute_dft") : NULL;
    if (!make || !fftw_execute) return false;
    /* Measuring overwrites its input. */
    float *kept = malloc(w->bytes[0]);
    if (!kept) peer_fail("out of memory");
    memcpy(kept, w->buffers[0], w->bytes[0]);
    w->plan = make((int)w->numbers[1], (int)w->numbers[2], w->buffers[0], w->buffers[1], -1, 0 /* FFTW_MEASURE */);
    memcpy(w->buffers[0], kept, w->bytes[0]);
    free(kept);
    return w->plan != NULL;
}

static void fft(const HostWork *w, size_t begin, size_t end)
{
    size_t step = 2 * (size_t)w->numbers[1] * (size_t)w->numbers[2];
    for (size_t c = begin; c < end; c++) fftw_execute(w->plan, w->buffers[0] + c * step, w->buffers[1] + c * step);
}

/* Möller and Trumbore (1997), eight rays at once. Buffers: origins x y z, directions x y z, triangles (v0, v1 - v0, v2 - v0, four floats each), then
 * distance, u, v and index of the nearest triangle. Numbers: rays, triangles. */
static void rays(const HostWork *w, size_t begin, size_t end)
{
    int count = (int)w->numbers[1];
    float *const *b = w->buffers;
    for (size_t r = begin; r < end; r += 8) {
        float best[8], bu[8], bv[8], which[8];
        for (int l = 0; l < 8; l++) best[l] = 1e30f, bu[l] = bv[l] = 0, which[l] = -1;
        for (int t = 0; t < count; t++) {
            const float *v0 = b[6] + 12 * t, *e1 = v0 + 4, *e2 = v0 + 8;
            for (int l = 0; l < 8; l++) {
                float dx = b[3][r + l], dy = b[4][r + l], dz = b[5][r + l];
                float px = dy * e2[2] - dz * e2[1], py = dz * e2[0] - dx * e2[2], pz = dx * e2[1] - dy * e2[0];
                float inverse = 1 / (e1[0] * px + e1[1] * py + e1[2] * pz);
                float tx = b[0][r + l] - v0[0], ty = b[1][r + l] - v0[1], tz = b[2][r + l] - v0[2];
                float u = (tx * px + ty * py + tz * pz) * inverse;
                float qx = ty * e1[2] - tz * e1[1], qy = tz * e1[0] - tx * e1[2], qz = tx * e1[1] - ty * e1[0];
                float v = (dx * qx + dy * qy + dz * qz) * inverse;
                float d = (e2[0] * qx + e2[1] * qy + e2[2] * qz) * inverse;
                int hit = (u >= 0) & (v >= 0) & (u + v <= 1) & (d > 0) & (d < best[l]);
                best[l] = hit ? d : best[l];
                bu[l] = hit ? u : bu[l];
                bv[l] = hit ? v : bv[l];
                which[l] = hit ? (float)t : which[l];
            }
        }
        memcpy(b[7] + r, best, sizeof best);
        memcpy(b[8] + r, bu, sizeof bu);
        memcpy(b[9] + r, bv, sizeof bv);
        memcpy(b[10] + r, which, sizeof which);
    }
}

/* Sums. Buffers: float4s, the sums of each 2^18 elements, the sum. Numbers: elements. */
enum { SUM_PIECE = 1 << 12 };
static void sum4(const HostWork *w, size_t begin, size_t end)
{
    const V8 *x = (const V8 *)w->buffers[0];
    for (size_t from = begin; from < end; from += SUM_PIECE) {
        V8 a = {0}, b = {0}, c = {0}, d = {0};
        size_t stop = from + SUM_PIECE < end ? from + SUM_PIECE : end;
        for (size_t i = from / 2; i < stop / 2; i += 4) a += x[i], b += x[i + 1], c += x[i + 2], d += x[i + 3];
        a = (a + b) + (c + d);
        for (int k = 0; k < 4; k++) w->buffers[1][from / SUM_PIECE * 4 + (size_t)k] = a[k] + a[k + 4];
    }
}

static void finish_sum4(HostWork *w)
{
    V4 total = {0};
    for (size_t i = 0; i < (size_t)w->numbers[0] / SUM_PIECE; i++) total += ((V4 *)w->buffers[1])[i];
    *(V4 *)w->buffers[2] = total;
}

/* Rows of a, rows of b -> rows of the products; each row is a stream of float4. Numbers: matrices. */
static void mat4mult(const HostWork *w, size_t begin, size_t end)
{
    const V4 *restrict b0 = (const V4 *)w->buffers[4], *restrict b1 = (const V4 *)w->buffers[5];
    const V4 *restrict b2 = (const V4 *)w->buffers[6], *restrict b3 = (const V4 *)w->buffers[7];
    for (size_t i = begin; i < end; i++) {
        for (int k = 0; k < 4; k++) {
            V4 a = ((const V4 *)w->buffers[k])[i];
            ((V4 *)w->buffers[8 + k])[i] = a[0] * b0[i] + a[1] * b1[i] + a[2] * b2[i] + a[3] * b3[i];
        }
    }
}

/* A step of bench/brook/outputs.lua's cloth. Positions, velocities -> both. Numbers: rows, columns, stiffness, rest, step. */
static V4 spring(V4 here, V4 there, float stiffness, float rest)
{
    V4 d = there - here;
    float square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    return d * (stiffness * (1 - rest / sqrtf(fmaxf(square, 1e-12f))));
}

static void cloth(const HostWork *w, size_t begin, size_t end)
{
    int height = (int)w->numbers[0], width = (int)w->numbers[1];
    float stiffness = (float)w->numbers[2], rest = (float)w->numbers[3], step = (float)w->numbers[4];
    const V4 *x = (const V4 *)w->buffers[0], *v = (const V4 *)w->buffers[1];
    for (int i = (int)begin; i < (int)end; i++) {
        const V4 *row = x + (size_t)i * (size_t)width;
        const V4 *above = i > 0 ? row - width : row, *below = i < height - 1 ? row + width : row;
        for (int j = 0; j < width; j++) {
            size_t at = (size_t)i * (size_t)width + (size_t)j;
            V4 force = spring(row[j], row[j > 0 ? j - 1 : j], stiffness, rest) +
                       spring(row[j], row[j < width - 1 ? j + 1 : j], stiffness, rest) +
                       spring(row[j], above[j], stiffness, rest) + spring(row[j], below[j], stiffness, rest);
            force += (V4){0, -9.81f, 0, 0} - 0.1f * v[at];
            V4 fast = v[at] + step * force;
            ((V4 *)w->buffers[3])[at] = fast;
            ((V4 *)w->buffers[2])[at] = row[j] + step * fast;
        }
    }
}

/* Does 43 multiply-adds on each element. Numbers: elements, factor, term. */
static void mads(const HostWork *w, size_t begin, size_t end)
{
    float a = (float)w->numbers[1], b = (float)w->numbers[2];
    const float *restrict x = w->buffers[0];
    float *restrict r = w->buffers[1];
    for (size_t i = begin; i < end; i++) {
        float v = x[i];
#pragma GCC unroll 43
        for (int k = 0; k < 43; k++) v = v * a + b;
        r[i] = v;
    }
}

const HostKind brook_kinds[] = {
    {"saxpy", saxpy, NULL, NULL},       {"sgemv", sgemv, NULL, NULL}, {"segment", segment, NULL, NULL},
    {"fft", fft, prepare_fft, NULL},    {"rays", rays, NULL, NULL},   {"sum4", sum4, NULL, finish_sum4},
    {"mat4mult", mat4mult, NULL, NULL}, {"cloth", cloth, NULL, NULL}, {"mads", mads, NULL, NULL},
    {NULL, NULL, NULL, NULL},
};
