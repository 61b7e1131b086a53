/* The programs of the fold engine: one per key. */
#ifndef RILL_FOLD_TEXT_H
#define RILL_FOLD_TEXT_H

#include "primitive/fold.h"

/* Blocks of neighbours, dimensions merged, fastest first: index d = output * part + place in the block. */
typedef struct FoldShape {
    int rank;
    int64_t out[SHAPE_MAX_RANK], part[SHAPE_MAX_RANK];
    int64_t outputs, block;
    ViewDim dim[2][SHAPE_MAX_RANK]; /* of each input */
} FoldShape;

typedef struct FoldLevel {
    int64_t runs, length; /* per block */
    bool last;            /* writes results */
    int64_t total;        /* elements behind each result, for means */
} FoldLevel;

typedef struct FoldKey {
    uint8_t check;       /* report gathers out of range */
    uint8_t first;       /* reads elements, not what another level left */
    uint8_t rank, parts; /* bit d: dimension d has more than one element per block */
    uint8_t flat, special, tree, chunk;
    ArgKey args[FOLD_MAX_ARGS];
} FoldKey;

typedef struct FoldLayout {
    int words, count, runs, length, block, four, total, last, shape, out_base;
    int group, textures, blocks;
    bool canary;
    ArgLayout args[FOLD_MAX_ARGS];
} FoldLayout;

typedef struct FoldProgram {
    FoldLayout layout;
    Program *program;
} FoldProgram;

/* Finds or compiles the program; kept for the life of the process. */
const FoldProgram *fold_program(Device *device, const FoldText *text, const FoldArgs *args, const FoldKey *key);

/* 32-bit words an element of a result takes; results are never packed. */
int fold_words(const Type *type);

#endif
