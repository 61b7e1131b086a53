/* PLY files (G. Turk, The PLY polygon file format, 1994), in text and binary, of either byte order. Of vertices x, y, z, nx, ny, nz and u, v (or s, t; texture_u,
 * texture_v) are read, of faces vertex_indices (or vertex_index) and texcoord, u and v of each corner, and tristrips; else elements and properties are left
 * out. Faces of more than three corners become fans around their first. */
#ifndef RILL_IO_MESH_PLY_H
#define RILL_IO_MESH_PLY_H

#include "io/mesh/mesh.h"

/* Whether the file begins as PLY does. */
bool ply_recognise(const unsigned char *bytes, size_t size);
/* Reads a file's bytes; release with mesh_free, whatever it returns. False with error_set, which names the line or the byte. */
bool ply_decode(const unsigned char *bytes, size_t size, MeshData *mesh);
/* Writes the file (see file_draft_open); text has nine digits of each number. Normals are written where vertices have them. */
bool ply_write(const char *path, const MeshData *mesh, MeshEncoding encoding);

#endif
