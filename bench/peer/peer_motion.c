/* Steps of simulations in straightforward C on one thread: gravitating bodies, waves, heat and cloth, by the formulas of rill.nbody, rill.wave,
 * rill.heat and rill.cloth. */
#include "peer.h"
#include "peers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Motion {
    PeerMotion is;
    float kick; /* seconds from the time of the velocity to the time of the forces */
    float *spare[4];
} Motion;

/* Leapfrog over all pairs; spare 0 to 2 store x, y and z separately, so that the compiler can vectorize over bodies. */
static void nbody(void *context)
{
    Motion *m = context;
    int n = m->is.rows;
    float dt = m->is.dt, soft = m->is.numbers[0], mass = m->is.numbers[1];
    float *restrict x = m->spare[0], *restrict y = m->spare[1], *restrict z = m->spare[2], *p = m->is.x, *v = m->is.v;
    for (int i = 0; i < n; i++) {
        for (int d = 0; d < 3; d++) p[3 * i + d] += 0.5f * dt * v[3 * i + d];
        x[i] = p[3 * i], y[i] = p[3 * i + 1], z[i] = p[3 * i + 2];
    }
    for (int i = 0; i < n; i++) {
        float ax = 0, ay = 0, az = 0;
        for (int j = 0; j < n; j++) {
            float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
            float near = 1 / sqrtf(dx * dx + dy * dy + dz * dz + soft), pull = mass * near * near * near;
            ax += pull * dx, ay += pull * dy, az += pull * dz;
        }
        v[3 * i] += dt * ax, v[3 * i + 1] += dt * ay, v[3 * i + 2] += dt * az;
    }
    for (int i = 0; i < 3 * n; i++) p[i] += 0.5f * dt * v[i];
}

/* The height is 0 beyond the sides. */
static void wave(void *context)
{
    Motion *m = context;
    int rows = m->is.rows, columns = m->is.columns;
    float *v = m->is.v, *next = m->spare[0];
    const float *z = m->is.x;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            int at = i * columns + j;
            float above = i > 0 ? z[at - columns] : 0, below = i < rows - 1 ? z[at + columns] : 0;
            float left = j > 0 ? z[at - 1] : 0, right = j < columns - 1 ? z[at + 1] : 0;
            v[at] += m->kick * (above + below + left + right - 4 * z[at]);
            next[at] = z[at] + m->is.dt * v[at];
        }
    m->kick = m->is.dt;
    m->spare[0] = m->is.x;
    m->is.x = next;
}

/* Returns the heat flow into a cell, by the mean of two conductances (in v), with no flow through the sides. */
static float inflow(const Motion *m, const float *u, int i, int j)
{
    int rows = m->is.rows, columns = m->is.columns, at = i * columns + j;
    const float *k = m->is.v;
    int around[4] = {i > 0 ? at - columns : at, i < rows - 1 ? at + columns : at, j > 0 ? at - 1 : at,
                     j < columns - 1 ? at + 1 : at};
    float sum = 0;
    for (int n = 0; n < 4; n++) sum += 0.5f * (k[at] + k[around[n]]) * (u[around[n]] - u[at]);
    return sum;
}

/* Three stages of Runge, Kutta and Legendre's method. */
static void heat(void *context)
{
    Motion *m = context;
    int rows = m->is.rows, columns = m->is.columns;
    float *u = m->is.x, *flow = m->spare[0], *first = m->spare[1], *second = m->spare[2], *third = m->spare[3];
    static const float b[] = {1 / 3.0f, 1 / 3.0f, 1 / 3.0f, 10 / 24.0f};
    float w = 4 / 10.0f, dt = m->is.dt;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            int at = i * columns + j;
            flow[at] = inflow(m, u, i, j);
            first[at] = u[at] + b[1] * w * dt * flow[at];
        }
    float *before = u, *now = first, *next = second;
    for (int s = 2; s <= 3; s++) {
        float mu = (2 * s - 1.0f) / (float)s * b[s] / b[s - 1], nu = -(s - 1.0f) / (float)s * b[s] / b[s - 2];
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < columns; j++) {
                int at = i * columns + j;
                next[at] = mu * now[at] + nu * before[at] + (1 - mu - nu) * u[at] +
                           mu * w * dt * (inflow(m, now, i, j) - (1 - b[s - 1]) * flow[at]);
            }
        before = now, now = next, next = third;
    }
    m->spare[3] = u;
    m->is.x = third;
}

