/* State and functions that the files of the type pass share. */
#ifndef RILL_KERNEL_PASS_TYPE_PRIVATE_H
#define RILL_KERNEL_PASS_TYPE_PRIVATE_H

#include "kernel/pass/type.h"

typedef struct Typing {
    Tree *tree;
    Messages *messages;
    NodeIndex function;  /* whose body is being typed; 0: none */
    int loops, switches; /* that contain the statement */
    int folds;           /* constants that may still be computed for one length */
    bool brook;          /* the text is in Brook's dialect */
    NodeIndex condition; /* of the statement that is being typed */
    bool unknown;        /* a constant depends on a function of GLSL, which is not computed */
    int listed;          /* number of the name in `names` that is used next */
    char names[4][96];   /* names of types for messages */
} Typing;

/* Returns the type of a scalar. */
static inline TypeIndex pass_scalar(Base base)
{
    return types_of(base, 1, 1);
}
/* Returns whether a type is a number, or a vector or matrix of numbers. */
static inline bool pass_is_number(TypeInfo info)
{
    return info.base >= BASE_INT && info.base <= BASE_DOUBLE;
}
/* Returns whether a type is a bool or a number, or consists of them. */
static inline bool pass_is_plain(TypeInfo info)
{
    return info.base >= BASE_BOOL && info.base <= BASE_DOUBLE;
}
/* Returns whether a type is a bool or a number. */
static inline bool pass_is_scalar(TypeInfo info)
{
    return pass_is_plain(info) && info.rows == 1;
}

/* Returns whether a type is int or uint. */
static inline bool pass_is_whole(TypeInfo info)
{
    return pass_is_scalar(info) && (info.base == BASE_INT || info.base == BASE_UINT);
}

/* Adds an error at a token. Its value is no type. */
#define PASS_FAIL(t, token, ...) (message_add((t)->messages, (token), __VA_ARGS__), (TypeIndex)0)

/* Returns a node. */
Node *pass_node(const Typing *t, NodeIndex node);
/* Returns child i of a node, from 0, or 0. */
NodeIndex pass_child(const Typing *t, NodeIndex node, int i);
/* Returns the number of children. */
int pass_count(const Typing *t, NodeIndex node);
/* Returns the first token of an expression. */
const Token *pass_first(const Typing *t, NodeIndex node);
/* Returns the name of a type. It is valid until four other names were returned. */
const char *pass_name(Typing *t, TypeIndex type);
/* Returns the name of a type with its article, "an int", as long valid as pass_name's. */
const char *pass_a(Typing *t, TypeIndex type);
/* Returns the number of dimensions of a gather; 0 for other parameters. */
int pass_rank(const Typing *t, NodeIndex parameter);
/* Returns the type of an element of a parameter. */
TypeIndex pass_element(const Typing *t, NodeIndex parameter);
/* Returns `count` pairs of brackets, at most 16. */
const char *pass_brackets(int count);
/* Returns the properties of a type. */
TypeInfo pass_info(const Typing *t, TypeIndex type);
/* Returns an array type whose missing lengths are those of the type `have`: float[][2] and float[3][2] become float[3][2]. */
TypeIndex pass_close(Typing *t, TypeIndex want, TypeIndex have);
/* Computes a constant whole number without functions. Returns false if the expression is something else. */
/* Adds the error that a value was expected instead of a stream, or of a stream without some of its indices. */
void pass_is_stream(Typing *t, NodeIndex value, const char *expected, TypeInfo stream);
/* Adds an error at a value that is a stream or nothing. Returns whether it is. */
bool pass_is_no_value(Typing *t, NodeIndex node);
bool pass_constant(Typing *t, NodeIndex node, long *value);
/* Returns an array type with the lengths of nodes first, ..., end - 1. */
TypeIndex pass_array(Typing *t, TypeIndex element, NodeIndex first, NodeIndex end);
/* Returns the type of a Type or Structure with its lengths. */
TypeIndex pass_declared(Typing *t, NodeIndex type);

/* Sets and returns the type of an expression; 0 if it contains an error. */
TypeIndex pass_value(Typing *t, NodeIndex node);
/* Adds an error if a value cannot be converted to a type. `value`: its node, `variable`: the Variable to which it is
 * assigned; 0: none. Returns whether it can be. */
bool pass_fits(Typing *t, TypeIndex have, TypeIndex want, const Token *place, NodeIndex value, NodeIndex variable);
/* Checks that a typed value can be converted to a type, or converts it in Brook's dialect. Adds an error at a token. */
bool pass_fit(Typing *t, NodeIndex node, TypeIndex want, const Token *place);
/* Types a value, or a list in braces, that initializes a variable or an element of a type. Returns its type, in which the
 * lengths of arrays are known. `variable`: the Variable that is initialized, or 0. */
TypeIndex pass_initial(Typing *t, NodeIndex node, TypeIndex want, NodeIndex variable);
/* Checks that a typed expression can be assigned to. */
void pass_target(Typing *t, NodeIndex node);

/* Return the type of a call with typed arguments (type_call.c). */
TypeIndex pass_call(Typing *t, NodeIndex node);
TypeIndex pass_builtin(Typing *t, NodeIndex node);
TypeIndex pass_query(Typing *t, NodeIndex node);
TypeIndex pass_sample(Typing *t, NodeIndex node);
TypeIndex pass_push(Typing *t, NodeIndex node);
/* Checks a constructor of a type with values. Returns the type, or 0 after an error at a token. */
TypeIndex pass_construct(Typing *t, TypeIndex type, NodeIndex first, const Token *place);

/* Brook's dialect (brook.c). The functions convert the typed operands of a node. Those with a result return whether it is
 * done, and *type is the type of the node; otherwise the rules of GLSL follow. */
bool brook_fit(Typing *t, NodeIndex node, TypeIndex want, const Token *place);
bool brook_arithmetic(Typing *t, NodeIndex node, TypeIndex *type);
bool brook_compare(Typing *t, NodeIndex node, TypeIndex *type);
bool brook_logical(Typing *t, NodeIndex node, TypeIndex *type);
bool brook_negate(Typing *t, NodeIndex node, TypeIndex *type);
bool brook_choice(Typing *t, NodeIndex node, TypeIndex *type);
bool brook_assign(Typing *t, NodeIndex node);
void brook_sign(Typing *t, NodeIndex operand);
/* Converts the arguments of a function of the table. Returns whether the call became a constructor of a bool. */
bool brook_arguments(Typing *t, NodeIndex node);
/* Converts indexof(x) to floats, as in Brook, so that a division has a fraction. Returns the type. */
TypeIndex brook_index(Typing *t, NodeIndex node, TypeIndex type);
/* Returns the type of an output of modf or frexp, whose argument may have another type; 0 for other arguments. */
TypeIndex brook_output(const Typing *t, NodeIndex call, int i);
/* Makes a list with typed values, which initializes a matrix, its constructor. */
void brook_matrix(Typing *t, NodeIndex list, TypeIndex want);

#endif
