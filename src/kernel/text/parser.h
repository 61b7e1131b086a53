/* State and functions that the files of the parser share: a position in the tokens, and functions
 * that consume tokens. */
#ifndef RILL_KERNEL_TEXT_PARSER_H
#define RILL_KERNEL_TEXT_PARSER_H

#include "kernel/text/module.h"

typedef struct Parser {
    Module *module;
    size_t at;
    const ParamKindInfo *kinds; /* for suggestions */
} Parser;

/* Returns the next token. */
const Token *parser_peek(const Parser *p);
/* Consumes the next token if it has this text. Returns whether it did. */
bool parser_accept(Parser *p, const char *text);
/* Sets the error that `expected` was expected instead of the next token. Returns false. */
bool parser_fail(const Parser *p, const char *expected);
/* Consumes the next token, which must have this text. Returns false with an error otherwise. */
bool parser_expect(Parser *p, const char *text, const char *expected);
/* Consumes a name. *offset becomes its position in the source. Returns false with an error otherwise. */
bool parser_name(Parser *p, char name[MAX_NAME + 1], size_t *offset, const char *expected);
/* Consumes a type: see module_type. Returns false with an error otherwise. */
bool parser_type(Parser *p, const Type **type, int *matrix);
/* Returns whether the module defines a function, a structure or a constant with this name. */
bool parser_declared(const Module *m, const Token *name);
/* Returns false with an error if the next name is already defined. */
bool parser_check_new(Parser *p);
/* Consumes the parameters of a function with their parentheses. Returns false with an error on
 * failure. */
bool parser_params(Parser *p, Function *f);
/* Moves to the token after the bracket that closes the bracket that is the next token. Brackets match (brackets.h). */
void parser_skip_bracket(Parser *p);

#endif
