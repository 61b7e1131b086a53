/* Elements as bits: an integer type or structure of the same size, so that what only moves elements keeps every bit of
 * them (NaNs too) and one program serves all types of a size. */
#ifndef RILL_KERNEL_LAUNCH_RAW_H
#define RILL_KERNEL_LAUNCH_RAW_H

#include "base/strbuf.h"
#include "stream/stream.h"

/* The type for elements of `bytes` bytes; NULL with error_set. */
const Type *raw_type(int bytes);
/* Declares it in a kernel text, where it is a structure. A text then names it type->value->name. */
void raw_declare(StrBuf *text, const Type *type);
/* The same elements under their raw type: another header, to be released. A ramp stays what it is. */
bool raw_view(const Stream *stream, Stream *result);

#endif
