/* Element types: how an element lies in memory, and what a kernel sees of it. */
#ifndef RILL_STREAM_TYPE_H
#define RILL_STREAM_TYPE_H

#include "stream/type_rows.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One component in memory: SCALAR_FLOAT, SCALAR_UNORM8 and so on. */
#define SCALAR_ID(id, bytes, form) SCALAR_##id,
typedef enum Scalar { SCALARS(SCALAR_ID) SCALAR_COUNT } Scalar;
#undef SCALAR_ID

/* What its bits mean: an IEEE number of its size, an integer, the word 0 or 1, or an integer that stands for 0 to 1. */
typedef enum ScalarForm { FORM_FLOAT, FORM_SIGNED, FORM_UNSIGNED, FORM_BOOL, FORM_UNORM } ScalarForm;

typedef struct Type Type;

typedef struct Field {
    char name[64];
    const Type *type;
    int offset; /* bytes from the start of the structure, packed */
} Field;

/* Types are interned: equal types are the same pointer. Those of GLSL live as long as the process; structures are counted, by any
 * thread, and hold the types of their fields and their value type. A stream, a kernel text, a cached program hold theirs. */
struct Type {
    char name[64]; /* "float", "vec3", "half2", "unorm8x4"; a structure's own name */
    bool is_struct;
    Scalar scalar;   /* of a structure: unused */
    int components;  /* 1 to 4; of a structure: all components of all fields */
    int bytes;       /* packed size of one element */
    int field_count; /* structures only */
    const Field *fields;
    const Type *value; /* what a kernel sees: float for half, int for int8 ...; itself when not storage-only */
};

/* By GLSL, rill or Brook name ("float3", "int2", "double4"); NULL with error_set, naming close matches or the list. */
const Type *type_find(const char *name);
/* The types that are no structures, in order; NULL behind the last. */
const Type *type_at(int index);
/* The type of a scalar kind with 1 to 4 components; NULL where there is none (bool vectors, unorm8x2). */
const Type *type_of(Scalar scalar, int components);
/* Interns a structure by its field list (types and order; the names of fields count too). Fields fill whole 4-byte words;
 * at most TYPE_MAX_BYTES in all. The reference is the caller's, for type_release; NULL with error_set. */
enum { TYPE_MAX_BYTES = 1024 };
const Type *type_struct(const char *name, const Field *fields, int count);
/* The same for one of a fixed number: it lives as long as the process, and nobody need hold it. */
const Type *type_struct_kept(const char *name, const Field *fields, int count);
/* Reads fields from text like "vec3 o; float tmax, tmin;". Returns how many there are, or -1 with error_set. `find` gives the type of a name, or NULL with
 * error_set. */
enum { TYPE_MAX_FIELDS = 256 };
typedef const Type *TypeFinder(void *context, const char *name);
int type_parse_fields(const char *text, Field fields[TYPE_MAX_FIELDS], TypeFinder *find, void *context);
/* Both do nothing for other types and NULL. Retain gives the type back. */
const Type *type_retain(const Type *type);
void type_release(const Type *type);
/* How many structures live in this process. */
size_t type_struct_count(void);
/* True when values of `from` can be used where a kernel says `to`: same value type, GLSL's implicit
 * conversions (int -> uint -> float -> double, component by component), or structures with the same list of field types. */
bool type_converts(const Type *from, const Type *to);
/* Same layout in memory, so that raw copies are right. */
bool type_same_layout(const Type *a, const Type *b);

/* Bytes between the elements of an array of what a kernel sees, as GLSL lays arrays out (std430): a vec3 takes 16. */
int type_array_bytes(const Type *type);
/* Bytes of one component in memory: 1 to 8. */
int type_scalar_bytes(Scalar scalar);
ScalarForm type_scalar_form(Scalar scalar);
/* Whether it holds fractions: float, double, half, unorm8. */
bool type_scalar_is_float(Scalar scalar);

/* Walks the components of a type in memory order (structures flattened, nested ones too). Component k: its scalar
 * kind and byte offset. k from 0 to type->components - 1. */
void type_component(const Type *type, int k, Scalar *scalar, int *offset);

/* Whether every bool among `count` packed elements is the word 0 or 1, as streams hold them; type_normalize makes it so: all but 0 are 1. */
bool type_normal(const Type *type, const void *elements, int64_t count);
void type_normalize(const Type *type, void *elements, int64_t count);

#endif
