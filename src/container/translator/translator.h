/* Address translators (Glift 2.2.3): from addresses of a virtual domain to those of memory, and back. Analytic ones, page tables, lists,
 * spatial hashes, a user's own, and any of them composed.
 *
 * A point is an array of coordinates from 0, x (the fastest dimension) first. The CPU translates points, the device streams of them,
 * by the same numbers and tables. Where a device's result says that an address is mapped to no memory, or memory to no address,
 * every component is TRANSLATOR_NOWHERE. */
#ifndef RILL_CONTAINER_TRANSLATOR_TRANSLATOR_H
#define RILL_CONTAINER_TRANSLATOR_TRANSLATOR_H

#include "container/translator/range.h"
#include "stream/stream.h"

typedef struct Translator Translator;

typedef enum Direction { DIRECTION_TRANSLATE, DIRECTION_INVERSE, DIRECTION_COUNT } Direction;

/* What became of a point. FAILED: with error_set. */
typedef enum Outcome { OUTCOME_FAILED, OUTCOME_NOWHERE, OUTCOME_FOUND } Outcome;

#define TRANSLATOR_NOWHERE INT32_MIN

/* Complexities are "1", "log n" or "n", of n addresses that are mapped or could be. */
typedef struct TranslatorTraits {
    const char *memory, *access;
    const char *location; /* "gpu" or "cpu" */
    bool consistent;      /* each translation takes the same instructions */
    bool complete;        /* every address of the domain is mapped */
    bool one_to_one;
    bool invertible;
    bool mutable;
} TranslatorTraits;

/* Sizes per dimension, x first, where they are known. */
typedef struct Bounds {
    bool known;
    int64_t size[SHAPE_MAX_RANK];
} Bounds;

typedef struct TranslatorInfo {
    const char *name; /* "linear", "pages" ...; of a user's own its name */
    int rank, to;     /* dimensions of the domain and of the memory */
    Bounds domain, memory;
    TranslatorTraits traits;
    bool pointwise;         /* every address is asked for its ranges */
    bool row_major;         /* addresses and those in memory have the same row-major numbers */
    bool pages;             /* can be mapped and unmapped by pages */
    int levels;             /* of its pages, where they have some, else 0 */
    int64_t mapped;         /* pages, of such a one */
    int64_t page, capacity; /* elements of a page, replicas counted, and pages there may be */
    int overlap;            /* so many elements of what is around a page stand beside its own */
} TranslatorInfo;

/* The `self` of hooks number `i` of it and what it is made of; NULL: there are fewer. */
void *translator_hooks(const Translator *t, int i);

/* Counted. The last one goes inside a scope of the translator's device, where it has one; releasing NULL does nothing. */
Translator *translator_retain(Translator *t);
void translator_release(Translator *t);

/* How often pages were mapped or unmapped, its parts' too. */
uint64_t translator_version(const Translator *t);
/* Whether there are further references. */
bool translator_shared(const Translator *t);

/* What there is to know about it; and its tables' device, NULL where it has none. */
TranslatorInfo translator_info(const Translator *t);
Device *translator_device(const Translator *t);
/* Whether a point lies in the domain. */
bool translator_inside(const Translator *t, const int64_t *point);

/* Writes "{1, 2, 3}", and returns the text. */
enum { TRANSLATOR_POINT_TEXT = 192 };
const char *translator_point_text(const int64_t *point, int rank, char text[TRANSLATOR_POINT_TEXT]);

/* One point on the CPU; of the domain, when translated. */
Outcome translator_point(const Translator *t, Direction direction, const int64_t *from, int64_t *to, void *caller);
/* Adds the mapped parts of the box first .. last (inclusive, in the domain; empty where last < first) as ranges, in address order: page
 * by page, row-major within. */
bool translator_ranges(const Translator *t, const int64_t *first, const int64_t *last, RangeList *list, void *caller);

/* The same for the box first .. last of memory: which addresses stand there, in the order of memory, row-major; of a translator that can be
 * inverted. */
bool translator_inverse_ranges(const Translator *t, const int64_t *first, const int64_t *last, RangeList *list,
                               void *caller);

/* What a stream of points is made of: elements of 1 to 4 ints, or beyond four dimensions ints whose last dimension are the
 * coordinates. Sets the shape of the points; false with error_set. */
bool translator_points_check(const Stream *points, int rank, Shape *shape);
/* All points of a stream on the device, into a new stream, whose length may be known only there, too. What is outside of the domain is
 * nowhere. */
bool translator_stream(Translator *t, Direction direction, const Stream *points, Stream *result);

/* Sizes of a page, x first, of translators with pages. */
void translator_page_sizes(const Translator *t, int64_t *page);
/* Of translators with pages only. Maps the pages that the box touches, row-major, to frames from `frame` on; all of them, or none with error_set: a page that is mapped
 * already, a frame that is in use or beyond the capacity. */
bool translator_map(Translator *t, const int64_t *first, const int64_t *last, int64_t frame);
/* The same for pages of a level, of those with levels. */
bool translator_map_level(Translator *t, int level, const int64_t *first, const int64_t *last, int64_t frame);
bool translator_unmap_level(Translator *t, int level, const int64_t *first, const int64_t *last, int64_t *count);
/* Unmaps those of them that are mapped, and counts them; false with error_set. */
bool translator_unmap(Translator *t, const int64_t *first, const int64_t *last, int64_t *count);

#endif
