/* The engine of scans (Blelloch 1990). As in PyOpenCL, a scan consists of inputs, an associative operator and output
 * statements. GLSL texts for this engine implement scan, filter, find, partition, reductions by key and segmented
 * operations.
 *
 * Elements have the indices i = 0 .. n - 1 within their row, in scan order. A text is GLSL. In it, ELEMENT stands for
 * the values of the sources in order. If `previous` is set for a source, its value is followed by its value of element
 * i - 1 (for element 0: of element 0). ELEMENT is "X0 x0, X0 before0, X1 x1", for example. A text defines, for the
 * accumulator A:
 *
 *   A rill_lift(ELEMENT, int i)
 *             converts an element to an accumulator.
 *   A rill_merge(A a, A b)
 *             combines two accumulators. It must be associative and need not be commutative. The order of combination
 *             is the same in every run.
 *   A rill_identity()
 *             returns the identity, if `identity` is set. Compact scans must have one.
 *
 * and for every output K, of type R:
 *
 *   dense:    R rill_out_K(ELEMENT, int i, A before, A after, bool first)
 *             returns the result that is stored for element i. `before` merges the elements of the row up to i - 1,
 *             `after` up to i. For the first element of a row `before` is the identity, or zeros if there is none.
 *   compact:  R rill_out_K(ELEMENT, int i, A before, A after)
 *             returns the result for element i. It is stored only if the output's counter increased, at the old value
 *             of the counter, so that kept elements stay in order. It is called for every element.
 *   int rill_count_C(A a, int n)
 *             returns the value of counter C: how many of the first n elements are kept, whose accumulator is a. It
 *             must be 0 for n = 0 and increase by at most 1 with each element.
 *   R rill_end_K(ELEMENT, int n, A total)
 *             if `ending` is set: returns one more result after all kept elements, if n > 0. ELEMENT is the last
 *             element.
 *
 * A compact scan evaluates the sources, rill_lift and rill_merge in two programs, which must keep the same elements.
 * Base the decision on stored values: compilers may compute different bits for the same float arithmetic in two
 * programs.
 *
 * Names of a text's own helpers and macros begin with rill_ or k_. Functions of kernels begin with u_. */
#ifndef RILL_PRIMITIVE_ENGINE_SCANNER_H
#define RILL_PRIMITIVE_ENGINE_SCANNER_H

#include "primitive/engine/inputs.h"

enum { SCANNER_OUTPUTS = 4, SCANNER_COUNTERS = 4 };

typedef struct ScannerText {
    const char *name; /* for messages */
    const char *functions;
    /* Optional, for dense scans of one float source into one float output. The functions process sixteen elements at
     * once, with the accumulator `a` before them, and return the accumulator after them. rill_scan16 also replaces the
     * elements by the results.
     *   A rill_sum16(A a, vec4 p, vec4 q, vec4 r, vec4 s)
     *   A rill_scan16(A a, inout vec4 p, inout vec4 q, inout vec4 r, inout vec4 s) */
    const char *special;
    const Type *accumulator; /* a value type or a structure of value types */
    bool identity;
    bool compact, ending;
    bool previous[INPUT_SOURCES];
    int output_count, counter_count;
    struct {
        const Type *type; /* a value type; packed types are cast afterwards */
        int counter;      /* compact */
    } outputs[SCANNER_OUTPUTS];
} ScannerText;

/* Scans the rows of in->domain. `rows` is the domain's shape with size 1 in every scanned dimension, or one element
 * to scan all elements in row-major order. `reversed`: from the last element to the first. Creates `results`, one per
 * output, with the domain's shape. If only the device has the length of the inputs, the results have the same length
 * on the device. Call it inside a scope of the device. Returns false with error_set on failure. */
bool scanner_dense(const ScannerText *text, const Inputs *in, const Shape *rows, bool reversed, Stream *results);

/* Scans the whole domain as one row and creates one-dimensional `results`. On the family cpu their length is exact.
 * On the family gpu their shape is an upper bound and the length stays on the device until stream_settle reads it.
 * Returns false with error_set on failure. */
bool scanner_compact(const ScannerText *text, const Inputs *in, Stream *results);
/* Converts a result to `type`, for example from float to half, and keeps its length. */
bool scanner_restore(Stream *result, const Type *type);

#endif
