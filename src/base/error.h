/* The last failure on this thread. Floors below the binding return false or NULL after setting it; the
 * binding raises it as a Lua error. */
#ifndef RILL_BASE_ERROR_H
#define RILL_BASE_ERROR_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__GNUC__)
#define ERROR_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define ERROR_PRINTF(fmt, args)
#endif

/* Records a formatted message, at most 8 KiB, cut beyond. */
void error_record(const char *format, ...) ERROR_PRINTF(1, 2);

/* Puts "prefix: " in front of the recorded message. */
void error_record_prefix(const char *format, ...) ERROR_PRINTF(1, 2);

/* False, for the two macros below. */
static inline bool error_failed(void)
{
    return false;
}

/* The same, and false, so that a caller can `return error_set(...)`. Macros, for the compiler to see that it is false: taking
 * the other way for possible, it warns of what is set up only where all went well. */
#define error_set(...) (error_record(__VA_ARGS__), error_failed())
#define error_prefix(...) (error_record_prefix(__VA_ARGS__), error_failed())

/* The message recorded last on this thread; never NULL. */
const char *error_message(void);

#endif
