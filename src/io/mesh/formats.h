/* Files of meshes: found by their content when read, by the name's extension when written. */
#ifndef RILL_IO_MESH_FORMATS_H
#define RILL_IO_MESH_FORMATS_H

#include "io/mesh/mesh.h"

/* Reads a file; release with mesh_free, whatever it returns. False with error_set, which names the path and the line or byte. `skip`: lines that
 * OBJ does not have are left out. */
bool mesh_load(const char *path, bool skip, MeshData *mesh);
/* Writes a file: .obj, .off, .ply, .stl. `encoding`: as text or as numbers of either byte order; NULL: as text where the format has nothing
 * else, else in little-endian numbers. False with error_set, which names the path. */
bool mesh_save(const char *path, const MeshData *mesh, const MeshEncoding *encoding);

#endif
