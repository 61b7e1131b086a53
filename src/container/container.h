/* Containers (Glift 2.2): a virtual domain whose elements stand in memory where an address translator says. Kernels take container_box()
 * wherever they take a stream; what is not mapped reads as the default there, and is not written. */
#ifndef RILL_CONTAINER_H
#define RILL_CONTAINER_H

#include "container/translator.h"
#include "kernel/kernel.h"

typedef struct Container Container;

/* Over `memory`, a contiguous stream of the translator's rank of memory, of which it takes a view. `fallback`: a packed element, read where
 * nothing is mapped; NULL: zeros. NULL with error_set. Inside a scope, as all that follows. */
Container *container_create(Translator *t, const Stream *memory, const void *fallback);
void container_destroy(Container *c); /* NULL: nothing */

/* Its translator, borrowed; the packed element that is read where nothing is mapped. */
Translator *container_translator(const Container *c);
const void *container_fallback(const Container *c);
/* Bytes of memory and of the translator's tables. */
uint64_t container_bytes(const Container *c);

/* How many pages there are, mapped, and as many as go into memory; false where the translator has no pages. */
bool container_pages(const Container *c, int64_t *mapped, int64_t *capacity);

/* Headers over the container, which hold no reference: all of it, and the box first .. last - 1 with indices as in a shape. They are
 * streams as any other where the elements stand in memory row-major. */
const Stream *container_whole(const Container *c);
Stream container_box(const Container *c, const int64_t *first, const int64_t *last);

/* The number in memory of the element of an index as in a shape, on the CPU; `caller` as for translator_point. */
Outcome container_locate(const Container *c, const int64_t *index, int64_t *number, void *caller);
/* What is mapped, as pages to launch over, in address order: a container without pages is one of them. `origins` is a new stream, which the
 * set refers to. False with error_set. */
bool container_active(const Container *c, PageSet *set, Stream *origins);
/* How many elements of a box are mapped; false with error_set. */
bool container_count(const Container *c, const int64_t *first, const int64_t *last, int64_t *count, void *caller);

/* A new dense stream of a box; and a box written with a stream of its shape, where it is mapped. False with error_set. */
bool container_dense(const Container *c, const int64_t *first, const int64_t *last, Stream *result);
bool container_write(const Container *c, const int64_t *first, const Stream *from);
/* Sets all that is mapped to one packed element. */
bool container_fill(const Container *c, const void *element, void *caller);
/* The same elements in memory of their own; by the same translator, unless the pages are the container's own. NULL with error_set. */
Container *container_copy(const Container *c);

/* Containers with pages of their own, in allocation.c: memory grows by doubling, up to `capacity` pages; 0: as many as addresses reach.
 * `levels` as for translator_pages. */
Container *container_sparse(Device *device, const Type *type, const Shape *shape, const Shape *page, int levels,
                            int64_t capacity, const void *fallback);
bool container_pooled(const Container *c);
/* Maps all pages that a box touches; new ones hold the default. All of them, or none with error_set. The header container_whole() gives
 * is another one afterwards. */
bool container_allocate(Container *c, const int64_t *first, const int64_t *last);
/* Frees all pages that a box touches. */
bool container_free(Container *c, const int64_t *first, const int64_t *last);

/* The same for pages by their numbers, each once, row-major over the whole domain. Those of a stream of points (coordinates from 0, x first) are
 * found on the device, as a new stream of ints: -1 for a point outside of the domain. */
bool container_page_numbers(const Container *c, const Stream *points, Stream *result);
bool container_allocate_numbers(Container *c, const int32_t *numbers, int64_t count);
bool container_free_numbers(Container *c, const int32_t *numbers, int64_t count);
/* The same for the pages that boxes touch, whose origins are packed. */
bool container_allocate_set(Container *c, const int32_t *origins, const PageSet *set);

#endif
