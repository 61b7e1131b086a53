#include "kernel/text/macro.h"

#include "base/array.h"
#include "base/strbuf.h"
#include "kernel/text/brackets.h"
#include "kernel/text/condition.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_PARAMETERS = 32, MAX_DEPTH = 64, MAX_MACROS = 1024, MAX_TOKENS = 1 << 20 };

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
    SourceText *source;
    struct {
        Macro *items;
        size_t count, capacity;
    } macros;
    int depth;                                               /* nesting of conditionals */
    bool taken[MAX_DEPTH], kept[MAX_DEPTH], last[MAX_DEPTH]; /* last: #else has occurred */
    int nesting;                                             /* nesting of expansions within arguments */
    size_t work; /* tokens processed: the expansion of macros can grow exponentially */
} Expander;

/* The texts that are still to be read: the kernel text at the bottom, and the macros being expanded above it. */
typedef struct Frame {
    const Token *tokens;
    size_t count, at;
    TokenList owned;
    Macro *macro; /* NULL: the text itself */
} Frame;

typedef struct TokenStack {
    Frame frames[MAX_DEPTH];
    int count;
} TokenStack;

typedef struct MacroArguments {
    TokenList lists[MAX_PARAMETERS];
    int number;
} MacroArguments;

static Macro *find_macro(Expander *x, const Token *name)
{
    for (size_t i = x->macros.count; name->kind == TOKEN_NAME && i-- > 0;) {
        if (token_equal(&x->macros.items[i].name, name)) {
            return &x->macros.items[i];
        }
    }
    return NULL;
}

static bool is_defined(Expander *x, const Token *name)
{
    int value;
    return find_macro(x, name) || condition_predefined(x->source, name, &value);
}

static bool refuse_other(const Expander *x, const Token *tokens, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (tokens[i].kind == TOKEN_OTHER && tokens[i].length == 1) {
            unsigned char byte = (unsigned char)*tokens[i].text;
            const char *text = tokens[i].text;
            bool character = byte == '\'' && text[1] && text[1] != '\n' && text[2] == '\'';
            return character
                       ? source_error(x->source, tokens[i].offset,
                                      "kernel text has no characters: write the number %d for '%c'", text[1], text[1])
                   : byte == '\'' || byte == '`'
                       ? source_error(x->source, tokens[i].offset, "kernel text has no strings")
                       : source_error(x->source, tokens[i].offset, "unexpected character (byte %d)", byte);
        }
    }
    return true;
}

static bool emit(Expander *x, TokenList *out, const Token *token)
{
    if (++x->work > MAX_TOKENS) {
        return source_error(x->source, token->offset, "macros expand to more than %d tokens", MAX_TOKENS);
    }
    if (!ARRAY_ROOM(out)) {
        return false;
    }
    out->items[out->count++] = *token;
    return true;
}

static void stack_pop(TokenStack *s)
{
    Frame *frame = &s->frames[--s->count];
    if (frame->macro) {
        frame->macro->expanding = false;
    }
    token_list_free(&frame->owned);
}

/* Returns the next token, or NULL at the end. Macros that end before it are left. */
static const Token *stack_next(TokenStack *s)
{
    while (s->count > 0) {
        Frame *frame = &s->frames[s->count - 1];
        if (frame->at < frame->count && frame->tokens[frame->at].kind != TOKEN_END) {
            return &frame->tokens[frame->at++];
        }
        stack_pop(s);
    }
    return NULL;
}

static bool opens_next(const TokenStack *s)
{
    for (int i = s->count; i-- > 0;) {
        const Frame *frame = &s->frames[i];
        if (frame->at < frame->count) {
            return token_is(&frame->tokens[frame->at], "(");
        }
    }
    return false;
}

static bool expand(Expander *x, const Token *tokens, size_t count, TokenList *out);

/* Reads the arguments "( a, b )" of a macro without expanding them. */
static bool read_arguments(Expander *x, TokenStack *s, const Macro *macro, const Token *place, MacroArguments *args)
{
    Brackets open = {0};
    for (const Token *t = stack_next(s); t; t = stack_next(s)) {
        Token token = *t;
        bool first = open.depth == 0;
        if (!brackets_step(&open, x->source, &token)) {
            return false;
        }
        if (open.depth == 0) {
            bool none = args->number == 0 && args->lists[0].count == 0 && macro->parameter_count == 0;
            args->number += !none;
            return args->number == macro->parameter_count ||
                   source_error(x->source, place->offset, "macro '%.*s' takes %d arguments, got %d", macro->name.length,
                                macro->name.text, macro->parameter_count, args->number);
        }
        if (open.depth == 1 && token_is(&token, ",")) {
            if (++args->number == MAX_PARAMETERS) {
                return source_error(x->source, place->offset, "macro '%.*s' takes %d arguments, got more",
                                    macro->name.length, macro->name.text, macro->parameter_count);
            }
        } else if (!first && !emit(x, &args->lists[args->number], &token)) {
            return false;
        }
    }
    return brackets_finish(&open, x->source);
}

