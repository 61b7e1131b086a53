/* The outline of a kernel text: structures, constants, and functions with their signatures. Bodies stay tokens. */
#ifndef RILL_KERNEL_TEXT_MODULE_H
#define RILL_KERNEL_TEXT_MODULE_H

#include "kernel/text/lexer.h"
#include "stream/type.h"

#include <stdint.h>

/* How a parameter is accessed: api.md's table of parameters. */
typedef enum ParamKind {
    PARAM_CONSTANT,      /* T name */
    PARAM_INPUT,         /* T name<> */
    PARAM_OUTPUT,        /* out T name<> */
    PARAM_INOUT,         /* inout T name<> */
    PARAM_GATHER,        /* T name[] */
    PARAM_NEIGHBOR,      /* neighbor T name<> */
    PARAM_RANDOM_ACCESS, /* inout T name[] */
    PARAM_ITER,          /* iter T name<> */
    PARAM_REDUCE,        /* reduce T name<> */
    PARAM_VOUT,          /* vout T name<> */
    PARAM_KIND_COUNT
} ParamKind;

typedef struct ParamKindInfo {
    const char *name;   /* as a user says it: "input stream" */
    bool stream;        /* takes a stream */
    bool read, written; /* by the kernel */
    bool element;       /* this element only: no index is computed by the body */
    bool bound;         /* reached through access functions, not through a GLSL parameter */
    const char *word;   /* in front of the type, as in "out float r<>"; NULL: none */
    bool brackets;      /* written T name[], not T name<> */
    bool anywhere;      /* written at any index, by any element */
    bool along;         /* lies along the shape that is launched */
    bool allocates;     /* an output that a call may leave out */
} ParamKindInfo;
extern const ParamKindInfo param_kinds[PARAM_KIND_COUNT];

enum { MAX_PARAMS = 64, MAX_NAME = 63 };

typedef struct Param {
    char name[MAX_NAME + 1];
    size_t offset; /* in the source, for messages */
    ParamKind kind;
    const Type *type; /* NULL: a matrix, or of a helper another GLSL type that streams don't have */
    int matrix; /* 2 to 4: mat2 to mat4, constants only; of a helper also a further number of module_value_name; else 0 */
    int rank;   /* brackets of a gather */
    bool target; /* random access that stands for a variable output: an element's stores are the same in every pass */
    int output;  /* of a helper: 1 `out`, 2 `inout` on a plain parameter */
    size_t array_first, array_last; /* of a helper: tokens of a sized array's brackets */
} Param;

typedef enum FunctionKind { FUNCTION_HELPER, FUNCTION_KERNEL, FUNCTION_REDUCE } FunctionKind;

typedef struct Function {
    char name[MAX_NAME + 1];
    size_t offset;
    FunctionKind kind;
    const Type *result; /* NULL: void, or a matrix */
    int result_matrix;
    Param *params;
    int param_count;
    int given; /* how many of them, the last ones, a launch fills in by itself: see kernel/variant/address_map.h */
    size_t body_first, body_last; /* tokens between the braces: first, one past the last */
    int group_rank, group[3];     /* kernel(64), kernel(16, 8): x first; rank 0: not a group kernel */
} Function;

/* How many parameters of a kind a function has. */
int module_count_params(const Function *f, ParamKind kind);
/* Copies a function, with parameters of its own that have room for MAX_PARAMS; false with error_set. */
bool module_copy_function(const Function *from, Function *to);

typedef struct Constant {
    char name[MAX_NAME + 1];
    size_t first, last; /* tokens of the declaration: first, one past the semicolon */
} Constant;

typedef struct Module {
    int references;
    bool fast; /* compilers may take other operations than those written */
    SourceText source;
    TokenList tokens;
    struct {
        const Type **items; /* held */
        size_t count, capacity;
    } structs;
    struct {
        Constant *items;
        size_t count, capacity;
    } constants;
    struct {
        Function *items;
        size_t count, capacity;
    } functions;
} Module;

/* Parses a text; NULL with an error that points into it. `chunk` and `first_line` say where the text stands. */
Module *module_create(const char *text, size_t length, const char *chunk, int first_line);
Module *module_retain(Module *module);
void module_release(Module *module);

/* What the text defines under this name, or NULL. */
const Function *module_function(const Module *module, const Token *name);
const Type *module_struct(const Module *module, const Token *name);
const Constant *module_constant(const Module *module, const Token *name);

/* The type a token names, after Brook's and Cg's spellings, in this module: *type, or *matrix for mat2..4 and the other
 * types that only values in a body have, or `void` (both 0). `used` is the number of tokens (2 for "unsigned int" and
 * "struct Name"). False when it names no type. */
bool module_type(const Module *module, const Token *tokens, const Type **type, int *matrix, int *used);
/* GLSL's name for a *matrix of module_type: "mat3" for 3, then "bvec2", "mat2x3" ... */
const char *module_value_name(int matrix);

/* Index one past the bracket that closes the one at `open`; 0 when there is none before `end`. */
size_t module_close(const Module *module, size_t open, size_t end);

#endif
