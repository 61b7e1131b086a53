#include "primitive/reduction/vout.h"

#include "gpu/memory/buffer.h"
#include "primitive/reduction/reduce.h"
#include "primitive/reduction/scan.h"

#include <string.h>

typedef struct Output {
    int param;
    Stream count, begin; /* per element */
    int64_t total;
} Output;

/* One launch. In a launch over a list of active elements the other elements push nothing. The words of an output
 * follow the kernel's own parameters, where the writing kernel expects them. */
typedef struct Phases {
    Kernel *kernel;
    Device *device;
    Domain domain;
    Shape counted; /* shape of the counts; over pages, one count for each element of the launch */
    bool check;
    int count;
    Output outputs[MAX_PARAMS / 2];
    Argument args[MAX_PARAMS];
} Phases;

static void phases_start(Phases *phases, Kernel *kernel, Device *device, const Argument *args, const Domain *domain,
                         bool check)
{
    const Function *f = kernel_function(kernel);
    phases->kernel = kernel;
    phases->device = device;
    phases->domain = *domain;
    phases->counted = domain->shape;
    phases->check = check;
    phases->count = 0;
    if (domain->pages) {
        phases->counted = (Shape){1, {kernel_page_elements(domain->pages, domain->shape.rank)}};
    }
    memcpy(phases->args, args, (size_t)f->param_count * sizeof *args);
    for (int i = 0; i < f->param_count; i++) {
        if (f->params[i].kind == PARAM_VOUT) {
            phases->outputs[phases->count++] = (Output){.param = i};
        }
    }
}

static void phases_finish(Phases *phases)
{
    for (int k = 0; k < phases->count; k++) {
        stream_release(&phases->outputs[k].count);
        stream_release(&phases->outputs[k].begin);
    }
}

static bool create_counts(Phases *phases)
{
    const Type *type = type_of(SCALAR_INT, 1);
    for (int k = 0; k < phases->count; k++) {
        Output *output = &phases->outputs[k];
        bool some = phases->domain.active || phases->domain.pages; /* other elements push nothing: their counts are 0 */
        if (!stream_create(phases->device, type, &phases->counted, some, &output->count)) {
            return false;
        }
        phases->args[output->param].stream = &output->count;
        if (phases->domain.pages) {
            phases->domain.numbered |= UINT64_C(1) << output->param;
        }
    }
    return true;
}

/* Computes the sum of the counts in 64 bits. */
static bool total(Phases *phases, Output *output)
{
    const Shape one = {.rank = 1, .size = {1}};
    Stream sum = {0};
    uint32_t words[2];
    bool done = reduce_stream(REDUCE_SUM, &output->count, NULL, &one, true, &sum) &&
                buffer_read(sum.buffer, 0, words, sizeof words) && kernel_fault_check(phases->device);
    stream_release(&sum);
    if (done) {
        output->total = (int64_t)((uint64_t)words[1] << 32 | words[0]);
    }
    return done;
}

/* Computes the offset of every element's pushes. */
static bool begins(Phases *phases, Output *output)
{
    const Argument count = {.stream = &output->count};
    const ScanSpec spec = {.op = SCAN_ADD,
                           .args = &count,
                           .device = phases->device,
                           .domain = phases->counted,
                           .exclusive = true,
                           .axis = -1};
    return scan_run(&spec, &output->begin);
}

static bool allocate(Phases *phases, Output *output, Stream *result)
{
    const Function *f = kernel_function(phases->kernel);
    const Param *param = &f->params[output->param];
    const Shape shape = {.rank = 1, .size = {output->total}};
    if (output->total > SHAPE_MAX_ELEMENTS) {
        return error_set("%s: %lld elements were pushed to '%s', a stream has at most %lld", f->name,
                         (long long)output->total, param->name, (long long)SHAPE_MAX_ELEMENTS);
    }
    if (!stream_create(phases->device, param->type, &shape, false, result)) {
        return error_prefix("%s: variable output '%s'", f->name, param->name);
    }
    phases->args[output->param].stream = result;
    return true;
}

static bool count_phase(Phases *phases)
{
    if (!create_counts(phases) || !kernel_launch_over(kernel_counting(phases->kernel), phases->device, phases->args,
                                                      &phases->domain, phases->check)) {
        return false;
    }
    for (int k = 0; shape_elements(&phases->counted) > 0 && k < phases->count; k++) {
        if (!total(phases, &phases->outputs[k])) {
            return false;
        }
    }
    return true;
}

/* Adds the inputs of the writing kernel after the kernel's own arguments. */
static void add_places(Phases *phases)
{
    int next = kernel_function(phases->kernel)->param_count;
    phases->domain.numbered = 0;
    for (int k = 0; k < phases->count; k++) {
        if (phases->domain.pages) {
            phases->domain.numbered |= UINT64_C(3) << next;
        }
        phases->args[next++].stream = &phases->outputs[k].begin;
        phases->args[next++].stream = &phases->outputs[k].count;
    }
}

static bool write_phase(Phases *phases, Stream *const results[MAX_PARAMS])
{
    for (int k = 0; k < phases->count; k++) {
        Output *output = &phases->outputs[k];
        if (!allocate(phases, output, results[output->param])) {
            return false;
        }
    }
    if (shape_elements(&phases->counted) == 0) {
        return true;
    }
    for (int k = 0; k < phases->count; k++) {
        if (!begins(phases, &phases->outputs[k])) {
            return false;
        }
    }
    add_places(phases);
    return kernel_launch_over(kernel_writing(phases->kernel), phases->device, phases->args, &phases->domain,
                              phases->check);
}

bool vout_launch(Kernel *kernel, Device *device, const Argument *args, const Domain *domain, bool check,
                 Stream *const results[MAX_PARAMS])
{
    Phases phases;
    phases_start(&phases, kernel, device, args, domain, check);
    bool done = count_phase(&phases) && write_phase(&phases, results);
    phases_finish(&phases);
    return done;
}

bool vout_explain(Kernel *kernel, Device *device, const Argument *args, const Domain *domain, bool check, StrBuf *out)
{
    const Function *f = kernel_function(kernel);
    const Shape one = {.rank = 1, .size = {1}};
    Phases phases;
    Stream targets[MAX_PARAMS / 2] = {{0}};
    phases_start(&phases, kernel, device, args, domain, check);
    bool done = create_counts(&phases);
    strbuf_add(out, "counts what every element pushes, then writes it\n");
    done = done && kernel_explain(kernel_counting(kernel), device, phases.args, &phases.domain, check, out);
    for (int k = 0; done && k < phases.count; k++) {
        Output *output = &phases.outputs[k];
        done = stream_create(device, f->params[output->param].type, &one, false, &targets[k]);
        stream_copy_view(&output->count, &output->begin);
        phases.args[output->param].stream = &targets[k];
    }
    add_places(&phases);
    done = done && kernel_explain(kernel_writing(kernel), device, phases.args, &phases.domain, check, out);
    for (int k = 0; k < phases.count; k++) {
        stream_release(&targets[k]);
    }
    phases_finish(&phases);
    return done;
}
