/* Chooses the variant for a launch. */
#include "kernel/launch/launch.h"

#include "gpu/memory/buffer.h"
#include "kernel/variant/address_map.h"

#include <string.h>

static bool stream_mapped(const Stream *stream)
{
    for (int d = 0; d < stream->shape.rank; d++) {
        if (launch_dim_mapped(&stream->dim[d])) {
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

static uint8_t halo_bits(const Stream *stream)
{
    unsigned bits = 0;
    for (int d = 0; d < stream->shape.rank; d++) {
        const Halo *halo = &stream->halo[stream->shape.rank - 1 - d];
        bits |= (unsigned)(halo->before || halo->after) << d;
    }
    return (uint8_t)bits;
}

/* Returns whether the elements around a contiguous view follow in memory as further rows: a view of one row is contiguous
 * whatever the distance to the next row is. */
static bool halo_follows(const Stream *s)
{
    int64_t stride = 1;
    for (int d = s->shape.rank - 1; d >= 0; d--) {
        if ((s->halo[d].before || s->halo[d].after) && s->dim[d].stride != stride) {
            return false;
        }
        stride *= s->shape.size[d];
    }
    return true;
}

bool launch_aligned(const Stream *s)
{
    return s->contiguous && s->offset * s->type->bytes % 16 == 0;
}

/* Returns whether two containers can share an address computation: the same map, and boxes that
 * begin at the same coordinates. */
static bool same_addresses(const Stream *a, const Stream *b)
{
    bool same = address_same(a->map, b->map);
    for (int d = 0; same && d < a->shape.rank; d++) {
        same = a->dim[d].start == b->dim[d].start;
    }
    return same;
}

static uint8_t first_element_argument(const Plan *plan, int i)
{
    int k = 0;
    while (k < i && !(launch_kind(&plan->kernel->function, k)->element && plan->streams[k] &&
                      same_addresses(plan->streams[k], plan->streams[i]))) {
        k++;
    }
    return (uint8_t)(k + 1);
}

/* Returns the 1-based number of the first gather with the same addresses for the same indices as gather i. */
static uint8_t first_gather(const Plan *plan, int i)
{
    const Stream *s = plan->streams[i];
    const Function *f = &plan->kernel->function;
    int k = 0;
    while (k < i && !(f->params[k].kind == PARAM_GATHER && plan->streams[k] && same_addresses(plan->streams[k], s) &&
                      shape_equal(&plan->streams[k]->shape, &s->shape) && !s->map->unbounded && !s->map->open &&
                      boundary_bits(plan->streams[k]) == boundary_bits(s))) {
        k++;
    }
    return (uint8_t)(k + 1);
}

static int64_t end_of(const Plan *plan, const Stream *s)
{
    return (s->offset + plan->count) * s->type->bytes;
}

/* Returns whether the last store, which may extend beyond the end of a view, ends in the spare tail of the buffer. */
static bool has_room(const Plan *plan, const Stream *s, int elements)
{
    int64_t end = end_of(plan, s), rest = plan->count % elements, past = (elements - rest) * s->type->bytes;
    return rest == 0 ||
           ((uint64_t)end == buffer_bytes(s->buffer) && (uint64_t)(end + past) <= buffer_capacity(s->buffer));
}

/* Without room the device must drop the part of the last store that is out of range. */
bool launch_storable(const Plan *plan, const Stream *s, int elements)
{
    int64_t unit = (int64_t)elements * s->type->bytes;
    if (!s->contiguous || unit % 4 != 0 || (s->offset * s->type->bytes) % (unit % 16 ? 4 : 16) != 0) {
        return false;
    }
    return has_room(plan, s, elements) || (plan->traits->exact_ranges && end_of(plan, s) % 4 == 0);
}

/* Returns whether texels are stored as pairs of doubles. Devices that store word by word store
 * doubles as fast, but drop a double out of range as a whole. */
static bool paired(const Plan *plan, const VariantKey *key, int elements)
{
    const Function *f = &plan->kernel->function;
    bool pairs = variant_pairs(plan->traits);
    for (int i = 0; pairs && key->flat_stores && i < f->param_count; i++) {
        pairs = !variant_stores(f, key, i) || has_room(plan, plan->streams[i], elements);
    }
    return pairs;
}

static Addressing addressing_of(const Stream *s, bool neighbor)
{
    return s->map                                                  ? ADDRESS_STRIDED
           : stream_mapped(s)                                      ? ADDRESS_DIVIDED
           : neighbor && s->source != SOURCE_RAMP && s->contiguous ? ADDRESS_ORDERED
           : s->dim[s->shape.rank - 1].stride == 1                 ? ADDRESS_UNIT
                                                                   : ADDRESS_STRIDED;
}

static void container_key(const Plan *plan, int i, ArgContainer *key)
{
    const Stream *s = plan->streams[i];
    const ParamUse *use = &plan->kernel->body.use[i];
    const ParamKindInfo *kind = launch_kind(&plan->kernel->function, i);
    bool gather = plan->kernel->function.params[i].kind == PARAM_GATHER;
    key->place = kind->element ? first_element_argument(plan, i) : gather ? first_gather(plan, i) : 0;
    if (use->sample) {
        key->filter = s->map->filter;
    }
    if (gather && (plan->replicated >> i & 1)) {
        key->replicas = s->map->holds(s->map, NULL) ? REPLICAS_ALL : REPLICAS_SOME;
    }
    key->begins = launch_begins(s);
    key->rows = s->map->rows && use->row;
    key->partial = !s->map->complete && kind->anywhere;
}

static Outside outside_of(const Plan *plan, int i)
{
    const Stream *s = plan->streams[i];
    bool open = s->map && s->map->open && !stream_has_boundary(s) && !launch_kind(&plan->kernel->function, i)->anywhere;
    bool quiet = s->explicit_boundary || plan->kernel->function.params[i].kind == PARAM_NEIGHBOR;
    return address_unbounded(s) ? OUTSIDE_UNBOUNDED : open ? OUTSIDE_OPEN : quiet ? OUTSIDE_QUIET : OUTSIDE_REPORTED;
}

static void arg_key(const Plan *plan, int i, ArgKey *key)
{
    const Stream *s = plan->streams[i];
    const Param *param = &plan->kernel->function.params[i];
    const ParamUse *use = &plan->kernel->body.use[i];
    bool neighbor = param->kind == PARAM_NEIGHBOR, ordered = neighbor && halo_follows(s);
    key->type = s->type;
    key->path = s->map                     ? (s->map->blends ? PATH_BLENDED : PATH_MAPPED)
                : s->source == SOURCE_RAMP ? PATH_RAMP
                                           : PATH_DENSE;
    key->rank = (uint8_t)param->rank;
    key->addressing = addressing_of(s, ordered);
    key->load = ordered && launch_aligned(s) ? LOAD_STRIPS : LOAD_WORDS;
    key->resampled = plan->resampled[i] && use->index;
    key->sampled = access_sampled(plan->originals[i], use);
    if (s->map) {
        container_key(plan, i, &key->container);
    }
    if (launch_kind(&plan->kernel->function, i)->bound) {
        key->boundary = boundary_bits(s);
        key->halo = neighbor ? halo_bits(s) : 0;
        key->fixed = s->baked && s->offset == 0;
        key->outside = outside_of(plan, i);
    }
}

static void choose_loads(Plan *plan, const KernelText *text, VariantKey *key)
{
    const Function *f = &plan->kernel->function;
    key->flat_loads = !key->active && variant_texels_fit(text, key) && !variant_formats_clash(text, key);
    for (int i = 0; i < f->param_count; i++) {
        const ParamKindInfo *kind = launch_kind(f, i);
        if (kind->element && kind->read && key->args[i].path == PATH_DENSE &&
            (!launch_aligned(plan->streams[i]) || plan->resampled[i])) {
            key->flat_loads = 0;
        }
    }
}

/* Returns the elements of a step. */
static int choose_stores(Plan *plan, const KernelText *text, VariantKey *key)
{
    const Function *f = &plan->kernel->function;
    bool flat = !f->group_rank && !key->active;
    key->flat_stores = flat;
    int elements = variant_elements(text, key);
    for (int i = 0; i < f->param_count; i++) {
        if (variant_stores(f, key, i) && !launch_storable(plan, plan->streams[i], elements)) {
            key->flat_stores = 0;
        }
    }
    elements = key->flat_stores == flat ? elements : variant_elements(text, key);
    key->paired = paired(plan, key, elements);
    return elements;
}

/* launches over pages */

/* Returns whether every step of `step` elements along dimension d is entirely inside or entirely
 * outside of the elements to compute. */
static bool ends_fit(const Plan *plan, const VariantKey *key, int d, int step)
{
    const PageSet *pages = plan->pages;
    int64_t size = plan->launch_shape.size[plan->launch_shape.rank - 1 - d];
    bool clip = pages->clip_first[d] % step == 0 && pages->clip_size[d] % step == 0;
    return key->pages.inside || (pages->clipped ? clip : size % step == 0);
}

/* Returns the elements of a step: a part of a row of a page that is entirely inside or outside of
 * the shape, or a part of the page if rows do not matter. */
static int page_step(const Plan *plan, const KernelText *text, const VariantKey *key)
{
    int64_t row = plan->pages->page[0];
    int step = plan->pages->aligned && !plan->pages->masked ? variant_page_step(text, key) : 1;
    for (int d = 1; key->pages.rowless && d < plan->launch_shape.rank; d++) {
        row *= plan->pages->page[d];
    }
    while (row % step || !ends_fit(plan, key, 0, step)) {
        step--;
    }
    return step;
}

/* Returns whether no page extends beyond the shape. */
static bool pages_inside(const Plan *plan)
{
    bool inside = (plan->pages->aligned || plan->pages->unbounded) && !plan->pages->masked && !plan->pages->clipped;
    for (int d = 0; d < plan->launch_shape.rank; d++) {
        inside = inside && plan->launch_shape.size[plan->launch_shape.rank - 1 - d] % plan->pages->page[d] == 0;
    }
    return inside;
}

/* Returns the distance in memory of neighbors along dimension d (0: x) of an argument that is
 * accessed with strides within a page. */
int64_t launch_page_stride(const Stream *s, int d)
{
    return s->map ? s->map->stride[d] : s->dim[s->shape.rank - 1 - d].stride;
}

static PagedKind map_pages(const Plan *plan, const Stream *s)
{
    int rank = s->shape.rank;
    PagedKind kind = rank > 1 && s->map->overlap ? PAGED_STRIDED : PAGED_WHOLE;
    if (!plan->pages->aligned || s->map->run_unit == 0 || !launch_begins(s)) {
        return PAGED_ANYWHERE;
    }
    for (int d = 0; d < rank; d++) {
        int64_t page = plan->pages->page[d], run = s->map->run[d];
        if (run % page != 0) {
            return PAGED_ANYWHERE;
        }
        kind = run != page && d < rank - 1 ? PAGED_STRIDED : kind;
    }
    return kind;
}

/* Returns whether the elements of steps begin at multiples of `unit` bytes; the same holds for the
 * first elements of rows, unless rows do not matter. */
static bool page_units(const Stream *s, int64_t unit, bool rowless)
{
    int64_t bytes = s->type->bytes;
    bool whole = s->offset * bytes % unit == 0 && (!s->map || s->map->run_unit * bytes % unit == 0);
    for (int d = 1; d < s->shape.rank && !rowless; d++) {
        int64_t size = s->map ? s->map->run[d] : s->shape.size[s->shape.rank - 1 - d];
        whole = whole && (size == 1 || launch_page_stride(s, d) * bytes % unit == 0);
    }
    return whole;
}

/* Returns how the elements of argument i are stored relative to a page's first element. */
static PagedKind paged_kind(const Plan *plan, const KernelText *text, int i, const VariantKey *key)
{
    const ParamKindInfo *kind = launch_kind(text->function, i);
    const Stream *s = plan->streams[i];
    bool used = kind->element && (kind->read || variant_stores(text->function, key, i));
    Addressing addressing = key->args[i].addressing;
    bool strided =
        (addressing == ADDRESS_UNIT || addressing == ADDRESS_ORDERED) && plan->pages->aligned && !plan->resampled[i];
    if (!used || !path_buffered(key->args[i].path) || text->function->group_rank) {
        return PAGED_ANYWHERE;
    }
    return launch_numbered(plan, i) ? PAGED_NUMBERED
           : s->map                 ? map_pages(plan, s)
           : strided                ? PAGED_STRIDED
                                    : PAGED_ANYWHERE;
}

/* Returns whether the neighbors of argument i can be found in the adjacent pages: they are at most
 * one page away and are stored at a stride from the beginning of a page. */
static bool is_near(const Plan *plan, const KernelText *text, int i, const VariantKey *key)
{
    enum { MOST_ELEMENTS = 1 << 28 /* of a page: unmapped elements are numbered from -2^30 on */ };
    const Stream *s = plan->streams[i];
    const ParamUse *use = &text->body->use[i];
    bool near = text->function->params[i].kind == PARAM_NEIGHBOR && !text->function->group_rank &&
                (use->offset_count || use->ranges) && use->axes <= variant_neighbor_axes(key->rank) &&
                key->args[i].path == PATH_MAPPED && key->args[i].outside != OUTSIDE_OPEN &&
                map_pages(plan, s) != PAGED_ANYWHERE;
    for (int d = 0; near && d < key->rank; d++) {
        Boundary boundary = access_boundary(&key->args[i], d);
        bool stays =
            key->args[i].outside == OUTSIDE_UNBOUNDED || boundary == BOUNDARY_CLAMP || boundary == BOUNDARY_VALUE;
        near = (stays || (boundary == BOUNDARY_WRAP && key->pages.inside)) &&
               (d >= NEAR_RANK || use->reach <= plan->pages->page[d]) &&
               s->map->run[d] <= MOST_ELEMENTS / s->map->stride[d];
    }
    return near;
}

/* Chooses the rows of a step. With neighbors a step covers several rows, since their neighborhoods overlap. */
static void choose_rows(const Plan *plan, const KernelText *text, VariantKey *key)
{
    int rows = key->rank > 1 && plan->pages->aligned && !plan->pages->masked ? variant_page_rows(text, key) : 1;
    bool near = false;
    for (int i = 0; i < text->function->param_count; i++) {
        near = near || key->args[i].pages.near;
        rows = key->args[i].pages.kind == PAGED_NUMBERED ? 1 : rows;
    }
    rows = near ? rows : 1;
    while (rows > 1 && (plan->pages->page[1] % rows || !ends_fit(plan, key, 1, rows))) {
        rows--;
    }
    key->pages.rows = (uint8_t)rows;
    for (int i = 0; rows > 1 && i < text->function->param_count; i++) {
        key->args[i].pages.kind = key->args[i].pages.kind == PAGED_WHOLE ? PAGED_STRIDED : key->args[i].pages.kind;
    }
}

/* Returns whether steps may be arbitrary parts of pages: all arguments are stored in the order of
 * the elements, and the kernel uses no positions. */
static bool pages_rowless(const Plan *plan, const KernelText *text, const VariantKey *key)
{
    bool rowless = key->pages.inside && !plan->kernel->body.uses_position && !plan->kernel->body.random &&
                   !text->function->group_rank;
    for (int i = 0; rowless && i < text->function->param_count; i++) {
        const ParamKindInfo *kind = launch_kind(text->function, i);
        bool used = kind->element && kind->stream && (kind->read || variant_stores(text->function, key, i));
        rowless = !used || key->args[i].pages.kind == PAGED_WHOLE || key->args[i].pages.kind == PAGED_NUMBERED;
    }
    return rowless;
}

static void page_texels(const Plan *plan, const KernelText *text, int i, VariantKey *key, bool loads)
{
    const Stream *s = plan->streams[i];
    ArgKey *arg = &key->args[i];
    int64_t bytes = key->pages.step * s->type->bytes;
    bool stores = variant_stores(text->function, key, i);
    if (loads && launch_kind(text->function, i)->read && bytes % 16 == 0 && page_units(s, 16, key->pages.rowless)) {
        arg->pages.texels |= PAGED_TEXEL_LOADS;
    }
    if (stores && bytes % 4 == 0 && page_units(s, bytes % 16 ? 4 : 16, key->pages.rowless)) {
        arg->pages.texels |= PAGED_TEXEL_STORES;
    }
    if (arg->pages.kind == PAGED_STRIDED && !s->map && !arg->pages.texels) {
        arg->pages.kind = PAGED_ANYWHERE; /* the address in a stream is cheap to compute */
    }
}

static void choose_pages(const Plan *plan, const KernelText *text, VariantKey *key)
{
    bool loads = !variant_formats_clash(text, key);
    key->pages.inside = pages_inside(plan);
    key->pages.masked = plan->pages->masked;
    key->pages.clipped = plan->pages->clipped;
    key->pages.unbounded = plan->pages->unbounded;
    key->pages.starts = plan->pages->starts && !key->pages.inside;
    for (int i = 0; i < text->function->param_count; i++) {
        if (launch_kind(text->function, i)->stream) {
            key->args[i].pages.kind = paged_kind(plan, text, i, key);
        }
    }
    key->pages.rowless = pages_rowless(plan, text, key);
    for (int i = 0; i < text->function->param_count; i++) {
        key->args[i].pages.near = is_near(plan, text, i, key);
        if (key->args[i].pages.near && (plan->replicated >> i & 1)) {
            key->args[i].container.replicas = REPLICAS_SOME;
        }
    }
    key->pages.step = (uint8_t)page_step(plan, text, key);
    choose_rows(plan, text, key);
    for (int i = 0; i < text->function->param_count; i++) {
        if (key->args[i].pages.kind != PAGED_ANYWHERE) {
            page_texels(plan, text, i, key, loads);
        }
        key->args[i].load =
            key->args[i].pages.near && page_units(plan->streams[i], 16, false) ? LOAD_STRIPS : LOAD_WORDS;
    }
}

/* Sets the key for pages with levels, whose elements are accessed one by one. */
static void choose_leaves(const Plan *plan, const KernelText *text, VariantKey *key)
{
    key->pages.starts = plan->pages->starts;
    key->pages.masked = plan->pages->masked;
    for (int i = 0; i < text->function->param_count; i++) {
        const ParamKindInfo *kind = launch_kind(text->function, i);
        bool used = kind->element && kind->stream && (kind->read || variant_stores(text->function, key, i));
        key->args[i].pages.kind = used && launch_numbered(plan, i) ? PAGED_NUMBERED : PAGED_ANYWHERE;
    }
}

/* Chooses the arguments that must be read through a storage block, since buffer textures are too short. */
static void choose_blocks(Plan *plan, const KernelText *text, VariantKey *key)
{
    const Function *f = text->function;
    for (int i = 0; i < f->param_count; i++) {
        const ParamKindInfo *kind = launch_kind(f, i);
        if (!path_buffered(key->args[i].path) || !kind->read || param_kinds[f->params[i].kind].anywhere) {
            continue;
        }
        bool flat = variant_texel_load(f, key, i);
        key->args[i].block = !buffer_texture_reaches(plan->device, flat ? TEXEL_VECTOR : TEXEL_WORD,
                                                     buffer_capacity(plan->streams[i]->buffer));
        if (key->args[i].block && key->args[i].load == LOAD_STRIPS) {
            key->args[i].load = LOAD_WORDS;
        }
    }
}

static bool stream_written(const Plan *plan, const Stream *s)
{
    const Function *f = &plan->kernel->function;
    for (int i = 0; i < f->param_count; i++) {
        if (launch_kind(f, i)->written && plan->streams[i]->buffer == s->buffer) {
            return true;
        }
    }
    return false;
}

/* Marks the arguments that are read through one storage block and written through a second: drivers may delay a read
 * from a readonly block until after the stores. */
static void choose_aliased(const Plan *plan, VariantKey *key)
{
    const Function *f = &plan->kernel->function;
    for (int i = 0; i < f->param_count; i++) {
        key->args[i].aliased = path_buffered(key->args[i].path) && launch_kind(f, i)->stream &&
                               launch_kind(f, i)->read &&
                               (key->args[i].block || !plan->traits->tuning[TUNING_BUFFER_TEXTURES]) &&
                               stream_written(plan, plan->streams[i]);
    }
}

/* Returns whether the kernel uses an index that counts from the origin of a larger domain. In a kernel that counts what
 * is pushed, the other outputs are not streams. */
static bool uses_origin(const Plan *plan)
{
    const Kernel *kernel = plan->kernel;
    bool used = kernel->body.uses_at;
    for (int i = 0; i < kernel->function.param_count; i++) {
        const ParamKindInfo *kind = launch_kind(&kernel->function, i);
        used = used || (kernel->body.use[i].index && (kind->along || !kind->stream));
    }
    return plan->placement && used;
}

void launch_key(Plan *plan, const KernelText *text, uint64_t outputs, VariantKey *key)
{
    const Function *f = &plan->kernel->function;
    memset(key, 0, offsetof(VariantKey, args) + (size_t)f->param_count * sizeof *key->args);
    key->rank = (uint8_t)plan->launch_shape.rank;
    key->check = plan->check;
    key->placed = uses_origin(plan);
    key->random = !plan->kernel->body.random              ? RANDOM_NONE
                  : plan->pages && plan->pages->unbounded ? RANDOM_UNBOUNDED
                  : plan->pages || plan->placement        ? RANDOM_STRIDED
                                                          : RANDOM_FLAT;
    key->active = plan->pages                   ? (plan->pages->levels ? ACTIVE_LEVELS : ACTIVE_PAGES)
                  : !plan->active               ? ACTIVE_NONE
                  : plan->active->length.buffer ? ACTIVE_DEVICE_COUNTED
                                                : ACTIVE_COUNTED;
    key->outputs = outputs;
    key->paired = variant_pairs(plan->traits);
    key->count = (uint8_t)f->param_count;
    for (int i = 0; i < f->param_count; i++) {
        if (launch_kind(f, i)->stream) {
            arg_key(plan, i, &key->args[i]);
        }
    }
    if (key->active == ACTIVE_LEVELS) {
        choose_leaves(plan, text, key);
    } else if (plan->pages) {
        choose_pages(plan, text, key);
    } else {
        choose_loads(plan, text, key);
        int elements = choose_stores(plan, text, key);
        bool rows = key->rank > 1 || variant_line_strips(text);
        key->rows = rows && elements > 1 && plan->launch_shape.size[plan->launch_shape.rank - 1] % elements == 0;
    }
    variant_whole(text, key);
    choose_blocks(plan, text, key);
    choose_aliased(plan, key);
}
