#include "container/kind/data.h"

#include "gpu/memory/buffer.h"

#include <stdlib.h>

bool data_wrong(void)
{
    return error_set("the data of the container in the file are inconsistent: the file is damaged");
}

Container *data_damaged(void)
{
    data_wrong();
    return NULL;
}

bool data_reserve(ContainerData *data)
{
    data->elements = malloc((size_t)data->element_count * (size_t)data->type->bytes + 1);
    data->numbers = malloc((size_t)data->number_count * sizeof *data->numbers + 1);
    return (data->elements && data->numbers) || error_set("out of host memory");
}

bool data_read_memory(const Container *c, const ContainerData *data)
{
    uint64_t bytes = (uint64_t)data->type->bytes;
    return buffer_read(c->memory.buffer, (uint64_t)c->memory.offset * bytes, data->elements,
                       (uint64_t)data->element_count * bytes);
}

Container *data_write_memory(Container *c, const ContainerData *data)
{
    uint64_t bytes = (uint64_t)data->type->bytes;
    if (c && data->element_count > 0 &&
        !buffer_write(c->memory.buffer, (uint64_t)c->memory.offset * bytes, data->elements,
                      (uint64_t)data->element_count * bytes)) {
        container_release(c);
        return NULL;
    }
    return c;
}

int64_t data_elements(const Shape *shape)
{
    int64_t count = 1;
    for (int d = 0; d < shape->rank; d++) {
        if (shape->size[d] < 1 || shape->size[d] > SHAPE_MAX_ELEMENTS / count) {
            return -1;
        }
        count *= shape->size[d];
    }
    return count;
}
