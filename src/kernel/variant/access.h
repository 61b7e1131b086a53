/* How elements are reached: one row per way. The generator and the launcher go through this table and never look
 * behind it, so that containers can be further rows. */
#ifndef RILL_KERNEL_VARIANT_ACCESS_H
#define RILL_KERNEL_VARIANT_ACCESS_H

#include "base/template.h"
#include "kernel/variant/variant.h"

/* What a row needs to know to write its part of the source. */
typedef struct AccessText {
    const Param *param;
    const ArgKey *key;
    const ArgLayout *layout;
    bool texels;          /* bound as 16-byte vectors: single words are picked out of them */
    bool trusted;         /* see ParamUse */
    const ArgLayout *box; /* where sizes and begins of the box stand: those of the first one with the same places */
    const Layout *launch; /* of a neighbour in a stream, whose shape is the launch's; else NULL */
    const int32_t *sizes; /* of what is fixed and mapped: known; NULL: words of rill_p */
    const int8_t *offset; /* of a neighbour of steps along strips that is written: known; else NULL */
} AccessText;

/* Appends a text (base/template.h), with the parts repeated `rank` times:
 *
 *     $N $T     the parameter's name, its GLSL type
 *     $z $Z     the size along a dimension as a uint expression, and as access_size gives it
 *     $b $B     where the box begins along a dimension, and the number of the first element
 *     $s $t     how far elements are apart along a dimension, from the second on, and " * int($s)" there
 *     $i        the index of a dimension, i0 ..., brought into range
 *     $c $l     the component of a dimension: x, y ...; and of the one before */
void access_addf(StrBuf *out, const AccessText *text, int rank, const char *format, ...) ERROR_PRINTF(4, 5);

typedef struct AccessPath {
    const char *name; /* for explain() */
    /* Declares bindings and `T fetch_NAME(int e)`: the value of element number e. */
    void (*declare)(StrBuf *out, const AccessText *text);
    /* Fills the row's own uniform words from the stream. */
    void (*fill)(const ArgLayout *layout, const Stream *stream, uint32_t *words);
} AccessPath;

extern const AccessPath access_paths[PATH_COUNT];

/* The size of dimension d, x being 0, as an int expression; valid as access_word's. */
const char *access_size(const AccessText *text, int d);
/* A word of rill_p as a uint expression: "rill_u3.y"; valid until the eighth further call on this thread. */
const char *access_word(int word);
/* RILL_TEXEL, the GLSL element of storage blocks of texels that are written, and rill_texel(a, b, c, d), one of four words. */
void access_declare_texel(StrBuf *out, bool paired);
/* Declares rill_p and these names; where they are copies, main() calls rill_copy() first. */
void access_declare_words(StrBuf *out, int vectors, bool copied);

/* Writes the value of element k, stored as `type`, out of the texels NAME_0, NAME_1 ... of a step. */
void access_texel(StrBuf *out, const char *name, const Type *seen, const Type *type, int k);
/* Writes the element that is read where nothing is mapped. */
void access_fallback(StrBuf *out, const AccessText *text);
/* Writes the value of a constant whose words start at `word`. */
void access_constant(StrBuf *out, const Param *param, int word);
/* Whether the stream's first element is the first of what is bound for it. */
bool access_begins_binding(const AccessText *text);
/* Writes `int adr_NAME(int d0, ...)`: an index of `rank` dimensions (fastest first, in range) to an element number. */
void access_address(StrBuf *out, const AccessText *text, int rank);
/* Of a map that interpolates, writes `T blend_NAME(int d0, ...)`, the value at an index, and lerp_NAME(p, s1, ..., w0, ...): that at weights
 * between the element p and those beside it. In access_blend.c. */
void access_blend(StrBuf *out, const AccessText *text, int rank);
/* An expression: the value between 2^rank elements, which `element` writes: where bit d of the corner is set, those beside along dimension d. w0 ...
 * are their weights, from 0 to below 1, of which access_mix_weight() makes u0 ..., those of the others, as statements; `type` is theirs. No weight is 0
 * behind them, but as good as: at a weight of 0 the element beside must be the same one. So infinite elements come out as they are, and one without a
 * weight counts for nothing. Of x + w (y - x) they would be NaN; `precise` keeps compilers from making that of it. */