static void spring(const Motion *m, int at, int other, float k, float rest, float *force)
{
    const float *x = m->is.x, *v = m->is.v;
    float d[3], square = 0, rate = 0;
    for (int c = 0; c < 3; c++) {
        d[c] = x[3 * other + c] - x[3 * at + c];
        square += d[c] * d[c];
    }
    float length = fmaxf(sqrtf(square), 1e-12f);
    for (int c = 0; c < 3; c++) rate += (v[3 * other + c] - v[3 * at + c]) * d[c] / length;
    for (int c = 0; c < 3; c++) force[c] += (k * (length - rest) + m->is.numbers[2] * rate) * d[c] / length;
}

/* Twelve springs per particle. Numbers: stiffness and rest length of a thread, damping, mass. */
static void cloth(void *context)
{
    static const int ways[12][2] = {{0, 1},  {0, -1},  {1, 0}, {-1, 0}, {1, 1}, {1, -1},
                                    {-1, 1}, {-1, -1}, {0, 2}, {0, -2}, {2, 0}, {-2, 0}};
    Motion *m = context;
    int rows = m->is.rows, columns = m->is.columns;
    float stiff = m->is.numbers[0], rest = m->is.numbers[1], *x = m->spare[0], *v = m->spare[1];
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            int at = i * columns + j;
            float force[3] = {0, 0, 0};
            for (int n = 0; n < 12; n++) {
                int row = i + ways[n][0], column = j + ways[n][1];
                if (row < 0 || row >= rows || column < 0 || column >= columns) continue;
                float share = n < 4 ? 1 : n < 8 ? 0.3f : 0.1f, scale = n < 4 ? 1 : n < 8 ? 1.41421356f : 2;
                spring(m, at, row * columns + column, share * stiff, scale * rest, force);
            }
            for (int c = 0; c < 3; c++) {
                float pull = force[c] / m->is.numbers[3] - (c == 1 ? 9.81f : 0);
                v[3 * at + c] = m->is.v[3 * at + c] + m->kick * pull;
                x[3 * at + c] = m->is.x[3 * at + c] + m->is.dt * v[3 * at + c];
            }
        }
    m->kick = m->is.dt;
    m->spare[0] = m->is.x, m->spare[1] = m->is.v;
    m->is.x = x, m->is.v = v;
}

static const struct {
    const char *name;
    void (*step)(void *);
} kinds[] = {{"nbody", nbody}, {"wave", wave}, {"heat", heat}, {"cloth", cloth}};

static float *copy_of(const float *values, size_t bytes)
{
    float *copy = malloc(bytes);
    if (!copy) peer_fail("out of memory");
    return memcpy(copy, values, bytes);
}

double peer_motion(const char *kind, const PeerMotion *given, size_t bytes, float *after, int before, int runs)
{
    Motion m = {.is = *given, .kick = 0.5f * given->dt};
    void (*step)(void *) = NULL;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (!strcmp(kinds[k].name, kind)) step = kinds[k].step;
    if (!step) peer_fail("no such motion");
    m.is.x = copy_of(given->x, bytes);
    m.is.v = copy_of(given->v, bytes);
    for (int k = 0; k < 4; k++) m.spare[k] = copy_of(given->x, bytes);
    for (int i = 0; i < before; i++) step(&m);
    double start = peer_clock();
    for (int i = 0; i < runs; i++) step(&m);
    double seconds = (peer_clock() - start) / runs;
    memcpy(after, m.is.x, bytes);
    free(m.is.x);
    free(m.is.v);
    for (int k = 0; k < 4; k++) free(m.spare[k]);
    return seconds;
}
