/* Prepares a launch: matches shapes, copies overlapping arguments, merges dimensions. */
#include "kernel/launch/launch.h"

#include "gpu/memory/buffer.h"
#include "gpu/memory/workspace.h"
#include "gpu/program/profile.h"
#include "kernel/variant/address_map.h"

#include <stdio.h>
#include <string.h>

/* shapes */

bool kernel_domain(const Kernel *kernel, const Argument *args, const Shape *shape, Shape *domain)
{
    const Function *f = &kernel->function;
    char a[SHAPE_TEXT], b[SHAPE_TEXT];
    const Shape *found = shape;
    const char *owner = "shape";
    for (int i = 0; i < f->param_count; i++) {
        if (!launch_is_output(f, i) || !args[i].stream) {
            continue;
        }
        const Shape *own = &args[i].stream->shape;
        if (found && !shape_equal(found, own)) {
            return error_set("%s: the shapes of %s (%s) and output '%s' (%s) differ", f->name, owner,
                             shape_text(found, a), f->params[i].name, shape_text(own, b));
        }
        found = own;
        owner = f->params[i].name;
    }
    if (found) {
        *domain = *found;
        return true;
    }
    bool any = false;
    for (int i = 0; i < f->param_count; i++) {
        if (!launch_kind(f, i)->along || !launch_kind(f, i)->read || !args[i].stream) {
            continue;
        }
        const Shape *own = &args[i].stream->shape;
        Shape both;
        if (any && !shape_broadcast(domain, own, &both)) {
            return error_set("%s: the shapes of its inputs (%s and %s of '%s') don't broadcast: '%s' must have the "
                             "shape %s, or sizes of 1 in it; else give 'shape' or an output",
                             f->name, shape_text(domain, a), shape_text(own, b), f->params[i].name, f->params[i].name,
                             shape_text(domain, a));
        }
        *domain = any ? both : *own;
        any = true;
    }
    return any ||
           error_set("%s: the shape of the launch is unknown, as the kernel has no element-wise input: call it by name "
                     "with shape = {...}, or pass an output",
                     f->name);
}

/* arguments */

void plan_finish(Plan *plan)
{
    for (int i = 0; i < plan->temporary_count; i++) {
        stream_release(&plan->temporaries[i]);
    }
    workspace_give(plan->device, plan);
}

static Stream *temporary(Plan *plan)
{
    if (plan->temporary_count == MAX_TEMPORARIES) {
        error_set("%s: too many arguments need a copy", plan->kernel->function.name);
        return NULL;
    }
    return &plan->temporaries[plan->temporary_count];
}

/* Replaces a stream that was copied together with its halo by the view of the elements inside. */
static bool shrink(Stream *copy, const Halo *halo)
{
    int64_t first[SHAPE_MAX_RANK], last[SHAPE_MAX_RANK];
    for (int d = 0; d < copy->shape.rank; d++) {
        first[d] = halo[d].before;
        last[d] = copy->shape.size[d] - halo[d].after;
    }
    Stream whole = *copy, inside;
    bool done = stream_domain(&whole, first, last, &inside);
    stream_release(&whole);
    *copy = (Stream){.device = NULL};
    if (done) {
        done = stream_halo(&inside, halo, copy);
        stream_release(&inside);
    }
    return done;
}

/* Copies the elements of argument i, to another shape if `shape` is not NULL. Profiles show `why`. */
static bool copy_for(Plan *plan, int i, const char *why, const Stream *stream, const Shape *shape, Stream *copy)
{
    const Function *f = &plan->kernel->function;
    char reason[PROFILE_REASON];
    snprintf(reason, sizeof reason, "%s: argument '%s' %s", f->name, f->params[i].name, why);
    const char *former = profile_copies_begin(plan->device, reason);
    bool done = plan->copy(stream, shape, copy);
    profile_copies_end(plan->device, former, done && copy->buffer != stream->buffer);
    return done;
}

