/* State and functions that the files of the emitter share. The emitter writes typed trees as GLSL. An error sets
 * e->failed with error_set; the functions go on, and what they write is not used. */
#ifndef RILL_KERNEL_EMIT_EMIT_PRIVATE_H
#define RILL_KERNEL_EMIT_EMIT_PRIVATE_H

#include "kernel/emit/body.h"
#include "kernel/pass/expression.h"

/* What is known about a variable of the function that is being written. */
typedef struct EmitVariable {
    uint16_t shared; /* 1-based number of a shared variable; 0: an ordinary one */
    uint8_t reach;   /* largest absolute value of an int; 0: unknown */
    bool counter;    /* a loop counter that may be used as an index directly: see emit_index.c */
    bool fixed;      /* a constant of which constant expressions may consist */
    bool hidden;     /* a constant that may be 0, which must be hidden from the compiler (device.h, exact_zeros) */
    bool zero;       /* a constant of the module that may contain a 0 */
    bool early; /* of the body of a loop: loads ahead contain its initial value in place of its name (emit_ahead.c) */
    uint8_t loaded; /* of a Gather: 1-based number of the element that is loaded before the iteration; 0: none */
} EmitVariable;

/* One copy of a function in the generated text: its stream parameters are bound to parameters of the launched kernel. */
typedef struct Instance {
    const Function *function;
    int bound[MAX_PARAMS]; /* index of a parameter of the launched kernel, or -1 */
    int number;            /* 0 for the first instance of its function */
    double trips;
    bool unbounded;
    double tokens, accesses; /* including the functions that it calls, which devices inline at every call */
} Instance;

/* A function that computes an operator of matrices. */
typedef struct MatrixFunction {
    char op;
    TypeIndex left, right;
} MatrixFunction;

typedef struct InstanceList {
    Instance *items;
    size_t count, capacity;
    struct {
        MatrixFunction *items;
        size_t count, capacity;
    } matrices;
} InstanceList;

typedef struct Ahead Ahead; /* a loop that loads elements ahead: see emit_ahead.c */

typedef struct Emit {
    Typing t; /* for the functions of type_private.h */
    const Module *module;
    const Function *root; /* the launched kernel */
    Body *body;
    InstanceList *instances;
    EmitVariable *variables;      /* for each node of the tree */
    Instance self;                /* the function that is being written; self.function is NULL for constants */
    NodeIndex params[MAX_PARAMS]; /* the Parameter nodes of the function */
    StrBuf out;
    struct {
        BodyGather *items; /* in `out` */
        size_t count, capacity;
    } gathers;
    size_t statement;   /* 1 + where a statement begins whose gathers are listed; 0: they are not */
    int labels;         /* switches that contain the statement */
    bool listed;        /* the next statement is one of a block */
    int depth;          /* of blocks */
    int loops;          /* that contain the statement */
    double trips;       /* product of the iterations of all bounded loops that contain the statement */
    NodeIndex written;  /* an Element that is being assigned */
    NodeIndex held;     /* an Element whose value is in the variable rill_v */
    NodeIndex plain;    /* a Local that is written without rill_own() */
    bool marked;        /* names and statements are marked: see BodyMark */
    bool fixed;         /* the length of an array, a label or a constant expression is being written */
    bool forward;       /* the text for GPUs is being written, whose loops load elements ahead (emit_ahead.c) */
    const Ahead *ahead; /* a loop whose elements are being loaded */
    int turn;           /* iteration, 1 to 4, of such a loop that is being written; 0: none */
    bool failed;
} Emit;

/* Sets an error at a token unless there is one. */
void emit_fail(Emit *e, const Token *token, const char *format, ...) ERROR_PRINTF(3, 4);
/* Writes text that does not come from the kernel text. */
void emit_text(Emit *e, const char *text);
/* Writes the name of a function of shaders/functions, and what follows it, and lists it in the body. */
void emit_helper(Emit *e, BodyHelper helper, const char *text);
/* Writes "rill_seen(" for a value of a type. */
void emit_seen(Emit *e, TypeIndex type);
/* Writes the name of a type as that of its constructor. zink's bool() of a NaN is false. */
void emit_conversion(Emit *e, TypeIndex type);
void emit_format(Emit *e, const char *format, ...) ERROR_PRINTF(2, 3);
/* Writes a name or number of the text with a prefix. */
void emit_token(Emit *e, const Token *token, const char *prefix);
/* Writes the name of a variable or parameter. */
void emit_name(Emit *e, const Token *token);
/* Starts a line. */
void emit_line(Emit *e);
/* Returns whether compilers must not replace operations in the part that is being written. */
bool emit_exact(const Emit *e);
/* Appends the text written so far to the body. */
void emit_append(Emit *e);

