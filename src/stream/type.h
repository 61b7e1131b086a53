/* Element types: the layout of an element in memory, and the type in which kernels read it. */
#ifndef RILL_STREAM_TYPE_H
#define RILL_STREAM_TYPE_H

#include "stream/type_rows.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The type of one component in memory: SCALAR_FLOAT, SCALAR_UNORM8 and so on. */
#define SCALAR_ID(id, bytes, form) SCALAR_##id,
typedef enum Scalar { SCALARS(SCALAR_ID) SCALAR_COUNT } Scalar;
#undef SCALAR_ID

/* The meaning of a scalar's bits: an IEEE 754 number, an integer, the 32-bit word 0 or 1, or an integer that
 * represents 0 to 1. */
typedef enum ScalarForm { FORM_FLOAT, FORM_SIGNED, FORM_UNSIGNED, FORM_BOOL, FORM_UNORM } ScalarForm;

typedef struct Type Type;

typedef struct Field {
    char name[64];
    const Type *type;
    int offset; /* bytes from the start of the structure, packed */
} Field;

/* Types are interned: equal types are the same pointer. Built-in types live as long as the process.
 * Structures are reference-counted (any thread may do so) and hold references to the types of their fields
 * and to their value type. Streams, kernel texts and cached programs hold references to their types. */
struct Type {
    char name[64]; /* "float", "vec3", "half2", "unorm8x4"; a structure's own name */
    bool is_struct;
    Scalar scalar;   /* unused for a structure */
    int components;  /* 1 to 4; for a structure: the sum over its fields */
    int bytes;       /* packed size of one element */
    int field_count; /* structures only */
    const Field *fields;
    const Type
        *value; /* the type that a kernel sees: float for half, int for int8 ...; the type itself if GLSL has it */
};

/* Finds a type by its GLSL, rill or Brook name ("float3", "int2", "double4"). Returns NULL with error_set,
 * which suggests similar names. */
const Type *type_find(const char *name);

/* Returns whether a name is that of a type in another language or library. *here becomes rill's name in quotation marks,
 * such as "'double'"; NULL for 64-bit integers. */
bool type_foreign(const char *name, const char **here);

/* Returns the edit distance of two words, or 24 if one has more than 24 characters. */
int type_word_distance(const char *a, const char *b);
/* Returns the built-in type `index` (0-based), or NULL after the last one. */
const Type *type_at(int index);
/* Returns the type with 1 to 4 components of a scalar, or NULL if there is none (bool vectors, unorm8x2). */
const Type *type_of(Scalar scalar, int components);
enum { TYPE_MAX_BYTES = 1024 };
/* Finds or creates the structure with a name and a list of fields (names, types and order). Fields must fill
 * whole 32-bit words and have at most TYPE_MAX_BYTES in total. The caller owns a reference (type_release).
 * Returns NULL with error_set on failure. */
const Type *type_struct(const char *name, const Field *fields, int count);
/* Finds or creates a structure that lives as long as the process. No reference is needed. Use it only for a
 * fixed set of structures. */
const Type *type_struct_kept(const char *name, const Field *fields, int count);
enum { TYPE_MAX_FIELDS = 256 };
/* Finds the type of a name. Returns NULL with error_set on failure. */
typedef const Type *TypeFinder(void *context, const char *name);
/* Parses fields from text like "vec3 o; float tmax, tmin;". Returns their number, or -1 with error_set. */
int type_parse_fields(const char *text, Field fields[TYPE_MAX_FIELDS], TypeFinder *find, void *context);
/* Adds a reference to a structure and returns the type. Has no effect on other types and NULL. */
const Type *type_retain(const Type *type);
/* Drops a reference to a structure, which is freed with the last one. Has no effect on other types and
 * NULL. */
void type_release(const Type *type);
/* Returns the number of structures that exist in this process. */
size_t type_struct_count(void);
/* Returns whether values of `from` can be used where a kernel declares `to`: the same value type, GLSL's
 * implicit conversions (int -> uint -> float -> double, component by component), or structures with the same
 * list of field types. */
bool type_converts(const Type *from, const Type *to);
/* Returns whether both types have the same layout in memory, so that elements can be copied as bytes. */
bool type_same_layout(const Type *a, const Type *b);

/* Returns the distance in bytes between elements of an array of the type's values in GLSL (std430): 16 for
 * vec3. */
int type_array_bytes(const Type *type);
/* Returns the least number of elements, a power of two, that fill whole texels of 16 bytes. */
int type_texel_elements(const Type *type);
/* Returns the bytes of one component in memory: 1 to 8. */
int type_scalar_bytes(Scalar scalar);
/* Returns the meaning of a scalar's bits. */
ScalarForm type_scalar_form(Scalar scalar);
/* Returns whether a scalar can hold fractions: float, double, half, unorm8. */
bool type_scalar_is_float(Scalar scalar);

/* Returns the scalar and the byte offset of component k (from 0 to type->components - 1) in memory order,
 * with nested structures flattened. */
void type_component(const Type *type, int k, Scalar *scalar, int *offset);

/* Returns whether every bool in `count` packed elements is the word 0 or 1, as in streams. */
bool type_normal(const Type *type, const void *elements, int64_t count);
/* Replaces every bool in `count` packed elements that is not 0 by 1. */
void type_normalize(const Type *type, void *elements, int64_t count);

#endif
