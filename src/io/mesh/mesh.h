/* The triangles of a file, as arrays in host memory. */
#ifndef RILL_IO_MESH_MESH_H
#define RILL_IO_MESH_MESH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MESH_MOST = INT32_MAX / 3 }; /* limit of vertices and of triangles; the number of corners must fit an int */

/* The kind of item that has one element of an array each. */
typedef enum MeshOwner { MESH_NONE, MESH_VERTICES, MESH_FACES, MESH_CORNERS } MeshOwner;

/* How a file is read. */
typedef struct MeshReading {
    bool skip;    /* ignore unknown lines of OBJ files */
    bool doubles; /* also read MeshData.exact */
    bool invalid; /* accept vertices with numbers that are not finite, in PLY and XYZ files */
} MeshReading;

typedef struct MeshData {
    float *positions;   /* three for each vertex */
    double *exact;      /* the positions as doubles; NULL: none. PLY and XYZ files are written with them */
    int32_t *triangles; /* three 0-based vertex indices for each face */
    float *normals;     /* three for each item of normal_owner */
    float *uv;          /* two for each item of uv_owner */
    float *colors; /* red, green and blue of each vertex, usually in 0 .. 1; NULL: none. PLY and XYZ files have them */
    size_t vertices, faces;
    MeshOwner normal_owner, uv_owner;
    size_t vertex_room, exact_room, face_room; /* capacity of the arrays */
    MeshReading reading;                       /* set before reading */
} MeshData;

/* The encoding of numbers in a file. */
typedef enum MeshEncoding { MESH_ASCII, MESH_LITTLE, MESH_BIG } MeshEncoding;
enum { MESH_ENCODINGS = 1 << MESH_ASCII | 1 << MESH_LITTLE | 1 << MESH_BIG };

/* Frees the arrays. The mesh is empty afterwards. */
void mesh_free(MeshData *mesh);

/* Ensures capacity for more vertices and triangles. Returns false with error_set on failure. */
bool mesh_reserve(MeshData *mesh, size_t vertices, size_t faces);
/* Appends a vertex. Returns false with error_set on failure. */
bool mesh_add_vertex(MeshData *mesh, const double position[3]);
/* Returns whether `count` numbers of a vertex, of which the first three are its position, may be read: whether they are
 * finite after conversion to the types of their arrays. */
bool mesh_accepts(const MeshData *mesh, const double *numbers, int count);
/* Appends a triangle. Returns false with error_set on failure. */
bool mesh_add_triangle(MeshData *mesh, int32_t a, int32_t b, int32_t c);

/* Ensures that an array has a capacity of at least `count` elements of `size` bytes. If it must grow, its
 * capacity *room becomes 1.5 times as large, or `count` + 64 if that is more. Returns false with error_set on
 * failure. */
bool mesh_grow(void **array, size_t *room, size_t count, size_t size);

/* Returns the number of elements of an owner's array. */
size_t mesh_count(const MeshData *mesh, MeshOwner owner);
/* Returns the element that belongs to a corner (3 * face + k) with its vertex. */
size_t mesh_element(MeshOwner owner, size_t corner, int32_t vertex);

#endif
