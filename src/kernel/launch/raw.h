/* Raw types: an integer type or structure of ints for elements of a given size. Copies with the raw
 * type preserve every bit (also of NaNs), and one program serves all types of a size. */
#ifndef RILL_KERNEL_LAUNCH_RAW_H
#define RILL_KERNEL_LAUNCH_RAW_H

#include "base/strbuf.h"
#include "stream/stream.h"

/* Returns the type for elements of `bytes` bytes. Returns NULL with error_set on failure. */
const Type *raw_type(int bytes);
/* Declares the type in a kernel text if it is a structure. The text then uses the name
 * type->value->name. */
void raw_declare(StrBuf *text, const Type *type);
/* Makes a view of the same elements with their raw type, to be released by the caller. A ramp is
 * unchanged. */
bool raw_view(const Stream *stream, Stream *result);

#endif
