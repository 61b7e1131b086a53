/* Expands text templates, with words to replace and parts to repeat for each of `count` dimensions:
 *
 *     $x            the text that `word` writes for the letter x and the dimension (0 outside a repeated part)
 *     #             the dimension (0-based), within a repeated part
 *     $,{ ... $}    for 0 .. count - 1, separated by ", "; $&{ by " && ", $|{ by " | ", $0{ without separator
 *     $1{ ... $}    for 1 .. count - 1, without separator
 *     $-{ ... $}    for count - 1 .. 0, separated by ", ";
 *                   $>{ for count - 1 .. 1; $<{ for count - 1 .. 0 without separator
 *
 * "int f($,{int i#$})" is "int f(int i0, int i1)" for two dimensions. */
#ifndef RILL_BASE_TEMPLATE_H
#define RILL_BASE_TEMPLATE_H

#include "base/strbuf.h"

/* Writes the replacement of a letter. */
typedef void TemplateWord(const void *self, StrBuf *out, char letter, int dimension);

/* Expands a text, then appends the result formatted with the arguments, as vprintf. Repeated parts must not
 * contain conversions: each argument exists once. */
void template_addv(StrBuf *out, int count, TemplateWord *word, const void *self, const char *format, va_list args)
    ERROR_PRINTF(5, 0);

#endif
