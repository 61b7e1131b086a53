#include "primitive/vertex_cache/vertex_cache.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The table of scores has a row for each position in the cache and a column for each number of remaining triangles.
 * The last column is for all larger numbers. */
enum { VALENCES = 32, CORNERS = 3, NONE = -1 };

/* While a vertex has more remaining triangles, its score does not change, and written triangles stay in its list. Otherwise the time would grow with
 * the square of the number. */
enum { MOST_LISTED = 1024 };

/* The constants of the paper. */
static const float decay_power = 1.5f, last_triangle = 0.75f, valence_scale = 2, valence_power = 0.5f;

/* The first of a vertex's triangles in `around`, the number of remaining triangles, and its score. */
typedef struct Vertex {
    int32_t begin, left;
    float score;
} Vertex;

/* A vertex in the modeled cache. place: the number of vertices that were used after it. */
typedef struct Cached {
    int32_t vertex, place;
} Cached;

typedef struct Order {
    const int32_t *dense;
    int entries;
    float *table; /* [entries + 1][VALENCES]; row 0: not in the cache */
    Vertex *vertices;
    int32_t *around;
    float *triangle_score; /* negative for a triangle that was written */
    /* The vertices with remaining triangles, most recently used first; `after`: after another triangle. */
    Cached *cache, *after;
    int32_t count;
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

static float vertex_score(const Order *o, const Vertex *v, int place)
{
    int left = v->left < VALENCES ? v->left : VALENCES - 1;
    return o->table[(place + 1) * VALENCES + left];
}

static bool allocate(Order *o, int64_t faces, int32_t vertices)
{
    size_t v = (size_t)vertices + 1, f = (size_t)faces + 1, all = (size_t)o->entries + CORNERS;
    o->table = malloc(((size_t)o->entries + 1) * VALENCES * sizeof *o->table);
    o->vertices = calloc(v, sizeof *o->vertices);
    o->around = malloc(CORNERS * f * sizeof *o->around);
    o->triangle_score = malloc(f * sizeof *o->triangle_score);
    o->cache = malloc(all * sizeof *o->cache);
    o->after = malloc(all * sizeof *o->after);
    return (o->table && o->vertices && o->around && o->triangle_score && o->cache && o->after) ||
           error_set("out of host memory");
}

static void release(Order *o)
{
    void *const parts[] = {o->table, o->vertices, o->around, o->triangle_score, o->cache, o->after};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        free(parts[i]);
    }
}

static void find_around(Order *o, int64_t faces, int32_t vertices)
{
    Vertex *v = o->vertices;
    int32_t sum = 0;
    for (int64_t i = 0; i < CORNERS * faces; i++) {
        v[o->dense[i]].left++;
    }
    for (int32_t i = 0; i < vertices; i++) {
        v[i].begin = sum;
        sum += v[i].left;
        v[i].left = 0;
    }
    v[vertices].begin = sum;
    for (int64_t i = 0; i < CORNERS * faces; i++) {
        Vertex *corner = &v[o->dense[i]];
        o->around[corner->begin + corner->left++] = (int32_t)(i / CORNERS);
    }
    for (int32_t i = 0; i < vertices; i++) {
        v[i].score = vertex_score(o, &v[i], NONE);
    }
    for (int64_t t = 0; t < faces; t++) {
        const int32_t *corner = o->dense + CORNERS * t;
        o->triangle_score[t] = v[corner[0]].score + v[corner[1]].score + v[corner[2]].score;
    }
}

/* Removes the written triangles from the list of a vertex. */
static void list_remaining(const Order *o, Vertex *v)
{
    int32_t count = 0;
    for (int32_t k = v[0].begin; k < v[1].begin; k++) {
        if (o->triangle_score[o->around[k]] >= 0) {
            o->around[v->begin + count++] = o->around[k];
        }
    }
    v->left = count;
}

/* Removes a triangle, which is marked as written, from the remaining triangles of a vertex. */
static void take_from(const Order *o, Vertex *v, int32_t triangle)
{
    int32_t *around = o->around + v->begin, k = 0;
    if (v->left > MOST_LISTED) {
        if (--v->left == MOST_LISTED) {
            list_remaining(o, v);
        }
        return;
    }
    while (k < v->left && around[k] != triangle) {
        k++;
    }
    if (k < v->left) { /* else list_remaining removed a triangle with two equal corners */
        around[k] = around[--v->left];
    }
}

/* Moves the corners of a triangle to the front of the cache; the other vertices keep their order. Returns the number
 * of vertices, of which the last ones may be beyond the end of the cache. */
static int32_t use_corners(Order *o, const int32_t *corner)
{
    int32_t n = 0, ahead = 0; /* the corners that move ahead of a vertex */
    for (int c = 0; c < CORNERS; c++) {
        bool again = (c > 0 && corner[c] == corner[0]) || (c > 1 && corner[c] == corner[1]);
        o->after[n] = (Cached){corner[c], ahead};
        n += !again && o->vertices[corner[c]].left > 0;
        ahead += !again;
    }
    for (int32_t i = 0; i < o->count; i++) {
        Cached v = o->cache[i];
        bool moved = v.vertex == corner[0] || v.vertex == corner[1] || v.vertex == corner[2];
        o->after[n] = (Cached){v.vertex, v.place + ahead};
        n += !moved;
        ahead -= moved;
    }
    Cached *swap = o->cache;
    o->cache = o->after;
    o->after = swap;
    return n;
}

/* Updates the scores of the `n` vertices that are or were in the cache, and of their triangles. Returns the triangle
 * with the highest score, or NONE. Of triangles with equal scores, the one that is updated last is returned. */
static int32_t update_scores(Order *o, int32_t n)
{
    int32_t best = NONE;
    float most = 0;
    o->count = 0;
    for (int32_t i = 0; i < n; i++) {
        Vertex *v = &o->vertices[o->cache[i].vertex];
        int32_t place = o->cache[i].place;
        bool inside = place < o->entries;
        o->count += inside;
        if (v->left > MOST_LISTED) {
            continue;
        }
        float score = vertex_score(o, v, inside ? place : NONE), change = score - v->score;
        const int32_t *around = o->around + v->begin;
        v->score = score;
        for (int32_t k = 0; k < v->left; k++) {
            int32_t t = around[k];
            float sum = o->triangle_score[t] += change;
            bool better = sum >= most; /* without a branch, which would be mispredicted where scores are equal */
            best = better ? t : best;
            most = most > sum ? most : sum;
        }
    }
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
        o.triangle_score[t] = -INFINITY;
        for (int c = 0; c < CORNERS; c++) {
            take_from(&o, &o.vertices[corner[c]], t);
        }
        best = update_scores(&o, use_corners(&o, corner));
    }
    release(&o);
    return done;
}
