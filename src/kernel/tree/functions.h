/* The functions that kernel text has without a definition: those of GLSL 4.30, and those of rill. */
#ifndef RILL_KERNEL_TREE_FUNCTIONS_H
#define RILL_KERNEL_TREE_FUNCTIONS_H

#include "kernel/tree/node.h"

/* A function. A kind other than Builtin has rules of its own for its arguments (kernel/pass/type_call.c). Each form is
 * "result(parameter, out parameter, inout parameter)". Its words are names of types, or letters for sets of types. All letters of a form
 * have the same number of components, and those of one column have the same scalar type:
 *
 *     F  float, vec2 ...     D  double, dvec2 ...   I  int, ivec2 ...   U  uint, uvec2 ...   B  bool, bvec2 ...
 *     G  F or D              N  I, F or D           A  I, U, F or D     E  any of these
 *     V  bvec2 ...: all letters of the form have at least 2 components
 *     s  one component of the type G, N, A or E
 *     M  a matrix of floats or doubles              Q  a square one     T  the transposed matrix
 *     C  a column of M       R  a row of M          m  one component of M */
typedef struct FunctionRow {
    const char *name;
    NodeKind kind;
    const char *forms; /* separated by ";" */
} FunctionRow;

/* Returns the function of this name, in any spelling (names_spelling); NULL if there is none. */
const FunctionRow *functions_find(const Token *name);
/* Returns the function with exactly this name, also one that no text can name; NULL if there is none. */
const FunctionRow *functions_named(const char *name);
/* Returns the number of a function, which is the target of its calls. */
uint32_t functions_number(const FunctionRow *row);
/* Returns the function that a Builtin, Atomic, Random, Barrier, Query, Sample or Push calls. */
const FunctionRow *functions_of(const Node *call);
/* Returns function i, from 0; NULL after the last one. */
const FunctionRow *functions_at(size_t i);

enum { MAX_FORM = 8 }; /* parameters of a form */

/* A form with types instead of letters. */
typedef struct FunctionForm {
    TypeIndex result;
    TypeIndex params[MAX_FORM];
    bool in[MAX_FORM], out[MAX_FORM];
    int count;
} FunctionForm;

/* Finds the form to which arguments can be converted, with as few conversions as possible. The result of
 * an `out` parameter is converted to the type of the argument. Returns false if there is none. */
bool functions_match(const FunctionRow *row, const Types *types, const TypeIndex *arguments, int count,
                     FunctionForm *form);
/* Appends the forms for a message: "pow(F, F): F is a float or a vector of floats". */
void functions_list(const FunctionRow *row, StrBuf *out);

#endif
