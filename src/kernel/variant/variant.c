#include "kernel/variant/variant.h"

#include "kernel/emit/glsl.h"

#include <stdlib.h>

enum {
    TRIP_BUDGET = 8192,
    LARGE_BODY = 700,
    MEDIUM_BODY = 100,
    MAX_INLINED = 3000,
    MAX_STEP_BYTES = 512, /* of one argument, in one step */
    LANE_BYTES = 512,     /* of all arguments, in one step: more do not fit into the registers of a processor */
    THIN_BYTES = 8,
    WIDE_GATHERS = 3200,
    WIDE_LOOKUPS = 5600, /* of containers, whose address computations have many tokens compared with their cost */
    WIDE_WORDS = 800,
    MAX_TRIPS = 256,
    /* Of bodies without loops, for which MAX_TRIPS allows more: a work group costs as much as some iterations. */
    LEAST_TRIPS = 4,
    LARGE_STRIP =
        1200, /* tokens of all elements of a row; with 4 rows in place of 2, 8 % faster, twice the time to compile */
    WINDOW_TEXELS = 4,  /* of all rows of a step, unless these are two; the rows around the step come in addition */
    WINDOW_BYTES = 64,  /* of a row of a step */
    NEAR_ROWS = 4,      /* with adjacent pages: more rows take longer to compile and are not faster */
    MAX_RUN = 64,       /* steps within a page per page lookup */
    MAX_RUN_TRIPS = 64, /* iterations of the body's loops in one such run */
    MAX_TRIPS_BUDGET = 16384
};

int variant_dim_words(const ArgKey *key)
{
    return key->addressing == ADDRESS_DIVIDED ? 8 : 1;
}

bool variant_stores(const Function *f, const VariantKey *key, int param)
{
    const ParamKindInfo *kind = &param_kinds[f->params[param].kind];
    return kind->written && !kind->anywhere && (key->outputs >> param & 1) != 0;
}

static bool one_element(const KernelText *text, const VariantKey *key)
{
    const Function *f = text->function;
    if (f->group_rank || text->body->unbounded || key->check || (key->active && key->active != ACTIVE_PAGES)) {
        return true;
    }
    for (int i = 0; i < f->param_count; i++) {
        if (param_kinds[f->params[i].kind].anywhere && !f->params[i].target) {
            return true;
        }
    }
    return false;
}

/* Returns the least number of elements of a step: four, except with many streams of whole texels.
 * With 12 float4, four elements take half as long again. */
static int least_elements(const KernelText *text, const VariantKey *key)
{
    int bytes = 0;
    for (int i = 0; i < text->function->param_count; i++) {
        const ParamKindInfo *kind = &param_kinds[text->function->params[i].kind];
        if (kind->stream && (!kind->element || key->args[i].path != PATH_DENSE || key->args[i].type->bytes % 16)) {
            return 4;
        }
        bytes += kind->stream ? key->args[i].type->bytes * (kind->read + kind->written) : 0;
    }
    return text->traits->family == FAMILY_CPU && !key->active && 4 * bytes > LANE_BYTES ? 1 : 4;
}

/* Returns the number of elements that fills whole texels of every argument accessed in this way.
 * *bytes becomes the size of the largest type. */
static int texel_elements(const KernelText *text, const VariantKey *key, bool loads, bool stores, int *bytes)
{
    const Function *f = text->function;
    int largest = least_elements(text, key);
    *bytes = 1;
    for (int i = 0; i < f->param_count; i++) {
        const Type *type = key->args[i].type;
        const ParamKindInfo *kind = &param_kinds[f->params[i].kind];
        bool used = (variant_stores(f, key, i) && stores) || (kind->element && kind->read && loads);
        bool side_by_side = key->args[i].path == PATH_DENSE || (key->active && key->args[i].path == PATH_MAPPED);
        if (type && side_by_side && kind->element) {
            *bytes = type->bytes > *bytes ? type->bytes : *bytes;
            int need = used ? type_texel_elements(type) : 1;
            largest = need > largest ? need : largest;
        }
    }
    return largest;
}

bool variant_flat_load(const Function *f, const VariantKey *key, int i)
{
    const ParamKindInfo *kind = &param_kinds[f->params[i].kind];
    return kind->element && kind->read &&
           ((key->flat_loads && key->args[i].path == PATH_DENSE) || key->args[i].pages.texels & PAGED_TEXEL_LOADS);
}

