/* The outline of a kernel text: structures, constants, and functions with their signatures. Bodies
 * stay tokens. */
#ifndef RILL_KERNEL_TEXT_MODULE_H
#define RILL_KERNEL_TEXT_MODULE_H

#include "kernel/text/lexer.h"
#include "stream/type.h"

#include <stdint.h>

/* How a parameter is accessed: see docs/kernel.md, Parameters. */
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
    const char *name;   /* in messages and in k.params: "input stream" */
    bool stream;        /* takes a stream */
    bool read, written; /* by the kernel */
    bool element;       /* accesses this element only: the body computes no index */
    bool bound;         /* accessed through generated functions, not passed as a GLSL parameter */
    const char *word;   /* word before the type, as in "out float r<>"; NULL: none */
    bool brackets;      /* declared as T name[] instead of T name<> */
    bool anywhere;      /* every invocation may write every element */
    bool along;         /* has the shape of the launch */
    bool allocates;     /* an output that a launch may allocate */
} ParamKindInfo;
extern const ParamKindInfo param_kinds[PARAM_KIND_COUNT];

enum { MAX_PARAMS = 64, MAX_NAME = 63 };

typedef struct Param {
    char name[MAX_NAME + 1];
    size_t offset; /* in the source, for messages */
    ParamKind kind;
    const Type *type; /* NULL: a matrix, or (for a helper function) another GLSL type that streams cannot have */
    /* 2 to 4: the type is mat2 to mat4, which in kernels only constant parameters may have. Above 4, only in
     * helper functions: the type is the one that module_value_name returns for this number. 0: see `type`. */
    int matrix;
    int rank; /* number of dimensions of a gather */
    /* Set for the random-access streams by which derived kernels (kernel/body/derive.h) replace variable outputs
     * (PARAM_VOUT). An invocation stores the same values whenever it runs, so a launch in several passes may
     * repeat it, unlike invocations with other random-access streams. */
    bool target;
    int output;                     /* of a helper function, for a plain parameter: 1 `out`, 2 `inout` */
    size_t array_first, array_last; /* of a helper function: tokens of the brackets of an array with a size */
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
    int given; /* number of parameters at the end that the launch fills in: see kernel/variant/address_map.h */
    size_t body_first, body_last; /* tokens between the braces: the first, and one past the last */
    int group_rank, group[3];     /* kernel(64), kernel(16, 8): x first. Rank 0: not a group kernel */
} Function;

/* Returns the number of parameters of a kind. */
int module_count_params(const Function *f, ParamKind kind);
/* Copies a function. The copy has its own parameters with room for MAX_PARAMS. Returns false with
 * error_set on failure. */
bool module_copy_function(const Function *from, Function *to);

typedef struct Constant {
    char name[MAX_NAME + 1];
    size_t first, last; /* tokens of the declaration: the first, and one past the semicolon */
} Constant;

typedef struct Module {
    int references;
    bool fast; /* the compiler may use other operations than those written */
    SourceText source;
    TokenList tokens;
    struct {
        const Type **items; /* retained */
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

/* Parses a text. `chunk` and `first_line` are the name and the line of its source, for messages.
 * Returns NULL with an error that points into the text if the text is invalid. */
Module *module_create(const char *text, size_t length, const char *chunk, int first_line);
/* The two parts of module_create: creates a module that has only tokens; finds its functions, constants and structures. */
Module *module_lex(const char *text, size_t length, const char *chunk, int first_line);
bool module_outline(Module *module);
/* Adds a reference. */
Module *module_retain(Module *module);
/* Releases a reference and destroys the module with the last one. */
void module_release(Module *module);

/* Returns the function that the text defines under this name, or NULL. */
const Function *module_function(const Module *module, const Token *name);
/* Returns the structure that the text defines under this name, or NULL. */
const Type *module_struct(const Module *module, const Token *name);
/* Returns the constant that the text defines under this name, or NULL. */
const Constant *module_constant(const Module *module, const Token *name);

/* Finds the type that a token names in this module, including the spellings of Brook and Cg. Sets
 * *type, or *matrix for mat2 to mat4 and for other types that only values in a body can have; both
 * are 0 for `void`. *used is the number of tokens (2 for "unsigned int" and "struct Name"). Returns
 * false if the token does not name a type. */
bool module_type(const Module *module, const Token *tokens, const Type **type, int *matrix, int *used);
/* Returns the GLSL name of a *matrix of module_type: "mat3" for 3; larger numbers are "bvec2",
 * "mat2x3" and so on. */
const char *module_value_name(int matrix);

/* Returns the token after the bracket that closes the one at `open`; 0 if there is none before
 * `end`. */
size_t module_close(const Module *module, size_t open, size_t end);

#endif
