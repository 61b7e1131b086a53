/* Rewrites the functions a kernel needs into GLSL: users' names are prefixed with u_, gathers and neighbours become calls
 * of access functions, kernels called with gathers are written out once per gather. The text is the same for every
 * variant; what it calls is declared by the code generator:
 *   g_NAME(index...)  the element of a gather            n_NAME(offset...)  a neighbour; oI_NAME(), nl_NAME(...)  at known offsets
 *   s_NAME(position)  linear interpolation               at_NAME(), rill_at()  indexof
 *   k_NAME(position, ...)  sample_corners              z_NAME(index...)  sizeof_list
 *   size_NAME()       sizeof_stream                      r_NAME(...), w_NAME(...)  element numbers of inout NAME[]
 * Of a variable output the text itself has rill_push_NAME(value), rill_v_NAME (the value last assigned), rill_n_NAME (the
 * number of pushes, or the place of the next one) and rill_end_NAME.
 */
#ifndef RILL_KERNEL_BODY_BODY_H
#define RILL_KERNEL_BODY_BODY_H

#include "base/strbuf.h"
#include "kernel/text/module.h"

enum { MAX_OFFSETS = 27, OFFSET_DIMS = 3 };

/* What the body does with a stream parameter of the launched kernel. */
typedef struct ParamUse {
    bool index, index_high;                   /* indexof(name), indexof(name, d) */
    bool size, sample, corners, element, row; /* row: sizeof_list; what uses corners uses sample, too */
    bool trusted; /* of an address function's gathers: indices are in range, and its stream begins with its buffer */
    /* Of a neighbour: offsets that are literals, x first, each once; whether some others are known to lie within a range; how far these and those go, and
     * along how many dimensions at once. */
    int8_t offsets[MAX_OFFSETS][OFFSET_DIMS];
    int offset_count, reach, axes;
    bool ranges;
} ParamUse;

typedef struct MapEntry {
    size_t at;     /* byte in Body.text */
    size_t source; /* byte in the kernel text */
} MapEntry;

typedef struct Body {
    StrBuf text; /* constants, shared variables of a group kernel, functions */
    struct {
        MapEntry *items;
        size_t count, capacity;
    } map;
    char entry[MAX_NAME + 16]; /* the GLSL function of the kernel itself */
    ParamUse use[MAX_PARAMS];
    bool uses_at, uses_at_high; /* the launch's own index */
    bool uses_spacing;          /* rill_spacing: spacingof */
    bool uses_position;         /* any index or neighbour: the launch's dimensions can't be merged */
    bool doubles;               /* the module has doubles */
    bool unbounded;             /* has a loop that is not provably short */
    double trips;               /* of the bounded loops, in all */
    size_t tokens;              /* size of what was written, functions called counted at every call */
    int shared_count;           /* shared variables of a group kernel */
    bool exact;                 /* compilers are kept to the text: see rewrite_exact.c */
} Body;

/* What pushes to variable outputs do: see derive.h. */
typedef enum BodyMode { BODY_PLAIN, BODY_COUNT, BODY_WRITE } BodyMode;

/* Rewrites `kernel` and all it calls; release with body_free. `launched` is the signature that main() calls the entry with:
 * where variable outputs are counted or written it differs from the kernel's own. False with an error that points into the text. */
bool body_create(const Module *module, const Function *kernel, BodyMode mode, const Function *launched, Body *body);
void body_free(Body *body);
/* The byte of the kernel text that byte `at` of body->text came from (or the first on its line); false when nothing on its line
 * did. */
bool body_source(const Body *body, size_t at, size_t *source);

/* Whether elements of this type in an inout T name[] are plain GLSL lvalues in storage (else loaded and stored whole). */
bool body_plain_random(const Type *type);

/* Writes the first `count` parameters of a function as GLSL's: "out float u_r, int u_n", with `prefix` before the names. */
void body_parameters(StrBuf *out, const Function *f, int count, const char *prefix);

#endif
