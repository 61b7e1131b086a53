/* RILL_POISON: fills memory with undefined contents with given words, so that the suite finds code that depends
 * on earlier contents. */
#include "gpu/context/device_private.h"

#include "base/environment.h"

#include <stdlib.h>
#include <string.h>

/* Reads the number at *at and the separator after it. */
static bool read_word(const char **at, uint32_t *word)
{
    char *end;
    long long value = strtoll(*at, &end, 0);
    bool good = end > *at && value >= INT32_MIN && value <= UINT32_MAX;
    *word = (uint32_t)value;
    *at = end;
    return good;
}

bool poison_look_up(Device *device)
{
    const char *text = environment_text("RILL_POISON"), *at = text;
    int count = 0;
    bool good = true;
    while (at && *at && good) {
        good = count < POISON_WORDS && read_word(&at, &device->poison[count]) && (*at == ',' || !*at);
        at += good && *at == ',';
        count++;
    }
    for (int i = count; good && count > 0 && i < POISON_WORDS; i++) {
        device->poison[i] = device->poison[i - count];
    }
    device->poisoned = good && count > 0;
    return good || error_set("RILL_POISON is \"%s\": expected one to four 32-bit numbers separated by commas, as in "
                             "2147483647,0x7fc00000,-1",
                             text);
}

void poison_host(const Device *device, void *memory, size_t bytes)
{
    for (size_t at = 0; device->poisoned && at < bytes; at += POISON_BYTES) {
        memcpy((char *)memory + at, device->poison, bytes - at < POISON_BYTES ? bytes - at : POISON_BYTES);
    }
}
