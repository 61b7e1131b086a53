/* Types and functions that translators with pages share. Each page of the domain is stored in a frame, a
 * page-sized slot of the memory, which has one dimension. A kind finds the frame of a page by a page table or
 * a hash table, which is the translator's table 0. Table 1 contains for each frame the page that it holds. */
#ifndef RILL_CONTAINER_PAGE_PAGED_H
#define RILL_CONTAINER_PAGE_PAGED_H

#include "container/page/page_list.h"
#include "container/translator/glsl.h"

enum { PAGED_TABLE, PAGED_BACK };

typedef struct Paged Paged;

typedef struct PagedKind {
    TranslatorKind base;
    bool floors; /* coordinates may be negative */
    /* Writes statements that set `int w` to 1 + the frame of page g0, g1 ..., or to 0 or less if it is not
     * mapped. */
    void (*write_lookup)(const Paged *paged, StrBuf *out, int number);
    /* Returns the frame of a page, or less than 0. */
    int64_t (*find)(const Paged *paged, const int64_t *page);
    /* Reserves room for a page that will be entered, one of `count`. The mapping does not change. Returns
     * false with error_set on failure. */
    bool (*reserve)(Paged *paged, const int64_t *page, int64_t count);
    /* Sets the frame of a page. -1: unmaps it, and releases what was allocated for the page. */
    void (*enter)(Paged *paged, const int64_t *page, int64_t frame);
    /* Called after unused words at the end of the table were removed. NULL: there is nothing to do. */
    void (*give_up)(Paged *paged);
    /* Updates the host's copies with the device's changes. Returns false with error_set on failure. NULL: the
     * device makes no changes. */
    bool (*synchronize)(Paged *paged);
    /* Creates a translator of the same kind without pages. `capacity` as in its constructor. Returns NULL
     * with error_set on failure. */
    Translator *(*empty)(const Paged *paged, int64_t capacity);
} PagedKind;

struct Paged {
    Translator base;
    int64_t page[SHAPE_MAX_RANK]; /* sizes of a page, x first */
    int64_t elements;             /* elements of a frame */
    int64_t capacity;             /* greatest number of frames */
    bool stale;                   /* the host's copies lack changes by the device: see `synchronize` */
    int sizes; /* index of numbers: the page's sizes, followed by the number of elements of a frame */
    /* The layout of a page in its frame: the offset of the first element, the distance of elements along each
     * dimension, a common divisor of the offset and distances, and the width of the halo. Without a halo a page
     * is row-major from its frame's first element on. */
    int64_t lead, stride[SHAPE_MAX_RANK], unit;
    int overlap;
    int strides; /* index of numbers: lead, then the strides from dimension 1 on; NO_NUMBER without a halo */
};

/* The entries of TranslatorKind that all kinds with pages share. */
#define PAGED_FUNCTIONS                                                                                                \
    .table = {PAGED_TABLE, PAGED_BACK}, .write = paged_write, .point = paged_point, .ranges = paged_ranges,            \
    .map = paged_map, .unmap = paged_unmap

/* Implements TranslatorKind.write. */
void paged_write(const Translator *t, TranslatorGlsl *text, int number);
/* Implements TranslatorKind.point. */
Outcome paged_point(const Translator *t, Direction direction, const int64_t *from, int64_t *to, void *caller);
/* Implements TranslatorKind.ranges. */
bool paged_ranges(const Translator *t, const int64_t *first, const int64_t *last, RangeList *list, void *caller);
/* Implements TranslatorKind.map. */
bool paged_map(Translator *t, int level, const int64_t *first, const int64_t *last, int64_t frame);
/* Implements TranslatorKind.unmap. */
bool paged_unmap(Translator *t, int level, const int64_t *first, const int64_t *last, int64_t *count);

/* Updates the host's copies with the device's changes. The functions below call it. If it was called before
 * and succeeded, they cannot fail for this reason. Returns false with error_set on failure. */
bool paged_synchronize(const Translator *t);
/* Returns the pages of a box of coordinates, both ends inclusive. This and the next functions are for
 * containers that manage frames themselves. */
PageBox paged_box(const Translator *t, const int64_t *first, const int64_t *last);
/* Returns the frame of a page, or NO_FRAME. */
int64_t paged_frame(const Translator *t, const int64_t *page);
/* Adds the mapped pages of a box, in row-major order if the list was empty. Returns false with error_set on
 * failure. */
bool paged_collect(const Translator *t, const PageBox *box, PageList *list);
/* Maps each page of a list to the frame in its entry, or unmaps it if that is NO_FRAME, and stores the page's
 * previous frame in the entry. The list has no duplicates, and the frames must be free. On failure changes
 * nothing and returns false with error_set. */
bool paged_swap(Translator *t, PageList *list);

/* Creates a translator of `bytes` bytes, which begin with a Paged, with table 1 and without table 0. `domain`
 * NULL: unbounded. `capacity` 0: as many frames as addresses reach. Returns NULL with error_set on
 * failure. */
Paged *paged_make(const PagedKind *kind, size_t bytes, Device *device, const char *name, const Shape *domain,
                  const Shape *page, int64_t overlap, int64_t capacity);

/* Grows the tables on the device to the size of the host's copies. Returns false with error_set on
 * failure. */
bool paged_fit(Paged *paged);
/* Shrinks the copies again after paged_fit failed and reserved entries were removed. */
void paged_give_up(Paged *paged);
/* Sends changed words to the device. Returns false with error_set on failure. */
bool paged_flush(Paged *paged);

/* Returns the kind. */
const PagedKind *paged_kind(const Paged *paged);
/* Returns the index of a frame's entry in table 1: the word 1 (0 if the frame is free), then the page's
 * coordinates. */
int64_t paged_back(const Paged *paged, int64_t frame);
/* Returns how many frames table 1 has. */
int64_t paged_frames(const Paged *paged);

/* Returns the number of levels of the table of translator_pages. */
int translator_table_levels(const Translator *t);
/* Creates a translator without pages and with the properties of t, which is of translator_pages or
 * translator_hash. Returns NULL with error_set on failure. */
Translator *translator_paged_empty(const Translator *t, int64_t capacity);
/* Finds the pages of a stream of points on the device, and reads them back, each once
 * (page/page_lookup_host.c). Returns false with error_set on failure. */
bool page_lookup_host(const Translator *t, const Stream *points, PageList *pages);

#endif
