/* A step of three-dimensional smoke in straightforward C on one thread: a MAC grid of n^3 cells between walls, in floats. Advection is
 * semi-Lagrangian (midpoint method, trilinear), smoke is buoyant, and 40 iterations of Jacobi's method solve for the pressure, starting from the
 * previous one. Velocities are in cells per second; u[k] has one layer more along axis k. */
#include "peer.h"
#include "peers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 40 };

static const float DT = 0.25f, BUOYANCY = 0.5f;

typedef struct Field {
    float *now, *next;
    int size[3];
    float shift[3]; /* of element 0, in cells from the corner */
} Field;

static Field u[3], smoke, pressure;
static int cells;

static size_t count_of(const Field *f)
{
    return (size_t)f->size[0] * (size_t)f->size[1] * (size_t)f->size[2];
}

static size_t place(const Field *f, int x, int y, int z)
{
    return ((size_t)z * (size_t)f->size[1] + (size_t)y) * (size_t)f->size[0] + (size_t)x;
}

static void make(Field *f, int along)
{
    for (int d = 0; d < 3; d++) {
        f->size[d] = cells + (d == along);
        f->shift[d] = d == along ? 0.0f : 0.5f;
    }
    f->now = calloc(count_of(f), sizeof *f->now);
    f->next = calloc(count_of(f), sizeof *f->next);
    if (!f->now || !f->next) peer_fail("fluid: no memory");
}

static void swap(Field *f)
{
    float *now = f->now;
    f->now = f->next;
    f->next = now;
}

static float sample(const Field *f, const float p[3])
{
    int low[3], high[3];
    float w[3];
    for (int d = 0; d < 3; d++) {
        float x = fminf(fmaxf(p[d] - f->shift[d], 0.0f), (float)(f->size[d] - 1));
        low[d] = (int)x;
        high[d] = low[d] + 1 < f->size[d] ? low[d] + 1 : low[d];
        w[d] = x - (float)low[d];
    }
    const float *a = f->now;
    float part[4];
    for (int k = 0; k < 4; k++) {
        int y = k & 1 ? high[1] : low[1], z = k & 2 ? high[2] : low[2];
        part[k] = a[place(f, low[0], y, z)] * (1 - w[0]) + a[place(f, high[0], y, z)] * w[0];
    }
    float near = part[0] * (1 - w[1]) + part[1] * w[1], far = part[2] * (1 - w[1]) + part[3] * w[1];
    return near * (1 - w[2]) + far * w[2];
}

/* Returns the point from which p's value is advected. */
static void back(const float p[3], float from[3])
{
    float middle[3];
    for (int d = 0; d < 3; d++) middle[d] = p[d] - 0.5f * DT * sample(&u[d], p);
    for (int d = 0; d < 3; d++) from[d] = p[d] - DT * sample(&u[d], middle);
}

static void advect(Field *f)
{
    for (int z = 0; z < f->size[2]; z++) {
        for (int y = 0; y < f->size[1]; y++) {
            for (int x = 0; x < f->size[0]; x++) {
                float p[3] = {(float)x + f->shift[0], (float)y + f->shift[1], (float)z + f->shift[2]}, from[3];
                back(p, from);
                f->next[place(f, x, y, z)] = sample(f, from);
            }
        }
    }
}

static void push(void)
{
    for (int z = 0; z < cells; z++)
        for (int y = 1; y < cells; y++)
            for (int x = 0; x < cells; x++)
                u[1].now[place(&u[1], x, y, z)] -=
                    DT * BUOYANCY * 0.5f * (smoke.now[place(&smoke, x, y, z)] + smoke.now[place(&smoke, x, y - 1, z)]);
}

static void hold(void)
{
    for (int j = 0; j < cells; j++) {
        for (int i = 0; i < cells; i++) {
            u[0].now[place(&u[0], 0, i, j)] = u[0].now[place(&u[0], cells, i, j)] = 0;
            u[1].now[place(&u[1], i, 0, j)] = u[1].now[place(&u[1], i, cells, j)] = 0;
            u[2].now[place(&u[2], i, j, 0)] = u[2].now[place(&u[2], i, j, cells)] = 0;
        }
    }
}

