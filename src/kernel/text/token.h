/* Tokens of kernel text. */
#ifndef RILL_KERNEL_TEXT_TOKEN_H
#define RILL_KERNEL_TEXT_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

/* TOKEN_OTHER: a string, or a character that is not part of the language, which may occur in skipped conditional parts. */
typedef enum TokenKind { TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_MARK, TOKEN_OTHER } TokenKind;

typedef struct Token {
    TokenKind kind;
    const char *text; /* not terminated; part of the source text */
    int length;
    bool spaced;      /* preceded by white space */
    bool starts_line; /* first on its line */
    bool final;       /* the name of a macro within the macro's own expansion: it is not expanded again */
    size_t offset;    /* in the source; for a token of a macro's expansion: where the macro was used */
} Token;

typedef struct TokenList {
    Token *items;
    size_t count, capacity;
} TokenList;

/* Sets the kind and the length of the token at token->text. The source text ends before `end`. */
void token_scan(Token *token, const char *end);

/* Frees the tokens and empties the list. */
void token_list_free(TokenList *tokens);

/* Returns whether the characters of a token are `text`, whatever its kind. */
bool token_is(const Token *token, const char *text);
/* Returns whether two tokens have the same characters. */
bool token_equal(const Token *a, const Token *b);
/* Returns whether a token is one of a list that ends in NULL. */
bool token_any(const Token *token, const char *const *list);
/* Returns 1 for an opening bracket, -1 for a closing one, otherwise 0. */
int token_nesting(const Token *token);

#endif
