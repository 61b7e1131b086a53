/* What a PLY file says of itself before its data. */
#ifndef RILL_IO_MESH_PLY_HEAD_H
#define RILL_IO_MESH_PLY_HEAD_H

#include "io/mesh/mesh.h"
#include "io/mesh/text.h"

typedef enum PlyType { PLY_I1, PLY_U1, PLY_I2, PLY_U2, PLY_I4, PLY_U4, PLY_F4, PLY_F8, PLY_TYPES } PlyType;

/* What a property is for. */
typedef enum PlyRole {
    PLY_X,
    PLY_Y,
    PLY_Z,
    PLY_NX,
    PLY_NY,
    PLY_NZ,
    PLY_U,
    PLY_V,
    PLY_SCALARS,               /* how many of vertices there are */
    PLY_CORNERS = PLY_SCALARS, /* a list, of faces or strips */
    PLY_TEXCOORD,              /* a list, of faces */
    PLY_NO_ROLE
} PlyRole;

typedef struct PlyProperty {
    PlyType type;  /* of a value */
    PlyType count; /* of how many values a list has; PLY_TYPES: it is no list */
    PlyRole role;
} PlyProperty;

typedef enum PlyKind { PLY_VERTEX, PLY_FACE, PLY_STRIPS, PLY_OTHER } PlyKind;

enum { PLY_MOST_PROPERTIES = 64, PLY_MOST_ELEMENTS = 16 };

typedef struct PlyElement {
    PlyKind kind;
    TextWord name; /* in the file's text */
    int64_t count;
    PlyProperty properties[PLY_MOST_PROPERTIES];
    int length; /* of properties */
} PlyElement;

typedef struct PlyHead {
    MeshEncoding encoding;
    PlyElement elements[PLY_MOST_ELEMENTS];
    int length;       /* of elements */
    int64_t vertices; /* announced */
} PlyHead;

/* Reads to behind end_header. What is announced is compared with the bytes there are. False with error_set, which names the line. */
bool ply_read_head(TextReader *text, PlyHead *head);
size_t ply_bytes(PlyType type);
/* Whether an element has a property of this role. */
bool ply_has(const PlyElement *element, PlyRole role);

#endif
