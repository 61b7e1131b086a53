/* A variant: a program of a kernel, for one way of reaching each argument. Sizes, offsets and pitches are not part
 * of it: they are words of the uniform array rill_p, laid out here once for the generator and the launcher. */
#ifndef RILL_KERNEL_VARIANT_VARIANT_H
#define RILL_KERNEL_VARIANT_VARIANT_H

#include "kernel/body/body.h"
#include "stream/stream.h"

/* How an argument's elements are reached: rows of access_paths in access.c. */
typedef enum PathKind { PATH_CONSTANT, PATH_DENSE, PATH_RAMP, PATH_MAPPED, PATH_BLENDED, PATH_COUNT } PathKind;

/* Whether elements are reached by an address map. */
static inline bool path_mapped(int path)
{
    return path == PATH_MAPPED || path == PATH_BLENDED;
}

/* Whether elements so reached stand in a buffer. */
static inline bool path_buffered(int path)
{
    return path == PATH_DENSE || path_mapped(path);
}

/* How a gather is sampled: by the kernel, or by the device in its texture, at positions in elements, in 0 .. 1, or in directions from the
 * middle of a cube. */
typedef enum Sampled { SAMPLED_BY_KERNEL, SAMPLED_ELEMENTS, SAMPLED_NORMALIZED, SAMPLED_CUBE } Sampled;

typedef struct ArgKey {
    const Type *type;  /* of the stream; NULL: a constant */
    uint8_t path;      /* PathKind */
    uint8_t rank;      /* of a gather's stream; 0 for element access (the launch's rank counts) */
    uint8_t mapped;    /* some dimension divides or wraps its index (tile, replicate, repeat) */
    uint8_t block;     /* read through a storage block instead of a buffer texture */
    uint8_t resampled; /* indexof differs from the launch's index */
    uint8_t quiet;     /* explicit boundary: never reported under check */
    uint8_t unbounded; /* a gather from a container without bounds: indices are taken as they are */
    uint8_t open;      /* a gather from a container that says itself what lies outside: indices are taken as they are */
    uint8_t rows;      /* of a container: they have lengths of their own */
    uint8_t partial;   /* random access to a container that is not mapped everywhere: writes elsewhere are reported */
    uint8_t fixed;     /* of a gather: all of a container that is baked, from its buffer's first element on */
    uint8_t unit;      /* the fastest dimension steps by one element; of a container: its box begins with its domain */
    uint8_t paged;     /* PagedKind, of launches over pages */
    uint8_t near;      /* of launches over pages: neighbours at known offsets are in the pages around */
    uint8_t replicas;  /* Replicas: what is near, or sampled, stands around the elements of one page */
    uint8_t ordered;   /* of a neighbour: elements stand row-major, in the launch's shape */
    uint8_t strips;    /* of a neighbour: steps along strips, or over pages, read their rows as whole texels */
    uint8_t texels;    /* PagedTexels: how a step over pages reaches it */
    uint8_t whole;     /* an element is whole texels, and read as such wherever it stands */
    uint8_t
        place; /* of containers: the number, from 1, of the first argument whose elements have the same places; of gathers, gather */
    uint8_t sampled;   /* Sampled */
    uint8_t filter;    /* BlendFilter, where a map that interpolates is sampled */
    uint16_t boundary; /* 2 bits per dimension, fastest first */
} ArgKey;

/* Whether a container's pages have replicas of what is around them that are read; and all of its domain is in pages. */
typedef enum Replicas { REPLICAS_NONE, REPLICAS_SOME, REPLICAS_ALL } Replicas;

/* Where the elements of a launch's page stand: anywhere; at a stride per dimension behind the page's first, along x side by side; all
 * side by side, row-major; or so, and behind those of the page before. */
typedef enum PagedKind { PAGED_ANYWHERE, PAGED_STRIDED, PAGED_WHOLE, PAGED_NUMBERED } PagedKind;
/* Whether a step's elements are read, and written, in whole words. */
typedef enum PagedTexels { PAGED_TEXEL_LOADS = 1, PAGED_TEXEL_STORES = 2 } PagedTexels;

