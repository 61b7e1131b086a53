/* The triangles of a scene. */
#include "primitive/ray_tree/ray_tree.h"

#include "base/error.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const float FAR = 1e18f; /* the largest coordinate, so that squares are floats */

static bool is_near(const float *p)
{
    return fabsf(p[0]) <= FAR && fabsf(p[1]) <= FAR && fabsf(p[2]) <= FAR;
}

static bool is_equal(const float *p, const float *q)
{
    return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

static void enclose(RayFaces *faces, const float *p)
{
    for (int d = 0; d < 3; d++) {
        faces->low[d] = fminf(faces->low[d], p[d]);
        faces->high[d] = fmaxf(faces->high[d], p[d]);
    }
}

/* Adds triangle f of mesh `m`, whose corners are the vertices from `base` on. */
static bool add_face(RayFaces *faces, const float *positions, const int32_t *corner, int64_t base, int64_t vertices,
                     int64_t f, int64_t first)
{
    const float *p[3];
    for (int c = 0; c < 3; c++) {
        if (corner[c] < 0 || corner[c] >= vertices) {
            return error_set("triangle %lld has the vertex index %d, which is out of range: the mesh has %lld vertices",
                             (long long)(f - first), corner[c], (long long)vertices);
        }
        p[c] = positions + 3 * (base + corner[c]);
        if (!is_near(p[c])) {
            return error_set("vertex %d is (%g, %g, %g): expected coordinates up to 1e18", corner[c], (double)p[c][0],
                             (double)p[c][1], (double)p[c][2]);
        }
    }
    if (is_equal(p[0], p[1]) || is_equal(p[1], p[2]) || is_equal(p[2], p[0])) {
        return true;
    }
    for (int c = 0; c < 3; c++) {
        memcpy(faces->corners + 9 * (int64_t)faces->count + 3 * c, p[c], 3 * sizeof(float));
        enclose(faces, p[c]);
    }
    faces->face[faces->count++] = (int32_t)f;
    return true;
}

/* The power of two that scales the longest side of the box to a number from 0.5 to below 1, or coordinates far from the origin to at most 2^100. */
static int exponent_of(const RayFaces *faces)
{
    double side = FLT_MIN, away = 0;
    for (int d = 0; d < 3; d++) {
        side = fmax(side, (double)faces->high[d] - (double)faces->low[d]);
        away = fmax(away, fmax(fabs((double)faces->low[d]), fabs((double)faces->high[d])));
    }
    int of_side, of_away;
    frexp(side, &of_side);
    frexp(away, &of_away);
    return -of_side < 100 - of_away ? -of_side : 100 - of_away;
}

static void scale_faces(RayFaces *faces)
{
    if (faces->count == 0) {
        return;
    }
    faces->exponent = exponent_of(faces);
    for (int64_t k = 0; k < 9 * (int64_t)faces->count; k++) {
        faces->corners[k] = ldexpf(faces->corners[k], faces->exponent);
    }
    for (int d = 0; d < 3; d++) {
        faces->low[d] = ldexpf(faces->low[d], faces->exponent);
        faces->high[d] = ldexpf(faces->high[d], faces->exponent);
    }
}

bool ray_faces_collect(const float *positions, const int32_t *triangles, const int64_t *face_bases,
                       const int64_t *vertex_bases, int64_t meshes, RayFaces *faces)
{
    size_t total = (size_t)face_bases[meshes];
    *faces = (RayFaces){.low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}};
    faces->face = malloc((total + 1) * sizeof *faces->face);
    faces->corners = malloc((total + 1) * 9 * sizeof *faces->corners);
    bool done = (faces->face && faces->corners) || error_set("out of host memory");
    for (int64_t m = 0; done && m < meshes; m++) {
        int64_t vertices = vertex_bases[m + 1] - vertex_bases[m];
        for (int64_t f = face_bases[m]; done && f < face_bases[m + 1]; f++) {
            done = add_face(faces, positions, triangles + 3 * f, vertex_bases[m], vertices, f, face_bases[m]);
        }
    }
    if (done) {
        scale_faces(faces);
    } else {
        ray_faces_release(faces);
    }
    return done;
}

void ray_faces_release(RayFaces *faces)
{
    free(faces->face);
    free(faces->corners);
    *faces = (RayFaces){0};
}

void ray_faces_write(const RayFaces *faces, int32_t i, uint32_t *words)
{
    for (int c = 0; c < 3; c++) {
        memcpy(words + 4 * c, faces->corners + 9 * (int64_t)i + 3 * c, 3 * sizeof(float));
        words[4 * c + 3] = c == 0 ? (uint32_t)faces->face[i] : 0;
    }
}