void access_mix(StrBuf *out, int rank, int corner, void (*element)(void *self, StrBuf *out, int corner), void *self);
void access_mix_weight(StrBuf *out, const char *type, int d);
/* A statement that brings a position p, or its component `axis`, into a domain of n: 0 .. n, by the boundary of dimension d. */
void access_fold(StrBuf *out, const AccessText *text, int d, const char *axis);
/* And s_NAME(p, level): that at a real position, of a level. */
void access_blend_sampler(StrBuf *out, const AccessText *text, int rank);
/* Writes the access functions of gathers, neighbours and random access. */
void access_gather(StrBuf *out, const AccessText *text, const VariantKey *key, int number, const ParamUse *use);
/* Of a gather from a container, int sp_NAME(index ...), the place there, and sv_NAME(place): what shared_addresses() writes. */
void access_shared(StrBuf *out, const AccessText *text, int rank);
void access_random(StrBuf *out, const AccessText *text, const VariantKey *key, int number, const ParamUse *use);

/* access_strip.c, of steps along strips: what rows of neighbours are kept in; main's loads of them; and of oI_NAME(), with the index k of its offset, the
 * statement that finds rill_v there, up to the `else`, or nothing. */
void access_strip_rows(StrBuf *out, const AccessText *text, const ParamUse *use);
void access_strip_loads(StrBuf *out, const AccessText *text, int rank, const ParamUse *use);
void access_strip_element(StrBuf *out, const AccessText *text, const ParamUse *use, int k);
/* access_neighbors.c, of launches over pages: oI_NAME(), the neighbour at the I'th offset of `use`, p_NAME(i0, ...) of those that are ranges, behind what a
 * neighbour has anyway; and for main, where the pages around the launch's begin. */
void access_neighbors(StrBuf *out, const AccessText *text, const VariantKey *key, const ParamUse *use);
void access_neighbors_pages(StrBuf *out, const AccessText *text, const VariantKey *key);
/* variant/access_halo.c. `int cell_NAME(int i0, inout int j0, ...)`: where the element at i0 ... stands, brought into range, as if in the page that has it or, where that
 * is none, another of those around; less than any sum of steps where no page is. j0 ..., that are i0 ... or one more, become the steps to the others. */
void access_cell(StrBuf *out, const AccessText *text, int rank);

/* Replaces rill_v by the boundary's value, where the index is outside: i0 ..., or these as offsets from the element. */
void access_outside(StrBuf *out, const AccessText *text, int rank, bool offsets);

/* What lies outside of dimension d of a gather, x being 0. */
Boundary access_boundary(const ArgKey *key, int d);

/* access_sample.c. How a stream is sampled that is reached so; what of it the launcher binds; and `s_NAME(p)` and `s_NAME(p, level)`, behind the functions of a
 * gather. */
Sampled access_sampled(const Stream *stream, const ParamUse *use);
void access_sampler_bind(const ArgLayout *layout, const Stream *stream, Dispatch *dispatch);
void access_sample(StrBuf *out, const AccessText *text, int rank);
/* `k_NAME(p, weights, spacing)` and `k_NAME(p, level, weights, spacing)`, behind those. In access_corners.c. */
void access_corners(StrBuf *out, const AccessText *text, int rank);

/* Fills base, dims, sizes, extents and so on: what all rows share. Offsets are in elements. */
void access_fill(const ArgKey *key, const ArgLayout *layout, const Stream *stream, int64_t base, int rank,
                 uint32_t *words);

/* n / d by multiplication for 0 <= n < 2^31, 1 <= d <= 2^31: rill_div(n, multiplier, shift). */
void access_divisor(int64_t d, uint32_t *multiplier, uint32_t *shift);

#endif
