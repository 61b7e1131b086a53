#include "kernel/macro.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_PARAMETERS = 32, MAX_DEPTH = 64, MAX_TOKENS = 1 << 20 };

typedef struct Macro {
    Token name;
    bool has_parameters;
    int parameter_count;
    Token parameters[MAX_PARAMETERS];
    const Token *body;
    size_t body_count;
    bool expanding;
} Macro;

typedef struct Expander {
    const SourceText *source;
    struct {
        Macro *items;
        size_t count, capacity;
    } macros;
    TokenList *out;
    int depth;      /* depth of conditionals */
    bool taken[MAX_DEPTH], active[MAX_DEPTH];
    int nesting;
} Expander;

static Macro *find_macro(Expander *x, const Token *name)
{
    for (size_t i = x->macros.count; i-- > 0;) {
        if (token_equal(&x->macros.items[i].name, name)) {
            return &x->macros.items[i];
        }
    }
    return NULL;
}

static bool emit(Expander *x, Token token)
{
    if (!ARRAY_ROOM(x->out)) {
        return false;
    }
    if (x->out->count > MAX_TOKENS) {
        return source_error(x->source, token.offset, "macros expand to more than %d tokens", MAX_TOKENS);
    }
    x->out->items[x->out->count++] = token;
    return true;
}

static bool expand_range(Expander *x, const Token *tokens, size_t count, const Token *place);

typedef struct MacroArguments {
    const Token *start[MAX_PARAMETERS];
    size_t count[MAX_PARAMETERS];
    int number;
    size_t used; /* tokens from the opening parenthesis to the closing one */
} MacroArguments;

/* Splits "( a, b )" at `tokens`; false with an error when it isn't closed. */
static bool split_arguments(Expander *x, const Macro *macro, const Token *tokens, size_t count, MacroArguments *args)
{
    int depth = 0;
    size_t start = 1;
    args->number = 0;
    for (size_t i = 0; i < count && tokens[i].kind != TOKEN_END; i++) {
        bool open = token_is(&tokens[i], "(") || token_is(&tokens[i], "[") || token_is(&tokens[i], "{");
        bool close = token_is(&tokens[i], ")") || token_is(&tokens[i], "]") || token_is(&tokens[i], "}");
        depth += open - close;
        if ((depth == 1 && token_is(&tokens[i], ",")) || depth == 0) {
            if (args->number < MAX_PARAMETERS) {
                args->start[args->number] = tokens + start;
                args->count[args->number] = i - start;
            }
            args->number++;
            start = i + 1;
        }
        if (depth == 0) {
            args->used = i + 1;
            if (args->number == 1 && args->count[0] == 0 && macro->parameter_count == 0) {
                args->number = 0;
            }
            if (args->number != macro->parameter_count) {
                return source_error(x->source, tokens[0].offset, "macro '%.*s' takes %d arguments, got %d",
                                    macro->name.length, macro->name.text, macro->parameter_count, args->number);
            }
            return true;
        }
    }
    return source_error(x->source, tokens[0].offset, "the arguments of macro '%.*s' are never closed",
                        macro->name.length, macro->name.text);
}

static int parameter_index(const Macro *macro, const Token *token)
{
    for (int i = 0; i < macro->parameter_count; i++) {
        if (token_equal(&macro->parameters[i], token)) {
            return i;
        }
    }
    return -1;
}

static bool expand_macro(Expander *x, size_t index, const MacroArguments *args, const Token *place)
{
    TokenList body = {0};
    const Macro *macro = &x->macros.items[index];
    bool done = true;
    for (size_t i = 0; done && i < macro->body_count; i++) {
        const Token *token = &macro->body[i];
        int p = token->kind == TOKEN_NAME && macro->has_parameters ? parameter_index(macro, token) : -1;
        const Token *from = p < 0 ? token : args->start[p];
        size_t count = p < 0 ? 1 : args->count[p];
        for (size_t k = 0; done && k < count; k++) {
            done = ARRAY_ROOM(&body);
            if (done) {
                body.items[body.count++] = from[k];
            }
        }
    }
    if (done && ++x->nesting > MAX_DEPTH) {
        done = source_error(x->source, place->offset, "macros are nested more than %d deep", MAX_DEPTH);
    }
    x->macros.items[index].expanding = true;
    done = done && expand_range(x, body.items, body.count, place);
    x->macros.items[index].expanding = false;
    x->nesting--;
    free(body.items);
    return done;
}

