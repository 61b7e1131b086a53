/* One launch: shapes matched, overlaps copied, the variant chosen, uniforms filled, passes issued. */
#include "kernel/kernel_private.h"

#include "gpu/buffer.h"
#include "kernel/copy.h"
#include "kernel/fault.h"
#include "kernel/glsl.h"
#include "kernel/launch.h"

#include <string.h>

static const ParamKindInfo *kind_of(const Function *f, int i)
{
    return &param_kinds[f->params[i].kind];
}

static bool is_output(const Function *f, int i)
{
    return kind_of(f, i)->written && f->params[i].kind != PARAM_RANDOM;
}

/* shapes */

bool kernel_domain(const Kernel *kernel, const Argument *args, const Shape *shape, Shape *domain)
{
    const Function *f = &kernel->function;
    char a[SHAPE_TEXT], b[SHAPE_TEXT];
    const Shape *found = shape;
    const char *owner = "shape";
    for (int i = 0; i < f->param_count; i++) {
        if (!is_output(f, i) || !args[i].stream) {
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
        bool element = kind_of(f, i)->element || f->params[i].kind == PARAM_NEIGHBOR;
        if (!element || !kind_of(f, i)->read || !args[i].stream) {
            continue;
        }
        const Shape *own = &args[i].stream->shape;
        Shape both;
        if (any && !shape_broadcast(domain, own, &both)) {
            return error_set("%s: the shapes of its inputs (%s and %s of '%s') don't broadcast: give 'shape' or an output",
                             f->name, shape_text(domain, a), shape_text(own, b), f->params[i].name);
        }
        *domain = any ? both : *own;
        any = true;
    }
    return any || error_set("%s: no input tells the shape of the result: call it by name with shape = {...}, or hand "
                            "over an output",
                            f->name);
}

/* preparing arguments */

static void drop(LaunchPlan *plan, const Stream *stream)
{
    (void)stream;
    for (int i = 0; i < plan->temporary_count; i++) {
        stream_release(&plan->temporaries[i]);
    }
    plan->temporary_count = 0;
}

static Stream *temporary(LaunchPlan *plan)
{
    if (plan->temporary_count == MAX_TEMPORARIES) {
        error_set("%s: too many arguments need a copy", plan->kernel->function.name);
        return NULL;
    }
    return &plan->temporaries[plan->temporary_count];
}

/* A contiguous copy of an argument, living as long as the launch. */
static const Stream *copied(LaunchPlan *plan, const Stream *stream)
{
    Stream *copy = temporary(plan);
    if (!copy || !copy_new(stream, NULL, copy)) {
        return NULL;
    }
    memcpy(copy->boundary, stream->boundary, sizeof copy->boundary);
    copy->explicit_boundary = stream->explicit_boundary;
    copy->outside = stream->outside;
    plan->temporary_count++;
    return copy;
}

static bool resample(LaunchPlan *plan, int i)
{
    const Stream *stream = plan->streams[i];
    if (shape_equal(&stream->shape, &plan->domain)) {
        return true;
    }
    const Function *f = &plan->kernel->function;
    bool needs_copy = false;
    Stream *view = temporary(plan);
    if (!view) {
        return false;
    }
    if (!stream_resample(stream, &plan->domain, view, &needs_copy)) {
        return error_prefix("%s: argument '%s'", f->name, f->params[i].name);
    }
    if (needs_copy) {
        stream_release(view);
        const Stream *copy = copied(plan, stream);
        view = temporary(plan);
        if (!copy || !view || !stream_resample(copy, &plan->domain, view, &needs_copy)) {
            return false;
        }
    }
    plan->temporary_count++;
    plan->streams[i] = view;
    plan->resampled[i] = true;
    return true;
}

/* Bindings of any size a buffer can have: element and word numbers stay below 2^31. */
static bool check_sizes(const LaunchPlan *plan)
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

static bool check_shapes(LaunchPlan *plan)
{
    const Function *f = &plan->kernel->function;
    char a[SHAPE_TEXT], b[SHAPE_TEXT];
    for (int i = 0; i < f->param_count; i++) {
        const Param *param = &f->params[i];
        const Stream *stream = plan->streams[i];
        if (!kind_of(f, i)->stream) {
            continue;
        }
        if (param->kind == PARAM_GATHER || param->kind == PARAM_RANDOM) {
            if (stream->shape.rank != param->rank) {
                return error_set("%s: argument '%s' has %d dimension%s in the kernel, got a stream of shape %s", f->name,
                                 param->name, param->rank, param->rank == 1 ? "" : "s", shape_text(&stream->shape, a));
            }
        } else if (is_output(f, i) || param->kind == PARAM_NEIGHBOR) {
            if (!shape_equal(&stream->shape, &plan->domain)) {
                return error_set("%s: argument '%s' has shape %s, expected %s", f->name, param->name,
                                 shape_text(&stream->shape, a), shape_text(&plan->domain, b));
            }
        } else if (!resample(plan, i)) {
            return false;
        }
        if (kind_of(f, i)->written && !stream->writable) {
            return error_set("%s: argument '%s' is a view that can't be written to (tile, replicate or an iterator): "
                             "use :copy()",
                             f->name, param->name);
        }
    }
    return true;
}

/* Inputs that overlap what is written are copied first, unless every element is read only where it is written. */
static bool separate(LaunchPlan *plan, bool passes)
{
    const Function *f = &plan->kernel->function;
    for (int o = 0; o < f->param_count; o++) {
        if (!kind_of(f, o)->written) {
            continue;
        }
        for (int i = 0; i < f->param_count; i++) {
            if (i == o || !kind_of(f, i)->stream || !stream_overlaps(plan->streams[o], plan->streams[i])) {
                continue;
            }
            if (kind_of(f, i)->written) {
                return error_set("%s: outputs '%s' and '%s' overlap in memory", f->name, f->params[o].name,
                                 f->params[i].name);
            }
            bool same = kind_of(f, i)->element && is_output(f, o) && !passes &&
                        stream_same_mapping(plan->streams[i], plan->streams[o]);
            if (!same && !(plan->streams[i] = copied(plan, plan->streams[i]))) {
                return false;
            }
        }
    }
    return true;
}

/* choosing the variant */

static bool dim_mapped(const ViewDim *dim)
{
    return dim->step != 1 || dim->start != 0 || dim->div != 1 || dim->mod != 0;
}

static bool stream_mapped(const Stream *stream)
{
    for (int d = 0; d < stream->shape.rank; d++) {
        if (dim_mapped(&stream->dim[d])) {
            return true;
        }
    }
    return false;
}

static uint16_t boundary_bits(const Stream *stream)
{
    unsigned bits = 0;
    for (int d = 0; d < stream->shape.rank; d++) {
        bits |= (unsigned)stream->boundary[stream->shape.rank - 1 - d] << (2 * d);
    }
    return (uint16_t)bits;
}

/* Dimensions d and d + 1 of every element-wise argument step as one. */
static bool mergeable(const LaunchPlan *plan, int d)
{
    const Function *f = &plan->kernel->function;
    for (int i = 0; i < f->param_count; i++) {
        if (!kind_of(f, i)->element) {
            continue;
        }
        const Stream *s = plan->streams[i];
        const ViewDim *outer = &s->dim[d], *inner = &s->dim[d + 1];
        bool one = s->shape.size[d] == 1 || s->shape.size[d + 1] == 1; /* a dimension of size 1 never steps */
        if (dim_mapped(outer) || dim_mapped(inner) ||
            (!one && outer->stride != inner->stride * s->shape.size[d + 1])) {
            return false;
        }
    }
    return true;
}

static void merge_stream(LaunchPlan *plan, int i, int d, int rank)
{
    Stream *view = (Stream *)plan->streams[i];
    if (view < plan->temporaries || view >= plan->temporaries + MAX_TEMPORARIES) {
        view = &plan->merged[plan->merged_count++];
        *view = *plan->streams[i]; /* a header only: the reference stays with the original */
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

/* Fewer dimensions mean less index arithmetic and fewer programs. */
static void merge_dimensions(LaunchPlan *plan)
{
    const Kernel *kernel = plan->kernel;
    const Function *f = &kernel->function;
    plan->merged_count = 0;
    plan->launch_shape = plan->domain;
    if (kernel->body.uses_position || f->group_rank > 1) {
        return;
    }
    Shape *shape = &plan->launch_shape;
    for (int d = shape->rank - 2; d >= 0; d--) {
        if (!mergeable(plan, d)) {
            continue;
        }
        for (int i = 0; i < f->param_count; i++) {
            if (kind_of(f, i)->element) {
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

static bool aligned(const Stream *s)
{
    return s->contiguous && s->offset * s->type->bytes % 16 == 0;
}

/* The last store may pass the end of a view: it must be cut off by the device or land in the buffer's spare tail. */
static bool storable(const LaunchPlan *plan, const Stream *s, int elements)
{
    int64_t unit = (int64_t)elements * s->type->bytes;
    if (!s->contiguous || unit % 4 != 0 || (s->offset * s->type->bytes) % (unit % 16 ? 4 : 16) != 0) {
        return false;
    }
    int64_t end = (s->offset + plan->count) * s->type->bytes;
    int64_t rest = plan->count % elements, past = rest ? (elements - rest) * s->type->bytes : 0;
    bool tail = (uint64_t)end == buffer_bytes(s->buffer) && (uint64_t)(end + past) <= buffer_capacity(s->buffer);
    return rest == 0 || tail || (plan->traits->exact_ranges && end % 4 == 0);
}

static void arg_key(const LaunchPlan *plan, int i, ArgKey *key)
{
    const Stream *s = plan->streams[i];
    const Param *param = &plan->kernel->function.params[i];
    bool bound = kind_of(&plan->kernel->function, i)->bound;
    key->type = s->type;
    key->path = s->source == SOURCE_RAMP ? PATH_RAMP : PATH_DENSE;
    key->rank = (uint8_t)param->rank;
    key->mapped = stream_mapped(s);
    key->unit = !key->mapped && s->dim[s->shape.rank - 1].stride == 1;
    key->resampled = plan->resampled[i] && plan->kernel->body.use[i].index;
    if (bound) {
        key->boundary = boundary_bits(s);
        key->quiet = s->explicit_boundary || param->kind == PARAM_NEIGHBOR;
    }
}

/* Whether arguments that share a binding would want it in two formats. */
static bool formats_clash(const KernelText *text, const VariantKey *key)
{
    const Function *f = text->function;
    int reads = 0, gathers = 0;
    for (int i = 0; i < f->param_count; i++) {
        const ParamKindInfo *kind = kind_of(f, i);
        bool read = key->args[i].path == PATH_DENSE && kind->read && f->params[i].kind != PARAM_RANDOM;
        reads += read;
        gathers += read && kind->bound;
    }
    int places = text->texture_limit + variant_free_blocks(text, key);
    return gathers > 0 && reads > places;
}

static void choose_loads(LaunchPlan *plan, const KernelText *text, VariantKey *key)
{
    const Function *f = &plan->kernel->function;
    key->flat_loads = variant_texels_fit(text, key) && !formats_clash(text, key);
    for (int i = 0; i < f->param_count; i++) {
        const ParamKindInfo *kind = kind_of(f, i);
        if (kind->element && kind->read && key->args[i].path == PATH_DENSE &&
            (!aligned(plan->streams[i]) || plan->resampled[i])) {
            key->flat_loads = 0;
        }
    }
}

static void choose_stores(LaunchPlan *plan, const KernelText *text, VariantKey *key)
{
    const Function *f = &plan->kernel->function;
    key->flat_stores = !f->group_rank;
    int elements = variant_elements(text, key);
    for (int i = 0; i < f->param_count; i++) {
        if (variant_stores(f, key, i) && !storable(plan, plan->streams[i], elements)) {
            key->flat_stores = 0;
        }
    }
}

/* Whether reads must go through a storage block: buffer textures end earlier. */
static void choose_blocks(LaunchPlan *plan, const KernelText *text, VariantKey *key)
{
    const Function *f = text->function;
    const DeviceLimits *limits = device_limits(plan->device);
    for (int i = 0; i < f->param_count; i++) {
        const ParamKindInfo *kind = kind_of(f, i);
        if (key->args[i].path != PATH_DENSE || !kind->read || f->params[i].kind == PARAM_RANDOM) {
            continue;
        }
        bool flat = key->flat_loads && kind->element;
        uint64_t texels = buffer_capacity(plan->streams[i]->buffer) / (flat ? 16 : 4);
        key->args[i].block = texels > limits->texture_texels;
    }
}

static void make_key(LaunchPlan *plan, const KernelText *text, int first, int count, VariantKey *key)
{
    const Function *f = &plan->kernel->function;
    memset(key, 0, offsetof(VariantKey, args) + (size_t)f->param_count * sizeof *key->args);
    key->rank = (uint8_t)plan->launch_shape.rank;
    key->check = plan->check;
    key->first_output = (uint8_t)first;
    key->output_count = (uint8_t)count;
    key->count = (uint8_t)f->param_count;
    for (int i = 0; i < f->param_count; i++) {
        if (kind_of(f, i)->stream) {
            arg_key(plan, i, &key->args[i]);
        }
    }
    choose_loads(plan, text, key);
    choose_stores(plan, text, key);
    int elements = variant_elements(text, key);
    key->rows = key->rank > 1 && elements > 1 &&
                plan->launch_shape.size[plan->launch_shape.rank - 1] % elements == 0;
    choose_blocks(plan, text, key);
}

/* uniforms */

static void fill_launch(const LaunchPlan *plan, const Layout *layout, uint32_t *words)
{
    words[layout->count] = (uint32_t)plan->count;
    words[layout->four] = 4;
    int rank = plan->launch_shape.rank;
    for (int d = 0; d < rank; d++) {
        int64_t size = plan->launch_shape.size[rank - 1 - d];
        uint32_t *w = words + layout->shape + 3 * d;
        w[0] = (uint32_t)size;
        access_divisor(size, &w[1], &w[2]);
    }
    words[layout->steps] = (uint32_t)((plan->count + layout->elements - 1) / layout->elements);
    if (layout->strip != NO_SLOT) {
        uint32_t *w = words + layout->strip;
        int64_t columns = plan->launch_shape.size[rank - 1], rows = plan->launch_shape.size[rank - 2];
        w[0] = (uint32_t)(columns / layout->elements);
        w[3] = (uint32_t)((rows + layout->strip_rows - 1) / layout->strip_rows);
        access_divisor(w[0], &w[1], &w[2]);
        access_divisor(w[3], &w[4], &w[5]);
        words[layout->steps] = (uint32_t)(plan->count / (columns * rows)) * w[0] * w[3];
    }
}

static void fill_resample(const LaunchPlan *plan, int i, int at, uint32_t *words)
{
    const Shape *own = &plan->originals[i]->shape;
    for (int d = 0; d < plan->domain.rank; d++) {
        int64_t out = plan->domain.size[plan->domain.rank - 1 - d];
        int64_t in = d < own->rank ? own->size[own->rank - 1 - d] : 1;
        uint32_t *w = words + at + 3 * d;
        w[0] = (uint32_t)(in > out ? in / (out ? out : 1) : 1);
        access_divisor(in > out ? 1 : in ? out / in : 1, &w[1], &w[2]);
    }
}

static void fill_extents(const Stream *stream, uint32_t *words)
{
    int rank = stream->shape.rank;
    for (int d = 0; d < MAX_RANK; d++) {
        words[d] = d < rank ? (uint32_t)stream->shape.size[rank - 1 - d] : 1;
    }
}

static void fill_argument(const LaunchPlan *plan, const Variant *variant, int i, const Argument *args, uint32_t *words)
{
    const Param *param = &plan->kernel->function.params[i];
    const ArgLayout *layout = &variant->layout.args[i];
    const ArgKey *key = &variant->key.args[i];
    const ParamKindInfo *kind = &param_kinds[param->kind];
    if (!kind->stream) {
        if (layout->constant != NO_SLOT) {
            int n = param->matrix ? param->matrix * param->matrix : glsl_words(param->type);
            memcpy(words + layout->constant, args[i].words, (size_t)n * sizeof *words);
        }
        return;
    }
    const Stream *s = plan->streams[i];
    int64_t base = s->offset + plan->packed_offset[i];
    access_fill(key, layout, s, base, kind->element || param->kind == PARAM_NEIGHBOR ? variant->key.rank : key->rank,
                words);
    int64_t unit = (int64_t)variant->layout.elements * s->type->bytes;
    bool flat_store = layout->store != NO_UNIT && variant->key.flat_stores && param->kind != PARAM_RANDOM;
    if (variant->key.flat_loads && kind->element && kind->read && key->path == PATH_DENSE) {
        words[layout->base] = (uint32_t)(base * s->type->bytes / 16);
    }
    if (flat_store || layout->store_base != layout->base) {
        words[layout->store_base] = (uint32_t)(flat_store ? s->offset * s->type->bytes / (unit % 16 ? 4 : 16) : s->offset);
    }
    if (layout->dump != NO_SLOT) {
        bool plain = body_plain_random(s->type);
        words[layout->dump] = plain ? (uint32_t)((buffer_capacity(s->buffer) - 16) / (uint64_t)s->type->bytes) : UINT32_MAX;
    }
    if (layout->resample != NO_SLOT) {
        fill_resample(plan, i, layout->resample, words);
    }
    if (layout->extents != NO_SLOT) {
        fill_extents(plan->originals[i], words + layout->extents);
    }
    access_paths[key->path].fill(layout, s, words);
}

/* bindings */

/* Streams that must share one binding are copied behind each other into one buffer. */
static bool pack(LaunchPlan *plan, const Variant *variant, int place, bool texture, Buffer **result)
{
    const Function *f = &plan->kernel->function;
    uint64_t total = 0;
    for (int i = 0; i < f->param_count; i++) {
        const ArgLayout *layout = &variant->layout.args[i];
        if ((texture ? layout->texture : layout->block) == place) {
            uint64_t unit = (uint64_t)plan->streams[i]->type->bytes * 16;
            total = (total + unit - 1) / unit * unit;
            plan->packed_offset[i] = (int64_t)(total / (uint64_t)plan->streams[i]->type->bytes);
            total += buffer_capacity(plan->streams[i]->buffer);
        }
    }
    Buffer *buffer = buffer_create(plan->device, total, false);
    for (int i = 0; buffer && i < f->param_count; i++) {
        const ArgLayout *layout = &variant->layout.args[i];
        if ((texture ? layout->texture : layout->block) != place) {
            continue;
        }
        const Stream *s = plan->streams[i];
        uint64_t at = (uint64_t)plan->packed_offset[i] * (uint64_t)s->type->bytes;
        if (!buffer_copy(buffer, at, s->buffer, 0, buffer_bytes(s->buffer))) {
            buffer_release(buffer);
            buffer = NULL;
        }
    }
    if (buffer && !buffer_block_fits(buffer)) {
        buffer_release(buffer);
        buffer = NULL;
    }
    plan->packed = *result = buffer;
    return buffer != NULL;
}

static bool bind_reads(LaunchPlan *plan, const Variant *variant, Launch *launch)
{
    const Function *f = &plan->kernel->function;
    for (int i = 0; i < f->param_count; i++) {
        const ArgLayout *layout = &variant->layout.args[i];
        bool texture = layout->texture != NO_UNIT;
        if (!texture && layout->block == NO_UNIT) {
            continue;
        }
        Buffer **place = texture ? &launch->textures[layout->texture].buffer : &launch->blocks[layout->block].buffer;
        if (*place) {
            if (*place != plan->packed &&
                !pack(plan, variant, texture ? layout->texture : layout->block, texture, place)) {
                return false;
            }
        } else {
            *place = plan->streams[i]->buffer;
        }
        if (texture) {
            bool flat = variant->key.flat_loads && kind_of(f, i)->element;
            launch->textures[layout->texture].format = flat ? TEXEL_VECTOR : TEXEL_WORD;
        }
    }
    return true;
}

static void bind_stores(const LaunchPlan *plan, const Variant *variant, Launch *launch)
{
    const Function *f = &plan->kernel->function;
    for (int i = 0; i < f->param_count; i++) {
        const ArgLayout *layout = &variant->layout.args[i];
        if (layout->store == NO_UNIT) {
            continue;
        }
        const Stream *s = plan->streams[i];
        LaunchBlock *block = &launch->blocks[layout->store];
        block->buffer = s->buffer;
        bool flat = variant->key.flat_stores && f->params[i].kind != PARAM_RANDOM;
        uint64_t end = (uint64_t)((s->offset + plan->count) * s->type->bytes);
        bool exact = flat && plan->traits->exact_ranges && end != buffer_bytes(s->buffer) && end % 4 == 0;
        block->bytes = exact ? end : 0;
    }
}

/* A gather from an empty stream reads zero: it gets a small zeroed buffer. */
static bool replace_empty(LaunchPlan *plan)
{
    const Function *f = &plan->kernel->function;
    for (int i = 0; i < f->param_count; i++) {
        const Stream *s = plan->streams[i];
        if (!kind_of(f, i)->bound || s->source != SOURCE_BUFFER || stream_elements(s) > 0) {
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
        plan->temporary_count++;
        plan->streams[i] = zero;
    }
    return true;
}

static void count_groups(const LaunchPlan *plan, const Layout *layout, uint32_t *words, uint64_t groups[3])
{
    const Function *f = &plan->kernel->function;
    groups[1] = groups[2] = 1;
    if (f->group_rank == 0) {
        uint64_t invocations = words[layout->steps];
        uint64_t trips = 1;
        if (layout->trips != NO_SLOT) {
            enum { PARTS = 64 }; /* enough for every thread to have its share */
            trips = invocations / ((uint64_t)layout->group * PARTS);
            trips = trips < 1 ? 1 : trips > (uint64_t)layout->max_trips ? (uint64_t)layout->max_trips : trips;
            words[layout->trips] = (uint32_t)trips;
        }
        uint64_t per_group = (uint64_t)layout->group * trips;
        groups[0] = (invocations + per_group - 1) / per_group;
        return;
    }
    if (f->group_rank == 1) {
        groups[0] = ((uint64_t)plan->count + (uint64_t)f->group[0] - 1) / (uint64_t)f->group[0];
        return;
    }
    int rank = plan->launch_shape.rank;
    groups[0] = 1;
    for (int d = 0; d < 3 && d < rank; d++) {
        uint64_t size = (uint64_t)plan->launch_shape.size[rank - 1 - d];
        uint64_t own = d < f->group_rank ? (uint64_t)f->group[d] : 1;
        groups[d] = (size + own - 1) / own;
    }
}

static bool issue(LaunchPlan *plan, Variant *variant, const Argument *args)
{
    Kernel *kernel = plan->kernel;
    const Layout *layout = &variant->layout;
    Launch launch = {.program = variant->program,
                     .params = kernel->words,
                     .param_vectors = (layout->words + 3) / 4,
                     .texture_count = layout->textures,
                     .block_count = layout->blocks,
                     .faults = plan->check || (plan->traits->loop_limit && kernel->body.unbounded)};
    memset(plan->packed_offset, 0, sizeof plan->packed_offset);
    plan->packed = NULL;
    bool done = bind_reads(plan, variant, &launch);
    if (done) {
        bind_stores(plan, variant, &launch);
        fill_launch(plan, layout, kernel->words);
        for (int i = 0; i < kernel->function.param_count; i++) {
            fill_argument(plan, variant, i, args, kernel->words);
        }
        count_groups(plan, layout, kernel->words, launch.groups);
        done = device_dispatch(plan->device, &launch);
        if (done && launch.faults && plan->traits->synchronous) {
            done = kernel_fault_check(plan->device);
        }
    }
    if (plan->packed) {
        buffer_release(plan->packed);
    }
    return done;
}

/* passes */

/* How many outputs a pass may store: storage blocks are shared with random-access streams. */
static int outputs_per_pass(const LaunchPlan *plan, int outputs)
{
    const DeviceLimits *limits = device_limits(plan->device);
    const Function *f = &plan->kernel->function;
    int randoms = 0;
    for (int i = 0; i < f->param_count; i++) {
        randoms += f->params[i].kind == PARAM_RANDOM;
    }
    int most = limits->storage_blocks - randoms;
    most = most < limits->outputs_per_pass ? most : limits->outputs_per_pass;
    most = most < 1 ? 1 : most;
    return outputs < most ? outputs : most;
}

static bool check_passes(const LaunchPlan *plan)
{
    const Function *f = &plan->kernel->function;
    for (int i = 0; i < f->param_count; i++) {
        if (f->params[i].kind == PARAM_RANDOM) {
            return error_set("%s: a kernel with random access ('%s') can't run in several passes, and this device stores "
                             "too few outputs at once",
                             f->name, f->params[i].name);
        }
    }
    return true;
}

/* In several passes an in-place argument keeps its old values for the passes after its own. */
static bool copy_in_place(LaunchPlan *plan, const Stream *old[MAX_PARAMS])
{
    const Function *f = &plan->kernel->function;
    for (int i = 0; i < f->param_count; i++) {
        old[i] = NULL;
        if (f->params[i].kind == PARAM_INOUT && !(old[i] = copied(plan, plan->streams[i]))) {
            return false;
        }
    }
    return true;
}

static bool run_pass(LaunchPlan *plan, const KernelText *text, int first, int count, const Argument *args)
{
    VariantKey key;
    make_key(plan, text, first, count, &key);
    Variant *variant = kernel_variant(plan->kernel, plan->device, &key);
    return variant && issue(plan, variant, args);
}

static bool run_passes(LaunchPlan *plan, const KernelText *text, int outputs, int per_pass, const Argument *args)
{
    const Function *f = &plan->kernel->function;
    const Stream *old[MAX_PARAMS];
    if (!check_passes(plan) || !copy_in_place(plan, old)) {
        return false;
    }
    for (int first = 0; first < outputs; first += per_pass) {
        const Stream *now[MAX_PARAMS];
        memcpy(now, plan->streams, sizeof now);
        int number = 0;
        for (int i = 0; i < f->param_count; i++) {
            bool here = number >= first && number < first + per_pass;
            if (is_output(f, i)) {
                plan->streams[i] = old[i] && !here ? old[i] : plan->streams[i];
                number++;
            }
        }
        int left = outputs - first;
        bool done = run_pass(plan, text, first, left < per_pass ? left : per_pass, args);
        memcpy(plan->streams, now, sizeof now);
        if (!done) {
            return false;
        }
    }
    return true;
}

/* the launch */

static bool prepare(LaunchPlan *plan, const Argument *args, int *outputs, int *per_pass)
{
    const Function *f = &plan->kernel->function;
    *outputs = 0;
    for (int i = 0; i < f->param_count; i++) {
        plan->streams[i] = plan->originals[i] = kind_of(f, i)->stream ? args[i].stream : NULL;
        plan->resampled[i] = false;
        *outputs += is_output(f, i);
    }
    if (f->group_rank > 1 && (plan->domain.rank < f->group_rank || plan->domain.rank > 3)) {
        return error_set("%s: a group kernel of %d dimensions runs over %s, this launch has %d dimensions", f->name,
                         f->group_rank, f->group_rank == 2 ? "two or three" : "three", plan->domain.rank);
    }
    *per_pass = outputs_per_pass(plan, *outputs);
    if (!check_sizes(plan) || !check_shapes(plan)) {
        return false;
    }
    plan->count = shape_elements(&plan->domain);
    return plan->count == 0 || (separate(plan, *per_pass < *outputs) && replace_empty(plan));
}

static void plan_start(LaunchPlan *plan, Kernel *kernel, Device *device, const Shape *domain, bool check)
{
    plan->kernel = kernel;
    plan->device = device;
    plan->traits = device_traits(device);
    plan->domain = *domain;
    plan->check = check;
    plan->temporary_count = 0;
    plan->merged_count = 0;
    plan->packed = NULL;
}

bool kernel_launch(Kernel *kernel, Device *device, const Argument *args, const Shape *domain, bool check)
{
    LaunchPlan plan;
    int outputs, per_pass;
    plan_start(&plan, kernel, device, domain, check);
    bool done = prepare(&plan, args, &outputs, &per_pass);
    if (done && plan.count > 0) {
        KernelText text = kernel_text(kernel, device);
        merge_dimensions(&plan);
        done = per_pass < outputs ? run_passes(&plan, &text, outputs, per_pass, args)
                                  : run_pass(&plan, &text, 0, outputs, args);
    }
    drop(&plan, NULL);
    return done;
}

bool launch_variant(Kernel *kernel, Device *device, const Argument *args, const Shape *domain, bool check,
                    VariantKey *key, Layout *layout, int *passes)
{
    LaunchPlan plan;
    int outputs, per_pass;
    plan_start(&plan, kernel, device, domain, check);
    bool done = prepare(&plan, args, &outputs, &per_pass);
    if (done) {
        KernelText text = kernel_text(kernel, device);
        merge_dimensions(&plan);
        make_key(&plan, &text, 0, per_pass, key);
        *passes = per_pass ? (outputs + per_pass - 1) / per_pass : 1;
        done = variant_layout(&text, key, layout);
    }
    drop(&plan, NULL);
    return done;
}
