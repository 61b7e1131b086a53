/* Parses the parameters of functions: their kinds and how they are written. */
#include "base/strbuf.h"
#include "kernel/text/parser.h"

#include <stdlib.h>
#include <string.h>

const ParamKindInfo param_kinds[] = {
    [PARAM_CONSTANT] = {.name = "constant", .read = true},
    [PARAM_INPUT] = {.name = "input stream", .stream = true, .read = true, .element = true, .along = true},
    [PARAM_OUTPUT] = {.name = "output stream",
                      .word = "out",
                      .stream = true,
                      .written = true,
                      .element = true,
                      .along = true,
                      .allocates = true},
    [PARAM_INOUT] = {.name = "in-place stream",
                     .word = "inout",
                     .stream = true,
                     .read = true,
                     .written = true,
                     .element = true,
                     .along = true},
    [PARAM_GATHER] = {.name = "gather stream", .stream = true, .read = true, .bound = true, .brackets = true},
    [PARAM_NEIGHBOR] =
        {.name = "neighbor stream", .word = "neighbor", .stream = true, .read = true, .bound = true, .along = true},
    [PARAM_RANDOM_ACCESS] = {.name = "random-access stream",
                             .word = "inout",
                             .stream = true,
                             .read = true,
                             .written = true,
                             .bound = true,
                             .brackets = true,
                             .anywhere = true},
    [PARAM_ITER] =
        {.name = "iterator stream", .word = "iter", .stream = true, .read = true, .element = true, .along = true},
    [PARAM_REDUCE] = {.name = "reduction result",
                      .word = "reduce",
                      .stream = true,
                      .read = true,
                      .written = true,
                      .element = true,
                      .along = true},
    [PARAM_VOUT] =
        {.name = "variable output", .word = "vout", .stream = true, .written = true, .bound = true, .allocates = true},
};
_Static_assert(sizeof param_kinds / sizeof *param_kinds == PARAM_KIND_COUNT, "a row for every kind");

typedef struct Qualifiers {
    const char *word; /* of a parameter kind; NULL: none */
    bool several;     /* different words occurred */
} Qualifiers;

static bool is_word(const Qualifiers *q, const char *word)
{
    return q->word && strcmp(q->word, word) == 0;
}

/* Consumes the word of a parameter kind. */
static bool accept_word(Parser *p, Qualifiers *q)
{
    for (int k = 0; k < PARAM_KIND_COUNT; k++) {
        const char *word = param_kinds[k].word;
        if (word && parser_accept(p, word)) {
            q->several = q->several || (q->word && !is_word(q, word));
            q->word = word;
            return true;
        }
    }
    return false;
}

static void take_qualifiers(Parser *p, Qualifiers *q)
{
    *q = (Qualifiers){0};
    for (;;) {
        /* A qualifier is followed by a type, so `float out` and `iter<>` stay free as names. */
        if (p->at + 1 < p->module->tokens.count && p->module->tokens.items[p->at + 1].kind != TOKEN_NAME &&
            !token_is(parser_peek(p), "vout")) {
            return;
        }
        if (!accept_word(p, q) && !parser_accept(p, "in") && !parser_accept(p, "const") &&
            !parser_accept(p, "uniform")) {
            return;
        }
    }
}

/* Returns the kind with this word, for T name[] or T name<>; PARAM_KIND_COUNT if there is none. */
static ParamKind kind_of(const char *word, bool brackets)
{
    int k = 0;
    while (k < PARAM_KIND_COUNT &&
           !(param_kinds[k].word && strcmp(param_kinds[k].word, word) == 0 && param_kinds[k].brackets == brackets)) {
        k++;
    }
    return (ParamKind)k;
}

static bool stream_suffix(Parser *p, bool *stream)
{
    *stream = parser_accept(p, "<");
    if (!*stream) {
        return true;
    }
    while (!token_is(parser_peek(p), ">")) {
        const Token *token = parser_peek(p);
        if (token->kind == TOKEN_END || token_is(token, ")") || token_is(token, "{")) {
            return parser_fail(p, "'>'");
        }
        p->at++;
    }
    p->at++;
    return true;
}

/* Sets the error for a word that requires a stream, before a parameter that is not one. */
static bool wrong_form(const Parser *p, const Param *param, const Qualifiers *q, bool gather)
{
    const SourceText *source = &p->module->source;
    const char *name = param->name;
    if (is_word(q, "out")) {
        return source_error(source, param->offset, "'%s': an output is a stream: write 'out ... %s<>'%s", name, name,
                            gather ? ", or 'inout ... []' for random access" : "");
    }
    if (kind_of(q->word, true) != PARAM_KIND_COUNT) {
        return source_error(source, param->offset, "'%s': inout needs %s<> or %s[]", name, name, name);
    }
    return source_error(source, param->offset, "'%s': write %s<> for a %s", name, name,
                        param_kinds[kind_of(q->word, false)].name);
}

