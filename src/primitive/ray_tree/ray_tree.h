/* Acceleration structures for rays, built on the host: a bounding volume hierarchy with four children per node, and a uniform grid. */
#ifndef RILL_PRIMITIVE_RAY_TREE_RAY_TREE_H
#define RILL_PRIMITIVE_RAY_TREE_RAY_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* RAY_STACK: entries that a traversal of a hierarchy may need. RAY_MOST: largest number of triangles. */
enum { RAY_CORNER_WORDS = 12, RAY_LEAF = 3, RAY_DEPTH = 20, RAY_STACK = 24, RAY_MOST = 1 << 25 };

/* Triangles whose corners differ, with their bounds. A triangle with two equal corners is left out. */
typedef struct RayFaces {
    int32_t count;
    int32_t *face;  /* index of the triangle in the scene */
    float *corners; /* nine coordinates of each, scaled */
    float low[3], high[3];
    int exponent; /* coordinates are scaled by 2^exponent, so that the size of the scene is about 1 */
} RayFaces;

/* Collects and scales the triangles of a scene. Returns false with error_set if an index is out of range or a coordinate is not at most 1e18. `bases`, `ends`: for each
 * of the `meshes`, the index of its first triangle and of its first vertex; both have a last element with the totals. */
bool ray_faces_collect(const float *positions, const int32_t *triangles, const int64_t *face_bases,
                       const int64_t *vertex_bases, int64_t meshes, RayFaces *faces);

/* Frees the memory of the triangles. */
void ray_faces_release(RayFaces *faces);

/* Writes a triangle as the kernels read it: three corners of four words, of which the first has the triangle's index. */
void ray_faces_write(const RayFaces *faces, int32_t i, uint32_t *words);

/* A hierarchy: `count` parts of 12 words, nodes and triangles in the order in which a traversal reaches them. Part 0 is the root. A node has the origin of
 * its quantized boxes, the exponents of their units (8 bits per axis) and the types of the children (2 bits each: 0: a node; 1 to 3: a leaf with so many
 * triangles), six words of bounds (x low, x high, y low ...; a byte for each child), the part of the first child node, and the part of the first triangle, which
 * is not 0. A triangle has 0 in the last word. An empty child has the bounds 255 and 0. Children that are nodes come before leaves. They are adjacent, and the
 * triangles of a node's leaves too. */
typedef struct RayTree {
    uint32_t *parts;
    int64_t count;
    int depth; /* nodes on the longest path */
} RayTree;

/* Builds a hierarchy by the surface area heuristic with 16 bins per axis (I. Wald, On fast construction of SAH-based bounding volume hierarchies, 2007).
 * Boxes are enlarged by `pad`. Returns false with error_set. */
bool ray_tree_build(const RayFaces *faces, float pad, RayTree *tree);

/* Frees the memory of a hierarchy. */
void ray_tree_release(RayTree *tree);

/* A uniform grid: for each cell the position of its first entry and the number of its entries, and the entries, indices into the corners. */
typedef struct RayGrid {
    int32_t size[3];
    float low[3], cell[3];
    uint32_t *cells, *entries, *corners;
    int64_t entry_count;
} RayGrid;

/* Builds a grid with about four cells per triangle. A cell lists the triangles whose bounding boxes and planes meet it, enlarged by `pad`. Returns false with
 * error_set. */
bool ray_grid_build(const RayFaces *faces, float pad, RayGrid *grid);

/* Frees the memory of a grid. */
void ray_grid_release(RayGrid *grid);

#endif
