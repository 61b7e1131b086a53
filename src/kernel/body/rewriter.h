/* Declares the state and the functions that the files of the body rewriter share. The rewriter
 * translates the body of a kernel to GLSL. Positions in the text are indices of tokens of the module.
 * In a function, `last` is one past the last token that it may read, and *next becomes the token after
 * the construct that was read. Functions that write text and return bool return false with error_set on
 * failure, unless their comment says otherwise. */
#ifndef RILL_KERNEL_BODY_REWRITER_H
#define RILL_KERNEL_BODY_REWRITER_H

#include "kernel/body/body.h"
#include "kernel/dialect/brook_value.h"

typedef struct Local {
    Token name;
    int depth;
    size_t end;   /* if it is declared in the head of a `for`: the token after the loop; otherwise 0 */
    int shared;   /* 1-based number of a shared variable; 0: an ordinary local variable */
    bool counter; /* a loop counter that may be used as an index directly: see rewrite_index.c */
    int reach;    /* largest absolute value of an int; 0: unknown */
    const Type *type;
    int matrix;    /* as in module_type */
    int brackets;  /* number of indices of an array */
    bool fixed;    /* a constant whole number that may be used in array lengths */
    bool constant; /* a constant float, or a constant array of floats */
    bool
        hidden; /* may be 0, which must be hidden from the compiler where the constant is used (device.h, exact_zeros) */
} Local;

/* A remainder (%), or the condition before ?, && or ||. `start` is the token where its left operand
 * begins, `at` the token of its operator, `next` the 1-based index of the next operation with the
 * same start. */
typedef struct Operation {
    size_t start, at, next;
    bool plain; /* written without a change */
    bool kept;  /* the left operand is assigned to a variable */
} Operation;

typedef struct OperationList {
    Operation *items;
    size_t count, capacity;
    size_t first, last; /* the tokens of the function */
    /* For each token of the function: the 1-based index of the operation that begins at the token
     * or has its operator there, or 0. NULL: the function contains no operation. */
    size_t *slots;
} OperationList;

typedef struct LoopRange {
    size_t end;
    double trips;
} LoopRange;

/* One copy of a function in the generated text: its stream parameters are bound to parameters of
 * the launched kernel. */
typedef struct Instance {
    const Function *function;
    int bound[MAX_PARAMS]; /* index of a parameter of the launched kernel, or -1 */
    int number;            /* 0 for the first instance of its function */
    double trips;
    bool unbounded;
    double tokens, accesses; /* including the functions that it calls, which devices inline at every call */
} Instance;

typedef struct InstanceList {
    Instance *items;
    size_t count, capacity;
} InstanceList;

/* Text to insert directly before token `at`, or directly after it. */
typedef struct Insertion {
    size_t at;
    bool after;
    const char *text;
    int kept;     /* number of the variable to which the text inserted here assigns a condition; -1: its end; 0: none */
    bool written; /* avoids a second insertion when a part that is rewritten separately ends at `at` */
} Insertion;

enum { MAX_LOOPS = 64 };

typedef struct Rewriter {
    const Module *module;
    const Function *root;
    Body *body;
    InstanceList *instances;
    Instance self;
    StrBuf out;
    struct {
        MapEntry *items;
        size_t count, capacity;
    } map;
    struct {
        Local *items;
        size_t count, capacity;
    } locals;
    bool constants; /* constants of a module are being written, not a function */
    int depth;
    size_t loop_end; /* token after the last of the loops entered so far */
    int loop_count;
    LoopRange loops[MAX_LOOPS];
    struct {
        Insertion *items;
        size_t count, capacity;
    } insertions;
    size_t head_first, head_last, head_end; /* head of the `for` written last, and the end of its body */
    bool head_counts;                       /* its variable is a counter */
    int head_reach;                         /* largest absolute value of its variable */
    size_t cast;                            /* token after the cast written last, where another cast may follow */
    size_t changed;                         /* token of an argument that the called function may change; 0: none */
    OperationList operations;
    const Type *type; /* type of the variables that are being declared, or NULL */
    int matrix;
    int brackets;  /* number of indices of the type that is being declared: float[2] x */
    bool real;     /* the variables that are being declared are floats or doubles */
    bool constant; /* the variables that are being declared are const */
    bool fixed;    /* the length of an array, a label or a whole constant is being written */
} Rewriter;

/* Returns token `index` of the module. The list ends in TOKEN_END. */
const Token *rewriter_token(const Rewriter *rw, size_t index);
/* Returns the token after the bracket that closes the bracket at token i, or `last` if there is
 * none. */
size_t rewriter_close(const Rewriter *rw, size_t i, size_t last);
/* Skips up to `most` pairs of square brackets that begin at token i. Returns the token after them. */
size_t rewriter_skip_brackets(const Rewriter *rw, size_t i, size_t last, int most);
/* Returns whether a local variable or a parameter has this name. */
bool rewriter_variable(const Rewriter *rw, const Token *name);
/* Writes the text of one token with the white space before it, and records its position in the
 * kernel text. */
