/* Multigrid on one thread, in doubles: V-cycles for -laplace x = b on n x n elements, n = 2^k - 1, zero outside, spacing 1. Red-black
 * Gauss-Seidel smooths, residuals are restricted by full weighting, corrections interpolated bilinearly; grids have a border of zeros. */
#include "peer.h"
#include "peers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 24, BEFORE = 1, AFTER = 1 };

typedef struct Level {
    size_t n, pitch;
    double *x, *b, *r;
    double h2; /* spacing squared */
} Level;

static double *grid_of(size_t pitch)
{
    double *grid = calloc(pitch * pitch, sizeof *grid);
    if (!grid) peer_fail("multigrid: no memory");
    return grid;
}

static void smooth(const Level *l)
{
    for (size_t color = 0; color < 2; color++) {
        for (size_t i = 1; i <= l->n; i++) {
            double *restrict x = l->x + i * l->pitch;
            const double *up = x - l->pitch, *down = x + l->pitch, *b = l->b + i * l->pitch;
            for (size_t j = 1 + (i + color) % 2; j <= l->n; j += 2)
                x[j] = 0.25 * (l->h2 * b[j] + x[j - 1] + x[j + 1] + up[j] + down[j]);
        }
    }
}

static double residual(const Level *l)
{
    double sum = 0, scale = 1 / l->h2;
    for (size_t i = 1; i <= l->n; i++) {
        const double *x = l->x + i * l->pitch, *up = x - l->pitch, *down = x + l->pitch, *b = l->b + i * l->pitch;
        double *restrict r = l->r + i * l->pitch;
        for (size_t j = 1; j <= l->n; j++) {
            r[j] = b[j] - scale * (4 * x[j] - x[j - 1] - x[j + 1] - up[j] - down[j]);
            sum += r[j] * r[j];
        }
    }
    return sum;
}

static void coarsen(const Level *fine, const Level *coarse)
{
    for (size_t i = 1; i <= coarse->n; i++) {
        const double *r = fine->r + 2 * i * fine->pitch, *up = r - fine->pitch, *down = r + fine->pitch;
        double *restrict b = coarse->b + i * coarse->pitch;
        for (size_t j = 1; j <= coarse->n; j++) {
            size_t k = 2 * j;
            b[j] = 0.25 * r[k] + 0.125 * (r[k - 1] + r[k + 1] + up[k] + down[k]) +
                   0.0625 * (up[k - 1] + up[k + 1] + down[k - 1] + down[k + 1]);
        }
    }
}

static void refine(const Level *fine, const Level *coarse)
{
    for (size_t i = 0; i <= coarse->n; i++) {
        const double *e = coarse->x + i * coarse->pitch, *next = e + coarse->pitch;
        double *restrict even = fine->x + 2 * i * fine->pitch, *restrict odd = even + fine->pitch;
        for (size_t j = 0; j <= coarse->n; j++) {
            even[2 * j] += e[j];
            even[2 * j + 1] += 0.5 * (e[j] + e[j + 1]);
            odd[2 * j] += 0.5 * (e[j] + next[j]);
            odd[2 * j + 1] += 0.25 * (e[j] + e[j + 1] + next[j] + next[j + 1]);
        }
    }
}

static void cycle(const Level *l)
{
    if (l->n == 1) {
        l->x[l->pitch + 1] = 0.25 * l->h2 * l->b[l->pitch + 1];
        return;
    }
    for (int i = 0; i < BEFORE; i++) smooth(l);
    residual(l);
    coarsen(l, l + 1);
    memset(l[1].x, 0, l[1].pitch * l[1].pitch * sizeof(double));
    cycle(l + 1);
    refine(l, l + 1);
    for (int i = 0; i < AFTER; i++) smooth(l);
}

static int create(Level *levels, size_t n, const double *b)
{
    int count = 0;
    double h2 = 1;
    for (size_t size = n; size >= 1 && count < LEVELS; size /= 2, h2 *= 4) {
        Level *l = &levels[count++];
        *l = (Level){.n = size, .pitch = size + 2, .h2 = h2};
        l->x = grid_of(l->pitch);
        l->b = grid_of(l->pitch);
        l->r = grid_of(l->pitch);
    }
    for (size_t i = 0; i < n; i++) memcpy(levels->b + (i + 1) * (n + 2) + 1, b + i * n, n * sizeof *b);
    return count;
}

double peer_multigrid(size_t n, const double *b, double tolerance, int *cycles, double *reached)
{
    Level levels[LEVELS] = {{0}};
    int count = create(levels, n, b);
    double whole = 0;
    for (size_t i = 0; i < n * n; i++) whole += b[i] * b[i];
    double start = peer_clock();
    for (*cycles = 0, *reached = 1; *reached > tolerance && *cycles < 100; ++*cycles) {
        cycle(levels);
        *reached = sqrt(residual(levels) / whole);
    }
    double seconds = peer_clock() - start;
    for (int i = 0; i < count; i++) {
        free(levels[i].x);
        free(levels[i].b);
        free(levels[i].r);
    }
    return seconds;
}