/* Returns the properties of a node's type. */
static inline TypeInfo emit_info(const Emit *e, NodeIndex node)
{
    return pass_info(&e->t, pass_node(&e->t, node)->type);
}
static inline const Node *emit_node(const Emit *e, NodeIndex node)
{
    return pass_node(&e->t, node);
}
static inline const Token *emit_at(const Emit *e, NodeIndex node)
{
    return node_token(e->t.tree, node);
}
/* Returns whether a type consists of floats or doubles. */
static inline bool emit_real(TypeInfo info)
{
    return info.base == BASE_FLOAT || info.base == BASE_DOUBLE;
}

/* Returns the parameter with this node, of the function being written, or NULL. *index becomes its position. */
const Param *emit_param(const Emit *e, NodeIndex parameter, int *index);
/* Returns the parameter of the launched kernel that an expression names as a whole, or -1. */
int emit_root(const Emit *e, NodeIndex value);
/* Finds the instance of a function whose stream parameters have the bindings `bound` (Instance.bound), or writes it if it
 * does not exist. */
Instance emit_instance(Emit *e, const Function *f, const int *bound);

/* Writes the GLSL name of a type without its lengths: "vec3", "u_Ray". */
void emit_type_name(Emit *e, TypeIndex type);
/* Writes the lengths "[n][m]" of a type. */
void emit_known_lengths(Emit *e, TypeIndex type);
/* Returns the Type of the result of the function that is being written. */
NodeIndex emit_result_type(const Emit *e);
/* Writes a Type with its lengths, or the name of a Structure. */
void emit_type(Emit *e, NodeIndex type);
/* Writes "[n][m]" for a node and its siblings before `end`. */
void emit_lengths(Emit *e, NodeIndex first, NodeIndex end);

/* Writes an expression. */
void emit_value(Emit *e, NodeIndex node);
/* Writes an expression that is converted to a type. A literal 0 that becomes a float is hidden from compilers. */
void emit_converted(Emit *e, NodeIndex node, TypeIndex want);
/* Writes the target of an assignment, or an argument that is changed. */
void emit_target(Emit *e, NodeIndex node);
/* Writes "target op= value", or a step. */
void emit_assignment(Emit *e, NodeIndex node);
/* Returns whether GLSL has no assignment "a op= b" for these operands, although Brook's dialect has it: b is wider than a, or
 * the operator is % of floats. */
bool emit_is_widened(const Emit *e, NodeIndex node);
/* Writes such an assignment as "T(a op (b))", where T is the type of a. */
void emit_operation(Emit *e, NodeIndex node);
/* Returns the Element of a stream of which an expression is a part, or 0. */
NodeIndex emit_element_of(const Emit *e, NodeIndex node);

/* Values that the text does not assign to a `precise` variable (emit_exact.c). */
/* Returns whether an expression computes with floats. */
bool emit_computes(const Emit *e, NodeIndex node);
/* Returns whether a condition contains arithmetic with floats, a negation or a call. */
bool emit_decides(const Emit *e, NodeIndex node);
/* Declares a variable outside of the function. Returns its number: its name is keptN_KERNEL, since a program may contain the
 * bodies of several kernels. */
int emit_variable(Emit *e, TypeIndex type);
/* Begins to write a value of a type. Returns whether emit_keep_end must be called after it. */
bool emit_keep(Emit *e, TypeIndex type);
void emit_keep_end(Emit *e, bool kept);
/* Writes a value, and keeps its operations as written. */
void emit_kept(Emit *e, NodeIndex node);
/* Writes a value that is converted to a type, and keeps its operations as written. */
void emit_kept_as(Emit *e, NodeIndex node, TypeIndex want);
/* Writes a divisor that is converted to a type. Compilers must not know that it is 0. */
void emit_divisor(Emit *e, NodeIndex node, TypeIndex want);
/* Returns whether an expression may stand where GLSL needs a constant expression. */
bool emit_is_fixed(const Emit *e, NodeIndex node);
/* Returns whether an expression contains a 0, or may compute one. */
bool emit_has_zero(const Emit *e, NodeIndex node);
/* Returns whether a token is a 0, or rounds to 0. */
bool emit_is_zero(const Emit *e, NodeIndex number);
/* Returns whether a constant of the module may contain a 0. */
bool emit_constant_zero(const Emit *e, NodeIndex variable);
/* Computes a number, or a constant of the module that is a number. Returns false for other expressions. */
bool emit_number(const Emit *e, NodeIndex node, double *value);

