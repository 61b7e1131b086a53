#include "container/container_private.h"
#include "container/page/page_table.h"
#include "container/storage/texture_mipmap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* making */

/* Returns whether every address of the translator lies in memory. */
static bool contained(const TranslatorInfo *info, const Stream *memory)
{
    for (int d = 0; d < info->to; d++) {
        if (!info->memory.known || info->memory.size[d] > memory->shape.size[info->to - 1 - d]) {
            return false;
        }
    }
    return true;
}

static bool check_domain(const TranslatorInfo *info)
{
    const int64_t most = INT64_C(1) << 53;
    int64_t count = 1;
    for (int d = 0; d < info->rank && info->domain.known; d++) {
        if (info->domain.size[d] > most / count) {
            return error_set("the domain of translator '%s' has more than 2^53 elements", info->name);
        }
        count *= info->domain.size[d];
    }
    return true;
}

static bool check_memory(const Translator *t, const TranslatorInfo *info, const Stream *memory)
{
    char text[SHAPE_TEXT];
    if (memory->shape.rank != info->to) {
        return error_set("translator '%s' gives addresses of %d dimension%s, but the memory's shape is %s", info->name,
                         info->to, info->to == 1 ? "" : "s", shape_text(&memory->shape, text));
    }
    if (!memory->buffer || !memory->contiguous || !memory->writable || stream_elements(memory) == 0) {
        return error_set("expected memory of at least one element without gaps: rill.physical makes such memory");
    }
    if (translator_device(t) && translator_device(t) != memory->device) {
        return error_set("the translator's tables and the memory are on different devices");
    }
    return true;
}

Container *container_new(const ContainerKind *kind, Translator *t, const Stream *memory, const void *fallback)
{
    TranslatorInfo info = translator_info(t);
    if (!check_domain(&info) || !check_memory(t, &info, memory)) {
        return NULL;
    }
    Container *c = calloc(1, sizeof *c + kind->state_bytes);
    if (!c) {
        error_set("out of host memory");
        return NULL;
    }
    c->references = 1;
    c->kind = kind;
    c->state = c + 1;
    c->elements = &c->whole;
    c->checked = !contained(&info, memory);
    c->translator = translator_retain(t);
    container_map_set(c);
    stream_copy_view(memory, &c->memory);
    if (fallback) {
        memcpy(c->fallback, fallback, (size_t)memory->type->bytes);
    }
    container_set_whole(c);
    return c;
}

Container *container_retain(Container *c)
{
    c->references++;
    return c;
}

/* Snapshots may be closed after their container; they then hold nothing. */
static void orphan_snapshots(Container *c)
{
    while (c->newest) {
        Snapshot *s = c->newest;
        c->newest = s->older;
        c->kind->forget(s);
        s->owner = NULL;
        if (s->dropped) {
            free(s);
        }
    }
}

void container_release(Container *c)
{
    if (!c || --c->references > 0) {
        return;
    }
    region_release(c->active);
    free(c->query.boxes.items);
    container_map_forget(c);
    if (c->kind->destroy) {
        c->kind->destroy(c);
    }
    orphan_snapshots(c);
    translator_release(c->edge);
    translator_release(c->translator);
    stream_release(&c->memory);
    free(c);
}

/* properties */

const ContainerTraits *container_traits(const Container *c)
{
    return &c->kind->traits;
}

Container *container_page_owner(const Container *c)
{
    return c->kind->page_owner ? c->kind->page_owner(c) : (Container *)c;
}

Translator *container_translator(const Container *c)
{
    return c->translator;
}

bool container_set_edge(Container *c, Translator *edge)
{
    TranslatorInfo info = translator_info(edge);
    int rank = translator_info(c->translator).rank;
    if (info.rank != rank || info.to != rank) {
        return error_set("expected a boundary from %d dimension%s to as many, translator '%s' goes from %d to %d", rank,
                         rank == 1 ? "" : "s", info.name, info.rank, info.to);
    }
    if (info.domain.known || !container_bounded(c)) {
        return error_set(info.domain.known ? "expected a boundary for any point: translator '%s' has a shape"
                                           : "a domain without bounds has no outside: it takes no boundary '%s'",
                         info.name);
    }
    if (translator_device(edge) && translator_device(edge) != c->memory.device) {
        return error_set("the translators' tables are on different devices");
    }
    c->edge = translator_retain(edge);
    c->map.open = true;
    c->map.trusted = false;
    container_set_whole(c);
    return true;
}

Translator *container_edge(const Container *c)
{
    return c->edge;
}

const void *container_fallback(const Container *c)
{
    return c->fallback;
}

void container_set_fallback(Container *c, const void *fallback)
{
    memcpy(c->fallback, fallback, (size_t)c->memory.type->bytes);
    memcpy(container_page_owner(c)->fallback, fallback, (size_t)c->memory.type->bytes);
}

