/* A variant of a kernel is a program for one combination of access paths. Sizes, offsets and
 * strides are not compiled into it: they are 32-bit words of the uniform array rill_p. This header
 * defines the layout of rill_p for the generator and the launcher. access.h explains texels, steps
 * and strips. A launch over pages runs over a PageSet (kernel.h). */
#ifndef RILL_KERNEL_VARIANT_VARIANT_H
#define RILL_KERNEL_VARIANT_VARIANT_H

#include "kernel/emit/body.h"
#include "kernel/variant/address_map.h"
#include "stream/stream.h"

/* How the elements of an argument are accessed: rows of access_paths in access.c. */
typedef enum PathKind { PATH_CONSTANT, PATH_DENSE, PATH_RAMP, PATH_MAPPED, PATH_BLENDED, PATH_COUNT } PathKind;

/* Returns whether elements are accessed through an address map. */
static inline bool path_mapped(int path)
{
    return path == PATH_MAPPED || path == PATH_BLENDED;
}

/* Returns whether elements accessed in this way are in a buffer. */
static inline bool path_buffered(int path)
{
    return path == PATH_DENSE || path_mapped(path);
}

/* How a gather is sampled: by the kernel, or by the device in its texture, at positions in
 * elements, in 0 .. 1, or in directions from the center of a cube. */
typedef enum Sampled { SAMPLED_BY_KERNEL, SAMPLED_ELEMENTS, SAMPLED_NORMALIZED, SAMPLED_CUBE } Sampled;

/* Whether a launch reads replicas: copies of elements of adjacent pages that each page of a
 * container stores around its own elements (its halo). REPLICAS_ALL: in addition the whole domain
 * is mapped. */
typedef enum Replicas { REPLICAS_NONE, REPLICAS_SOME, REPLICAS_ALL } Replicas;

/* How the elements of a page of the launch are stored. PAGED_ANYWHERE: at any addresses.
 * PAGED_STRIDED: at a stride per dimension from the page's first element, contiguous along x.
 * PAGED_WHOLE: contiguous and row-major. PAGED_NUMBERED: contiguous, row-major, and directly after
 * the elements of the previous page. */
typedef enum PagedKind { PAGED_ANYWHERE, PAGED_STRIDED, PAGED_WHOLE, PAGED_NUMBERED } PagedKind;
/* Bits: whether the elements of a step are read as whole texels, and written in whole 32-bit
 * words. */
typedef enum PagedTexels { PAGED_TEXEL_LOADS = 1, PAGED_TEXEL_STORES = 2 } PagedTexels;

/* How the index of an element is computed from the indices along the dimensions of a view. ADDRESS_UNIT: the stride of
 * the fastest dimension is 1. ADDRESS_ORDERED: a neighbor stream that is stored row-major, in the shape of the launch.
 * ADDRESS_DIVIDED: some dimension divides or wraps its index (tile, replicate, repeat). */
typedef enum Addressing { ADDRESS_STRIDED, ADDRESS_UNIT, ADDRESS_ORDERED, ADDRESS_DIVIDED } Addressing;

/* What random access does with indices outside. OUTSIDE_REPORTED: the boundary modes apply, and check reports the
 * index. OUTSIDE_QUIET: the boundary modes apply; they were chosen explicitly, so check does not report the index.
 * OUTSIDE_OPEN: the address function of a container handles the index. OUTSIDE_UNBOUNDED: the container has no bounds. */
typedef enum Outside { OUTSIDE_REPORTED, OUTSIDE_QUIET, OUTSIDE_OPEN, OUTSIDE_UNBOUNDED } Outside;

/* How elements are read if the variant as a whole does not read texels. LOAD_STRIPS: the rows of a neighbor stream are
 * read as texels, in strips or in launches over pages, through a second texture unit. LOAD_WINDOWS: the same in strips
 * of the family gpu, and all neighbors are in these texels. LOAD_TEXELS: an element consists of whole texels. */
typedef enum LoadKind { LOAD_WORDS, LOAD_STRIPS, LOAD_WINDOWS, LOAD_TEXELS } LoadKind;

