/* Launches of kernels over containers: see launch.h. */
#include "container/launch.h"
#include "container/region/page_cover.h"
#include "container/region/union.h"

#include "kernel/variant/address_map.h"
#include "primitive/reduction/vout.h"

#include <inttypes.h>

/* The arguments */

static const Function *function_of(const ContainerLaunch *launch)
{
    return kernel_function(launch->kernel);
}

static const ParamKindInfo *kind_of(const ContainerLaunch *launch, int i)
{
    return &param_kinds[function_of(launch)->params[i].kind];
}

static bool failed_in(const ContainerLaunch *launch)
{
    return error_prefix("%s", function_of(launch)->name);
}

/* Returns the container that parameter i is given along the launch's shape, or NULL. */
static Container *container_along(const ContainerLaunch *launch, int i)
{
    return kind_of(launch, i)->along && launch->args[i].stream ? launch->containers[i] : NULL;
}

static bool covers_domain(const ContainerLaunch *launch, const Container *c)
{
    return shape_equal(&container_elements(c)->shape, &launch->domain);
}

bool container_launch_holds(const ContainerLaunch *launch)
{
    bool holds = false;
    for (int i = 0; launch->contained && i < function_of(launch)->param_count && !holds; i++) {
        const Container *c = launch->containers[i];
        holds = c && (container_partial(c) || container_paged(c) || container_traits(c)->owns_pages);
    }
    return holds;
}

bool container_launch_unbounded(const ContainerLaunch *launch)
{
    bool found = false;
    for (int i = 0; launch->contained && i < function_of(launch)->param_count && !found; i++) {
        const Container *c = container_along(launch, i);
        found = c && !container_bounded(c);
    }
    return found;
}

/* What a launch covers */

/* Finds the different containers along the shape: none if one of them is complete, or has another shape. */
static bool find_parts(ContainerLaunch *launch, void *caller)
{
    launch->part_count = 0;
    for (int i = 0; i < function_of(launch)->param_count; i++) {
        Container *c = container_along(launch, i);
        bool known = !c;
        if (c && !container_query(c, caller)) {
            return failed_in(launch);
        }
        if (c && (!container_partial(c) || !covers_domain(launch, c))) {
            launch->part_count = 0;
            return true;
        }
        for (int k = 0; k < launch->part_count && !known; k++) {
            known = launch->parts[k] == c;
        }
        if (!known) {
            launch->parts[launch->part_count++] = c;
        }
    }
    return true;
}

bool container_launch_domain(ContainerLaunch *launch, void *caller)
{
    Region *regions[MAX_PARAMS];
    DeviceScope scope;
    if (!launch->contained || !find_parts(launch, caller)) {
        return !launch->contained;
    }
    if (launch->part_count == 0) {
        return true;
    }
    bool entered = device_enter(launch->device, &scope), done = entered;
    for (int k = 0; k < launch->part_count && done; k++) {
        regions[k] = container_active(launch->parts[k]);
        done = regions[k] != NULL;
    }
    Region *joined = done ? region_union(regions, launch->part_count) : NULL;
    if (entered) {
        device_leave(&scope);
    }
    launch->over = launch->hold->covered = joined;
    return joined || failed_in(launch);
}

/* Returns the sizes of the pages of a container that the launch runs over, preferably one that is written; NULL
 * if there is none. */
static const int64_t *pages_along(const ContainerLaunch *launch)
{
    const int64_t *found = NULL;
    for (int i = 0; launch->contained && i < function_of(launch)->param_count; i++) {
        const Container *c = container_along(launch, i);
        const AddressMap *map = c ? container_whole(c)->map : NULL;
        found = map && map->run_unit && (!found || kind_of(launch, i)->written) ? map->run : found;
    }
    return found;
}

/* Returns whether a stream is read whose memory the launch writes. */
static bool reads_written(const ContainerLaunch *launch, const Stream *written)
{
    bool reads = false;
    for (int i = 0; i < function_of(launch)->param_count; i++) {
        const ParamKindInfo *kind = kind_of(launch, i);
        const Stream *s = kind->stream && kind->read ? launch->args[i].stream : NULL;
        reads = reads || (s && !s->map && s->buffer == written->buffer);
    }
    return reads;
}

/* Returns whether a launch may be split in two that run one after the other: the second one does not read what
 * the first one writes. */
static bool writes_containers(const ContainerLaunch *launch)
{
    bool containers = true;
    for (int i = 0; i < function_of(launch)->param_count; i++) {
        const ParamKindInfo *kind = kind_of(launch, i);
        const Stream *s = kind->stream && kind->written ? launch->args[i].stream : NULL; /* NULL: a new stream */
        containers = containers && !(kind->written && kind->anywhere) && (!s || (s->map && !reads_written(launch, s)));
    }
    return containers;
}

