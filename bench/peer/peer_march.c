/* Volume rendering in straightforward C on one thread: rays from an eye through the pixels are clipped to the box of n^3 voxels and sampled (trilinear) in the
 * middles of equal pieces of at most half a voxel. Color and opacity are given by four points. A ray ends when it is almost opaque. */
#include "peer.h"
#include "peers.h"

#include <math.h>

enum { POINTS = 4 };

typedef struct Point {
    float value, color[3], opacity;
} Point;

static const Point POINT[POINTS] = {
    {0.1f, {0.2f, 0.4f, 1.0f}, 0.0f},
    {0.3f, {0.3f, 0.9f, 0.6f}, 0.02f},
    {0.6f, {1.0f, 0.5f, 0.1f}, 0.1f},
    {1.0f, {1.0f, 0.9f, 0.8f}, 0.5f},
};

static float dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const float a[3], const float b[3], float r[3])
{
    for (int d = 0; d < 3; d++) r[d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
}

static void normalize(float v[3])
{
    float length = sqrtf(dot(v, v));
    for (int d = 0; d < 3; d++) v[d] /= length;
}

static float sample(const float *s, int n, const float p[3])
{
    int low[3], step[3];
    float w[3];
    for (int d = 0; d < 3; d++) {
        float x = fminf(fmaxf(p[d], 0.0f), (float)(n - 1));
        low[d] = (int)x;
        step[d] = low[d] + 1 < n;
        w[d] = x - (float)low[d];
    }
    const float *a = s + ((size_t)low[2] * (size_t)n + (size_t)low[1]) * (size_t)n + low[0];
    size_t up = step[1] ? (size_t)n : 0, far = step[2] ? (size_t)n * (size_t)n : 0;
    float near_low = a[0] + w[0] * (a[step[0]] - a[0]), near_high = a[up] + w[0] * (a[up + (size_t)step[0]] - a[up]);
    a += far;
    float far_low = a[0] + w[0] * (a[step[0]] - a[0]), far_high = a[up] + w[0] * (a[up + (size_t)step[0]] - a[up]);
    float close = near_low + w[1] * (near_high - near_low), distant = far_low + w[1] * (far_high - far_low);
    return close + w[2] * (distant - close);
}

/* Returns the color, and the opacity as the fourth component. */
static void transfer(float v, float c[4])
{
    int i = 0;
    while (i < POINTS - 2 && v > POINT[i + 1].value) i++;
    const Point *a = &POINT[i], *b = a + 1;
    float w = fminf(fmaxf((v - a->value) / (b->value - a->value), 0.0f), 1.0f);
    for (int d = 0; d < 3; d++) c[d] = a->color[d] + w * (b->color[d] - a->color[d]);
    c[3] = a->opacity + w * (b->opacity - a->opacity);
}

static void march(const float *s, int n, const float eye[3], const float way[3], float color[3])
{
    float enter = 0, leave = INFINITY, sum[3] = {0, 0, 0}, through = 1;
    for (int d = 0; d < 3; d++) {
        float a = -eye[d] / way[d], b = ((float)n - eye[d]) / way[d];
        enter = fmaxf(enter, fminf(a, b));
        leave = fminf(leave, fmaxf(a, b));
    }
    int pieces = leave > enter ? (int)ceilf((leave - enter) / 0.5f) : 0;
    float ds = (leave - enter) / (float)(pieces > 0 ? pieces : 1);
    for (int i = 0; i < pieces && through > 1e-4f; i++) {
        float t = enter + ((float)i + 0.5f) * ds, c[4];
        float p[3] = {eye[0] + t * way[0] - 0.5f, eye[1] + t * way[1] - 0.5f, eye[2] + t * way[2] - 0.5f};
        transfer(sample(s, n, p), c);
        if (c[3] == 0.0f) continue;
        float left = expf(-c[3] * ds);
        for (int d = 0; d < 3; d++) sum[d] += through * (1 - left) * c[d];
        through *= left;
    }
    for (int d = 0; d < 3; d++) color[d] = sum[d];
}

double peer_march(int n, const float *volume, const float eye[3], float degrees, int size, float *picture)
{
    double start = peer_clock();
    float middle = 0.5f * (float)n, ahead[3] = {middle - eye[0], middle - eye[1], middle - eye[2]}, right[3], above[3];
    normalize(ahead);
    cross(ahead, (const float[3]){0, 0, 1}, right);
    normalize(right);
    cross(right, ahead, above);
    float pixel = 2 * tanf(degrees * 0.0087266463f) / (float)size, half = 0.5f * (float)(size - 1);
    for (int row = 0; row < size; row++) {
        for (int column = 0; column < size; column++) {
            float x = ((float)column - half) * pixel, y = (half - (float)row) * pixel, way[3];
            for (int d = 0; d < 3; d++) way[d] = ahead[d] + x * right[d] + y * above[d];
            normalize(way);
            march(volume, n, eye, way, picture + 3 * (row * size + column));
        }
    }
    return peer_clock() - start;
}
