#include "base/decimal.h"

#include <locale.h>
#include <stdlib.h>

enum { MOST = 127 };

double decimal_read(const char *text, size_t length, size_t *used)
{
    char copy[MOST + 1], *end, point = localeconv()->decimal_point[0];
    size_t count = 0;
    for (; count < length && count < MOST && (text[count] != point || point == '.'); count++) {
        copy[count] = text[count] == '.' ? point : text[count];
    }
    copy[count] = '\0';
    double value = strtod(copy, &end);
    *used = (size_t)(end - copy);
    return value;
}