const Stream *plan_copied(Plan *plan, int i, const char *why)
{
    const Stream *stream = plan->streams[i];
    Stream *copy = temporary(plan);
    Stream whole = *stream;
    if (stream_has_halo(stream)) {
        stream_extended(stream, &whole);
    }
    bool done = copy && copy_for(plan, i, why, &whole, NULL, copy);
    if (stream_has_halo(stream)) {
        stream_release(&whole);
        done = done && shrink(copy, stream->halo);
    }
    if (!done) {
        return NULL;
    }
    memcpy(copy->boundary, stream->boundary, sizeof copy->boundary);
    copy->explicit_boundary = stream->explicit_boundary;
    copy->inherited_boundary = stream->inherited_boundary;
    copy->outside = stream->outside;
    plan->temporary_count++;
    return copy;
}

static bool resample(Plan *plan, int i)
{
    const Stream *stream = plan->streams[i];
    if (shape_equal(&stream->shape, &plan->domain)) {
        return true;
    }
    const Function *f = &plan->kernel->function;
    Stream *view = temporary(plan);
    if (!view) {
        return false;
    }
    if (!copy_for(plan, i, "has another shape than the launch", stream, &plan->domain, view)) {
        return error_prefix("%s: argument '%s'", f->name, f->params[i].name);
    }
    plan->temporary_count++;
    plan->streams[i] = view;
    plan->resampled[i] = true;
    return true;
}

/* Checks that buffers are small enough: element and word numbers must stay below 2^31. */
static bool check_sizes(const Plan *plan)
{
    const Function *f = &plan->kernel->function;
    for (int i = 0; i < f->param_count; i++) {
        const Stream *s = plan->streams[i];
        if (s && s->buffer && !buffer_block_fits(s->buffer)) {
            return error_prefix("%s: argument '%s'", f->name, f->params[i].name);
        }
    }
    return true;
}

/* Checks that a container has the shape of the launch: containers are not repeated or strided. */
static bool check_map(const Plan *plan, int i)
{
    const Function *f = &plan->kernel->function;
    const Stream *s = plan->streams[i];
    char a[SHAPE_TEXT], b[SHAPE_TEXT];
    return !s->map || shape_equal(&s->shape, &plan->domain) ||
           error_set("%s: argument '%s' is a container of shape %s, the launch runs over %s: read it as a gather, or "
                     "pass a stream of its elements (c:stream)",
                     f->name, f->params[i].name, shape_text(&s->shape, a), shape_text(&plan->domain, b));
}

/* Returns whether a stream has the same element at every index. */
static bool is_uniform(const Stream *stream)
{
    bool same = true;
    for (int d = 0; d < stream->shape.rank; d++) {
        same = same && stream->dim[d].stride == 0;
    }
    return same;
}

/* Checks that a launch over pages without bounds has no stream as an element-wise argument, since
 * streams have bounds. */
static bool check_unbounded(const Plan *plan, int i)
{
    const Function *f = &plan->kernel->function;
    return !plan->pages || !plan->pages->unbounded || !launch_kind(f, i)->along || plan->streams[i]->map ||
           is_uniform(plan->streams[i]) ||
           error_set("%s: argument '%s' is a stream, the launch runs over pages of a container without bounds: pass "
                     "such containers, and read the stream as a gather",
                     f->name, f->params[i].name);
}

static bool check_shapes(Plan *plan)
{
    const Function *f = &plan->kernel->function;
    char a[SHAPE_TEXT], b[SHAPE_TEXT];
    for (int i = 0; i < f->param_count; i++) {
        const Param *param = &f->params[i];
        const Stream *stream = plan->streams[i];
        if (!launch_kind(f, i)->stream || launch_numbered(plan, i)) {
            continue;
        }
        if (!check_unbounded(plan, i)) {
            return false;
        }
        if (param->kind == PARAM_GATHER || param_kinds[param->kind].anywhere) {
            if (stream->shape.rank != param->rank) {
                return kernel_error_rank(f, param, stream);
            }
        } else if (launch_is_output(f, i) || param->kind == PARAM_NEIGHBOR) {
            if (!shape_equal(&stream->shape, &plan->domain)) {
                return error_set("%s: argument '%s' has shape %s, expected %s", f->name, param->name,
                                 shape_text(&stream->shape, a), shape_text(&plan->domain, b));
            }
        } else if (!check_map(plan, i) || !resample(plan, i)) {
            return false;
        }
        if (launch_kind(f, i)->written && !stream->writable) {
            return error_set(
                "%s: argument '%s' is a view that can't be written to (tile, replicate, windows or an iterator): "
                "use :copy()",
                f->name, param->name);
        }
    }
    return true;
}

