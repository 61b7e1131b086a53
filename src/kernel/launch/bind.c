/* The uniforms and bindings of a launch. */
#include "kernel/launch/launch.h"

#include "gpu/memory/buffer.h"
#include "kernel/emit/glsl.h"

#include <string.h>

/* uniforms */

enum {
    PARTS = 64,    /* of a launch: enough for every thread to get some */
    LEAST_RUN = 4, /* least number of steps per page lookup when several invocations share a page */
    BAND = 32      /* strips along x that follow each other, so that a work group covers adjacent rows */
};

static bool has_neighbors(const Plan *plan)
{
    return module_count_params(&plan->kernel->function, PARAM_NEIGHBOR) > 0;
}

/* Writes a size and the constants with which access functions divide by it. */
static void fill_size(int64_t size, uint32_t *w)
{
    w[0] = (uint32_t)size;
    access_divisor(size, &w[1], &w[2]);
}

/* Writes the words of pages. Returns the number of parts into which all pages are divided. */
static int64_t fill_pages(const Plan *plan, const Layout *layout, int rank, uint32_t *w)
{
    int64_t parts_of[2] = {layout->elements, layout->page_rows};
    int64_t steps = 1;
    for (int d = 0; d < rank; d++) {
        int64_t size = plan->pages->page[d];
        fill_size(d < 2 ? size / parts_of[d] : size, w + PAGE_WORDS + 3 * d);
        steps *= size;
    }
    steps /= layout->elements * layout->page_rows;
    int64_t run = steps * plan->pages->count / ((int64_t)layout->group * PARTS);
    run = run < layout->max_run ? run : layout->max_run;
    run = run < steps ? run : steps;
    run = run < 1 ? 1 : run;
    int64_t wide = 1;
    /* Invocations on different pages would access the same cache sets. With neighbors, a step's
     * neighborhood is needed by the next step. */
    while (layout->max_run > 1 && wide < layout->group && steps >= 2 * wide * LEAST_RUN && !has_neighbors(plan)) {
        wide *= 2;
    }
    run = run < (steps + wide - 1) / wide ? run : (steps + wide - 1) / wide;
    while (layout->max_run > 1 && wide < layout->group && steps > wide * run) {
        wide *= 2;
    }
    int64_t parts = (steps + wide * run - 1) / (wide * run) * wide;
    fill_size(parts, w + PAGE_PARTS);
    w[PAGE_STEPS] = (uint32_t)steps;
    w[PAGE_RUN] = (uint32_t)run;
    w[PAGE_WIDE] = (uint32_t)wide;
    return parts * plan->pages->count;
}

static void fill_leaf(const Plan *plan, int rank, uint32_t *w)
{
    int64_t all = 1;
    for (int d = 0; d <= rank; d++, w += 3) {
        int64_t size = d < rank ? plan->pages->page[d] : all;
        fill_size(size, w);
        all *= size;
    }
}

/* Returns the pages in processing order: the order in memory if the kernel does not depend on the
 * order. With neighbors the other order is used, in which adjacent pages follow each other. */
static const Stream *page_list(const Plan *plan)
{
    bool any = plan->pages->in_memory && !plan->numbered && !plan->kernel->function.group_rank && !has_neighbors(plan);
    return any ? plan->pages->in_memory : plan->pages->origins;
}

static void fill_wide(uint64_t value, uint32_t *words)
{
    words[0] = (uint32_t)value;
    words[1] = (uint32_t)(value >> 32);
}

/* The number of a launch has 31 bits of the counter, apart from those of rill.random; further numbers change the seed. */
static void fill_random(const Plan *plan, bool strided, uint32_t *words)
{
    const Shape *whole = plan->placement ? &plan->placement->whole : &plan->domain;
    uint64_t stride = 1, first = 0;
    fill_wide(plan->random.seed + (plan->random.launch >> 31) * UINT64_C(0x9e3779b97f4a7c15), words + RANDOM_SEED);
    words[RANDOM_LAUNCH] = (uint32_t)plan->random.launch | UINT32_C(1) << 31;
    for (int d = 0; strided && d < whole->rank; d++) {
        int k = whole->rank - 1 - d;
        fill_wide(stride, words + RANDOM_STRIDES + 2 * d);
        first += plan->placement ? (uint64_t)plan->placement->origin[k] * stride : 0;
        stride *= (uint64_t)whole->size[k];
    }
    if (strided) {
        fill_wide(first, words + RANDOM_FIRST);
    }
}