uint64_t container_version(const Container *c)
{
    static const uint64_t spread =
        UINT64_C(0x9E3779B97F4A7C15); /* 2^64 divided by the golden ratio, to spread the bits */
    uint64_t version = (uint64_t)(uintptr_t)c->memory.buffer;
    version = version * spread ^ translator_version(c->translator);
    return version * spread ^ (c->kind->version ? c->kind->version(c) : stream_version(&c->memory));
}

uint64_t container_table_bytes(const Translator *t)
{
    const Pages *pages = page_table_of_translator((Translator *)t);
    uint64_t bytes = pages ? page_table_pending_bytes(pages) : 0;
    for (int i = 0; i < TRANSLATOR_TABLES; i++) {
        bytes += (uint64_t)t->tables[i].count * sizeof *t->tables[i].words;
    }
    for (int i = 0; i < 2 && t->parts[i]; i++) {
        bytes += container_table_bytes(t->parts[i]);
    }
    return bytes;
}

uint64_t container_memory_bytes(const Container *c)
{
    return stream_bytes(&c->memory) + stream_texture_bytes(&c->memory) + container_table_bytes(c->translator);
}

uint64_t container_bytes(const Container *c)
{
    return c->kind->bytes ? c->kind->bytes(c) : container_memory_bytes(c);
}

bool container_pages(const Container *c, int64_t *mapped, int64_t *capacity, int64_t *free)
{
    c = container_page_owner(c);
    if (c->kind->pages) {
        return c->kind->pages(c, mapped, capacity, free);
    }
    const Translator *paged = container_paged_part(c);
    if (!paged) {
        return false;
    }
    TranslatorInfo info = translator_info(paged);
    int64_t fit = stream_elements(&c->memory) / info.page;
    *mapped = info.mapped;
    *capacity = info.capacity < fit ? info.capacity : fit;
    *free = *capacity - *mapped;
    return true;
}

int64_t container_most_pages(const Container *c)
{
    c = container_page_owner(c);
    const Translator *paged = container_paged_part(c);
    TranslatorInfo info = translator_info(paged);
    int64_t reach = SHAPE_MAX_ELEMENTS / info.page, mapped, capacity, free;
    int64_t most = container_pages(c, &mapped, &capacity, &free) && capacity < reach ? capacity : reach;
    if (info.domain.known && !info.levels) {
        int64_t all = 1, page[SHAPE_MAX_RANK];
        translator_page_sizes(paged, page);
        for (int d = 0; all < most && d < info.rank; d++) {
            all *= (info.domain.size[d] + page[d] - 1) / page[d]; /* at most 2^31 by 2^31 */
        }
        most = all < most ? all : most;
    }
    return most < reach ? most : 0;
}

/* elements */

Outcome container_locate(const Container *c, const int64_t *index, int64_t *number, void *caller)
{
    int rank = c->whole.shape.rank, to = c->memory.shape.rank;
    int64_t point[SHAPE_MAX_RANK], place[SHAPE_MAX_RANK];
    for (int d = 0; d < rank; d++) {
        point[d] = index[rank - 1 - d];
    }
    Outcome outcome = translator_point(c->translator, DIRECTION_TRANSLATE, point, place, caller);
    *number = 0;
    for (int d = to - 1; outcome == OUTCOME_FOUND && d >= 0; d--) {
        if (place[d] < 0 || place[d] >= c->sizes[d]) {
            return OUTCOME_UNMAPPED;
        }
        *number = *number * c->sizes[d] + place[d];
    }
    *number += c->memory.offset;
    return outcome;
}

bool container_wrote(Container *c, const int64_t *first, const int64_t *last)
{
    Stream box = container_box(c, first, last);
    return !c->map.wrote || c->map.wrote(&c->map, &box, NULL);
}

/* dispatch to the kind */

const char *container_refusal(const Container *c, ContainerOperation operation)
{
    static const char *const usual[CONTAINER_OPERATIONS] = {
        container_refuse(CONTAINER_APPEND, "this container is not a stack: rill.stack makes one"),
        container_refuse(CONTAINER_REFINE,
                         "the container's pages have no levels: rill.quadtree and rill.octree make such pages"),
        container_refuse(CONTAINER_WEIGH, "only the elements of adaptive containers, of float types, are weighted"),
    };
    const ContainerKind *kind = c->kind;
    bool offered = operation == CONTAINER_APPEND   ? kind->append != NULL
                   : operation == CONTAINER_REFINE ? kind->keeps_boundary
                   : operation == CONTAINER_WEIGH  ? kind->mipmap != NULL
                                                   : true;
    return kind->refusals[operation] ? kind->refusals[operation] : offered ? NULL : usual[operation];
}

