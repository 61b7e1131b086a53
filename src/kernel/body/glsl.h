/* Types as GLSL text: names, zeros, and elements to and from the 32-bit words of a buffer. */
#ifndef RILL_KERNEL_BODY_GLSL_H
#define RILL_KERNEL_BODY_GLSL_H

#include "base/strbuf.h"
#include "stream/type.h"

enum { TYPE_MAX_WORDS = TYPE_MAX_BYTES / 4 };

/* The name a body sees: "float", "vec3", "u_Ray". Valid until the fourth further call on this thread. */
const char *glsl_type(const Type *type);
/* An all-zero value. */
void glsl_zero(StrBuf *out, const Type *type);
/* "struct u_Ray { ... };", fields called as the body calls them. */
void glsl_struct(StrBuf *out, const Type *type);

/* An expression of the value of one element: words[i] is the text of its word i. An element narrower than a word stands at
 * bit `shift` (text, or NULL for 0) of words[0]. `type` is the stream's type, `seen` what the body sees. */
void glsl_decode(StrBuf *out, const Type *type, const Type *seen, const char *const *words, const char *shift);
/* Number of words an element takes part in: 1 for packed ones. */
int glsl_words(const Type *type);
/* An expression of word k of an element from the value `value` (an expression of the body's type `seen`); narrower elements come in
 * the low bits, the others zero. */
void glsl_encode(StrBuf *out, const Type *type, const Type *seen, const char *value, int k);

#endif
