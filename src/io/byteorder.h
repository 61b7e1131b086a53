/* Reads and writes little- and big-endian numbers, independent of the host's byte order. */
#ifndef RILL_IO_BYTEORDER_H
#define RILL_IO_BYTEORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns whether the host is little-endian. */
bool byteorder_little(void);
/* Converts `count` numbers of `width` bytes in place, between the host's byte order and little-endian
 * (`little`) or big-endian. */
void byteorder_convert(void *numbers, size_t width, size_t count, bool little);

/* Reads a little-endian number of 1 to 8 bytes. */
uint64_t byteorder_get(const unsigned char *from, int bytes);
/* Writes a little-endian number of 1 to 8 bytes. */
void byteorder_put(unsigned char *to, int bytes, uint64_t value);
/* Reads a big-endian number of 1 to 8 bytes. */
uint64_t byteorder_get_big(const unsigned char *from, int bytes);
/* Writes a big-endian number of 1 to 8 bytes. */
void byteorder_put_big(unsigned char *to, int bytes, uint64_t value);

#endif
