#include "primitive/vertex_cache/vertex_cache.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

enum {
    CORNERS = 3,
    NONE = -1,
    LOOK_AHEAD = 5 /* triangles of a simulation in addition to the entries of the cache */
};

/* A triangle at which a strip can continue or begin, and the edge by which the strip enters it. */
typedef struct Entry {
    int32_t face;
    int8_t edge;
} Entry;

/* The state of the strips. A simulation works on a copy; its marks of triangles and vertices are distinguished by
 * `run`. */
typedef struct StripState {
    int64_t head, tail; /* queue entries of the current strip: the first that may not be used yet, and the end */
    int32_t inserted;   /* number of vertices inserted into the FIFO so far */
    Entry at;           /* the last triangle */
} StripState;

typedef struct Order {
    const int32_t *dense;
    int entries;
    int64_t faces;
    int32_t *across;       /* [face][edge]: the adjacent triangle times 4 plus its edge, or NONE */
    bool *written;         /* per triangle */
    int32_t *taken_in;     /* per triangle: the last simulation that used it */
    int32_t *inserted_at;  /* per vertex: value of `inserted` at its insertion, 1-based; 0: never */
    int32_t *simulated_at; /* the same in the simulation `simulated_in` */
    int32_t *simulated_in;
    Entry *queue;
    int32_t run;
    int32_t *heads, *nexts; /* lists of triangles by the number of remaining neighbors, which may be out of date */
} Order;

static const int32_t *corners_of(const Order *o, int32_t face)
{
    return o->dense + CORNERS * (int64_t)face;
}

/* Edge e of a triangle is directed from corner e to corner e + 1. Two triangles share an edge if its directions are
 * opposite. */

/* Finds the adjacent triangle of each edge. If an edge has several triangles, they are joined in pairs in order. */
static bool join_edges(Order *o)
{
    int bits = 4;
    int64_t edges = CORNERS * o->faces;
    while ((INT64_C(1) << bits) < 2 * edges) {
        bits++;
    }
    int64_t slots = INT64_C(1) << bits;
    int32_t *table =
        calloc((size_t)slots, sizeof *table); /* edges without an opposite yet, 1-based; negative: joined */
    if (!table) {
        return error_set("out of host memory");
    }
    for (int64_t i = 0; i < edges; i++) {
        int32_t from = o->dense[i], to = o->dense[i / CORNERS * CORNERS + (i + 1) % CORNERS];
        uint64_t low = (uint64_t)(uint32_t)(from < to ? from : to), high = (uint64_t)(uint32_t)(from < to ? to : from);
        int64_t slot = (int64_t)((low << 32 ^ high) * UINT64_C(0x9E3779B97F4A7C15) >> (64 - bits));
        o->across[i] = NONE;
        for (; table[slot]; slot = (slot + 1) & (slots - 1)) {
            int64_t k = table[slot] < 0 ? 0 : table[slot] - 1;
            bool waits = table[slot] > 0 && o->dense[k] == to &&
                         o->dense[k / CORNERS * CORNERS + (k + 1) % CORNERS] == from && k / CORNERS != i / CORNERS;
            if (waits) {
                o->across[i] = (int32_t)(k / CORNERS * 4 + k % CORNERS);
                o->across[k] = (int32_t)(i / CORNERS * 4 + i % CORNERS);
                table[slot] = -table[slot];
                break;
            }
        }
        if (!table[slot]) {
            table[slot] = (int32_t)(i + 1);
        }
    }
    free(table);
    return true;
}

static bool is_taken(const Order *o, int32_t face, bool real)
{
    return o->written[face] || (!real && o->taken_in[face] == o->run);
}

/* Adds a triangle to the strip. Returns the number of its vertices that are not in the FIFO. */
static int take(Order *o, StripState *w, Entry entry, bool real)
{
    const int32_t *corner = corners_of(o, entry.face);
    int misses = 0;
    for (int c = 0; c < CORNERS; c++) {
        int32_t v = corner[c];
        bool simulated = !real && o->simulated_in[v] == o->run;
        int32_t since = simulated ? o->simulated_at[v] : o->inserted_at[v];
        if (since > 0 && w->inserted - since < o->entries) {
            continue;
        }
        misses++;
        w->inserted++;
        if (real) {
            o->inserted_at[v] = w->inserted;
        } else {
            o->simulated_in[v] = o->run;
            o->simulated_at[v] = w->inserted;
        }
    }
    if (real) {
        o->written[entry.face] = true;
    } else {
        o->taken_in[entry.face] = o->run;
    }
    w->at = entry;
    return misses;
}

/* Finds the triangle across the edge that follows the entry edge by `turn` edges. Returns whether it exists and was
 * not used. */
static bool beyond(const Order *o, const StripState *w, int turn, bool real, Entry *entry)
{
    int32_t across = o->across[CORNERS * (int64_t)w->at.face + (w->at.edge + turn) % CORNERS];
    *entry = (Entry){across / 4, (int8_t)(across % 4)};
    return across >= 0 && !is_taken(o, entry->face, real);
}

/* Finds the beginning of a new strip: the first entry of the current strip whose triangle was not used, or the last
 * such entry of the previous strips. The entries that the new strip leaves are stored after those of the previous
 * strips. */
