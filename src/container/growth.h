/* Memory that grows: how much more it becomes each time. */
#ifndef RILL_GROWTH_H
#define RILL_GROWTH_H

#include "stream/stream.h"

/* New memory of `needed` elements or more, to take the place of `have`: up to `most`, a multiple of `unit` as these are.
 * Twice as much, of much by an eighth more, so that little is left over; where there is no room for that, as many as are
 * needed. Its elements are undefined, or zeros. False with error_set. */
bool growth_create(const Stream *have, int64_t needed, int64_t most, int64_t unit, bool zero, Stream *result);

#endif
