#include "kernel/kernel_private.h"

#include "base/array.h"
#include "gpu/program/profile.h"
#include "kernel/check/verify.h"
#include "kernel/emit/derive.h"
#include "kernel/emit/glsl.h"
#include "kernel/fault.h"
#include "kernel/tree/node.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VARIANTS = 512 }; /* of a kernel; the least recently used ones are dropped */

static bool result_name(const Function *f, Param *param)
{
    strcpy(param->name, "result");
    for (int i = 0; i < f->param_count; i++) {
        if (strcmp(f->params[i].name, "result") == 0) {
            strcpy(param->name, "result_");
        }
    }
    return f->param_count < MAX_PARAMS ||
           error_set("%s: a kernel that returns a value has at most %d parameters", f->name, MAX_PARAMS - 1);
}

/* Makes the signature as launched: the signature of the text, and the returned value as an output. */
static bool launched_function(const Module *module, const Function *from, Function *to)
{
    if (!module_copy_function(from, to)) {
        return false;
    }
    if (from->result_matrix) {
        return source_error(&module->source, from->offset, "a kernel can't return a matrix");
    }
    if (from->result) {
        Param param = {.kind = PARAM_OUTPUT, .type = from->result, .offset = from->offset};
        if (!result_name(from, &param)) {
            return false;
        }
        to->params[to->param_count++] = param;
    }
    return true;
}

Kernel *kernel_blank(Module *module)
{
    static atomic_uint_fast64_t serial; /* shared by all threads */
    Kernel *kernel = calloc(1, sizeof *kernel);
    if (!kernel) {
        error_set("out of host memory");
        return NULL;
    }
    kernel->references = 1;
    kernel->serial = atomic_fetch_add(&serial, 1) + 1;
    kernel->module = module_retain(module);
    kernel->words = calloc(MAX_PARAM_VECTORS * 4, sizeof *kernel->words);
    kernel->life = calloc(1, sizeof *kernel->life);
    if (kernel->life) {
        kernel->life->references = 1;
    }
    if (!kernel->words || !kernel->life) {
        error_set("out of host memory");
        kernel_release(kernel);
        return NULL;
    }
    return kernel;
}

static bool create_parts(Kernel *kernel, const Function *function);

/* Creates a kernel. `mode` is BODY_COUNT or BODY_WRITE for a part of a kernel with variable outputs. */
static Kernel *kernel_new(Module *module, const Function *function, BodyMode mode)
{
    Kernel *kernel = kernel_blank(module);
    if (!kernel) {
        return NULL;
    }
    bool done = launched_function(module, function, &kernel->function);
    if (done && mode != BODY_PLAIN) {
        Function whole = kernel->function;
        kernel->function.params = NULL;
        done = derive_function(module, &whole, mode, &kernel->function, kernel->baked);
        free(whole.params);
    }
    if (done && mode == BODY_PLAIN && derive_needed(function)) {
        done = create_parts(kernel, function);
    } else {
        done = done && body_create(module, function, mode, &kernel->function, &kernel->body) &&
               fault_register(function->name, &kernel->function, &kernel->id);
    }
    if (!done) {
        kernel_release(kernel);
        return NULL;
    }
    return kernel;
}

static bool create_parts(Kernel *kernel, const Function *function)
{
    kernel->count = kernel_new(kernel->module, function, BODY_COUNT);
    kernel->write = kernel->count ? kernel_new(kernel->module, function, BODY_WRITE) : NULL;
    return kernel->write != NULL;
}

static bool has_output(const Function *f)
{
    bool found = f->result || f->result_matrix;
    for (int i = 0; i < f->param_count; i++) {
        found = found || param_kinds[f->params[i].kind].written;
    }
    return found;
}

Kernel *kernel_create(Module *module, const Function *function)
{
    if (function->kind == FUNCTION_KERNEL && !has_output(function)) {
        source_error(&module->source, function->offset,
                     "kernel '%s' has no output: mark one with 'out', like 'out float r<>', or a "
                     "changed stream with 'inout'",
                     function->name);
        return NULL;
    }
    if (function->kind == FUNCTION_HELPER) {
        error_set("'%s' is a helper function, not a kernel", function->name);
        return NULL;
    }
    return kernel_new(module, function, BODY_PLAIN);
}

