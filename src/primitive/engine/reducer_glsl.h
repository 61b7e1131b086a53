/* The programs of the reducer, one per key. A block (see inputs.h) is the part of the input that is reduced to one
 * result; it is not a work group. Each block is divided into one or more runs. An invocation reduces a run, or
 * the runs of several blocks. */
#ifndef RILL_PRIMITIVE_ENGINE_REDUCER_GLSL_H
#define RILL_PRIMITIVE_ENGINE_REDUCER_GLSL_H

#include "primitive/engine/reducer.h"

typedef struct ReducerLevel {
    int64_t runs, length; /* number of runs per block, and elements per run */
    int64_t blocks;       /* number of consecutive blocks of the input that one invocation reduces */
    bool last;            /* the level stores results; other levels store accumulators */
    int64_t total;        /* elements that each result combines, for means */
} ReducerLevel;

typedef struct ReducerKey {
    uint8_t first; /* reads the inputs, not the accumulators of another level */
    uint8_t special,
        tree;      /* special: 16 floats at once; tree: each work group also reduces the results of its invocations */
    uint8_t again; /* runs with unusable results are reduced again: see ReducerText.again */
    /* 1: the program always stores results. 0: a program that reduces columns always stores accumulators. Any other
     * program stores results or accumulators, depending on a uniform that is set from ReducerLevel.last. */
    uint8_t last;
    uint8_t many;      /* many outputs: the cost of a work group and of a store matters */
    uint8_t once;      /* a block has exactly `input.chunk` elements, in whole texels, so the program has no loop */
    uint8_t several;   /* an invocation reduces several consecutive blocks, so that it reads contiguous memory */
    uint8_t constants; /* number of ReducerText.constants */
    uint8_t vectors;   /* of columns: four 32-bit words at once */
    const Type *accumulator, *result;
    InputKey input;
} ReducerKey;

typedef struct ReducerLayout {
    int words, count, blocks, outputs, runs, groups, length, total, last, out_base, constants, group;
    InputLayout input;
} ReducerLayout;

/* Returns the program of a key, which is compiled if it is not in the cache, and sets *layout to the layout of its
 * parameters. Sets the types in the key from `text`. The cache owns the program and the layout. Returns NULL with
 * error_set on failure. */
Program *reducer_program(const ReducerText *text, const Inputs *in, ReducerKey *key, const ReducerLayout **layout);

/* Returns the number of 32-bit words of one element of a result. Results are never packed. */
int reducer_words(const Type *type);

#endif
