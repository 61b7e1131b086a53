#include "io/byteorder.h"

#include <string.h>

bool byteorder_little(void)
{
    const uint16_t probe = 1;
    unsigned char first;
    memcpy(&first, &probe, 1);
    return first == 1;
}

void byteorder_swap(void *numbers, size_t width, size_t count)
{
    unsigned char *number = numbers;
    for (size_t i = 0; i < count; i++, number += width) {
        for (size_t low = 0, high = width - 1; low < high; low++, high--) {
            unsigned char kept = number[low];
            number[low] = number[high];
            number[high] = kept;
        }
    }
}

static uint64_t get(const unsigned char *from, int bytes)
{
    uint64_t value = 0;
    for (int i = bytes - 1; i >= 0; i--) {
        value = value << 8 | from[i];
    }
    return value;
}

static void put(unsigned char *to, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        to[i] = (unsigned char)(value >> (8 * i));
    }
}

uint16_t byteorder_get16(const unsigned char *from)
{
    return (uint16_t)get(from, 2);
}

uint32_t byteorder_get32(const unsigned char *from)
{
    return (uint32_t)get(from, 4);
}

uint64_t byteorder_get64(const unsigned char *from)
{
    return get(from, 8);
}

void byteorder_put16(unsigned char *to, uint16_t value)
{
    put(to, value, 2);
}

void byteorder_put32(unsigned char *to, uint32_t value)
{
    put(to, value, 4);
}

void byteorder_put64(unsigned char *to, uint64_t value)
{
    put(to, value, 8);
}

uint32_t byteorder_get_big32(const unsigned char *from)
{
    return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
}

void byteorder_put_big16(unsigned char *to, uint16_t value)
{
    to[0] = (unsigned char)(value >> 8);
    to[1] = (unsigned char)value;
}

void byteorder_put_big32(unsigned char *to, uint32_t value)
{
    byteorder_put_big16(to, (uint16_t)(value >> 16));
    byteorder_put_big16(to + 2, (uint16_t)value);
}
