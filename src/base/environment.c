#include "base/environment.h"

#include <stdlib.h>
#include <string.h>

const char *environment_text(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

bool environment_flag(const char *name)
{
    const char *value = environment_text(name);
    return value && strcmp(value, "0") != 0;
}
