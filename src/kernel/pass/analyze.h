/* Finds the errors of kernel texts. */
#ifndef RILL_KERNEL_PASS_ANALYZE_H
#define RILL_KERNEL_PASS_ANALYZE_H

#include "kernel/text/module.h"
#include "kernel/tree/message.h"
#include "kernel/tree/node.h"

/* Runs the passes that find errors: names, types, and if there is no error, what is undefined (pass/check.h).
 * Errors are added to `messages`. Returns
 * false with error_set if host memory is exhausted. */
bool analyze_tree(Tree *tree, Messages *messages);
/* Sets an error of all messages. Returns false if there are messages. */
bool analyze_report(const Messages *messages);
/* Creates a module like module_create, and reports all errors of the text together. With `brook` only errors of the
 * grammar: brook_convert finds the others. Returns NULL with error_set on failure. */
Module *analyze_module(const char *text, size_t length, const char *chunk, int first_line, bool brook);

#endif