/* Traverses boxes page by page, unless pushed elements must keep the order of the boxes. */
bool container_launch_traverse(ContainerLaunch *launch)
{
    const int64_t *page = pages_along(launch);
    DeviceScope scope;
    if (!page || kernel_counting(launch->kernel) || function_of(launch)->group_rank) {
        return true;
    }
    if (!device_enter(launch->device, &scope)) {
        return failed_in(launch);
    }
    Region *traversed = region_page_cover(launch->over, page, writes_containers(launch));
    if (traversed && traversed != launch->over) {
        launch->traversed = launch->hold->traversed = region_retain(traversed);
    }
    device_leave(&scope);
    return traversed || failed_in(launch);
}

Domain container_launch_elements(const ContainerLaunch *launch)
{
    bool groups = function_of(launch)->group_rank > 0;
    const PageSet *set = launch->traversed ? &launch->traversed->set
                         : launch->over    ? region_set(launch->over, groups)
                                           : NULL;
    return (Domain){.shape = launch->domain,
                    .active = launch->active,
                    .pages = set,
                    .placement = launch->placement,
                    .random = launch->random};
}

/* Outputs */

const Container *container_launch_model(const ContainerLaunch *launch, int param)
{
    const Function *f = function_of(launch);
    for (int k = 0; launch->contained && f->params[param].kind == PARAM_OUTPUT && k < f->param_count; k++) {
        const Container *c = container_along(launch, k);
        if (c && covers_domain(launch, c)) {
            return c;
        }
    }
    return NULL;
}

Container *container_launch_output(const ContainerLaunch *launch, int param, const Container *model)
{
    DeviceScope scope;
    bool entered = device_enter(launch->device, &scope);
    Container *made = entered ? container_like(model, function_of(launch)->params[param].type) : NULL;
    if (entered) {
        device_leave(&scope);
    }
    if (!made) {
        failed_in(launch);
    }
    return made;
}

/* What a launch maps */

/* Returns the container of parameter i that may be written at any element: all mapped elements are separated
 * from snapshots. Lists are written at existing entries. */
static Container *written_anywhere(const ContainerLaunch *launch, int i)
{
    const ParamKindInfo *kind = kind_of(launch, i);
    Container *c = kind->written && kind->stream && launch->args[i].stream ? launch->containers[i] : NULL;
    return c && (kind->anywhere || container_elements(c) != container_whole(c)) ? c : NULL;
}

/* Returns the container of parameter i whose pages are mapped where the launch writes. NULL for a container
 * without pages that was created for the launch: it is mapped where its model is mapped. */
static Container *written_along(const ContainerLaunch *launch, int i)
{
    Container *c = kind_of(launch, i)->written && !written_anywhere(launch, i) ? container_along(launch, i) : NULL;
    return c && (!launch->fresh[i] || container_paged(c) || container_traits(c)->owns_pages) ? c : NULL;
}

bool container_launch_box_sizes(const ContainerLaunch *launch, int i, int64_t *sizes)
{
    const Container *c = launch->contained && launch->active ? written_along(launch, i) : NULL;
    if (!c || !container_partial(c)) {
        return false;
    }
    for (int d = 0; d < SHAPE_MAX_RANK; d++) {
        sizes[d] = 1;
    }
    if (container_paged(c)) {
        translator_page_sizes(container_translator(c), sizes);
    }
    return true;
}

/* Records the changes of a container's pages, so that they can be restored. */
static void note(const ContainerLaunch *launch, Container *c)
{
    launch->hold->noted[launch->hold->count++] = container_retain(c);
    container_note(c);
}

/* A launch over more elements than permitted raises its error later. */
static bool map_written(const ContainerLaunch *launch, int i, Container *c, void *caller)
{
    static const int64_t origin[SHAPE_MAX_RANK];
    const Region *region = launch->boxes[i] ? launch->boxes[i] : launch->over;
    const PageSet *set = region ? region_set(region, function_of(launch)->group_rank > 0) : NULL;
    bool done = true;
    if (container_traits(c)->owns_pages && !(set && container_is_ready(c, region))) {
        note(launch, c);
    }
    if (set && kernel_page_elements(set, launch->domain.rank) <= SHAPE_MAX_ELEMENTS) {
        done = container_prepare_region(c, region, caller);
    } else if (!set && stream_elements(container_whole(c)) <= SHAPE_MAX_ELEMENTS) {
        Shape all = container_whole(c)->shape; /* the header may change */
        done = container_prepare(c, origin, all.size, caller);
    }
    return done || error_prefix("%s: argument '%s'", function_of(launch)->name, function_of(launch)->params[i].name);
}

/* Separates all mapped elements of a container from snapshots. */
static bool unshare(Container *c)
{
    DeviceScope scope;
    if (!device_enter(container_whole(c)->device, &scope)) {
        return false;
    }
    bool done = container_ready_mapped(c);
    device_leave(&scope);
    return done;
}

