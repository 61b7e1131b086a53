#include "container/container_private.h"
#include "container/page/page_table.h"

#include "container/translator/translator_kind.h"
#include "kernel/launch/copy.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* making */

/* Whether the translator gives no place outside of memory. */
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
        return error_set("translator '%s' gives addresses of %d dimension%s, the memory's shape is %s", info->name,
                         info->to, info->to == 1 ? "" : "s", shape_text(&memory->shape, text));
    }
    if (!memory->buffer || !memory->contiguous || !memory->writable || stream_elements(memory) == 0) {
        return error_set("expected memory whose elements lie side by side, one at least: rill.physical makes it");
    }
    if (translator_device(t) && translator_device(t) != memory->device) {
        return error_set("the translator's tables and the memory are on different devices");
    }
    return true;
}

/* Without bounds what is mapped is known by the pages alone. */
static bool check_unbounded(const TranslatorInfo *info, const Stream *memory)
{
    if (!info->pages) {
        return error_set("the domain of translator '%s' has no bounds: expected one with a shape, or a hash",
                         info->name);
    }
    return stream_elements(memory) % info->page == 0 ||
           error_set("expected memory of whole pages: those of translator '%s' have %" PRId64 " elements, the memory "
                     "%" PRId64,
                     info->name, info->page, stream_elements(memory));
}

Container *container_create(Translator *t, const Stream *memory, const void *fallback)
{
    TranslatorInfo info = translator_info(t);
    if (!info.domain.known && !check_unbounded(&info, memory)) {
        return NULL;
    }
    return container_over(t, memory, fallback);
}

