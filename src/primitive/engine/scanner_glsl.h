/* The programs of the scanner, one per key. */
#ifndef RILL_PRIMITIVE_ENGINE_SCANNER_GLSL_H
#define RILL_PRIMITIVE_ENGINE_SCANNER_GLSL_H

#include "primitive/engine/scanner.h"

/* Lanes of a work group that scans a unit, and elements per lane, rounded up to whole steps. */
enum { SCANNER_GROUP = 256, SCANNER_RUN = 16 };

/* A row is divided into units. Each unit is scanned by one invocation (here: a lane) or by a work group. One dispatch
 * computes the sum of each unit, the sums are scanned, and another dispatch stores the results. */
typedef struct ScannerKey {
    uint8_t store;   /* the dispatch that stores; else the dispatch that sums */
    uint8_t inner;   /* the elements are sums of units; the output is the sum before each unit */
    uint8_t tree;    /* a unit is scanned by a work group */
    uint8_t across;  /* adjacent lanes scan adjacent rows; else they scan adjacent units of a row */
    uint8_t carry;   /* a row has several units: the sum before each is read */
    uint8_t counts;  /* this dispatch reaches the end of the row and writes the final values of the counters */
    uint8_t length;  /* the number of elements is read from a buffer */
    uint8_t flat;    /* results are stored as whole texels */
    uint8_t special; /* sixteen floats at once */
    uint8_t identity, compact, ending, output_count, counter_count;
    uint8_t previous[INPUT_SOURCES], counter[SCANNER_OUTPUTS];
    const Type *accumulator, *types[SCANNER_OUTPUTS]; /* types: of the used outputs */
    InputKey input;
} ScannerKey;

/* Offsets of uniform 32-bit words unless a comment says otherwise. */
typedef struct ScannerLayout {
    int words;     /* number of words */
    int count;     /* units of all rows */
    int units;     /* per row; then a multiplier and a shift for divisions */
    int rows;      /* of all; then a multiplier and a shift */
    int unit, run; /* elements of a unit, of a lane */
    int total;     /* elements of the row on the outermost level */
    int divisor;   /* elements of the outermost level for each element of this level */
    int length;    /* word of the length in its buffer */
    int dump;      /* compact: per output the index of the first element for stores that are discarded */
    int group;     /* lanes of a work group */
    int carry, partial, length_unit, counts; /* texture units, and the storage block of the counters */
    InputLayout input;
} ScannerLayout;

/* Finds or compiles the program of a key, and its layout. The cache owns both. Returns NULL with error_set on
 * failure. */
Program *scanner_program(const ScannerText *text, const Inputs *in, const ScannerKey *key,
                         const ScannerLayout **layout);

/* State shared by the files that write a program. */
typedef struct ScannerWriter {
    const ScannerText *text;
    const Inputs *in;
    const ScannerKey *key;
    const ScannerLayout *layout;
    StrBuf *out;
    InputText *input;
    char area[SCANNER_OUTPUTS][MAX_NAME + 16]; /* shared memory in which results are exchanged; "" if they are not */
} ScannerWriter;

/* Functions of scanner_traverse.c. */

/* Returns the GLSL name of the accumulator's type. */
const char *scanner_accumulator(const ScannerWriter *w);
/* Returns whether output k is stored as whole texels. */
bool scanner_is_flat(const ScannerWriter *w, int k);
/* Writes the loop over a lane's run, elements `start` to `end`. It merges the elements into `acc`, and stores results
 * if `store` is set. */
void scanner_traverse(ScannerWriter *w, bool store);
/* Writes the variable to which texel `texel` of a step's results of output k is assigned. */
void scanner_write_target(ScannerWriter *w, int k, int texel);
/* Writes the declarations of the sources' values of element t (k < 0) or of element k of a step. */
void scanner_write_values(ScannerWriter *w, int k);
/* Writes ELEMENT: the arguments for the text's functions. `suffix` is the end of the names of the values. */
void scanner_write_element(ScannerWriter *w, const char *suffix);
/* Writes the declarations of the values of the element before `at`. */
void scanner_write_previous(ScannerWriter *w, const char *at);

/* Functions of scanner_staging.c, which do nothing for programs in which a lane scans a unit. */

/* Writes the declarations of shared memory, and chooses the streams that are exchanged. */
void scanner_write_staging(ScannerWriter *w);
/* Writes the loads of a unit, before its elements are traversed. All lanes must run them. */
void scanner_write_staged_loads(ScannerWriter *w);
/* Writes the stores of a unit's results, after its elements were traversed. All lanes must run them. */
void scanner_write_staged_stores(ScannerWriter *w);

#endif
