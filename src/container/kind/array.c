/* Arrays: all elements are in memory that the array owns. */
#include "container/kind/data.h"
#include "container/kind/kinds.h"
#include "container/kind/memory.h"
#include "container/snapshot/snapshot_private.h"
#include "container/translator/translators.h"

#include <string.h>

Container *container_array(Device *device, const Type *type, const Shape *shape)
{
    Stream memory;
    Translator *t = translator_linear(shape);
    Container *c = NULL;
    if (t && stream_create(device, type, &(Shape){1, {shape_elements(shape)}}, true, &memory)) {
        c = container_new(&container_kind_array, t, &memory, NULL);
        stream_release(&memory);
    }
    translator_release(t);
    return c;
}

/* in files */

enum { TEXTURE_NUMBERS = 5 };

static bool save(Container *c, ContainerData *data)
{
    const TextureForm *form = stream_texture(&c->whole);
    data->size = c->whole.shape;
    data->element_count = stream_elements(&c->whole);
    data->number_count = form ? TEXTURE_NUMBERS : 0;
    if (!data_reserve(data)) {
        return false;
    }
    if (form) {
        const int32_t numbers[TEXTURE_NUMBERS] = {form->linear, form->normalized, form->cube, form->levels,
                                                  texture_internal_code(form->internal)};
        memcpy(data->numbers, numbers, sizeof numbers);
    }
    return data_read_memory(c, data);
}

/* Attaches the texture, and computes its coarser levels again. */
static Container *add_texture(Container *c, const ContainerData *data)
{
    const int32_t *n = data->numbers;
    bool known = data->number_count == TEXTURE_NUMBERS && (n[0] | n[1] | n[2] | 1) == 1 && n[3] > 0;
    TextureWish wish = {0};
    if (!c || data->number_count == 0) {
        return c;
    }
    if (known) {
        wish = (TextureWish){n[0], n[1], n[2], n[3], texture_find_code(n[4])};
    }
    bool done = known && wish.internal >= 0 ? stream_texture_attach(&c->whole, &wish) : data_wrong();
    if (!done || (wish.levels > 1 && !container_mipmap(c, 0))) {
        container_release(c);
        return NULL;
    }
    return c;
}

static Container *load(Device *device, const ContainerData *data)
{
    if (data_elements(&data->size) != data->element_count) {
        return data_damaged();
    }
    return add_texture(data_write_memory(container_array(device, data->type, &data->size), data), data);
}

const ContainerKind container_kind_array = {
    .name = "array",
    .traits = {.owns_memory = true, .total = true},
    .snapshot_bytes = sizeof(MemorySnapshot),
    .like = memory_like,
    .copy = memory_copy,
    .save = save,
    .load = load,
    .ready = snapshot_memory_ready,
    .fill = memory_fill,
    .note = snapshot_memory_note,
    .forget = snapshot_memory_forget,
    .diff = snapshot_memory_diff,
    .undo = snapshot_memory_undo,
};
