/* Texts with words to be replaced, and parts to be repeated for each of `count` dimensions:
 *
 *     $x            what `word` writes for the letter x and the dimension (0 outside of a repeated part)
 *     #             within a repeated part, the number of the dimension
 *     $,{ ... $}    for 0 .. count - 1, separated by ", "; $&{ by " && ", $|{ by " | ", $0{ by nothing
 *     $1{ ... $}    for 1 .. count - 1, separated by nothing
 *     $-{ ... $}    for count - 1 .. 0, separated by ", "; $>{ for count - 1 .. 1; $<{ for count - 1 .. 0 by nothing
 *
 * "int f($,{int i#$})" is "int f(int i0, int i1)" for two dimensions. */
#ifndef RILL_BASE_TEMPLATE_H
#define RILL_BASE_TEMPLATE_H

#include "base/strbuf.h"

typedef void TemplateWord(const void *self, StrBuf *out, char letter, int dimension);

/* Expands a text, then appends what printf would write for it and the arguments: a repeated part has no arguments, since it would need them again. */
void template_addv(StrBuf *out, int count, TemplateWord *word, const void *self, const char *format, va_list args)
    ERROR_PRINTF(5, 0);

#endif