Kernel *kernel_retain(Kernel *kernel)
{
    kernel->references++;
    return kernel;
}

KernelLife *kernel_life_retain(KernelLife *life)
{
    life->references++;
    return life;
}

void kernel_life_release(KernelLife *life)
{
    if (life && --life->references == 0) {
        free(life);
    }
}

static void variant_destroy(void *item)
{
    Variant *variant = item;
    for (int i = 0; i < variant->key.count; i++) {
        type_release(variant->key.args[i].type);
    }
    program_release(variant->program);
    free(variant);
}

void kernel_release(Kernel *kernel)
{
    if (!kernel || --kernel->references > 0) {
        return;
    }
    lru_clear(&kernel->variants, variant_destroy);
    lru_clear(&kernel->mapped, kernel->mapped_destroy);
    if (kernel->life) {
        kernel->life->over = true;
        kernel_life_release(kernel->life);
    }
    for (int i = 0; i < MAX_PARAMS; i++) {
        free(kernel->baked[i]);
    }
    kernel_release(kernel->count);
    kernel_release(kernel->write);
    fault_unregister(kernel->id);
    if (!kernel->body_borrowed) {
        body_free(&kernel->body);
    }
    free(kernel->function.params);
    free(kernel->words);
    module_release(kernel->module);
    free(kernel);
}

const Function *kernel_function(const Kernel *kernel)
{
    return &kernel->function;
}

void kernel_set_library(Kernel *kernel)
{
    kernel->module->library = true;
}

const Module *kernel_module(const Kernel *kernel)
{
    return kernel->module;
}

Kernel *kernel_counting(const Kernel *kernel)
{
    return kernel->count;
}

Kernel *kernel_writing(const Kernel *kernel)
{
    return kernel->write;
}

bool kernel_is_random(const Kernel *kernel)
{
    return kernel->write ? kernel->write->body.random : kernel->body.random;
}

const char *kernel_baked_text(const Kernel *kernel, int param)
{
    return kernel->baked[param];
}

const Stream *kernel_stream(const Kernel *kernel, const Argument *args, int i)
{
    return param_kinds[kernel->function.params[i].kind].stream ? args[i].stream : NULL;
}

bool kernel_reach(const Kernel *kernel, int param, int reach[3])
{
    const ParamUse *use = &(kernel->write ? kernel->write : kernel)->body.use[param]; /* of kernels with push() */
    for (int d = 0; d < 3; d++) {
        reach[d] = use->ranges ? use->reach : 0;
        for (int k = 0; k < use->offset_count; k++) {
            int offset = abs(use->offsets[k][d]);
            reach[d] = offset > reach[d] ? offset : reach[d];
        }
    }
    return kernel->function.params[param].kind == PARAM_NEIGHBOR && !use->far;
}

bool kernel_is_baked(const Kernel *kernel, int param)
{
    return kernel->baked[param] != NULL;
}

KernelText kernel_text(const Kernel *kernel, Device *device)
{
    const DeviceLimits *limits = device_limits(device);
    const DeviceTraits *traits = device_traits(device);
    return (KernelText){
        .module = kernel->module,
        .function = &kernel->function,
        .body = &kernel->body,
        .traits = traits,
        .baked = (const char *const *)kernel->baked,
        .texture_limit = limits->texture_units < DEVICE_MAX_TEXTURES ? limits->texture_units : DEVICE_MAX_TEXTURES,
        .block_limit = limits->storage_blocks < DEVICE_MAX_BLOCKS - 1 ? limits->storage_blocks : DEVICE_MAX_BLOCKS - 1,
        .uniform_limit = limits->uniform_vectors < MAX_PARAM_VECTORS ? limits->uniform_vectors : MAX_PARAM_VECTORS,
        .canary = traits->loop_limit > 0 && kernel->body.unbounded,
        .id = kernel->id,
        .addresses = kernel->addresses,
    };
}

