/* The triangles of a file, as plain arrays. */
#ifndef RILL_IO_MESH_MESH_H
#define RILL_IO_MESH_MESH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MESH_MOST = INT32_MAX / 3 }; /* vertices, and triangles: their corners are counted by ints */

/* Of whom an array has an element each. */
typedef enum MeshOwner { MESH_NONE, MESH_VERTICES, MESH_FACES, MESH_CORNERS } MeshOwner;

typedef struct MeshData {
    float *positions;   /* three for each vertex */
    int32_t *triangles; /* three for each face, from 0 */
    float *normals;     /* three for each of normal_owner's */
    float *uv;          /* two for each of uv_owner's */
    size_t vertices, faces;
    MeshOwner normal_owner, uv_owner;
    size_t vertex_room, face_room; /* that the arrays have */
    bool skip;                     /* lines that the format does not have are left out; set before reading */
} MeshData;

/* What a file is written with. */
typedef enum MeshEncoding { MESH_ASCII, MESH_LITTLE, MESH_BIG } MeshEncoding;
enum { MESH_ENCODINGS = 1 << MESH_ASCII | 1 << MESH_LITTLE | 1 << MESH_BIG };

/* Frees the arrays; the mesh is empty then. */
void mesh_free(MeshData *mesh);

/* Room for so many more vertices and triangles; false with error_set. */
bool mesh_reserve(MeshData *mesh, size_t vertices, size_t faces);
/* Appends; false with error_set. */
bool mesh_add_vertex(MeshData *mesh, const double position[3]);
bool mesh_add_triangle(MeshData *mesh, int32_t a, int32_t b, int32_t c);

/* Makes an array hold `count` elements of `size` bytes at least, half as many again where it must grow; *room counts them. */
bool mesh_grow(void **array, size_t *room, size_t count, size_t size);

/* How many elements an array of an owner has, and which of them a corner, 3 f + k of vertex v, takes. */
size_t mesh_count(const MeshData *mesh, MeshOwner owner);
size_t mesh_element(MeshOwner owner, size_t corner, int32_t vertex);

#endif
