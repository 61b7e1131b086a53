/* Kernels: their creation from a parsed text, their properties, and launches. A launch compiles a
 * program for its combination of arguments (variant/variant.h). */
#ifndef RILL_KERNEL_KERNEL_H
#define RILL_KERNEL_KERNEL_H

#include "base/strbuf.h"
#include "kernel/text/module.h"
#include "stream/stream.h"

typedef struct Kernel Kernel;

/* Creates a kernel from a kernel or reduce kernel of a module, which it retains. Returns NULL with
 * error_set if the body cannot be rewritten. */
Kernel *kernel_create(Module *module, const Function *function);
Kernel *kernel_retain(Kernel *kernel);
void kernel_release(Kernel *kernel);

/* Returns the signature as launched. A kernel that returns a value has an additional output, `result`, at the end. */
const Function *kernel_function(const Kernel *kernel);
const Module *kernel_module(const Kernel *kernel);
/* Marks the module of a kernel as a text of rill itself (Module.library). */
void kernel_set_library(Kernel *kernel);
/* Returns whether kernel_specialize has fixed the value of a constant, which is then no longer an argument. */
bool kernel_is_baked(const Kernel *kernel, int param);
/* Returns the GLSL literal of a constant that kernel_specialize has fixed, or NULL. */
const char *kernel_baked_text(const Kernel *kernel, int param);

/* Sets the largest distances, in each of three dimensions, fastest first, at which the kernel reads a neighbor stream.
 * Returns false if other distances are computed at run time or the parameter is not a neighbor stream. */
bool kernel_reach(const Kernel *kernel, int param, int reach[3]);

/* The argument for a parameter: a stream for a stream parameter (also for an output), or the 32-bit
 * words of the value of a constant (matrices row by row). */
typedef union Argument {
    const Stream *stream;
    const uint32_t *words;
} Argument;

/* Returns the kernel that counts the elements which a kernel with variable outputs pushes
 * (derive.h); NULL for other kernels. Parameter i of it is parameter i of the kernel. It takes an
 * int output for a variable output, and no argument for a plain output. */
Kernel *kernel_counting(const Kernel *kernel);
/* Returns the kernel that writes the elements which a kernel with variable outputs pushes; NULL for
 * other kernels. It takes a stream of one dimension that is long enough for a variable output.
 * After the kernel's own parameters it takes two int inputs for each variable output, in order: the
 * begin and the count of every element. */
Kernel *kernel_writing(const Kernel *kernel);

/* Sets the error that a gather of shape `own` has other dimensions than its parameter, and names a
 * shape that would fit. Returns false. */
bool kernel_error_rank(const Function *f, const Param *param, const Stream *s);

/* Determines the shape of a launch: `shape` if it is not NULL, otherwise the shape of the given
 * outputs, otherwise the shape to which the element-wise inputs broadcast. Outputs that are not
 * allocated yet have a NULL stream. */
bool kernel_domain(const Kernel *kernel, const Argument *args, const Shape *shape, Shape *domain);

/* Sets the boundary modes that a new output of a launch inherits, as inherited ones: those of the neighbor streams that
 * have modes; if none has, those of the element-wise streams of the launch's shape. Modes that differ become
 * BOUNDARY_CLAMP. Outputs of texts of rill itself have no modes. */
void kernel_inherit(const Kernel *kernel, const Argument *args, const Shape *domain, Stream *result);

/* Returns whether the element-wise streams share a length that was counted on the device and the
 * kernel does not need exact shapes. The launch can then run over the maximum length and issue only
 * the necessary work groups. Returns false if the kernel gathers from such a stream, uses a size or
 * writes at random: the streams must be settled first. */
bool kernel_takes_length(const Kernel *kernel, const Argument *args, bool check, DeviceLength *length);

/* Returns whether a kernel draws random numbers. */
bool kernel_is_random(const Kernel *kernel);

/* Selects the random numbers that the invocations of a launch draw: see shaders/functions/random.glsl. */
typedef struct RandomNumbers {
    uint64_t seed, launch; /* launch: the number of the launch, from 0 */
} RandomNumbers;

/* The place of a launch in a larger domain, of which it computes a part. */
typedef struct Placement {
    Shape whole;                    /* the shape of the larger domain, which sizeof_stream returns */
    int64_t origin[SHAPE_MAX_RANK]; /* the first element of the launch in it, which indexof adds; slowest first */
} Placement;

/* The elements of a launch: all elements of a shape, or the elements in an active list, or the
 * elements of pages. An active list is a contiguous int or uint stream of one dimension that
 * contains flat indices without duplicates. Other elements of outputs keep their values. */
