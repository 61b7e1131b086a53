/* What the files that convert Brook's bodies share: a place in a module's tokens, and the tokens written so far. */
#ifndef RILL_KERNEL_DIALECT_BROOK_WRITER_H
#define RILL_KERNEL_DIALECT_BROOK_WRITER_H

#include "kernel/dialect/brook_value.h"

typedef struct BrookName {
    Token token;
    int depth; /* of the block that declares it */
    Value value;
} BrookName;

typedef struct BrookWriter {
    Module *module;
    const Function *function; /* whose body this is; NULL: a constant */
    size_t at, last;          /* the next token, one past the last */
    int depth;
    TokenList out;
    struct {
        BrookName *items;
        size_t count, capacity;
    } names;
    struct {
        BrookName *items;
        size_t count, capacity;
    } temporaries; /* of the function */
} BrookWriter;

/* The next token, TOKEN_END where there is none; the one after it. */
const Token *brook_peek(const BrookWriter *w);
const Token *brook_peek_next(const BrookWriter *w);
bool brook_next_is(const BrookWriter *w, const char *text);

/* All return false with error_set. The first copies the next token, the second all up to `until`. */
bool brook_put(BrookWriter *w);
bool brook_put_until(BrookWriter *w, size_t until);
/* Up to the mark that ends what stands here, one of `ends` ("," ";") or a bracket that closes: for what is not understood. */
bool brook_put_rest(BrookWriter *w, const char *ends);
/* Writes a word or mark of GLSL in front of output token `at`, or in its place: no name of the user's, it stays as it is. */
bool brook_insert(BrookWriter *w, size_t at, const char *text);
void brook_replace(BrookWriter *w, size_t at, const char *text);
/* Copies a token in front of output token `at`. */
bool brook_insert_token(BrookWriter *w, size_t at, Token token);
/* Makes output tokens [first, last) the argument of a function, or with NULL puts them in brackets: *last is behind them then. */
bool brook_wrap(BrookWriter *w, size_t first, size_t *last, const char *function);

/* Whether output tokens [first, last) change something by ++, --, an assignment, or a function with an output. */
bool brook_changes(const BrookWriter *w, size_t first, size_t last);

/* The same as GLSL wants it where `want` is taken: *last moves, and *value is `want` where it was converted. */
bool brook_fit(BrookWriter *w, size_t first, size_t *last, Value *value, Value want);

/* A variable, parameter or constant is there from here on, to the end of its block. */
bool brook_declare(BrookWriter *w, const Token *name, Value value);
/* Makes a variable of a name that no other has; the function declares it at its begin. */
bool brook_temporary(BrookWriter *w, Value value, Token *name);
/* Writes these declarations in front of output token `at`. */
bool brook_declare_temporaries(BrookWriter *w, size_t at);
/* Leaves a block: its names are gone. */
void brook_leave(BrookWriter *w);
/* The variable, parameter or constant of that name; NULL: none. */
const BrookName *brook_name(const BrookWriter *w, const Token *name);

/* Converts what stands at the place; *value is what it gives. Those of one level of brook_operator.h or a tighter one; 0: all but
 * commas. */
bool brook_expression(BrookWriter *w, int level, Value *value);
/* The statements of a body, and the declaration of a constant (behind `const`). */
bool brook_statements(BrookWriter *w);
bool brook_declaration(BrookWriter *w);

#endif