/* Whether a launch runs over a list of elements, and who knows how long the list is. */
typedef enum ActiveList { ACTIVE_NONE, ACTIVE_COUNTED, ACTIVE_DEVICE_COUNTED, ACTIVE_PAGES, ACTIVE_LEVELS } ActiveList;

typedef struct VariantKey {
    uint64_t outputs;       /* those that this pass stores: a bit per parameter */
    uint8_t rank;           /* of the launch, after merging dimensions */
    uint8_t flat_loads;     /* every element-wise input is read as aligned 16-byte texels */
    uint8_t flat_stores;    /* every output is written contiguously */
    uint8_t paired;         /* texels are stored as two doubles each */
    uint8_t rows;           /* the elements of one invocation stand in one row */
    uint8_t check;          /* report indices out of range */
    uint8_t aliased;        /* what storage blocks read is written by the same launch */
    uint8_t active;         /* ActiveList: runs over the elements that a list names */
    uint8_t page_step;      /* over pages: elements of a step, a part of a row */
    uint8_t page_rows;      /* and of so many rows */
    uint8_t page_rowless;   /* steps may pass the end of a row: nothing asks for positions */
    uint8_t page_inside;    /* no page reaches out of the shape */
    uint8_t page_masked;    /* pages have masks */
    uint8_t page_clipped;   /* elements of a box alone count */
    uint8_t page_unbounded; /* no shape has an end that they reach beyond */
    uint8_t page_starts;    /* numbered streams have only what lies inside of it */
    uint8_t count;          /* of args in use */
    ArgKey args[MAX_PARAMS];
} VariantKey;

/* Words of a page: the parts it is cut into (count, multiplier, shift), and its steps. `wide` parts, a power of two, share a stretch of
 * wide * run steps: each has every wide'th. */
enum { PAGE_PARTS = 0, PAGE_STEPS = 3, PAGE_RUN = 4, PAGE_WIDE = 5, PAGE_WORDS = 6 };

enum {
    NEAR_RANK = 4 /* dimensions of a neighbour's offset */,
    NO_UNIT = -1,
    NO_SLOT = -1,
    MAX_RANK = SHAPE_MAX_RANK,
    MAX_PARAM_VECTORS = 1024,
    RAMP_WORDS = 7
};

/* Where an argument's words stand in rill_p, and where it is bound. */
typedef struct ArgLayout {
    int constant;       /* first word of a constant */
    int base;           /* offset of the first element, in elements (flat loads: in texels) */
    int store_base;     /* the same for what is written; differs where what is read was packed elsewhere */
    int dims;           /* MAX per-dimension words, fastest first: see `dim_words` */
    int sizes;          /* of a gather or neighbor: one word per dimension */
    int outside;        /* the value outside: the words of one component, two of them */
    int resample;       /* three words per dimension of the launch */
    int extents;        /* sizeof_stream: eight words */
    int ramp;           /* the ramp's words */
    int fallback;       /* the element that is read where nothing is mapped */
    int dump;           /* element that takes stores out of range */
    int strides;        /* PAGED_STRIDED, and what is near or has replicas: one word per dimension from the second on */
    int texture, block; /* unit and binding numbers of what is read; NO_UNIT */
    bool behind;        /* of what is read: the launcher packs it behind other streams of the same place */
    int wide;           /* unit of the same texture as texels of four words, or NO_UNIT */
    int sampler;        /* unit of the texture that is sampled, or NO_UNIT */
    int store;          /* storage binding of what is written, or NO_UNIT */
} ArgLayout;

typedef struct Layout {
    int words;    /* length of rill_p in words */
    int count;    /* elements of the launch */
    int steps;    /* of all invocations together */
    int four;     /* the canary's 4 */
    int shape;    /* rank x (size, multiplier, shift), fastest first */
    int elements; /* per invocation */
    int group;    /* local size in x of a kernel that is no group kernel */
    int trips;    /* word with the trips each invocation makes over its part, or NO_SLOT: one */
    int least_trips, max_trips;
    int strip_rows; /* rows that one step covers: more than 1 for small stencils */
    int strip;      /* words of the strip walk: columns and rows in steps, 3 words each; or NO_SLOT */
    int active; /* words of the list: its first element, and where its length stands, or behind it the starts of pages; or NO_SLOT */
    int page; /* words of a page: PAGE_WORDS, then (size, multiplier, shift) for each dimension, x in steps; or NO_SLOT */
    int page_rows; /* rows that one step over pages covers */
    int clip;      /* words of the box that counts: (first, size) for each dimension; or NO_SLOT */
    int max_run;   /* steps of a page that one invocation may take in a row */
    int leaf; /* words of a page with a level: (size, multiplier, shift) for each dimension, then for all its elements; or NO_SLOT */
    int active_units; /* textures the list takes: it, and its length; they come first */
    int own_units;    /* with those that are sampled, which follow them */
    int textures, blocks;
    ArgLayout args[MAX_PARAMS];
} Layout;

