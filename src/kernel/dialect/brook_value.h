/* What is known of an expression's value: enough to tell where it must be converted. */
#ifndef RILL_KERNEL_DIALECT_BROOK_VALUE_H
#define RILL_KERNEL_DIALECT_BROOK_VALUE_H

#include "kernel/text/module.h"

/* From the narrowest number to the widest; UNKNOWN: matrices, and what nothing is known of, which is left as it is. */
typedef enum ValueBase {
    VALUE_UNKNOWN,
    VALUE_VOID,
    VALUE_STRUCT,
    VALUE_BOOL,
    VALUE_INT,
    VALUE_UINT,
    VALUE_FLOAT,
    VALUE_DOUBLE
} ValueBase;

typedef struct Value {
    ValueBase base;
    int count;          /* components, 1 to 4; of others than numbers 1 */
    int brackets;       /* indices that stand between this and an element: of arrays and gathers */
    bool gather;        /* its indices are numbers of any type */
    bool offsets;       /* a neighbour: any number of indices is one element */
    const Type *fields; /* of a structure */
    int matrix;         /* of a matrix: its number of module_value_name, else 0 */
} Value;

/* Of a declared type, as module_type says it; a structure's, a vector's ... */
Value brook_value(const Type *type, int matrix);
/* Of a parameter, as its function sees it. */
Value brook_value_param(const Param *param);
/* Of a number as it is written. */
Value brook_value_number(const Token *number);
Value brook_value_of(ValueBase base, int count);

/* A number or a bool, or a vector of them, that is no array. */
bool brook_value_plain(Value value);
/* GLSL's name of a plain value's type: "vec3". */
const char *brook_value_name(Value value);
/* Whether GLSL takes one where the other is wanted as it is. */
bool brook_value_fits(Value have, Value want);
/* How many components two have together: a scalar counts as many as the other, and the longer is cut. */
int brook_value_common(int a, int b);
/* GLSL's name of any type that is no array: the same, and of a structure or a matrix. */
const char *brook_value_declared(Value value);
/* How many columns a matrix has, and what a column is. */
int brook_value_columns(Value matrix);
Value brook_value_column(Value matrix);
/* What is in a field or behind a swizzle's letters. */
Value brook_value_field(Value value, const Token *field);

#endif
