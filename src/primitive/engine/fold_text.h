/* The programs of the fold engine: one per key. */
#ifndef RILL_FOLD_TEXT_H
#define RILL_FOLD_TEXT_H

#include "primitive/engine/fold.h"

typedef struct FoldLevel {
    int64_t runs, length; /* per block */
    bool last;            /* writes results */
    int64_t total;        /* elements behind each result, for means */
} FoldLevel;

typedef struct FoldKey {
    uint8_t first;         /* reads elements, not what another level left */
    uint8_t special, tree; /* 16 floats at once; groups fold their lanes' results */
    const Type *accumulator, *result;
    InputKey input;
} FoldKey;

typedef struct FoldLayout {
    int words, count, runs, length, total, last, out_base, group;
    InputLayout input;
} FoldLayout;

/* Finds or compiles the program of a key, whose types it fills in, and its layout; both stay the cache's. NULL with error_set. */
Program *fold_program(const FoldText *text, const Inputs *in, FoldKey *key, const FoldLayout **layout);

/* 32-bit words an element of a result takes; results are never packed. */
int fold_words(const Type *type);

#endif
