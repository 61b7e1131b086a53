/* How elements are accessed: a table with one row per access path. The generator and the launcher
 * use only this table, so that a new access path is a new row. */
#ifndef RILL_KERNEL_VARIANT_ACCESS_H
#define RILL_KERNEL_VARIANT_ACCESS_H

#include "base/template.h"
#include "kernel/variant/variant.h"

/* What a row needs to write its part of the source. */
typedef struct AccessText {
    const Param *param;
    const ArgKey *key;
    const ArgLayout *layout;
    bool texels;  /* bound as 16-byte vectors: single 32-bit words are extracted from them */
    bool trusted; /* see ParamUse */
    /* Layout with the sizes and origins of the box: that of the first argument whose elements have
     * the same addresses. */
    const ArgLayout *box;
    const Layout *launch; /* of a neighbor stream: the launch, whose shape it has; otherwise NULL */
    const int32_t *sizes; /* sizes of a mapped gather with constant sizes; NULL: words of rill_p */
    const int8_t *offset; /* the neighbor's offset that is being written, in steps along strips; otherwise NULL */
} AccessText;

/* Appends a text (base/template.h), with the repeated parts `rank` times:
 *
 *     $N $T     the parameter's name and its GLSL type
 *     $z $Z     the size along a dimension as a uint expression, and as returned by access_size
 *     $b $B     the origin of the box along a dimension, and the index of the first element
 *     $s $t     the stride of a dimension, from the second on, and " * int($s)" there
 *     $i        the index of a dimension, i0 ..., brought into range
 *     $c $l     the component of a dimension: x, y ...; and that of the previous dimension */
void access_addf(StrBuf *out, const AccessText *text, int rank, const char *format, ...) ERROR_PRINTF(4, 5);

typedef struct AccessPath {
    const char *name; /* for explain() */
    /* Writes the declaration of the bindings and of `T fetch_NAME(int e)`, which returns element e. */
    void (*declare)(StrBuf *out, const AccessText *text);
    /* Fills in the uniform words of the row from the stream. */
    void (*fill)(const ArgLayout *layout, const Stream *stream, uint32_t *words);
} AccessPath;

extern const AccessPath access_paths[PATH_COUNT];

/* Returns the size of dimension d (0: x) as an int expression. Valid until the fourth further call on this thread. */
const char *access_size(const AccessText *text, int d);
/* Returns a word of rill_p as a uint expression: "rill_u3.y". Valid until the eighth further call on this thread. */
const char *access_word(int word);
/* Writes RILL_TEXEL, the GLSL type of the elements of storage blocks that are written by texels,
 * and rill_texel(a, b, c, d), which makes one of four 32-bit words. */
void access_declare_texel(StrBuf *out, bool paired);
/* Writes the declaration of rill_p and of the names of its words. If the words are copied, main()
 * must call rill_copy() first. */
void access_declare_words(StrBuf *out, int vectors, bool copied);

/* Writes an expression for element k, stored as `type`, of the texels NAME_0, NAME_1 ... of a step. */
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
/* Writes, for a map that interpolates, `T blend_NAME(int d0, ...)`, the value at an index, and
 * lerp_NAME(p, s1, ..., w0, ...), the value between element p and its next elements for the given
 * weights (access_blend.c). */
void access_blend(StrBuf *out, const AccessText *text, int rank);
/* Writes an expression that interpolates between 2^rank elements. `element` writes the element of a
 * corner: bit d of the corner selects the next element along dimension d. w0 ... are the weights of
 * the next elements, in [0, 1). access_mix_weight() writes u0 ..., the weights of the first
 * elements. Its weights are at least 2e-38 instead of 0, so for a weight of 0 both elements must be
 * the same one. An infinite element is then returned as it is, and an element without a weight does
 * not contribute. The form x + w (y - x) would give NaN; `precise` keeps compilers from using it. */
void access_mix(StrBuf *out, int rank, int corner, void (*element)(void *self, StrBuf *out, int corner), void *self);
/* Writes statements that limit the weight w of dimension d from below and declare u, the weight of
 * the first element. `type` is the type of the weights. */
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

/* Writes, for steps along strips, the variables that hold rows of neighbors (access_strip.c). */
void access_strip_rows(StrBuf *out, const AccessText *text, const ParamUse *use);
/* Writes main()'s loads of the rows of neighbors. */
void access_strip_loads(StrBuf *out, const AccessText *text, int rank, const ParamUse *use);
/* Writes the statement in oI_NAME() that takes rill_v from these rows, up to the `else`, or
 * nothing. k is the index of the offset. */
void access_strip_element(StrBuf *out, const AccessText *text, const ParamUse *use, int k);
/* Writes, for launches over pages, oI_NAME(), the neighbor at offset I of `use`, and p_NAME(i0,
 * ...), the neighbor at an offset in a known range (access_neighbors.c). They follow the functions
 * that every neighbor stream has. */
void access_neighbors(StrBuf *out, const AccessText *text, const VariantKey *key, const ParamUse *use);
/* Writes the statements of main() that find the pages around the page of the launch. */
void access_neighbors_pages(StrBuf *out, const AccessText *text, const VariantKey *key);
/* Writes `int cell_NAME(int i0, inout int j0, ...)`: the element number of index i0 ..., brought
 * into range, in the page that contains it. If that page is unmapped, it is the number in a page
 * that contains another corner of the cell; if all are unmapped, a number less than any sum of
 * steps. j0 ..., which are i0 ... or one more, become the steps to the other corners
 * (access_halo.c). */
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

/* Fills in base, dims, sizes, extents and the other words that all rows share. Offsets are in elements. */
void access_fill(const ArgKey *key, const ArgLayout *layout, const Stream *stream, int64_t base, int rank,
                 uint32_t *words);

/* Computes the constants for a division by multiplication: n / d is rill_div(n, multiplier, shift),
 * for 0 <= n < 2^31 and 1 <= d <= 2^31. */
void access_divisor(int64_t d, uint32_t *multiplier, uint32_t *shift);

#endif