Container *container_over(Translator *t, const Stream *memory, const void *fallback)
{
    TranslatorInfo info = translator_info(t);
    if (!check_domain(&info) || !check_memory(t, &info, memory)) {
        return NULL;
    }
    Container *c = calloc(1, sizeof *c);
    if (!c) {
        error_set("out of host memory");
        return NULL;
    }
    c->references = 1;
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

void container_release(Container *c)
{
    if (!c || --c->references > 0) {
        return;
    }
    region_release(c->active);
    free(c->asked.items);
    container_map_forget(c);
    /* Without snapshots the pages that are mapped hold all frames that are in use. */
    int64_t known = c->newest                                      ? c->frames.used - (int64_t)c->frames.freed.count
                    : c->pooled || (c->kind && c->frames.used > 0) ? translator_info(c->translator).mapped
                                                                   : 0;
    if (c->kind) {
        c->kind->destroy(c);
    }
    snapshot_orphan(c);
    container_release(c->pages);
    halo_free(c);
    free_list_free(&c->free_list);
    translator_release(c->edge);
    translator_release(c->translator);
    stream_release(&c->memory);
    frames_free(&c->frames, known);
    if (c->allocator.drop) {
        c->allocator.drop(c->allocator.self);
    }
    free(c);
}

/* what there is to know */

Translator *container_translator(const Container *c)
{
    return c->translator;
}

void *container_hooks(const Container *c, int i)
{
    const AllocatorHooks *allocator = &(c->pages ? c->pages : c)->allocator;
    int own = allocator->choose ? 1 : 0;
    int edge = 0;
    void *found = i < own ? allocator->self : translator_hooks(c->translator, i - own);
    while (!found && c->edge && i >= own && translator_hooks(c->translator, edge)) {
        edge++; /* so many are the translator's */
    }
    return found || !c->edge ? found : translator_hooks(c->edge, i - own - edge);
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

const Translator *container_edge(const Container *c)
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
    if (c->pages) {
        container_set_fallback(c->pages, fallback);
    }
}

uint64_t container_version(const Container *c)
{
    static const uint64_t spread = UINT64_C(0x9E3779B97F4A7C15); /* 2^64 by the golden ratio: few numbers meet */
    uint64_t version = (uint64_t)(uintptr_t)c->memory.buffer;
    version = version * spread ^ translator_version(c->translator);
    version = version * spread ^ (stream_version(&c->memory) - halo_writes(c));
    return version * spread ^ (uint64_t)c->count;
}

static uint64_t table_bytes(const Translator *t)
{
    const Pages *pages = page_table_of_translator((Translator *)t);
    uint64_t bytes = pages ? page_table_news_bytes(pages) : 0;
    for (int i = 0; i < TRANSLATOR_TABLES; i++) {
        bytes += (uint64_t)t->tables[i].count * sizeof *t->tables[i].words;
    }
    for (int i = 0; i < 2 && t->parts[i]; i++) {
        bytes += table_bytes(t->parts[i]);
    }
    return bytes;
}

uint64_t container_bytes(const Container *c)
{
    if (c->pages) {
        return container_bytes(c->pages) + table_bytes(c->translator->parts[0]);
    }
    return stream_bytes(&c->memory) + stream_texture_bytes(&c->memory) + table_bytes(c->translator) + halo_bytes(c) +
           free_list_bytes(&c->free_list);
}

bool container_pages(const Container *c, int64_t *mapped, int64_t *capacity, int64_t *free)
{
    if (c->pages) {
        return container_pages(c->pages, mapped, capacity, free);
    }
    const Translator *paged = container_paged_part(c);
    if (!paged) {
        return false;
    }
    TranslatorInfo info = translator_info(paged);
    int64_t room = stream_elements(&c->memory) / info.page;
    *mapped = info.mapped;
    *capacity = c->pooled || c->kind || info.capacity < room ? info.capacity : room;
    *free = c->pooled ? page_pool_room(c) : *capacity - *mapped;
    return true;
}

int64_t container_most_pages(const Container *c)
{
    if (c->pages) {
        return container_most_pages(c->pages);
    }
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
            return OUTCOME_NOWHERE;
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

/* The mapped ranges of a box. */
static bool find_ranges(const Container *c, const int64_t *first, const int64_t *last, RangeList *list, void *caller)
{
    int rank = c->whole.shape.rank;
    int64_t from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK];
    for (int d = 0; d < rank; d++) {
        from[d] = first[rank - 1 - d];
        to[d] = last[rank - 1 - d] - 1;
    }
    return translator_ranges(c->translator, from, to, list, caller);
}

/* How many addresses of a range have their places in memory; -1 with error_set. */
static int64_t range_reached(const Container *c, const RangeList *list, const Range *range)
{
    RangeList part = {.rank = list->rank, .to = list->to};
    int64_t number, count = 0, places = container_places(c, list, range, &number);
    if (range->level == 0) {
        return places;
    }
    bool done = places == 0 || range_add_part(&part, range, 0, places, range->at);
    for (size_t i = 0; done && i < part.count; i++) {
        count += range_addresses(&part, &part.items[i]);
    }
    range_list_free(&part);
    return done ? count : -1;
}

bool container_count(const Container *c, const int64_t *first, const int64_t *last, int64_t *count, void *caller)
{
    RangeList list = {0};
    Stream box = container_box(c, first, last);
    *count = stream_elements(&box);
    if (c->kind || c->map.complete || c->full) {
        return true;
    }
    bool done = find_ranges(c, first, last, &list, caller);
    *count = 0;
    for (size_t i = 0; done && i < list.count; i++) {
        int64_t reached = range_reached(c, &list, &list.items[i]);
        done = reached >= 0;
        *count += reached;
    }
    range_list_free(&list);
    return done;
}

/* The pages by which a box is copied: all that is mapped, where it is all there is; NULL: element by element. */
static const Region *pages_of_box(Container *c, const Stream *box)
{
    bool whole =
        c->whole.map && container_paged(c) && container_bounded(c) && shape_equal(&box->shape, &c->whole.shape);
    return whole ? container_active(c) : NULL;
}

bool container_dense(Container *c, const int64_t *first, const int64_t *last, Stream *result)
{
    Stream box = container_box(c, first, last);
    const Region *region = pages_of_box(c, &box);
    if (!region) {
        return copy_new(&box, NULL, result);
    }
    Domain domain = {.shape = box.shape, .pages = &region->set};
    if (!stream_create(box.device, box.type, &box.shape, false, result)) {
        return false;
    }
    bool done = (region->whole || copy_fill(result, c->fallback)) && copy_over(result, &box, &domain);
    if (!done) {
        stream_release(result);
    }
    return done;
}

bool container_write(Container *c, const int64_t *first, const Stream *from)
{
    int64_t last[SHAPE_MAX_RANK];
    for (int d = 0; d < from->shape.rank; d++) {
        last[d] = first[d] + from->shape.size[d];
    }
    Stream box = container_box(c, first, last);
    const Region *region = pages_of_box(c, &box);
    Domain domain = {.shape = box.shape, .pages = region ? &region->set : NULL};
    return region && type_same_layout(box.type, from->type) && from->source == SOURCE_BUFFER && !from->map
               ? copy_over(&box, from, &domain)
               : copy_stream(&box, from);
}

/* By the ranges, side by side ones at once. */
static bool fill_ranges(const Container *c, const void *element, void *caller)
{
    int64_t first[SHAPE_MAX_RANK], last[SHAPE_MAX_RANK];
    RangeList list = {0};
    container_bounds(c, first, last);
    bool done = translator_ranges(c->translator, first, last, &list, caller);
    for (size_t i = 0; done && i < list.count;) {
        Stream run;
        int64_t number, next, count = container_places(c, &list, &list.items[i++], &number);
        while (i < list.count) {
            int64_t more = container_places(c, &list, &list.items[i], &next);
            if (next != number + count) {
                break;
            }
            count += more;
            i++;
        }
        if (count > 0) {
            done = stream_over(c->memory.buffer, c->memory.type, &(Shape){1, {count}}, c->memory.offset + number, &run);
            done = done && copy_fill(&run, element);
            stream_release(&run);
        }
    }
    range_list_free(&list);
    return done;
}

bool container_fill(Container *c, const void *element, void *caller)
{
    PageList list = {0};
    if (c->pages) {
        return c->mapping->follow(c, container_fill(c->pages, element, caller));
    }
    if (!container_ready_mapped(c)) {
        return false;
    }
    if (c->kind) {
        return c->kind->fill(c, element);
    }
    if (!translator_info(c->translator).pages) { /* the device asks for each element */
        Stream whole = *container_elements(c);
        return copy_fill(&whole, element);
    }
    if (!c->pooled) {
        return fill_ranges(c, element, caller);
    }
    bool done = container_mapped(c, &list) && page_pool_fill_list(c, &list, element);
    page_list_free(&list);
    return done;
}
