/* What kinds share to save and load containers: see ContainerData. */
#ifndef RILL_CONTAINER_KIND_DATA_H
#define RILL_CONTAINER_KIND_DATA_H

#include "container/container_private.h"

/* Says that the data do not agree; for functions of both results. */
bool data_wrong(void);
Container *data_damaged(void);
/* Allocates elements and numbers of the counts in `data`. */
bool data_reserve(ContainerData *data);
/* Reads the first elements of memory; writes them, and gives the container, or releases it on failure. `c` may be NULL. */
bool data_read_memory(const Container *c, const ContainerData *data);
Container *data_write_memory(Container *c, const ContainerData *data);
/* How many elements a shape in a file has; -1: its sizes are no shape's. */
int64_t data_elements(const Shape *shape);

/* kind/page_data.c, of containers with page tables. Sets sizes and the mapped pages, which are a list in address order then; `numbers`: how many numbers
 * come before their coordinates; `elements`: how many elements they have beside the default. */
bool data_save_pages(Container *c, ContainerData *data, PageList *list);
bool data_reserve_pages(Container *c, ContainerData *data, const PageList *list, int64_t numbers, int64_t elements);
/* The same, with the elements of the pages. */
bool data_save_sparse(Container *c, ContainerData *data);
/* Whether sizes are such as containers have. A small file makes nothing large: this is asked before anything is made. `numbers`: how many numbers there are
 * of whole pages; less than 0: the elements are others. */
bool data_pages_agree(const ContainerData *data, int64_t numbers, bool bounded);
/* A page table without pages; NULL with error_set. */
Translator *data_page_translator(Device *device, const ContainerData *data, int64_t overlap);
/* Maps the pages, in order; c may be NULL. */
bool data_map_pages(Container *c, const ContainerData *data);
/* Maps the pages and sets their elements; releases the container on failure. */
Container *data_fill_pages(Container *c, const ContainerData *data);

#endif
