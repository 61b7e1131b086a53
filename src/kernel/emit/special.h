/* Special functions that kernels may call: expm1, erf, gamma and others. GLSL does not have them. Their texts, in
 * shaders/functions, are written once for floats and once for doubles (with the macro RILL_WIDE). */
#ifndef RILL_KERNEL_EMIT_SPECIAL_H
#define RILL_KERNEL_EMIT_SPECIAL_H

#include "kernel/emit/body.h"

#include "base/strbuf.h"

/* Lists a special function in a body, with all functions that it calls. `name`: that of the GLSL function, such as
 * "rill_erf". Returns false if there is no special function of this name. */
bool special_list(Body *body, const char *name, bool doubles);
/* Writes special functions: a set of those for floats and a set of those for doubles (Body.special). */
void special_write(StrBuf *out, const uint32_t sets[2]);

#endif
