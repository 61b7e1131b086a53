/* The kinds of translators: their constructors. */
#ifndef RILL_CONTAINER_TRANSLATOR_TRANSLATORS_H
#define RILL_CONTAINER_TRANSLATOR_TRANSLATORS_H

#include "container/translator/translator.h"
#include "kernel/text/module.h"

/* Constructors give a reference, or NULL with error_set; tables are made on `device`, which a scope has entered. Shapes are as
 * everywhere, slowest dimension first. */

/* Row-major: any rank to one dimension. */
Translator *translator_linear(const Shape *shape);
/* Row-major into a shape of another rank; or `tiled`: the fastest dimensions as they are, what is indexed by the others side by side as
 * tiles, as flat 3-D textures are made. */
Translator *translator_reshape(const Shape *shape, const Shape *to, bool tiled);
/* A table of pages: page-sized pieces of the domain anywhere in memory of one dimension, row-major within. `levels` 0: the fewest with
 * which the empty table takes less than 1 MiB. `capacity`: frames (places for pages) in memory, 0: as many as addresses reach. */
Translator *translator_pages(Device *device, const Shape *shape, const Shape *page, int levels, int64_t capacity);
/* The same where a page has `overlap` elements of its neighbours' borders beside its own, up to its least size. Addresses are those of its own elements: it
 * can't be inverted. */
Translator *translator_pages_overlapping(Device *device, const Shape *shape, const Shape *page, int64_t overlap,
                                         int levels, int64_t capacity);
/* The same as translator_pages with pages of levels: one of level l covers 2^l times a page's sizes by as many elements, up to one that covers all. `levels` are
 * those of the table; 0: few, of small nodes. */
Translator *translator_adaptive(Device *device, const Shape *shape, const Shape *page, int levels, int64_t capacity);
/* The same for a domain of all int coordinates but the least, by a hash table. */
Translator *translator_hash(Device *device, const Shape *page, int64_t capacity);
/* A grid of lists: x is the place in the list, the others are the cell's. List c takes offsets[c] .. offsets[c + 1] - 1. */
Translator *translator_lists(Device *device, const Shape *cells, const int32_t *offsets);
/* A table of `places`: for each address of the domain, row-major, its `to` coordinates in memory, x first, or -1 in all of them. Its
 * characteristics, and which memory there is, are what these say. */
Translator *translator_table(Device *device, const char *name, const Shape *shape, int to, const int32_t *places);
/* Whether there may be such a table; false with error_set. */
bool translator_table_fits(const Shape *shape, int to);
/* outer(inner(address)). Holds both. */
Translator *translator_compose(Translator *outer, Translator *inner);

/* A user's own: a module that defines `translate` and perhaps `inverse`, and functions for the CPU. They are called with `caller` as
 * translator_point and translator_ranges get it. */
typedef struct TranslatorHooks {
    void *self;
    Outcome (*point)(void *self, Direction direction, const int64_t *from, int64_t *to, void *caller);
    /* NULL: points are asked one by one. */
    bool (*ranges)(void *self, const int64_t *first, const int64_t *last, RangeList *list, void *caller);
    void (*drop)(void *self); /* when the translator goes */
} TranslatorHooks;
/* `shape`, of sizes from 1 to an int's, may be NULL: the domain is what translates to coordinates that are not negative. Takes over the
 * hooks where it succeeds; messages point into the module's text. Inside a scope of `device`. */
Translator *translator_custom(Device *device, const char *name, int rank, int to, const Shape *shape, Module *module,
                              const TranslatorTraits *traits, const TranslatorHooks *hooks);

#endif
