/* Address maps: where the elements of a container stand in its buffer. Floors above implement them; a kernel that is given a stream
 * with a map is compiled with the map's address function. */
#ifndef RILL_KERNEL_VARIANT_ADDRESS_MAP_H
#define RILL_KERNEL_VARIANT_ADDRESS_MAP_H

#include "stream/stream.h"

#include "kernel/text/module.h"

typedef struct Kernel Kernel;
union Argument;
struct PageSet;

enum { ADDRESS_SLOTS = 8 /* different maps in one launch */ };

/* What sample() takes of a map that interpolates: the nearest node, between nodes, and between levels, too. */
typedef enum BlendFilter { BLEND_NEAREST, BLEND_LINEAR, BLEND_TRILINEAR } BlendFilter;

struct AddressMap {
    /* The address function, as a kernel:
     *
     *     kernel void NAME(int v0<>, int v1<>, ..., out int p<>, GIVEN) { ... }
     *
     * v0 is x; p becomes the number of the element behind the stream's first, or is negative where nothing is mapped. GIVEN are
     * constants and gathers. It is called with coordinates of the map's domain. Maps that share a program have different slots, and
     * no name in one's text may be in another's, or in GIVEN be a name that users give. The kernel is the map's; NULL with error_set. */
    Kernel *(*kernel)(AddressMap *map, Device *device, int slot);
    /* Sets what GIVEN are for one launch. */
    void (*give)(const AddressMap *map, union Argument *args);
    /* Whether another map with the same `kernel` finds the same numbers: one function, and what it is given, serves both. */
    bool (*same)(const AddressMap *map, const AddressMap *other);
    const void *fallback; /* the packed element that is read where nothing is mapped */
    bool complete;        /* everything is mapped */
    bool
        baked; /* its numbers are constants of the address function, and its sizes are of kernels that gather from all of it */
    int32_t sizes[SHAPE_MAX_RANK]; /* of the domain, x first; 0: there are none */
    bool trusted;   /* for coordinates in the domain the address function gathers from where there is something */
    bool rows;      /* of different lengths: with v0 = -1 the address function gives the length of a row */
    bool unbounded; /* coordinates are any ints: the whole has 0 for sizes, and no boundary */
    bool
        open; /* what lies outside of the domain is for the address function to say, but where a header has a boundary */
    /* Sizes, x first, of the pieces of the domain within which elements stand at strides, of dimension 0 side by side; they begin at multiples of
     * them, at elements whose numbers are multiples of `run_unit`. run_unit 0: there are none. */
    int64_t run[SHAPE_MAX_RANK], stride[SHAPE_MAX_RANK], run_unit;
    /* The number of the first element of pages that stand one behind the other, row-major, in their order in memory (PageSet); -1: these do not. NULL: none do. */
    int64_t (*run_begin)(AddressMap *map, const struct PageSet *pages);
    /* Around each piece so many elements of those beside it stand at the same strides, within the domain: replicas. 0: pieces are row-major. */
    int overlap;
    /* Whether all that pages (NULL: all of the domain) touch stands somewhere; and makes replicas right, before a launch reads them: false with error_set. */
    bool (*holds)(const AddressMap *map, const struct PageSet *pages);
    bool (*replicate)(AddressMap *map);
    /* Not every place of the domain has an element: what is between is interpolated. The address function is then
     *
     *     kernel void NAME(int v0<>, ..., int level<>, out int p<>, out int l<>, out int s1<>, ..., GIVEN) { ... }
     *
     * Elements around a place, looked for at `level` or above, are 2^l apart; p is the lowest of them, and s1 ... are how many elements on
     * the next along y ... stands. Every place has those around it: p is never negative. */
    bool blends;
    BlendFilter filter;
    /* After a launch that has written to a header, of a box or of all, or only to the elements of some pages; NULL: nothing is to be
     * done. False with error_set. */
    bool (*wrote)(AddressMap *map, const Stream *written, const struct PageSet *pages);
};

/* Whether a stream is all of what has no bounds. */
static inline bool address_unbounded(const Stream *stream)
{
    return stream->map && stream->map->unbounded && stream->shape.size[0] == 0;
}

/* Whether both find the same numbers; NULL: a stream without a map. */
static inline bool address_same(const AddressMap *a, const AddressMap *b)
{
    return a && b && (a == b || (a->kernel == b->kernel && a->same(a, b)));
}

/* How many coordinates an address function has; with the level, where it has one. */
static inline int address_rank(const Function *f)
{
    int rank = 0;
    while (f->params[rank].kind == PARAM_INPUT) {
        rank++;
    }
    return rank;
}

/* How many results. */
static inline int address_results(const Function *f)
{
    int results = 0;
    for (int i = address_rank(f); i < f->param_count && f->params[i].kind == PARAM_OUTPUT; i++) {
        results++;
    }
    return results;
}

/* How many parameters GIVEN are. */
static inline int address_given(const Function *f)
{
    return f->param_count - address_rank(f) - address_results(f);
}

#endif
