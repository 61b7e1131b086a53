/* Tables of scalars and of built-in types, for type.h and type.c. To add a storage type, begin with a row here. */
#ifndef RILL_STREAM_TYPE_ROWS_H
#define RILL_STREAM_TYPE_ROWS_H

/* id, bytes, ScalarForm */
#define SCALARS(X)                                                                                                     \
    X(FLOAT, 4, FLOAT)                                                                                                 \
    X(DOUBLE, 8, FLOAT)                                                                                                \
    X(INT, 4, SIGNED)                                                                                                  \
    X(UINT, 4, UNSIGNED)                                                                                               \
    X(BOOL, 4, BOOL)                                                                                                   \
    X(HALF, 2, FLOAT)                                                                                                  \
    X(UNORM8, 1, UNORM)                                                                                                \
    X(INT8, 1, SIGNED)                                                                                                 \
    X(INT16, 2, SIGNED)                                                                                                \
    X(UINT8, 1, UNSIGNED)                                                                                              \
    X(UINT16, 2, UNSIGNED)

/* id, name, scalar, components, type that a kernel sees */
#define TYPES(X)                                                                                                       \
    X(FLOAT, "float", FLOAT, 1, FLOAT)                                                                                 \
    X(VEC2, "vec2", FLOAT, 2, VEC2)                                                                                    \
    X(VEC3, "vec3", FLOAT, 3, VEC3)                                                                                    \
    X(VEC4, "vec4", FLOAT, 4, VEC4)                                                                                    \
    X(DOUBLE, "double", DOUBLE, 1, DOUBLE)                                                                             \
    X(DVEC2, "dvec2", DOUBLE, 2, DVEC2)                                                                                \
    X(DVEC3, "dvec3", DOUBLE, 3, DVEC3)                                                                                \
    X(DVEC4, "dvec4", DOUBLE, 4, DVEC4)                                                                                \
    X(INT, "int", INT, 1, INT)                                                                                         \
    X(IVEC2, "ivec2", INT, 2, IVEC2)                                                                                   \
    X(IVEC3, "ivec3", INT, 3, IVEC3)                                                                                   \
    X(IVEC4, "ivec4", INT, 4, IVEC4)                                                                                   \
    X(UINT, "uint", UINT, 1, UINT)                                                                                     \
    X(UVEC2, "uvec2", UINT, 2, UVEC2)                                                                                  \
    X(UVEC3, "uvec3", UINT, 3, UVEC3)                                                                                  \
    X(UVEC4, "uvec4", UINT, 4, UVEC4)                                                                                  \
    X(BOOL, "bool", BOOL, 1, BOOL)                                                                                     \
    X(HALF, "half", HALF, 1, FLOAT)                                                                                    \
    X(HALF2, "half2", HALF, 2, VEC2)                                                                                   \
    X(HALF4, "half4", HALF, 4, VEC4)                                                                                   \
    X(UNORM8, "unorm8", UNORM8, 1, FLOAT)                                                                              \
    X(UNORM8X4, "unorm8x4", UNORM8, 4, VEC4)                                                                           \
    X(INT8, "int8", INT8, 1, INT)                                                                                      \
    X(INT16, "int16", INT16, 1, INT)                                                                                   \
    X(UINT8, "uint8", UINT8, 1, UINT)                                                                                  \
    X(UINT16, "uint16", UINT16, 1, UINT)

#endif
