/* Memory that grows: how much more it becomes each time. */
#ifndef RILL_CONTAINER_STORAGE_GROWTH_H
#define RILL_CONTAINER_STORAGE_GROWTH_H

#include "stream/stream.h"

/* How many elements of so many bytes there should be where `needed`, more than `have`, are: twice as many as there were, of much memory an eighth
 * more, so that little is left over; up to `most`, a multiple of `unit` as these are. */
int64_t growth_elements(int64_t have, int64_t needed, int64_t most, int64_t unit, int64_t bytes);

/* New memory of `needed` elements or more, to take the place of `have`; where there is no room for more, as many as are
 * needed. Its elements are undefined, or zeros. False with error_set. */
bool growth_create(const Stream *have, int64_t needed, int64_t most, int64_t unit, bool zero, Stream *result);
/* Creates the same memory, not zeroed, and copies the first `kept` elements of `have` into it. False with error_set. */
bool growth_copy(const Stream *have, int64_t kept, int64_t needed, int64_t most, int64_t unit, Stream *result);

#endif