/* An argument in a launch over pages; otherwise zero. */
typedef struct ArgPages {
    PagedKind kind : 8;
    uint8_t texels; /* PagedTexels; 0 for PAGED_ANYWHERE */
    bool near;      /* neighbors at known offsets are found in the adjacent pages */
} ArgPages;

/* An argument that is accessed through an address map (path_mapped); otherwise zero. */
typedef struct ArgContainer {
    /* The 1-based number of the first argument with the same element addresses. For gathers only gathers are compared. */
    uint8_t place;
    BlendFilter filter : 8; /* if a map that interpolates is sampled */
    Replicas replicas : 8;  /* neighbors or sampled elements are found in the halo of one page */
    bool begins;            /* the stream begins where the domain of the container begins */
    bool rows;              /* rows have different lengths */
    bool partial;           /* random access to a partly mapped container: writes to unmapped pages are reported */
} ArgContainer;

typedef struct ArgKey {
    const Type *type; /* type of the stream; NULL: a constant */
    PathKind path : 8;
    Addressing addressing : 8; /* ADDRESS_STRIDED if path_mapped */
    Outside outside : 8;       /* of gathers, scatters and neighbor streams */
    Sampled sampled : 8;
    LoadKind load : 8;
    uint8_t rank; /* of a gather's stream; 0 for element access, which uses the rank of the launch */
    uint8_t halo; /* of a neighbor stream: the dimensions with elements around the view, fastest first */
    bool block;   /* read through a storage block instead of a buffer texture */
    bool aliased; /* read through a storage block, and written by the same launch */
    /* Random access to all of a container with constant sizes, which begins at its buffer's first element. */
    bool fixed;
    bool resampled;    /* indexof differs from the launch's index */
    uint16_t boundary; /* 2 bits per dimension, fastest first */
    ArgPages pages;
    ArgContainer container;
} ArgKey;

/* Which elements a launch runs over: all of a shape, an active list whose length the host or only
 * the device knows, pages, or pages with levels. */
typedef enum ActiveList { ACTIVE_NONE, ACTIVE_COUNTED, ACTIVE_DEVICE_COUNTED, ACTIVE_PAGES, ACTIVE_LEVELS } ActiveList;

/* How the random numbers of an invocation are numbered: by the number of its element in the launch; by its index in a
 * larger domain, or in a domain with pages; or by its coordinates in a domain without bounds. */
typedef enum RandomIndex { RANDOM_NONE, RANDOM_FLAT, RANDOM_STRIDED, RANDOM_UNBOUNDED } RandomIndex;
/* Words of random numbers: the seed, the number of the launch; for RANDOM_STRIDED then 64 bits each for the index of the
 * first element in the domain, and for the distance of elements along each dimension, fastest first. */
enum { RANDOM_SEED = 0, RANDOM_LAUNCH = 2, RANDOM_FIRST = 3, RANDOM_STRIDES = 5 };

/* A launch over pages (ACTIVE_PAGES; of pages with levels only `masked` and `starts`); otherwise zero. */
typedef struct PageKey {
    uint8_t step;   /* elements of a step along x */
    uint8_t rows;   /* rows of a step */
    bool rowless;   /* steps may continue beyond the end of a row, since the kernel uses no positions */
    bool inside;    /* no page extends beyond the shape */
    bool masked;    /* pages have masks */
    bool clipped;   /* only the elements of a box are computed */
    bool unbounded; /* the shape is unbounded, so pages cannot extend beyond it */
    bool starts;    /* numbered streams contain only the elements inside the shape */
} PageKey;

/* Keys are compared byte by byte: padding is zero. */
typedef struct VariantKey {
    uint64_t outputs;      /* outputs that this pass stores: a bit per parameter */
    uint8_t rank;          /* of the launch, after merging dimensions */
    uint8_t count;         /* number of args in use */
    ActiveList active : 8; /* the elements over which the launch runs */
    RandomIndex random : 8;
    bool flat_loads;  /* every element-wise input is read as aligned 16-byte texels */
    bool flat_stores; /* every output is written contiguously */
    bool paired;      /* texels are stored as two doubles each */
    bool rows;        /* the elements of one invocation are in one row */
    bool check;       /* report indices out of range */
    bool placed;      /* the launch is part of a larger domain, and the kernel uses indices (Placement) */
    PageKey pages;
    ArgKey args[MAX_PARAMS];
} VariantKey;