bool rewriter_put(Rewriter *rw, const Token *token, const char *text, int length);
/* Writes the text of one token with a prefix as rewriter_put does. */
bool rewriter_put_user(Rewriter *rw, const Token *token, const char *prefix);
/* Writes text that does not come from the kernel text. */
void rewriter_add(Rewriter *rw, const char *text);
/* Returns the parameter with this name of the function being written, or NULL. *index is its
 * position. */
const Param *rewriter_param(const Rewriter *rw, const Token *name, int *index);
/* Returns the innermost local variable with this name, or NULL. */
const Local *rewriter_local(const Rewriter *rw, const Token *name);
/* Rewrites tokens first .. last - 1. */
bool rewriter_range(Rewriter *rw, size_t first, size_t last);
/* Rewrites the "[n][m]" of a declaration in tokens first .. last - 1. */
bool rewriter_lengths(Rewriter *rw, size_t first, size_t last);
/* Appends the text written so far to the body. */
bool rewriter_append(Rewriter *rw);
/* Finds the instance of a function whose stream parameters have the bindings `bound` (Instance.bound),
 * or writes it if it does not exist. Copies it to *instance. */
bool rewriter_instance(Rewriter *rw, const Function *f, const int *bound, Instance *instance);

/* Rewrites the name of a stream parameter at token i, with its indices (rewrite_access.c). `index` is
 * the parameter's position. */
bool rewrite_access_param(Rewriter *rw, size_t i, size_t last, const Param *param, int index, size_t *next);
/* Rewrites the call at token i if it calls one of rill's functions (indexof, sample, push ...).
 * *handled becomes false if it does not. */
bool rewrite_access_builtin(Rewriter *rw, size_t i, size_t last, size_t *next, bool *handled);

/* Rewrites the call at token i of a function of the module (rewrite_call.c). */
bool rewrite_call_write(Rewriter *rw, size_t i, size_t last, const Function *callee, size_t *next);

/* Returns whether a cast in the notation of C begins at token i: "(float)x" (rewrite_cast.c). */
bool rewrite_cast_match(const Rewriter *rw, size_t i, size_t last);
/* Writes the cast at token i as "float(x)". */
bool rewrite_cast_write(Rewriter *rw, size_t i, size_t last, size_t *next);
/* Returns the token after the operand at token i. An operand consists of signs, casts, and a value with
 * its indices, fields and calls. */
size_t rewrite_cast_operand(Rewriter *rw, size_t i, size_t last);

/* The next functions (rewrite_exact.c) prevent compilers from replacing an operation by another one
 * whose result is not exactly equal. */
/* Returns whether compilers must not replace operations in the part that is being rewritten. */
bool rewrite_exact_on(const Rewriter *rw);
/* Returns whether a type, as in module_type, consists of floats or doubles. */
bool rewrite_exact_real(const Type *type, int matrix);
/* Finds the remainders and conditions of a function, and the token at which each of them begins. Must
 * be called before the function is rewritten. */
bool rewrite_exact_scan(Rewriter *rw, size_t first, size_t last);
/* Writes the text that must precede token i if remainders or conditions begin there. */
void rewrite_exact_open(Rewriter *rw, size_t i);
/* Handles token i if it is an operator, a number or a word that must be written differently. Returns
 * whether it was handled. *done becomes false with error_set on failure. */
bool rewrite_exact_match(Rewriter *rw, size_t i, size_t last, size_t *next, bool *done);
/* Writes a constructor or cast to floats at token i, whose arguments or operand are tokens first ..
 * end - 1. *handled is false if the type at token i does not consist of floats. */
bool rewrite_exact_construct(Rewriter *rw, size_t i, size_t first, size_t end, bool called, bool *handled);
/* Writes the module constant at token i, with its indices if it is an array of floats. */
bool rewrite_exact_constant(Rewriter *rw, size_t i, size_t last, const Constant *constant, size_t *next);
/* Writes an argument of a call. `real` tells whether the parameter consists of floats. */
bool rewrite_exact_argument(Rewriter *rw, size_t first, size_t last, bool real);
/* Returns whether the tokens of a condition contain a computation. */
bool rewrite_exact_computes(const Rewriter *rw, size_t first, size_t last);
/* Returns whether all tokens are numbers, constant whole numbers and calls of GLSL's functions. */
bool rewrite_exact_fixed(const Rewriter *rw, size_t first, size_t last);
/* Returns whether a number among the tokens, or a difference, may be 0. */
bool rewrite_exact_zeros(const Rewriter *rw, size_t first, size_t last);
/* An assignment to an element of storage. `change`: "a = a + b" is written instead of "a += b". */
typedef struct Store {
    size_t op, end; /* tokens: the operator, and the token after the right side */
    Value type;
    bool change, kept;
} Store;

