/* The tokens of kernel text. */
#ifndef RILL_KERNEL_TEXT_TOKEN_H
#define RILL_KERNEL_TEXT_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

/* TOKEN_OTHER: a character that kernel text has not, but conditionals may skip. */
typedef enum TokenKind { TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_MARK, TOKEN_OTHER } TokenKind;

typedef struct Token {
    TokenKind kind;
    const char *text; /* not terminated; in the source text */
    int length;
    bool spaced;      /* blank space stood before it */
    bool starts_line; /* first on its line */
    bool final;       /* a macro's own name within its expansion: not expanded again */
    size_t offset;    /* in the source; of a macro's expansion: where the macro was used */
} Token;

typedef struct TokenList {
    Token *items;
    size_t count, capacity;
} TokenList;

/* Sets the kind and the length of the token whose text begins at token->text and ends before `end`. */
void token_scan(Token *token, const char *end);

/* Frees the tokens and empties the list. */
void token_list_free(TokenList *tokens);

/* By their characters alone, whatever their kind. */
bool token_is(const Token *token, const char *text);
bool token_equal(const Token *a, const Token *b);
/* Whether it is one of a list that ends in NULL. */
bool token_any(const Token *token, const char *const *list);
/* 1 of a bracket that opens, -1 of one that closes, else 0. */
int token_nesting(const Token *token);

#endif
