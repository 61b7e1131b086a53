/* Pages of a bounded domain with a halo. */
#include "container/pool/halo.h"

#include "container/kind/data.h"
#include "container/kind/kinds.h"
#include "container/kind/pool_entries.h"

#include "gpu/memory/buffer.h"

#include <string.h>

/* Completes a new container with the state of the halo. NULL: it does not exist. */
static Container *make(Container *c)
{
    if (c && !halo_create(c)) {
        container_release(c);
        return NULL;
    }
    return c;
}

Container *halo_container(Translator *t, Device *device, const Type *type, const void *fallback)
{
    return make(page_pool_create(&container_kind_halo, t, device, type, 0, fallback));
}

static Container *like(const Container *c, const Type *type)
{
    return make(page_pool_like(c, type));
}

static Container *copy(const Container *c)
{
    return make(page_pool_copy(c));
}

static void destroy(Container *c)
{
    halo_free(c);
    page_pool_destroy(c);
}

static uint64_t bytes(const Container *c)
{
    return page_pool_bytes(c) + halo_bytes(c);
}

/* in files, without the halo, which is computed again */

/* Reads the mapped elements. */
static bool read_line(Container *c, const ContainerData *data)
{
    Stream line;
    uint64_t size = (uint64_t)data->type->bytes;
    if (data->element_count == 1) {
        return true;
    }
    if (!container_pack(c, &c->whole, NULL, &line)) {
        return false;
    }
    bool done =
        buffer_read(line.buffer, (uint64_t)line.offset * size, (char *)data->elements + size, stream_bytes(&line));
    stream_release(&line);
    return done;
}

static bool save(Container *c, ContainerData *data)
{
    PageList list = {0};
    bool done = data_save_pages(c, data, &list);
    const Region *region = done ? container_active(c) : NULL;
    done = region && data_reserve_pages(c, data, &list, 1, region->set.elements);
    if (done) {
        data->numbers[0] = translator_info(c->translator).overlap;
        done = read_line(c, data);
    }
    page_list_free(&list);
    return done;
}

/* Writes the mapped elements. */
static bool write_line(Container *c, const ContainerData *data)
{
    Stream line;
    const Region *region = container_active(c);
    if (!region || region->set.elements != data->element_count - 1) {
        return region && data_wrong();
    }
    if (region->set.elements == 0) {
        return true;
    }
    if (!stream_create(c->memory.device, data->type, &(Shape){1, {region->set.elements}}, false, &line)) {
        return false;
    }
    bool done = buffer_write(line.buffer, 0, (const char *)data->elements + data->type->bytes, stream_bytes(&line)) &&
                container_pack_take(c, &line);
    stream_release(&line);
    return done;
}

static Container *load(Device *device, const ContainerData *data)
{
    ContainerData pages = *data; /* the number before the pages is the overlap */
    pages.numbers++;
    pages.number_count--;
    if (data->number_count < 1 || data->numbers[0] < 1 || !data_pages_agree(&pages, -1, true)) {
        return data_damaged();
    }
    Container *c =
        halo_container(data_page_translator(device, &pages, data->numbers[0]), device, data->type, data->elements);
    if (!data_map_pages(c, &pages) || !write_line(c, &pages)) {
        container_release(c);
        return NULL;
    }
    return c;
}

const ContainerKind container_kind_halo = {
    .name = "overlap",
    .traits = POOL_TRAITS,
    POOL_ENTRIES,
    .state_bytes = sizeof(HaloPool),
    .destroy = destroy,
    .like = like,
    .copy = copy,
    .bytes = bytes,
    .version = halo_version,
    .pages_changed = halo_changed,
    .memory_replaced = halo_moved,
    .save = save,
    .load = load,
};
