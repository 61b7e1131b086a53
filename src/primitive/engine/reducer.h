/* The reducer: the engine of reductions. Every lane reduces one contiguous run of a block of neighbours, then the lanes' results
 * are reduced, in order, until one per block is left. No identity is needed: a run starts from its first element, and the
 * operation need not commute. */
#ifndef RILL_PRIMITIVE_ENGINE_REDUCER_H
#define RILL_PRIMITIVE_ENGINE_REDUCER_H

#include "primitive/engine/inputs.h"

/* What is reduced. The text defines, for the value type T, the accumulator A and the result R:
 *   A rill_first(T x, int t); A rill_step(A a, T x, int t); A rill_merge(A a, A b); R rill_finish(A a, int count);
 * t is the element's number in its block. With two sources T rill_pair(X x, Y y) makes the value. */
typedef struct ReducerText {
    const char *name; /* for messages */
    const char *functions;
    bool any_order; /* elements may be taken in another order, whatever their numbers */
    const char *
        chunk; /* optional: float rill_h(uvec4) of four floats, A rill_join(A a, four of those), and what `again` asks for */
    bool again;        /* results of runs may be lost: bool rill_lost(A a); then A rill_first_again(T x, int t) and A
                          rill_step_again(A a, T x, int t), which are slower, reduce the run's elements once more, until bool
                          rill_stuck(A a): no element changes the result any more */
    const Type *value; /* T, of the built-in texts */
    const Type *accumulator; /* A */
    const Type *result;      /* R */
} ReducerText;

/* Reduces the blocks of the inputs that `result`'s shape leaves. */
bool reducer_run(const ReducerText *text, const Inputs *inputs, Stream *result);

#endif
