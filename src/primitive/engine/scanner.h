/* The scanner: the engine of scans (Blelloch 1990; its three parts as in PyOpenCL's): inputs, an associative operator, output statements.
 * scan, filter, find, partition, runs and segmented operations are texts for it.
 *
 * Elements are numbered i = 0 .. n - 1 within their row, in scan order. A text is GLSL. With ELEMENT standing for the sources'
 * values in order, each followed by the same source's value of element i - 1 where `previous` asks for it (element 0: its own
 * value), that is "X0 x0, X0 before0, X1 x1" for example, a text defines, for the accumulator A:
 *
 *   A rill_lift(ELEMENT, int i)     the element as an accumulator
 *   A rill_merge(A a, A b)          associative; it need not commute. Combined in order, the same way on every run
 *   A rill_identity()               where `identity` says so; compact scans must have it
 *
 * and for every output K, of type R:
 *
 *   dense:    R rill_out_K(ELEMENT, int i, A before, A after, bool first)
 *             stored in element i's own place. `before` merges the row's elements up to i - 1, `after` up to i. The first element
 *             of a row has the identity before it, or zeros where the text has none.
 *   compact:  R rill_out_K(ELEMENT, int i, A before, A after)
 *             stored at the place its counter had before, if the counter has moved: the elements kept, in order. It is called for
 *             every element. Counter C is
 *   int rill_count_C(A a, int n)    how many elements were kept of the first n; 0 of none; at most one more per element.
 *   R rill_end_K(ELEMENT, int n, A total)
 *             where `ending` says so: one more element behind those kept, if n > 0; ELEMENT is the last one.
 *
 * A compact scan evaluates the sources, lifts and merges in two programs, which must agree on what is kept: compare what is stored; of
 * float arithmetic a compiler may make different bits in each.
 *
 * Names of a text's own helpers and macros start with rill_ (or k_); kernels' functions start with u_. */
#ifndef RILL_PRIMITIVE_ENGINE_SCANNER_H
#define RILL_PRIMITIVE_ENGINE_SCANNER_H

#include "primitive/engine/inputs.h"

enum { SCANNER_OUTPUTS = 4, SCANNER_COUNTERS = 4 };

typedef struct ScannerText {
    const char *name; /* for messages */
    const char *functions;
    /* Optional, of dense scans of one float source into one float output: sixteen elements at once, a: what is before them.
     *   A rill_sum16(A a, vec4 p, vec4 q, vec4 r, vec4 s)
     *   A rill_scan16(A a, inout vec4 p, inout vec4 q, inout vec4 r, inout vec4 s)    the elements become the results */
    const char *special;
    const Type *accumulator; /* a value type or a structure of value types */
    bool identity;
    bool compact, ending;
    bool previous[INPUT_SOURCES];
    int output_count, counter_count;
    struct {
        const Type *type; /* value types: what is packed in memory is cast afterwards */
        int counter;      /* compact */
    } outputs[SCANNER_OUTPUTS];
} ScannerText;

/* Scans the rows of in->domain that `rows` leaves: the domain's shape with 1 for every dimension that is scanned over, or one
 * element for all of them in row-major order. `reversed`: from the last element to the first. Creates `results`, one per output,
 * of the domain's shape. Inside a scope. Where the inputs' length is only known to the device, so is that of the results. */
bool scanner_dense(const ScannerText *text, const Inputs *in, const Shape *rows, bool reversed, Stream *results);

/* Scans the whole domain as one row and creates `results` of one dimension: exactly as long as what was kept on family cpu; else
 * of the domain's capacity with their length on the device (stream_settle learns it). */
bool scanner_compact(const ScannerText *text, const Inputs *in, Stream *results);
/* Turns a result into a stream of `type`, as which kernels see its elements (half from float, say), its length kept. */
bool scanner_restore(Stream *result, const Type *type);

#endif
