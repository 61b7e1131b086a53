/* The last failure on this thread. Floors below the binding return false or NULL after setting it; the
 * binding raises it as a Lua error. */
#ifndef RILL_ERROR_H
#define RILL_ERROR_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__GNUC__)
#define ERROR_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define ERROR_PRINTF(fmt, args)
#endif

/* Records a formatted message (at most 8 KiB, cut beyond) and returns false, so that a caller can
 * `return error_set(...)`. */
bool error_set(const char *format, ...) ERROR_PRINTF(1, 2);

/* Puts "prefix: " in front of the recorded message; returns false. */
bool error_prefix(const char *format, ...) ERROR_PRINTF(1, 2);

/* The message recorded last on this thread; never NULL. */
const char *error_message(void);

#endif
