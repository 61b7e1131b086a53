/* Runs the front end of kernels under libFuzzer.
 *
 * An input is a kernel text after one byte that chooses the dialect. Its analysis must give a module or a message. If it
 * gives a module, the bodies of its kernels are written. The sanitizers find accesses outside of memory and leaks;
 * libFuzzer finds inputs that need too much time or memory. */
#include "base/error.h"
#include "kernel/check/analyze.h"
#include "kernel/emit/body.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_message(bool done)
{
    if (!done && *error_message() == '\0') {
        fprintf(stderr, "texts: an error without a message\n");
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    char *text = malloc(size);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    Module *module = analyze_module(text, size - 1, "text", 1, *data % 2 ? TEXT_BROOK : TEXT_USER);
    check_message(module != NULL);
    for (size_t i = 0; module && i < module->functions.count; i++) {
        const Function *f = &module->functions.items[i];
        Body body;
        if (f->kind == FUNCTION_KERNEL && module_count_params(f, PARAM_VOUT) == 0) {
            bool done = body_create(module, f, BODY_PLAIN, f, &body);
            check_message(done);
            if (done) {
                body_free(&body);
            }
        }
    }
    module_release(module);
    free(text);
    return 0;
}
