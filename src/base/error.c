#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ERROR_CAPACITY = 8192 };

static _Thread_local char message[ERROR_CAPACITY] = "no error was recorded";

void error_record(const char *format, ...)
{
    /* The arguments may point into the old message, so the new one is built in a separate array. */
    char text[ERROR_CAPACITY];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    memcpy(message, text, sizeof text);
}

void error_record_prefix(const char *format, ...)
{
    char prefix[512];
    va_list args;
    va_start(args, format);
    vsnprintf(prefix, sizeof prefix, format, args);
    va_end(args);
    error_record("%s: %s", prefix, message);
}

const char *error_message(void)
{
    return message;
}