/* Writes the operator of an assignment. Its left side, from token `first` on, was written before. Sets store->change
 * if the caller must write the element again, before it calls rewrite_exact_stored. */
bool rewrite_exact_store(Rewriter *rw, size_t first, size_t last, Store *store);
/* Writes the right side of the assignment. Must be called after rewrite_exact_store. */
bool rewrite_exact_stored(Rewriter *rw, const Store *store);

/* The next functions (rewrite_kept.c) write a value that the text does not assign to a variable, so that its operations
 * are kept as written. */
/* Begins to write the value in tokens first .. last - 1, which is converted to the type `want`. Returns whether
 * rewrite_kept_end must be called after it. */
bool rewrite_kept_begin(Rewriter *rw, size_t first, size_t last, Value want);
void rewrite_kept_end(Rewriter *rw, bool kept);
/* Begins to write a value of this type. Returns false without writing anything if GLSL has no such variable. */
bool rewrite_kept_open(Rewriter *rw, Value want);
/* Declares a variable for a value. Returns its number, or 0 if the value needs none. */
int rewrite_kept_number(Rewriter *rw, size_t first, size_t last, Value want);
/* Writes the beginning of the assignment to such a variable. The caller writes the value and "))". */
void rewrite_kept_assign(Rewriter *rw, int number);
/* Writes a value of any type. */
bool rewrite_kept_value(Rewriter *rw, size_t first, size_t last);
/* Writes arguments of any type with commas between them. */
bool rewrite_kept_arguments(Rewriter *rw, size_t first, size_t last);
/* Returns whether the tokens compute with floats. */
bool rewrite_kept_computes(const Rewriter *rw, size_t first, size_t last);
/* Returns the type of a value, or VALUE_UNKNOWN. */
Value rewrite_kept_type(const Rewriter *rw, size_t first, size_t last);

/* Writes the bracket at token i and the index in the bracket (rewrite_index.c, which handles indices of
 * private arrays). The index is passed through a function call if the compiler must not know its
 * value. */
bool rewrite_index_write(Rewriter *rw, size_t i, size_t last, size_t *next);
/* Returns whether the variable of a `for` is a counter, which may be used as an index directly. The
 * head of the `for` is between the brackets `open` and `close`. `end` is the end of the loop's body. */
bool rewrite_index_counts(const Rewriter *rw, size_t open, size_t close, size_t end);
/* Returns whether the counter at token i may be written unchanged. */
bool rewrite_index_plain_counter(const Rewriter *rw, size_t i, const Local *counter);

/* Writes the type that begins at `token` as GLSL. */
bool rewriter_type(Rewriter *rw, const Token *token);
/* Writes the type at the beginning of a constructor. "bool(" becomes a function of rill. */
bool rewriter_constructor(Rewriter *rw, const Token *token);

/* Handles the loop at token i, if one begins there (rewrite_loops.c). Estimates its iterations, and
 * prepares the insertions that guard the loop (prelude.c) and count its iterations. */
bool rewrite_loops_enter(Rewriter *rw, size_t i, size_t last);
/* Writes the text that must be inserted before token i, or with `after` the text that must be inserted
 * after it. */
void rewrite_loops_insert(Rewriter *rw, size_t i, bool after);
/* Returns whether the tokens may change a variable. */
bool rewrite_loops_change(const Rewriter *rw, const Token *name, size_t first, size_t last);
/* Computes the step of "i++", "++i", "i += 2" or of the corresponding decrement. Returns false without
 * an error if the tokens i .. end - 1 have another form. */
bool rewrite_loops_step(const Rewriter *rw, size_t i, size_t end, const Token *name, double *step);
/* Returns whether token i begins an `if` or `switch` that leaves a loop, or whose condition must be
 * evaluated in a function call. */
bool rewrite_loops_exit(const Rewriter *rw, size_t i, size_t last);
/* Writes the head of the `if` or `switch` at token i with its condition inside a function call. */
bool rewrite_loops_exit_write(Rewriter *rw, size_t i, size_t last, size_t *next);
/* Returns the product of the iterations of all bounded loops that contain the current position. */
double rewrite_loops_factor(const Rewriter *rw);
/* Returns the token after the statement at token i. */
size_t rewrite_loops_statement_end(const Rewriter *rw, size_t i, size_t last);

/* The offsets of a neighbor access, in the order of the text: in u[y][x], x is the last offset. */
typedef struct Offsets {
    int count, brackets, axes, reach;
    bool literal;
    int8_t value[OFFSET_DIMS];
    size_t end; /* the token after the offsets */
} Offsets;

/* Reads the indices that begin at token i. Returns false if their range is unknown. */
bool rewrite_offsets_read(const Rewriter *rw, size_t i, size_t last, Offsets *offsets);

/* Returns the index of an offset in the list of the parameter. Adds the offset if the list does not
 * contain it. Returns -1 if the list is full. */
int rewrite_offsets_note(ParamUse *use, const Offsets *offsets);

#endif
