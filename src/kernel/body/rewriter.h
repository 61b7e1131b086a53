/* What the files of the body rewriter share. */
#ifndef RILL_KERNEL_BODY_REWRITER_H
#define RILL_KERNEL_BODY_REWRITER_H

#include "kernel/body/body.h"

typedef struct Local {
    Token name;
    int depth;
    size_t end;   /* declared in the head of a `for`: the token after that loop; else 0 */
    int shared;   /* number of a shared variable, from 1; 0: a plain local */
    bool counter; /* of a loop, and an index as it is: see rewrite_index.c */
    int reach;    /* an int that goes no further than this, either way; 0: not known */
    const Type *type;
    int matrix;    /* as module_type has them */
    bool fixed;    /* a whole number that the text has: array lengths may be made of it */
    bool constant; /* a float of that kind, or an array of some */
    bool hidden;   /* one that may be 0: compilers are not to know it where it is used */
} Local;

/* A remainder, or a condition in front of ?, && or ||: tokens of its left operand's beginning and of its mark. `next`: the next one of the same
 * beginning, from 1. */
typedef struct Operation {
    size_t start, at, next;
    bool plain; /* left as it stands */
} Operation;

typedef struct OperationList {
    Operation *items;
    size_t count, capacity;
    size_t first, last; /* the tokens of the function */
    size_t *slots;      /* by token: the operation that begins or stands there, from 1; NULL: there is none */
} OperationList;

typedef struct LoopRange {
    size_t end;
    double trips;
} LoopRange;

/* One function as written out: which parameters of the launched kernel its own stream parameters stand for. */
typedef struct Instance {
    const Function *function;
    int bound[MAX_PARAMS]; /* parameter of the launched kernel, or -1 */
    int number;            /* 0 for the first of its function */
    double trips;
    bool unbounded;
    double tokens, accesses; /* with those of the functions it calls: devices write them out at every call */
} Instance;

typedef struct InstanceList {
    Instance *items;
    size_t count, capacity;
} InstanceList;

/* Text that goes in front of token `at`, or right behind it. */
typedef struct Insertion {
    size_t at;
    bool behind;
    const char *text;
    bool written; /* a part that is rewritten by itself may end at `at` */
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
    bool constants; /* of a module are being written, no function */
    int depth;
    size_t loop_end; /* of the loops entered so far: the token after the last one */
    int loop_count;
    LoopRange loops[MAX_LOOPS];
    struct {
        Insertion *items;
        size_t count, capacity;
    } insertions;
    size_t head_first, head_last, head_end; /* the head of the `for` written last, and the end of its body */
    bool head_counts;                       /* its variable is a counter */
    int head_reach;                         /* and goes so far */
    size_t cast;                            /* token behind the cast written last: another cast may follow */
    size_t changed;                         /* token of an argument that the function called may change; 0: none */
    OperationList operations;
    const Type *type; /* of the variables being declared, or NULL */
    int matrix;
    bool real;     /* and whether they are floats */
    bool constant; /* and are declared const */
    bool fixed;    /* an array's length, a label or a whole constant is being written */
} Rewriter;

/* Token `index` of the module; the list ends in TOKEN_END. */
const Token *rewriter_token(const Rewriter *rw, size_t index);
/* One past the bracket that closes the one at i, or `last`; and past "[n][m]" at i, so many pairs at most. */
size_t rewriter_close(const Rewriter *rw, size_t i, size_t last);
size_t rewriter_skip_brackets(const Rewriter *rw, size_t i, size_t last, int most);
/* Whether a local variable or a parameter has a name. */
bool rewriter_variable(const Rewriter *rw, const Token *name);
/* Writes one token's text, keeping the layout, and where it came from. */
bool rewriter_put(Rewriter *rw, const Token *token, const char *text, int length);
/* The same with a prefix. */
bool rewriter_put_user(Rewriter *rw, const Token *token, const char *prefix);
void rewriter_add(Rewriter *rw, const char *text);
/* The parameter of the function being written, or NULL; *index is its place. */
const Param *rewriter_param(const Rewriter *rw, const Token *name, int *index);
const Local *rewriter_local(const Rewriter *rw, const Token *name);
/* Rewrites tokens first .. last - 1. */
bool rewriter_range(Rewriter *rw, size_t first, size_t last);
/* The same of the "[n][m]" of a declaration. */
bool rewriter_lengths(Rewriter *rw, size_t first, size_t last);
/* Moves what was written to the end of the body. */
bool rewriter_append(Rewriter *rw);
/* Finds or writes the function with these bindings; *number tells them apart. */
bool rewriter_instance(Rewriter *rw, const Function *f, const int *bound, Instance *instance);

/* rewrite_access.c: names that stand for streams, and rill's own functions. Each handles the construct at `i` and sets *next
 * to the token after it. */
bool rewrite_access_param(Rewriter *rw, size_t i, size_t last, const Param *param, int index, size_t *next);
bool rewrite_access_builtin(Rewriter *rw, size_t i, size_t last, size_t *next, bool *handled);