/* Returns whether an output may share memory with a stream or its halo. */
static bool overlaps(const Stream *output, const Stream *stream)
{
    if (!stream_has_halo(stream)) {
        return stream_overlaps(output, stream);
    }
    Stream whole;
    stream_extended(stream, &whole);
    bool found = stream_overlaps(output, &whole);
    stream_release(&whole);
    return found;
}

/* Copies inputs that overlap an output, unless every element is read only by the invocation that writes it. */
static bool separate(Plan *plan, bool passes)
{
    const Function *f = &plan->kernel->function;
    for (int o = 0; o < f->param_count; o++) {
        if (!launch_kind(f, o)->written) {
            continue;
        }
        for (int i = 0; i < f->param_count; i++) {
            if (i == o || !launch_kind(f, i)->stream || !overlaps(plan->streams[o], plan->streams[i])) {
                continue;
            }
            if (launch_kind(f, i)->written) {
                return error_set("%s: outputs '%s' and '%s' overlap in memory", f->name, f->params[o].name,
                                 f->params[i].name);
            }
            bool same = launch_kind(f, i)->element && launch_is_output(f, o) && !passes &&
                        stream_same_mapping(plan->streams[i], plan->streams[o]);
            if (!same && plan->streams[i]->map) {
                return error_set("%s: argument '%s' is a container whose memory '%s' writes: read a copy of it "
                                 "(c:stream, c:copy)",
                                 f->name, f->params[i].name, f->params[o].name);
            }
            char why[96];
            snprintf(why, sizeof why, "overlaps output '%s' in memory", f->params[o].name);
            if (!same && !(plan->streams[i] = plan_copied(plan, i, why))) {
                return false;
            }
        }
    }
    return true;
}

/* Replaces empty gathers by a small zeroed buffer: a gather from an empty stream reads zero at every index. */
static bool replace_empty(Plan *plan)
{
    const Function *f = &plan->kernel->function;
    for (int i = 0; i < f->param_count; i++) {
        const Stream *s = plan->streams[i];
        if (!launch_kind(f, i)->bound || s->source != SOURCE_BUFFER || stream_elements(s) > 0) {
            continue;
        }
        Shape one = {.rank = s->shape.rank};
        for (int d = 0; d < one.rank; d++) {
            one.size[d] = 1;
        }
        Stream *zero = temporary(plan);
        if (!zero || !stream_create(plan->device, s->type, &one, true, zero)) {
            return false;
        }
        zero->explicit_boundary = true;
        plan->temporary_count++;
        plan->streams[i] = zero;
    }
    return true;
}

/* merging dimensions */

/* Returns whether dimensions d and d + 1 of every element-wise argument can be traversed as one. */
static bool mergeable(const Plan *plan, int d)
{
    const Function *f = &plan->kernel->function;
    for (int i = 0; i < f->param_count; i++) {
        if (!launch_kind(f, i)->element) {
            continue;
        }
        const Stream *s = plan->streams[i];
        const ViewDim *outer = &s->dim[d], *inner = &s->dim[d + 1];
        bool one = s->shape.size[d] == 1 || s->shape.size[d + 1] == 1; /* a dimension of size 1 has no step */
        if (s->map || launch_dim_mapped(outer) || launch_dim_mapped(inner) ||
            (!one && outer->stride != inner->stride * s->shape.size[d + 1])) {
            return false;
        }
    }
    return true;
}

static void merge_stream(Plan *plan, int i, int d, int rank)
{
    Stream *view = (Stream *)plan->streams[i];
    if (view < plan->temporaries || view >= plan->temporaries + MAX_TEMPORARIES) {
        view = &plan->merged[plan->merged_count++];
        *view = *plan->streams[i]; /* only the header: the original keeps the reference */
        plan->streams[i] = view;
    }
    if (view->shape.size[d + 1] != 1) {
        view->dim[d] = view->dim[d + 1];
    }
    view->shape.size[d] *= view->shape.size[d + 1];
    for (int k = d + 1; k < rank - 1; k++) {
        view->shape.size[k] = view->shape.size[k + 1];
        view->dim[k] = view->dim[k + 1];
    }
    view->shape.rank = rank - 1;
}

