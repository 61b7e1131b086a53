/* What the files that parse kernel text share: a place in the tokens, and steps from it. All report what was expected. */
#ifndef RILL_KERNEL_TEXT_PARSER_H
#define RILL_KERNEL_TEXT_PARSER_H

#include "kernel/text/module.h"

typedef struct Parser {
    Module *module;
    size_t at;
} Parser;

/* Each moves on when it finds what its name says; false after an error. */
const Token *parser_peek(const Parser *p);
bool parser_accept(Parser *p, const char *text);
bool parser_fail(const Parser *p, const char *expected);
bool parser_expect(Parser *p, const char *text, const char *expected);
bool parser_name(Parser *p, char name[MAX_NAME + 1], size_t *offset, const char *expected);
bool parser_type(Parser *p, const Type **type, int *matrix);
bool parser_declared(const Module *m, const Token *name);
bool parser_check_new(Parser *p);
bool parser_params(Parser *p, Function *f);
/* Moves behind the bracket that closes the one at the place: brackets match (brackets.h). */
void parser_skip_bracket(Parser *p);

#endif
