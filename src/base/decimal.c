#include "base/decimal.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 127, MOST_POWER = 22, MOST_FIVES = 27 /* 5^27 < 2^64 */, MOST_DIGITS = 19 };

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

/* Converts eight characters to a number, if all of them are digits: pairs, then groups of four, are combined by
 * multiplications (D. Lemire, Number parsing at a gigabyte per second, 2021). */
static bool read_eight(const char *text, uint64_t *number)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const uint64_t threes = 0x3030303030303030, high = 0xf0f0f0f0f0f0f0f0, low = 0x000000ff000000ff;
    uint64_t v;
    memcpy(&v, text, sizeof v);
    if ((v & high) != threes || ((v + 0x0606060606060606) & high) != threes) {
        return false;
    }
    v -= threes;
    v = v * 10 + (v >> 8);
    uint64_t pairs = (v & low) * (100 + (UINT64_C(1000000) << 32)) + ((v >> 16) & low) * (1 + (UINT64_C(10000) << 32));
    *number = pairs >> 32;
    return true;
#else
    (void)text, (void)number;
    return false;
#endif
}

/* Appends the digits from position `at` on to *mantissa, modulo 2^64. Returns the position after them. */
static size_t read_digits(const char *text, size_t length, size_t at, uint64_t *mantissa)
{
    uint64_t m = *mantissa, eight;
    while (length - at >= 8 && read_eight(text + at, &eight)) {
        m = m * 100000000 + eight;
        at += 8;
    }
    for (; at < length && is_digit(text[at]); at++) {
        m = m * 10 + (uint64_t)(text[at] - '0');
    }
    *mantissa = m;
    return at;
}

/* Computes m * 10^power for |power| <= MOST_FIVES and m > 0 exactly, with an integer of 128 bits, and rounds it once.
 * Returns false if the compiler has no such integer. */
static bool scale(uint64_t m, int power, double *value)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 Wide;
    uint64_t fives = 1, top;
    int exponent = power, shift = __builtin_clzll(m);
    for (int i = power < 0 ? -power : power; i > 0; i--) {
        fives *= 5;
    }
    if (power < 0) {
        /* Both operands have their highest bit set, so that the quotient has 63 or 64 bits. */
        int shift_fives = __builtin_clzll(fives);
        Wide numerator = (Wide)(m << shift) << 63;
        uint64_t divisor = fives << shift_fives;
        top = (uint64_t)(numerator / divisor);
        top |= (numerator - (Wide)top * divisor) != 0;
        exponent += shift_fives - shift - 63;
    } else {
        Wide product = (Wide)(m << shift) * fives;
        uint64_t high = (uint64_t)(product >> 64);
        int shift_high = high ? __builtin_clzll(high) : 64;
        product = shift_high < 64 ? product << shift_high : product << 63 << 1;
        top = (uint64_t)(product >> 64) | ((uint64_t)product != 0);
        exponent += 64 - shift_high - shift;
    }
    /* The last bit of `top` is set if any dropped bit is. The conversion to double rounds. */
    uint64_t bits = (uint64_t)(1023 + exponent + 1) << 52;
    double factor;
    memcpy(&factor, &bits, sizeof factor);
    *value = (double)(int64_t)(top >> 1 | (top & 1)) * factor;
    return true;
#else
    (void)m, (void)power, (void)value;
    return false;
#endif
}

/* Converts m * 10^power. If m <= 2^53 and |power| <= 22, both factors are exact doubles, so that one operation gives
 * the nearest double (W. D. Clinger, How to read floating point numbers accurately, 1990). Returns false if the
 * numbers are too large for this method and for `scale`. */
static bool convert(uint64_t m, int power, double *value)
{
    static const double powers[MOST_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (m <= (uint64_t)1 << 53 && power <= MOST_POWER && power >= -MOST_POWER) {
        *value = power < 0 ? (double)m / powers[-power] : (double)m * powers[power];
        return true;
    }
    return m > 0 && power <= MOST_FIVES && power >= -MOST_FIVES && scale(m, power, value);
}

/* Reads a number of at most 19 significant digits and a small exponent. Returns the number of characters, or 0 for
 * any other text. */
static size_t read_short(const char *text, size_t length, double *value)
{
    size_t start = length > 0 && (text[0] == '-' || text[0] == '+');
    uint64_t mantissa = 0;
    size_t at = read_digits(text, length, start, &mantissa), digits = at - start;
    int power = 0;
    if (at < length && text[at] == '.') {
        size_t from = at + 1;
        at = read_digits(text, length, from, &mantissa);
        digits += at - from;
        power = at - from <= MOST ? -(int)(at - from) : MOST;
    }
    for (size_t i = start; digits > MOST_DIGITS && i < at && (text[i] == '0' || text[i] == '.'); i++) {
        digits -= text[i] == '0';
    }
    if (digits == 0 || digits > MOST_DIGITS || power > 0 || (at < length && (text[at] | 32) == 'x')) {
        return 0;
    }
    at = read_exponent(text, length, at, &power);
    if (!convert(mantissa, power, value)) {
        return 0;
    }
    *value = text[0] == '-' ? -*value : *value;
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

/* Writes a whole number below 10^15. */
static int write_whole(char *text, double number)
{
    char digits[20];
    int count = 0, length = 0;
    uint64_t left = (uint64_t)fabs(number);
    do {
        digits[count++] = (char)('0' + left % 10);
        left /= 10;
    } while (left > 0);
    if (signbit(number)) {
        text[length++] = '-';
    }
    while (count > 0) {
        text[length++] = digits[--count];
    }
    text[length] = '\0';
    return length;
}

static int write_digits(char text[DECIMAL_TEXT], double number, int digits)
{
    int length = snprintf(text, DECIMAL_TEXT, "%.*g", digits, number);
    char *point = strchr(text, localeconv()->decimal_point[0]);
    if (point) {
        *point = '.';
    }
    return length;
}

int decimal_write(char text[DECIMAL_TEXT], double number, int digits, bool single)
{
    if (!isfinite(number)) {
        return snprintf(text, DECIMAL_TEXT, "%s", isnan(number) ? "nan" : number < 0 ? "-inf" : "inf");
    }
    if (digits > 0) {
        return write_digits(text, number, digits);
    }
    if (fabs(number) < 1e15 && floor(number) >= number && (!single || fabs(number) < 1e9)) {
        return write_whole(text, number);
    }
    int length = 0, most = single ? 9 : 17;
    for (digits = single ? 6 : 15; digits <= most; digits++) {
        size_t used;
        length = write_digits(text, number, digits);
        double again = single ? (double)(float)decimal_read_single(text, (size_t)length, &used)
                              : decimal_read(text, (size_t)length, &used);
        if (again >= number && again <= number) {
            break;
        }
    }
    return length;
}
