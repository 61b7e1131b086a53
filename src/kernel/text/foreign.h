/* Recognizes syntax and names of Lua, Python and C in kernel texts that do not compile. */
#ifndef RILL_KERNEL_TEXT_FOREIGN_H
#define RILL_KERNEL_TEXT_FOREIGN_H

#include "base/strbuf.h"
#include "kernel/text/module.h"

/* Searches an invalid text for syntax that GLSL does not have, such as `x and y`. Returns a message that names the GLSL
 * form, and sets *offset to the position of the syntax; NULL if there is none. */
const char *foreign_syntax(const SourceText *source, size_t *offset);

/* The functions below append a suggestion to a message about an unknown name, such as "; did you mean 'float'?". They
 * append nothing if no known name resembles it. */

/* Returns whether kernel text has a function of this name. */
typedef bool (*ForeignKnown)(const Token *name);

/* Suggests what replaces the call of a function of another language. Returns whether there is a suggestion. */
bool foreign_called(StrBuf *text, const Token *name, ForeignKnown known);
/* Suggests a replacement of an undeclared value that other languages have. The tokens after the name are read. */
void foreign_value(StrBuf *text, const Token *name, ForeignKnown known);
/* Suggests the index of an element for an undeclared name such as `i`. */
void foreign_index(StrBuf *text, const Token *name);

/* The known name that is nearest to an unknown one. */
typedef struct Nearest {
    char name[MAX_NAME + 1];
    const char *best; /* NULL: none, or several names are equally near */
    int distance;
} Nearest;

/* Begins the search for the name nearest to an unknown name. */
Nearest foreign_nearest(const Token *name);
/* Compares a known name, which must live until foreign_add. */
void foreign_try(Nearest *n, const char *known);
/* Appends the suggestion. */
void foreign_add(const Nearest *n, StrBuf *text);
/* Suggests a replacement of a word before a declaration that other languages have. The tokens after the word are read.
 * Returns whether the word is known. */
bool foreign_word(StrBuf *text, const Token *name);
/* Suggests a type, or a word that may be before a type: `kernel` or the word of a row of `kinds`, which is param_kinds.
 * The structures of the text were compared with `n` before. */
void foreign_type(StrBuf *text, const ParamKindInfo *kinds, const Token *name, Nearest n);

#endif
