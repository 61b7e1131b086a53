/* Words: how Brook's, Cg's and users' names become GLSL's. */
#ifndef RILL_KERNEL_TEXT_NAMES_H
#define RILL_KERNEL_TEXT_NAMES_H

#include "kernel/text/lexer.h"

/* The GLSL spelling of a Brook or Cg type or function ("float4" -> "vec4", "lerp" -> "mix"); NULL when it has none. */
const char *names_spelling(const Token *token);
/* The same in the initialiser of a constant, where GLSL allows its own functions only. */
const char *names_constant_spelling(const Token *token);
/* Functions that GLSL or Cg has: within a function of the same name they are meant, as recursion is not. */
bool names_builtin(const Token *token);
/* Words GLSL keeps for itself, which a field may not be called. */
bool names_reserved(const Token *token);
/* What goes in front of a field's name: "m_" where GLSL reserves the name, or a macro of a generated program may have it; else "". */
const char *names_field(const Token *token);

#endif