typedef struct Domain {
    Shape shape;
    const Stream *active;        /* NULL: all elements */
    const struct PageSet *pages; /* NULL: all elements. Not both `active` and `pages` */
    /* For launches over pages: a bit for each parameter with a numbered stream. A numbered stream
     * is contiguous, has one dimension, and contains one element for each element of the launch, in
     * order, instead of one for each element of the shape. Without PageSet.starts it also contains
     * the elements of the boxes that are left out. */
    uint64_t numbered;
    const Placement *placement; /* NULL: the launch is not part of a larger domain */
    RandomNumbers random;
    bool *issued; /* set to true when work was issued to the device; may be NULL */
} Domain;

/* Boxes (pages) of equal size in a shape, which may have more elements than a launch. They are
 * processed one after the other, in row-major order within a box. Elements outside the shape are
 * left out. */
typedef struct PageSet {
    /* The smallest coordinates of each box, x first, in a contiguous int stream of one dimension.
     * If `masked`, the coordinates of a box are followed by the index in the stream at which its
     * mask begins, or by -1 if it has no mask. A mask consists of pairs of ints: the bits of 32
     * elements (1: not left out), and the number of such elements before them. If `levels`, the level
     * comes before this index. */
    const Stream *origins;
    bool masked;
    int64_t count;
    int64_t page[SHAPE_MAX_RANK]; /* sizes of a box, x first */
    /* In `origins`, the coordinates of a page are followed by the number of elements of the shape
     * in the preceding pages. Numbered streams (see Domain) store the page's elements from that
     * index on. */
    bool starts;
    bool aligned;     /* every coordinate of an origin is a multiple of the page's size in that dimension */
    int64_t elements; /* number of elements that are inside the shape and not left out */
    /* If `clipped`, only the elements in one box are computed: clip_first is its first element,
     * clip_size its sizes, x first. Not allowed with `starts`. */
    bool clipped;
    int64_t clip_first[SHAPE_MAX_RANK], clip_size[SHAPE_MAX_RANK];
    bool unbounded; /* the shape has no bounds and its sizes are 0: nothing is left out */
    /* In `origins`, the coordinates of a page are followed by its level: the elements of the page
     * are 2^level apart. The last elements of a dimension are computed only where the shape ends
     * there. Elsewhere they are the first elements of other boxes. */
    bool levels;
    const int32_t *words; /* contents of `origins` in host memory; NULL: not available */
    /* The coordinates of the pages (nothing else) in the order in which the pages are stored in
     * memory. Launches that have no numbered streams and access no neighbors use this order. NULL:
     * the order of `origins`, or unknown. */
    const Stream *in_memory;
    const int32_t *memory_words; /* contents of `in_memory` in host memory */
    uint64_t serial;             /* unique number of the set; 0: none */
} PageSet;
/* Returns the number of ints that describe one box in `origins`. */
static inline int kernel_page_entry(const PageSet *set, int rank)
{
    return rank + set->levels + set->masked;
}
/* Returns the number of elements of a set, including those left out; at most SHAPE_MAX_ELEMENTS + 1. */
int64_t kernel_page_elements(const PageSet *set, int rank);

/* Launches a kernel over any domain (see kernel_launch). Group kernels cannot run over a list of
 * active elements. Over pages only group kernels of one dimension can run. */
bool kernel_launch_over(Kernel *kernel, Device *device, const Argument *args, const Domain *domain, bool check);

/* Launches a kernel over all elements of `domain`. All arguments must be given. `check`: gathers
 * out of range are reported. Returns false with error_set on failure. */
bool kernel_launch(Kernel *kernel, Device *device, const Argument *args, const Shape *domain, bool check);

/* Creates the kernel of the text's own rule for the derivatives of a kernel (`gradient void f(...)`), in which the same
 * constants are fixed. Returns NULL if there is none (kernel_function(kernel)->gradient), or with error_set on failure. */
Kernel *kernel_own_gradient(const Kernel *kernel);

/* Compiles the variant for contiguous streams of the parameters' own types, so that errors in the
 * body are reported before the first launch. */
bool kernel_compile(Kernel *kernel, Device *device);

/* Creates a kernel in which some constants are fixed: the 32-bit words of the value per parameter, or NULL. */
Kernel *kernel_specialize(const Kernel *kernel, const uint32_t *const *words);

/* Writes the GLSL of the variant that was compiled last. */
bool kernel_source(Kernel *kernel, Device *device, StrBuf *out);
/* Describes a launch with these arguments: the variant, how each argument is accessed, group size, bytes moved. */
bool kernel_explain(Kernel *kernel, Device *device, const Argument *args, const Domain *domain, bool check,
                    StrBuf *out);

/* Converts a fault that a kernel recorded to an error that names the kernel, and returns false.
 * Returns true if no fault is recorded. */
bool kernel_fault_check(Device *device);

#endif
