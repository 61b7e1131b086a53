#include "base/environment.h"

#include "base/error.h"

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

bool environment_number(const char *name, const char *expected, int most, int *value)
{
    const char *text = environment_text(name);
    char *end = NULL;
    const long number = text ? strtol(text, &end, 10) : *value;
    if (text && (*end || number < 0 || number > most)) {
        return error_set("%s is \"%s\": expected %s", name, text, expected);
    }
    *value = (int)number;
    return true;
}
