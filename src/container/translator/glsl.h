/* Functions that write translators as GLSL, shared by all kinds. */
#ifndef RILL_CONTAINER_TRANSLATOR_GLSL_H
#define RILL_CONTAINER_TRANSLATOR_GLSL_H

#include "container/translator/translator_kind.h"

/* Functions that all texts use; part of each program once. */
extern const char translator_glsl_functions[];
/* Writes a translator and its parts as functions. Returns its number. */
int translator_glsl_write(const Translator *t, TranslatorGlsl *text);

/* Writes the head of the function, for example "bool t3_translate(...) {" for translator number 3. */
void translator_glsl_open(const Translator *t, TranslatorGlsl *text, int number);
/* Writes the arguments after the coordinates, for example ", t3_n0, t3_t", or with `parameters` their
 * declarations ", ivec4 t3_n0, int t3_t[]". */
void translator_glsl_given(const Translator *t, StrBuf *out, Direction direction, int number, bool parameters);
/* Appends these arguments for a launch. Returns how many there are. */
int translator_glsl_give(const Translator *t, Direction direction, Argument *args);
/* Writes "name0, name1 ...", each after `word`. */
void translator_glsl_list(StrBuf *out, const char *word, const char *name, int count);
/* Returns the text for number k of translator `number`, for example "t3_n1.y". It is valid until the
 * sixteenth further call on this thread. */
const char *translator_glsl_number(int number, int k);
/* Returns the text for the size of dimension d, of sizes whose numbers start at `sizes`. Valid as for
 * translator_glsl_number. */
const char *translator_glsl_size(int number, int sizes, int d);
/* Returns the text for `n`, 0 or more, divided by this size. */
const char *translator_glsl_quotient(const char *n, int number, int sizes, int d);
/* Returns whether a translator's size is a power of two, so that n can be shifted. */
bool translator_glsl_shifts(const Translator *t, int sizes, int d);
/* Returns the text for the number of bits by which n is shifted instead of being divided. */
const char *translator_glsl_shift(int number, int sizes, int d);
/* Returns the text for n divided by the size, by a shift if possible. */
const char *translator_glsl_over(const Translator *t, const char *n, int number, int sizes, int d);
/* Writes a condition: whether the point name0, name1 ... lies in the domain. */
void translator_glsl_inside(const Translator *t, StrBuf *out, int number, const char *name);
/* Writes an expression: the row-major index of `count` digits name<first> ..., whose sizes are the numbers
 * from `sizes` on; 0 if there are none. */
void translator_glsl_join(StrBuf *out, int number, const char *name, int first, int count, int sizes);
/* Writes statements that split `from` into the row-major digits name<first> ..., which are declared. The
 * last digit gets the remaining quotient. */
void translator_glsl_split(const Translator *t, StrBuf *out, int number, const char *from, const char *name, int first,
                           int count, int sizes);

#endif
