/* Address translators (Glift 2.2.3): maps from addresses of a virtual domain to addresses of memory, and
 * back. There are analytic translators, page tables, lists, spatial hashes, custom translators, and
 * compositions of any of them.
 *
 * A point is an array of coordinates, 0-based, x (the fastest dimension) first. The CPU translates points and
 * the device translates streams of points, with the same numbers and tables. If an address is mapped to no
 * memory, or memory to no address, every component of the device's result is TRANSLATOR_UNMAPPED. */
#ifndef RILL_CONTAINER_TRANSLATOR_TRANSLATOR_H
#define RILL_CONTAINER_TRANSLATOR_TRANSLATOR_H

#include "container/translator/range.h"
#include "stream/stream.h"

typedef struct Translator Translator;

typedef enum Direction { DIRECTION_TRANSLATE, DIRECTION_INVERSE, DIRECTION_COUNT } Direction;

/* The result of translating a point. OUTCOME_FAILED: with error_set. OUTCOME_UNMAPPED: the point is not
 * mapped. */
typedef enum Outcome { OUTCOME_FAILED, OUTCOME_UNMAPPED, OUTCOME_FOUND } Outcome;

#define TRANSLATOR_UNMAPPED INT32_MIN

/* Characteristics of a translator. Complexities are "1", "log n" or "n", for n mapped or possible
 * addresses. */
typedef struct TranslatorTraits {
    const char *memory, *access;
    const char *location; /* "gpu" or "cpu" */
    bool consistent;      /* every translation executes the same instructions, whatever the address */
    bool complete;        /* every address of the domain is mapped */
    bool one_to_one;
    bool invertible;
    bool mutable;
} TranslatorTraits;

/* Sizes in each dimension, x first, if they are known. */
typedef struct Bounds {
    bool known;
    int64_t size[SHAPE_MAX_RANK];
} Bounds;

typedef struct TranslatorInfo {
    const char *name; /* "linear", "pages" ...; of a custom translator its name */
    int rank, to;     /* dimensions of the domain and of the memory */
    Bounds domain, memory;
    TranslatorTraits traits;
    bool pointwise;         /* ranges are computed by translating each address */
    bool row_major;         /* row-major indices of addresses and of their memory addresses are equal */
    bool pages;             /* has pages that can be mapped and unmapped */
    int levels;             /* number of levels of pages; 0 if pages have one size */
    int64_t mapped;         /* number of mapped pages */
    int64_t page, capacity; /* elements of a page, halo included; greatest number of pages */
    int overlap;            /* width of the halo of each page, in elements */
} TranslatorInfo;

/* Returns the `self` of hooks number i (0-based) of a translator and its parts; NULL if there are fewer. */
void *translator_hooks(const Translator *t, int i);

/* Adds a reference and returns the translator. */
Translator *translator_retain(Translator *t);
/* Releases a reference. The last one is released inside a scope of the translator's device, if it has one.
 * Does nothing if t is NULL. */
void translator_release(Translator *t);

/* Returns how often pages of the translator and its parts were mapped or unmapped. */
uint64_t translator_version(const Translator *t);
/* Returns whether there is more than one reference. */
bool translator_shared(const Translator *t);

/* Returns the properties of a translator. */
TranslatorInfo translator_info(const Translator *t);
/* Returns the device of the translator's tables; NULL if it has no tables. */
Device *translator_device(const Translator *t);
/* Returns whether a point lies in the domain. */
bool translator_inside(const Translator *t, const int64_t *point);

enum { TRANSLATOR_POINT_TEXT = 192 };
/* Writes a point as "{1, 2, 3}" and returns the text. */
const char *translator_point_text(const int64_t *point, int rank, char text[TRANSLATOR_POINT_TEXT]);

/* Translates a point on the CPU. With DIRECTION_TRANSLATE it must lie in the domain. `caller` is passed to
 * the functions of custom translators. */
Outcome translator_point(const Translator *t, Direction direction, const int64_t *from, int64_t *to, void *caller);
/* Adds the mapped parts of the box first .. last (inclusive, in the domain; empty if last < first) as ranges,
 * in address order: page by page, row-major within a page. Returns false with error_set on failure. */
bool translator_ranges(const Translator *t, const int64_t *first, const int64_t *last, RangeList *list, void *caller);

/* Adds the addresses that are stored in the box first .. last of memory as ranges, in row-major order of
 * memory. The translator must be invertible. Returns false with error_set on failure. */
bool translator_inverse_ranges(const Translator *t, const int64_t *first, const int64_t *last, RangeList *list,
                               void *caller);

/* Checks that a stream consists of points of `rank` coordinates: elements of 1 to 4 ints, or for a greater
 * rank ints whose last dimension are the coordinates. Sets the shape of the points. Returns false with
 * error_set on failure. */
bool translator_points_check(const Stream *points, int rank, Shape *shape);
/* Translates a stream of points on the device to a new stream. The length of the stream may be known to the
 * device only. Points outside of the domain give TRANSLATOR_UNMAPPED. Returns false with error_set on
 * failure. */
bool translator_stream(Translator *t, Direction direction, const Stream *points, Stream *result);

/* Sets the sizes of a page, x first, of a translator with pages. */
void translator_page_sizes(const Translator *t, int64_t *page);
/* Maps the pages that a box touches, in row-major order, to frames from `frame` on. The translator must have
 * pages. If a page is mapped already, or a frame is in use or beyond the capacity, it maps none and returns
 * false with error_set. */
bool translator_map(Translator *t, const int64_t *first, const int64_t *last, int64_t frame);
/* Maps pages of a level as translator_map does. The translator's pages must have levels. */
bool translator_map_level(Translator *t, int level, const int64_t *first, const int64_t *last, int64_t frame);
/* Unmaps pages of a level as translator_unmap does. */
bool translator_unmap_level(Translator *t, int level, const int64_t *first, const int64_t *last, int64_t *count);
/* Unmaps the mapped pages that a box touches, and counts them. Returns false with error_set on failure. */
bool translator_unmap(Translator *t, const int64_t *first, const int64_t *last, int64_t *count);

#endif
