/* The programs of the scanner: one per key. */
#ifndef RILL_PRIMITIVE_ENGINE_SCANNER_GLSL_H
#define RILL_PRIMITIVE_ENGINE_SCANNER_GLSL_H

#include "primitive/engine/scanner.h"

enum { SCANNER_GROUP = 256 }; /* lanes that share their sums, where groups do */

/* A row is cut into units, each of a lane or of a group of lanes: one dispatch sums them, the sums are scanned, one stores. */
typedef struct ScannerKey {
    uint8_t store;   /* else sums */
    uint8_t inner;   /* elements are sums; the output is what is before them */
    uint8_t tree;    /* a unit is a group */
    uint8_t across;  /* neighbouring lanes work on neighbouring rows, else on neighbouring units of a row */
    uint8_t carry;   /* there are units before */
    uint8_t counts;  /* the end of the row is here: write what the counters say */
    uint8_t length;  /* the number of elements lies in a buffer */
    uint8_t flat;    /* results are stored as whole texels */
    uint8_t special; /* sixteen floats at once */
    uint8_t identity, compact, ending, output_count, counter_count;
    uint8_t previous[INPUT_SOURCES], counter[SCANNER_OUTPUTS];
    const Type *accumulator, *types[SCANNER_OUTPUTS]; /* of the outputs in use */
    InputKey input;
} ScannerKey;

typedef struct ScannerLayout {
    int words;
    int count;     /* units in all */
    int units;     /* per row; multiplier, shift */
    int rows;      /* in all; multiplier, shift */
    int unit, run; /* elements of a unit, of a lane */
    int total;     /* elements of the row at first */
    int divisor;   /* of those, behind each element here */
    int length;    /* word of the length's buffer */
    int dump;      /* compact: per output the first place for stores that don't count */
    int group;
    int carry, partial, length_unit, counts; /* textures, and the block of the counters' values */
    InputLayout input;
} ScannerLayout;

/* Finds or compiles the program of a key, and its layout; both stay the cache's. NULL with error_set. */
Program *scanner_program(const ScannerText *text, const Inputs *in, const ScannerKey *key,
                         const ScannerLayout **layout);

/* What the files that write a program share. */
typedef struct ScannerWriter {
    const ScannerText *text;
    const Inputs *in;
    const ScannerKey *key;
    const ScannerLayout *layout;
    StrBuf *out;
    InputText *input;
} ScannerWriter;

/* scanner_traverse.c. The accumulator's GLSL name; whether output k is stored as whole texels by the steps that read such. */
const char *scanner_accumulator(const ScannerWriter *w);
bool scanner_is_flat(const ScannerWriter *w, int k);
/* A lane's run, elements `start` to `end`: merges them into `acc`, from what it holds, and stores if asked to. */
void scanner_traverse(ScannerWriter *w, bool store);
/* Parts of it: the sources' values of element t (k < 0) or of element k of a step; the elements' arguments to the text's functions, of
 * values named so; and the variables of the element before. */
void scanner_write_values(ScannerWriter *w, int k);
void scanner_write_element(ScannerWriter *w, const char *suffix);
void scanner_write_previous(ScannerWriter *w, const char *at);

#endif
