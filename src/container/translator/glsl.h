/* Writing translators as text: what all kinds need. */
#ifndef RILL_CONTAINER_TRANSLATOR_GLSL_H
#define RILL_CONTAINER_TRANSLATOR_GLSL_H

#include "container/translator/translator_kind.h"

/* Functions that all texts use; once in a program. */
extern const char translator_glsl_functions[];
/* Writes a translator, and those it is made of, as functions; its number. */
int translator_glsl_write(const Translator *t, TranslatorGlsl *text);

/* "bool t3_translate(...) {" of translator number 3. */
void translator_glsl_open(const Translator *t, TranslatorGlsl *text, int number);
/* The arguments that it is called with behind the coordinates: ", t3_n0, t3_t"; as parameters ", ivec4 t3_n0, int t3_t[]". */
void translator_glsl_given(const Translator *t, StrBuf *out, Direction direction, int number, bool parameters);
/* Those arguments for a launch, in order; how many. */
int translator_glsl_give(const Translator *t, Direction direction, Argument *args);
/* "name0, name1 ...", each behind `word`. */
void translator_glsl_list(StrBuf *out, const char *word, const char *name, int count);
/* Number k of translator `number`: "t3_n1.y"; valid until the sixteenth further call on this thread. */
const char *translator_glsl_number(int number, int k);
/* The size of dimension d, of sizes whose numbers start at `sizes`; and `n` over it, for any n from 0. Valid as long. */
const char *translator_glsl_size(int number, int sizes, int d);
const char *translator_glsl_quotient(const char *n, int number, int sizes, int d);
/* Whether a translator's size is a power of two; then by how much n is shifted instead of being divided. n over the size, one way or the
 * other. */
bool translator_glsl_shifts(const Translator *t, int sizes, int d);
const char *translator_glsl_shift(int number, int sizes, int d);
const char *translator_glsl_over(const Translator *t, const char *n, int number, int sizes, int d);
/* A condition: whether name0, name1 ... lie in the domain. */
void translator_glsl_inside(const Translator *t, StrBuf *out, int number, const char *name);
/* An expression: row-major from digits name<first> ..., `count` of them, whose sizes are numbers from `sizes` on; 0 of none. */
void translator_glsl_join(StrBuf *out, int number, const char *name, int first, int count, int sizes);
/* Statements: the digits name<first> ... of `from` become its row-major digits; they are declared already. The last takes what is left. */
void translator_glsl_split(const Translator *t, StrBuf *out, int number, const char *from, const char *name, int first,
                           int count, int sizes);

#endif