void launch_fill(const Plan *plan, const Layout *layout, uint32_t *words)
{
    words[layout->count] = (uint32_t)plan->count;
    words[layout->four] = 4;
    int rank = plan->launch_shape.rank;
    for (int d = 0; d < rank; d++) {
        fill_size(plan->launch_shape.size[rank - 1 - d], words + layout->shape + 3 * d);
    }
    words[layout->steps] = (uint32_t)((plan->count + layout->elements - 1) / layout->elements);
    for (int d = 0; layout->origin != NO_SLOT && d < rank; d++) {
        words[layout->origin + d] = (uint32_t)plan->placement->origin[rank - 1 - d];
    }
    if (layout->random != NO_SLOT) {
        fill_random(plan, plan->placement || (plan->pages && !plan->pages->unbounded), words + layout->random);
    }
    if (layout->leaf != NO_SLOT) {
        fill_leaf(plan, rank, words + layout->leaf);
        words[layout->active] = (uint32_t)plan->pages->origins->offset;
        words[layout->active + 1] = (uint32_t)(plan->pages->count * kernel_page_entry(plan->pages, rank));
    } else if (layout->page != NO_SLOT) {
        words[layout->steps] = (uint32_t)fill_pages(plan, layout, rank, words + layout->page);
        words[layout->active] = (uint32_t)page_list(plan)->offset;
        words[layout->active + 1] = (uint32_t)(plan->pages->count * kernel_page_entry(plan->pages, rank));
        for (int d = 0; layout->clip != NO_SLOT && d < rank; d++) {
            words[layout->clip + 2 * d] = (uint32_t)plan->pages->clip_first[d];
            words[layout->clip + 2 * d + 1] = (uint32_t)plan->pages->clip_size[d];
        }
    } else if (layout->active != NO_SLOT) {
        words[layout->active] = (uint32_t)plan->active->offset;
        words[layout->active + 1] = plan->active->length.word;
        words[layout->steps] = (uint32_t)plan->active->shape.size[0];
    }
    if (layout->strip != NO_SLOT) {
        uint32_t *w = words + layout->strip;
        int64_t columns = plan->launch_shape.size[rank - 1], rows = rank > 1 ? plan->launch_shape.size[rank - 2] : 1;
        int64_t strips = columns / layout->elements,
                band = layout->band != NO_SLOT && strips % BAND == 0 ? BAND : strips;
        fill_size(band, w);
        fill_size((rows + layout->strip_rows - 1) / layout->strip_rows, w + 3);
        words[layout->steps] = (uint32_t)(plan->count / (columns * rows) * strips) * w[3];
        if (layout->band != NO_SLOT) {
            fill_size(strips / band, words + layout->band);
        }
    }
}

static void fill_resample(const Plan *plan, int i, int at, uint32_t *words)
{
    const Shape *own = &plan->originals[i]->shape;
    for (int d = 0; d < plan->domain.rank; d++) {
        int64_t out = plan->domain.size[plan->domain.rank - 1 - d];
        int64_t in = d < own->rank ? own->size[own->rank - 1 - d] : 1;
        uint32_t *w = words + at + 3 * d;
        bool thins = in > out && out > 0;
        w[0] = (uint32_t)(thins ? in : 1);
        w[1] = (uint32_t)(thins ? out - 1 : 0);
        w[2] = (uint32_t)(thins ? out : in ? out / in : 1);
    }
}

static void fill_extents(const Shape *shape, uint32_t *words)
{
    int rank = shape->rank;
    for (int d = 0; d < MAX_RANK; d++) {
        words[d] = d < rank ? (uint32_t)shape->size[rank - 1 - d] : 1;
    }
}

