/* A step of smoothed particle hydrodynamics in straightforward C on one thread: particles sorted into cells as large as the kernel's
 * support, densities and then forces by loops over the neighboring cells (chapter 28.7.2), the cubic spline, Tait's equation, leapfrog with the longest
 * stable time step. The same formulas as rill.sph's. */
#include "peer.h"
#include "peers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Particle {
    float x[3], v[3], pressure, volume;
    int id;
} Particle;

typedef struct Flow {
    PeerSph how;
    Particle *now, *sorted;
    float (*a)[3];
    int *first, *cell, cells, size[3];
    float low[3], dt;
} Flow;

static int cell_of(const Flow *f, const float *x)
{
    int at[3];
    for (int d = 0; d < 3; d++) {
        int c = (int)floorf((x[d] - f->low[d]) / f->how.radius);
        at[d] = c < 0 ? 0 : c >= f->size[d] ? f->size[d] - 1 : c;
    }
    return (at[2] * f->size[1] + at[1]) * f->size[0] + at[0];
}

static void sort(Flow *f)
{
    memset(f->first, 0, (size_t)(f->cells + 1) * sizeof *f->first);
    for (int i = 0; i < f->how.count; i++) {
        f->cell[i] = cell_of(f, f->now[i].x);
        f->first[f->cell[i] + 1]++;
    }
    for (int c = 0; c < f->cells; c++) f->first[c + 1] += f->first[c];
    for (int i = f->how.count - 1; i >= 0; i--) f->sorted[--f->first[f->cell[i] + 1]] = f->now[i];
    /* Each entry is now the start of its cell, shifted by one entry. */
    memmove(f->first, f->first + 1, (size_t)f->cells * sizeof *f->first);
    f->first[f->cells] = f->how.count;
    Particle *other = f->now;
    f->now = f->sorted;
    f->sorted = other;
}

static float squared(const float *a, const float *b)
{
    float x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return x * x + y * y + z * z;
}

static float weight(float q)
{
    float b = 1 - 2 * q;
    return 2 * (1 - q) * (1 - q) * (1 - q) - (b > 0 ? b * b * b : 0);
}

/* The derivative of the weight over q. */
static float slope(float q)
{
    float b = 1 - 2 * q;
    return -6 * ((1 - q) * (1 - q) - (b > 0 ? b * b : 0)) / (q > 1e-6f ? q : 1e-6f);
}

static void add_density(const Flow *f, const Particle *p, const Particle *other, float *sum)
{
    float h = f->how.radius, d = squared(p->x, other->x);
    if (d < h * h) *sum += weight(sqrtf(d) / h);
}

static void add_force(const Flow *f, const Particle *p, const Particle *other, float push, float drag, float *sum)
{
    float h = f->how.radius, d = squared(p->x, other->x);
    if (d >= h * h) return;
    float q = sqrtf(d) / h;
    float along = push * (p->pressure + other->pressure) * other->volume * slope(q),
          rubs = drag * other->volume * (1 - q);
    for (int i = 0; i < 3; i++) sum[i] += along * (p->x[i] - other->x[i]) + rubs * (other->v[i] - p->v[i]);
}

/* Finds the runs of particles around one, each of three adjacent cells. Returns the number of runs. */
static int around(const Flow *f, int cell, int (*runs)[2])
{
    int x = cell % f->size[0], y = cell / f->size[0] % f->size[1], z = cell / f->size[0] / f->size[1], count = 0;
    for (int k = z > 0 ? z - 1 : 0; k <= z + 1 && k < f->size[2]; k++)
        for (int j = y > 0 ? y - 1 : 0; j <= y + 1 && j < f->size[1]; j++) {
            int row = (k * f->size[1] + j) * f->size[0], end = x + 1 < f->size[0] ? x + 1 : x;
            runs[count][0] = f->first[row + (x > 0 ? x - 1 : 0)];
            runs[count++][1] = f->first[row + end + 1];
        }
    return count;
}

