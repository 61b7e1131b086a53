/* Finds the errors of kernel texts. */
#ifndef RILL_KERNEL_CHECK_ANALYZE_H
#define RILL_KERNEL_CHECK_ANALYZE_H

#include "kernel/text/module.h"
#include "kernel/tree/message.h"
#include "kernel/tree/node.h"

/* Runs the passes that find errors: names, types, and if there is no error, what is undefined (pass/check.h).
 * Errors are added to `messages`. Returns false with error_set if host memory is exhausted. */
bool analyze_tree(Tree *tree, Messages *messages);
/* Sets an error of all messages. Returns false if there are messages. */
bool analyze_report(const Messages *messages);
typedef enum TextKind {
    TEXT_USER,
    TEXT_BROOK, /* in Brook's dialect */
    TEXT_OWN    /* of rill itself: it is not checked for what is undefined (pass/check.h) */
} TextKind;

/* Creates a module with its tree, whose errors are added to `messages`, which must be freed: with errors it can only be
 * released. Returns NULL with error_set if the text has no tokens. */
Module *analyze_begin(const char *text, size_t length, const char *chunk, int first_line, TextKind kind,
                      Messages *messages);
/* Creates a module with its tree. `chunk` and `first_line` are the name and the line of the text's source, for messages.
 * Returns NULL with an error of all messages if the text is invalid. */
Module *analyze_module(const char *text, size_t length, const char *chunk, int first_line, TextKind kind);

#endif
