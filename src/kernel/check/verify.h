/* Compares the tree of a text with the text, for tests. */
#ifndef RILL_KERNEL_CHECK_VERIFY_H
#define RILL_KERNEL_CHECK_VERIFY_H

#include "kernel/text/module.h"

/* If RILL_TREE is set, checks that the text of a module can be parsed, that the tree prints to the same tokens and that
 * the passes find no error: texts of rill itself are not checked otherwise. Returns false with error_set if a check fails. The text must be valid. */
bool pass_verify(const Module *module);

#endif