static void densities(Flow *f, float norm)
{
    float stiff = f->how.rest * f->how.sound * f->how.sound / 7;
    for (int c = 0; c < f->cells; c++) {
        int runs[9][2], count = around(f, c, runs);
        for (int i = f->first[c]; i < f->first[c + 1]; i++) {
            Particle *p = &f->now[i];
            float sum = 0;
            for (int r = 0; r < count; r++)
                for (int j = runs[r][0]; j < runs[r][1]; j++) add_density(f, p, &f->now[j], &sum);
            float rho = f->how.mass * norm * sum, ratio = rho / f->how.rest, cube = ratio * ratio * ratio;
            float pressure = stiff * (cube * cube * ratio - 1);
            p->pressure = pressure > 0 ? pressure : 0;
            p->volume = 1 / rho;
        }
    }
}

static void forces(Flow *f, float norm, float bend)
{
    float push = -0.5f * f->how.mass * norm, drag = f->how.viscosity * f->how.mass * bend;
    for (int c = 0; c < f->cells; c++) {
        int runs[9][2], count = around(f, c, runs);
        for (int i = f->first[c]; i < f->first[c + 1]; i++) {
            const Particle *p = &f->now[i];
            float sum[3] = {0, 0, 0};
            for (int r = 0; r < count; r++)
                for (int j = runs[r][0]; j < runs[r][1]; j++) add_force(f, p, &f->now[j], push, drag, sum);
            for (int d = 0; d < 3; d++)
                f->a[i][d] = sum[d] * p->volume + (d == f->how.dimensions - 1 ? f->how.gravity : 0);
        }
    }
}

static void choose(Flow *f)
{
    static const float zero[3];
    float s = f->how.radius / 2, speed = 0, pull = 1e-30f;
    for (int i = 0; i < f->how.count; i++) {
        speed = fmaxf(speed, squared(f->now[i].v, zero));
        pull = fmaxf(pull, squared(f->a[i], zero));
    }
    f->dt = 0.25f * fminf(s / (f->how.sound + sqrtf(speed)), sqrtf(s / sqrtf(pull)));
    f->dt = fminf(f->dt, 0.25f * s * s * f->how.rest / (2 * f->how.viscosity));
}

static void act(Flow *f)
{
    float pi = 3.14159265f, h = f->how.radius, volume = f->how.dimensions == 2 ? h * h : h * h * h;
    float norm = (f->how.dimensions == 2 ? 40 / (7 * pi) : 8 / pi) / volume,
          bend = (f->how.dimensions == 2 ? 40 : 45) / pi;
    sort(f);
    densities(f, norm);
    forces(f, norm / (h * h), bend / volume / (h * h));
}

static void step(void *context)
{
    Flow *f = context;
    choose(f);
    for (int i = 0; i < f->how.count; i++)
        for (int d = 0; d < 3; d++) f->now[i].x[d] += 0.5f * f->dt * f->now[i].v[d];
    act(f);
    for (int i = 0; i < f->how.count; i++)
        for (int d = 0; d < 3; d++) {
            f->now[i].v[d] += f->dt * f->a[i][d];
            f->now[i].x[d] += 0.5f * f->dt * f->now[i].v[d];
        }
}

double peer_sph(const PeerSph *how, float *places, int before, int runs)
{
    Flow f = {.how = *how, .cells = 1};
    for (int d = 0; d < 3; d++) {
        f.low[d] = -2 * how->radius;
        f.size[d] = d < how->dimensions ? (int)(1 / how->radius) + 5 : 1;
        f.cells *= f.size[d];
    }
    size_t n = (size_t)how->count;
    f.now = calloc(n, sizeof *f.now);
    f.sorted = calloc(n, sizeof *f.sorted);
    f.a = calloc(n, sizeof *f.a);
    f.first = calloc((size_t)f.cells + 2, sizeof *f.first);
    f.cell = calloc(n, sizeof *f.cell);
    if (!f.now || !f.sorted || !f.a || !f.first || !f.cell) peer_fail("out of memory");
    for (int i = 0; i < how->count; i++) {
        for (int d = 0; d < how->dimensions; d++) f.now[i].x[d] = places[i * how->dimensions + d];
        f.now[i].id = i;
    }
    act(&f);
    for (int i = 0; i < before; i++) step(&f);
    double start = peer_clock();
    for (int i = 0; i < runs; i++) step(&f);
    double seconds = (peer_clock() - start) / runs;
    for (int i = 0; i < how->count; i++)
        for (int d = 0; d < how->dimensions; d++) places[f.now[i].id * how->dimensions + d] = f.now[i].x[d];
    free(f.now);
    free(f.sorted);
    free(f.a);
    free(f.first);
    free(f.cell);
    return seconds;
}
