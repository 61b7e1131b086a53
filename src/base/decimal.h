/* Reads decimal numbers. The decimal separator is a point in every locale, unlike strtod's. */
#ifndef RILL_BASE_DECIMAL_H
#define RILL_BASE_DECIMAL_H

#include <stddef.h>

/* Reads the number at the start of a text of `length` characters, with strtod's syntax. Sets *used to the
 * number of characters read, 0 for a text without a number. */
double decimal_read(const char *text, size_t length, size_t *used);
/* Reads a number like decimal_read, so that (float) of the result is the float nearest to the text. The nearest
 * double does not always have this property. */
double decimal_read_single(const char *text, size_t length, size_t *used);
#endif