/* Writes an operation that is applied to each element of a matrix (emit_matrix.c). Returns false for other operations. */
bool emit_matrix_operation(Emit *e, NodeIndex node);
/* Writes "m op= value" or a step of a matrix. Returns false if it is another assignment. */
bool emit_matrix_change(Emit *e, NodeIndex node);

/* Writes an index of a private array, vector or matrix (emit_index.c). */
void emit_index(Emit *e, NodeIndex node);
/* Writes a local variable. */
void emit_local(Emit *e, NodeIndex node);
/* Returns whether the variable of a `for` is a counter, which may be used as an index directly. */
bool emit_counts(const Emit *e, NodeIndex loop, NodeIndex variable);

/* Streams and rill's own functions (emit_access.c). */
void emit_parameter(Emit *e, NodeIndex node);
void emit_gather(Emit *e, NodeIndex node);
void emit_neighbor(Emit *e, NodeIndex node);
void emit_query(Emit *e, NodeIndex node);
void emit_sample(Emit *e, NodeIndex node);
void emit_push(Emit *e, NodeIndex node);
/* Writes a statement that changes an element without plain storage. Returns false for other statements. */
bool emit_stored_whole(Emit *e, NodeIndex statement);

/* Notes which subgroup operations of the device a call needs. */
void emit_needs_subgroup(Emit *e, NodeIndex node);
/* Calls of functions of the text, and of the table (emit_call.c). */
void emit_call(Emit *e, NodeIndex node);
void emit_builtin(Emit *e, NodeIndex node);
void emit_random(Emit *e, NodeIndex node);

/* Loops that load the elements of several iterations ahead (emit_ahead.c). */
/* Writes such a loop if e->forward. `trips`: the number of its iterations; 0: unknown. `reach`: see EmitVariable. Returns false
 * if the loop has another form, or the text is not for GPUs. */
bool emit_ahead(Emit *e, NodeIndex loop, double trips, uint8_t reach);
/* While elements are loaded: writes the value of a variable of the loop. Returns false for other variables. */
bool emit_early(Emit *e, NodeIndex local);
/* Writes an element that was loaded before the iteration. Returns false for other gathers. */
bool emit_loaded(Emit *e, NodeIndex gather);

/* Writes statements (emit_statement.c). */
void emit_block(Emit *e, NodeIndex block);
void emit_declare(Emit *e, NodeIndex node, NodeIndex loop);
void emit_statement(Emit *e, NodeIndex node);
/* Writes a statement of a block, before which others can be inserted. */
void emit_listed(Emit *e, NodeIndex node);

/* Loops (emit_loops.c). */
void emit_loop(Emit *e, NodeIndex node);
/* Writes "(condition)" of an if, or "(value)" of a switch. */
void emit_choice_head(Emit *e, NodeIndex node);
/* Computes the step of "i++", "--i" or "i += 2". Returns false if the expression has another form. */
bool emit_step(const Emit *e, NodeIndex node, NodeIndex variable, double *by);
/* Returns the variable of the head of a `for`: of "int i = 0" or "i = 0". *value becomes its first value. */
NodeIndex emit_head_variable(const Emit *e, NodeIndex loop, NodeIndex *value);
/* Returns whether a part of the tree may change a variable. */
bool emit_changes(const Emit *e, NodeIndex node, NodeIndex variable);
/* Returns the number of bytes of a value, without padding. */
double emit_bytes(const Emit *e, TypeIndex type);

/* Creates the body of a kernel like body_create, without its entry function. `forward`: see Emit. Returns false with
 * error_set on failure. */
bool emit_body(const Module *module, const Function *kernel, bool forward, Body *body, Instance *instance);

#endif