bool variant_pairs(const DeviceTraits *traits)
{
    return traits->tuning[TUNING_PAIRED_STORES] != 0;
}

bool variant_flat_store(const Function *f, const VariantKey *key, int i)
{
    return variant_stores(f, key, i) && (key->flat_stores || key->args[i].pages.texels & PAGED_TEXEL_STORES);
}

static bool is_read(const Function *f, const VariantKey *key, int i)
{
    return path_buffered(key->args[i].path) && param_kinds[f->params[i].kind].read &&
           !param_kinds[f->params[i].kind].anywhere;
}

bool variant_formats_clash(const KernelText *text, const VariantKey *key)
{
    int reads = 0, gathers = 0, samplers = 0;
    for (int i = 0; i < text->function->param_count; i++) {
        bool read = is_read(text->function, key, i);
        reads += read;
        samplers += key->args[i].sampled != SAMPLED_BY_KERNEL;
        gathers += read && (param_kinds[text->function->params[i].kind].bound || path_mapped(key->args[i].path) ||
                            key->active == ACTIVE_PAGES);
    }
    return gathers > 0 && reads + samplers > text->texture_limit + variant_free_blocks(text, key);
}

/* Returns whether all reads of a neighbor stream are at known offsets, in the elements of a step or in
 * those next to it. More elements would not stay in registers. */
static bool window_fits(const ParamUse *use, int elements, int bytes)
{
    bool fits = !use->ranges && !use->far && !use->sample && elements * bytes <= WINDOW_BYTES;
    for (int k = 0; k < use->offset_count; k++) {
        fits = fits && abs(use->offsets[k][0]) < elements;
    }
    return fits;
}

/* Returns how the rows of argument i are read in steps of `elements` elements along strips, or over
 * pages: LOAD_WORDS if such a step does not consist of whole texels. */
static LoadKind strip_load(const KernelText *text, const VariantKey *key, int elements, int i)
{
    const ArgKey *arg = &key->args[i];
    if (arg->load != LOAD_STRIPS) {
        return LOAD_WORDS;
    }
    const ParamUse *use = &text->body->use[i];
    bool steps = arg->pages.near || (arg->addressing == ADDRESS_ORDERED && key->rows && key->flat_stores);
    bool fits = steps && (arg->pages.near || use->offset_count > 0) && !arg->type->is_struct &&
                16 % arg->type->bytes == 0 && elements * arg->type->bytes % 16 == 0;
    if (text->traits->family == FAMILY_CPU) {
        bool textures = text->traits->tuning[TUNING_BUFFER_TEXTURES] != 0;
        return fits && textures && arg->type->bytes < 16 ? LOAD_STRIPS : LOAD_WORDS;
    }
    return fits && !arg->pages.near && window_fits(use, elements, arg->type->bytes) ? LOAD_WINDOWS : LOAD_WORDS;
}

/* Only if every argument has its own texture unit or storage block: arguments that share one have one format. */
void variant_whole(const KernelText *text, VariantKey *key)
{
    const Function *f = text->function;
    int bindings = key->active >= ACTIVE_PAGES ? 1 : key->active;
    for (int i = 0; i < f->param_count; i++) {
        bindings += is_read(f, key, i) + (key->args[i].sampled != SAMPLED_BY_KERNEL);
    }
    int elements = variant_elements(text, key);
    for (int i = 0; i < f->param_count; i++) {
        ArgKey *arg = &key->args[i];
        arg->load = strip_load(text, key, elements, i);
        bindings += arg->load == LOAD_STRIPS;
    }
    bool separate = bindings <= text->texture_limit && bindings <= variant_free_blocks(text, key);
    for (int i = 0; i < f->param_count; i++) {
        ArgKey *arg = &key->args[i];
        bool texels = arg->path == PATH_DENSE && is_read(f, key, i) && arg->type->bytes % 16 == 0;
        arg->load = !separate ? LOAD_WORDS : texels && arg->load != LOAD_WINDOWS ? LOAD_TEXELS : arg->load;
    }
}

bool variant_texel_load(const Function *f, const VariantKey *key, int i)
{
    return key->args[i].load >= LOAD_WINDOWS || variant_flat_load(f, key, i);
}

