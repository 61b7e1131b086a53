/* The state of one launch, from the check of its arguments to the dispatch of its passes. */
#ifndef RILL_KERNEL_LAUNCH_LAUNCH_H
#define RILL_KERNEL_LAUNCH_LAUNCH_H

#include "kernel/kernel_private.h"

enum { MAX_TEMPORARIES = 2 * MAX_PARAMS };

/* Creates a stream with the elements of `from`. If `shape` is NULL, the result is a contiguous copy. Otherwise the
 * elements are repeated or strided to `shape`, and the result may be a view of `from` if no copy is necessary.
 * Copying may launch a kernel. Returns false with error_set on failure. */
typedef bool LaunchCopy(const Stream *from, const Shape *shape, Stream *result);

typedef struct Plan {
    Kernel *kernel;
    LaunchCopy *copy;
    Device *device;
    const DeviceTraits *traits;
    Shape domain;       /* as given by the user */
    Shape launch_shape; /* after merging dimensions */
    int64_t count;
    bool check;
    DeviceLength length;        /* length of the element-wise streams or of `active`, if only the device has it */
    const Stream *active;       /* flat indices of the elements to compute; NULL: all */
    const PageSet *pages;       /* the pages to compute; NULL: all elements */
    uint64_t numbered;          /* see Domain */
    uint64_t replicated;        /* bits of the arguments that are read through replicas */
    uint64_t outputs;           /* bits of the arguments that are outputs */
    const Placement *placement; /* see Domain */
    RandomNumbers random;       /* see Domain */
    bool *issued;               /* see Domain */
    const Stream *originals[MAX_PARAMS];
    const Stream *streams[MAX_PARAMS]; /* after resampling, copying and merging */
    bool resampled[MAX_PARAMS];
    Buffer *packed;                    /* copies of the streams that share one binding; NULL: none */
    int64_t packed_offset[MAX_PARAMS]; /* offset of the copy in `packed`, in elements; else 0 */
    int temporary_count, merged_count;
    Stream temporaries[MAX_TEMPORARIES];
    Stream merged[MAX_PARAMS];
} Plan;

/* Returns how a parameter is accessed. */
static inline const ParamKindInfo *launch_kind(const Function *f, int i)
{
    return &param_kinds[f->params[i].kind];
}

/* Returns whether a parameter is an output stream. Random-access streams are not outputs. */
static inline bool launch_is_output(const Function *f, int i)
{
    return launch_kind(f, i)->written && !launch_kind(f, i)->bound;
}

/* Returns whether the stream of a parameter is indexed by the number of the element within the launch instead of by its
 * coordinates: element k of the stream belongs to the k-th element of the launch. See `numbered` in Domain. */
static inline bool launch_numbered(const Plan *plan, int i)
{
    return (plan->numbered >> i & 1) != 0;
}

/* Returns whether a stream that is a box of a container begins where the container's domain
 * begins. */
static inline bool launch_begins(const Stream *box)
{
    bool begins = true;
    for (int d = 0; d < box->shape.rank && begins; d++) {
        begins = box->dim[d].start == 0;
    }
    return begins;
}

/* Returns whether more than the stride is needed to compute an address along a dimension of a view. */
static inline bool launch_dim_mapped(const ViewDim *dim)
{
    return dim->step != 1 || dim->start != 0 || dim->div != 1 || dim->mod != 0;
}

/* Creates the plan of a launch in the device's workspace (plan.c). Returns NULL with error_set on failure. */
Plan *plan_start(Kernel *kernel, Device *device, const Domain *domain, bool check, LaunchCopy *copy);
/* Checks and prepares the arguments. Sets *outputs to the number of outputs, and *per_pass to the
 * number of outputs that one pass can store. Returns false with error_set on failure. */
bool plan_prepare(Plan *plan, const Argument *args, int *outputs, int *per_pass);
/* Merges dimensions of the launch that are contiguous in all arguments. */
void plan_merge(Plan *plan);
/* Returns a contiguous copy of argument i; profiles show `why` it is needed. The plan owns the copy and releases it in plan_finish. Returns NULL with
 * error_set on failure. */
const Stream *plan_copied(Plan *plan, int i, const char *why);
/* Releases the temporary streams and the plan. */
void plan_finish(Plan *plan);

/* Chooses the variant for a pass (choose_variant.c). `outputs` has a bit for each parameter that the pass stores. */
void launch_key(Plan *plan, const KernelText *text, uint64_t outputs, VariantKey *key);

