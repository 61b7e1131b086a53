/* What one launch works with, from checking its arguments to issuing its passes. */
#ifndef RILL_KERNEL_LAUNCH_LAUNCH_H
#define RILL_KERNEL_LAUNCH_LAUNCH_H

#include "kernel/kernel_private.h"

enum { MAX_TEMPORARIES = 2 * MAX_PARAMS };

/* Copies a stream into a new one: resampled to a shape (may be a view), or as it is where that is NULL. A copy is a launch itself. */
typedef bool LaunchCopy(const Stream *from, const Shape *shape, Stream *result);

typedef struct Plan {
    Kernel *kernel;
    LaunchCopy *copy;
    Device *device;
    const DeviceTraits *traits;
    Shape domain;       /* as the user sees it */
    Shape launch_shape; /* after merging dimensions */
    int64_t count;
    bool check;
    DeviceLength length;  /* of the element-wise streams or of `active`, where the device knows it */
    const Stream *active; /* the elements to run over, as flat indices; NULL: all */
    const PageSet *pages; /* those to run over; NULL: all */
    uint64_t numbered;    /* see Domain */
    uint64_t replicated;  /* arguments that are read by replicas */
    uint64_t outputs;     /* arguments that are outputs */
    bool *issued;         /* of the domain */
    const Stream *originals[MAX_PARAMS];
    const Stream *streams[MAX_PARAMS]; /* resampled, copied, merged */
    bool resampled[MAX_PARAMS];
    int64_t packed_offset[MAX_PARAMS]; /* elements, where bindings are shared */
    Buffer *packed;
    int temporary_count, merged_count;
    Stream temporaries[MAX_TEMPORARIES];
    Stream merged[MAX_PARAMS];
} Plan;

/* How a parameter is accessed. */
static inline const ParamKindInfo *launch_kind(const Function *f, int i)
{
    return &param_kinds[f->params[i].kind];
}

/* Whether it is an output stream; random access is none. */
static inline bool launch_is_output(const Function *f, int i)
{
    return launch_kind(f, i)->written && !launch_kind(f, i)->bound;
}

/* Whether a parameter's stream has the launch's elements in order: see Domain. */
static inline bool launch_numbered(const Plan *plan, int i)
{
    return (plan->numbered >> i & 1) != 0;
}

/* Whether the box of a container begins where its domain does. */
static inline bool launch_begins(const Stream *box)
{
    bool begins = true;
    for (int d = 0; d < box->shape.rank && begins; d++) {
        begins = box->dim[d].start == 0;
    }
    return begins;
}

/* Whether a dimension needs more than its stride. */
static inline bool launch_dim_mapped(const ViewDim *dim)
{
    return dim->step != 1 || dim->start != 0 || dim->div != 1 || dim->mod != 0;
}

/* plan.c: start (in the device's workspace; NULL with error_set), check and prepare the arguments, merge dimensions, give
 * temporaries and the plan back. `per_pass`: outputs that one pass may store. plan_copied: a contiguous copy that lives as
 * long as the plan, NULL with error_set. */
Plan *plan_start(Kernel *kernel, Device *device, const Domain *domain, bool check, LaunchCopy *copy);
bool plan_prepare(Plan *plan, const Argument *args, int *outputs, int *per_pass);
void plan_merge(Plan *plan);
const Stream *plan_copied(Plan *plan, const Stream *stream);
void plan_finish(Plan *plan);

/* launch/choose_variant.c: the key of the pass that stores these outputs, a bit per parameter. */
void launch_key(Plan *plan, const KernelText *text, uint64_t outputs, VariantKey *key);

/* Whether elements lie side by side and start on a texel; whether steps of so many elements can be stored whole. */
bool launch_aligned(const Stream *stream);
bool launch_storable(const Plan *plan, const Stream *stream, int elements);

/* Of what is reached at strides within the pages launched over: how far apart the neighbours of dimension d stand, x being 0. */
int64_t launch_page_stride(const Stream *stream, int d);

/* launch/halo.c: a bit for each argument that a launch reads by replicas, which pages of a container have of what is around them; and makes those right.
 * False with error_set. */
uint64_t launch_halo(const Kernel *kernel, const Device *device, const Argument *args, const Domain *domain);
bool launch_halo_copy(const Kernel *kernel, const Argument *args, uint64_t replicated);

/* reason.c: why the variant of a key has general loads or stores, in words: " because argument 'x' ...", or nothing. */
void reason_loads(const Plan *plan, const KernelText *text, const VariantKey *key, StrBuf *out);
void reason_stores(const Plan *plan, const KernelText *text, const VariantKey *key, StrBuf *out);

/* trace.c: prints a launch and what it is given; writes why the variant of a key is as it is. */
void trace_launch(const Kernel *kernel, const Domain *domain, const Argument *args);
void trace_choice(const Plan *plan, const KernelText *text, const VariantKey *key, StrBuf *out);

/* bind.c: the uniforms of the launch as a whole and of an argument, bindings, and the number of work groups. */
void launch_fill(const Plan *plan, const Layout *layout, uint32_t *words);
void launch_fill_argument(const Plan *plan, const Variant *variant, int i, const Argument *args, uint32_t *words);
void launch_bind_active(const Plan *plan, const Layout *layout, Dispatch *dispatch);
bool launch_bind_reads(Plan *plan, const Variant *variant, Dispatch *dispatch);
void launch_bind_stores(const Plan *plan, const Variant *variant, Dispatch *dispatch);
void launch_groups(const Plan *plan, const Layout *layout, uint32_t *words, uint64_t groups[3]);

/* Bytes that element-wise arguments move over a shape: read and written counted. */
uint64_t launch_bytes(const Function *f, const Argument *args, const Shape *shape);

/* launch/contiguous_pages.c: the same launch as one over the elements of memory, where its pages stand there one behind the other. False: they do not, or the kernel
 * asks where elements are. It is as long there as `beside` is. */
typedef struct Beside {
    Argument args[MAX_PARAMS];
    Stream streams[MAX_PARAMS];
    Domain domain;
} Beside;
bool launch_contiguous_pages(const Kernel *kernel, const Argument *args, const Domain *domain, bool check,
                             Beside *beside);

/* What a launch would do; `loads` and `stores` are the reasons for general ones. */
typedef struct Preview {
    Kernel *kernel; /* that is launched */
    bool beside;    /* over pages that stand one behind the other */
    VariantKey key;
    Layout layout;
    int passes, per_pass;
    StrBuf loads, stores;
} Preview;

/* Finds it without launching; the texts are the caller's to free, also on failure. */
bool launch_preview(Kernel *kernel, Device *device, const Argument *args, const Domain *domain, bool check,
                    LaunchCopy *copy, Preview *preview);

/* kernel_launch_over, with what copies arguments first that overlap an output or have another shape. */
bool launch_run(Kernel *kernel, Device *device, const Argument *args, const Domain *domain, bool check,
                LaunchCopy *copy);

#endif
