/* Little- and big-endian numbers in byte strings, whatever the host's order. */
#ifndef RILL_IO_BYTEORDER_H
#define RILL_IO_BYTEORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool byteorder_little(void); /* the host's order */
/* Converts `count` numbers of `width` bytes each between the host's order and little- or big-endian, in place. */
void byteorder_convert(void *numbers, size_t width, size_t count, bool little);

/* A number of 1 to 8 bytes, little-endian. */
uint64_t byteorder_get(const unsigned char *from, int bytes);
void byteorder_put(unsigned char *to, int bytes, uint64_t value);
/* The same, big-endian. */
uint64_t byteorder_get_big(const unsigned char *from, int bytes);
void byteorder_put_big(unsigned char *to, int bytes, uint64_t value);

#endif