/* Appends the words of all kinds, each once: "out, inout" and so on. */
static void add_words(StrBuf *list)
{
    for (int k = 0; k < PARAM_KIND_COUNT; k++) {
        const char *word = param_kinds[k].word;
        bool known = !word;
        for (int i = 0; i < k && !known; i++) {
            known = param_kinds[i].word && strcmp(param_kinds[i].word, word) == 0;
        }
        if (!known) {
            strbuf_addf(list, "%s%s", list->length ? ", " : "", word);
        }
    }
}

static bool param_kind(Parser *p, const Function *f, Param *param, const Qualifiers *q, bool stream, bool sized)
{
    const SourceText *source = &p->module->source;
    const char *name = param->name;
    bool gather = param->rank > 0, out = is_word(q, "out"), inout = is_word(q, "inout");
    if (q->several) {
        StrBuf words = STRBUF_EMPTY;
        add_words(&words);
        source_error(source, param->offset, "'%s' has more than one of %s", name, strbuf_text(&words));
        strbuf_free(&words);
        return false;
    }
    if (f->kind == FUNCTION_HELPER && !stream && !is_word(q, "vout") && (!gather || sized)) {
        param->kind = PARAM_CONSTANT;
        param->output = inout ? 2 : out;
        return true;
    }
    param->kind = stream ? PARAM_INPUT : gather ? PARAM_GATHER : PARAM_CONSTANT;
    if (q->word) {
        ParamKind kind = kind_of(q->word, !stream && gather);
        if (kind == PARAM_KIND_COUNT || (!stream && !gather)) {
            return wrong_form(p, param, q, gather);
        }
        param->kind = kind;
    }
    if (param->matrix && (param->kind != PARAM_CONSTANT || param->matrix > 4)) {
        return source_error(source, param->offset, "'%s': a %s can't be of type %s", name,
                            param_kinds[param->kind].name, module_value_name(param->matrix));
    }
    return true;
}

static bool parse_param(Parser *p, Function *f)
{
    Param *param = &f->params[f->param_count];
    *param = (Param){0};
    Qualifiers q;
    take_qualifiers(p, &q);
    if (is_word(&q, "vout") && token_is(parser_peek(p), "[")) {
        parser_skip_bracket(p);
    }
    const Token *place = parser_peek(p);
    if (!parser_type(p, &param->type, &param->matrix)) {
        return false;
    }
    if (!param->type && !param->matrix) {
        return source_error(&p->module->source, place->offset, "a parameter can't be void");
    }
    bool stream, sized = false;
    if (!parser_name(p, param->name, &param->offset, "the parameter's name") || !stream_suffix(p, &stream)) {
        return false;
    }
    param->array_first = p->at;
    while (token_is(parser_peek(p), "[")) {
        sized = sized || !token_is(&p->module->tokens.items[p->at + 1], "]");
        parser_skip_bracket(p);
        param->rank++;
    }
    param->array_last = p->at;
    if (param->rank > 8) {
        return source_error(&p->module->source, param->offset, "'%s' has more than 8 dimensions", param->name);
    }
    for (int i = 0; i < f->param_count; i++) {
        if (strcmp(f->params[i].name, param->name) == 0) {
            return source_error(&p->module->source, param->offset, "parameter '%s' is declared twice", param->name);
        }
    }
    if (!param_kind(p, f, param, &q, stream, sized)) {
        return false;
    }
    if (param->kind == PARAM_CONSTANT && !param->output && f->kind != FUNCTION_HELPER) {
        param->array_first = param->array_last = 0;
    }
    f->param_count++;
    return true;
}

bool parser_params(Parser *p, Function *f)
{
    if (!parser_expect(p, "(", "'(' and the parameters")) {
        return false;
    }
    f->params = calloc(MAX_PARAMS, sizeof *f->params);
    if (!f->params) {
        return error_set("out of host memory");
    }
    if (parser_accept(p, ")")) {
        return true;
    }
    if (token_is(parser_peek(p), "void") && token_is(parser_peek(p) + 1, ")")) {
        p->at += 2;
        return true;
    }
    do {
        if (f->param_count == MAX_PARAMS) {
            return source_error(&p->module->source, parser_peek(p)->offset, "a function has at most %d parameters",
                                MAX_PARAMS);
        }
        if (!parse_param(p, f)) {
            return false;
        }
    } while (parser_accept(p, ","));
    return parser_expect(p, ")", "',' or ')' after the parameter");
}
