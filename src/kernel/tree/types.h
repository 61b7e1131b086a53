/* The types of values in kernel text. Equal types have the same index. */
#ifndef RILL_KERNEL_TREE_TYPES_H
#define RILL_KERNEL_TREE_TYPES_H

#include "base/strbuf.h"
#include "kernel/text/token.h"

#include <stdint.h>

/* 0: none, as for a node whose type is not determined yet, or that contains an error. */
typedef uint32_t TypeIndex;

typedef enum Base {
    BASE_NONE,
    BASE_VOID,
    BASE_BOOL,
    BASE_INT,
    BASE_UINT,
    BASE_FLOAT,
    BASE_DOUBLE,
    BASE_STRUCTURE,
    BASE_ARRAY
} Base;

typedef struct TypeInfo {
    Base base;
    int rows;           /* components of a vector or of a column of a matrix; 1: a scalar */
    int columns;        /* of a matrix; otherwise 1 */
    uint32_t structure; /* the node that declares a structure */
    Token name;         /* of a structure */
    TypeIndex element;  /* of an array */
    int length;         /* of an array; 0: none, as of a stream; -1: constant, but not known */
} TypeInfo;

/* The structures and arrays of a module. Other types need no list. */
typedef struct Types {
    TypeInfo *items;
    size_t count, capacity;
    bool failed; /* host memory was exhausted */
} Types;

/* Empties the list. */
void types_free(Types *types);

/* Returns the type without type parameters: void, a scalar, a vector or a matrix. */
TypeIndex types_of(Base base, int columns, int rows);
/* Returns the type that one word of GLSL, Brook or Cg names, or 0. `unsigned` is uint. */
TypeIndex types_word(const Token *word);
/* Creates the type of a structure. Returns 0 with error_set if host memory is exhausted. */
TypeIndex types_structure(Types *types, uint32_t structure, const Token *name);
/* Finds or creates an array type. `length`: TypeInfo.length. Returns 0 with error_set if host memory is exhausted. */
TypeIndex types_array(Types *types, TypeIndex element, int length);

/* Returns whether GLSL converts values implicitly: the same type, or int -> uint -> float -> double with as many rows and
 * columns. */
bool types_converts(const Types *types, TypeIndex from, TypeIndex to);
/* Returns the properties of a type. Its base is BASE_NONE for 0. */
TypeInfo types_info(const Types *types, TypeIndex type);
/* Appends the GLSL name of a type, such as "dmat2x3" or "float[4]". */
void types_name(const Types *types, TypeIndex type, StrBuf *out);

#endif
