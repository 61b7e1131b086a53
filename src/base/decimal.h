/* Numbers in texts: with a point, whatever the locale that a script has set, which strtod heeds. */
#ifndef RILL_BASE_DECIMAL_H
#define RILL_BASE_DECIMAL_H

#include <stddef.h>

/* The number that a text of so many characters begins with, as strtod reads it; *used: how many of them it takes, 0 where there is none. */
double decimal_read(const char *text, size_t length, size_t *used);
/* The same for what becomes a float: (float) of it is the float nearest to the text's number, which need not be so of the nearest double. */
double decimal_read_single(const char *text, size_t length, size_t *used);
#endif
