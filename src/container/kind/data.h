/* Functions that kinds share to save and load containers: see ContainerData. */
#ifndef RILL_CONTAINER_KIND_DATA_H
#define RILL_CONTAINER_KIND_DATA_H

#include "container/container_private.h"

/* Sets the error that the data are inconsistent, and returns false. */
bool data_wrong(void);
/* Sets the same error, and returns NULL. */
Container *data_damaged(void);
/* Allocates elements and numbers, as many as `data` says. Returns false with error_set on failure. */
bool data_reserve(ContainerData *data);
/* Reads the first elements of memory into the data. Returns false with error_set on failure. */
bool data_read_memory(const Container *c, const ContainerData *data);
/* Writes the data to memory and returns the container. Returns NULL with error_set if c is NULL or on
 * failure; c is then released. */
Container *data_write_memory(Container *c, const ContainerData *data);
/* Returns how many elements a shape in a file has; -1 if it is not a valid shape. */
int64_t data_elements(const Shape *shape);

/* Sets sizes, and lists the mapped pages of a container with a page table in address order
 * (kind/page_data.c). Returns false with error_set on failure. */
bool data_save_pages(Container *c, ContainerData *data, PageList *list);
/* Allocates the data for a list of pages and stores their coordinates. `numbers`: how many numbers come
 * before the coordinates; `elements`: how many elements follow the default. Returns false with error_set on
 * failure. */
bool data_reserve_pages(Container *c, ContainerData *data, const PageList *list, int64_t numbers, int64_t elements);
/* Saves the pages with their elements. Returns false with error_set on failure. */
bool data_save_sparse(Container *c, ContainerData *data);
/* Returns whether the sizes are valid. It is called before anything is allocated, so that a small file cannot
 * cause a large allocation. `numbers`: how many numbers come before the pages; less than 0: the elements do
 * not fill whole pages, and their number is not checked. */
bool data_pages_agree(const ContainerData *data, int64_t numbers, bool bounded);
/* Creates a page table without pages. Returns NULL with error_set on failure. */
Translator *data_page_translator(Device *device, const ContainerData *data, int64_t overlap);
/* Maps the pages in order. Returns false with error_set on failure, also if c is NULL. */
bool data_map_pages(Container *c, const ContainerData *data);
/* Maps the pages and sets their elements. On failure releases the container and returns NULL with
 * error_set. */
Container *data_fill_pages(Container *c, const ContainerData *data);

#endif
