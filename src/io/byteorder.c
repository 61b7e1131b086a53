#include "io/byteorder.h"

#include <string.h>

bool byteorder_little(void)
{
    const uint16_t probe = 1;
    unsigned char first;
    memcpy(&first, &probe, 1);
    return first == 1;
}

void byteorder_convert(void *numbers, size_t width, size_t count, bool little)
{
    unsigned char *number = numbers;
    if (little == byteorder_little()) {
        return;
    }
    for (size_t i = 0; i < count; i++, number += width) {
        for (size_t low = 0, high = width - 1; low < high; low++, high--) {
            unsigned char kept = number[low];
            number[low] = number[high];
            number[high] = kept;
        }
    }
}

uint64_t byteorder_get(const unsigned char *from, int bytes)
{
    uint64_t value = 0;
    for (int i = bytes - 1; i >= 0; i--) {
        value = value << 8 | from[i];
    }
    return value;
}

void byteorder_put(unsigned char *to, int bytes, uint64_t value)
{
    for (int i = 0; i < bytes; i++) {
        to[i] = (unsigned char)(value >> (8 * i));
    }
}

uint64_t byteorder_get_big(const unsigned char *from, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++) {
        value = value << 8 | from[i];
    }
    return value;
}

void byteorder_put_big(unsigned char *to, int bytes, uint64_t value)
{
    for (int i = 0; i < bytes; i++) {
        to[i] = (unsigned char)(value >> (8 * (bytes - 1 - i)));
    }
}
