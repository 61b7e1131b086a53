#include "container/storage/growth.h"

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
