/* Reads environment variables. */
#ifndef RILL_BASE_ENVIRONMENT_H
#define RILL_BASE_ENVIRONMENT_H

#include <stdbool.h>

/* Returns whether a variable is set and neither empty nor 0. */
bool environment_flag(const char *name);
/* Returns the value of a variable, or NULL if it is unset or empty. */
const char *environment_text(const char *name);

#endif
