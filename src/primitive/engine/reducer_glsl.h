/* The programs of the reducer, one per key. */
#ifndef RILL_PRIMITIVE_ENGINE_REDUCER_GLSL_H
#define RILL_PRIMITIVE_ENGINE_REDUCER_GLSL_H

#include "primitive/engine/reducer.h"

typedef struct ReducerLevel {
    int64_t runs, length; /* per block */
    int64_t blocks;       /* that one invocation reduces */
    bool last;            /* writes results */
    int64_t total;        /* elements that each result combines, for means */
} ReducerLevel;

typedef struct ReducerKey {
    uint8_t first; /* reads the inputs, not the accumulators of another level */
    uint8_t special,
        tree;      /* special: 16 floats at once; tree: each work group also reduces the results of its invocations */
    uint8_t again; /* runs with unusable results are reduced again: see ReducerText.again */
    uint8_t
        last; /* writes results; else accumulators if columns are reduced, and otherwise results or accumulators as the uniforms of the level say */
    uint8_t many;    /* many outputs: the cost of a work group and of a store matters */
    uint8_t once;    /* each of many blocks is one step of whole texels: no loops */
    uint8_t several; /* an invocation reduces several consecutive blocks, so that it reads contiguous memory */
    uint8_t vectors; /* of columns: four 32-bit words at once */
    const Type *accumulator, *result;
    InputKey input;
} ReducerKey;

typedef struct ReducerLayout {
    int words, count, blocks, outputs, runs, groups, length, total, last, out_base, group;
    InputLayout input;
} ReducerLayout;

/* Finds or compiles the program of a key, whose types it fills in, and its layout. The cache owns both. Returns NULL
 * with error_set on failure. */
Program *reducer_program(const ReducerText *text, const Inputs *in, ReducerKey *key, const ReducerLayout **layout);

/* Returns the number of 32-bit words of one element of a result. Results are never packed. */
int reducer_words(const Type *type);

#endif