bool variant_partial(const VariantKey *key)
{
    for (int i = 0; i < key->count; i++) {
        if (key->args[i].container.partial) {
            return true;
        }
    }
    return false;
}

bool variant_texels_fit(const KernelText *text, const VariantKey *key)
{
    int bytes, elements = texel_elements(text, key, true, true, &bytes);
    return !one_element(text, key) && elements * bytes <= MAX_STEP_BYTES &&
           text->body->trips * elements <= (double)TRIP_BUDGET &&
           (double)elements * (double)text->body->tokens < (double)MAX_INLINED;
}

/* Returns the elements of a step on a software device, which is faster with more of them: random
 * fetches keep the memory busy, and streams of 32-bit words need fewer iterations (a tenth of the
 * time). Excluded are stencils, whose steps are strips, adaptive containers, elements of
 * containers, whose address computations are separate code, and conversions between wide elements
 * of several words: with four elements these take up to half the time less, and a third of the time
 * to compile. */
static int widened(const KernelText *text, const VariantKey *key, int elements, int bytes)
{
    bool gathers = false, neighbors = false, loads = false, thin = bytes <= THIN_BYTES, looks = false, others = false;
    for (int i = 0; i < text->function->param_count; i++) {
        ParamKind kind = text->function->params[i].kind;
        bool gathered = kind == PARAM_GATHER && text->body->use[i].element;
        gathers = gathers || gathered;
        thin = thin || (gathered && key->args[i].type->bytes <= THIN_BYTES);
        neighbors = neighbors || kind == PARAM_NEIGHBOR;
        looks = looks || (gathered && path_mapped(key->args[i].path));
        others = others || (path_mapped(key->args[i].path) && (!gathered || key->args[i].path == PATH_BLENDED));
        loads = loads || (param_kinds[kind].element && param_kinds[kind].read && param_kinds[kind].stream);
    }
    const int step = text->traits->tuning[gathers ? TUNING_GATHER_STEP : TUNING_STEP];
    int wide = elements < step ? step : elements;
    bool words = key->flat_loads && loads && !neighbors && bytes <= 4;
    bool fits = key->flat_stores && text->traits->family == FAMILY_CPU && text->body->trips == 0 &&
                wide * bytes <= MAX_STEP_BYTES &&
                (size_t)wide * text->body->tokens < (looks     ? WIDE_LOOKUPS
                                                     : gathers ? WIDE_GATHERS
                                                               : WIDE_WORDS);
    return ((gathers && thin) || (words && !looks)) && fits && !others ? wide : elements;
}

/* Returns the number of tokens per element. Pages are looked up once for many elements. */
static size_t element_tokens(const KernelText *text, const VariantKey *key)
{
    size_t tokens = text->body->tokens;
    for (int i = 0; text->addresses && i < text->function->param_count; i++) {
        const AddressUse *use = &text->addresses[i];
        tokens -= use->function && !use->repeated ? use->body->tokens : 0;
        tokens += use->function && !key->args[i].pages.kind && !key->args[i].pages.near ? use->body->tokens : 0;
    }
    return tokens;
}

int variant_page_step(const KernelText *text, const VariantKey *key)
{
    if (one_element(text, key)) {
        return 1;
    }
    size_t tokens = element_tokens(text, key);
    int bytes, least = texel_elements(text, key, true, true, &bytes);
    bool near = false;
    for (int i = 0; i < key->count; i++) {
        near = near || key->args[i].pages.near;
    }
    const int step = text->traits->tuning[TUNING_STEP];
    bool wide = !near && text->traits->family == FAMILY_CPU && text->body->trips == 0 &&
                (size_t)step * tokens < WIDE_WORDS && step * bytes <= MAX_STEP_BYTES;
    int elements = wide && least < step ? step : tokens > LARGE_BODY ? 1 : least;
    while (elements > 1 && (text->body->trips * elements > (double)TRIP_BUDGET || elements * bytes > MAX_STEP_BYTES ||
                            (double)elements * (double)tokens >= (double)MAX_INLINED)) {
        elements /= 2;
    }
    return elements;
}