/* Expands tokens; with `place` set they come from a macro and take its place in messages. */
static bool expand_range(Expander *x, const Token *tokens, size_t count, const Token *place)
{
    for (size_t i = 0; i < count; i++) {
        Token token = tokens[i];
        Macro *macro = token.kind == TOKEN_NAME ? find_macro(x, &token) : NULL;
        bool call = macro && !macro->expanding;
        if (call && macro->has_parameters && (i + 1 >= count || !token_is(&tokens[i + 1], "("))) {
            call = false;
        }
        if (place) {
            token.offset = place->offset;
            token.starts_line = false;
            token.spaced = true;
        }
        if (!call) {
            if (!emit(x, token)) {
                return false;
            }
            continue;
        }
        MacroArguments args = {.used = 0};
        if (macro->has_parameters && !split_arguments(x, macro, tokens + i + 1, count - i - 1, &args)) {
            return false;
        }
        if (!expand_macro(x, (size_t)(macro - x->macros.items), &args, &token)) {
            return false;
        }
        i += args.used;
    }
    return true;
}

static size_t line_length(const Token *tokens)
{
    size_t n = 0;
    while (tokens[n].kind != TOKEN_END && (n == 0 || !tokens[n].starts_line)) {
        n++;
    }
    return n;
}

static bool define(Expander *x, const Token *line, size_t count)
{
    if (count < 3 || line[2].kind != TOKEN_NAME) {
        return source_error(x->source, line[0].offset, "#define needs a name");
    }
    Macro macro = {.name = line[2]};
    size_t i = 3;
    if (i < count && token_is(&line[i], "(") && !line[i].spaced) {
        macro.has_parameters = true;
        for (i++; i < count && !token_is(&line[i], ")"); i++) {
            if (token_is(&line[i], ",")) {
                continue;
            }
            if (line[i].kind != TOKEN_NAME || macro.parameter_count == MAX_PARAMETERS) {
                return source_error(x->source, line[i].offset, "a macro takes up to %d plain names as parameters",
                                    MAX_PARAMETERS);
            }
            macro.parameters[macro.parameter_count++] = line[i];
        }
        if (i == count) {
            return source_error(x->source, line[0].offset, "the parameters of this #define are never closed");
        }
        i++;
    }
    macro.body = line + i;
    macro.body_count = count - i;
    for (; i < count; i++) {
        if (token_is(&line[i], "#") || token_is(&line[i], "##")) {
            return source_error(x->source, line[i].offset, "'#' and '##' in macros are not supported");
        }
    }
    if (!ARRAY_ROOM(&x->macros)) {
        return false;
    }
    x->macros.items[x->macros.count++] = macro;
    return true;
}

static void undefine(Expander *x, const Token *name)
{
    for (size_t i = 0; i < x->macros.count; i++) {
        if (token_equal(&x->macros.items[i].name, name)) {
            /* An empty name matches nothing; bodies in use stay valid. */
            x->macros.items[i].name.length = 0;
        }
    }
}

/* The value of "#if": integers, defined(NAME), !, and names that expand to integers. */
static bool condition(Expander *x, const Token *line, size_t count, bool *value)
{
    size_t i = 2;
    bool negate = false;
    while (i < count && token_is(&line[i], "!")) {
        negate = !negate;
        i++;
    }
    Token token = i < count ? line[i] : line[0];
    if (i < count && token_is(&token, "defined")) {
        i += i + 1 < count && token_is(&line[i + 1], "(") ? 2 : 1;
        *value = (i < count && find_macro(x, &line[i]) != NULL) != negate;
        return true;
    }
    const Macro *macro = token.kind == TOKEN_NAME ? find_macro(x, &token) : NULL;
    if (macro && macro->body_count == 1) {
        token = macro->body[0];
    }
    if (i + 1 != count || (token.kind != TOKEN_NUMBER && token.kind != TOKEN_NAME)) {
        return source_error(x->source, line[0].offset, "#if takes a number, a name or defined(name)");
    }
    *value = (token.kind == TOKEN_NUMBER && strtol(token.text, NULL, 0) != 0) != negate;
    return true;
}

