/* Kernels for arguments with address maps. They are derived from a kernel, once for each
 * combination of address functions. */
#include "kernel/variant/address_map.h"

#include "kernel/fault.h"
#include "kernel/kernel_private.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_MAPPED = 64 };

typedef struct MappedKernel {
    int32_t sizes[MAX_PARAMS][SHAPE_MAX_RANK];
    uint64_t functions[MAX_PARAMS]; /* serials of the address functions; 0: none */
    Kernel *addresses[MAX_PARAMS];  /* retained */
    AddressUse uses[MAX_PARAMS];
    Kernel *kernel;
} MappedKernel;

static void destroy(void *item)
{
    MappedKernel *mapped = item;
    kernel_release(mapped->kernel);
    for (int i = 0; i < MAX_PARAMS; i++) {
        kernel_release(mapped->addresses[i]);
    }
    free(mapped);
}

/* Finds the address function of every argument that has a map; maps that are the same share one.
 * Returns false with error_set. */
static bool find_functions(const Kernel *kernel, Device *device, const Argument *args, Kernel *addresses[MAX_PARAMS])
{
    const Function *f = &kernel->function;
    int slots = 0;
    memset(addresses, 0, MAX_PARAMS * sizeof *addresses);
    for (int i = 0; i < f->param_count; i++) {
        const Stream *s = kernel_stream(kernel, args, i);
        if (!s || !s->map) {
            continue;
        }
        for (int k = 0; k < i && !addresses[i]; k++) {
            const Stream *before = kernel_stream(kernel, args, k);
            addresses[i] = before && address_same(before->map, s->map) ? addresses[k] : NULL;
        }
        if (!addresses[i] && slots == ADDRESS_SLOTS) {
            return error_set("%s: more than %d different containers in one launch", f->name, ADDRESS_SLOTS);
        }
        if (!addresses[i] && !(addresses[i] = s->map->kernel(s->map, device, slots++))) {
            return false;
        }
    }
    return true;
}

/* Appends the parameters of an address function to the parameters of the kernel. */
static bool add_given(Kernel *kernel, const Kernel *address)
{
    const Function *from = &address->function;
    Function *to = &kernel->function;
    int count = address_given(from);
    if (to->param_count > MAX_PARAMS - count) {
        return error_set("%s: with the parameters that its containers need it has more than %d", to->name, MAX_PARAMS);
    }
    memcpy(to->params + to->param_count, from->params + from->param_count - count, (size_t)count * sizeof *to->params);
    memcpy(kernel->body.use + to->param_count, address->body.use + from->param_count - count,
           (size_t)count * sizeof *kernel->body.use);
    for (int i = 0; i < count; i++) {
        const char *baked = address->baked[from->param_count - count + i];
        kernel->baked[to->param_count + i] = baked ? strdup(baked) : NULL;
        if (baked && !kernel->baked[to->param_count + i]) {
            return error_set("out of host memory");
        }
    }
    to->param_count += count;
    to->given += count;
    kernel->body.trips += address->body.trips;
    kernel->body.tokens += address->body.tokens;
    kernel->body.unbounded = kernel->body.unbounded || address->body.unbounded;
    return true;
}

/* Returns whether the address function is only called with coordinates in range. Coordinates of
 * elements may lie beyond the end of a launch. Coordinates of gathers and random accesses are
 * always brought into range. */
static bool in_range(const MappedKernel *mapped, const Argument *args, int count, int i)
{
    bool trusted = true;
    for (int k = 0; k < count && trusted; k++) {
        const ParamKindInfo *kind = &param_kinds[mapped->kernel->function.params[k].kind];
        trusted = mapped->addresses[k] != mapped->addresses[i] ||
                  ((kind->bound || kind->anywhere) && args[k].stream->map->trusted);
    }
    return trusted;
}

static void trust_given(Kernel *kernel, const AddressUse *use)
{
    for (int k = use->given; k < kernel->function.param_count; k++) {
        kernel->body.use[k].trusted = true;
    }
}