/* Words that describe the work in a page: the number of parts into which it is divided (count,
 * multiplier, shift), and its number of steps. An invocation computes one part. PAGE_WIDE, a power
 * of two, is the number of parts that share PAGE_WIDE * PAGE_RUN consecutive steps: each of them
 * computes every PAGE_WIDE-th step. */
enum { PAGE_PARTS = 0, PAGE_STEPS = 3, PAGE_RUN = 4, PAGE_WIDE = 5, PAGE_WORDS = 6 };

enum {
    NEAR_RANK = 4 /* dimensions of a neighbor's offset */,
    NO_UNIT = -1,
    NO_SLOT = -1,
    MAX_RANK = SHAPE_MAX_RANK,
    MAX_PARAM_VECTORS = 1024,
    RAMP_WORDS = 7
};

/* Positions of an argument's words in rill_p, and its bindings. */
typedef struct ArgLayout {
    int constant;   /* first word of the value of a constant */
    int base;       /* offset of the first element, in elements (flat loads: in texels) */
    int store_base; /* offset of the first element for stores; differs from `base` if the stream that is read was packed into another buffer */
    int dims;       /* the words of each of MAX_RANK dimensions, fastest first: see variant_dim_words */
    int sizes;      /* of a gather or neighbor stream: one word per dimension */
    int halo;       /* per dimension: the elements before the view, and the number of elements with those around it */
    int outside;    /* value outside: the words of one component, up to two */
    int resample;   /* resampling: three words per dimension of the launch */
    int extents;    /* sizeof_stream: eight words */
    int ramp;       /* words of a ramp */
    int fallback;   /* the element that is read from unmapped pages */
    int dump;       /* element to which stores out of range go */
    int strides;    /* PAGED_STRIDED, or with neighbors or replicas: one word per dimension from the second on */
    int texture, block; /* texture unit or storage binding for reading; NO_UNIT */
    bool packed;        /* the launcher packs the stream into the last shared binding, after other streams */
    int wide;           /* texture unit of the same buffer as texels of four words, or NO_UNIT */
    int sampler;        /* unit of the texture that is sampled, or NO_UNIT */
    int store;          /* storage binding for writing, or NO_UNIT */
} ArgLayout;

typedef struct Layout {
    int words;    /* length of rill_p in words */
    int count;    /* elements of the launch */
    int steps;    /* steps of all invocations together */
    int four;     /* a word with the value 4, which compilers cannot know */
    int shape;    /* rank x (size, multiplier, shift), fastest first */
    int origin;   /* rank x the first index of the launch in the larger domain, fastest first; or NO_SLOT */
    int random;   /* the words of random numbers, or NO_SLOT */
    int elements; /* elements per step of an invocation */
    int group;    /* local size in x, unless it is a group kernel */
    int trips;    /* word with the number of iterations of each invocation, or NO_SLOT: one iteration */
    int least_trips, max_trips;
    int strip_rows; /* rows of a strip: more than 1 for small stencils */
    int strip; /* words of strips: the number of strips along x and along y (size, multiplier, shift each); NO_SLOT: steps are not strips */
    /* Words of bands of strips, which are traversed one after the other: their number (size, multiplier, shift). The
     * strips along x are those of one band. NO_SLOT: all strips along x follow each other. */
    int band;
    /* Words of the active list: its first element, and the index of its length, or of the starts of
     * pages after it; or NO_SLOT. */
    int active;
    /* Words of a page: PAGE_WORDS, then (size, multiplier, shift) for each dimension, x in steps;
     * or NO_SLOT. */
    int page;
    int page_rows; /* rows per step over pages */
    int clip;      /* words of the box to compute: (first, size) for each dimension; or NO_SLOT */
    int max_run;   /* largest number of consecutive steps of a page in one invocation */
    /* Words of a page with a level: (size, multiplier, shift) for each dimension, and for all
     * elements; or NO_SLOT. */
    int leaf;
    int active_units; /* texture units of the active list and its length, which come first */
    int own_units;    /* these units together with the units of sampled textures, which follow them */
    int textures, blocks;
    ArgLayout args[MAX_PARAMS];
} Layout;

