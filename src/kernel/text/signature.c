/* The parameters of functions: what kinds there are, and how they are written. */
#include "kernel/text/parser.h"

#include <stdlib.h>
#include <string.h>

const ParamKindInfo param_kinds[PARAM_KIND_COUNT] = {
    [PARAM_CONSTANT] = {"constant", false, true, false, false, false},
    [PARAM_INPUT] = {"input stream", true, true, false, true, false},
    [PARAM_OUTPUT] = {"output stream", true, false, true, true, false},
    [PARAM_INOUT] = {"in-place stream", true, true, true, true, false},
    [PARAM_GATHER] = {"gather stream", true, true, false, false, true},
    [PARAM_NEIGHBOR] = {"neighbor stream", true, true, false, false, true},
    [PARAM_RANDOM] = {"random-access stream", true, true, true, false, true},
    [PARAM_ITER] = {"iterator stream", true, true, false, true, false},
    [PARAM_REDUCE] = {"reduction result", true, true, true, true, false},
    [PARAM_VOUT] = {"variable output", true, false, true, false, true},
};

typedef struct Qualifiers {
    bool out, inout, neighbor, iter, reduce, vout;
} Qualifiers;

static void take_qualifiers(Parser *p, Qualifiers *q)
{
    *q = (Qualifiers){0};
    for (;;) {
        /* A qualifier is followed by a type, so `float out` and `iter<>` stay free as names. */
        if (p->at + 1 < p->module->tokens.count && p->module->tokens.items[p->at + 1].kind != TOKEN_NAME &&
            !token_is(parser_peek(p), "vout")) {
            return;
        }
        if (parser_accept(p, "out")) {
            q->out = true;
        } else if (parser_accept(p, "inout")) {
            q->inout = true;
        } else if (parser_accept(p, "neighbor")) {
            q->neighbor = true;
        } else if (parser_accept(p, "iter")) {
            q->iter = true;
        } else if (parser_accept(p, "reduce")) {
            q->reduce = true;
        } else if (parser_accept(p, "vout")) {
            q->vout = true;
        } else if (!parser_accept(p, "in") && !parser_accept(p, "const") && !parser_accept(p, "uniform")) {
            return;
        }
    }
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

static bool param_kind(Parser *p, const Function *f, Param *param, const Qualifiers *q, bool stream, bool sized)
{
    const SourceText *source = &p->module->source;
    const char *name = param->name;
    int marks = q->out + q->inout + q->neighbor + q->iter + q->reduce + q->vout;
    bool gather = param->rank > 0;
    if (marks > 1) {
        return source_error(source, param->offset, "'%s' has more than one of out, inout, neighbor, iter, reduce, vout",
                            name);
    }
    if (f->kind == FUNCTION_HELPER && !stream && !q->vout && (!gather || sized)) {
        param->kind = PARAM_CONSTANT;
        param->output = q->inout ? 2 : q->out;
        return true;
    }
    if (q->neighbor || q->iter || q->reduce || q->vout) {
        param->kind = q->neighbor ? PARAM_NEIGHBOR : q->iter ? PARAM_ITER : q->reduce ? PARAM_REDUCE : PARAM_VOUT;
        if (!stream) {
            return source_error(source, param->offset, "'%s': write %s<> for a %s", name, name,
                                param_kinds[param->kind].name);
        }
    } else if (q->out) {
        if (!stream) {
            return source_error(source, param->offset, "'%s': an output is a stream: write 'out ... %s<>'%s", name,
                                name, gather ? ", or 'inout ... []' for random access" : "");
        }
        param->kind = PARAM_OUTPUT;
    } else if (q->inout) {
        if (!stream && !gather) {
            return source_error(source, param->offset, "'%s': inout needs %s<> or %s[]", name, name, name);
        }
        param->kind = stream ? PARAM_INOUT : PARAM_RANDOM;
    } else {
        param->kind = stream ? PARAM_INPUT : gather ? PARAM_GATHER : PARAM_CONSTANT;
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
    if (q.vout && token_is(parser_peek(p), "[") && !parser_skip_bracket(p)) {
        return false;
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
        if (!parser_skip_bracket(p)) {
            return false;
        }
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
