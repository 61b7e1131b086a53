/* Launches of kernels over containers: the elements that a launch covers, the pages that are mapped for it,
 * and the order in which pages are traversed. The functions enter the device themselves. They are called
 * with no device entered, since a translator may run a user's function; `caller` is as for
 * translator_ranges. Messages begin with the kernel's name. */
#ifndef RILL_CONTAINER_LAUNCH_H
#define RILL_CONTAINER_LAUNCH_H

#include "container/container.h"

/* Resources that a launch holds until container_launch_end. Initialize it with zeros. */
typedef struct ContainerLaunchHold {
    Region *covered, *traversed;
    bool keep; /* the launch was issued: the pages that were mapped for it stay mapped */
    int count; /* containers whose page changes are recorded (container_note), each retained */
    Container *noted[MAX_PARAMS];
} ContainerLaunchHold;

typedef struct ContainerLaunch {
    Kernel *kernel;
    Device *device;
    const Argument *args;              /* as for kernel_launch; NULL stream: an output that is still to be created */
    Container *containers[MAX_PARAMS]; /* borrowed, those whose headers are among the arguments; else NULL */
    bool contained;                    /* whether there are containers; if not, `containers` is not read */
    bool fresh[MAX_PARAMS];            /* container_launch_output created this container for the launch */
    Shape domain;
    const Placement *placement; /* see Domain */
    RandomNumbers random;       /* see Domain */
    const Stream *active;       /* an active list, or NULL */
    /* Only with an active list: for each container for which container_launch_box_sizes returned true, the
     * region of the boxes of this size that contain elements of the list. Not owned. */
    const Region *boxes[MAX_PARAMS];
    Region *over;              /* the elements that the launch covers, borrowed; NULL: all of the domain */
    Region *traversed;         /* `over` represented by pages, if traversing pages is faster; else NULL. Not owned */
    ContainerLaunchHold *hold; /* required where container_launch_holds returns true */
    int part_count; /* set by container_launch_domain: the different containers whose mapped parts are joined */
    Container *parts[MAX_PARAMS];
} ContainerLaunch;

/* Returns whether the launch may hold anything in `hold`. */
bool container_launch_holds(const ContainerLaunch *launch);
/* Returns whether the domain has no bounds. */
bool container_launch_unbounded(const ContainerLaunch *launch);
/* Chooses the elements that a launch without `over` and `active` covers: the mapped elements of all
 * containers along its shape, or all of the domain if one of them is complete. Sets `over`. Returns false
 * with error_set on failure. */
bool container_launch_domain(ContainerLaunch *launch, void *caller);
/* Decides whether `over`, which the caller set, is traversed by pages. Sets `traversed`. Returns false with
 * error_set on failure. */
bool container_launch_traverse(ContainerLaunch *launch);
/* Returns the container on which an output without an argument is modeled: the first one along the shape.
 * Returns NULL if there is none, or if the kernel defines the number of elements of the output; the output is
 * then a stream. */
const Container *container_launch_model(const ContainerLaunch *launch, int param);
/* Makes a container like `model` for an output. Returns NULL with error_set on failure. */
Container *container_launch_output(const ContainerLaunch *launch, int param, const Container *model);
/* Returns the sizes, x first, of the boxes that parameter i's container maps or leaves unmapped as a whole;
 * false if the launch has no active list, or does not write the container element by element. */
bool container_launch_box_sizes(const ContainerLaunch *launch, int i, int64_t *sizes);
/* Maps the pages that the launch writes, and gives them memory that is not shared with snapshots. Headers of
 * containers may change. Returns false with error_set on failure. */
bool container_launch_begin(ContainerLaunch *launch, void *caller);
/* Returns the domain for kernel_explain and vout_explain. */
Domain container_launch_elements(const ContainerLaunch *launch);
/* Launches the kernel. `vouts` as for vout_launch. If the launch was issued, the pages that were mapped for
 * it are kept. Returns false with error_set on failure. */
bool container_launch_run(const ContainerLaunch *launch, bool check, Stream *const vouts[MAX_PARAMS]);
/* Releases the resources. Unless `keep` is set, restores the pages as they were before
 * container_launch_begin. May be called again. */
void container_launch_end(ContainerLaunchHold *hold);

/* Prepares the elements first .. last - 1 (indices as in a shape) for writing: maps pages of a container that
 * owns its pages, and separates its memory from snapshots. Fails if the pages belong to another container and
 * are not mapped. The header may change. Returns false with error_set on failure. */
bool container_prepare(Container *c, const int64_t *first, const int64_t *last, void *caller);
/* Prepares a region for writing, as container_prepare does. */
bool container_prepare_region(Container *c, const Region *region, void *caller);

#endif