/* Returns the number of rows of a step without pages, which depends on the size of the body. */
static int step_rows(const KernelText *text, size_t tokens)
{
    return tokens < 4 * MEDIUM_BODY && text->body->trips == 0 ? text->traits->tuning[TUNING_STRIP_ROWS]
           : tokens < 8 * MEDIUM_BODY                         ? 2
                                                              : 1;
}

int variant_page_rows(const KernelText *text, const VariantKey *key)
{
    int rows = step_rows(text, element_tokens(text, key) * (size_t)key->pages.step);
    return rows < NEAR_ROWS ? rows : NEAR_ROWS;
}

int variant_elements(const KernelText *text, const VariantKey *key)
{
    if (key->active == ACTIVE_PAGES) {
        return key->pages.step;
    }
    if (one_element(text, key)) {
        return 1;
    }
    int bytes, largest = texel_elements(text, key, key->flat_loads, key->flat_stores, &bytes);
    if (key->flat_loads) {
        return widened(text, key, largest, bytes); /* variant_texels_fit has checked the other conditions */
    }
    int elements = text->body->tokens > LARGE_BODY ? 1 : 4;
    if (key->flat_stores && (double)largest * (double)text->body->tokens < (double)MAX_INLINED) {
        elements = largest;
    }
    while (elements > 1 && (text->body->trips * elements > (double)TRIP_BUDGET || elements * bytes > MAX_STEP_BYTES)) {
        elements /= 2;
    }
    return elements;
}

static int take(Layout *layout, int words)
{
    int at = layout->words;
    layout->words += words;
    return at;
}

static void layout_constant(Layout *layout, const Param *param, ArgLayout *arg)
{
    int words = param->matrix ? param->matrix * param->matrix : glsl_words(param->type);
    arg->constant = take(layout, words);
}

static void layout_stream(const KernelText *text, const VariantKey *key, int i, Layout *layout)
{
    const ArgKey *a = &key->args[i];
    ArgLayout *arg = &layout->args[i];
    const Param *param = &text->function->params[i];
    const ParamUse *use = &text->body->use[i];
    int rank = param_kinds[param->kind].along ? key->rank : a->rank;
    arg->base = take(layout, 1);
    arg->store_base = param->kind == PARAM_INOUT ? take(layout, 1) : arg->base;
    arg->dims = take(layout, rank * variant_dim_words(a));
    if (!param_kinds[param->kind].element) {
        arg->sizes = take(layout, rank);
        arg->outside = take(layout, 2);
    }
    if (a->halo) {
        arg->halo = take(layout, 2 * rank);
    }
    if (param_kinds[param->kind].anywhere) {
        arg->dump = take(layout, 1);
    }
    if (a->resampled) {
        arg->resample = take(layout, 3 * key->rank);
    }
    if (use->size) {
        arg->extents = take(layout, MAX_RANK);
    }
    if (a->path == PATH_RAMP) {
        arg->ramp = take(layout, RAMP_WORDS * a->type->components);
    }
    if (path_mapped(a->path)) {
        arg->fallback = take(layout, glsl_words(a->type));
    }
    if (a->pages.kind == PAGED_STRIDED || a->pages.near || a->container.replicas) {
        arg->strides = take(layout, rank - 1);
    }
}

int variant_free_blocks(const KernelText *text, const VariantKey *key)
{
    int taken = 0;
    for (int i = 0; i < text->function->param_count; i++) {
        taken += variant_stores(text->function, key, i) || param_kinds[text->function->params[i].kind].anywhere;
    }
    return text->block_limit - taken;
}

static bool no_place(const KernelText *text, int i)
{
    return error_set("%s: this device has no binding left for '%s'", text->function->name,
                     text->function->params[i].name);
}

/* Assigns units to textures that are sampled, which cannot be read through storage blocks. */
static bool place_samplers(const KernelText *text, const VariantKey *key, Layout *layout)
{
    for (int i = 0; i < text->function->param_count; i++) {
        layout->args[i].sampler = NO_UNIT;
        if (key->args[i].sampled == SAMPLED_BY_KERNEL) {
            continue;
        }
        if (layout->textures == text->texture_limit) {
            return no_place(text, i);
        }
        layout->args[i].sampler = layout->textures++;
    }
    layout->own_units = layout->textures;
    return true;
}

/* Assigns a texture unit or a storage block to a stream that is read: first the kind that the
 * device prefers, then the other kind. Streams for which nothing is left share the last one: the
 * launcher packs them into one buffer. */
