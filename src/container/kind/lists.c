/* Grids of lists: the entries of all lists are stored one after the other. */
#include "container/kind/data.h"
#include "container/kind/kinds.h"
#include "container/kind/memory.h"
#include "container/snapshot/snapshot_private.h"
#include "container/translator/translator_kind.h"
#include "container/translator/translators.h"

#include <string.h>

typedef struct Lists {
    int64_t count;  /* entries of all lists */
    Stream entries; /* their header, which holds no reference */
} Lists;

static Lists *lists_of(const Container *c)
{
    return c->state;
}

/* The translator's domain has at least one entry for the longest list, also if all lists are empty. */
static void header(Container *c)
{
    Lists *lists = lists_of(c);
    if (lists->count == 0) {
        c->whole.shape.size[c->whole.shape.rank - 1] = 0;
    }
    lists->entries = c->memory;
    lists->entries.shape.size[0] = lists->count;
    c->elements = &lists->entries;
}

/* Completes a new container with the number of entries. NULL: it does not exist. */
static Container *make(Container *c, int64_t count)
{
    if (c) {
        c->map.rows = true;
        lists_of(c)->count = count;
        container_set_whole(c);
    }
    return c;
}

Container *container_lists(Translator *t, const Stream *entries)
{
    Stream one;
    int64_t count = stream_elements(entries);
    const Shape shape = {1, {1}};
    Container *c = NULL;
    if (count > 0) {
        c = container_new(&container_kind_lists, t, entries, NULL);
    } else if (stream_create(entries->device, entries->type, &shape, true,
                             &one)) { /* memory has at least one element */
        c = container_new(&container_kind_lists, t, &one, NULL);
        stream_release(&one);
    }
    return make(c, count);
}

static Container *like(const Container *c, const Type *type)
{
    return make(memory_like(c, type), lists_of(c)->count);
}

static Container *copy(const Container *c)
{
    return make(memory_copy(c), lists_of(c)->count);
}

/* in files */
static bool save(Container *c, ContainerData *data)
{
    const Shape *whole = &c->whole.shape; /* the longest list follows the grid's sizes */
    data->size = *whole;
    data->size.rank = whole->rank - 1;
    data->element_count = lists_of(c)->count;
    data->number_count = shape_elements(&data->size) + 1;
    if (!data_reserve(data)) {
        return false;
    }
    memcpy(data->numbers, c->translator->tables[0].words, (size_t)data->number_count * sizeof *data->numbers);
    return data_read_memory(c, data);
}

static bool offsets_agree(const ContainerData *data)
{
    int64_t cells = data_elements(&data->size);
    bool agree =
        cells > 0 && data->size.rank < SHAPE_MAX_RANK && data->number_count == cells + 1 && data->numbers[0] == 0;
    for (int64_t i = 0; agree && i < cells; i++) {
        agree = data->numbers[i] <= data->numbers[i + 1];
    }
    return agree && data->numbers[cells] == data->element_count;
}

static Container *load(Device *device, const ContainerData *data)
{
    Stream entries;
    if (!offsets_agree(data)) {
        return data_damaged();
    }
    Translator *t = translator_lists(device, &data->size, data->numbers);
    Container *c = NULL;
    if (t && stream_create(device, data->type, &(Shape){1, {data->element_count}}, true, &entries)) {
        c = container_lists(t, &entries);
        stream_release(&entries);
    }
    translator_release(t);
    return data_write_memory(c, data);
}

const ContainerKind container_kind_lists = {
    .name = "lists",
    .refusals = {container_refuse(CONTAINER_ALLOCATE, "the lengths of lists cannot be changed: create new lists"),
                 container_refuse(CONTAINER_NEIGHBORS,
                                  "entries of lists have no neighbors: c:each visits the entries")},
    .state_bytes = sizeof(Lists),
    .snapshot_bytes = sizeof(MemorySnapshot),
    .like = like,
    .copy = copy,
    .save = save,
    .load = load,
    .header = header,
    .ready = snapshot_memory_ready,
    .fill = memory_fill,
    .note = snapshot_memory_note,
    .forget = snapshot_memory_forget,
    .diff = snapshot_memory_diff,
    .undo = snapshot_memory_undo,
};