static bool branch(Expander *x, const Token *line, bool value)
{
    if (x->depth == MAX_DEPTH) {
        return source_error(x->source, line[0].offset, "conditionals are nested more than %d deep", MAX_DEPTH);
    }
    x->active[x->depth] = x->taken[x->depth] = value;
    x->depth++;
    return true;
}

static bool all_active(const Expander *x)
{
    for (int i = 0; i < x->depth; i++) {
        if (!x->active[i]) {
            return false;
        }
    }
    return true;
}

static bool conditional(Expander *x, const Token *line, size_t count, bool *handled)
{
    const Token *word = &line[1];
    bool value = false;
    *handled = true;
    if (token_is(word, "if") || token_is(word, "ifdef") || token_is(word, "ifndef")) {
        if (all_active(x)) {
            if (token_is(word, "if")) {
                if (!condition(x, line, count, &value)) {
                    return false;
                }
            } else if (count < 3) {
                return source_error(x->source, line[0].offset, "#%.*s needs a name", word->length, word->text);
            } else {
                value = (find_macro(x, &line[2]) != NULL) == token_is(word, "ifdef");
            }
        }
        return branch(x, line, value);
    }
    bool elif = token_is(word, "elif");
    if (elif || token_is(word, "else") || token_is(word, "endif")) {
        if (x->depth == 0) {
            return source_error(x->source, line[0].offset, "#%.*s without #if", word->length, word->text);
        }
        int top = x->depth - 1;
        if (token_is(word, "endif")) {
            x->depth--;
            return true;
        }
        x->active[top] = false;
        value = true;
        if (elif && !x->taken[top] && !condition(x, line, count, &value)) {
            return false;
        }
        x->active[top] = value && !x->taken[top];
        x->taken[top] = x->taken[top] || value;
        return true;
    }
    *handled = false;
    return true;
}

static bool directive(Expander *x, const Token *line, size_t count)
{
    if (count < 2) {
        return true;
    }
    bool handled;
    if (!conditional(x, line, count, &handled)) {
        return false;
    }
    if (handled || !all_active(x)) {
        return true;
    }
    if (token_is(&line[1], "define")) {
        return define(x, line, count);
    }
    if (token_is(&line[1], "undef") && count == 3) {
        undefine(x, &line[2]);
        return true;
    }
    return source_error(x->source, line[0].offset,
                        "'#%.*s' is not supported in kernel text: #define, #undef and #if ... #endif are",
                        line[1].length, line[1].text);
}

/* Plain text runs to the next directive, so that a macro call may span lines. */
static size_t run_length(const Token *tokens)
{
    size_t n = 0;
    while (tokens[n].kind != TOKEN_END && !(tokens[n].starts_line && token_is(&tokens[n], "#"))) {
        n++;
    }
    return n;
}

bool macro_expand(const SourceText *source, const TokenList *raw, TokenList *out)
{
    Expander x = {.source = source, .out = out};
    bool done = true;
    size_t i = 0;
    while (done && raw->items[i].kind != TOKEN_END) {
        const Token *at = &raw->items[i];
        if (at->starts_line && token_is(at, "#")) {
            size_t count = line_length(at);
            done = directive(&x, at, count);
            i += count;
        } else {
            size_t count = run_length(at);
            done = !all_active(&x) || expand_range(&x, at, count, NULL);
            i += count;
        }
    }
    if (done && x.depth > 0) {
        done = source_error(source, raw->items[i].offset, "#if without #endif");
    }
    done = done && emit(&x, raw->items[i]);
    free(x.macros.items);
    return done;
}
