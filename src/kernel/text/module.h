/* A kernel text with its structures, and its functions with their signatures. */
#ifndef RILL_KERNEL_TEXT_MODULE_H
#define RILL_KERNEL_TEXT_MODULE_H

#include "kernel/text/lexer.h"
#include "stream/boundary.h"
#include "stream/shape.h"
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

enum { MAX_PARAMS = 64, MAX_NAME = 63, OTHER_TYPE = 5 };

/* The boundary modes in a signature, slowest dimension first: neighbor(wrap, clamp) float u<>. */
typedef struct ParamModes {
    int count; /* 0: the modes of the stream apply; 1: one mode for all dimensions; otherwise one for each */
    Boundary mode[SHAPE_MAX_RANK];
    double outside; /* as in Stream */
} ParamModes;

typedef struct Param {
    char name[MAX_NAME + 1];
    size_t offset; /* in the source, for messages */
    ParamKind kind;
    const Type *type; /* NULL: a matrix, or (for a helper function) another GLSL type that streams cannot have */
    /* 2 to 4: the type is mat2 to mat4, which in kernels only constant parameters may have. OTHER_TYPE: a type that only
     * helper functions may have. 0: see `type`. */
    int matrix;
    int rank; /* number of dimensions of a gather */
    /* Set for the random-access streams by which derived kernels (kernel/emit/derive.h) replace variable outputs
     * (PARAM_VOUT). An invocation stores the same values whenever it runs, so a launch in several passes may
     * repeat it, unlike invocations with other random-access streams. */
    bool target;
    int output; /* of a helper function, for a plain parameter: 1 `out`, 2 `inout` */
    ParamModes modes;
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
    int given;     /* number of parameters at the end that the launch fills in: see kernel/variant/address_map.h */
    uint32_t node; /* in the module's tree */
    int tokens;    /* number of tokens between the braces */
    int group_rank, group[3];  /* kernel(64), kernel(16, 8): x first. Rank 0: not a group kernel */
    struct Function *gradient; /* the text's rule for the derivatives, which the module owns; NULL: none */
    bool is_gradient;          /* the function is such a rule */
} Function;

/* Returns the number of parameters of a kind. */
int module_count_params(const Function *f, ParamKind kind);
/* Returns the prefix of the name of a function in GLSL. A gradient has the same name as its kernel. */
static inline const char *module_prefix(const Function *f)
{
    return f->is_gradient ? "rill_gradient_" : "u_";
}
/* Returns the name of a matrix with n columns and rows: "mat3". */
const char *module_matrix_name(int n);
/* Copies a function. The copy has its own parameters with room for MAX_PARAMS. Returns false with
 * error_set on failure. */
bool module_copy_function(const Function *from, Function *to);

typedef struct Module {
    int references;
    bool fast;    /* the compiler may use other operations than those written */
    bool library; /* a text of rill itself: inherited boundary modes of streams do not apply */
    SourceText source;
    TokenList tokens;
    struct Tree *tree; /* with types; NULL: there is none yet */
    void (*tree_destroy)(struct Tree *tree);
    struct {
        const Type **items; /* retained */
        size_t count, capacity;
    } structs;
    struct {
        Function *items;
        size_t count, capacity;
    } functions;
} Module;

/* Creates a module that has only tokens (kernel/check/analyze.h completes it). `chunk` and `first_line` are the name and the
 * line of the text's source, for messages. Returns NULL with an error that points into the text if it is invalid. */
Module *module_lex(const char *text, size_t length, const char *chunk, int first_line);
/* Adds a reference. */
Module *module_retain(Module *module);
/* Releases a reference and destroys the module with the last one. */
void module_release(Module *module);

/* Returns the function that the text defines under this name, or NULL. */
const Function *module_function(const Module *module, const Token *name);
/* Returns the structure that the text defines under this name, or NULL. */
const Type *module_struct(const Module *module, const Token *name);

#endif
