#include "kernel/dialect/brook_writer.h"

#include "base/array.h"

#include <stdio.h>
#include <string.h>

static const Token nothing = {.kind = TOKEN_END, .text = ""};

const Token *brook_peek(const BrookWriter *w)
{
    return w->at < w->last ? &w->module->tokens.items[w->at] : &nothing;
}

const Token *brook_peek_next(const BrookWriter *w)
{
    return w->at + 1 < w->last ? &w->module->tokens.items[w->at + 1] : &nothing;
}

bool brook_next_is(const BrookWriter *w, const char *text)
{
    return token_is(brook_peek(w), text);
}

bool brook_put(BrookWriter *w)
{
    if (w->at == w->last || !ARRAY_ROOM(&w->out)) {
        return w->at == w->last;
    }
    w->out.items[w->out.count++] = w->module->tokens.items[w->at++];
    return true;
}

bool brook_put_until(BrookWriter *w, size_t until)
{
    while (w->at < until) {
        if (!brook_put(w)) {
            return false;
        }
    }
    return true;
}

bool brook_put_rest(BrookWriter *w, const char *ends)
{
    int depth = 0;
    while (w->at < w->last) {
        const Token *t = brook_peek(w);
        char c = t->kind == TOKEN_MARK && t->length == 1 ? *t->text : ' ';
        int step = token_nesting(t);
        if (depth == 0 && (step < 0 || strchr(ends, c))) {
            break;
        }
        depth += step;
        if (!brook_put(w)) {
            return false;
        }
    }
    return true;
}

bool brook_insert(BrookWriter *w, size_t at, const char *text)
{
    if (!ARRAY_ROOM(&w->out)) {
        return false;
    }
    Token *items = w->out.items, word = {.kind = TOKEN_MARK, .text = text, .length = (int)strlen(text)};
    memmove(items + at + 1, items + at, (w->out.count - at) * sizeof *items);
    if (at < w->out.count) {
        Token *after = &items[at + 1];
        word.spaced = after->spaced;
        word.starts_line = after->starts_line;
        word.offset = after->offset;
        after->spaced = after->starts_line = false;
    } else if (at > 0) {
        word.offset = items[at - 1].offset;
    }
    items[at] = word;
    w->out.count++;
    return true;
}

void brook_replace(BrookWriter *w, size_t at, const char *text)
{
    Token *token = &w->out.items[at];
    token->kind = TOKEN_MARK;
    token->text = text;
    token->length = (int)strlen(text);
}

bool brook_insert_token(BrookWriter *w, size_t at, Token token)
{
    bool spaced = at < w->out.count && w->out.items[at].spaced;
    token.starts_line = false;
    if (!brook_insert(w, at, "")) {
        return false;
    }
    w->out.items[at] = token;
    if (at + 1 < w->out.count) {
        w->out.items[at + 1].spaced = spaced;
    }
    return true;
}

/* Inserts text after output token `at` - 1, on its line. */
static bool insert_behind(BrookWriter *w, size_t at, const char *text)
{
    if (!brook_insert(w, at, text)) {
        return false;
    }
    Token *word = &w->out.items[at];
    if (at + 1 < w->out.count) {
        w->out.items[at + 1].spaced = word->spaced;
        w->out.items[at + 1].starts_line = word->starts_line;
    }
    word->spaced = word->starts_line = false;
    word->offset = w->out.items[at - 1].offset;
    return true;
}

bool brook_wrap(BrookWriter *w, size_t first, size_t *last, const char *function)
{
    if (!insert_behind(w, *last, ")") || !brook_insert(w, first, "(") ||
        (function && !brook_insert(w, first, function))) {
        return false;
    }
    *last += function ? 3 : 2;
    return true;
}

static bool error_short(const BrookWriter *w, size_t first, Value have, Value want)
{
    return source_error(&w->module->source, w->out.items[first].offset,
                        "%d components can't become %d: only a scalar fills a vector", have.count, want.count);
}

static bool has_output(const Function *f)
{
    bool any = false;
    for (int i = 0; f && i < f->param_count; i++) {
        const Param *param = &f->params[i];
        any = any || param->output || (param_kinds[param->kind].stream && param_kinds[param->kind].written);
    }
    return any;
}

bool brook_changes(const BrookWriter *w, size_t first, size_t last)
{
    static const char *const marks[] = {
        "++", "--", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", NULL};
    for (size_t i = first; i < last; i++) {
        const Token *t = &w->out.items[i];
        if (token_any(t, marks) || (t->kind == TOKEN_NAME && has_output(module_function(w->module, t)))) {
            return true;
        }
    }
    return false;
}

bool brook_fit(BrookWriter *w, size_t first, size_t *last, Value *value, Value want)
{
    if (!brook_value_plain(*value) || !brook_value_plain(want) || brook_value_fits(*value, want)) {
        return true;
    }
    if (value->count > 1 && value->count < want.count) {
        return error_short(w, first, *value, want);
    }
    bool truth = want.base == VALUE_BOOL && want.count > 1 && value->base != VALUE_BOOL;
    Value step = truth ? brook_value_of(value->base, want.count) : want;
    if (!brook_wrap(w, first, last, brook_value_name(step))) {
        return false;
    }
    *value = want;
    if (!truth) {
        return true;
    }
    /* A NaN is true, as in rill_bool. */
    static const char *const zero[] = {",", NULL, "(", "0", ")"};
    for (int i = 0; i < 5; i++, ++*last) {
        if (!insert_behind(w, *last, zero[i] ? zero[i] : brook_value_name(step))) {
            return false;
        }
    }
    return brook_wrap(w, first, last, "notEqual");
}

bool brook_declare(BrookWriter *w, const Token *name, Value value)
{
    if (!ARRAY_ROOM(&w->names)) {
        return false;
    }
    w->names.items[w->names.count++] = (BrookName){*name, w->depth, value};
    return true;
}

bool brook_temporary(BrookWriter *w, Value value, Token *name)
{
    char text[32];
    int length = snprintf(text, sizeof text, "rill_t%zu", w->temporaries.count);
    *name =
        (Token){.kind = TOKEN_NAME, .text = source_keep(&w->module->source, text, (size_t)length), .length = length};
    if (!name->text || !ARRAY_ROOM(&w->temporaries)) {
        return false;
    }
    w->temporaries.items[w->temporaries.count++] = (BrookName){.token = *name, .value = value};
    return true;
}

bool brook_declare_temporaries(BrookWriter *w, size_t at)
{
    while (w->temporaries.count > 0) {
        const BrookName *made = &w->temporaries.items[--w->temporaries.count];
        const char *type = brook_value_declared(made->value);
        Token tokens[] = {{.kind = TOKEN_NAME, .text = type, .length = (int)strlen(type), .spaced = true},
                          made->token,
                          {.kind = TOKEN_MARK, .text = ";", .length = 1}};
        tokens[1].spaced = true;
        for (int i = 3; i-- > 0;) {
            tokens[i].offset = at > 0 ? w->out.items[at - 1].offset : 0;
            if (!brook_insert_token(w, at, tokens[i])) {
                return false;
            }
        }
    }
    return true;
}

void brook_leave(BrookWriter *w)
{
    w->depth--;
    while (w->names.count > 0 && w->names.items[w->names.count - 1].depth > w->depth) {
        w->names.count--;
    }
}

const BrookName *brook_name(const BrookWriter *w, const Token *name)
{
    for (size_t i = w->names.count; i-- > 0;) {
        if (token_equal(&w->names.items[i].token, name)) {
            return &w->names.items[i];
        }
    }
    return NULL;
}
