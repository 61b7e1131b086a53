/* Translates names of Brook, Cg and the user to GLSL. */
#ifndef RILL_KERNEL_TEXT_NAMES_H
#define RILL_KERNEL_TEXT_NAMES_H

#include "kernel/text/lexer.h"

/* Returns the GLSL spelling of a Brook or Cg type or function ("float4" -> "vec4", "lerp" ->
 * "mix"); NULL if the name is not one. */
const char *names_spelling(const Token *token);
/* Returns the spelling for the initializer of a constant, where GLSL allows only its own functions. */
const char *names_constant_spelling(const Token *token);
/* Returns whether GLSL or Cg has a function of this name. Within a user's function of the same name
 * a call means the built-in function, since recursion is not allowed. */
bool names_builtin(const Token *token);
/* Returns the name of function i, from 0, of which names_builtin returns true; NULL after the last one. */
const char *names_builtin_at(size_t i);
/* Returns whether GLSL reserves the word, so that a field cannot have this name. */
bool names_reserved(const Token *token);
/* Returns the prefix of a field's name: "m_" if GLSL reserves the name or a macro of a generated
 * program may have it; otherwise "". */
const char *names_field(const Token *token);

#endif
