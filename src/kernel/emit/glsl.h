/* Writes types as GLSL text: names, zeros, and the conversion of elements to and from the 32-bit
 * words of a buffer. */
#ifndef RILL_KERNEL_EMIT_GLSL_H
#define RILL_KERNEL_EMIT_GLSL_H

#include "base/strbuf.h"
#include "kernel/text/module.h"

enum { TYPE_MAX_WORDS = TYPE_MAX_BYTES / 4 };

/* Returns the GLSL name of a type, such as "float", "vec3" or "u_Ray". Valid until the fourth
 * further call on this thread. */
const char *glsl_type(const Type *type);
/* Writes a value of the type in which all components are zero. */
void glsl_zero(StrBuf *out, const Type *type);
/* Writes "struct u_Ray { ... };" with the field names that bodies use. */
void glsl_struct(StrBuf *out, const Type *type);

/* Writes an expression for the value of one element. words[i] is the expression of its 32-bit word
 * i. An element narrower than a word begins at bit `shift` (an expression, or NULL for 0) of
 * words[0]. `type` is the type of the stream, `seen` the type that the body uses. */
void glsl_decode(StrBuf *out, const Type *type, const Type *seen, const char *const *words, const char *shift);
/* Returns the number of 32-bit words of an element; 1 for packed types. */
int glsl_words(const Type *type);
/* Writes an expression for word k of an element with the value `value`, an expression of type
 * `seen`. Elements narrower than a word occupy the low bits; the other bits are zero. */
void glsl_encode(StrBuf *out, const Type *type, const Type *seen, const char *value, int k);

/* Returns whether elements of this type in an inout T name[] are GLSL lvalues in the storage block.
 * Otherwise they are loaded and stored as a whole. */
bool glsl_plain_random(const Type *type);
/* Returns the word before a parameter in GLSL: "out ", "inout " or "". */
const char *glsl_qualifier(const Param *param);
/* Returns the GLSL name of a declared type, as in Param. */
const char *glsl_declared(const Type *type, int matrix);

#endif
