/* A uniform grid over the triangles of a scene. */
#include "primitive/ray_tree/ray_tree.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_CELLS = 1 << 25, MOST_SIDE = 1024, PER_FACE = 4, MOST_PER_FACE = 48 };

/* The cells that a triangle's box meets, and its plane. */
typedef struct Extent {
    int32_t from[3], to[3];
    double normal[3], offset, reach;
} Extent;

/* Sets the box and the number of cells. The box begins at least one float before the triangles: `pad` can be too small to change a coordinate. */
static void choose_size(const RayFaces *faces, RayGrid *grid, float pad)
{
    double side[3], volume = 1;
    double longest = 0;
    for (int d = 0; d < 3; d++) {
        grid->low[d] = nextafterf((float)((double)faces->low[d] - 4 * (double)pad), -INFINITY);
        side[d] = (double)faces->high[d] + 4 * (double)pad - (double)grid->low[d];
        longest = side[d] > longest ? side[d] : longest;
    }
    for (int d = 0; d < 3; d++) {
        volume *= fmax(side[d] / longest, 1e-3);
    }
    double wanted = fmin(PER_FACE * (double)faces->count + 1, MOST_CELLS / 4.0);
    double per = cbrt(wanted / volume);
    for (int d = 0; d < 3; d++) {
        double n = floor(side[d] / longest * per + 0.5);
        grid->size[d] = (int32_t)fmin(fmax(n, 1), MOST_SIDE);
        grid->cell[d] = (float)(side[d] / grid->size[d]);
    }
}

static int32_t cell_at(const RayGrid *grid, int d, double x)
{
    double k = floor((x - (double)grid->low[d]) / (double)grid->cell[d]);
    return k < 0 ? 0 : (k >= grid->size[d] ? grid->size[d] - 1 : (int32_t)k);
}

static Extent extent_of(const RayGrid *grid, const float *p, double pad)
{
    Extent e;
    double u[3], v[3], length = 0;
    for (int d = 0; d < 3; d++) {
        double low = fmin((double)p[d], fmin((double)p[3 + d], (double)p[6 + d]));
        double high = fmax((double)p[d], fmax((double)p[3 + d], (double)p[6 + d]));
        e.from[d] = cell_at(grid, d, low - pad);
        e.to[d] = cell_at(grid, d, high + pad);
        u[d] = (double)p[3 + d] - (double)p[d];
        v[d] = (double)p[6 + d] - (double)p[d];
    }
    for (int d = 0; d < 3; d++) {
        e.normal[d] = u[(d + 1) % 3] * v[(d + 2) % 3] - u[(d + 2) % 3] * v[(d + 1) % 3];
        length += e.normal[d] * e.normal[d];
    }
    length = sqrt(length);
    e.offset = e.reach = 0;
    for (int d = 0; d < 3; d++) {
        e.normal[d] = length > 0 ? e.normal[d] / length : 0;
        e.offset += e.normal[d] * (double)p[d];
        e.reach += fabs(e.normal[d]) * (0.5 * (double)grid->cell[d] + pad);
    }
    e.reach += pad;
    return e;
}

/* Whether the plane of a triangle meets a cell. */
static bool meets(const RayGrid *grid, const Extent *e, const int32_t *at)
{
    double distance = -e->offset;
    for (int d = 0; d < 3; d++) {
        distance += e->normal[d] * ((double)grid->low[d] + (at[d] + 0.5) * (double)grid->cell[d]);
    }
    return fabs(distance) <= e->reach;
}

/* Calls for each cell of each triangle: counts it, or with `write` stores the triangle. */
static void list_faces(const RayFaces *faces, double pad, RayGrid *grid, bool write)
{
    for (int32_t i = 0; i < faces->count; i++) {
        Extent e = extent_of(grid, faces->corners + 9 * (int64_t)i, pad);
        int32_t at[3];
        for (at[2] = e.from[2]; at[2] <= e.to[2]; at[2]++) {
            for (at[1] = e.from[1]; at[1] <= e.to[1]; at[1]++) {
                for (at[0] = e.from[0]; at[0] <= e.to[0]; at[0]++) {
                    if (meets(grid, &e, at)) {
                        uint32_t *cell =
                            grid->cells + 2 * (((int64_t)at[2] * grid->size[1] + at[1]) * grid->size[0] + at[0]);
                        if (write) {
                            grid->entries[cell[0] + cell[1]] = (uint32_t)i;
                        }
                        cell[1]++;
                    }
                }
            }
        }
    }
}

static int64_t count_cells(const RayGrid *grid)
{
    return (int64_t)grid->size[0] * grid->size[1] * grid->size[2];
}

/* Counts the entries of each cell. Halves the number of cells along each axis while they would have more than MOST_PER_FACE entries per triangle: many
 * triangles that are larger than cells. */
static bool count_entries(const RayFaces *faces, double pad, RayGrid *grid)
{
    for (;;) {
        int64_t cells = count_cells(grid), entries = 0;
        grid->cells = calloc((size_t)cells * 2, sizeof *grid->cells);
        if (!grid->cells) {
            return error_set("out of host memory");
        }
        for (int32_t i = 0; i < faces->count; i++) {
            Extent e = extent_of(grid, faces->corners + 9 * (int64_t)i, pad);
            int64_t box = 1;
            for (int d = 0; d < 3; d++) {
                box *= e.to[d] - e.from[d] + 1;
            }
            entries += box;
        }
        if (cells == 1 || entries <= (int64_t)MOST_PER_FACE * (faces->count + 1000)) {
            list_faces(faces, pad, grid, false);
            return true;
        }
        free(grid->cells);
        grid->cells = NULL;
        for (int d = 0; d < 3; d++) {
            double side = (double)grid->cell[d] * grid->size[d];
            grid->size[d] = (grid->size[d] + 1) / 2;
            grid->cell[d] = (float)(side / grid->size[d]);
        }
    }
}

/* Sets the first entry of each cell, and the counts to 0. */
static bool place_entries(RayGrid *grid, int64_t cells)
{
    for (int64_t k = 0; k < cells; k++) {
        uint32_t count = grid->cells[2 * k + 1];
        grid->cells[2 * k] = (uint32_t)grid->entry_count;
        grid->cells[2 * k + 1] = 0;
        grid->entry_count += count;
    }
    if (grid->entry_count > INT32_MAX) {
        return error_set("the grid would have %lld entries, more than 2^31: use the structure \"bvh\"",
                         (long long)grid->entry_count);
    }
    grid->entries = malloc(((size_t)grid->entry_count + 1) * sizeof *grid->entries);
    return grid->entries || error_set("out of host memory");
}

bool ray_grid_build(const RayFaces *faces, float pad, RayGrid *grid)
{
    *grid = (RayGrid){.entry_count = 0};
    choose_size(faces, grid, pad);
    grid->corners = malloc(((size_t)faces->count + 1) * RAY_CORNER_WORDS * sizeof *grid->corners);
    bool done = (grid->corners || error_set("out of host memory")) && count_entries(faces, 2 * (double)pad, grid) &&
                place_entries(grid, count_cells(grid));
    if (done) {
        list_faces(faces, 2 * (double)pad, grid, true);
        for (int32_t i = 0; i < faces->count; i++) {
            ray_faces_write(faces, i, grid->corners + RAY_CORNER_WORDS * (int64_t)i);
        }
    } else {
        ray_grid_release(grid);
    }
    return done;
}

void ray_grid_release(RayGrid *grid)
{
    free(grid->cells);
    free(grid->entries);
    free(grid->corners);
    *grid = (RayGrid){.entry_count = 0};
}
