/* The members of a translator, and the table of functions that implements a kind of translator. */
#ifndef RILL_CONTAINER_TRANSLATOR_TRANSLATOR_KIND_H
#define RILL_CONTAINER_TRANSLATOR_TRANSLATOR_KIND_H

#include "container/storage/word_table.h"
#include "container/translator/translator.h"
#include "kernel/kernel.h"

enum { TRANSLATOR_NUMBERS = 96, TRANSLATOR_SIZE = 3, TRANSLATOR_TABLES = 2, NO_TABLE = -1, NO_NUMBER = -1 };

/* The text of a kernel to which translators append their functions. A translator with the id 3 writes the
 * function
 *
 *     bool t3_translate(int v0, int v1, ..., out int p0, ..., GIVEN) { ... }
 *
 * or `t3_inverse`, which computes v from p. v are coordinates of the domain and p an address in memory; v0 and
 * p0 are the x components. `translate` is called only for points of the domain, `inverse` for any point. Both
 * return whether the point is mapped. GIVEN are the arguments that the translator and its parts read: the
 * translator's `numbers`, four per argument `ivec4 t3_n<k>`, and a table `int t3_t[]`. The caller declares and
 * passes them, so the same text works in a separate kernel and inside of another kernel. The caller adds the
 * string translator_glsl_functions (glsl.h) to the program once, before these functions. */
typedef struct TranslatorGlsl {
    StrBuf *out;
    Direction direction;
    int next; /* id of the next translator */
} TranslatorGlsl;

typedef struct TranslatorKind {
    /* The table that each direction reads, or NO_TABLE. */
    int table[DIRECTION_COUNT];
    /* Writes the function of the translator with the id `number`. A composition writes the functions of its
     * parts first; they get the ids after `number`, in the order in which they are written. */
    void (*write)(const Translator *t, TranslatorGlsl *text, int number);
    Outcome (*point)(const Translator *t, Direction direction, const int64_t *from, int64_t *to, void *caller);
    bool (*ranges)(const Translator *t, const int64_t *first, const int64_t *last, RangeList *list, void *caller);
    /* NULL: the mapping cannot change. `level` is 0 if pages have no levels. */
    bool (*map)(Translator *t, int level, const int64_t *first, const int64_t *last, int64_t frame);
    bool (*unmap)(Translator *t, int level, const int64_t *first, const int64_t *last, int64_t *count);
    void (*destroy)(Translator *t); /* releases what the kind holds besides the tables; NULL: nothing */
    /* Set for kinds with pages whose generated `translate` reads only within its table for points of the
     * domain, and sets p0 to a negative number if it returns false. */
    bool trusted;
} TranslatorKind;

struct Translator {
    int references;
    uint64_t version;
    const TranslatorKind *kind;
    TranslatorInfo info;
    char name[64]; /* the name of a custom translator, to which info.name points */
    Device *device;
    void *hooks; /* `self` of a custom translator; NULL: none */
    int number_count;
    int frames; /* of kinds with pages: numbers[frames] is the number of frames that tables[1] has entries for */
    int32_t
        numbers[TRANSLATOR_NUMBERS]; /* arguments of the generated GLSL; if the domain is known, its sizes come first */
    WordTable tables[TRANSLATOR_TABLES];
    Translator *parts[2];             /* of a composition: inner and outer */
    Kernel *kernels[DIRECTION_COUNT]; /* translate streams; NULL until needed */
};

/* Creates a translator of `bytes` bytes, which begin with a Translator. The sizes of the domain (NULL:
 * unknown) become its first numbers. Returns NULL with error_set on failure. */
Translator *translator_make(const TranslatorKind *kind, size_t bytes, const char *name, int rank, int to,
                            const Shape *domain);
/* Appends a number and returns its index. */
int translator_number(Translator *t, int64_t number);
/* Appends a size and returns its index. A size consists of TRANSLATOR_SIZE numbers: itself, and the
 * multiplier and shift that replace a division by it. */
int translator_size(Translator *t, int64_t size);
/* Appends the sizes of a shape, x first, and returns the index of the first. */
int translator_sizes(Translator *t, const Shape *shape);
/* Ensures that all tables of the translator and its parts are on the device. Call it before a launch that
 * reads the tables. A table exists only on the host if its last growth found no device memory; it is copied to
 * the device again. Returns false with error_set on failure. */
bool translator_tables_there(Translator *t);
/* Sets the sizes of the memory that addresses reach. */
void translator_set_memory(Translator *t, const Shape *memory);
/* Checks that each size of a shape is from 1 to 2^31 - 1. Sets *elements to the number of elements, or -1 if
 * there are more than 2^31 - 1. `what` is the shape's name in messages. Returns false with error_set on
 * failure. */
bool translator_shape(const Shape *shape, const char *what, int64_t *elements);
/* Checks a shape as translator_shape does, and fails if it has more than 2^31 - 1 elements. */
bool translator_shape_fits(const Shape *shape, const char *what, int64_t *elements);

/* Adds the ranges of a box of the domain by translating the coordinates of each of its points on the CPU. Each
 * range lies along x. Returns false with error_set on failure. */
bool translator_point_ranges(const Translator *t, const int64_t *first, const int64_t *last, RangeList *list,
                             void *caller);

/* Returns the row-major index of the point `digit` in an array of the sizes `size`, both x first with `count`
 * elements. */
int64_t translator_join(const int64_t *digit, const int64_t *size, int count);
/* Converts a row-major index to a point (translator_join is the inverse). */
void translator_split(int64_t number, const int64_t *size, int count, int64_t *digit);

#endif