static int parameter_index(const Macro *macro, const Token *token)
{
    for (int i = 0; macro->has_parameters && token->kind == TOKEN_NAME && i < macro->parameter_count; i++) {
        if (token_equal(&macro->parameters[i], token)) {
            return i;
        }
    }
    return -1;
}

/* Carries out "a ## b": joins token `at` of `out` and the next one. */
static bool join(Expander *x, TokenList *out, size_t at)
{
    Token *left = &out->items[at], *right = left + 1;
    StrBuf both = STRBUF_EMPTY;
    strbuf_addf(&both, "%.*s%.*s", left->length, left->text, right->length, right->text);
    Token token = *left;
    token.text = source_keep(x->source, strbuf_text(&both), both.length);
    strbuf_free(&both);
    if (!token.text) {
        return false;
    }
    int length = left->length + right->length;
    token_scan(&token, token.text + length);
    if (token.length != length || token.kind == TOKEN_OTHER) {
        return source_error(x->source, left->offset, "'##' can't join '%.*s' and '%.*s' to one token", left->length,
                            left->text, right->length, right->text);
    }
    token.final = false;
    *left = token;
    memmove(right, right + 1, (--out->count - at - 1) * sizeof *right);
    return true;
}

/* Adds token `i` of the body, or the argument that it stands for. Arguments are expanded, except
 * for operands of '##'. */
static bool add_operand(Expander *x, const Macro *macro, const MacroArguments *args, const Token *place, size_t i,
                        TokenList *out)
{
    Token token = macro->body[i];
    token.offset = place->offset;
    int p = parameter_index(macro, &macro->body[i]);
    bool joined = (i > 0 && token_is(&macro->body[i - 1], "##")) ||
                  (i + 1 < macro->body_count && token_is(&macro->body[i + 1], "##"));
    if (p < 0) {
        return emit(x, out, &token);
    }
    if (!joined) {
        return expand(x, args->lists[p].items, args->lists[p].count, out);
    }
    for (size_t k = 0; k < args->lists[p].count; k++) {
        if (!emit(x, out, &args->lists[p].items[k])) {
            return false;
        }
    }
    return true;
}

/* Writes the macro's body with its arguments inserted. */
static bool substitute(Expander *x, const Macro *macro, const MacroArguments *args, const Token *place, TokenList *out)
{
    bool left = false; /* the preceding operand was not empty */
    for (size_t i = 0; i < macro->body_count; i++) {
        const Token *token = &macro->body[i];
        if (macro->has_parameters && token_is(token, "#")) {
            return source_error(x->source, place->offset,
                                "macro '%.*s' makes a string with '#', but kernel text has no strings",
                                macro->name.length, macro->name.text);
        }
        bool joins = token_is(token, "##");
        i += joins;
        size_t first = out->count;
        if (!add_operand(x, macro, args, place, i, out)) {
            return false;
        }
        for (size_t k = first; k < out->count; k++) {
            out->items[k].starts_line = false;
            out->items[k].spaced = true;
        }
        bool any = out->count > first;
        if (joins && left && any && !join(x, out, first - 1)) {
            return false;
        }
        left = any || (joins && left);
    }
    return true;
}

static bool enter_macro(Expander *x, TokenStack *s, Macro *macro, const Token *place)
{
    MacroArguments args = {.number = 0};
    TokenList body = {0};
    bool done = !macro->has_parameters || read_arguments(x, s, macro, place, &args);
    done = done && substitute(x, macro, &args, place, &body);
    for (int i = 0; i < MAX_PARAMETERS; i++) {
        token_list_free(&args.lists[i]);
    }
    if (done && s->count == MAX_DEPTH) {
        done = source_error(x->source, place->offset, "macros are nested more than %d deep", MAX_DEPTH);
    }
    if (!done) {
        token_list_free(&body);
        return false;
    }
    macro->expanding = true;
    s->frames[s->count++] = (Frame){body.items, body.count, 0, body, macro};
    return true;
}

static bool expand_stack(Expander *x, TokenStack *s, TokenList *out)
{
    for (const Token *t = stack_next(s); t; t = stack_next(s)) {
        Token token = *t;
        Macro *macro = token.final ? NULL : find_macro(x, &token);
        if (macro && macro->expanding) {
            token.final = true;
        } else if (macro && (!macro->has_parameters || opens_next(s))) {
            if (!enter_macro(x, s, macro, &token)) {
                return false;
            }
            continue;
        }
        if (!emit(x, out, &token)) {
            return false;
        }
    }
    return true;
}

/* Appends the tokens to `out` with macros expanded. */
static bool expand(Expander *x, const Token *tokens, size_t count, TokenList *out)
{
    if (count == 0) {
        return true;
    }
    if (x->nesting == MAX_DEPTH) {
        return source_error(x->source, tokens->offset, "macros are nested more than %d deep", MAX_DEPTH);
    }
    x->nesting++;
    TokenStack s = {.count = 1};
    s.frames[0] = (Frame){.tokens = tokens, .count = count};
    bool done = expand_stack(x, &s, out);
    while (s.count > 0) {
        stack_pop(&s);
    }
    x->nesting--;
    return done;
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
    if (count > i && (token_is(&line[i], "##") || token_is(&line[count - 1], "##"))) {
        return source_error(x->source, line[0].offset, "'##' must be between two tokens of a macro");
    }
    if (x->macros.count == MAX_MACROS) {
        return source_error(x->source, line[0].offset, "a kernel text has at most %d macros", MAX_MACROS);
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
            /* An empty name matches nothing. Bodies in use stay valid. */
            x->macros.items[i].name.length = 0;
        }
    }
}

