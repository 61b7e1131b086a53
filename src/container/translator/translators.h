/* Constructors of the kinds of translators. */
#ifndef RILL_CONTAINER_TRANSLATOR_TRANSLATORS_H
#define RILL_CONTAINER_TRANSLATOR_TRANSLATORS_H

#include "container/translator/translator.h"
#include "kernel/text/module.h"

/* Constructors return a reference, or NULL with error_set. A constructor that has the parameter `device` creates
 * tables on it: call the constructor between device_enter and device_leave. Shapes have the slowest dimension
 * first. */

/* Creates row-major addresses, from any rank to one dimension. */
Translator *translator_linear(const Shape *shape);
/* Creates a map to a shape of another rank. Without `tiled` equal row-major indices correspond. With `tiled`,
 * the `to->rank` fastest dimensions of `shape` form a tile, and there is one tile for each index of the other
 * dimensions. The tiles are placed next to each other in `to`, in row-major order, as the slices of a flat 3-D
 * texture are. The order of elements within a tile does not change. */
Translator *translator_reshape(const Shape *shape, const Shape *to, bool tiled);
/* Creates a page table: pages of the domain are stored anywhere in memory of one dimension, row-major inside.
 * `levels` is the number of levels of the table; 0: the fewest with which the empty table takes less than 1
 * MiB. `capacity`: number of frames (page-sized slots) in memory; 0: as many as addresses reach. */
Translator *translator_pages(Device *device, const Shape *shape, const Shape *page, int levels, int64_t capacity);
/* Creates a page table as translator_pages does, whose pages have a halo of `overlap` elements of adjacent
 * pages, at most the least size of a page. Addresses refer to a page's own elements; the translator is not
 * invertible. */
Translator *translator_pages_overlapping(Device *device, const Shape *shape, const Shape *page, int64_t overlap,
                                         int levels, int64_t capacity);
/* Creates a page table whose pages have levels: a page of level l has as many elements as any page but covers
 * 2^l times the extent, up to one that covers the domain. `levels` are the levels of the table; 0: as few as
 * nodes of at most 32 KiB permit. */
Translator *translator_adaptive(Device *device, const Shape *shape, const Shape *page, int levels, int64_t capacity);
/* Creates a hash table of pages for a domain of all ints except the least. */
Translator *translator_hash(Device *device, const Shape *page, int64_t capacity);
/* Creates a grid of lists. x is the index in the list, the other coordinates are the cell. List c takes the
 * addresses offsets[c] .. offsets[c + 1] - 1. */
Translator *translator_lists(Device *device, const Shape *cells, const int32_t *offsets);
/* Creates a translator from a table. `places` contains an address in memory for each index of the domain, in
 * row-major order. An address consists of as many numbers as the argument `to`, x first; all are -1 if the
 * index is not mapped. The translator's characteristics and the size of its memory are computed from the
 * addresses. */
Translator *translator_table(Device *device, const char *name, const Shape *shape, int to, const int32_t *places);
/* Returns true if a table for this shape is small enough, otherwise false with error_set. */
bool translator_table_fits(const Shape *shape, int to);
/* Creates the composition outer(inner(coordinates)), which retains both translators. */
Translator *translator_compose(Translator *outer, Translator *inner);

/* The functions of a custom translator for the CPU, in addition to a module that defines `translate` and
 * perhaps `inverse`. They are called with the `caller` of translator_point and translator_ranges. */
typedef struct TranslatorHooks {
    void *self;
    Outcome (*point)(void *self, Direction direction, const int64_t *from, int64_t *to, void *caller);
    /* NULL: ranges are found point by point */
    bool (*ranges)(void *self, const int64_t *first, const int64_t *last, RangeList *list, void *caller);
    void (*drop)(void *self); /* called when the translator is destroyed */
} TranslatorHooks;
/* Creates a custom translator. `shape`, with sizes from 1 to 2^31 - 1, may be NULL: then a point is mapped if
 * its result has no negative coordinate. Takes over the hooks on success. Messages give lines of the module's
 * text. Call it inside a scope of `device`. */
Translator *translator_custom(Device *device, const char *name, int rank, int to, const Shape *shape, Module *module,
                              const TranslatorTraits *traits, const TranslatorHooks *hooks);

#endif
