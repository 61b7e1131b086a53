/* CRC-32 (ISO-HDLC: reflected polynomial EDB88320, start and final inversion), the one of PNG, zip and Ethernet. */
#ifndef RILL_IO_IMAGE_CRC_H
#define RILL_IO_IMAGE_CRC_H

#include <stddef.h>
#include <stdint.h>

/* Continues `crc` (0 at the start) over `size` more bytes. */
uint32_t crc_update(uint32_t crc, const void *bytes, size_t size);

#endif
