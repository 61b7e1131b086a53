/* M:simplify: fewer triangles for a mesh, by libmeshoptimizer, which runs on the host. The library is optional: without
 * RILL_MESHOPTIMIZER the function reports that it is missing. */
#include "binding/binding.h"

#ifndef RILL_MESHOPTIMIZER

static int simplify(lua_State *L)
{
    return luaL_error(L, "M:simplify: rill was built without libmeshoptimizer: install Debian's package "
                         "libmeshoptimizer-dev and build rill again");
}

#else

#include "kernel/host/packed.h"

#include <math.h>
#include <meshoptimizer.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KEY = 256, FIRST_DATA = 6 }; /* bytes that the library compares at once; index of an argument */

/* A call: its arguments, its memory, and the results. Corners are numbered 3 f + k, for corner k of triangle f. */
typedef struct Simplification {
    const Stream *positions, *triangles;
    const Stream *const *data; /* per corner */
    int data_count;
    size_t target; /* number of triangles */
    double bound;  /* the largest error, a length; infinite without a bound */
    bool lock_borders;

    int32_t *vertices;               /* of each corner of the mesh */
    unsigned *corners;               /* the corners of the triangles with three different vertices */
    unsigned *ids;                   /* of each corner: of its vertex, or of its vertex with its data */
    unsigned *source;                /* a corner of each id */
    unsigned *indices;               /* ids of the corners of triangles, before and after */
    float *places;                   /* of the ids */
    size_t faces, used, count, kept; /* triangles, triangles with different vertices, ids, triangles of the result */
    double error;
} Simplification;

static bool allocate(Simplification *s)
{
    size_t corners = 3 * s->faces;
    s->corners = malloc(corners * sizeof(unsigned));
    s->ids = malloc(corners * sizeof(unsigned));
    s->source = malloc(corners * sizeof(unsigned));
    s->indices = malloc(corners * sizeof(unsigned));
    s->places = malloc(corners * 3 * sizeof(float));
    return (s->corners && s->ids && s->source && s->indices && s->places) || error_set("out of host memory");
}

static void release(Simplification *s)
{
    free(s->vertices);
    free(s->corners);
    free(s->ids);
    free(s->source);
    free(s->indices);
    free(s->places);
}

/* Corners with different data at one vertex get different ids. */
static bool separate_data(Simplification *s)
{
    size_t corners = 3 * s->faces;
    for (int d = 0; d < s->data_count; d++) {
        size_t width = (size_t)s->data[d]->type->bytes;
        unsigned char *bytes = packed_bytes(s->data[d]);
        if (!bytes) {
            return false;
        }
        for (size_t at = 0; at < width; at += MOST_KEY) {
            size_t size = width - at < MOST_KEY ? width - at : MOST_KEY;
            struct meshopt_Stream keys[2] = {{s->ids, sizeof(unsigned), sizeof(unsigned)}, {bytes + at, size, width}};
            meshopt_generateVertexRemapMulti(s->indices, NULL, corners, corners, keys, 2);
            memcpy(s->ids, s->indices, corners * sizeof(unsigned));
        }
        free(bytes);
    }
    return true;
}

/* Numbers the vertices that triangles use, and finds the place of each id. Coordinates are multiplied by a power of two,
 * so that the squares of their differences are floats; 0 replaces -0. Returns the exponent. */
static int place_ids(Simplification *s, const float *positions)
{
    size_t corners = 3 * s->faces;
    unsigned none = (unsigned)corners;
    float most = 0;
    int exponent = 0;
    s->count = 0;
    for (size_t i = 0; i < corners; i++) {
        s->source[i] = none;
    }
    /* ids are at most as large as the number of corners: meshopt_generateVertexRemapMulti numbers them from 0. */
    for (size_t i = 0; i < corners; i++) {
        if (s->source[s->ids[i]] == none) {
            s->source[s->ids[i]] = (unsigned)i;
            s->count++;
        }
        for (int k = 0; k < 3; k++) {
            most = fmaxf(most, fabsf(positions[3 * (size_t)s->vertices[i] + (size_t)k]));
        }
    }
    frexpf(most, &exponent);
    for (size_t i = 0; i < s->count; i++) {
        for (size_t k = 0; k < 3; k++) {
            s->places[3 * i + k] = ldexpf(positions[3 * (size_t)s->vertices[s->source[i]] + k], -exponent) + 0.0F;
        }
    }
    return exponent;
}

static void keep_proper(Simplification *s)
{
    s->used = 0;
    for (size_t f = 0; f < s->faces; f++) {
        const int32_t *v = s->vertices + 3 * f;
        for (size_t k = 0; k < 3 && v[0] != v[1] && v[1] != v[2] && v[2] != v[0]; k++) {
            s->indices[3 * s->used + k] = s->ids[3 * f + k];
            s->used += k == 2;
        }
    }
}