static bool check_limits(const Kernel *kernel, Device *device)
{
    const Function *f = &kernel->function;
    uint64_t size = 1;
    for (int d = 0; d < f->group_rank; d++) {
        size *= (uint64_t)f->group[d];
    }
    uint32_t most = device_limits(device)->group_size, bytes = device_limits(device)->shared_bytes;
    if (kernel->body.shared_bytes > (double)bytes) {
        return source_error(
            &kernel->module->source, f->offset,
            "the shared variables need %.0f bytes, and a group of this device has %u: make them smaller",
            kernel->body.shared_bytes, bytes);
    }
    const Tree *tree = kernel->module->tree;
    NodeIndex group = f->node ? node_at(tree, f->node)->child : 0;
    size_t place = group && node_at(tree, group)->kind == NODE_GROUP
                       ? node_token(tree, node_at(tree, group)->child)->offset
                       : f->offset;
    return size <= most ||
           source_error(&kernel->module->source, place, "a group of %llu invocations is more than this device has (%u)",
                        (unsigned long long)size, most);
}

/* Checks that the device has the subgroup operations that the body uses. */
static bool check_subgroups(const Kernel *kernel, Device *device)
{
    const DeviceTraits *traits = device_traits(device);
    const bool has[] = {traits->subgroup_ops, traits->subgroup_ballot, traits->subgroup_shuffle};
    static const char *const names[] = {"subgroup_ops", "subgroup_ballot", "subgroup_shuffle"};
    for (int i = 0; i < SUBGROUP_TRAITS; i++) {
        const Token *call = kernel->body.subgroup[i];
        if (call && !has[i]) {
            return source_error(
                &kernel->module->source, call->offset,
                "this device does not have '%.*s': its trait %s is false, see device.traits; shared memory "
                "and barrier() do the same on all devices",
                call->length, call->text, names[i]);
        }
    }
    return true;
}

bool kernel_refused(const Kernel *kernel)
{
    char *log = strdup(error_message());
    error_set(
        "%s:%d: %s: the device's compiler rejects the program of this kernel, although its text has no error that rill "
        "finds: it needs more than the device has, or this is a fault of rill, which you can report with these "
        "messages: %s",
        kernel->module->source.chunk, kernel->module->source.first_line, kernel->function.name, log ? log : "");
    free(log);
    return false;
}

static Variant *compile(Kernel *kernel, Device *device, const VariantKey *key)
{
    if (!check_limits(kernel, device) || !check_subgroups(kernel, device)) {
        return NULL;
    }
    KernelText text = kernel_text(kernel, device);
    Variant *variant = calloc(1, sizeof *variant);
    StrBuf source = STRBUF_EMPTY;
    bool done = variant || error_set("out of host memory");
    if (done) {
        variant->key = *key;
        for (int i = 0; i < key->count; i++) {
            type_retain(key->args[i].type);
        }
        variant->device = device_serial(device);
        done = variant_layout(&text, key, &variant->layout) && codegen_write(&text, key, &variant->layout, &source);
    }
    if (done) {
        bool refused;
        variant->program = program_find(device, kernel->function.name, strbuf_text(&source), &refused);
        done = variant->program != NULL;
        if (refused) {
            kernel_refused(kernel);
        } else if (!done) {
            error_prefix("%s:%d: %s", kernel->module->source.chunk, kernel->module->source.first_line,
                         kernel->function.name);
        }
    }
    strbuf_free(&source);
    done = done && lru_add(&kernel->variants, variant, MOST_VARIANTS, variant_destroy);
    if (variant && !done) {
        variant_destroy(variant);
    }
    return done ? variant : NULL;
}

static bool same_key(const Variant *variant, uint64_t device, const VariantKey *key)
{
    size_t used = offsetof(VariantKey, args) + key->count * sizeof *key->args;
    return variant->device == device && memcmp(&variant->key, key, used) == 0;
}

