/* How elements are accessed: a table with one row per access path (PathKind). The generator and the
 * launcher use only this table, so that a new access path is a new row. Terms of the generator: a
 * texel is 16 bytes (four 32-bit words) of a buffer that are read or written at once. A step is the
 * group of elements that an invocation computes in one iteration of main()'s loop. Usually these
 * elements are consecutive. In stencils a step is a strip: a number of columns and of rows
 * (Layout.strip). */
#ifndef RILL_KERNEL_VARIANT_ACCESS_H
#define RILL_KERNEL_VARIANT_ACCESS_H

#include "base/template.h"
#include "kernel/variant/variant.h"

/* The parameter for which a row of the table writes source text, and how its stream is stored. */
typedef struct AccessText {
    const Param *param;
    const ArgKey *key;
    const ArgLayout *layout;
    bool texels;  /* bound as texels, from which single 32-bit words are extracted */
    bool trusted; /* see ParamUse */
    /* Where the sizes of the stream and its origin in its container are stored in rill_p: the layout of the first
     * argument with the same element addresses. */
    const ArgLayout *box;
    const Layout *launch; /* of a neighbor stream, which has the shape of the launch; otherwise NULL */
    const int32_t *sizes; /* sizes of a mapped gather with constant sizes; NULL: the sizes are words of rill_p */
    const int8_t *offset; /* in strips: offset of the neighbor whose access is being written; else NULL */
} AccessText;

/* Appends a text (base/template.h), with the repeated parts `rank` times:
 *
 *     $N $T     the parameter's name and its GLSL type
 *     $z $Z     the size along a dimension as a uint expression, and as returned by access_size
 *     $b $B     the stream's origin in its container along a dimension, and the index of its first element
 *     $s $t     the stride of a dimension from 1 on, and " * int($s)", which is empty for dimension 0
 *     $i        the index of a dimension, i0 ..., brought into range
 *     $c $l     the component of a dimension: x, y ...; and that of the previous dimension */
void access_addf(StrBuf *out, const AccessText *text, int rank, const char *format, ...) ERROR_PRINTF(4, 5);

typedef struct AccessPath {
    const char *name; /* for explain() */
    /* Writes the declaration of the bindings and of `T fetch_NAME(int e)`, which returns element e. */
    void (*declare)(StrBuf *out, const AccessText *text);
    /* Fills in the uniform words of the argument. */
    void (*fill)(const ArgLayout *layout, const Stream *stream, uint32_t *words);
} AccessPath;

extern const AccessPath access_paths[PATH_COUNT];

/* Returns the size of dimension d (0: x) as an int expression. Valid until the fourth further call
 * on this thread. */
const char *access_size(const AccessText *text, int d);
/* Returns a word of rill_p as a uint expression: "rill_u3.y". Valid until the eighth further call
 * on this thread. */
const char *access_word(int word);
/* Writes RILL_TEXEL, the GLSL type of texels in storage blocks that are written, and rill_texel(a,
 * b, c, d), which makes a texel from four 32-bit words. `paired`: a texel is stored as two
 * doubles. */
void access_declare_texel(StrBuf *out, bool paired);
/* Writes the declaration of rill_p and of the names of its words. With `copied` the names are
 * variables, and main() must call rill_copy() first, which sets them. */
void access_declare_words(StrBuf *out, int vectors, bool copied);

/* Writes an expression for element k of a step whose texels are in NAME_0, NAME_1 ... `type` is the
 * type of the stored elements, `seen` the type of the expression. */
void access_texel(StrBuf *out, const char *name, const Type *seen, const Type *type, int k);
/* Writes an expression for the element that is read from unmapped pages. */
void access_fallback(StrBuf *out, const AccessText *text);
/* Writes an expression for the constant whose words start at `word`. */
void access_constant(StrBuf *out, const Param *param, int word);
/* Returns whether the stream's first element is the first element of its binding. */
bool access_begins_binding(const AccessText *text);
/* Writes `int adr_NAME(int d0, ...)`, which converts an index of `rank` dimensions (fastest first,
 * in range) to an element number. */
void access_address(StrBuf *out, const AccessText *text, int rank);
/* Writes, for a map that interpolates (AddressMap.blends), `T blend_NAME(int d0, ...)`, the value
 * at an index, and lerp_NAME(p, s1, ..., w0, ...), the value between element p and its next
 * elements. s1 ... are the distances in memory to the next element along dimensions 1 ..., and w0
 * ... are the weights of the next elements (access_blend.c). */
void access_blend(StrBuf *out, const AccessText *text, int rank);
/* Writes an expression that interpolates between 2^rank elements. `element` writes the element of a
 * corner: bit d of the corner selects the next element along dimension d. w0 ... are the weights of
 * the next elements, in [0, 1). access_mix_weight() writes u0 ..., the weights of the first
 * elements, and replaces a weight w of 0 by 2e-38. If w is 0, `element` must write the first
 * element for both corners. The result is then that element even if it is infinite, and the next
 * element does not contribute. The form x + w (y - x) would give NaN; `precise` keeps compilers
 * from using it. */
