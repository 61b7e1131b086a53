/* Runs one launch: chooses the variant, fills in uniforms and issues passes. */
#include "kernel/launch/launch.h"

#include "gpu/memory/buffer.h"
#include "gpu/memory/workspace.h"
#include "gpu/program/profile.h"
#include "gpu/program/program.h"
#include "kernel/emit/slice.h"
#include "kernel/variant/address_map.h"

#include <string.h>

uint64_t launch_bytes(const Function *f, const Argument *args, const Shape *domain)
{
    uint64_t bytes = 0;
    for (int i = 0; i < f->param_count; i++) {
        const ParamKindInfo *kind = &param_kinds[f->params[i].kind];
        if (kind->along) {
            uint64_t size = args[i].stream->buffer ? (uint64_t)args[i].stream->type->bytes : 0;
            bytes += size * (uint64_t)shape_elements(domain) * (uint64_t)(kind->read + kind->written);
        }
    }
    return bytes;
}

static bool issue(Plan *plan, Variant *variant, const Argument *args)
{
    Kernel *kernel = plan->kernel;
    const Layout *layout = &variant->layout;
    Dispatch dispatch = {.program = variant->program,
                         .params = kernel->words,
                         .param_vectors = (layout->words + 3) / 4,
                         .texture_count = layout->textures,
                         .block_count = layout->blocks,
                         .faults = plan->check || variant_partial(&variant->key) ||
                                   (plan->traits->loop_limit && kernel->body.unbounded)};
    memset(plan->packed_offset, 0, sizeof plan->packed_offset);
    plan->packed = NULL;
    launch_bind_active(plan, layout, &dispatch);
    bool done = launch_bind_reads(plan, variant, &dispatch);
    if (done) {
        launch_bind_stores(plan, variant, &dispatch);
        launch_fill(plan, layout, kernel->words);
        for (int i = 0; i < kernel->function.param_count; i++) {
            launch_fill_argument(plan, variant, i, args, kernel->words);
        }
        launch_groups(plan, layout, kernel->words, dispatch.groups);
        if (profile_running(plan->device)) {
            Shape all = {1, {plan->count}};
            dispatch.bytes = launch_bytes(&kernel->function, args, plan->active ? &plan->active->shape : &all);
        }
        done = plan->length.buffer ? indirect_dispatch(plan->device, &dispatch, plan->length,
                                                       (uint32_t)(layout->group * layout->elements))
                                   : device_dispatch(plan->device, &dispatch);
        if (done && plan->issued) {
            *plan->issued = true;
        }
        if (done && dispatch.faults && plan->traits->synchronous) {
            done = kernel_fault_check(plan->device);
        }
    }
    if (plan->packed) {
        buffer_release(plan->packed);
    }
    return done;
}

/* passes */

static bool check_passes(const Plan *plan)
{
    const Function *f = &plan->kernel->function;
    for (int i = 0; i < f->param_count; i++) {
        if (param_kinds[f->params[i].kind].anywhere && !f->params[i].target) {
            return error_set(
                "%s: a kernel with random access ('%s') can't run in several passes, and this device stores "
                "too few outputs at once",
                f->name, f->params[i].name);
        }
    }
    return true;
}

/* Copies the in-place arguments of a launch with several passes, so that later passes read their old values. */
static bool copy_in_place(Plan *plan, const Stream *old[MAX_PARAMS])
{
    const Function *f = &plan->kernel->function;
    for (int i = 0; i < f->param_count; i++) {
        old[i] = NULL;
        if (f->params[i].kind == PARAM_INOUT && !(old[i] = plan_copied(plan, i, "is written in several passes"))) {
            return false;
        }
    }
    return true;
}

/* Finds or compiles the variant of a key. If it is compiled and dumped, its file contains the
 * reason for the variant. */
static Variant *find_variant(Plan *plan, const KernelText *text, const VariantKey *key)
{
    if (!program_dumps(plan->device)) {
        return kernel_variant(plan->kernel, plan->device, key);
    }
    StrBuf why = STRBUF_EMPTY;
    trace_choice(plan, text, key, &why);
    program_note(plan->device, strbuf_text(&why));
    Variant *variant = kernel_variant(plan->kernel, plan->device, key);
    program_note(plan->device, NULL);
    strbuf_free(&why);
    return variant;
}

