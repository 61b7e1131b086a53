/* What the kinds of translators share: the translator itself, and the row of functions that makes a kind. */
#ifndef RILL_CONTAINER_TRANSLATOR_TRANSLATOR_KIND_H
#define RILL_CONTAINER_TRANSLATOR_TRANSLATOR_KIND_H

#include "container/storage/word_table.h"
#include "container/translator/translator.h"
#include "kernel/kernel.h"

enum { TRANSLATOR_NUMBERS = 96, TRANSLATOR_SIZE = 3, TRANSLATOR_TABLES = 2, NO_TABLE = -1, NO_NUMBER = -1 };

/* A text that is being written: GLSL in the kernel language, functions of plain ints. Each translator in it has a number, and writes
 *
 *     bool t<number>_translate(int v0, int v1, ..., out int p0, ..., GIVEN) { ... }
 *
 * or `t<number>_inverse`, from p to v; x is v0 and p0. `translate` is called for points of the domain only, `inverse` for any; both
 * are true where there is something. GIVEN are what the translator and those it is made of read: numbers, four to an ivec4
 * t<number>_n<k>, and a table t<number>_t[]. Whoever calls it declares them and gives them along, so the same text stands in a
 * kernel of its own or beside another's body. In front of them stand translator_glsl_functions. */
typedef struct TranslatorGlsl {
    StrBuf *out;
    Direction direction;
    int next; /* number of the next translator */
} TranslatorGlsl;

typedef struct TranslatorKind {
    /* Which table each direction reads, or NO_TABLE. */
    int table[DIRECTION_COUNT];
    /* Writes the function, and before it those that it calls; numbers of the parts follow its own in order of writing. */
    void (*write)(const Translator *t, TranslatorGlsl *text, int number);
    Outcome (*point)(const Translator *t, Direction direction, const int64_t *from, int64_t *to, void *caller);
    bool (*ranges)(const Translator *t, const int64_t *first, const int64_t *last, RangeList *list, void *caller);
    /* NULL: the mapping is fixed. `level` is 0 where pages have none. */
    bool (*map)(Translator *t, int level, const int64_t *first, const int64_t *last, int64_t frame);
    bool (*unmap)(Translator *t, int level, const int64_t *first, const int64_t *last, int64_t *count);
    void (*destroy)(Translator *t); /* what the kind holds beside the tables; NULL: nothing */
    /* Of kinds with pages: for points of the domain `translate` reads where its table has something, and p0 is negative where it is false. */
    bool trusted;
} TranslatorKind;

struct Translator {
    int references;
    uint64_t version;
    const TranslatorKind *kind;
    TranslatorInfo info;
    char name[64]; /* info.name of a user's own */
    Device *device;
    void *hooks; /* `self` of a user's own; NULL: none */
    int number_count;
    int frames; /* of kinds with pages: which number says how many frames their second table tells of */
    int32_t numbers[TRANSLATOR_NUMBERS]; /* as the text reads them; of a known domain its sizes come first */
    WordTable tables[TRANSLATOR_TABLES];
    Translator *parts[2];             /* inner and outer, of a composition */
    Kernel *kernels[DIRECTION_COUNT]; /* that translate streams; NULL until needed */
};

/* A translator of `bytes` bytes, the first of which are a Translator, with its domain's sizes (NULL: unknown) as numbers. NULL with
 * error_set. */
Translator *translator_make(const TranslatorKind *kind, size_t bytes, const char *name, int rank, int to,
                            const Shape *domain);
/* Appends a number; its place. A size is TRANSLATOR_SIZE numbers: itself, and by what one multiplies and shifts instead of dividing
 * by it. Sizes of a shape are appended x first. */
int translator_number(Translator *t, int64_t number);
int translator_size(Translator *t, int64_t size);
int translator_sizes(Translator *t, const Shape *shape);
/* Whether its tables are on the device; false with error_set: one that grew found no memory, not even as much as it had. */
bool translator_tables_there(Translator *t);
/* Declares which memory there is. */
void translator_set_memory(Translator *t, const Shape *memory);
/* Checks that no size of a shape is 0 or beyond an int, and counts its elements; -1 where they are more than addresses reach. False with
 * error_set; `what` is the shape's name. */
bool translator_shape(const Shape *shape, const char *what, int64_t *elements);
/* The same, and false where there are more elements than addresses. */
bool translator_shape_fits(const Shape *shape, const char *what, int64_t *elements);

/* The ranges of a box, address by address on the CPU: each lies along x. */
bool translator_point_ranges(const Translator *t, const int64_t *first, const int64_t *last, RangeList *list,
                             void *caller);

/* Row-major numbers on the CPU: of `count` digits below their sizes, x first, and back. */
int64_t translator_join(const int64_t *digit, const int64_t *size, int count);
void translator_split(int64_t number, const int64_t *size, int count, int64_t *digit);

#endif
