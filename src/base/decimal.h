/* Reads and writes decimal numbers. The decimal separator is a point in every locale, unlike strtod's. */
#ifndef RILL_BASE_DECIMAL_H
#define RILL_BASE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>

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
