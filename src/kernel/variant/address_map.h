/* Address maps: functions that compute where the elements of a container are stored in its buffer.
 * The container layer implements them. If an argument of a launch is a stream with a map, the
 * kernel is compiled together with the map's address function. */
#ifndef RILL_KERNEL_VARIANT_ADDRESS_MAP_H
#define RILL_KERNEL_VARIANT_ADDRESS_MAP_H

#include "stream/stream.h"

#include "kernel/text/module.h"

typedef struct Kernel Kernel;
union Argument;
struct PageSet;

enum { ADDRESS_SLOTS = 8 /* distinct maps in one launch */ };

/* How sample() interpolates in a map: nearest node, between nodes, or also between levels. */
typedef enum BlendFilter { BLEND_NEAREST, BLEND_LINEAR, BLEND_TRILINEAR } BlendFilter;

struct AddressMap {
    /* Returns the address function, a kernel:
     *
     *     kernel void NAME(int v0<>, int v1<>, ..., out int p<>, GIVEN) { ... }
     *
     * v0 is x. p becomes the index of the element, counted from the stream's first element, or is
     * negative if the element is unmapped. GIVEN are constants and gathers. The function is called
     * with coordinates in the map's domain. Maps that share a program have different slots, and
     * their kernels become functions of this program. Names that a kernel declares (functions,
     * structures, GIVEN) must therefore differ from the names for all other slots and from all names
     * that users may choose. The map owns the kernel. Returns NULL with error_set on failure. */
    Kernel *(*kernel)(AddressMap *map, Device *device, int slot);
    /* Sets the arguments for GIVEN of one launch. */
    void (*give)(const AddressMap *map, union Argument *args);
    /* Returns whether another map with the same `kernel` computes the same indices, so that one
     * function and its arguments serve both. */
    bool (*same)(const AddressMap *map, const AddressMap *other);
    const void *fallback; /* the packed element that is read from unmapped pages */
    bool complete;        /* every element of the domain is mapped */
    /* The arguments of the address function are compiled into kernels as constants. In kernels that
     * gather from the whole container, its sizes are constants too. */
    bool baked;
    int32_t sizes[SHAPE_MAX_RANK]; /* of the domain, x first; 0: no bounds */
    bool trusted;                  /* for coordinates in the domain, every gather of the address function is in range */
    bool rows;      /* rows have different lengths: with v0 = -1 the address function returns the length of a row */
    bool unbounded; /* coordinates may be any ints: all sizes are 0, and boundary modes do not apply */
    /* The address function also accepts coordinates outside of the domain. It is used for them
     * unless the stream has an explicit boundary mode. */
    bool open;
    /* The domain may consist of pieces of the size `run` that begin at multiples of this size. Within
     * a piece, neighbors along dimension d are stride[d] elements apart in memory; stride[0] is 1. x
     * is first in both. The index of the first element of a piece is a multiple of `run_unit`.
     * run_unit 0: the map has no such pieces. */
    int64_t run[SHAPE_MAX_RANK], stride[SHAPE_MAX_RANK], run_unit;
    /* If the pages are whole pieces that follow each other in memory in the order of the set, and the
     * elements of each piece are row-major, returns the index of the first element. Otherwise
     * returns -1. NULL: pages of this map are never contiguous. */
    int64_t (*run_begin)(AddressMap *map, const struct PageSet *pages);
    /* Width of the halo of each piece, in elements: replicas of elements of adjacent pieces, at the
     * same strides, within the domain. The halo separates the rows of a piece in memory. 0: there is
     * no halo, and a piece is stored row-major without gaps. */
    int overlap;
    /* Returns whether all elements of the pages (NULL: of the whole domain), and all elements of
     * their halos, are mapped. */
    bool (*holds)(const AddressMap *map, const struct PageSet *pages);
    /* Updates the replicas before a launch reads them. Returns false with error_set on failure. */
    bool (*replicate)(AddressMap *map);
    /* Only some points of the domain have an element; values between them are interpolated. The
     * address function is then
     *
     *     kernel void NAME(int v0<>, ..., int level<>, out int p<>, out int l<>, out int s1<>, ..., GIVEN) { ... }
     *
     * It finds the elements around the point in the finest page of level `level` or coarser. They
     * are 2^l apart. p is the element with the lowest coordinates, and s1 ... are the distances in
     * memory to the next element along y ... Every point has such elements: p is never negative. */
    bool blends;
    BlendFilter filter;
    /* Called after a launch has written to `written`, a box of the container, or (if `pages` is not
     * NULL) only to the elements of these pages in it. NULL: there is nothing to do. Returns false
     * with error_set on failure. */
    bool (*wrote)(AddressMap *map, const Stream *written, const struct PageSet *pages);
};

/* Returns whether a stream is a whole container without bounds. */
static inline bool address_unbounded(const Stream *stream)
{
    return stream->map && stream->map->unbounded && stream->shape.size[0] == 0;
}

/* Returns whether both maps compute the same indices. NULL stands for a stream without a map: if a map
 * is NULL, returns false. */
static inline bool address_same(const AddressMap *a, const AddressMap *b)
{
    return a && b && (a == b || (a->kernel == b->kernel && a->same(a, b)));
}

/* Returns the number of coordinates of an address function, including the level if it has one. */
static inline int address_rank(const Function *f)
{
    int rank = 0;
    while (f->params[rank].kind == PARAM_INPUT) {
        rank++;
    }
    return rank;
}

/* Returns the number of results of an address function. */
static inline int address_results(const Function *f)
{
    int results = 0;
    for (int i = address_rank(f); i < f->param_count && f->params[i].kind == PARAM_OUTPUT; i++) {
        results++;
    }
    return results;
}

/* Returns the number of parameters in GIVEN. */
static inline int address_given(const Function *f)
{
    return f->param_count - address_rank(f) - address_results(f);
}

#endif
