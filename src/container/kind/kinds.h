/* The list of all kinds of containers, and their constructors. */
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

/* Constructors return a reference, or NULL with error_set on failure. They must be called inside a scope of
 * the device. `fallback` is the packed default element, NULL: zeros. New elements have this value. */

/* Creates a container of any translator over `memory`, a contiguous stream with as many dimensions as the
 * translator's addresses, of which it takes a view. */
Container *container_create(Translator *t, const Stream *memory, const void *fallback);
/* Creates a dense array. */
Container *container_array(Device *device, const Type *type, const Shape *shape);
/* Creates an array of one dimension that grows. `capacity` 0: as many elements as addresses reach. */
Container *container_stack(Device *device, const Type *type, int64_t capacity);
/* Creates the lists of a translator of translator_lists over the memory of their entries, which the container
 * owns afterwards. Launches visit the entries. */
Container *container_lists(Translator *t, const Stream *entries);
/* Creates a sparse container, which owns its pages. Memory grows (growth.h) up to `capacity` pages; 0: as
 * many as addresses reach. `overlap` and `levels` as for translator_pages_overlapping. */
Container *container_sparse(Device *device, const Type *type, const Shape *shape, const Shape *page, int64_t overlap,
                            int levels, int64_t capacity, const void *fallback);
/* Creates a sparse container without bounds. */
Container *container_hashgrid(Device *device, const Type *type, const Shape *page, int64_t capacity,
                              const void *fallback);
/* Creates a container in which the translator `mapping` maps addresses to addresses of the domain of `pages`,
 * a container of container_sparse or container_hashgrid. Takes over `pages`, also on failure. Returns NULL
 * with error_set on failure, also if `pages` is NULL. */
Container *container_mapping(Container *pages, Translator *mapping);
/* Creates a mapping over new pages: of container_sparse if the mapping's memory has bounds, otherwise of
 * container_hashgrid. */
Container *container_sparse_mapped(Device *device, const Type *type, Translator *mapping, const Shape *page, int levels,
                                   int64_t capacity, const void *fallback);
/* Creates an adaptive container (tree.h) of `size` cells: in each dimension the same power of two times
 * `page`. All pages are split `depth` times. */
Container *container_adaptive(Device *device, const Type *type, const Shape *size, const Shape *page, int depth,
                              int64_t capacity, const void *fallback);

#endif
