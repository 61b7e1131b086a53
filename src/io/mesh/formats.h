/* Mesh file formats. When a file is read, its content determines the format; when it is written, its extension
 * does. */
#ifndef RILL_IO_MESH_FORMATS_H
#define RILL_IO_MESH_FORMATS_H

#include "io/mesh/mesh.h"
#include "io/text.h"

/* Table of the formats: name, extension, encodings that can be written (a bit for each MeshEncoding), prefix of
 * its functions. The first format is tried last. */
#define MESH_FORMATS(X)                                                                                                \
    X("OBJ", "obj", 1 << MESH_ASCII, obj)                                                                              \
    X("PLY", "ply", MESH_ENCODINGS, ply)                                                                               \
    X("OFF", "off", 1 << MESH_ASCII, off)                                                                              \
    X("STL", "stl", 1 << MESH_ASCII | 1 << MESH_LITTLE, stl)                                                           \
    X("XYZ", "xyz", 1 << MESH_ASCII, xyz)

typedef struct MeshFormat {
    const char *name, *extension;
    int encodings;
    /* Returns whether the file is of this format. */
    bool (*recognize)(const unsigned char *bytes, size_t size);
    /* Decodes a file into an empty mesh. Returns false with error_set, which names the line or the byte. */
    bool (*decode)(const unsigned char *bytes, size_t size, MeshData *mesh);
    /* Writes a mesh in one of the encodings. In text, numbers have nine significant digits. */
    void (*encode)(TextWriter *writer, const MeshData *mesh, MeshEncoding encoding);
} MeshFormat;

#define MESH_FORMAT_FUNCTIONS(name, extension, encodings, format)                                                      \
    bool format##_recognize(const unsigned char *bytes, size_t size);                                                  \
    bool format##_decode(const unsigned char *bytes, size_t size, MeshData *mesh);                                     \
    void format##_encode(TextWriter *writer, const MeshData *mesh, MeshEncoding encoding);
/* Declares the functions of all formats. */
MESH_FORMATS(MESH_FORMAT_FUNCTIONS)
#undef MESH_FORMAT_FUNCTIONS

/* Returns row i (0-based) of the table, or NULL after the last one. */
const MeshFormat *mesh_format_at(int i);

/* Reads a file. Release the mesh with mesh_free, also on failure. Returns false with error_set, which names the path and
 * the line or byte. */
bool mesh_load(const char *path, MeshReading reading, MeshData *mesh);
/* Writes a file in the format of its extension. encoding NULL: little-endian if the format supports it, else
 * text. Returns false with error_set, which names the path. */
bool mesh_save(const char *path, const MeshData *mesh, const MeshEncoding *encoding);

#endif
