/* Pages of a domain without bounds, found by a hash table. */
#include "container/kind/data.h"
#include "container/kind/kinds.h"
#include "container/kind/pool_entries.h"
#include "container/translator/translators.h"

Container *container_hashgrid(Device *device, const Type *type, const Shape *page, int64_t capacity,
                              const void *fallback)
{
    return page_pool_create(&container_kind_hash, translator_hash(device, page, capacity), device, type, 0, fallback);
}

static Container *load(Device *device, const ContainerData *data)
{
    if (!data_pages_agree(data, data->number_count, false)) {
        return data_damaged();
    }
    return data_fill_pages(container_hashgrid(device, data->type, &data->page, data->capacity, data->elements), data);
}

const ContainerKind container_kind_hash = {
    .name = "hashgrid",
    .traits = POOL_TRAITS,
    POOL_ENTRIES,
    .state_bytes = sizeof(Pool),
    .destroy = page_pool_destroy,
    .like = page_pool_like,
    .copy = page_pool_copy,
    .bytes = page_pool_bytes,
    .save = data_save_sparse,
    .load = load,
};
