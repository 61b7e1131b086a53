/* The programs of the reducer: one per key. */
#ifndef RILL_PRIMITIVE_ENGINE_REDUCER_GLSL_H
#define RILL_PRIMITIVE_ENGINE_REDUCER_GLSL_H

#include "primitive/engine/reducer.h"

typedef struct ReducerLevel {
    int64_t runs, length; /* per block */
    int64_t blocks;       /* that an invocation walks through */
    bool last;            /* writes results */
    int64_t total;        /* elements behind each result, for means */
} ReducerLevel;

typedef struct ReducerKey {
    uint8_t first;         /* reads elements, not what another level left */
    uint8_t special, tree; /* 16 floats at once; groups reduce their lanes' results */
    uint8_t again;         /* runs whose results are lost are reduced again */
    uint8_t last;    /* results are stored; else, of columns, accumulators, of others what the level's words say */
    uint8_t many;    /* outputs: what a work group and a store cost counts */
    uint8_t once;    /* each of many blocks is one step through whole texels: no loops */
    uint8_t walk;    /* an invocation reduces some blocks, one after the other, so that it reads on and on */
    uint8_t vectors; /* of columns: four words at once */
    const Type *accumulator, *result;
    InputKey input;
} ReducerKey;

typedef struct ReducerLayout {
    int words, count, blocks, outputs, runs, groups, length, total, last, out_base, group;
    InputLayout input;
} ReducerLayout;

/* Finds or compiles the program of a key, whose types it fills in, and its layout; both stay the cache's. NULL with error_set. */
Program *reducer_program(const ReducerText *text, const Inputs *in, ReducerKey *key, const ReducerLayout **layout);

/* 32-bit words an element of a result takes; results are never packed. */
int reducer_words(const Type *type);

#endif
