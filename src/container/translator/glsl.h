/* Declares functions that write translators as GLSL, for all types of translators. A translator in a program
 * has a number: the names of its functions and parameters begin with "t3_" if the number is 3. The numbers of
 * a translator (Translator.numbers, such as the sizes of its dimensions) are uniform parameters. */
#ifndef RILL_CONTAINER_TRANSLATOR_GLSL_H
#define RILL_CONTAINER_TRANSLATOR_GLSL_H

#include "container/translator/translator_kind.h"

/* The text of functions that all translators use. Each program must contain it once. */
extern const char translator_glsl_functions[];
/* Writes a translator and its parts as functions. Returns the number of the translator in the program. */
int translator_glsl_write(const Translator *t, TranslatorGlsl *text);

/* Writes the head of the function of a translator, for example "bool t3_translate(...) {" for translator
 * number 3. */
void translator_glsl_open(const Translator *t, TranslatorGlsl *text, int number);
/* Writes the arguments that follow the coordinates in a call, for example ", t3_n0, t3_t". If `parameters` is
 * true, writes their declarations: ", ivec4 t3_n0, int t3_t[]". */
void translator_glsl_given(const Translator *t, StrBuf *out, Direction direction, int number, bool parameters);
/* Stores the values of the arguments that translator_glsl_given writes in args[], for a launch. Returns their
 * number. */
int translator_glsl_give(const Translator *t, Direction direction, Argument *args);
/* Writes "name0, name1 ...", with `word` before each name. */
void translator_glsl_list(StrBuf *out, const char *word, const char *name, int count);
/* Returns the text for element k of the numbers of translator `number`, for example "t3_n1.y". The text is
 * valid until the function has been called 16 more times on this thread. */
const char *translator_glsl_number(int number, int k);
/* Returns the text for the size of dimension d. `sizes` is the index of the first size among the numbers of
 * the translator. The text is valid as long as a text of translator_glsl_number. */
const char *translator_glsl_size(int number, int sizes, int d);
/* Returns the text for the expression `n`, whose value must be at least 0, divided by the size of dimension
 * d. The text is valid until the function has been called 4 more times on this thread. */
const char *translator_glsl_quotient(const char *n, int number, int sizes, int d);
/* Returns whether the size of dimension d is a power of two, so that a division by the size can be replaced
 * by a shift. */
bool translator_glsl_shifts(const Translator *t, int sizes, int d);
/* Returns the text for the base-2 logarithm of the size of dimension d, which must be a power of two. The
 * text is valid as long as a text of translator_glsl_number. */
const char *translator_glsl_shift(int number, int sizes, int d);
/* Returns the text for `n` divided by the size of dimension d. The text contains a shift if the size is a
 * power of two. It is valid until the function has been called 4 more times on this thread. */
const char *translator_glsl_over(const Translator *t, const char *n, int number, int sizes, int d);
/* Writes the condition that the point name0, name1 ... is inside the domain. */
void translator_glsl_inside(const Translator *t, StrBuf *out, int number, const char *name);
/* Writes an expression for the row-major index of the `count` coordinates name<first> ..., or 0 if `count` is
 * 0. `sizes` is the index of their first size among the numbers of the translator. */
void translator_glsl_join(StrBuf *out, int number, const char *name, int first, int count, int sizes);
/* Writes statements that compute the `count` coordinates name<first> ... from the row-major index `from`. The
 * variables of the coordinates must be declared before. The slowest coordinate gets the remaining quotient,
 * which may exceed its size. */
void translator_glsl_split(const Translator *t, StrBuf *out, int number, const char *from, const char *name, int first,
                           int count, int sizes);

#endif