void launch_fill_argument(const Plan *plan, const Variant *variant, int i, const Argument *args, uint32_t *words)
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
        if (layout->extents != NO_SLOT) {
            fill_extents(plan->placement ? &plan->placement->whole : &plan->domain, words + layout->extents);
        }
        return;
    }
    const Stream *s = plan->streams[i];
    int64_t base = s->offset + plan->packed_offset[i];
    access_fill(key, layout, s, base, kind->along ? variant->key.rank : key->rank, words);
    int64_t unit = (int64_t)variant->layout.elements * s->type->bytes;
    bool flat_store = layout->store != NO_UNIT && variant->key.flat_stores && !param_kinds[param->kind].anywhere;
    int across = kind->along ? variant->key.rank : key->rank;
    for (int d = 1; layout->strides != NO_SLOT && d < across; d++) {
        words[layout->strides + d - 1] = (uint32_t)launch_page_stride(s, d);
    }
    if (variant->key.flat_loads && kind->element && kind->read && key->path == PATH_DENSE) {
        words[layout->base] = (uint32_t)(base * s->type->bytes / 16);
    }
    if (flat_store || layout->store_base != layout->base) {
        words[layout->store_base] =
            (uint32_t)(flat_store ? s->offset * s->type->bytes / (unit % 16 ? 4 : 16) : s->offset);
    }
    if (layout->dump != NO_SLOT) {
        bool plain = glsl_plain_random(s->type);
        words[layout->dump] =
            plain ? (uint32_t)((buffer_capacity(s->buffer) - 16) / (uint64_t)s->type->bytes) : UINT32_MAX;
    }
    if (layout->resample != NO_SLOT) {
        fill_resample(plan, i, layout->resample, words);
    }
    if (layout->extents != NO_SLOT) {
        bool whole = plan->placement && kind->along && shape_equal(&plan->originals[i]->shape, &plan->domain);
        fill_extents(whole ? &plan->placement->whole : &plan->originals[i]->shape, words + layout->extents);
    }
    access_paths[key->path].fill(layout, s, words);
}

/* bindings */

/* Copies streams that must share one binding into one buffer, one after the other. */
static bool pack(Plan *plan, const Variant *variant, int place, bool texture, Buffer **result)
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

void launch_bind_active(const Plan *plan, const Layout *layout, Dispatch *dispatch)
{
    if (layout->active == NO_SLOT) {
        return;
    }
    const Stream *list = plan->pages ? page_list(plan) : plan->active;
    dispatch->textures[0] = (DispatchTexture){list->buffer, TEXEL_WORD};
    if (plan->active && plan->active->length.buffer) {
        dispatch->textures[1] = (DispatchTexture){plan->active->length.buffer, TEXEL_WORD};
    }
}

bool launch_bind_reads(Plan *plan, const Variant *variant, Dispatch *dispatch)
{
    const Function *f = &plan->kernel->function;
    for (int i = 0; i < f->param_count; i++) {
        const ArgLayout *layout = &variant->layout.args[i];
        bool texture = layout->texture != NO_UNIT;
        access_sampler_bind(layout, plan->originals[i], dispatch);
        if (!texture && layout->block == NO_UNIT) {
            continue;
        }
        Buffer **place =
            texture ? &dispatch->textures[layout->texture].buffer : &dispatch->blocks[layout->block].buffer;
        if (*place) {
            if (*place != plan->packed &&
                !pack(plan, variant, texture ? layout->texture : layout->block, texture, place)) {
                return false;
            }
        } else {
            *place = plan->streams[i]->buffer;
        }
        if (texture) {
            bool flat = variant_texel_load(f, &variant->key, i);
            dispatch->textures[layout->texture].format = flat ? TEXEL_VECTOR : TEXEL_WORD;
        }
        if (layout->wide != NO_UNIT) {
            dispatch->textures[layout->wide] = (DispatchTexture){*place, TEXEL_VECTOR};
        }
    }
    return true;
}

void launch_bind_stores(const Plan *plan, const Variant *variant, Dispatch *dispatch)
{
    const Function *f = &plan->kernel->function;
    for (int i = 0; i < f->param_count; i++) {
        const ArgLayout *layout = &variant->layout.args[i];
        if (layout->store == NO_UNIT) {
            continue;
        }
        const Stream *s = plan->streams[i];
        DispatchBlock *block = &dispatch->blocks[layout->store];
        block->buffer = s->buffer;
        bool flat = variant->key.flat_stores && !param_kinds[f->params[i].kind].anywhere;
        uint64_t end = (uint64_t)((s->offset + plan->count) * s->type->bytes);
        bool exact = flat && plan->traits->exact_ranges && end != buffer_bytes(s->buffer) && end % 4 == 0;
        block->bytes = exact ? end : 0;
    }
}

void launch_groups(const Plan *plan, const Layout *layout, uint32_t *words, uint64_t groups[3])
{
    const Function *f = &plan->kernel->function;
    groups[1] = groups[2] = 1;
    if (f->group_rank == 0) {
        uint64_t invocations = words[layout->steps];
        uint64_t trips = 1;
        if (layout->trips != NO_SLOT) {
            trips = invocations / ((uint64_t)layout->group * PARTS);
            if (trips < (uint64_t)layout->least_trips) {
                trips = (uint64_t)layout->least_trips;
            } else if (trips > (uint64_t)layout->max_trips) {
                trips = (uint64_t)layout->max_trips;
            }
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