static float divergence(int x, int y, int z)
{
    return u[0].now[place(&u[0], x + 1, y, z)] - u[0].now[place(&u[0], x, y, z)] + u[1].now[place(&u[1], x, y + 1, z)] -
           u[1].now[place(&u[1], x, y, z)] + u[2].now[place(&u[2], x, y, z + 1)] - u[2].now[place(&u[2], x, y, z)];
}

/* One iteration. A neighbor beyond a wall is the cell itself. */
static void relax(const float *d)
{
    int n = cells;
    for (int z = 0; z < n; z++) {
        for (int y = 0; y < n; y++) {
            const float *p = pressure.now + place(&pressure, 0, y, z);
            const float *up = pressure.now + place(&pressure, 0, y > 0 ? y - 1 : y, z);
            const float *down = pressure.now + place(&pressure, 0, y < n - 1 ? y + 1 : y, z);
            const float *front = pressure.now + place(&pressure, 0, y, z > 0 ? z - 1 : z);
            const float *rear = pressure.now + place(&pressure, 0, y, z < n - 1 ? z + 1 : z);
            const float *b = d + place(&pressure, 0, y, z);
            float *restrict r = pressure.next + place(&pressure, 0, y, z);
            for (int x = 0; x < n; x += n - 1)
                r[x] = (p[x > 0 ? x - 1 : x] + p[x < n - 1 ? x + 1 : x] + up[x] + down[x] + front[x] + rear[x] - b[x]) *
                       (1 / 6.0f);
            for (int x = 1; x < n - 1; x++)
                r[x] = (p[x - 1] + p[x + 1] + up[x] + down[x] + front[x] + rear[x] - b[x]) * (1 / 6.0f);
        }
    }
    swap(&pressure);
}

static void project(float *d)
{
    for (int z = 0; z < cells; z++)
        for (int y = 0; y < cells; y++)
            for (int x = 0; x < cells; x++) d[place(&pressure, x, y, z)] = divergence(x, y, z);
    for (int round = 0; round < ROUNDS; round++) relax(d);
    static const int step[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const float *p = pressure.now;
    for (int k = 0; k < 3; k++)
        for (int z = step[k][2]; z < cells; z++)
            for (int y = step[k][1]; y < cells; y++)
                for (int x = step[k][0]; x < cells; x++)
                    u[k].now[place(&u[k], x, y, z)] -=
                        p[place(&pressure, x, y, z)] -
                        p[place(&pressure, x - step[k][0], y - step[k][1], z - step[k][2])];
}

static double rms(void)
{
    double sum = 0;
    for (int z = 0; z < cells; z++)
        for (int y = 0; y < cells; y++)
            for (int x = 0; x < cells; x++) sum += pow(divergence(x, y, z), 2);
    return sqrt(sum / ((double)cells * cells * cells));
}

static void step(float *d)
{
    for (int k = 0; k < 3; k++) advect(&u[k]);
    for (int k = 0; k < 3; k++) swap(&u[k]);
    push();
    hold();
    project(d);
    advect(&smoke);
    swap(&smoke);
}

double peer_fluid(int n, const float *begin, int warm, int steps, double *left)
{
    cells = n;
    for (int k = 0; k < 3; k++) make(&u[k], k);
    make(&smoke, -1);
    make(&pressure, -1);
    float *d = calloc(count_of(&smoke), sizeof *d);
    if (!d) peer_fail("fluid: no memory");
    memcpy(smoke.now, begin, count_of(&smoke) * sizeof *begin);
    for (int i = 0; i < warm; i++) step(d);
    double start = peer_clock();
    for (int i = 0; i < steps; i++) step(d);
    double seconds = (peer_clock() - start) / steps;
    *left = rms();
    free(d);
    for (int k = 0; k < 5; k++) {
        Field *f = k < 3 ? &u[k] : k == 3 ? &smoke : &pressure;
        free(f->now);
        free(f->next);
    }
    return seconds;
}
