/* Containers of any translator over memory of the caller, which others may write, too. */
#include "container/kind/data.h"
#include "container/kind/kinds.h"
#include "container/kind/memory.h"
#include "container/kind/pool_entries.h"
#include "container/page/paged.h"
#include "container/translator/range.h"

#include "gpu/memory/buffer.h"
#include "kernel/launch/copy.h"

#include <inttypes.h>
#include <stdlib.h>

/* Without bounds only a translator with pages knows its mapped elements. */
static bool check_unbounded(const TranslatorInfo *info, const Stream *memory)
{
    if (!info->pages) {
        return error_set("the domain of translator '%s' has no bounds: expected one with a shape, or a hash",
                         info->name);
    }
    return stream_elements(memory) % info->page == 0 ||
           error_set("expected memory of whole pages: a page of translator '%s' has %" PRId64
                     " elements, the memory has %" PRId64,
                     info->name, info->page, stream_elements(memory));
}

Container *container_create(Translator *t, const Stream *memory, const void *fallback)
{
    TranslatorInfo info = translator_info(t);
    if (!info.domain.known && !check_unbounded(&info, memory)) {
        return NULL;
    }
    return container_new(&container_kind_view, t, memory, fallback);
}

/* Creates a new page table, since others may map pages in this one. */
static Container *like(const Container *c, const Type *type)
{
    return container_paged(c) ? paged_container(translator_paged_empty(c->translator, 0), c->memory.device, type, NULL)
                              : memory_like(c, type);
}

/* pages of a table, mapped to the first free frames of memory */

/* Finds the first frames in memory that hold no page. */
static bool borrow_frames(const Container *c, PageList *list, int64_t requested)
{
    TranslatorInfo info = translator_info(c->translator);
    int64_t frames = page_pool_frames(c), room = frames < info.capacity ? frames : info.capacity, free_frames = room,
            next = 0;
    PageList mapped = {0};
    char *used = calloc((size_t)room + 1, 1);
    bool done = used ? container_mapped(c, &mapped) : error_set("out of host memory");
    for (size_t i = 0; done && i < mapped.count; i++) {
        bool there = mapped.items[i].frame < room;
        used[there ? mapped.items[i].frame : room] = 1;
        free_frames -= there;
    }
    page_list_free(&mapped);
    if (done && (int64_t)list->count > free_frames) {
        done = error_set("it takes %" PRId64 " page%s, of which %" PRId64 " are mapped and %" PRId64
                         " free: memory has room for %" PRId64,
                         requested, requested == 1 ? "" : "s", requested - (int64_t)list->count, free_frames, room);
    }
    for (size_t i = 0; done && i < list->count; i++) {
        while (used[next]) {
            next++;
        }
        list->items[i].frame = (int32_t)next++;
    }
    free(used);
    return done;
}

static bool map(Container *c, PageList *list, int64_t requested)
{
    return borrow_frames(c, list, requested) && page_pool_fill_list(c, list, c->fallback) &&
           paged_swap(c->translator, list);
}

static bool unmap(Container *c, PageList *list)
{
    page_list_set_frames(list, NO_FRAME);
    return paged_swap(c->translator, list);
}

/* elements */

/* Fills ranges, adjacent ones at once. */
static bool fill_ranges(Container *c, const void *element, void *caller)
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

/* For a translator without pages, the device translates each element. */
static bool fill(Container *c, const void *element, void *caller)
{
    return (translator_info(c->translator).pages ? fill_ranges : memory_fill)(c, element, caller);
}

/* in files: as containers of other kinds */

static bool take_complete(Container *c, ContainerData *data)
{
    Stream dense;
    data->size = c->whole.shape;
    data->element_count = shape_elements(&c->whole.shape);
    if (!copy_new(&c->whole, NULL, &dense)) {
        return false;
    }
    bool done = data_reserve(data) && buffer_read(dense.buffer, 0, data->elements, stream_bytes(&dense));
    stream_release(&dense);
    return done;
}

static bool save(Container *c, ContainerData *data)
{
    if (container_paged(c) && !container_queries(c) && container_bounded(c)) {
        data->kind = container_kind_paged.name;
        return data_save_sparse(c, data);
    }
    if (container_complete(c)) {
        data->kind = container_kind_array.name;
        return take_complete(c, data);
    }
    return error_set("a partly mapped container without pages of one size cannot be saved: save c:stream(), or its "
                     "translator's data and its memory");
}

const ContainerKind container_kind_view = {
    .name = "view",
    .traits = {.queried = true, .contiguous = true},
    .snapshot_bytes = sizeof(CopySnapshot),
    .like = like,
    .copy = memory_copy,
    .save = save,
    .map = map,
    .unmap = unmap,
    .allocate = page_changes_box,
    .allocate_points = page_changes_points,
    .fill = fill,
    .note = snapshot_copy_note,
    .forget = snapshot_copy_forget,
    .diff = snapshot_copy_diff,
    .undo = snapshot_copy_undo,
};
