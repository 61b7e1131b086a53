/* Reads and writes decimal numbers. The decimal separator is a point in every locale, unlike strtod's. */
#ifndef RILL_BASE_DECIMAL_H
#define RILL_BASE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads a number of at most 15 digits without an exponent at the start of a text. Returns the number of characters, or 0
 * for other texts. The result is the nearest double, since the digits and the power of ten are exact doubles. */
static inline size_t decimal_read_digits(const char *text, size_t length, double *value)
{
    static const double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    size_t at = length > 0 && *text == '-', start = at, most = length < start + 16 ? length : start + 16, point = most;
    uint64_t digits = 0;
    for (; at < most; at++) {
        unsigned digit = (unsigned)(unsigned char)text[at] - '0';
        if (digit < 10) {
            digits = digits * 10 + digit;
        } else if (text[at] == '.' && point == most) {
            point = at;
        } else {
            break;
        }
    }
    bool has_point = point < most;
    size_t count = at - start - has_point;
    if (count == 0 || count > 15) {
        return 0;
    }
    double number = (double)digits / powers[has_point ? at - point - 1 : 0];
    *value = start ? -number : number;
    return at;
}

/* Reads the number at the start of a text of `length` characters, with strtod's syntax. Sets *used to the
 * number of characters read, 0 for a text without a number. */
double decimal_read(const char *text, size_t length, size_t *used);
/* Reads a number like decimal_read, so that (float) of the result is the float nearest to the text. The nearest
 * double does not always have this property. */
double decimal_read_single(const char *text, size_t length, size_t *used);

enum { DECIMAL_TEXT = 32 };
/* Writes a number with `digits` significant digits, 1 to 17. 0: with the fewest of 15 to 17 digits, or of 6 to 9
 * digits if `single` is set, that decimal_read or decimal_read_single converts to the same double or float. NaN and
 * infinities are nan, inf and -inf. Returns the length; the text is terminated. */
int decimal_write(char text[DECIMAL_TEXT], double number, int digits, bool single);

#endif
