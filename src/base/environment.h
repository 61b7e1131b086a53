/* Reads environment variables. */
#ifndef RILL_BASE_ENVIRONMENT_H
#define RILL_BASE_ENVIRONMENT_H

#include <stdbool.h>

/* Returns whether a variable is set and neither empty nor 0. */
bool environment_flag(const char *name);
/* Returns the value of a variable, or NULL if it is unset or empty. */
const char *environment_text(const char *name);
/* Sets `value` to a whole number from 0 to `most`, if the variable is set. Returns false with error_set, which states what
 * is expected, if it has another value. */
bool environment_number(const char *name, const char *expected, int most, int *value);

#endif