/* The address function of a parameter: see address_map.h. */
typedef struct AddressUse {
    const Module *module;
    const Function *function; /* the address function; NULL: none is needed */
    const Body *body;         /* the rewritten body of the function */
    int given;                /* index of the first parameter that the launch fills in for the function */
    bool repeated;            /* a preceding parameter has the same function */
    const int32_t *sizes;     /* sizes of the domain, x first, if the function is made for them; otherwise NULL */
} AddressUse;

typedef struct KernelText {
    const Module *module;
    const Function *function;
    const Body *body;
    const DeviceTraits *traits;
    /* Values of fixed constants as literal text per parameter, or NULL. */
    const char *const *baked;
    int texture_limit, block_limit, uniform_limit; /* uniform_limit is in uvec4s */
    bool canary;
    int id;                      /* the number by which fault words name the kernel */
    const AddressUse *addresses; /* per parameter; NULL: no parameter has one */
} KernelText;

/* Returns the number of words per dimension of element addressing: the stride, or the eight words
 * of a mapped dimension. */
int variant_dim_words(const ArgKey *key);
/* Assigns the uniform words and bindings of a variant. Returns false with error_set if the device has too few. */
bool variant_layout(const KernelText *text, const VariantKey *key, Layout *layout);
/* Returns whether this parameter is an output that the pass of the key stores. */
bool variant_stores(const Function *f, const VariantKey *key, int param);
/* Returns whether the elements of a step may be read as whole texels. They may not if the kernel
 * needs one element at a time or a step would become too large. */
bool variant_texels_fit(const KernelText *text, const VariantKey *key);
/* Returns whether arguments that share a binding would need it in two formats if elements were read
 * as whole texels. */
bool variant_formats_clash(const KernelText *text, const VariantKey *key);
/* Returns whether steps read argument i as whole texels. */
bool variant_flat_load(const Function *f, const VariantKey *key, int i);
/* Returns whether texels should be stored as two doubles each. */
bool variant_pairs(const DeviceTraits *traits);
/* Returns whether steps write argument i as whole 32-bit words. */
bool variant_flat_store(const Function *f, const VariantKey *key, int i);
/* Sets the key of the arguments whose elements are whole texels. */
void variant_whole(const KernelText *text, VariantKey *key);
/* Returns whether the rows of a neighbor stream are read as texels. */
static inline bool variant_reads_rows(const ArgKey *key)
{
    return key->load == LOAD_STRIPS || key->load == LOAD_WINDOWS;
}
/* Returns whether argument i is read through texels of four words. */
bool variant_texel_load(const Function *f, const VariantKey *key, int i);
/* Returns the largest number of elements of a step in a launch over pages. */
int variant_page_step(const KernelText *text, const VariantKey *key);
/* Returns the number of dimensions in which the offset of a neighbor may differ from 0 to be found
 * in the adjacent pages. */
int variant_neighbor_axes(int rank);
/* Returns the number of rows of a step in a launch over pages. */
int variant_page_rows(const KernelText *text, const VariantKey *key);
/* Returns whether steps of a launch with one dimension are strips if all of them are whole. */
bool variant_line_strips(const KernelText *text);
/* Returns the number of storage blocks that the pass leaves for reading. */
int variant_free_blocks(const KernelText *text, const VariantKey *key);
/* Returns the number of elements that an invocation computes in one step (of a strip: in one of its
 * rows). */
int variant_elements(const KernelText *text, const VariantKey *key);

/* Returns whether the program reports writes to unmapped pages. */
bool variant_partial(const VariantKey *key);

/* Writes the source of the variant. */
bool codegen_write(const KernelText *text, const VariantKey *key, const Layout *layout, StrBuf *out);

/* Writes the functions that access functions use, and the functions that the bodies (NULL: none)
 * call (prelude.c). `four` is the word with the value 4. */
void prelude_write(StrBuf *out, const DeviceTraits *traits, int four, const Body *const *bodies, int count);
/* Writes the functions that record faults: rill_report() for an index out of range, rill_unmapped()
 * for writes to unmapped pages, rill_canary() for loops that were stopped. `inside` is a GLSL
 * expression that is true if the invocation has an element. */
void prelude_faults(StrBuf *out, const char *inside, bool check, bool partial, bool canary);

#endif