static bool begin_strip(const Order *o, StripState *w, bool real, Entry *entry)
{
    while (w->head < w->tail && is_taken(o, o->queue[w->head].face, real)) {
        w->head++;
    }
    if (w->head < w->tail) {
        *entry = o->queue[w->head];
        w->head = w->tail;
        return true;
    }
    while (w->tail > 0 && is_taken(o, o->queue[w->tail - 1].face, real)) {
        w->tail--;
    }
    w->head = w->tail;
    *entry = w->tail > 0 ? o->queue[w->tail - 1] : (Entry){NONE, 0};
    return w->tail > 0;
}

/* Finds the next triangle of the strip: counterclockwise if possible, else clockwise. The other triangle is stored in
 * the queue. With `restart` a new strip begins. */
static bool continue_strip(Order *o, StripState *w, bool real, bool restart, Entry *entry)
{
    Entry other;
    bool first = beyond(o, w, 1, real, entry), second = beyond(o, w, 2, real, &other);
    if (second && (first || restart)) {
        o->queue[w->tail++] = other;
    }
    if (first && restart) {
        o->queue[w->tail++] = *entry;
    }
    if (restart || (!first && !second)) {
        return begin_strip(o, w, real, entry);
    }
    *entry = first ? *entry : other;
    return true;
}

/* Returns the number of misses of the next triangles if a new strip begins after `stay` triangles. */
static int misses_ahead(Order *o, const StripState *state, int stay)
{
    StripState w = *state;
    int misses = 0;
    Entry entry;
    o->run++;
    for (int s = 0; s < o->entries + LOOK_AHEAD && continue_strip(o, &w, false, s == stay, &entry); s++) {
        misses += take(o, &w, entry, false);
    }
    return misses;
}

/* Returns whether a strip that begins now costs less than one that begins later, after 1, 2, 4 ... triangles. */
static bool should_restart(Order *o, const StripState *state)
{
    int now = misses_ahead(o, state, 0);
    for (int stay = 1; stay <= o->entries + LOOK_AHEAD; stay *= 2) {
        if (misses_ahead(o, state, stay) <= now) {
            return false;
        }
    }
    return true;
}

/* Returns a remaining triangle with the fewest remaining neighbors, at which a new strip begins, or NONE. */
static Entry fewest_neighbors(Order *o)
{
    for (int n = 0; n <= CORNERS;) {
        int32_t face = o->heads[n];
        if (face < 0) {
            n++;
            continue;
        }
        o->heads[n] = o->nexts[face];
        if (o->written[face]) {
            continue;
        }
        int left = 0;
        for (int e = 0; e < CORNERS; e++) {
            int32_t across = o->across[CORNERS * (int64_t)face + e];
            left += across >= 0 && !o->written[across / 4];
        }
        if (left <= n) {
            return (Entry){face, 0};
        }
        o->nexts[face] = o->heads[left];
        o->heads[left] = face;
    }
    return (Entry){NONE, 0};
}

/* Puts every triangle into the list for its number of neighbors. */
static void list_faces(Order *o)
{
    for (int n = 0; n <= CORNERS; n++) {
        o->heads[n] = NONE;
    }
    for (int64_t f = o->faces - 1; f >= 0; f--) {
        int left = 0;
        for (int e = 0; e < CORNERS; e++) {
            left += o->across[CORNERS * f + e] >= 0;
        }
        o->nexts[f] = o->heads[left];
        o->heads[left] = (int32_t)f;
    }
}

static bool allocate(Order *o, int32_t vertices)
{
    size_t f = (size_t)o->faces + 1, v = (size_t)vertices + 1, ahead = (size_t)o->entries + LOOK_AHEAD;
    o->across = malloc(CORNERS * f * sizeof *o->across);
    o->written = calloc(f, sizeof *o->written);
    o->taken_in = calloc(f, sizeof *o->taken_in);
    o->inserted_at = calloc(v, sizeof *o->inserted_at);
    o->simulated_at = calloc(v, sizeof *o->simulated_at);
    o->simulated_in = calloc(v, sizeof *o->simulated_in);
    o->queue = malloc((2 * f + 2 * ahead) * sizeof *o->queue);
    o->heads = malloc((CORNERS + 1) * sizeof *o->heads);
    o->nexts = malloc(f * sizeof *o->nexts);
    return (o->across && o->written && o->taken_in && o->inserted_at && o->simulated_at && o->simulated_in &&
            o->queue && o->heads && o->nexts) ||
           error_set("out of host memory");
}

static void release(Order *o)
{
    void *const parts[] = {o->across,       o->written, o->taken_in, o->inserted_at, o->simulated_at,
                           o->simulated_in, o->queue,   o->heads,    o->nexts};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        free(parts[i]);
    }
}

bool hoppe_order(const int32_t *dense, int64_t faces, int32_t vertices, int entries, int32_t *order)
{
    Order o = {.dense = dense, .entries = entries, .faces = faces};
    bool done = allocate(&o, vertices) && join_edges(&o);
    StripState w = {0, 0, 0, {NONE, 0}};
    if (done) {
        list_faces(&o);
    }
    for (int64_t i = 0; done && i < faces; i++) {
        Entry entry;
        bool goes = w.at.face >= 0 && continue_strip(&o, &w, true, should_restart(&o, &w), &entry);
        entry = goes ? entry : fewest_neighbors(&o);
        take(&o, &w, entry, true);
        order[i] = entry.face;
    }
    release(&o);
    return done;
}
