/* Little- and big-endian numbers in byte strings, whatever the host's order. */
#ifndef RILL_IO_BYTEORDER_H
#define RILL_IO_BYTEORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool byteorder_little(void); /* the host's order */
/* Reverses the bytes of `count` numbers of `width` bytes each, in place. */
void byteorder_swap(void *numbers, size_t width, size_t count);

uint16_t byteorder_get16(const unsigned char *from); /* little-endian, as are the next five */
uint32_t byteorder_get32(const unsigned char *from);
uint64_t byteorder_get64(const unsigned char *from);
void byteorder_put16(unsigned char *to, uint16_t value);
void byteorder_put32(unsigned char *to, uint32_t value);
void byteorder_put64(unsigned char *to, uint64_t value);

uint32_t byteorder_get_big32(const unsigned char *from); /* big-endian, as are the next two */
void byteorder_put_big16(unsigned char *to, uint16_t value);
void byteorder_put_big32(unsigned char *to, uint32_t value);

#endif