const char *container_title(const Container *c)
{
    return c->kind->title ? c->kind->title : translator_info(c->translator).name;
}

bool container_located(const Container *c)
{
    return !c->kind->write_address;
}

bool container_keeps_boundary(const Container *c)
{
    return c->kind->keeps_boundary;
}

Container *container_like(const Container *c, const Type *type)
{
    return container_with_edge(c->kind->like(c, type), c->edge);
}

Container *container_copy(const Container *c)
{
    return container_with_edge(c->kind->copy(c), c->edge);
}

bool container_data_save(Container *c, ContainerData *data)
{
    *data = (ContainerData){.kind = c->kind->name, .type = c->memory.type};
    return c->kind->save(c, data);
}

bool container_allocate(Container *c, const int64_t *first, const int64_t *last)
{
    return c->kind->allocate(c, first, last, true);
}

bool container_free(Container *c, const int64_t *first, const int64_t *last)
{
    return c->kind->allocate(c, first, last, false);
}

bool container_allocate_points(Container *c, const Stream *points, bool *found)
{
    return c->kind->allocate_points(c, points, found, true);
}

bool container_free_points(Container *c, const Stream *points, bool *found)
{
    return c->kind->allocate_points(c, points, found, false);
}

static bool ready(Container *c, const ContainerPart *part)
{
    return !c->kind->ready || c->kind->ready(c, part);
}

bool container_ready(Container *c, const int64_t *first, const int64_t *last)
{
    return ready(c, &(ContainerPart){.first = first, .last = last});
}

bool container_ready_region(Container *c, const Region *region)
{
    return ready(c, &(ContainerPart){.region = region});
}

bool container_ready_mapped(Container *c)
{
    return ready(c, &(ContainerPart){NULL});
}

bool container_shares(const Container *c)
{
    return container_sharing(c);
}

bool container_fill(Container *c, const void *element, void *caller)
{
    return container_ready_mapped(c) && c->kind->fill(c, element, caller);
}

bool container_mipmap(Container *c, int how)
{
    return c->kind->mipmap ? c->kind->mipmap(c, how) : texture_mipmap(&c->whole);
}

void container_note(Container *c)
{
    if (c->kind->launch_begin) {
        c->kind->launch_begin(c);
    }
}

void container_settle(Container *c, bool stay)
{
    if (c->kind->launch_end) {
        c->kind->launch_end(c, stay);
    }
}

bool container_append(Container *c, const Stream *from)
{
    return c->kind->append(c, from);
}

bool container_append_region(Container *c, Container *from, const Region *region)
{
    return c->kind->append_region(c, from, region);
}

bool container_remove(Container *c, int64_t count, Stream *view)
{
    return c->kind->remove(c, count, view);
}

/* snapshots */

void container_link_snapshot(Container *c, Snapshot *s, bool shares)
{
    s->number = ++c->snapshots;
    s->shares = shares;
    s->older = c->newest;
    if (c->newest) {
        c->newest->newer = s;
    }
    c->newest = s;
    c->shares = shares;
}

Snapshot *container_snapshot(Container *c)
{
    Snapshot *s = calloc(1, sizeof *s + c->kind->snapshot_bytes);
    if (!s) {
        error_set("out of host memory");
        return NULL;
    }
    s->owner = c;
    s->state = s + 1;
    if (!c->kind->note(c, s)) {
        free(s);
        return NULL;
    }
    return s;
}

void snapshot_close(Snapshot *s)
{
    Container *c = s ? s->owner : NULL;
    if (c && c->kind->hand_over && !c->kind->hand_over(c, s)) {
        s->dropped = true;
        return;
    }
    if (c) {
        if (s->older) {
            s->older->newer = s->newer;
        }
        *(s->newer ? &s->newer->older : &c->newest) = s->older;
        c->shares = c->newest && c->newest->shares;
        c->kind->forget(s);
    }
    free(s);
}

bool snapshot_of(const Snapshot *s, const Container *c)
{
    return s->owner == c || error_set(s->owner ? "the snapshot is of another container" : "its container was closed");
}

Region *container_diff(Container *c, const Snapshot *s)
{
    return snapshot_of(s, c) ? c->kind->diff(c, s) : NULL;
}

bool container_undo(Container *c, Snapshot *s)
{
    return snapshot_of(s, c) && c->kind->undo(c, s);
}

Container *container_with_edge(Container *c, Translator *edge)
{
    if (!c || !edge || container_set_edge(c, edge)) {
        return c;
    }
    container_release(c);
    return NULL;
}

Container *container_with_texture(Container *c, const TextureWish *wish)
{
    if (!c || !wish || stream_texture_attach(container_whole(c), wish)) {
        return c;
    }
    container_release(c);
    return NULL;
}
