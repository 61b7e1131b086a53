/* Variables of the environment. */
#ifndef RILL_BASE_ENVIRONMENT_H
#define RILL_BASE_ENVIRONMENT_H

#include <stdbool.h>

/* Whether a variable is set to anything but nothing or 0. */
bool environment_flag(const char *name);
/* Its value; NULL where it is not set, or empty. */
const char *environment_text(const char *name);

#endif
