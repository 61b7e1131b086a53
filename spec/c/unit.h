/* Shared parts of the tests of C functions. Each NAME_test.c is a cmocka program, linked with all objects of src
 * except those in src/binding. A spec with the same name runs it. */
#ifndef RILL_UNIT_H
#define RILL_UNIT_H

#include "base/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Fails the test with the message of error_set if a function returned false or NULL. */
#define unit_check(done) (error_set("%s", ""), unit_done((done), #done, __FILE__, __LINE__))

static inline void unit_done(bool done, const char *what, const char *file, int line)
{
    if (!done) {
        print_error("%s: %s\n", what, error_message());
        _fail(file, line);
    }
}

/* Checks that a function returned false, and that the error message contains the words. */
#define unit_fails(done, words) unit_failed((done), (words), #done, __FILE__, __LINE__)

static inline void unit_failed(bool done, const char *words, const char *what, const char *file, int line)
{
    if (done || !strstr(error_message(), words)) {
        print_error("%s: expected an error with \"%s\", got %s\n", what, words, done ? "none" : error_message());
        _fail(file, line);
    }
}

#endif