/* Returns the outputs that pass `number` of several passes stores, a bit per parameter. Outputs
 * that share work are in one pass. 0 with error_set. */
static uint64_t find_pass(const Plan *plan, int number, int outputs, int per_pass)
{
    Kernel *kernel = plan->kernel;
    uint64_t stored = 0;
    if (kernel->pass_outputs != per_pass) {
        if (!slice_order(kernel->module, &kernel->function, per_pass, kernel->pass_order)) {
            return 0;
        }
        kernel->pass_outputs = per_pass;
    }
    for (int k = number * per_pass; k < outputs && k < (number + 1) * per_pass; k++) {
        stored |= UINT64_C(1) << kernel->pass_order[k];
    }
    return stored;
}

static bool run_pass(Plan *plan, const KernelText *text, uint64_t stored, const Argument *args)
{
    VariantKey key;
    launch_key(plan, text, stored, &key);
    Variant *variant = find_variant(plan, text, &key);
    return variant && issue(plan, variant, args);
}

static bool run_passes(Plan *plan, const KernelText *text, int outputs, int per_pass, const Argument *args)
{
    const Function *f = &plan->kernel->function;
    const Stream *old[MAX_PARAMS];
    if (!check_passes(plan) || !copy_in_place(plan, old)) {
        return false;
    }
    for (int number = 0; number * per_pass < outputs; number++) {
        const Stream *now[MAX_PARAMS];
        uint64_t stored = find_pass(plan, number, outputs, per_pass);
        if (!stored) {
            return false;
        }
        memcpy(now, plan->streams, sizeof now);
        for (int i = 0; i < f->param_count; i++) {
            plan->streams[i] = old[i] && !(stored >> i & 1) ? old[i] : plan->streams[i];
        }
        bool done = run_pass(plan, text, stored, args);
        memcpy(plan->streams, now, sizeof now);
        if (!done) {
            return false;
        }
    }
    return true;
}

/* the launch */

/* Returns the length that only the device knows, of the active list or of the element-wise streams,
 * which are equal (kernel_takes_length). */
static DeviceLength plan_length(const Plan *plan)
{
    if (plan->active) {
        return plan->active->length;
    }
    for (int i = 0; i < plan->kernel->function.param_count; i++) {
        const Stream *s = plan->originals[i];
        if (s && s->length.buffer) {
            return s->length;
        }
    }
    return (DeviceLength){0};
}

/* Notifies the maps of containers that were written. */
static bool notify_maps(const Kernel *kernel, const Argument *args, const PageSet *pages)
{
    for (int i = 0; i < kernel->function.param_count; i++) {
        const ParamKindInfo *kind = launch_kind(&kernel->function, i);
        bool written = kind->written && args[i].stream;
        AddressMap *map = written ? args[i].stream->map : NULL;
        if (map && map->wrote && !map->wrote(map, args[i].stream, kind->along ? pages : NULL)) {
            return false;
        }
    }
    return true;
}

/* The launch as it is traced. It has other arguments if the launch over pages was replaced by one over memory. */
typedef struct TracedLaunch {
    const Domain *domain;
    const Argument *args;
} TracedLaunch;

static bool launch_over(Kernel *kernel, Device *device, const Argument *args, const Domain *domain, bool check,
                        LaunchCopy *copy, const TracedLaunch *traced)
{
    Argument given[MAX_PARAMS];
    Kernel *mapped = address_kernel(kernel, device, args, given);
    args = mapped == kernel ? args : given;
    kernel = mapped;
    uint64_t replicated = kernel ? launch_halo(kernel, device, args, domain) : 0;
    bool ready = kernel && launch_halo_copy(kernel, args, replicated);
    Plan *plan = ready ? plan_start(kernel, device, domain, check, copy) : NULL;
    int outputs, per_pass;
    if (!plan) {
        return false;
    }
    plan->replicated = replicated;
    bool done = plan_prepare(plan, args, &outputs, &per_pass);
    plan->length = plan_length(plan);
    if (done && plan->count > 0) {
        KernelText text = kernel_text(kernel, device);
        if (device_traced(device)) {
            trace_launch(kernel, traced ? traced->domain : domain, traced ? traced->args : args);
        }
        plan_merge(plan);
        done = per_pass < outputs ? run_passes(plan, &text, outputs, per_pass, args)
                                  : run_pass(plan, &text, plan->outputs, args);
    }
    for (int i = 0; plan->count > 0 && i < kernel->function.param_count; i++) {
        if (launch_kind(&kernel->function, i)->written && args[i].stream) {
            stream_wrote(args[i].stream);
        }
    }
    bool any = plan->count > 0;
    plan_finish(plan);
    return done && (!any || notify_maps(kernel, args, domain->pages));
}

