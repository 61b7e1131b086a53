/* The error message of the current thread. C functions set it and return false or NULL; the binding raises it
 * as a Lua error. */
#ifndef RILL_BASE_ERROR_H
#define RILL_BASE_ERROR_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__GNUC__)
#define ERROR_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define ERROR_PRINTF(fmt, args)
#endif

/* Records a formatted message. It is truncated to 8 KiB. */
void error_record(const char *format, ...) ERROR_PRINTF(1, 2);

/* Prepends "prefix: " to the recorded message. */
void error_record_prefix(const char *format, ...) ERROR_PRINTF(1, 2);

/* Returns false, for the two macros below. */
static inline bool error_failed(void)
{
    return false;
}

/* Records a message (error_set) or prepends a prefix to it (error_prefix). The value is false, so that a function
 * can `return error_set(...)`. These are macros so that the compiler knows the value; otherwise it warns about
 * variables that are initialized only on success. */
#define error_set(...) (error_record(__VA_ARGS__), error_failed())
#define error_prefix(...) (error_record_prefix(__VA_ARGS__), error_failed())

/* Returns the message recorded last on this thread; never NULL. */
const char *error_message(void);

#endif
