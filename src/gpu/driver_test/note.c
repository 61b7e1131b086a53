#include "gpu/driver_test/driver_test_private.h"

#include <stdarg.h>
#include <stdio.h>

void driver_test_note(DriverTest *trial, const char *name, DriverTestVerdict verdict, const char *format, ...)
{
    if (trial->count == DRIVER_TEST_LINES) {
        return;
    }
    DriverTestLine *line = &trial->lines[trial->count++];
    *line = (DriverTestLine){.name = name, .verdict = verdict};
    if (format) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(line->text, sizeof line->text, format, arguments);
        va_end(arguments);
    }
}
