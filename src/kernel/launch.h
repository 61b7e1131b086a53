/* What one launch works with, from checking its arguments to issuing its passes. */
#ifndef RILL_LAUNCH_H
#define RILL_LAUNCH_H

#include "kernel/kernel_private.h"

enum { MAX_TEMPORARIES = 2 * MAX_PARAMS };

typedef struct LaunchPlan {
    Kernel *kernel;
    Device *device;
    const DeviceTraits *traits;
    Shape domain;       /* as the user sees it */
    Shape launch_shape; /* after merging dimensions */
    int64_t count;
    bool check;
    const Stream *originals[MAX_PARAMS];
    const Stream *streams[MAX_PARAMS]; /* resampled, copied, merged */
    bool resampled[MAX_PARAMS];
    int64_t packed_offset[MAX_PARAMS]; /* elements, where bindings are shared */
    Buffer *packed;
    int temporary_count, merged_count;
    Stream temporaries[MAX_TEMPORARIES];
    Stream merged[MAX_PARAMS];
} LaunchPlan;

/* The variant a launch would take, without launching. */
bool launch_variant(Kernel *kernel, Device *device, const Argument *args, const Shape *domain, bool check,
                    VariantKey *key, Layout *layout, int *passes);

#endif
