/* State and functions that the files of the parser share. Each function that parses a construct returns its node. After
 * an error the rest of the text reads as its end until parsing resumes, so that no function needs to return early. */
#ifndef RILL_KERNEL_TREE_PARSE_PRIVATE_H
#define RILL_KERNEL_TREE_PARSE_PRIVATE_H

#include "kernel/tree/parse.h"

typedef struct Parse {
    Tree *tree;
    Messages *messages;
    const Token *tokens;
    uint32_t at;       /* the next token */
    uint32_t end;      /* the token TOKEN_END */
    uint32_t last;     /* the token that ends the block or the list of declarations that is being parsed */
    uint32_t *closing; /* for each opening bracket: the token that closes it */
    int depth;         /* nesting of statements and operators */
    bool damaged;      /* an error was reported, and parsing has not resumed */
    bool ended;        /* a declaration was ended by a comma, after an error */
    bool stopped;      /* parsing does not resume */
    struct {
        uint32_t *items; /* tokens */
        size_t count, capacity;
    } variables, structures; /* variables in scope, and all structures of the text */
} Parse;

/* Returns the next token, or the end of the text if it is damaged. */
const Token *parse_peek(const Parse *p);
/* Returns whether the next token is this word or mark. */
bool parse_is(const Parse *p, const char *text);
/* Consumes the next token if it is this word or mark. Returns whether it did. */
bool parse_accept(Parse *p, const char *text);
/* Consumes the next token, or adds the error that `expected` was expected instead. */
void parse_expect(Parse *p, const char *text, const char *expected);
/* Adds the error that `expected` was expected instead of the next token. Returns a Damaged node. */
NodeIndex parse_fail(Parse *p, const char *expected);
/* Returns what to write instead of the next token where it cannot stand, after a line end; "": there is no advice.
 * `statement`: a ';' could stand there. */
const char *parse_remedy(const Parse *p, bool statement);
/* Adds an error at a token unless the text is damaged there already. */
void parse_error(Parse *p, uint32_t token, const char *format, ...) ERROR_PRINTF(3, 4);
/* Resumes at a token, which is not before the next one. */
void parse_resume(Parse *p, uint32_t token);
/* Consumes the bracket that closes the one at token `open`. Resumes after it if the text is damaged. */
void parse_close(Parse *p, uint32_t open, const char *expected);
/* Counts a level of nesting. Adds an error and returns false if there are too many. The caller restores p->depth. */
bool parse_deeper(Parse *p);
/* Adds a node at a token with up to three children; 0: none. */
NodeIndex parse_node(Parse *p, NodeKind kind, uint32_t token, NodeIndex a, NodeIndex b, NodeIndex c);
/* Adds a node at the next token, which is consumed. */
NodeIndex parse_leaf(Parse *p, NodeKind kind);
/* Begins the children of a node. */
Children parse_children(Parse *p, NodeIndex parent);
/* Declares the variable whose name is a token, until the caller restores p->variables.count. */
void parse_declare_name(Parse *p, uint32_t token);

/* Returns whether a token is a word of the grammar, which no name can be: `if`, `return` ... */
bool parse_keyword(const Token *token);
/* Consumes the words before a type whose flags are in `allowed`, and returns their flags. */
uint32_t parse_words(Parse *p, uint32_t allowed);
/* Returns the token after the type at token i: a name or two words, and brackets. */
uint32_t parse_after_type(const Parse *p, uint32_t i);
/* Parses a type with its brackets. */
NodeIndex parse_type(Parse *p);
/* Parses "[n][m]" as children. */
void parse_lengths(Parse *p, Children *children);
/* Returns whether a variable of this name is in scope. */
bool parse_variable(const Parse *p, const Token *name);
/* Consumes a name. Returns its token. */
uint32_t parse_name(Parse *p, const char *expected);

/* Parses an expression with commas. */
NodeIndex parse_expression(Parse *p);
/* Parses an expression without commas. */
NodeIndex parse_value(Parse *p);
/* Parses an expression without comparisons, as in the sizes of a stream: x<4, 4>. */
NodeIndex parse_sum(Parse *p);

/* Returns whether a declaration of variables begins at the next token. */
bool parse_declares(const Parse *p);
/* Parses a declaration of variables without its semicolon. */
NodeIndex parse_declaration(Parse *p);
/* Parses "T a, b[2] = {x, y}", of which the words before the type were consumed. */
NodeIndex parse_variables(Parse *p, NodeKind kind, uint32_t flags);
/* Consumes a semicolon. If it is missing at the end of a line, parsing resumes on the next line. */
void parse_semicolon(Parse *p);
/* Parses a statement. Resumes after a damaged one. */
NodeIndex parse_statement(Parse *p);
/* Parses a block. */
NodeIndex parse_block(Parse *p);
/* Parses a declaration outside of functions. Resumes after a damaged one. */
NodeIndex parse_outer(Parse *p);
/* Returns whether a structure with its fields begins at the next token. */
bool parse_defines_structure(const Parse *p);
/* Parses the fields of a structure with their braces, as children. */
void parse_fields(Parse *p, Children *children);
/* Parses "struct P { fields }", in which the name may be missing. */
NodeIndex parse_structure(Parse *p);

#endif
