/* The engine of reductions. Every lane reduces one contiguous run of a block of neighbours. Then the results of the
 * lanes are reduced in order, until one result per block remains. The operation needs no identity, since a run starts
 * from its first element, and need not be commutative. */
#ifndef RILL_PRIMITIVE_ENGINE_REDUCER_H
#define RILL_PRIMITIVE_ENGINE_REDUCER_H

#include "primitive/engine/inputs.h"

/* A reduction. `functions` is GLSL that defines, for the value type T, the accumulator A and the result R:
 *   A rill_first(T x, int t); A rill_step(A a, T x, int t); A rill_merge(A a, A b); R rill_finish(A a, int count);
 * where t is the element's index in its block. With two sources it also defines T rill_pair(X x, Y y), which computes
 * the value. */
typedef struct ReducerText {
    const char *name; /* for messages */
    const char *functions;
    bool any_order; /* elements may be combined in any order */
    /* Optional: float rill_h(uvec4) of four floats, A rill_join(A a, four results of rill_h), and the functions of
     * `again`. */
    const char *chunk;
    /* The result of a run may be lost: bool rill_lost(A a) tests this. Then A rill_first_again(T x, int t) and A
     * rill_step_again(A a, T x, int t), which are slower, reduce the elements of the run once more, until bool
     * rill_stuck(A a): no element changes the result any more. */
    bool again;
    const Type *value;       /* T, of the built-in texts */
    const Type *accumulator; /* A */
    const Type *result;      /* R */
} ReducerText;

/* Reduces the inputs to the shape of `result`: each element of the result is the reduction of one block. */
bool reducer_run(const ReducerText *text, const Inputs *inputs, Stream *result);

#endif