bool container_launch_begin(ContainerLaunch *launch, void *caller)
{
    for (int i = 0; launch->contained && i < function_of(launch)->param_count; i++) {
        Container *anywhere = written_anywhere(launch, i), *along = written_along(launch, i);
        if (anywhere && container_traits(anywhere)->owns_pages && container_shares(anywhere)) {
            note(launch, anywhere);
        }
        if (anywhere && !unshare(anywhere)) {
            return failed_in(launch);
        }
        if (along && !map_written(launch, i, along, caller)) {
            return false;
        }
    }
    return true;
}

bool container_launch_run(const ContainerLaunch *launch, bool check, Stream *const vouts[MAX_PARAMS])
{
    bool issued = false;
    DeviceScope scope;
    Domain domain = container_launch_elements(launch);
    domain.issued = &issued;
    if (!device_enter(launch->device, &scope)) {
        return false;
    }
    bool done = kernel_counting(launch->kernel)
                    ? vout_launch(launch->kernel, launch->device, launch->args, &domain, check, vouts)
                    : kernel_launch_over(launch->kernel, launch->device, launch->args, &domain, check);
    if (done && launch->traversed && launch->traversed->rest) {
        domain.pages = &launch->traversed->rest->set;
        done = kernel_launch_over(launch->kernel, launch->device, launch->args, &domain, check);
    }
    device_leave(&scope);
    if (launch->hold) {
        launch->hold->keep = done || issued; /* if the launch reports a fault, its effects are kept */
    }
    return done;
}

/* Releases a region. Most regions belong to a container as well and need no device. */
static void release(Region *region)
{
    DeviceScope scope;
    if (!region || region->references > 1) {
        region_release(region);
        return;
    }
    Device *device = device_retain(region->list.device); /* the list may hold the last reference */
    bool entered = device_enter(device, &scope);
    region_release(region);
    if (entered) {
        device_leave(&scope);
    }
    device_release(device);
}

void container_launch_end(ContainerLaunchHold *hold)
{
    DeviceScope scope;
    while (hold->count > 0) {
        Container *c = hold->noted[--hold->count];
        Device *device = device_retain(container_whole(c)->device); /* the container may hold the last reference */
        bool entered = device_enter(device, &scope);
        container_settle(c, hold->keep);
        container_release(c);
        if (entered) {
            device_leave(&scope);
        }
        device_release(device);
    }
    release(hold->covered);
    release(hold->traversed);
    hold->covered = hold->traversed = NULL;
}

/* Elements that are about to be written */

static bool refuse_unmapped(int64_t missing, int64_t all)
{
    return error_set(
        "%" PRId64 " of the %" PRId64
        " elements to be written are not mapped: map their pages first (t:map), in memory that has room for "
        "them",
        missing, all);
}

static bool unshare_if_shared(Container *c)
{
    return !container_shares(c) || unshare(c);
}

bool container_prepare(Container *c, const int64_t *first, const int64_t *last, void *caller)
{
    DeviceScope scope;
    if (!container_traits(c)->owns_memory) {
        int64_t count = 0;
        Stream box = container_box(c, first, last);
        int64_t all = stream_elements(&box);
        if (!container_count(c, first, last, &count, caller)) {
            return false;
        }
        const char *refusal = container_refusal(c, CONTAINER_ALLOCATE);
        if (count < all && refusal) {
            return error_set("%" PRId64 " of the %" PRId64 " elements to be written are unmapped: %s", all - count, all,
                             refusal);
        }
        return (count >= all || refuse_unmapped(all - count, all)) && unshare_if_shared(c);
    }
    if (!device_enter(container_whole(c)->device, &scope)) {
        return false;
    }
    bool done = container_ready(c, first, last);
    device_leave(&scope);
    return done;
}

/* Counts the elements of a region that are not mapped. */
typedef struct Missing {
    const Container *c;
    void *caller;
    int64_t count;
    bool failed;
} Missing;

static bool count_missing(void *data, const int64_t *first, const int64_t *last)
{
    Missing *missing = data;
    int64_t from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK], mapped;
    shape_box(first, last, container_whole(missing->c)->shape.rank, from, to);
    Stream box = container_box(missing->c, from, to);
    missing->failed = !container_count(missing->c, from, to, &mapped, missing->caller);
    missing->count += missing->failed ? 0 : stream_elements(&box) - mapped;
    return !missing->failed;
}

bool container_prepare_region(Container *c, const Region *region, void *caller)
{
    DeviceScope scope;
    Missing missing = {.c = c, .caller = caller};
    if (!container_traits(c)->owns_memory) {
        if (!container_has(c, region)) {
            region_boxes(region, count_missing, &missing);
        }
        return !missing.failed && (missing.count <= 0 || refuse_unmapped(missing.count, region->set.elements)) &&
               unshare_if_shared(c);
    }
    if (!device_enter(container_whole(c)->device, &scope)) {
        return false;
    }
    bool done = container_ready_region(c, region);
    device_leave(&scope);
    return done;
}
