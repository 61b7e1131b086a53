#include "kernel/syntax.h"

#include "base/array.h"
#include "kernel/names.h"

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
};

typedef struct Parser {
    Module *module;
    size_t at;
} Parser;

static const Token *peek(const Parser *p)
{
    return &p->module->tokens.items[p->at];
}

static bool accept(Parser *p, const char *text)
{
    bool match = token_is(peek(p), text);
    p->at += match;
    return match;
}

static bool fail(const Parser *p, const char *expected)
{
    const Token *token = peek(p);
    if (token->kind == TOKEN_END) {
        return source_error(&p->module->source, token->offset, "expected %s, got the end of the text", expected);
    }
    return source_error(&p->module->source, token->offset, "expected %s, got '%.*s'", expected, token->length,
                        token->text);
}

static bool expect(Parser *p, const char *text, const char *expected)
{
    return accept(p, text) || fail(p, expected);
}

static bool take_name(Parser *p, char name[MAX_NAME + 1], size_t *offset, const char *expected)
{
    const Token *token = peek(p);
    if (token->kind != TOKEN_NAME) {
        return fail(p, expected);
    }
    if (token->length > MAX_NAME) {
        return source_error(&p->module->source, token->offset, "this name is longer than %d characters", MAX_NAME);
    }
    memcpy(name, token->text, (size_t)token->length);
    name[token->length] = '\0';
    *offset = token->offset;
    p->at++;
    return true;
}

static bool take_type(Parser *p, const Type **type, int *matrix)
{
    int used;
    if (!module_type(p->module, peek(p), type, matrix, &used)) {
        return fail(p, "a type");
    }
    p->at += (size_t)used;
    return true;
}

static bool declared(const Module *m, const Token *name)
{
    return module_function(m, name) || module_struct(m, name) || module_constant(m, name);
}

static bool check_new(Parser *p)
{
    const Token *token = peek(p);
    if (token->kind == TOKEN_NAME && declared(p->module, token)) {
        return source_error(&p->module->source, token->offset, "'%.*s' is defined twice (overloading is not supported)",
                            token->length, token->text);
    }
    return true;
}

/* structures */

enum { MAX_FIELDS = 64 };

static bool parse_fields(Parser *p, Field *fields, int *count)
{
    *count = 0;
    while (!accept(p, "}")) {
        const Type *type;
        int matrix;
        size_t offset;
        const Token *place = peek(p);
        if (!take_type(p, &type, &matrix)) {
            return false;
        }
        if (!type) {
            return source_error(&p->module->source, place->offset, "a field can't be of type '%.*s'", place->length,
                                place->text);
        }
        do {
            if (*count == MAX_FIELDS) {
                return source_error(&p->module->source, place->offset, "a structure has at most %d fields", MAX_FIELDS);
            }
            Field *field = &fields[*count];
            *field = (Field){.type = type};
            if (!take_name(p, field->name, &offset, "a field's name")) {
                return false;
            }
            for (int i = 0; i < *count; i++) {
                if (strcmp(fields[i].name, field->name) == 0) {
                    return source_error(&p->module->source, offset, "field '%s' is declared twice", field->name);
                }
            }
            (*count)++;
        } while (accept(p, ","));
        if (token_is(peek(p), "[")) {
            return source_error(&p->module->source, peek(p)->offset, "arrays in structures are not supported");
        }
        if (!expect(p, ";", "';' after the field")) {
            return false;
        }
    }
    return true;
}

static bool parse_struct(Parser *p, bool is_typedef)
{
    Field fields[MAX_FIELDS];
    int count;
    char name[MAX_NAME + 1] = "";
    size_t offset = peek(p)->offset;
    if (!check_new(p)) {
        return false;
    }
    if ((!is_typedef || !token_is(peek(p), "{")) && !take_name(p, name, &offset, "a name for the structure")) {
        return false;
    }
    if (!expect(p, "{", "'{'") || !parse_fields(p, fields, &count)) {
        return false;
    }
    if (is_typedef && (!check_new(p) || !take_name(p, name, &offset, "the name that the typedef defines"))) {
        return false;
    }
    if (!expect(p, ";", "';' after the structure")) {
        return false;
    }
    if (count == 0) {
        return source_error(&p->module->source, offset, "structure '%s' has no fields", name);
    }
    const Type *type = type_struct(name, fields, count);
    if (!type || !ARRAY_ROOM(&p->module->structs)) {
        return false;
    }
    p->module->structs.items[p->module->structs.count++] = type;
    return true;
}

/* parameters */

typedef struct Qualifiers {
    bool out, inout, neighbor, iter, reduce, vout;
} Qualifiers;

