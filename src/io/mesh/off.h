/* OFF files (Geomview's object file format): OFF, COFF, NOFF and CNOFF in text, a vertex or face a line. Colours are left out; faces of more than three
 * corners become fans around their first. */
#ifndef RILL_IO_MESH_OFF_H
#define RILL_IO_MESH_OFF_H

#include "io/mesh/mesh.h"

/* Whether the file begins with a word of OFF. */
bool off_recognise(const unsigned char *bytes, size_t size);
/* Reads a file's bytes; release with mesh_free, whatever it returns. False with error_set, which names the line. */
bool off_decode(const unsigned char *bytes, size_t size, MeshData *mesh);
/* Writes the file (see file_draft_open), with nine digits of each number, as NOFF where vertices have normals. */
bool off_write(const char *path, const MeshData *mesh);

#endif
