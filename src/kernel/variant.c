#include "kernel/variant.h"

#include "kernel/glsl.h"

enum { TRIP_BUDGET = 8192, LARGE_BODY = 700, MEDIUM_BODY = 100, MAX_INLINED = 3000, MAX_TRIPS = 256, MAX_TRIPS_BUDGET = 16384 };

int variant_dim_words(const ArgKey *key)
{
    return key->mapped ? 8 : 1;
}

bool variant_stores(const Function *f, const VariantKey *key, int param)
{
    int number = 0;
    for (int i = 0; i < param; i++) {
        number += param_kinds[f->params[i].kind].written && f->params[i].kind != PARAM_RANDOM;
    }
    return param_kinds[f->params[param].kind].written && f->params[param].kind != PARAM_RANDOM &&
           number >= key->first_output && number < key->first_output + key->output_count;
}

static bool one_element(const KernelText *text, const VariantKey *key)
{
    const Function *f = text->function;
    if (f->group_rank || text->body->unbounded || key->check) {
        return true;
    }
    for (int i = 0; i < f->param_count; i++) {
        if (f->params[i].kind == PARAM_RANDOM) {
            return true;
        }
    }
    return false;
}

static int whole_texels(const Type *type)
{
    int elements = 1;
    while (elements * type->bytes % 16) {
        elements *= 2;
    }
    return elements;
}

