/* Saves and loads containers with page tables. */
#include "container/kind/data.h"
#include "container/page/paged.h"
#include "container/pool/page_pool.h"
#include "container/translator/translators.h"

#include "gpu/memory/buffer.h"

#include <string.h>

/* Reads the frames of a list, consecutive frames at once. */
static bool read_frames(const Container *c, const PageList *list, char *to)
{
    uint64_t page = (uint64_t)translator_info(c->translator).page * (uint64_t)c->memory.type->bytes;
    bool done = true;
    for (size_t i = 0; done && i < list->count;) {
        size_t first = i++;
        while (i < list->count && list->items[i].frame == list->items[i - 1].frame + 1) {
            i++;
        }
        done = buffer_read(c->memory.buffer,
                           (uint64_t)c->memory.offset * (uint64_t)c->memory.type->bytes +
                               (uint64_t)list->items[first].frame * page,
                           to + first * page, (i - first) * page);
    }
    return done;
}

bool data_save_pages(Container *c, ContainerData *data, PageList *list)
{
    TranslatorInfo info = translator_info(c->translator);
    int64_t page[SHAPE_MAX_RANK];
    translator_page_sizes(c->translator, page);
    data->size = c->whole.shape;
    data->page.rank = info.rank;
    for (int d = 0; d < info.rank; d++) {
        data->page.size[info.rank - 1 - d] = page[d];
    }
    data->levels = container_bounded(c) ? translator_table_levels(c->translator) : 0;
    data->capacity = info.capacity;
    bool done = container_mapped(c, list);
    container_drop_outside(c, list);
    return done;
}

bool data_reserve_pages(Container *c, ContainerData *data, const PageList *list, int64_t numbers, int64_t elements)
{
    size_t rank = (size_t)c->whole.shape.rank;
    data->number_count = numbers + (int64_t)(list->count * rank);
    data->element_count = 1 + elements;
    if (!data_reserve(data)) {
        return false;
    }
    for (size_t i = 0; i < list->count; i++) {
        memcpy(data->numbers + (size_t)numbers + i * rank, list->items[i].page, rank * sizeof *data->numbers);
    }
    memcpy(data->elements, c->fallback, (size_t)data->type->bytes);
    return true;
}

bool data_save_sparse(Container *c, ContainerData *data)
{
    PageList list = {0};
    bool done = data_save_pages(c, data, &list) &&
                data_reserve_pages(c, data, &list, 0, (int64_t)list.count * translator_info(c->translator).page) &&
                read_frames(c, &list, (char *)data->elements + data->type->bytes);
    page_list_free(&list);
    return done;
}

/* Lists the pages of the data. False with error_set if they cannot exist. */
static bool list_pages(const Container *c, const ContainerData *data, PageList *list)
{
    TranslatorInfo info = translator_info(c->translator);
    int64_t pages = data->number_count / info.rank, first[SHAPE_MAX_RANK], last[SHAPE_MAX_RANK];
    container_bounds(c, first, last);
    PageBox all = paged_box(c->translator, first, last);
    bool agree = pages * info.rank == data->number_count && pages <= info.capacity;
    for (int64_t i = 0; agree && i < pages; i++) {
        int64_t page[SHAPE_MAX_RANK] = {0};
        for (int d = 0; d < info.rank; d++) {
            page[d] = data->numbers[i * info.rank + d];
            agree = agree && page[d] >= all.first[d] && page[d] <= all.last[d];
        }
        if (!page_list_add(list, info.rank, page, NO_FRAME)) {
            return false;
        }
    }
    page_list_unique(list, NULL, NULL); /* pages must be in address order */
    return (agree && (int64_t)list->count == pages) || data_wrong();
}

bool data_map_pages(Container *c, const ContainerData *data)
{
    PageList list = {0};
    bool done = c && list_pages(c, data, &list) && page_changes_map(c, &list, (int64_t)list.count);
    page_list_free(&list);
    return done;
}

Container *data_fill_pages(Container *c, const ContainerData *data)
{
    int64_t bytes = data->type->bytes;
    bool done = data_map_pages(c, data) &&
                (data->element_count == 1 || buffer_write(c->memory.buffer, 0, (const char *)data->elements + bytes,
                                                          (uint64_t)((data->element_count - 1) * bytes)));
    if (!done) {
        container_release(c);
        return NULL;
    }
    return c;
}

bool data_pages_agree(const ContainerData *data, int64_t numbers, bool bounded)
{
    int64_t page = 1, pages = numbers / data->size.rank;
    bool agree = data->capacity >= 1 && data->element_count >= 1; /* the first element is the default */
    for (int d = 0; agree && d < data->size.rank; d++) {
        agree = (bounded ? data->size.size[d] >= 1 : data->size.size[d] == 0) && data->page.size[d] >= 1 &&
                data->page.size[d] <= SHAPE_MAX_ELEMENTS / page;
        page *= agree ? data->page.size[d] : 1;
    }
    return agree && (numbers < 0 || data->element_count == 1 + pages * page);
}

Translator *data_page_translator(Device *device, const ContainerData *data, int64_t overlap)
{
    enum { MOST_LEVELS = 8 };
    if (data->levels < 1 || data->levels > MOST_LEVELS) {
        data_wrong();
        return NULL;
    }
    /* More levels than the default are permitted, but fewer would make a large table. */
    Translator *t = translator_pages_overlapping(device, &data->size, &data->page, overlap, 0, data->capacity);
    if (t && translator_table_levels(t) < data->levels) {
        translator_release(t);
        t = translator_pages_overlapping(device, &data->size, &data->page, overlap, data->levels, data->capacity);
    }
    return t;
}