static bool place_read(const KernelText *text, const VariantKey *key, int free_blocks, int i, Layout *layout,
                       int *blocks)
{
    ArgLayout *arg = &layout->args[i];
    bool textured = !key->args[i].block, room = layout->textures < text->texture_limit;
    arg->packed = false;
    if (textured && room && (text->traits->tuning[TUNING_BUFFER_TEXTURES] || *blocks == free_blocks)) {
        arg->texture = layout->textures++;
    } else if (*blocks < free_blocks) {
        arg->block = (*blocks)++;
    } else if (free_blocks > 0) {
        arg->block = free_blocks - 1;
        arg->packed = true;
    } else if (textured && text->texture_limit > layout->own_units) {
        arg->texture = text->texture_limit - 1;
        arg->packed = true;
    } else {
        return no_place(text, i);
    }
    return true;
}

static bool layout_active(const KernelText *text, const VariantKey *key, Layout *layout)
{
    layout->active = key->active ? take(layout, 2) : NO_SLOT;
    layout->page = key->active == ACTIVE_PAGES ? take(layout, PAGE_WORDS + 3 * key->rank) : NO_SLOT;
    layout->clip = key->pages.clipped ? take(layout, 2 * key->rank) : NO_SLOT;
    layout->origin = key->placed ? take(layout, key->rank) : NO_SLOT;
    int strides = key->random == RANDOM_STRIDED ? 2 + 2 * key->rank : 0;
    layout->random = key->random ? take(layout, RANDOM_FIRST + strides) : NO_SLOT;
    layout->leaf = key->active == ACTIVE_LEVELS ? take(layout, 3 * (key->rank + 1)) : NO_SLOT;
    layout->active_units = key->active >= ACTIVE_PAGES ? 1 : key->active;
    layout->textures = layout->active_units;
    return layout->active_units <= text->texture_limit ||
           error_set("%s: this device has no binding left for the list of active elements", text->function->name);
}

static bool layout_units(const KernelText *text, const VariantKey *key, Layout *layout)
{
    const Function *f = text->function;
    int free_blocks = variant_free_blocks(text, key), blocks = 0;
    if (free_blocks < 0) {
        return error_set("%s: more random-access streams and outputs (%d) than this device has storage blocks (%d)",
                         f->name, text->block_limit - free_blocks, text->block_limit);
    }
    if (!place_samplers(text, key, layout)) {
        return false;
    }
    for (int i = 0; i < f->param_count; i++) {
        ArgLayout *arg = &layout->args[i];
        arg->texture = arg->block = arg->store = NO_UNIT;
        if (path_buffered(key->args[i].path) &&
            (variant_stores(f, key, i) || param_kinds[f->params[i].kind].anywhere)) {
            arg->store = layout->blocks++;
        }
        if (is_read(f, key, i) && !place_read(text, key, free_blocks, i, layout, &blocks)) {
            return false;
        }
        arg->wide = key->args[i].load == LOAD_STRIPS ? layout->textures++ : NO_UNIT;
    }
    return true;
}

/* Assigns storage bindings for reading, after those for writing. */
static void layout_blocks(const Function *f, Layout *layout)
{
    int stores = layout->blocks, most = 0;
    for (int i = 0; i < f->param_count; i++) {
        ArgLayout *arg = &layout->args[i];
        if (arg->block != NO_UNIT) {
            arg->block += stores;
            most = arg->block + 1 > most ? arg->block + 1 : most;
        }
    }
    layout->blocks = most > stores ? most : stores;
}

/* Determines the iterations of an invocation. A software device pays per work group, so there one
 * subgroup traverses a contiguous part in a loop, as far as the limit on iterations allows. */
