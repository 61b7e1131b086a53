/* Formats of meshes. A file is recognised by its content when it is read, and gets the format of its name's extension when it is written. */
#ifndef RILL_IO_MESH_FORMATS_H
#define RILL_IO_MESH_FORMATS_H

#include "io/mesh/mesh.h"
#include "io/text.h"

/* The formats: their names, extensions, how they can be written (bits of MeshEncoding), and what their functions begin with. A file that
 * no other format recognises is read as the first one, if it recognises it. */
#define MESH_FORMATS(X)                                                                                                \
    X("OBJ", "obj", 1 << MESH_ASCII, obj)                                                                              \
    X("PLY", "ply", MESH_ENCODINGS, ply)                                                                               \
    X("OFF", "off", 1 << MESH_ASCII, off)                                                                              \
    X("STL", "stl", 1 << MESH_ASCII | 1 << MESH_LITTLE, stl)

typedef struct MeshFormat {
    const char *name, *extension;
    int encodings;
    /* Returns whether the file is of this format. */
    bool (*recognise)(const unsigned char *bytes, size_t size);
    /* Adds the contents of a file to an empty mesh. False with error_set, which names the line or the byte. */
    bool (*decode)(const unsigned char *bytes, size_t size, MeshData *mesh);
    /* Writes a mesh, in one of the encodings; text has nine digits of each number. */
    void (*encode)(TextWriter *writer, const MeshData *mesh, MeshEncoding encoding);
} MeshFormat;

#define MESH_FORMAT_FUNCTIONS(name, extension, encodings, format)                                                      \
    bool format##_recognise(const unsigned char *bytes, size_t size);                                                  \
    bool format##_decode(const unsigned char *bytes, size_t size, MeshData *mesh);                                     \
    void format##_encode(TextWriter *writer, const MeshData *mesh, MeshEncoding encoding);
/* Declares the functions of all formats. */
MESH_FORMATS(MESH_FORMAT_FUNCTIONS)
#undef MESH_FORMAT_FUNCTIONS

/* Returns row i of the table; NULL behind the last. */
const MeshFormat *mesh_format_at(int i);

/* Reads a file; release with mesh_free, whatever it returns. False with error_set, which names the path and the line or byte. `skip`: lines
 * that OBJ does not have are left out. */
bool mesh_load(const char *path, bool skip, MeshData *mesh);
/* Writes a file in the format of its extension. `encoding` NULL: in little-endian numbers where the format has them, else as text. False with
 * error_set, which names the path. */
bool mesh_save(const char *path, const MeshData *mesh, const MeshEncoding *encoding);

#endif