/* Fewer dimensions need less index arithmetic and fewer programs. */
void plan_merge(Plan *plan)
{
    const Kernel *kernel = plan->kernel;
    const Function *f = &kernel->function;
    plan->merged_count = 0;
    plan->launch_shape = plan->domain;
    bool placed = plan->placement && kernel->body.random;
    if (kernel->body.uses_position || f->group_rank > 1 || plan->pages || placed) {
        return;
    }
    Shape *shape = &plan->launch_shape;
    for (int d = shape->rank - 2; d >= 0; d--) {
        if (!mergeable(plan, d)) {
            continue;
        }
        for (int i = 0; i < f->param_count; i++) {
            if (launch_kind(f, i)->element) {
                merge_stream(plan, i, d, shape->rank);
            }
        }
        shape->size[d] *= shape->size[d + 1];
        for (int k = d + 1; k < shape->rank - 1; k++) {
            shape->size[k] = shape->size[k + 1];
        }
        shape->rank--;
    }
}

/* all of it */

/* Returns the number of outputs that a pass may store: random-access streams need storage blocks, too. */
static int outputs_per_pass(const Plan *plan, int outputs)
{
    const DeviceLimits *limits = device_limits(plan->device);
    const Function *f = &plan->kernel->function;
    int randoms = 0;
    for (int i = 0; i < f->param_count; i++) {
        randoms += param_kinds[f->params[i].kind].anywhere;
    }
    int most = limits->storage_blocks - randoms;
    most = most < limits->outputs_per_pass ? most : limits->outputs_per_pass;
    most = most < 1 ? 1 : most;
    return outputs < most ? outputs : most;
}

bool plan_prepare(Plan *plan, const Argument *args, int *outputs, int *per_pass)
{
    const Function *f = &plan->kernel->function;
    *outputs = 0;
    plan->outputs = 0;
    for (int i = 0; i < f->param_count; i++) {
        plan->streams[i] = plan->originals[i] = launch_kind(f, i)->stream ? args[i].stream : NULL;
        plan->resampled[i] = false;
        plan->outputs |= (uint64_t)launch_is_output(f, i) << i;
        *outputs += launch_is_output(f, i);
    }
    if (f->group_rank && (plan->active || (plan->pages && plan->pages->levels))) {
        return error_set("%s: a group kernel runs whole groups: it can't run over active elements only", f->name);
    }
    if (f->group_rank > 1 && plan->pages) {
        return error_set(
            "%s: a group kernel of %d dimensions runs over a grid of groups, which pages do not form: give "
            "over = c:range() for all of a container",
            f->name, f->group_rank);
    }
    if (f->group_rank > 1 && (plan->domain.rank < f->group_rank || plan->domain.rank > 3)) {
        return error_set("%s: a group kernel of %d dimensions runs over %s, this launch has %d dimensions", f->name,
                         f->group_rank, f->group_rank == 2 ? "two or three" : "three", plan->domain.rank);
    }
    *per_pass = outputs_per_pass(plan, *outputs);
    if (!check_sizes(plan) || !check_shapes(plan)) {
        return false;
    }
    plan->count = plan->pages ? kernel_page_elements(plan->pages, plan->domain.rank) : shape_elements(&plan->domain);
    if (plan->count > SHAPE_MAX_ELEMENTS) {
        char text[SHAPE_TEXT];
        return error_set("%s: a launch over %s is more than 2147483647 elements: declare the container 'T name[]' and "
                         "run over a smaller shape",
                         f->name, shape_text(&plan->domain, text));
    }
    return plan->count == 0 || (separate(plan, *per_pass < *outputs) && replace_empty(plan));
}

Plan *plan_start(Kernel *kernel, Device *device, const Domain *domain, bool check, LaunchCopy *copy)
{
    Plan *plan = workspace_take(device, sizeof *plan);
    if (!plan) {
        return NULL;
    }
    plan->kernel = kernel;
    plan->device = device;
    plan->copy = copy;
    plan->traits = device_traits(device);
    plan->domain = domain->shape;
    plan->active = domain->active;
    plan->pages = domain->pages;
    plan->numbered = domain->numbered;
    plan->replicated = 0;
    plan->placement = domain->placement;
    plan->random = domain->random;
    plan->issued = domain->issued;
    plan->count = 0;
    plan->check = check;
    plan->length = (DeviceLength){0};
    plan->temporary_count = 0;
    plan->merged_count = 0;
    plan->packed = NULL;
    return plan;
}