Variant *kernel_variant(Kernel *kernel, Device *device, const VariantKey *key)
{
    uint64_t serial = device_serial(device);
    for (size_t i = 0; i < kernel->variants.count; i++) {
        if (same_key(kernel->variants.items[i], serial, key)) {
            return i ? lru_use(&kernel->variants, i) : kernel->variants.items[0];
        }
    }
    Variant *made = compile(kernel, device, key);
    return made && pass_verify(kernel->module) ? made : NULL;
}

/* specialize */

/* Returns whether word k of a value belongs to a number that is 0 or may be 0. */
static bool is_zero(const Param *param, const uint32_t *words, int k)
{
    const Type *type = param->type;
    bool packed = type && type->value->scalar == SCALAR_FLOAT && type->bytes / type->components < 4;
    return type && type->scalar == SCALAR_DOUBLE ? !((words[k | 1] & 0x7fffffffu) | words[k & ~1])
                                                 : packed || !(words[k] & 0x7fffffffu);
}

/* Returns the text of a value. With `exact`, a 0 among floats is hidden from compilers: see emit_exact.c. */
static char *literal(const Param *param, const uint32_t *words, bool exact)
{
    char texts[TYPE_MAX_WORDS][48];
    const char *parts[TYPE_MAX_WORDS];
    StrBuf out = STRBUF_EMPTY;
    int n = param->matrix, count = n ? n * n : glsl_words(param->type);
    for (int k = 0; k < count; k++) {
        bool hidden = exact && is_zero(param, words, k);
        snprintf(texts[k], sizeof texts[k], hidden ? "(0x%xu | uint(rill_naught))" : "0x%xu", words[k]);
        parts[k] = texts[k];
    }
    if (!n) {
        glsl_decode(&out, param->type, param->type, parts, NULL);
        return strbuf_take(&out);
    }
    strbuf_addf(&out, "mat%d(", n);
    for (int k = 0; k < n * n; k++) {
        strbuf_addf(&out, "%suintBitsToFloat(%s)", k ? ", " : "", parts[k % n * n + k / n]);
    }
    strbuf_add(&out, ")");
    return strbuf_take(&out);
}

/* Fixes parameter i of a kernel and of its parts. */
static bool bake(Kernel *kernel, int i, const char *text)
{
    kernel->baked[i] = strdup(text);
    return (kernel->baked[i] || error_set("out of host memory")) &&
           (!kernel->count || (bake(kernel->count, i, text) && bake(kernel->write, i, text)));
}

/* Returns the function of the text from which a kernel was created. */
static const Function *original_of(const Kernel *kernel)
{
    for (size_t i = 0; i < kernel->module->functions.count; i++) {
        const Function *f = &kernel->module->functions.items[i];
        if (strcmp(f->name, kernel->function.name) == 0) {
            return kernel->function.is_gradient ? f->gradient : f;
        }
    }
    return NULL;
}

Kernel *kernel_own_gradient(const Kernel *kernel)
{
    const Function *own = kernel->function.gradient;
    Kernel *result = own ? kernel_new(kernel->module, own, BODY_PLAIN) : NULL;
    for (int i = 0; result && i < own->param_count; i++) {
        int k = kernel->function.param_count - 1;
        while (k >= 0 && strcmp(kernel->function.params[k].name, own->params[i].name) != 0) {
            k--;
        }
        if (k >= 0 && kernel->baked[k] && !bake(result, i, kernel->baked[k])) {
            kernel_release(result);
            return NULL;
        }
    }
    return result;
}

Kernel *kernel_specialize(const Kernel *kernel, const uint32_t *const *words)
{
    const Function *original = original_of(kernel);
    Kernel *result = original ? kernel_new(kernel->module, original, BODY_PLAIN) : NULL;
    for (int i = 0; result && i < kernel->function.param_count; i++) {
        const char *old = kernel->baked[i];
        if (!words[i] && !old) {
            continue;
        }
        const Param *param = &kernel->function.params[i];
        bool real = param->matrix || param->type->value->scalar == SCALAR_FLOAT || param->type->scalar == SCALAR_DOUBLE;
        char *text = words[i] ? literal(param, words[i], real && !kernel->module->fast) : strdup(old);
        bool done = text ? bake(result, i, text) : error_set("out of host memory");
        free(text);
        if (!done) {
            kernel_release(result);
            return NULL;
        }
    }
    return result;
}

