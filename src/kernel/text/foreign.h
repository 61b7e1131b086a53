/* Recognizes syntax of Lua, Python and C in kernel texts that do not compile. */
#ifndef RILL_KERNEL_TEXT_FOREIGN_H
#define RILL_KERNEL_TEXT_FOREIGN_H

#include "kernel/text/source.h"

/* Searches an invalid text for syntax that GLSL does not have, such as `x and y`. Returns a message that names the GLSL
 * form, and sets *offset to the position of the syntax; NULL if there is none. */
const char *foreign_syntax(const SourceText *source, size_t *offset);

#endif