static bool run(Simplification *s, const float *positions)
{
    size_t corners = 3 * s->faces;
    struct meshopt_Stream key = {s->vertices, sizeof(int32_t), sizeof(int32_t)};
    meshopt_generateVertexRemapMulti(s->ids, NULL, corners, corners, &key, 1);
    if (!separate_data(s)) {
        return false;
    }
    int exponent = place_ids(s, positions);
    keep_proper(s);
    s->kept = s->used;
    s->error = 0;
    if (s->used > s->target) {
        double scale = meshopt_simplifyScale(s->places, s->count, 3 * sizeof(float));
        double bound = scale > 0 ? fmin(ldexp(s->bound, -exponent) / scale, 1e15) : 0;
        float error = 0;
        s->kept =
            meshopt_simplify(s->corners, s->indices, 3 * s->used, s->places, s->count, 3 * sizeof(float), 3 * s->target,
                             (float)bound, s->lock_borders ? meshopt_SimplifyLockBorder : 0, &error) /
            3;
        memcpy(s->indices, s->corners, 3 * s->kept * sizeof(unsigned));
        s->error = ldexp(error * scale, exponent);
    }
    return true;
}

/* Creates the results: the vertices that are kept, ascending; the triangles; the corner of the mesh that each of their
 * corners has its data from. */
static bool finish(Simplification *s, size_t vertices, Stream *const results[3])
{
    Device *device = s->positions->device;
    size_t corners = 3 * s->kept, count = 0;
    int32_t *number = calloc(vertices + 1, sizeof(int32_t)), *triangles = (int32_t *)s->places;
    if (!number) {
        return error_set("out of host memory");
    }
    for (size_t i = 0; i < corners; i++) {
        s->corners[i] = s->source[s->indices[i]];
        number[s->vertices[s->corners[i]]] = 1;
    }
    int32_t *kept = (int32_t *)s->indices; /* no more than there are corners */
    for (size_t v = 0; v < vertices; v++) {
        if (number[v]) {
            kept[count] = (int32_t)v;
            number[v] = (int32_t)count++;
        }
    }
    for (size_t i = 0; i < corners; i++) {
        triangles[i] = number[s->vertices[s->corners[i]]];
    }
    free(number);
    Shape some = {.rank = 1, .size = {(int64_t)count}}, faces = {.rank = 1, .size = {(int64_t)s->kept}},
          all = {.rank = 1, .size = {(int64_t)corners}};
    return packed_stream(device, type_of(SCALAR_INT, 1), &some, kept, results[0]) &&
           packed_stream(device, type_of(SCALAR_INT, 3), &faces, triangles, results[1]) &&
           packed_stream(device, type_of(SCALAR_INT, 1), &all, s->corners, results[2]);
}

static bool simplify_streams(Simplification *s, Stream *const results[3])
{
    float *positions = packed_bytes(s->positions);
    s->faces = (size_t)stream_elements(s->triangles);
    bool done = positions && (s->vertices = packed_bytes(s->triangles)) && allocate(s) && run(s, positions) &&
                finish(s, (size_t)stream_elements(s->positions), results);
    free(positions);
    release(s);
    return done;
}

/* _mesh_simplify(positions, triangles, target, bound, lock_borders, ...): reduces the number of triangles to `target`, with
 * an error of at most `bound`; the further arguments are streams of data per corner. The mesh has triangles with valid
 * indices, and finite positions. Returns the kept vertices, the triangles, the source of each of their corners, and the
 * error. */
static int simplify(lua_State *L)
{
    static const char function[] = "M:simplify";
    int count = lua_gettop(L) - FIRST_DATA + 1;
    const Stream **data = lua_newuserdatauv(L, (size_t)(count + 1) * sizeof *data, 0);
    Simplification s = {.positions = accept_check(L, 1, function, 1, "positions"),
                        .triangles = accept_check(L, 2, function, 2, "triangles"),
                        .target = (size_t)luaL_checkinteger(L, 3),
                        .bound = luaL_checknumber(L, 4),
                        .lock_borders = lua_toboolean(L, 5),
                        .data = data,
                        .data_count = count};
    for (int i = 0; i < count; i++) {
        data[i] = accept_check(L, FIRST_DATA + i, function, FIRST_DATA + i, "attribute");
    }
    Stream *results[3];
    for (int i = 0; i < 3; i++) {
        results[i] = stream_handle_push(L);
    }
    binding_make(L, s.positions->device, function, simplify_streams(&s, results));
    lua_pushnumber(L, s.error);
    return 4;
}

#endif

void open_simplify(lua_State *L)
{
    static const luaL_Reg functions[] = {{"_mesh_simplify", simplify}, {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
}
