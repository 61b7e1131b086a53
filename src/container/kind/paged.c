/* Pages of a bounded domain, found by a page table. */
#include "container/kind/data.h"
#include "container/kind/kinds.h"
#include "container/kind/pool_entries.h"
#include "container/translator/translators.h"

Container *paged_container(Translator *t, Device *device, const Type *type, const void *fallback)
{
    if (t && translator_info(t).overlap > 0) {
        return halo_container(t, device, type, fallback);
    }
    bool bounded = t && translator_info(t).domain.known;
    return page_pool_create(bounded ? &container_kind_paged : &container_kind_hash, t, device, type, 0, fallback);
}

Container *container_sparse(Device *device, const Type *type, const Shape *shape, const Shape *page, int64_t overlap,
                            int levels, int64_t capacity, const void *fallback)
{
    return paged_container(translator_pages_overlapping(device, shape, page, overlap, levels, capacity), device, type,
                           fallback);
}

static Container *load(Device *device, const ContainerData *data)
{
    if (!data_pages_agree(data, data->number_count, true)) {
        return data_damaged();
    }
    return data_fill_pages(paged_container(data_page_translator(device, data, 0), device, data->type, data->elements),
                           data);
}

const ContainerKind container_kind_paged = {
    .name = "sparse",
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