static bool run_bound(Kernel *kernel, Device *device, const Argument *args, const Domain *domain, bool check,
                      LaunchCopy *copy)
{
    LinearLaunch *linear = domain->pages ? workspace_take(device, sizeof *linear) : NULL;
    if (domain->pages && !linear) {
        return false;
    }
    bool one = linear && launch_contiguous_pages(kernel, args, domain, check, linear);
    const TracedLaunch traced = {domain, args};
    bool done = one ? launch_over(kernel, device, linear->args, &linear->domain, check, copy, &traced) &&
                          notify_maps(kernel, args, domain->pages)
                    : launch_over(kernel, device, args, domain, check, copy, NULL);
    workspace_give(device, linear);
    return done;
}

bool launch_run(Kernel *kernel, Device *device, const Argument *args, const Domain *domain, bool check,
                LaunchCopy *copy)
{
    if (!boundary_rebinds(kernel, args)) {
        return run_bound(kernel, device, args, domain, check, copy);
    }
    BoundArguments *bound = workspace_take(device, sizeof *bound);
    args = bound ? boundary_bind(kernel, args, bound) : NULL;
    bool done = args && run_bound(kernel, device, args, domain, check, copy);
    workspace_give(device, bound);
    return done;
}

static bool preview_launch(Kernel *kernel, Device *device, const Argument *args, const Domain *domain, bool check,
                           LaunchCopy *copy, Preview *preview)
{
    Argument given[MAX_PARAMS];
    Kernel *mapped = address_kernel(kernel, device, args, given);
    args = mapped == kernel ? args : given;
    kernel = preview->kernel = mapped;
    Plan *plan = kernel ? plan_start(kernel, device, domain, check, copy) : NULL;
    int outputs, per_pass;
    if (!plan) {
        return false;
    }
    plan->replicated = launch_halo(kernel, device, args, domain);
    bool done = plan_prepare(plan, args, &outputs, &per_pass);
    if (done) {
        KernelText text = kernel_text(kernel, device);
        plan_merge(plan);
        uint64_t stored = per_pass < outputs ? find_pass(plan, 0, outputs, per_pass) : plan->outputs;
        preview->passes = per_pass ? (outputs + per_pass - 1) / per_pass : 1;
        preview->per_pass = per_pass;
        done = outputs == 0 || stored != 0;
        if (done) {
            launch_key(plan, &text, stored, &preview->key);
            reason_loads(plan, &text, &preview->key, &preview->loads);
            reason_stores(plan, &text, &preview->key, &preview->stores);
            done = variant_layout(&text, &preview->key, &preview->layout);
        }
    }
    plan_finish(plan);
    return done;
}

static bool preview_bound(Kernel *kernel, Device *device, const Argument *args, const Domain *domain, bool check,
                          LaunchCopy *copy, Preview *preview)
{
    LinearLaunch *linear = domain->pages ? workspace_take(device, sizeof *linear) : NULL;
    if (domain->pages && !linear) {
        return false;
    }
    preview->linear = linear && launch_contiguous_pages(kernel, args, domain, check, linear);
    bool done = preview->linear ? preview_launch(kernel, device, linear->args, &linear->domain, check, copy, preview)
                                : preview_launch(kernel, device, args, domain, check, copy, preview);
    workspace_give(device, linear);
    return done;
}

bool launch_preview(Kernel *kernel, Device *device, const Argument *args, const Domain *domain, bool check,
                    LaunchCopy *copy, Preview *preview)
{
    if (!boundary_rebinds(kernel, args)) {
        return preview_bound(kernel, device, args, domain, check, copy, preview);
    }
    BoundArguments *bound = workspace_take(device, sizeof *bound);
    args = bound ? boundary_bind(kernel, args, bound) : NULL;
    bool done = args && preview_bound(kernel, device, args, domain, check, copy, preview);
    workspace_give(device, bound);
    return done;
}
