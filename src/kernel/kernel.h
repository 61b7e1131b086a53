/* Kernels: parsed, compiled per variant, launched. */
#ifndef RILL_KERNEL_KERNEL_H
#define RILL_KERNEL_KERNEL_H

#include "base/strbuf.h"
#include "kernel/text/module.h"
#include "stream/stream.h"

typedef struct Kernel Kernel;

/* A kernel or reduce kernel of a module (kept alive by it). NULL when its body can't be rewritten. */
Kernel *kernel_create(Module *module, const Function *function);
Kernel *kernel_retain(Kernel *kernel);
void kernel_release(Kernel *kernel);

/* The signature as launched: a kernel that returns a value has one more output, `result`, at the end. */
const Function *kernel_function(const Kernel *kernel);
const Module *kernel_module(const Kernel *kernel);
/* Constants that kernel_specialize has fixed are no longer arguments. */
bool kernel_is_baked(const Kernel *kernel, int param);

/* What a parameter is launched with: streams for stream parameters (outputs too), 32-bit words of the value for
 * constants (matrices row by row). */
typedef union Argument {
    const Stream *stream;
    const uint32_t *words;
} Argument;

/* A kernel with variable outputs is launched as two (derive.h), else NULL. Parameter i of both is parameter i of the kernel:
 * the counting one takes an int output for a variable output and no argument for a plain one; the writing one takes a
 * 1-D stream that has the room, and behind the kernel's own parameters the begin and the count of every element, as two int inputs for each
 * variable output in order. */
Kernel *kernel_counting(const Kernel *kernel);
Kernel *kernel_writing(const Kernel *kernel);

/* Says that a gather of shape `own` has other dimensions than its parameter, and which shape would do; returns false. */
bool kernel_error_rank(const Function *f, const Param *param, const Shape *own);

/* The shape of outputs that are still to be allocated: `shape` if given, that of the outputs given, else what the
 * element-wise inputs broadcast to. Outputs not yet allocated have a NULL stream. */
bool kernel_domain(const Kernel *kernel, const Argument *args, const Shape *shape, Shape *domain);

/* The length counted on the device that the element-wise streams share; false where the kernel needs exact shapes (it
 * gathers from such a stream, asks for a size, writes at random ...) and the streams must be settled first. A launch over the most
 * elements there can be then issues only the work groups there are. */
bool kernel_takes_length(const Kernel *kernel, const Argument *args, bool check, DeviceLength *length);

/* The elements a launch runs over: all of a shape, or those that a contiguous int or uint stream of one dimension names by their flat indices,
 * each once. Outputs keep their values elsewhere. */
typedef struct Domain {
    Shape shape;
    const Stream *active;        /* NULL: all */
    const struct PageSet *pages; /* NULL: all; not both */
    /* Over pages: a bit for each parameter whose stream, contiguous and of one dimension, has an element for each of the launch's in order
     * instead of one for each of the shape; those left out included, unless the set has `starts`. */
    uint64_t numbered;
    bool *issued; /* becomes true when the device has got something to do; NULL: it is not told */
} Domain;

/* Boxes of one size within a shape that may be larger than any launch: one after the other, row-major within. What lies outside of the
 * shape is left out. */
typedef struct PageSet {
    /* The least coordinates of each, x first: a contiguous int stream of one dimension. `masked`: behind those of each box where in the stream
     * its mask begins, or -1: all. A mask is pairs of ints: bits of 32 elements, of those that are not left out, and how many there are before. */
    const Stream *origins;
    bool masked;
    int64_t count;
    int64_t page[SHAPE_MAX_RANK]; /* their sizes, x first */
    /* Behind the origins stands how many elements of the shape are in the pages before each: where numbered streams have it. */
    bool starts;
    bool aligned;     /* every coordinate of an origin is a multiple of the page's size there */
    int64_t elements; /* within the shape, and not left out */
    bool clipped;     /* only elements of a box count: its first ones, x first, and so many. Not with `starts` */
    int64_t clip_first[SHAPE_MAX_RANK], clip_size[SHAPE_MAX_RANK];
    bool unbounded; /* the shape has no bounds, and 0 for sizes: nothing is left out */
    /* Behind the coordinates of each there is a level: its elements are 2^level apart. The last of a dimension count only where the shape
     * ends there: elsewhere they are the first ones of other boxes. */
    bool levels;
    const int32_t *words; /* what `origins` has, in the host's memory; NULL: it is not there */
    /* The same coordinates, and nothing behind them, in the order in which the pages stand in memory: what launches take that neither number
     * their elements nor look around them. NULL: it is `origins`' order, or not known. */
    const Stream *in_memory;
    const int32_t *memory_words; /* what that has, in the host's memory */
    uint64_t serial;             /* never used twice; 0: it has none */
} PageSet;
/* How many elements it has with those left out; at most SHAPE_MAX_ELEMENTS + 1. */
int64_t kernel_page_elements(const PageSet *set, int rank);

/* The same as kernel_launch over any domain; a group kernel can't run over a list, and over pages only one of one
 * dimension. */
bool kernel_launch_over(Kernel *kernel, Device *device, const Argument *args, const Domain *domain, bool check);

/* Launches over `domain`, every argument given. `check`: report gathers out of range. */
bool kernel_launch(Kernel *kernel, Device *device, const Argument *args, const Shape *domain, bool check);

/* Compiles the variant a launch over contiguous streams of the parameters' own types takes, so that errors in the body
 * show before the first launch. */
bool kernel_compile(Kernel *kernel, Device *device);

/* A kernel with some constants fixed: words per parameter, or NULL. */
Kernel *kernel_specialize(const Kernel *kernel, const uint32_t *const *words);

/* The GLSL of the variant compiled last. */
bool kernel_source(Kernel *kernel, Device *device, StrBuf *out);
/* What a launch with these arguments does: variant, how each argument is reached, group size, bytes moved. */
bool kernel_explain(Kernel *kernel, Device *device, const Argument *args, const Domain *domain, bool check,
                    StrBuf *out);

/* Turns a fault that a kernel recorded into an error naming the kernel; true when there is none. */
bool kernel_fault_check(Device *device);

#endif
