/* Suggests what an unknown name in a kernel text stands for. */
#ifndef RILL_KERNEL_TEXT_SUGGEST_H
#define RILL_KERNEL_TEXT_SUGGEST_H

#include "base/strbuf.h"
#include "kernel/text/module.h"

/* These functions append a suggestion to a message about an unknown name, such as "; did you mean 'float'?". They append
 * nothing if no known name resembles it. */

/* Suggests a type, or a word that may be before a type: a qualifier or `kernel`. */
void suggest_type(StrBuf *text, const Module *module, const Token *name);
/* Suggests a function of GLSL or of the text. */
void suggest_function(StrBuf *text, const Module *module, const Token *name);
/* Suggests a replacement of an undeclared value that other languages have. */
void suggest_value(StrBuf *text, const Token *name);

#endif
