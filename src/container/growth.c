#include "container/growth.h"

enum { DOUBLED_BYTES = 1 << 20, PART = 8 };

bool growth_create(const Stream *have, int64_t needed, int64_t most, int64_t unit, bool zero, Stream *result)
{
    int64_t count = stream_elements(have), more = count;
    if (count > DOUBLED_BYTES / have->type->bytes) {
        more = count / PART - count / PART % unit;
    }
    int64_t wanted = count + more < most ? count + more : most;
    return (wanted > needed && stream_create(have->device, have->type, &(Shape){1, {wanted}}, zero, result)) ||
           stream_create(have->device, have->type, &(Shape){1, {needed}}, zero, result);
}