void access_mix(StrBuf *out, int rank, int corner, void (*element)(void *self, StrBuf *out, int corner), void *self);
/* Writes statements that raise the weight w<d> of dimension d to at least 2e-38 and declare u<d>,
 * the weight of the first element. `type` is the type of the weights. */
void access_mix_weight(StrBuf *out, const char *type, int d);
/* Writes a statement that brings a position p, or its component `axis`, into a domain 0 .. n
 * according to the boundary mode of dimension d. */
void access_fold(StrBuf *out, const AccessText *text, int d, const char *axis);
/* Writes s_NAME(p, level), the interpolated value at a position and a level of a map that
 * interpolates, and s_NAME(p). */
void access_blend_sampler(StrBuf *out, const AccessText *text, int rank);
/* Writes the access functions of a gather or a neighbor stream. */
void access_gather(StrBuf *out, const AccessText *text, const VariantKey *key, int number, const ParamUse *use);
/* Writes, for a gather from a container, `int sp_NAME(index ...)`, the address of an element, and
 * `sv_NAME(address)`, its value. shared_addresses() uses them. */
void access_shared(StrBuf *out, const AccessText *text, int rank);
/* Writes the access functions of a random-access stream. */
void access_random(StrBuf *out, const AccessText *text, const VariantKey *key, int number, const ParamUse *use);

/* Writes the declarations of the texels of a step that is a strip: for each row of neighbors
 * (offsets that differ only in x) the texels with its elements (access_strip.c). */
void access_strip_rows(StrBuf *out, const AccessText *text, const ParamUse *use);
/* Writes the statements of main() that load these texels, for the row `line` of a strip; -1: of the
 * current row (LOAD_STRIPS). */
void access_strip_loads(StrBuf *out, const AccessText *text, int rank, const ParamUse *use, int line);
/* Writes, for LOAD_WINDOWS, the declarations and loads of the texels that row `line` of a strip needs in addition to
 * those of the rows before it. */
void access_window_loads(StrBuf *out, const AccessText *text, int rank, const ParamUse *use, int line);
/* Writes the assignments of these texels to the variables of access_strip_rows, for row `line`. */
void access_window_row(StrBuf *out, const AccessText *text, const ParamUse *use, int line);
/* Writes a statement in oI_NAME(), the function that returns the neighbor at offset I: if the
 * neighbor is in these texels, rill_v is extracted from them. Returns whether the statement is
 * complete. Otherwise it ends with `else`, or nothing was written, since the offset reaches no
 * element of the step. k is the index of the offset in `use`. */
bool access_strip_element(StrBuf *out, const AccessText *text, const ParamUse *use, int k);
/* Writes, for launches over pages, oI_NAME(), the neighbor at offset I of `use`, and p_NAME(i0,
 * ...), the neighbor at an offset in a known range (access_neighbors.c). Call it after the
 * functions that every neighbor stream has were written. */
void access_neighbors(StrBuf *out, const AccessText *text, const VariantKey *key, const ParamUse *use);
/* Writes the statements of main() that find the pages around the page of the launch. */
void access_neighbors_pages(StrBuf *out, const AccessText *text, const VariantKey *key);
/* Writes `int cell_NAME(int i0, inout int j0, ...)`: the element number of the cell corner with
 * index i0 ..., brought into range. The corners of the cell have the indices i0 or j0, i1 or j1
 * ..., where each j is i or i + 1. On return j0 ... are the differences of the element numbers of
 * adjacent corners. If the page of the first corner is unmapped, the number is computed from a page
 * that stores another corner. If all are unmapped, it is so negative (-2^30) that adding the
 * differences leaves it negative (access_halo.c). */
void access_cell(StrBuf *out, const AccessText *text, int rank);

/* Writes statements that replace rill_v by the boundary value if the index i0 ... is outside.
 * `offsets`: i0 ... are offsets from the element. */
void access_outside(StrBuf *out, const AccessText *text, int rank, bool offsets);

/* Returns the boundary mode of dimension d (0: x) of a gather. */
Boundary access_boundary(const ArgKey *key, int d);

/* Returns how a stream is sampled (access_sample.c). */
Sampled access_sampled(const Stream *stream, const ParamUse *use);
/* Binds the texture that is sampled. */
void access_sampler_bind(const ArgLayout *layout, const Stream *stream, Dispatch *dispatch);
/* Writes `s_NAME(p)` and `s_NAME(p, level)`, after the functions of the gather. */
void access_sample(StrBuf *out, const AccessText *text, int rank);
/* Writes `k_NAME(p, weights, spacing)` and `k_NAME(p, level, weights, spacing)`, after the
 * functions of access_sample (access_corners.c). */
void access_corners(StrBuf *out, const AccessText *text, int rank);

/* Fills in base, dims, sizes, extents and the other words of rill_p that all access paths share.
 * Offsets are in elements. */
void access_fill(const ArgKey *key, const ArgLayout *layout, const Stream *stream, int64_t base, int rank,
                 uint32_t *words);

/* Computes the constants for a division by multiplication: n / d is rill_div(n, multiplier, shift),
 * for 0 <= n < 2^31 and 1 <= d <= 2^31. */
void access_divisor(int64_t d, uint32_t *multiplier, uint32_t *shift);

#endif
