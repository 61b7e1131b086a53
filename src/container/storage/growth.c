#include "container/storage/growth.h"

#include "gpu/memory/buffer.h"

enum { DOUBLED_BYTES = 1 << 20, PART = 8 };

int64_t growth_elements(int64_t have, int64_t needed, int64_t most, int64_t unit, int64_t bytes)
{
    int64_t more = have;
    if (have > DOUBLED_BYTES / bytes) {
        more = have / PART - have / PART % unit;
    }
    int64_t wanted = have + more < most ? have + more : most;
    return wanted > needed ? wanted : needed;
}

bool growth_create(const Stream *have, int64_t needed, int64_t most, int64_t unit, bool zero, Stream *result)
{
    int64_t wanted = growth_elements(stream_elements(have), needed, most, unit, have->type->bytes);
    return (wanted > needed && stream_create(have->device, have->type, &(Shape){1, {wanted}}, zero, result)) ||
           stream_create(have->device, have->type, &(Shape){1, {needed}}, zero, result);
}

bool growth_copy(const Stream *have, int64_t kept, int64_t needed, int64_t most, int64_t unit, Stream *result)
{
    if (!growth_create(have, needed, most, unit, false, result)) {
        return false;
    }
    if (!buffer_copy(result->buffer, 0, have->buffer, 0, (uint64_t)kept * (uint64_t)have->type->bytes)) {
        stream_release(result);
        return false;
    }
    return true;
}
