/* STL files (3D Systems, StereoLithography interface specification), in text and binary. A triangle has three vertices of its own; its normal is left out when
 * read, and made of its corners when written. */
#ifndef RILL_IO_MESH_STL_H
#define RILL_IO_MESH_STL_H

#include "io/mesh/mesh.h"

/* Whether the bytes are as many as a binary file announces, or the text of one begins here. */
bool stl_recognise(const unsigned char *bytes, size_t size);
/* Reads a file's bytes; release with mesh_free, whatever it returns. False with error_set, which names the line or the byte. */
bool stl_decode(const unsigned char *bytes, size_t size, MeshData *mesh);
/* Writes the file (see file_draft_open); text has nine digits of each number. There is no big-endian one. */
bool stl_write(const char *path, const MeshData *mesh, MeshEncoding encoding);

#endif
