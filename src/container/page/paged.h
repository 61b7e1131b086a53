/* What translators with pages share: pieces of the domain anywhere in memory of one dimension. How the frame of a page is found is a
 * kind's own: by a table of pages, or a hash table. Table 0 is the kind's, table 1 says which page a frame holds. */
#ifndef RILL_CONTAINER_PAGE_PAGED_H
#define RILL_CONTAINER_PAGE_PAGED_H

#include "container/page/page_list.h"
#include "container/translator/glsl.h"

enum { PAGED_TABLE, PAGED_BACK };

typedef struct Paged Paged;

typedef struct PagedKind {
    TranslatorKind base;
    bool floors; /* coordinates may be negative */
    /* Writes statements that set `int w` to 1 more than the frame of page g0, g1 ..., or to nothing above 0. */
    void (*write_lookup)(const Paged *paged, StrBuf *out, int number);
    /* The frame of a page, or less than 0. */
    int64_t (*find)(const Paged *paged, const int64_t *page);
    /* Makes room for a page that will be entered, one of `count` in all; the mapping stays as it is. False with error_set. */
    bool (*reserve)(Paged *paged, const int64_t *page, int64_t count);
    /* Notes the frame of a page, -1: none, and what is kept for the page alone goes. */
    void (*enter)(Paged *paged, const int64_t *page, int64_t frame);
    /* Words of the table were given up that nothing tells of any more; NULL: nothing is to be done. */
    void (*give_up)(Paged *paged);
    /* Enters what the device has mapped by itself; false with error_set. NULL: it does not. */
    bool (*learn)(Paged *paged);
    /* Another one without pages, for so many frames as in its constructor; NULL with error_set. */
    Translator *(*empty)(const Paged *paged, int64_t capacity);
} PagedKind;

struct Paged {
    Translator base;
    int64_t page[SHAPE_MAX_RANK]; /* sizes of a page, x first */
    int64_t elements;             /* of a frame */
    int64_t capacity;             /* frames there may be */
    bool behind;                  /* the tables' copies don't tell all that is mapped: see `learn` */
    int sizes;                    /* numbers: the page's sizes and behind them a frame's elements, as a further one */
    /* In a frame: where the page's first element stands, how far apart those along each dimension do, what all of these are multiples of, and
     * how many elements around the page there are. Without overlap a page is row-major from its frame's first element on. */
    int64_t lead, stride[SHAPE_MAX_RANK], unit;
    int overlap;
    int strides; /* numbers: lead, then the strides from dimension 1 on; NO_NUMBER without overlap */
};

/* The functions of a row that all such kinds have; `kind` is the PagedKind's name. */
#define PAGED_FUNCTIONS                                                                                                \
    .table = {PAGED_TABLE, PAGED_BACK}, .write = paged_write, .point = paged_point, .ranges = paged_ranges,            \
    .map = paged_map, .unmap = paged_unmap

/* See TranslatorKind. */
void paged_write(const Translator *t, TranslatorGlsl *text, int number);
Outcome paged_point(const Translator *t, Direction direction, const int64_t *from, int64_t *to, void *caller);
bool paged_ranges(const Translator *t, const int64_t *first, const int64_t *last, RangeList *list, void *caller);
bool paged_map(Translator *t, int level, const int64_t *first, const int64_t *last, int64_t frame);
bool paged_unmap(Translator *t, int level, const int64_t *first, const int64_t *last, int64_t *count);

/* Nothing of the following fails for what the copies don't tell, where that has been learned. False with error_set. */
bool paged_learn(const Translator *t);
/* For containers that see to the frames themselves. The pages of a box of coordinates, both ends inside; the frame of a page. */
PageBox paged_box(const Translator *t, const int64_t *first, const int64_t *last);
int64_t paged_frame(const Translator *t, const int64_t *page);
/* Adds the mapped pages of a box, row-major where the list was empty. */
bool paged_collect(const Translator *t, const PageBox *box, PageList *list);
/* Gives each page of a list, which has it once, the frame there, and notes the one it had: NO_FRAME is none. The
 * frames are free. All, or none with error_set. */
bool paged_swap(Translator *t, PageList *list);

/* A translator of `bytes` bytes, the first of which are a Paged, with table 1 and no table 0 yet; NULL with error_set. `domain` NULL:
 * unbounded; capacity 0: what addresses reach. */
Paged *paged_make(const PagedKind *kind, size_t bytes, Device *device, const char *name, const Shape *domain,
                  const Shape *page, int64_t overlap, int64_t capacity);

/* The tables on the device become as large as their copies; and after that has failed, and what was reserved was set back, the copies are as they were. */
bool paged_fit(Paged *paged);
void paged_give_up(Paged *paged);
/* Brings what was set to the device. */
bool paged_flush(Paged *paged);

/* What tells the kinds apart. */
const PagedKind *paged_kind(const Paged *paged);
/* Where a frame's words begin in table 1: 1, or 0 where it is free, then the page's coordinates. */
int64_t paged_back(const Paged *paged, int64_t frame);
/* How many frames table 1 tells of. */
int64_t paged_frames(const Paged *paged);

/* Levels of the table of a translator_pages. */
int translator_table_levels(const Translator *t);
/* Another translator of translator_pages or translator_hash without pages. */
Translator *translator_paged_empty(const Translator *t, int64_t capacity);
/* page/page_lookup_host.c. Finds the pages of a stream of points on the device, and reads them back, each once. False with error_set. */
bool page_lookup_host(const Translator *t, const Stream *points, PageList *pages);

#endif
