/* Declares the types of expressions in Brook's dialect. A type contains only the properties that
 * determine conversions. */
#ifndef RILL_KERNEL_DIALECT_BROOK_VALUE_H
#define RILL_KERNEL_DIALECT_BROOK_VALUE_H

#include "kernel/text/module.h"

/* Base types. The numeric types are in the order of conversion: operands of two types are converted to
 * the later one. VALUE_UNKNOWN: a matrix or an unknown type, which is not converted. */
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
    int count;          /* components, 1 to 4; 1 for other types than numbers */
    int brackets;       /* number of indices between this value and an element: of arrays and gathers */
    bool gather;        /* a gather: indices may be numbers of any type */
    bool offsets;       /* a neighbor: any number of indices gives one element */
    const Type *fields; /* the type, if it is a structure */
    int matrix;         /* the number of module_value_name, if it is a matrix; otherwise 0 */
} Value;

/* Returns the value of a declared type, as in module_type. */
Value brook_value(const Type *type, int matrix);
/* Returns the value of a parameter inside its function. */
Value brook_value_param(const Param *param);
/* Returns the value of a number literal. */
Value brook_value_number(const Token *number);
/* Returns the value with `count` components of a base type. */
Value brook_value_of(ValueBase base, int count);

/* Returns whether the value is a number, a bool or a vector of them, and not an array. */
bool brook_value_plain(Value value);
/* Returns the GLSL name of the type of a plain value, such as "vec3". */
const char *brook_value_name(Value value);
/* Returns whether GLSL accepts a value of type `have` where `want` is expected. */
bool brook_value_fits(Value have, Value want);
/* Returns the number of components of the combination of values with `a` and `b` components. A scalar
 * is repeated for each component of the other value. The longer of two vectors is truncated. */
int brook_value_common(int a, int b);
/* Returns the GLSL name of any type that is not an array, including structures and matrices. */
const char *brook_value_declared(Value value);
/* Returns the number of columns of a matrix. */
int brook_value_columns(Value matrix);
/* Returns the value of one column of a matrix. */
Value brook_value_column(Value matrix);
/* Returns the value of a field or of a swizzle. */
Value brook_value_field(Value value, const Token *field);

#endif
