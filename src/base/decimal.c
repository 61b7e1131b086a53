#include "base/decimal.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 127, MOST_POWER = 22 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads an exponent at position `at`, adds it to *power and returns the position after it. Returns `at` if
 * there is none. */
static size_t read_exponent(const char *text, size_t length, size_t at, int *power)
{
    size_t from = at + 1;
    bool minus = from < length && text[from] == '-';
    from += from < length && (text[from] == '-' || text[from] == '+');
    if (at >= length || (text[at] | 32) != 'e' || from >= length || !is_digit(text[from])) {
        return at;
    }
    int exponent = 0;
    for (; from < length && is_digit(text[from]); from++) {
        exponent = exponent < 10000 ? exponent * 10 + (text[from] - '0') : exponent;
    }
    *power += minus ? -exponent : exponent;
    return from;
}

/* Reads a number m * 10^p or m / 10^p with m <= 2^53 and p <= 22. Both factors are exact doubles, so that one
 * operation gives the nearest double (W. D. Clinger, How to read floating point numbers accurately, 1990).
 * Returns the number of characters, or 0 for any other number. */
static size_t read_short(const char *text, size_t length, double *value)
{
    static const double powers[MOST_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    size_t at = length > 0 && (text[0] == '-' || text[0] == '+'), digits = 0;
    uint64_t mantissa = 0;
    int power = 0;
    bool point = false;
    for (; at < length && (is_digit(text[at]) || (text[at] == '.' && !point)); at++) {
        if (text[at] == '.') {
            point = true;
            continue;
        }
        if (++digits > 18) {
            return 0;
        }
        mantissa = mantissa * 10 + (uint64_t)(text[at] - '0');
        power -= point;
    }
    if (digits == 0 || (at < length && (text[at] | 32) == 'x')) {
        return 0;
    }
    at = read_exponent(text, length, at, &power);
    if (mantissa > (uint64_t)1 << 53 || power > MOST_POWER || power < -MOST_POWER) {
        return 0;
    }
    double number = power < 0 ? (double)mantissa / powers[-power] : (double)mantissa * powers[power];
    *value = text[0] == '-' ? -number : number;
    return at;
}

/* Copies the text with the decimal separator of the locale, as strtod requires. */
static void localize(const char *text, size_t length, char copy[MOST + 1])
{
    char point = localeconv()->decimal_point[0];
    size_t count = 0;
    for (; count < length && count < MOST && (text[count] != point || point == '.'); count++) {
        copy[count] = text[count] == '.' ? point : text[count];
    }
    copy[count] = '\0';
}

double decimal_read(const char *text, size_t length, size_t *used)
{
    double value;
    *used = read_short(text, length, &value);
    if (*used > 0) {
        return value;
    }
    char copy[MOST + 1], *end;
    localize(text, length, copy);
    value = strtod(copy, &end);
    *used = (size_t)(end - copy);
    return value;
}

double decimal_read_single(const char *text, size_t length, size_t *used)
{
    double value = decimal_read(text, length, used), size = fabs(value);
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bool middle = (bits & 0x1fffffff) == 0x10000000; /* halfway between two floats */
    if (!(size < (double)INFINITY) || (!middle && size >= (double)FLT_MIN)) {
        return value;
    }
    char copy[MOST + 1];
    localize(text, length, copy);
    float single = strtof(copy, NULL);
    return single == (float)value ? value : (double)single;
}