int variant_elements(const KernelText *text, const VariantKey *key)
{
    const Function *f = text->function;
    if (one_element(text, key)) {
        return 1;
    }
    int elements = text->body->tokens > LARGE_BODY ? 1 : 4, largest = 4;
    for (int i = 0; i < f->param_count; i++) {
        bool stored = variant_stores(f, key, i) && key->flat_stores;
        bool loaded = param_kinds[f->params[i].kind].element && param_kinds[f->params[i].kind].read && key->flat_loads;
        if (key->args[i].type && key->args[i].path == PATH_DENSE && (stored || loaded)) {
            int need = whole_texels(key->args[i].type);
            largest = need > largest ? need : largest;
        }
    }
    if (key->flat_loads || (key->flat_stores && (double)largest * (double)text->body->tokens < MAX_INLINED)) {
        elements = largest;
    }
    while (elements > 1 && text->body->trips * elements > TRIP_BUDGET && !key->flat_loads) {
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
    bool element = param_kinds[param->kind].element;
    int rank = element || param->kind == PARAM_NEIGHBOR ? key->rank : a->rank;
    arg->base = take(layout, 1);
    arg->store_base = param->kind == PARAM_INOUT ? take(layout, 1) : arg->base;
    arg->dims = take(layout, rank * variant_dim_words(a));
    if (!element) {
        arg->sizes = take(layout, rank);
        arg->outside = take(layout, 1);
    }
    if (param->kind == PARAM_RANDOM) {
        arg->dump = take(layout, 1);
    }
    if (a->resampled) {
        arg->resample = take(layout, 3 * key->rank);
    }
    if (use->size) {
        arg->extents = take(layout, MAX_RANK);
    }
    if (a->path == PATH_RAMP) {
        arg->ramp = take(layout, 5 * a->type->components);
    }
}

/* Reads go to buffer textures or storage blocks, whichever the device prefers, then to the other; what is left over
 * shares the last place (the launcher packs those streams into one buffer). */
static bool layout_units(const KernelText *text, const VariantKey *key, Layout *layout)
{
    const Function *f = text->function;
    int reads = 0;
    for (int i = 0; i < f->param_count; i++) {
        ArgLayout *arg = &layout->args[i];
        const ParamKindInfo *kind = &param_kinds[f->params[i].kind];
        arg->texture = arg->block = arg->store = NO_UNIT;
        if (key->args[i].path != PATH_DENSE) {
            continue;
        }
        if (variant_stores(f, key, i) || f->params[i].kind == PARAM_RANDOM) {
            arg->store = layout->blocks++;
        }
        reads += kind->read && f->params[i].kind != PARAM_RANDOM;
    }
    if (layout->blocks > text->block_limit) {
        return error_set("%s: more random-access streams and outputs (%d) than this device has storage blocks (%d)",
                         f->name, layout->blocks, text->block_limit);
    }
    bool textures_first = text->traits->buffer_textures;
    int free_blocks = text->block_limit - layout->blocks;
    int places = text->texture_limit + free_blocks;
    if (places == 0 && reads > 0) {
        return error_set("%s: no binding is left for its inputs", f->name);
    }
    int place = 0;
    for (int i = 0; i < f->param_count; i++) {
        if (key->args[i].path != PATH_DENSE || !param_kinds[f->params[i].kind].read ||
            f->params[i].kind == PARAM_RANDOM) {
            continue;
        }
        int number = place < places ? place++ : places - 1;
        ArgLayout *arg = &layout->args[i];
        bool texture = textures_first ? number < text->texture_limit : number >= free_blocks;
        int start = texture == textures_first ? 0 : textures_first ? text->texture_limit : free_blocks;
        if (texture && !key->args[i].block) {
            arg->texture = number - start;
            layout->textures = arg->texture + 1 > layout->textures ? arg->texture + 1 : layout->textures;
        } else {
            arg->block = number - start;
        }
    }
    return true;
}

/* Storage bindings of reads follow those of stores. */
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

/* A software device pays per work group, so there one subgroup walks a contiguous part in a loop, as far as the limit on
 * trips allows. */
static void layout_trips(const KernelText *text, const VariantKey *key, Layout *layout)
{
    layout->trips = NO_SLOT;
    layout->max_trips = 1;
    if (text->traits->family != FAMILY_CPU || text->body->unbounded || text->function->group_rank || key->check) {
        return;
    }
    double trips = text->body->trips * layout->elements * layout->strip_rows;
    double most = trips > 0 ? MAX_TRIPS_BUDGET / (trips + 1) : MAX_TRIPS;
    layout->max_trips = most < MAX_TRIPS ? (int)most : MAX_TRIPS;
    if (layout->max_trips > 1) {
        layout->trips = take(layout, 1);
        layout->group = text->traits->subgroup_size;
    } else {
        layout->max_trips = 1;
    }
}

/* A stencil's neighbouring rows share most of their fetches, so a step covers several rows where the body is small. */
static void layout_strips(const KernelText *text, const VariantKey *key, Layout *layout)
{
    layout->strip = NO_SLOT;
    layout->strip_rows = 1;
    bool neighbors = false;
    for (int i = 0; i < text->function->param_count; i++) {
        neighbors = neighbors || text->function->params[i].kind == PARAM_NEIGHBOR;
    }
    if (!neighbors || !key->rows || !key->flat_stores || layout->elements == 1) {
        return;
    }
    layout->strip = take(layout, 6);
    size_t size = text->body->tokens * (size_t)layout->elements;
    layout->strip_rows = size < 4 * MEDIUM_BODY && text->body->trips == 0 ? 4 : size < 8 * MEDIUM_BODY ? 2 : 1;
}

bool variant_layout(const KernelText *text, const VariantKey *key, Layout *layout)
{
    const Function *f = text->function;
    *layout = (Layout){.group = text->traits->group_size, .elements = variant_elements(text, key)};
    for (int i = 0; i < f->param_count; i++) {
        ArgLayout *arg = &layout->args[i];
        arg->constant = arg->base = arg->store_base = arg->dims = arg->sizes = arg->outside = NO_SLOT;
        arg->resample = arg->extents = arg->ramp = arg->dump = NO_SLOT;
    }
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
        }
    }
    if (!layout_units(text, key, layout)) {
        return false;
    }
    layout_blocks(f, layout);
    if (layout->words > MAX_PARAM_VECTORS * 4) {
        return error_set("%s: its arguments need more uniforms than a program may have", f->name);
    }
    return true;
}