/* Compiles the variant that is most likely to be launched. */

bool kernel_compile(Kernel *kernel, Device *device)
{
    const Function *f = &kernel->function;
    VariantKey key = {0};
    if (f->kind == FUNCTION_REDUCE) {
        return true; /* compiled together with the reduction */
    }
    if (kernel->count) {
        return kernel_compile(kernel->count, device) && kernel_compile(kernel->write, device);
    }
    bool group = f->group_rank > 0;
    bool two = kernel->body.uses_position && !group;
    key.rank = (uint8_t)(group ? f->group_rank : two ? 2 : 1);
    key.flat_stores = !group;
    key.random = kernel->body.random ? RANDOM_FLAT : RANDOM_NONE;
    key.paired = variant_pairs(device_traits(device));
    key.count = (uint8_t)f->param_count;
    int outputs = 0;
    for (int i = 0; i < f->param_count; i++) {
        const Param *param = &f->params[i];
        const ParamKindInfo *kind = &param_kinds[param->kind];
        if (!kind->stream) {
            continue;
        }
        bool neighbor = param->kind == PARAM_NEIGHBOR;
        ArgKey *arg = &key.args[i];
        arg->type = param->type;
        arg->path = PATH_DENSE;
        arg->rank = (uint8_t)param->rank;
        arg->addressing = neighbor ? ADDRESS_ORDERED : ADDRESS_UNIT;
        arg->load = neighbor ? LOAD_STRIPS : LOAD_WORDS;
        bool stored = kind->written && !kind->anywhere;
        key.outputs |= (uint64_t)stored << i;
        outputs += stored;
    }
    if (outputs > device_limits(device)->outputs_per_pass) {
        return true; /* an error is found at the first launch */
    }
    KernelText text = kernel_text(kernel, device);
    key.flat_loads = variant_texels_fit(&text, &key) && !variant_formats_clash(&text, &key);
    key.rows = two && variant_elements(&text, &key) > 1;
    variant_whole(&text, &key);
    program_note(device, "made with the kernel: the likely variant");
    bool done = kernel_variant(kernel, device, &key) != NULL;
    program_note(device, NULL);
    return done;
}

/* Sets the error of a container, which cannot be reshaped. Its sizes are 0 if its domain has no bounds. */
static bool error_container_rank(const Function *f, const Param *param, int rank)
{
    char brackets[2 * SHAPE_MAX_RANK + 1] = "";
    for (int d = 0; d < rank; d++) {
        strcat(brackets, "[]");
    }
    return error_set("%s: argument '%s' has %d dimension%s in the kernel, got a container of %d dimension%s: declare "
                     "it as '%s %s%s'",
                     f->name, param->name, param->rank, param->rank == 1 ? "" : "s", rank, rank == 1 ? "" : "s",
                     param->type->name, param->name, brackets);
}

bool kernel_error_rank(const Function *f, const Param *param, const Stream *s)
{
    const Shape *own = &s->shape;
    if (s->map) {
        return error_container_rank(f, param, own->rank);
    }
    char got[SHAPE_TEXT], fit[SHAPE_TEXT];
    Shape shape = {.rank = param->rank};
    for (int d = 0; d < shape.rank; d++) {
        int k = d + own->rank - shape.rank;
        shape.size[d] = k < 0 ? 1 : own->size[k];
    }
    for (int k = 0; k < own->rank - shape.rank; k++) {
        shape.size[0] *= own->size[k];
    }
    return error_set("%s: argument '%s' has %d dimension%s in the kernel, got a stream of shape %s: reshape it to %s",
                     f->name, param->name, param->rank, param->rank == 1 ? "" : "s", shape_text(own, got),
                     shape_text(&shape, fit));
}