static void take_qualifiers(Parser *p, Qualifiers *q)
{
    *q = (Qualifiers){0};
    for (;;) {
        /* A qualifier is followed by a type, so `float out` and `iter<>` stay free as names. */
        if (p->at + 1 < p->module->tokens.count && p->module->tokens.items[p->at + 1].kind != TOKEN_NAME &&
            !token_is(peek(p), "vout")) {
            return;
        }
        if (accept(p, "out")) {
            q->out = true;
        } else if (accept(p, "inout")) {
            q->inout = true;
        } else if (accept(p, "neighbor")) {
            q->neighbor = true;
        } else if (accept(p, "iter")) {
            q->iter = true;
        } else if (accept(p, "reduce")) {
            q->reduce = true;
        } else if (accept(p, "vout")) {
            q->vout = true;
        } else if (!accept(p, "in") && !accept(p, "const") && !accept(p, "uniform")) {
            return;
        }
    }
}

static bool skip_bracket(Parser *p)
{
    size_t after = module_close(p->module, p->at, p->module->tokens.count);
    if (!after) {
        return source_error(&p->module->source, peek(p)->offset, "this '%.*s' is never closed", peek(p)->length,
                            peek(p)->text);
    }
    p->at = after;
    return true;
}

static bool stream_suffix(Parser *p, bool *stream)
{
    *stream = accept(p, "<");
    if (!*stream) {
        return true;
    }
    while (!token_is(peek(p), ">")) {
        const Token *token = peek(p);
        if (token->kind == TOKEN_END || token_is(token, ")") || token_is(token, "{")) {
            return fail(p, "'>'");
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
    if (q->vout) {
        return source_error(source, param->offset, "'%s': variable outputs (vout) are not supported yet", name);
    }
    if (marks > 1) {
        return source_error(source, param->offset, "'%s' has more than one of out, inout, neighbor, iter, reduce", name);
    }
    if (f->kind == FUNCTION_HELPER && !stream && (!gather || sized)) {
        param->kind = PARAM_CONSTANT;
        param->output = q->inout ? 2 : q->out;
        return true;
    }
    if (q->neighbor || q->iter || q->reduce) {
        if (!stream) {
            return source_error(source, param->offset, "'%s': write %s<> for a %s stream", name, name,
                                q->neighbor ? "neighbor" : q->iter ? "iterator" : "reduce");
        }
        param->kind = q->neighbor ? PARAM_NEIGHBOR : q->iter ? PARAM_ITER : PARAM_REDUCE;
    } else if (q->out) {
        if (!stream) {
            return source_error(source, param->offset, "'%s': an output is a stream: write 'out ... %s<>'%s", name, name,
                                gather ? ", or 'inout ... []' for random access" : "");
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
        return source_error(source, param->offset, "'%s': a %s can't be of type %s", name, param_kinds[param->kind].name,
                            module_value_name(param->matrix));
    }
    return true;
}

static bool parse_param(Parser *p, Function *f)
{
    Param *param = &f->params[f->param_count];
    *param = (Param){0};
    Qualifiers q;
    take_qualifiers(p, &q);
    if (q.vout && token_is(peek(p), "[") && !skip_bracket(p)) {
        return false;
    }
    const Token *place = peek(p);
    if (!take_type(p, &param->type, &param->matrix)) {
        return false;
    }
    if (!param->type && !param->matrix) {
        return source_error(&p->module->source, place->offset, "a parameter can't be void");
    }
    bool stream, sized = false;
    if (!take_name(p, param->name, &param->offset, "the parameter's name") || !stream_suffix(p, &stream)) {
        return false;
    }
    param->array_first = p->at;
    while (token_is(peek(p), "[")) {
        sized = sized || !token_is(&p->module->tokens.items[p->at + 1], "]");
        if (!skip_bracket(p)) {
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

static bool parse_params(Parser *p, Function *f)
{
    if (!expect(p, "(", "'(' and the parameters")) {
        return false;
    }
    f->params = calloc(MAX_PARAMS, sizeof *f->params);
    if (!f->params) {
        return error_set("out of host memory");
    }
    if (accept(p, ")")) {
        return true;
    }
    if (token_is(peek(p), "void") && token_is(peek(p) + 1, ")")) {
        p->at += 2;
        return true;
    }
    do {
        if (f->param_count == MAX_PARAMS) {
            return source_error(&p->module->source, peek(p)->offset, "a function has at most %d parameters", MAX_PARAMS);
        }
        if (!parse_param(p, f)) {
            return false;
        }
    } while (accept(p, ","));
    return expect(p, ")", "',' or ')' after the parameter");
}

/* functions */

static bool parse_group(Parser *p, Function *f)
{
    if (!accept(p, "(")) {
        return true;
    }
    do {
        const Token *token = peek(p);
        long size = token->kind == TOKEN_NUMBER ? strtol(token->text, NULL, 0) : 0;
        if (size < 1 || size > 65536 || f->group_rank == 3) {
            return fail(p, "one to three group sizes, like kernel(64) or kernel(16, 8)");
        }
        f->group[f->group_rank++] = (int)size;
        p->at++;
    } while (accept(p, ","));
    return expect(p, ")", "')' after the group size");
}

static bool check_signature(const Parser *p, const Function *f)
{
    int reduces = 0, inputs = 0;
    const SourceText *source = &p->module->source;
    for (int i = 0; i < f->param_count; i++) {
        const Param *param = &f->params[i];
        reduces += param->kind == PARAM_REDUCE;
        inputs += param->kind == PARAM_INPUT;
        bool allowed = param->kind == PARAM_REDUCE || param->kind == PARAM_INPUT || param->kind == PARAM_CONSTANT ||
                       param->kind == PARAM_GATHER;
        if (f->kind == FUNCTION_REDUCE && !allowed) {
            return source_error(source, param->offset, "a reduce kernel can't have a %s", param_kinds[param->kind].name);
        }
        if (f->kind == FUNCTION_KERNEL && param->kind == PARAM_REDUCE) {
            return source_error(source, param->offset, "'%s' is a reduce parameter: write 'reduce void %s(...)'",
                                param->name, f->name);
        }
    }
    if (f->kind != FUNCTION_REDUCE) {
        return true;
    }
    if (reduces != 1 || inputs != 1) {
        return source_error(source, f->offset, "a reduce kernel has one input stream and one reduce parameter");
    }
    const Type *types[2] = {NULL, NULL};
    for (int i = 0; i < f->param_count; i++) {
        if (f->params[i].kind == PARAM_INPUT || f->params[i].kind == PARAM_REDUCE) {
            types[f->params[i].kind == PARAM_REDUCE] = f->params[i].type;
        }
    }
    if (types[0] != types[1]) {
        return source_error(source, f->offset, "the input (%s) and the reduce parameter (%s) must have the same type",
                            types[0]->name, types[1]->name);
    }
    return true;
}

static bool parse_function(Parser *p, FunctionKind kind)
{
    Function f = {.kind = kind};
    bool done = (kind != FUNCTION_KERNEL || parse_group(p, &f)) && take_type(p, &f.result, &f.result_matrix) &&
                check_new(p) && take_name(p, f.name, &f.offset, "the function's name") && parse_params(p, &f);
    if (done && kind == FUNCTION_HELPER && accept(p, ";")) {
        free(f.params); /* a prototype: functions are found wherever they stand */
        return true;
    }
    done = done && check_signature(p, &f);
    if (done && !token_is(peek(p), "{")) {
        done = fail(p, "'{' and the body");
    }
    f.body_first = p->at + 1;
    done = done && skip_bracket(p);
    f.body_last = p->at - 1;
    if (!done || !ARRAY_ROOM(&p->module->functions)) {
        free(f.params);
        return false;
    }
    p->module->functions.items[p->module->functions.count++] = f;
    return true;
}

/* Stops at the ',' or ';' that ends a declarator. */
static bool skip_initialiser(Parser *p)
{
    while (!token_is(peek(p), ";") && !token_is(peek(p), ",")) {
        bool opens = token_is(peek(p), "(") || token_is(peek(p), "[") || token_is(peek(p), "{");
        if (opens && !skip_bracket(p)) {
            return false;
        }
        if (!opens && (peek(p)->kind == TOKEN_END || token_is(peek(p), "kernel"))) {
            return fail(p, "';' after the constant");
        }
        p->at += !opens;
    }
    return true;
}

/* "const T a = x, b[2] = {y, z};": every name is a constant, all with the declaration's tokens. */
static bool parse_constant(Parser *p, size_t first)
{
    Constant constant = {.first = first};
    const Type *type;
    int matrix;
    size_t offset;
    if (!take_type(p, &type, &matrix)) {
        return false;
    }
    while (token_is(peek(p), "[")) {
        if (!skip_bracket(p)) {
            return false;
        }
    }
    do {
        if (!check_new(p) || !take_name(p, constant.name, &offset, "the constant's name") || !skip_initialiser(p) ||
            !ARRAY_ROOM(&p->module->constants)) {
            return false;
        }
        p->module->constants.items[p->module->constants.count++] = constant;
    } while (accept(p, ","));
    if (!expect(p, ";", "';' after the constant")) {
        return false;
    }
    for (size_t i = p->module->constants.count; i-- > 0 && p->module->constants.items[i].first == first;) {
        p->module->constants.items[i].last = p->at;
    }
    return true;
}

static bool parse_item(Parser *p)
{
    size_t first = p->at;
    if (accept(p, ";")) {
        return true;
    }
    if (accept(p, "typedef")) {
        return expect(p, "struct", "'struct' after typedef") && parse_struct(p, true);
    }
    if (accept(p, "struct")) {
        return parse_struct(p, false);
    }
    if (accept(p, "kernel")) {
        return parse_function(p, FUNCTION_KERNEL);
    }
    if (accept(p, "reduce")) {
        return parse_function(p, FUNCTION_REDUCE);
    }
    while (accept(p, "static") || accept(p, "inline")) {
    }
    if (accept(p, "const")) {
        return parse_constant(p, first);
    }
    return parse_function(p, FUNCTION_HELPER);
}

/* Functions may not call themselves, not even in a circle. `state`: 0 new, 1 on the way, 2 done. */
static bool check_calls(const Module *m, size_t index, char *state)
{
    const Function *f = &m->functions.items[index];
    state[index] = 1;
    for (size_t i = f->body_first; i < f->body_last; i++) {
        const Token *token = &m->tokens.items[i];
        const Function *callee = token->kind == TOKEN_NAME && token_is(token + 1, "(") ? module_function(m, token) : NULL;
        if (!callee || (callee == f && names_builtin(token))) {
            continue;
        }
        size_t next = (size_t)(callee - m->functions.items);
        if (state[next] == 1) {
            return source_error(&m->source, token->offset, "recursion: '%s' is called while it runs", callee->name);
        }
        if (state[next] == 0 && !check_calls(m, next, state)) {
            return false;
        }
    }
    state[index] = 2;
    return true;
}

static bool check_recursion(const Module *m)
{
    enum { MAX_FUNCTIONS = 512 };
    char state[MAX_FUNCTIONS] = {0};
    if (m->functions.count > MAX_FUNCTIONS) {
        return error_set("a kernel text has at most %d functions", MAX_FUNCTIONS);
    }
    for (size_t i = 0; i < m->functions.count; i++) {
        if (state[i] == 0 && !check_calls(m, i, state)) {
            return false;
        }
    }
    return true;
}

/* Compilers recurse over expressions: what is nested too deep, or is one chain of operators too long, would overflow
 * their stack. */
static bool check_depth(const Module *m)
{
    enum { MAX_NESTING = 200, MAX_CHAIN = 2000 };
    int count[MAX_NESTING + 1] = {0}, depth = 0, total = 0;
    for (size_t i = 0; i < m->tokens.count; i++) {
        const Token *t = &m->tokens.items[i];
        char c = t->kind == TOKEN_MARK && t->length == 1 ? *t->text : t->kind == TOKEN_MARK ? '+' : '\0';
        bool open = c == '(' || c == '[' || c == '{', close = c == ')' || c == ']' || c == '}';
        if (close && depth > 0) {
            total -= count[depth--];
        }
        if (c == ',' || c == ';' || c == '{' || c == '}') {
            total -= count[depth];
            count[depth] = 0;
        } else if ((c && !close) || token_is(t, "if") || token_is(t, "for") || token_is(t, "while") || token_is(t, "do")) {
            total++;
            count[depth]++;
        }
        if (open && ++depth > MAX_NESTING) {
            return source_error(&m->source, t->offset, "brackets are nested more than %d deep", MAX_NESTING);
        }
        if (total > MAX_CHAIN) {
            return source_error(&m->source, t->offset, "this expression has more than %d operators", MAX_CHAIN);
        }
        if (open) {
            count[depth] = 0;
        }
    }
    return true;
}

static bool parse_all(Module *module)
{
    Parser p = {module, 0};
    if (!check_depth(module)) {
        return false;
    }
    while (peek(&p)->kind != TOKEN_END) {
        if (!parse_item(&p)) {
            return false;
        }
    }
    return check_recursion(module);
}

Module *module_create(const char *text, size_t length, const char *chunk, int first_line)
{
    Module *module = calloc(1, sizeof *module);
    if (!module) {
        error_set("out of host memory");
        return NULL;
    }
    module->references = 1;
    if (!source_create(&module->source, text, length, chunk, first_line) ||
        !lexer_run(&module->source, &module->tokens) || !parse_all(module)) {
        module_release(module);
        return NULL;
    }
    return module;
}

Module *module_retain(Module *module)
{
    module->references++;
    return module;
}

void module_release(Module *module)
{
    if (!module || --module->references > 0) {
        return;
    }
    for (size_t i = 0; i < module->functions.count; i++) {
        free(module->functions.items[i].params);
    }
    free(module->functions.items);
    free(module->constants.items);
    free(module->structs.items);
    lexer_free(&module->tokens);
    source_free(&module->source);
    free(module);
}