/* Returns whether the elements of a stream are contiguous and begin at a texel. */
bool launch_aligned(const Stream *stream);
/* Returns whether invocations that compute this number of adjacent elements can store them as whole 32-bit words. */
bool launch_storable(const Plan *plan, const Stream *stream, int elements);

/* Returns the distance in memory, in elements, between adjacent elements of a page along dimension d (0: x). The
 * stream must be an argument that is accessed with fixed strides within each page of the launch. */
int64_t launch_page_stride(const Stream *stream, int d);

/* Finds the arguments that a launch reads through replicas, which are copies of elements of
 * adjacent pages that the pages of a container store (halo.c). Returns a mask with bit i for
 * argument i. */
uint64_t launch_halo(const Kernel *kernel, const Device *device, const Argument *args, const Domain *domain);
/* Updates the replicas of the arguments in the mask `replicated`. Returns false with error_set on failure. */
bool launch_halo_copy(const Kernel *kernel, const Argument *args, uint64_t replicated);

/* Writes the reason why the variant of a key has general loads, for example " because argument 'x'
 * ..." (reason.c). Writes nothing if the variant has none. */
void reason_loads(const Plan *plan, const KernelText *text, const VariantKey *key, StrBuf *out);
/* Writes the reason why the variant of a key has general stores. Writes nothing if the variant has none. */
void reason_stores(const Plan *plan, const KernelText *text, const VariantKey *key, StrBuf *out);

/* Prints a launch and its arguments (trace.c). */
void trace_launch(const Kernel *kernel, const Domain *domain, const Argument *args);
/* Writes why the variant of a key was chosen. */
void trace_choice(const Plan *plan, const KernelText *text, const VariantKey *key, StrBuf *out);

/* Fills in the uniforms of the launch as a whole (bind.c). */
void launch_fill(const Plan *plan, const Layout *layout, uint32_t *words);
/* Fills in the uniforms of one argument. */
void launch_fill_argument(const Plan *plan, const Variant *variant, int i, const Argument *args, uint32_t *words);
/* Binds the list of active elements. */
void launch_bind_active(const Plan *plan, const Layout *layout, Dispatch *dispatch);
/* Binds the streams that are read. Returns false with error_set on failure. */
bool launch_bind_reads(Plan *plan, const Variant *variant, Dispatch *dispatch);
/* Binds the streams that are written. */
void launch_bind_stores(const Plan *plan, const Variant *variant, Dispatch *dispatch);
/* Computes the number of work groups and fills in the uniforms that depend on it. */
void launch_groups(const Plan *plan, const Layout *layout, uint32_t *words, uint64_t groups[3]);

/* Returns the number of bytes that a launch over `shape` reads and writes in its element-wise arguments. */
uint64_t launch_bytes(const Function *f, const Argument *args, const Shape *shape);

/* A launch over pages that was converted into a launch over the elements in memory. */
typedef struct LinearLaunch {
    Argument args[MAX_PARAMS];
    Stream streams[MAX_PARAMS];
    Domain domain;
} LinearLaunch;
/* Converts a launch over pages into one over the elements in memory (contiguous_pages.c). Returns
 * false if the pages are not contiguous in memory, or if the kernel uses indices, neighbors or
 * sizes. The result is valid as long as `linear`. */
bool launch_contiguous_pages(const Kernel *kernel, const Argument *args, const Domain *domain, bool check,
                             LinearLaunch *linear);

/* The result of launch_preview. `loads` and `stores` are the texts of reason_loads and
 * reason_stores. */
typedef struct Preview {
    Kernel *kernel; /* the kernel that is launched */
    bool linear;    /* over pages that are contiguous in memory */
    VariantKey key;
    Layout layout;
    int passes, per_pass;
    StrBuf loads, stores;
} Preview;

/* Determines how a launch would run, without launching. The caller frees the texts, also after a
 * failure. */
bool launch_preview(Kernel *kernel, Device *device, const Argument *args, const Domain *domain, bool check,
                    LaunchCopy *copy, Preview *preview);

/* Launches a kernel: see kernel_launch_over. `copy` copies arguments that overlap an output or have
 * another shape. */
bool launch_run(Kernel *kernel, Device *device, const Argument *args, const Domain *domain, bool check,
                LaunchCopy *copy);

#endif