static void layout_trips(const KernelText *text, const VariantKey *key, Layout *layout)
{
    layout->trips = NO_SLOT;
    layout->least_trips = layout->max_trips = layout->max_run = 1;
    if (text->traits->family != FAMILY_CPU || text->body->unbounded || text->function->group_rank || key->check) {
        return;
    }
    double trips = text->body->trips * layout->elements * layout->strip_rows * layout->page_rows;
    if (key->active == ACTIVE_PAGES && trips < MAX_RUN_TRIPS * MAX_RUN) {
        layout->max_run = trips < MAX_RUN_TRIPS ? MAX_RUN : (int)(MAX_RUN_TRIPS * MAX_RUN / trips);
        trips = (trips + 1) * layout->max_run;
    }
    double most = trips > 0 ? (double)MAX_TRIPS_BUDGET / (trips + 1) : (double)MAX_TRIPS;
    layout->max_trips = most < (double)MAX_TRIPS ? (int)most : MAX_TRIPS;
    if (layout->max_trips > 1) {
        layout->least_trips = trips > 0 || text->body->tokens > LARGE_BODY ? 1 : LEAST_TRIPS;
        layout->trips = take(layout, 1);
        layout->group = text->traits->subgroup_size;
    } else {
        layout->max_trips = 1;
    }
}

bool variant_line_strips(const KernelText *text)
{
    return text->traits->family == FAMILY_GPU && text->body->uses_position &&
           module_count_params(text->function, PARAM_NEIGHBOR) > 0;
}

/* Returns the number of texels of a row of a step that all windows have together. */
static int window_texels(const KernelText *text, const VariantKey *key, int elements)
{
    int texels = 0;
    for (int i = 0; i < text->function->param_count; i++) {
        texels += key->args[i].load == LOAD_WINDOWS ? elements * key->args[i].type->bytes / 16 : 0;
    }
    return texels;
}

/* Determines the rows of a step of a stencil. Adjacent rows share most of their fetches, so a step
 * covers several rows if the body is small. A window must stay in registers, with the rows around the step. */
static void layout_strips(const KernelText *text, const VariantKey *key, Layout *layout)
{
    layout->strip = layout->band = NO_SLOT;
    layout->strip_rows = 1;
    if (module_count_params(text->function, PARAM_NEIGHBOR) == 0 || !key->rows || !key->flat_stores ||
        layout->elements == 1) {
        return;
    }
    layout->strip = take(layout, 6);
    size_t size = text->body->tokens * (size_t)layout->elements;
    layout->strip_rows = step_rows(text, size);
    if (layout->strip_rows == 1 && text->body->trips == 0 && size < LARGE_STRIP) {
        layout->strip_rows = 2;
    }
    int texels = window_texels(text, key, layout->elements);
    while (texels > 0 && layout->strip_rows > 2 && layout->strip_rows * texels > WINDOW_TEXELS) {
        layout->strip_rows /= 2;
    }
    layout->strip_rows = key->rank > 1 ? layout->strip_rows : 1;
    layout->band = texels > 0 && key->rank > 1 ? take(layout, 3) : NO_SLOT;
}

bool variant_layout(const KernelText *text, const VariantKey *key, Layout *layout)
{
    const Function *f = text->function;
    *layout = (Layout){.group = text->traits->group_size, .elements = variant_elements(text, key)};
    for (int i = 0; i < f->param_count; i++) {
        ArgLayout *arg = &layout->args[i];
        arg->constant = arg->base = arg->store_base = arg->dims = arg->sizes = arg->outside = arg->halo = NO_SLOT;
        arg->resample = arg->extents = arg->ramp = arg->dump = arg->fallback = arg->strides = NO_SLOT;
    }
    layout->page_rows = key->active == ACTIVE_PAGES ? key->pages.rows : 1;
    layout->count = take(layout, 1);
    layout->steps = take(layout, 1);
    layout->four = take(layout, 1);
    layout_strips(text, key, layout);
    layout_trips(text, key, layout);
    layout->shape = take(layout, 3 * key->rank);
    for (int i = 0; i < f->param_count; i++) {
        if (key->args[i].path != PATH_CONSTANT) {
            layout_stream(text, key, i, layout);
        } else if (!text->baked[i]) {
            layout_constant(layout, &f->params[i], &layout->args[i]);
        } else if (text->body->use[i].size) {
            layout->args[i].extents = take(layout, MAX_RANK); /* an output that a counting kernel does not have */
        }
    }
    if (!layout_active(text, key, layout) || !layout_units(text, key, layout)) {
        return false;
    }
    layout_blocks(f, layout);
    if (layout->words > text->uniform_limit * 4) {
        return error_set("%s: its arguments need %d words of uniforms, this device has %d", f->name, layout->words,
                         text->uniform_limit * 4);
    }
    return true;
}