static bool add_addresses(MappedKernel *mapped, const Argument *args, int count)
{
    Kernel *kernel = mapped->kernel;
    for (int i = 0; i < count; i++) {
        Kernel *address = mapped->addresses[i];
        AddressUse *use = &mapped->uses[i];
        if (!address) {
            continue;
        }
        *use = (AddressUse){
            address->module, &address->function, &address->body, kernel->function.param_count, false, NULL};
        if (args[i].stream->map->baked) {
            memcpy(mapped->sizes[i], args[i].stream->map->sizes, sizeof mapped->sizes[i]);
            use->sizes = mapped->sizes[i];
        }
        for (int k = 0; k < i && !use->repeated; k++) {
            use->repeated = mapped->addresses[k] == address;
            use->given = use->repeated ? mapped->uses[k].given : use->given;
        }
        if (!use->repeated && !add_given(kernel, address)) {
            return false;
        }
        if (!use->repeated && in_range(mapped, args, count, i)) {
            trust_given(kernel, use);
        }
    }
    kernel->addresses = mapped->uses;
    return true;
}

/* Creates a kernel with its own signature that shares the body of `from`. */
static Kernel *copy_kernel(const Kernel *from)
{
    Kernel *kernel = kernel_blank(from->module);
    bool done = kernel && module_copy_function(&from->function, &kernel->function);
    for (int i = 0; done && i < MAX_PARAMS; i++) {
        kernel->baked[i] = from->baked[i] ? strdup(from->baked[i]) : NULL;
        done = !from->baked[i] || kernel->baked[i] || error_set("out of host memory");
    }
    if (!done) {
        kernel_release(kernel);
        return NULL;
    }
    kernel->body = from->body;
    kernel->body_borrowed = true;
    return kernel;
}

static MappedKernel *derive(Kernel *kernel, const Argument *args, Kernel *const *addresses)
{
    MappedKernel *mapped = calloc(1, sizeof *mapped);
    if (!mapped) {
        error_set("out of host memory");
        return NULL;
    }
    int count = kernel->function.param_count;
    for (int i = 0; i < count; i++) {
        mapped->addresses[i] = addresses[i] ? kernel_retain(addresses[i]) : NULL;
        mapped->functions[i] = addresses[i] ? addresses[i]->serial : 0;
    }
    kernel->mapped_destroy = destroy;
    mapped->kernel = copy_kernel(kernel);
    if (!mapped->kernel || !add_addresses(mapped, args, count) ||
        !fault_register(kernel->function.name, &mapped->kernel->function, &mapped->kernel->id) ||
        !lru_add(&kernel->mapped, mapped, MOST_MAPPED, destroy)) {
        destroy(mapped);
        return NULL;
    }
    return mapped;
}

static bool same_functions(const MappedKernel *mapped, Kernel *const *addresses, int count)
{
    bool same = true;
    for (int i = 0; i < count && same; i++) {
        same = mapped->functions[i] == (addresses[i] ? addresses[i]->serial : 0);
    }
    return same;
}

static MappedKernel *find(Kernel *kernel, const Argument *args, Kernel *const *addresses)
{
    for (size_t i = 0; i < kernel->mapped.count; i++) {
        if (same_functions(kernel->mapped.items[i], addresses, kernel->function.param_count)) {
            return lru_use(&kernel->mapped, i);
        }
    }
    return derive(kernel, args, addresses);
}

Kernel *address_kernel(Kernel *kernel, Device *device, const Argument *args, Argument given[MAX_PARAMS])
{
    Kernel *addresses[MAX_PARAMS];
    int count = kernel->function.param_count;
    bool any = false;
    for (int i = 0; i < count && !any; i++) {
        const Stream *s = kernel_stream(kernel, args, i);
        any = s && s->map;
    }
    kernel->addressed = any;
    if (!any) {
        return kernel;
    }
    if (!find_functions(kernel, device, args, addresses)) {
        return NULL;
    }
    const MappedKernel *mapped = find(kernel, args, addresses);
    if (!mapped) {
        return NULL;
    }
    memcpy(given, args, (size_t)count * sizeof *given);
    for (int i = 0; i < count; i++) {
        if (addresses[i] && !mapped->uses[i].repeated) {
            args[i].stream->map->give(args[i].stream->map, given + mapped->uses[i].given);
        }
    }
    return mapped->kernel;
}

Kernel *address_latest(Kernel *kernel)
{
    if (!kernel->addressed || kernel->mapped.count == 0) {
        return kernel;
    }
    const MappedKernel *mapped = kernel->mapped.items[0];
    return mapped->kernel;
}
