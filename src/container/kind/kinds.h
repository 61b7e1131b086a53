/* The kinds of containers: one row for each, and its constructor. */
#ifndef RILL_CONTAINER_KIND_KINDS_H
#define RILL_CONTAINER_KIND_KINDS_H

#include "container/container.h"

/* Calls X(NAME) for each kind, whose table is container_kind_NAME in kind/NAME.c. */
#define CONTAINER_KINDS(X)                                                                                             \
    X(view)                                                                                                            \
    X(array)                                                                                                           \
    X(stack)                                                                                                           \
    X(lists)                                                                                                           \
    X(paged)                                                                                                           \
    X(hash)                                                                                                            \
    X(halo)                                                                                                            \
    X(adaptive)                                                                                                        \
    X(mapped)

#define CONTAINER_KIND_TABLE(name) extern const ContainerKind container_kind_##name;
/* Declares the tables. */
CONTAINER_KINDS(CONTAINER_KIND_TABLE)
#undef CONTAINER_KIND_TABLE

/* Constructors give a reference, or NULL with error_set; inside a scope of the device. Elements are zero, or the `fallback` (a packed element, read where
 * nothing is mapped; NULL: zeros). */

/* Any translator over `memory`, a contiguous stream of the translator's rank of memory, of which it takes a view. */
Container *container_create(Translator *t, const Stream *memory, const void *fallback);
/* All there is. */
Container *container_array(Device *device, const Type *type, const Shape *shape);
/* Arrays of one dimension that grow. `capacity` 0: as many as addresses reach. */
Container *container_stack(Device *device, const Type *type, int64_t capacity);
/* The lists of a translator that translator_lists made, over the memory of their entries, one after the other, which becomes its own. Element by element
 * it is a stream of these. */
Container *container_lists(Translator *t, const Stream *entries);
/* Pages of its own: memory grows (growth.h), up to `capacity` pages; 0: as many as addresses reach. `overlap` and `levels` as for
 * translator_pages_overlapping: such pages have copies of what is around them. The second has no bounds. */
Container *container_sparse(Device *device, const Type *type, const Shape *shape, const Shape *page, int64_t overlap,
                            int levels, int64_t capacity, const void *fallback);
Container *container_hashgrid(Device *device, const Type *type, const Shape *page, int64_t capacity,
                              const void *fallback);
/* A policy: where elements stand among pages. The domain is the mapping's, and `pages`, a container of container_sparse or container_hashgrid, becomes its
 * own, also where it fails: NULL, with error_set, as where `pages` is NULL. */
Container *container_mapping(Container *pages, Translator *mapping);
/* Pages to which a mapping leads: of container_sparse where the mapping's memory has bounds, else of container_hashgrid. */
Container *container_sparse_mapped(Device *device, const Type *type, Translator *mapping, const Shape *page, int levels,
                                   int64_t capacity, const void *fallback);
/* Pages with levels, for tree.h: `size` are cells, a power of two times `page` in every dimension, the same one. Split `depth` times at first. */
Container *container_adaptive(Device *device, const Type *type, const Shape *size, const Shape *page, int depth,
                              int64_t capacity, const void *fallback);

#endif
