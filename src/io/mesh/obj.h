/* OBJ files (Wavefront, Advanced Visualizer, appendix B1): v, vt, vn and f; what draws lines, curves and groups is left out. Faces of more than three
 * corners become fans around their first. Texture coordinates and normals whose numbers are those of the vertices are the vertices'; others are
 * the corners', zeros where a face names none. */
#ifndef RILL_IO_MESH_OBJ_H
#define RILL_IO_MESH_OBJ_H

#include "io/mesh/mesh.h"

/* Reads a file's bytes; release with mesh_free, whatever it returns. False with error_set, which names the line. `skip`: lines whose first
 * word OBJ does not have are left out, else they are errors. */
bool obj_decode(const unsigned char *bytes, size_t size, bool skip, MeshData *mesh);
/* Writes the file (see file_draft_open), with nine digits of each number, so that it reads as the same float. */
bool obj_write(const char *path, const MeshData *mesh);

#endif