/* Evaluates the condition of "#if" or "#elif": replaces defined(NAME), then expands macros. */
static bool condition(Expander *x, const Token *line, size_t count, bool *value)
{
    TokenList plain = {0}, expanded = {0};
    bool done = true;
    for (size_t i = 2; done && i < count; i++) {
        Token token = line[i];
        if (token_is(&token, "defined")) {
            bool brackets = i + 1 < count && token_is(&line[i + 1], "(");
            i += brackets ? 2 : 1;
            bool closed = i < count && (!brackets || (i + 1 < count && token_is(&line[i + 1], ")")));
            if (!closed) {
                done = source_error(x->source, token.offset, "expected defined(name)");
                break;
            }
            token.kind = TOKEN_NUMBER;
            token.text = is_defined(x, &line[i]) ? "1" : "0";
            token.length = 1;
            i += brackets;
        }
        done = emit(x, &plain, &token);
    }
    done = done && expand(x, plain.items, plain.count, &expanded) &&
           condition_value(x->source, expanded.items, expanded.count, &line[0], value);
    token_list_free(&plain);
    token_list_free(&expanded);
    return done;
}

static bool branch(Expander *x, const Token *line, bool value)
{
    if (x->depth == MAX_DEPTH) {
        return source_error(x->source, line[0].offset, "conditionals are nested more than %d deep", MAX_DEPTH);
    }
    x->kept[x->depth] = x->taken[x->depth] = value;
    x->last[x->depth] = false;
    x->depth++;
    return true;
}

static bool all_kept(const Expander *x)
{
    for (int i = 0; i < x->depth; i++) {
        if (!x->kept[i]) {
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
        if (all_kept(x)) {
            if (token_is(word, "if")) {
                if (!condition(x, line, count, &value)) {
                    return false;
                }
            } else if (count < 3) {
                return source_error(x->source, line[0].offset, "#%.*s needs a name", word->length, word->text);
            } else {
                value = is_defined(x, &line[2]) == token_is(word, "ifdef");
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
        if (x->last[top]) {
            return source_error(x->source, line[0].offset, "#%.*s after #else", word->length, word->text);
        }
        x->last[top] = !elif;
        x->kept[top] = true;
        bool reached = all_kept(x); /* without the preceding branches */
        x->kept[top] = false;
        value = true;
        if (elif && reached && !x->taken[top] && !condition(x, line, count, &value)) {
            return false;
        }
        x->kept[top] = value && !x->taken[top];
        x->taken[top] = x->taken[top] || value;
        return true;
    }
    *handled = false;
    return true;
}

static bool unsupported(const Expander *x, const Token *line)
{
    static const char *const marks[] = {"version", "extension", "pragma", "line", "error", "warning", "import", NULL};
    const Token *word = &line[1];
    if (token_is(word, "include")) {
        return source_error(x->source, line[0].offset,
                            "'#include' is not supported in kernel text: join the texts in Lua, as in "
                            "rill.kernel(common .. text)");
    }
    if (word->spaced && !token_any(word, marks)) {
        return source_error(x->source, line[0].offset, "'#' does not begin a comment: write // before it");
    }
    return source_error(x->source, line[0].offset,
                        "'#%.*s' is not supported in kernel text: #define, #undef and #if ... #endif are%s",
                        word->length, word->text, token_any(word, marks) ? ": remove the line" : "");
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
    if (handled || !all_kept(x)) {
        return true;
    }
    if (token_is(&line[1], "define")) {
        return refuse_other(x, line, count) && define(x, line, count);
    }
    if (token_is(&line[1], "undef") && count == 3) {
        undefine(x, &line[2]);
        return true;
    }
    return unsupported(x, line);
}

/* Returns the number of tokens before the next directive. Text is expanded in such runs, so that a
 * macro call may span lines. */
static size_t run_length(const Token *tokens)
{
    size_t n = 0;
    while (tokens[n].kind != TOKEN_END && !(tokens[n].starts_line && token_is(&tokens[n], "#"))) {
        n++;
    }
    return n;
}

bool macro_expand(SourceText *source, const TokenList *raw, TokenList *out)
{
    Expander x = {.source = source};
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
            done = !all_kept(&x) || (refuse_other(&x, at, count) && expand(&x, at, count, out));
            i += count;
        }
    }
    if (done && x.depth > 0) {
        done = source_error(source, raw->items[i].offset, "#if without #endif");
    }
    done = done && emit(&x, out, &raw->items[i]);
    free(x.macros.items);
    return done;
}