/* How a kernel asks for the places of a parameter's elements. */
typedef struct AddressUse {
    const Module *module;
    const Function *function; /* NULL: it need not ask */
    const Body *body;         /* of the function */
    int given;                /* number of the first parameter that the function is given */
    bool repeated;            /* a parameter before it has the same function */
    const int32_t *sizes;     /* of the domain, x first, where the function is made for it alone; else NULL */
} AddressUse;

typedef struct KernelText {
    const Module *module;
    const Function *function;
    const Body *body;
    const DeviceTraits *traits;
    /* Constants baked in: literal text per parameter, or NULL. */
    const char *const *baked;
    int texture_limit, block_limit, uniform_limit; /* the last in uvec4s */
    bool canary;
    int id;                      /* for the fault words */
    bool apart;                  /* the body stays as it is: what compilers say of it is looked up */
    const AddressUse *addresses; /* per parameter; NULL: none has one */
} KernelText;

/* Words per dimension of element addressing: stride, or the eight of a mapped dimension. */
int variant_dim_words(const ArgKey *key);
/* Lays out the uniform words and bindings of a variant; false with error_set where the device has too few. */
bool variant_layout(const KernelText *text, const VariantKey *key, Layout *layout);
/* Whether this parameter is an output that the key's pass stores. */
bool variant_stores(const Function *f, const VariantKey *key, int param);
/* Whether the elements of a step may be read as whole texels: not where one element at a time is asked for, or a step
 * would become too large. */
bool variant_texels_fit(const KernelText *text, const VariantKey *key);
/* Whether arguments that share a binding would want it in two formats, were elements read as whole texels. */
bool variant_formats_clash(const KernelText *text, const VariantKey *key);
/* Whether argument i is read as whole texels, and written as whole words, by each step. */
bool variant_flat_load(const Function *f, const VariantKey *key, int i);
/* Whether texels are best stored as doubles. */
bool variant_pairs(const DeviceTraits *traits);
bool variant_flat_store(const Function *f, const VariantKey *key, int i);
/* Notes of which arguments elements are whole texels. */
void variant_whole(const KernelText *text, VariantKey *key);
/* Whether argument i is read through texels of four words. */
bool variant_texel_load(const Function *f, const VariantKey *key, int i);
/* The most elements that a step over pages may take. */
int variant_page_step(const KernelText *text, const VariantKey *key);
/* Along how many dimensions at once neighbours may be off to be near; and over how many rows a step over pages may go. */
int variant_neighbor_axes(int rank);
int variant_page_rows(const KernelText *text, const VariantKey *key);
/* Storage blocks that the pass leaves for reads. */
int variant_free_blocks(const KernelText *text, const VariantKey *key);
/* Elements per trip of an invocation. */
int variant_elements(const KernelText *text, const VariantKey *key);

/* Whether it reports writes to what is not mapped. */
bool variant_partial(const VariantKey *key);

/* Writes its source; *body_at is where body->text starts in it. */
bool codegen_write(const KernelText *text, const VariantKey *key, const Layout *layout, StrBuf *out, size_t *body_at);

/* The helper functions that access functions are written with, and those that the bodies (NULL: none) call; `four` is the word that
 * holds 4, NO_SLOT where bodies load nothing by an index. In prelude.c. */
void prelude_write(StrBuf *out, const DeviceTraits *traits, int four, const Body *const *bodies, int count);
/* What records faults: rill_report() for an index out of range and rill_unmapped() for writes, where `inside` (GLSL) says whether an invocation
 * has an element; rill_canary() for loops that were cut. */
void prelude_faults(StrBuf *out, const char *inside, bool check, bool partial, bool canary);

#endif
