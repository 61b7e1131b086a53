#include "primitive/vertex_cache/vertex_cache.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The table of scores has a row for each position in the cache and a column for each number of remaining triangles.
 * The last column is for all larger numbers. */
enum { VALENCES = 32, CORNERS = 3, NONE = -1 };

/* The constants of the paper. */
static const float decay_power = 1.5f, last_triangle = 0.75f, valence_scale = 2, valence_power = 0.5f;

typedef struct Order {
    const int32_t *dense;
    int entries;
    float *table; /* [entries + 1][VALENCES]; row 0: not in the cache */
    /* Per vertex: the first of its triangles in `around`, and the number of remaining triangles. */
    int32_t *begin, *left, *around;
    float *vertex_score, *triangle_score;  /* triangle_score is negative for a triangle that was written */
    int32_t *cache, *after, *place, count; /* most recently used first; `after`: the cache after a triangle */
} Order;

static float score_of(int place, int entries, int left)
{
    if (left == 0) {
        return 0;
    }
    float score = place < 0         ? 0
                  : place < CORNERS ? last_triangle
                                    : powf(1 - (float)(place - CORNERS) / (float)(entries - CORNERS), decay_power);
    return score + valence_scale * powf((float)left, -valence_power);
}

static void fill_table(Order *o)
{
    for (int place = NONE; place < o->entries; place++) {
        for (int left = 0; left < VALENCES; left++) {
            o->table[(place + 1) * VALENCES + left] = score_of(place, o->entries, left);
        }
    }
}

static float vertex_score(const Order *o, int32_t v, int place)
{
    int left = o->left[v] < VALENCES ? o->left[v] : VALENCES - 1;
    return o->table[(place + 1) * VALENCES + left];
}

static bool allocate(Order *o, int64_t faces, int32_t vertices)
{
    size_t v = (size_t)vertices + 1, f = (size_t)faces + 1, all = (size_t)o->entries + CORNERS;
    o->table = malloc(((size_t)o->entries + 1) * VALENCES * sizeof *o->table);
    o->begin = calloc(v, sizeof *o->begin);
    o->left = calloc(v, sizeof *o->left);
    o->around = malloc(CORNERS * f * sizeof *o->around);
    o->vertex_score = malloc(v * sizeof *o->vertex_score);
    o->triangle_score = malloc(f * sizeof *o->triangle_score);
    o->cache = malloc(all * sizeof *o->cache);
    o->after = malloc(all * sizeof *o->after);
    return (o->table && o->begin && o->left && o->around && o->vertex_score && o->triangle_score && o->cache &&
            o->after) ||
           error_set("out of host memory");
}

static void release(Order *o)
{
    void *const parts[] = {o->table,        o->begin,          o->left,  o->around,
                           o->vertex_score, o->triangle_score, o->cache, o->after};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        free(parts[i]);
    }
}

static void find_around(Order *o, int64_t faces, int32_t vertices)
{
    int32_t sum = 0;
    for (int64_t i = 0; i < CORNERS * faces; i++) {
        o->left[o->dense[i]]++;
    }
    for (int32_t v = 0; v < vertices; v++) {
        o->begin[v] = sum;
        sum += o->left[v];
        o->left[v] = 0;
    }
    for (int64_t i = 0; i < CORNERS * faces; i++) {
        int32_t v = o->dense[i];
        o->around[o->begin[v] + o->left[v]++] = (int32_t)(i / CORNERS);
    }
    for (int32_t v = 0; v < vertices; v++) {
        o->vertex_score[v] = vertex_score(o, v, NONE);
    }
    for (int64_t t = 0; t < faces; t++) {
        const int32_t *corner = o->dense + CORNERS * t;
        o->triangle_score[t] = o->vertex_score[corner[0]] + o->vertex_score[corner[1]] + o->vertex_score[corner[2]];
    }
}

/* Removes a triangle from the remaining triangles of a vertex. */
static void take_from(Order *o, int32_t v, int32_t triangle)
{
    int32_t *around = o->around + o->begin[v], k = 0;
    while (around[k] != triangle) {
        k++;
    }
    around[k] = around[--o->left[v]];
}

/* Moves the corners of a triangle to the front of the cache; the other vertices keep their order. Returns the number
 * of vertices, which may exceed the size of the cache. */
static int32_t use_corners(Order *o, const int32_t *corner)
{
    int32_t n = 0;
    for (int c = 0; c < CORNERS; c++) {
        bool again = (c > 0 && corner[c] == corner[0]) || (c > 1 && corner[c] == corner[1]);
        o->after[n] = corner[c];
        n += !again;
    }
    for (int32_t i = 0; i < o->count; i++) {
        int32_t v = o->cache[i];
        o->after[n] = v;
        n += v != corner[0] && v != corner[1] && v != corner[2];
    }
    int32_t *swap = o->cache;
    o->cache = o->after;
    o->after = swap;
    return n;
}

/* Updates the scores of the `n` vertices that are or were in the cache, and of their triangles. Returns the triangle
 * with the highest score, or NONE. */
static int32_t update_scores(Order *o, int32_t n)
{
    int32_t best = NONE;
    float most = 0;
    for (int32_t i = n - 1; i >= 0; i--) {
        int32_t v = o->cache[i];
        float score = vertex_score(o, v, i < o->entries ? i : NONE), change = score - o->vertex_score[v];
        const int32_t *around = o->around + o->begin[v];
        o->vertex_score[v] = score;
        for (int32_t k = 0; k < o->left[v]; k++) {
            int32_t t = around[k];
            float sum = o->triangle_score[t] += change;
            if (sum > most) {
                most = sum;
                best = t;
            }
        }
    }
    o->count = n < o->entries ? n : o->entries;
    return best;
}

bool forsyth_order(const int32_t *dense, int64_t faces, int32_t vertices, int entries, int32_t *order)
{
    Order o = {.dense = dense, .entries = entries};
    bool done = allocate(&o, faces, vertices);
    if (done) {
        fill_table(&o);
        find_around(&o, faces, vertices);
    }
    int64_t first = 0; /* all triangles before it were written */
    int32_t best = NONE;
    for (int64_t i = 0; done && i < faces; i++) {
        while (best < 0 && o.triangle_score[first] < 0) {
            first++;
        }
        int32_t t = best < 0 ? (int32_t)first : best;
        const int32_t *corner = dense + CORNERS * (int64_t)t;
        order[i] = t;
        for (int c = 0; c < CORNERS; c++) {
            take_from(&o, corner[c], t);
        }
        o.triangle_score[t] = -INFINITY;
        best = update_scores(&o, use_corners(&o, corner));
    }
    release(&o);
    return done;
}
