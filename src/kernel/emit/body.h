/* Rewrites the functions that a kernel needs into GLSL. Names of the text get the prefix u_,
 * gathers and neighbors become calls of access functions, and a function with gather parameters is
 * written once for each combination of gathers that is passed to it. The result is the same for
 * every variant. The code generator declares the functions that it calls:   g_NAME(index...)
 * the element of a gather   n_NAME(offset...)      a neighbor; oI_NAME(), nl_NAME(...): a neighbor
 * at a known offset   s_NAME(position)       linear interpolation   k_NAME(position, ...)
 * sample_corners   z_NAME(index...)       sizeof_list   at_NAME(), rill_at()   indexof
 * size_NAME()            sizeof_stream   r_NAME(...), w_NAME(...)  the element number of inout
 * NAME[] for a read and for a write For a variable output the text itself contains
 * rill_push_NAME(value), rill_v_NAME (the value assigned last), rill_n_NAME (the number of pushes,
 * or the index at which the next one is stored) and rill_end_NAME (the end of the element's
 * range). */
#ifndef RILL_KERNEL_EMIT_BODY_H
#define RILL_KERNEL_EMIT_BODY_H

#include "base/strbuf.h"
#include "kernel/text/module.h"

enum { MAX_OFFSETS = 27, OFFSET_DIMS = 3 };

/* How the body uses a stream parameter of the launched kernel. */
typedef struct ParamUse {
    bool index, index_high;                   /* indexof(name), indexof(name, d) */
    bool size, sample, corners, element, row; /* row: sizeof_list. `sample` is also set if `corners` is */
    bool
        trusted; /* a gather of an address function: its indices are in range, and its stream begins where its buffer begins */
    /* For a neighbor stream: `offsets` contains the distinct offsets that are literals, x first.
     * `ranges` is set if other offsets occur whose range is known. `reach` is the largest absolute
     * offset of both kinds. `axes` is the largest number of dimensions in which one offset differs
     * from 0. */
    int8_t offsets[MAX_OFFSETS][OFFSET_DIMS];
    int accesses; /* of a gather or neighbor stream: the places of the text that access it */
    int offset_count, reach, axes;
    bool ranges;
    bool far; /* of a neighbor stream: some offsets are computed, so that the largest one is unknown */
} ParamUse;

/* "g_NAME(arguments)" in a statement whose gathers may be evaluated before the rest of it: it has no conditions, and changes
 * nothing but its own target. The fields are bytes of Body.text. */
typedef struct BodyGather {
    size_t statement;          /* where the statement begins */
    size_t at, arguments, end; /* where the call begins, its arguments begin, and after its bracket */
    int param;                 /* of the launched kernel */
} BodyGather;

/* The traits of a device with which a body may call functions of subgroups. */
typedef enum SubgroupTrait { SUBGROUP_OPS, SUBGROUP_BALLOT, SUBGROUP_SHUFFLE, SUBGROUP_TRAITS } SubgroupTrait;

/* A place in the text of a body: the name of a variable, or the end of a statement. */
typedef struct BodyMark {
    size_t at;
    bool end;
} BodyMark;

/* Functions of shaders/functions that bodies may call: see prelude.c. */
typedef enum BodyHelper {
    HELPER_INDEX,
    HELPER_FAR_INDEX,
    HELPER_SATURATE,
    HELPER_BOOL,
    HELPER_LOGARITHM,
    HELPER_EXPONENTIAL,
    HELPER_POWER,
    HELPER_CIRCULAR,
    HELPER_REMAINDER,
    HELPER_COMPONENTWISE,
    HELPER_SEEN,
    HELPER_SEEN_MATRIX,
    HELPER_SEEN_DOUBLE,
    HELPER_SAME,
    HELPER_SAME_DOUBLE,
    HELPER_KEPT,
    HELPER_TRUTH,
    HELPER_REMAIN,
    HELPER_REMAIN_TO,
    HELPER_DOUBLES,
    HELPER_WIDE,
    HELPER_PHILOX,
    HELPER_RANDOM,
    HELPER_NORMAL,
    HELPER_RANDOM_NORMAL
} BodyHelper;

typedef struct Body {
    struct {
        BodyGather *items; /* in the order of the text */
        size_t count, capacity;
    } gathers;
    struct {
        BodyMark
            *items; /* of the kernel's function if it has declarations and assignments of scalars only: the first is
                            the end of the '{' */
        size_t count, capacity;
    } marks;
    int locals;   /* the number of its variables */
    StrBuf text;  /* constants, shared variables of a group kernel, functions */
    StrBuf ahead; /* replaces these bytes of `text` on GPUs: see emit_ahead.c. Empty: nothing does */
    size_t ahead_at, ahead_end;
    bool has_ahead;            /* a loop can load elements ahead */
    char entry[MAX_NAME + 16]; /* name of the GLSL function of the kernel itself */
    ParamUse use[MAX_PARAMS];
    bool uses_at, uses_at_high; /* the body uses the index of the launch: rill_at(), rill_at(d) */
    bool uses_spacing;          /* spacingof */
    bool uses_position;         /* uses an index or a neighbor, so the dimensions of the launch cannot be merged */
    uint32_t helpers;           /* the set of the functions that the body calls: 1u << BodyHelper */
    uint32_t jacobi[2];         /* the matrices of which it calls eigen_symmetric [0] and svd [1]: 1u << body_matrix */
    uint32_t complex[2]; /* the functions of complex.glsl that it calls, of floats [0] and doubles [1]: 1u << index */
    uint32_t special[2]; /* the special functions that it calls: of floats [0] and of doubles [1] (special.h) */
    bool random;         /* draws random numbers */
    bool unbounded;      /* has a loop that is not provably short */
    double trips;        /* upper bound of the iterations of all bounded loops together */
    size_t tokens;       /* number of tokens written; a function counts once per call */
    double shared_bytes; /* of the shared variables, without padding */
    int shared_count;    /* number of shared variables of a group kernel */
    int kept_count;      /* number of variables of emit_exact.c */
    const Token *subgroup[SUBGROUP_TRAITS]; /* the first call that needs the trait; NULL: none */
    bool exact;                             /* operations are kept as written: see emit_exact.c */
} Body;

/* The names of the functions of complex.glsl, up to NULL. */
extern const char *const body_complex[];

/* Returns the number of a type of square matrices in Body.jacobi. */
static inline int body_matrix(bool doubles, int columns)
{
    return (doubles ? 3 : 0) + columns - 2;
}

/* What a push to a variable output does: see derive.h. */
typedef enum BodyMode { BODY_PLAIN, BODY_COUNT, BODY_WRITE } BodyMode;

/* Rewrites `kernel` and all functions that it calls. `launched` is the signature with which main()
 * calls the entry function. It differs from the kernel's own signature if variable outputs are
 * counted or written. Release the result with body_free. Returns false with an error that points
 * into the text if the text is invalid. */
bool body_create(const Module *module, const Function *kernel, BodyMode mode, const Function *launched, Body *body);
void body_free(Body *body);
/* Writes the first `count` parameters of a function as GLSL, such as "out float u_r, int u_n", with
 * `prefix` before the names. */
void body_parameters(StrBuf *out, const Function *f, int count, const char *prefix);

#endif