/* rewrite_call.c: the call at i of a function of the module. */
bool rewrite_call_write(Rewriter *rw, size_t i, size_t last, const Function *callee, size_t *next);

/* rewrite_cast.c: "(float)x" as C has it becomes "float(x)". */
bool rewrite_cast_match(const Rewriter *rw, size_t i, size_t last);
bool rewrite_cast_write(Rewriter *rw, size_t i, size_t last, size_t *next);
/* One past the operand at i: signs, casts, then a value with its indices, fields and calls. */
size_t rewrite_cast_operand(Rewriter *rw, size_t i, size_t last);

/* rewrite_exact.c: what keeps compilers to the text. */
/* Whether they are to be kept to it here. */
bool rewrite_exact_on(const Rewriter *rw);
/* Whether a type, as module_type has it, is of floats or doubles. */
bool rewrite_exact_real(const Type *type, int matrix);
/* Finds the remainders and conditions of a function, and where each begins: first of all. */
bool rewrite_exact_scan(Rewriter *rw, size_t first, size_t last);
/* Writes what goes in front of the token at i, where some of them begin with it. */
void rewrite_exact_open(Rewriter *rw, size_t i);
/* Handles the token at i where it is a mark, a number or a word that is written otherwise. */
bool rewrite_exact_match(Rewriter *rw, size_t i, size_t last, size_t *next, bool *done);
/* Writes a value of floats made of what stands from `first` to `end`: arguments, or the operand of a cast. Not handled: the type at i is none of floats. */
bool rewrite_exact_construct(Rewriter *rw, size_t i, size_t first, size_t end, bool called, bool *handled);
/* Writes the constant at i, with its indices where it is an array of floats. */
bool rewrite_exact_constant(Rewriter *rw, size_t i, size_t last, const Constant *constant, size_t *next);
/* Writes an argument; `real`: for a parameter of floats. */
bool rewrite_exact_argument(Rewriter *rw, size_t first, size_t last, bool real);
/* Whether the condition computes something. */
bool rewrite_exact_computes(const Rewriter *rw, size_t first, size_t last);
/* Whether tokens are numbers and whole constants. */
bool rewrite_exact_fixed(const Rewriter *rw, size_t first, size_t last);
/* Whether numbers among the tokens, or a difference, may be 0. */
bool rewrite_exact_zeros(const Rewriter *rw, size_t first, size_t last);
/* The assignment `op` to an element of storage, the tokens from `first` on, which were written: with `change` the element is to be written
 * once more, then `stored` writes the rest. */
bool rewrite_exact_store(Rewriter *rw, size_t first, size_t op, bool real, bool *change);
bool rewrite_exact_stored(Rewriter *rw, size_t op, size_t last, bool change, size_t *next);

/* rewrite_index.c: indices of the function's own arrays. Writes the bracket at i, and the index behind it where it must be kept
 * apart. */
bool rewrite_index_write(Rewriter *rw, size_t i, size_t last, size_t *next);
/* Whether the variable that the `for` from `open` to `close` declares, whose body ends at `end`, is a counter. */
bool rewrite_index_counts(const Rewriter *rw, size_t open, size_t close, size_t end);
/* Whether the counter at i stands where it may stand as it is. */
bool rewrite_index_plain_counter(const Rewriter *rw, size_t i, const Local *counter);

/* The tokens of a type as GLSL has it. */
bool rewriter_type(Rewriter *rw, const Token *token);
/* The same where a value is made of others: "bool(" is a function of rill's. */
bool rewriter_constructor(Rewriter *rw, const Token *token);

/* rewrite_loops.c */
bool rewrite_loops_enter(Rewriter *rw, size_t i, size_t last);
/* Writes what is to go in front of token i, or behind it. */
void rewrite_loops_insert(Rewriter *rw, size_t i, bool behind);
/* Whether the tokens change the variable, or may. */
bool rewrite_loops_change(const Rewriter *rw, const Token *name, size_t first, size_t last);
/* The step of "i++", "++i", "i += 2" and their falling forms. */
bool rewrite_loops_step(const Rewriter *rw, size_t i, size_t end, const Token *name, double *step);
/* Whether the token at i begins an `if` or `switch` that leaves a loop; writes its head then, the condition kept apart. */
bool rewrite_loops_exit(const Rewriter *rw, size_t i, size_t last);
bool rewrite_loops_exit_write(Rewriter *rw, size_t i, size_t last, size_t *next);
double rewrite_loops_factor(const Rewriter *rw);
size_t rewrite_loops_statement_end(const Rewriter *rw, size_t i, size_t last);

/* Offsets of a neighbour, as [y][x] has them: x last. */
typedef struct Offsets {
    int count, brackets, axes, reach;
    bool literal;
    int8_t value[OFFSET_DIMS];
    size_t end; /* the token behind them */
} Offsets;

/* Reads the indices from token i on; false: how far they go can't be told. */
bool rewrite_offsets_read(const Rewriter *rw, size_t i, size_t last, Offsets *offsets);

/* The number of an offset in the list of a parameter, which has it then; -1 where there is no room. */
int rewrite_offsets_note(ParamUse *use, const Offsets *offsets);

#endif
