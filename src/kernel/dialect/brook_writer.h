/* Declares the state and the functions that the files of the Brook dialect share. The state is a
 * position in the module's tokens, and the output: the tokens written so far. Functions that write and
 * return bool return false with error_set on failure. */
#ifndef RILL_KERNEL_DIALECT_BROOK_WRITER_H
#define RILL_KERNEL_DIALECT_BROOK_WRITER_H

#include "kernel/dialect/brook_value.h"

typedef struct BrookName {
    Token token;
    int depth; /* depth of the block that declares it */
    Value value;
} BrookName;

typedef struct BrookWriter {
    Module *module;
    const Function *function; /* the function whose body is converted; NULL: a constant */
    size_t at, last;          /* the next token; one past the last token */
    int depth;
    TokenList out;
    struct {
        BrookName *items;
        size_t count, capacity;
    } names;
    struct {
        BrookName *items;
        size_t count, capacity;
    } temporaries; /* temporary variables of the function */
} BrookWriter;

/* Returns the next token; TOKEN_END at the end. */
const Token *brook_peek(const BrookWriter *w);
/* Returns the token after the next one. */
const Token *brook_peek_next(const BrookWriter *w);
/* Returns whether the next token has this text. */
bool brook_next_is(const BrookWriter *w, const char *text);

/* Copies the next token to the output. On failure this function and all functions below that return
 * bool, except brook_changes, return false with error_set. */
bool brook_put(BrookWriter *w);
/* Copies all tokens up to `until`. */
bool brook_put_until(BrookWriter *w, size_t until);
/* Copies tokens up to one of the marks in `ends` ("," ";") or to a closing bracket. Used for constructs
 * that are not analyzed. */
bool brook_put_rest(BrookWriter *w, const char *ends);
/* Inserts a word or mark of GLSL before output token `at`. It is not treated as a name in the kernel
 * text. */
bool brook_insert(BrookWriter *w, size_t at, const char *text);
/* Replaces output token `at` by a word or mark of GLSL. */
void brook_replace(BrookWriter *w, size_t at, const char *text);
/* Inserts a copy of a token before output token `at`. */
bool brook_insert_token(BrookWriter *w, size_t at, Token token);
/* Encloses output tokens [first, *last) in parentheses, and writes the name of the function before the
 * parentheses unless `function` is NULL. *last becomes the end of the result. */
bool brook_wrap(BrookWriter *w, size_t first, size_t *last, const char *function);

/* Returns whether output tokens [first, last) change a variable by ++, --, an assignment, or a call of
 * a function with an output. */
bool brook_changes(const BrookWriter *w, size_t first, size_t last);

/* Converts output tokens [first, *last) from type *value to `want`, if a conversion exists. Updates
 * *last, and *value if it was converted. */
bool brook_fit(BrookWriter *w, size_t first, size_t *last, Value *value, Value want);

/* Declares a variable, parameter or constant from the current position to the end of its block. */
bool brook_declare(BrookWriter *w, const Token *name, Value value);
/* Creates a variable with a unique name. It is declared at the beginning of the function. */
bool brook_temporary(BrookWriter *w, Value value, Token *name);
/* Writes the declarations of the temporary variables before output token `at`. */
bool brook_declare_temporaries(BrookWriter *w, size_t at);
/* Leaves a block and removes the names declared in it. */
void brook_leave(BrookWriter *w);
/* Returns the variable, parameter or constant with this name, or NULL. */
const BrookName *brook_name(const BrookWriter *w, const Token *name);

/* Converts the expression at the current position, and sets *value to its type. `level` is the lowest
 * precedence (OperatorLevel) of the operators to include. If it is 0, all operators except the comma
 * are included. */
bool brook_expression(BrookWriter *w, int level, Value *value);
/* Converts the statements of a body. */
bool brook_statements(BrookWriter *w);
/* Converts the declaration of a constant. The current position is after `const`. */
bool brook_declaration(BrookWriter *w);

#endif
