/* The engine of reductions. Each invocation reduces one run: a part of a block (inputs.h) whose elements are
 * consecutive. Then the results of the runs are reduced in order, until one result per block remains. The operation
 * needs no identity, because a run starts with its first element. It must be associative and need not be
 * commutative. */
#ifndef RILL_PRIMITIVE_ENGINE_REDUCER_H
#define RILL_PRIMITIVE_ENGINE_REDUCER_H

#include "primitive/engine/inputs.h"

enum { REDUCER_MOST_ELEMENTS = 16384, REDUCER_FLUSHED = 128 };

/* A reduction. `functions` is GLSL that defines, for the value type T, the accumulator A and the result R:
 *   A rill_first(T x, int t); A rill_step(A a, T x, int t); A rill_merge(A a, A b); R rill_finish(A a, double count);
 * where t is the element's index in its block. With two sources it also defines T rill_pair(X x, Y y), which computes
 * the value. */
typedef struct ReducerText {
    const char *name; /* for messages */
    const char *functions;
    bool any_order; /* elements may be combined in any order */
    /* Optional, for floats read in whole texels. GLSL that defines float rill_h(uvec4), which combines four floats
     * given as bits, A rill_join(A a, float, float, float, float), which adds four results of rill_h, and the functions
     * of `again`. */
    const char *chunk;
    /* Set if the result of a run may be unusable, for example after an overflow. bool rill_lost(A a) tests this. The
     * run is then reduced again by the slower functions A rill_first_again(T x, int t) and A rill_step_again(A a, T x,
     * int t). This stops early if bool rill_stuck(A a) returns true: no further element can change the result. */
    bool again;
    /* If not 0, a run has at most this number of elements, and is divided into parts. A rill_start(T x, T y, T z) replaces
     * rill_first: it returns the accumulator of no elements, for a run with these elements. A rill_flush(A a) is called
     * at the end of a part, and in loops over `chunk` after every REDUCER_FLUSHED elements; RILL_FLUSHED is the number of
     * elements between. rill_h then returns its argument. The elements of a lost part are added again: without `chunk`
     * by rill_step to A rill_restart(A lost), unless loops compute them; and if this is also lost, or with `chunk`, by
     * rill_step_again to A rill_none().
     * A rill_add(A a, A part) adds a part to the run. At most 256 results of A rill_carried(A a) may be added by rill_add;
     * rill_merge has no limit. */
    int flush;
    /* Optional: doubles that the text reads as RILL_CONSTANT0, RILL_CONSTANT1 ... */
    const double *constants;
    int constant_count;
    const Type *value;       /* T, of the built-in texts */
    const Type *accumulator; /* A */
    const Type *result;      /* R */
} ReducerText;

/* Reduces the inputs to the shape of `result`: each element of the result is the reduction of one block. */
bool reducer_run(const ReducerText *text, const Inputs *inputs, Stream *result);

/* Combines accumulators of one or more reductions, a stream of the accumulator type in one dimension, in their order.
 * Stores the result of all of them, which have `total` elements, in `result`, a stream of one element. */
bool reducer_join(const ReducerText *text, const Stream *states, int64_t total, Stream *result);

#endif
