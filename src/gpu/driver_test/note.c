#include "gpu/driver_test/driver_test_private.h"

#include <stdarg.h>
#include <stdio.h>

void trial_note(Trial *trial, const char *name, TrialVerdict verdict, const char *format, ...)
{
    if (trial->count == TRIAL_LINES) {
        return;
    }
    TrialLine *line = &trial->lines[trial->count++];
    *line = (TrialLine){.name = name, .verdict = verdict};
    if (format) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(line->text, sizeof line->text, format, arguments);
        va_end(arguments);
    }
}
