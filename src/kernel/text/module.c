#include "kernel/text/module.h"

#include "base/array.h"
#include "kernel/text/brackets.h"
#include "kernel/text/names.h"
#include "kernel/text/parser.h"

#include <stdlib.h>
#include <string.h>

/* structures */

enum { MAX_FIELDS = 64 };

static bool parse_fields(Parser *p, Field *fields, int *count)
{
    *count = 0;
    while (!parser_accept(p, "}")) {
        const Type *type;
        int matrix;
        size_t offset;
        const Token *place = parser_peek(p);
        if (!parser_type(p, &type, &matrix)) {
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
            if (!parser_name(p, field->name, &offset, "a field's name")) {
                return false;
            }
            for (int i = 0; i < *count; i++) {
                if (strcmp(fields[i].name, field->name) == 0) {
                    return source_error(&p->module->source, offset, "field '%s' is declared twice", field->name);
                }
            }
            (*count)++;
        } while (parser_accept(p, ","));
        if (token_is(parser_peek(p), "[")) {
            return source_error(&p->module->source, parser_peek(p)->offset, "arrays in structures are not supported");
        }
        if (!parser_expect(p, ";", "';' after the field")) {
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
    size_t offset = parser_peek(p)->offset;
    if (!parser_check_new(p)) {
        return false;
    }
    if ((!is_typedef || !token_is(parser_peek(p), "{")) && !parser_name(p, name, &offset, "a name for the structure")) {
        return false;
    }
    if (!parser_expect(p, "{", "'{'") || !parse_fields(p, fields, &count)) {
        return false;
    }
    if (is_typedef && (!parser_check_new(p) || !parser_name(p, name, &offset, "the name that the typedef defines"))) {
        return false;
    }
    if (!parser_expect(p, ";", "';' after the structure")) {
        return false;
    }
    if (count == 0) {
        return source_error(&p->module->source, offset, "structure '%s' has no fields", name);
    }
    const Type *type = type_struct(name, fields, count);
    if (!type || !ARRAY_ROOM(&p->module->structs)) {
        type_release(type);
        return false;
    }
    p->module->structs.items[p->module->structs.count++] = type;
    return true;
}

/* functions */

static bool parse_group(Parser *p, Function *f)
{
    if (!parser_accept(p, "(")) {
        return true;
    }
    do {
        const Token *token = parser_peek(p);
        long size = token->kind == TOKEN_NUMBER ? strtol(token->text, NULL, 0) : 0;
        if (size < 1 || size > 65536 || f->group_rank == 3) {
            return parser_fail(p, "one to three group sizes, like kernel(64) or kernel(16, 8)");
        }
        f->group[f->group_rank++] = (int)size;
        p->at++;
    } while (parser_accept(p, ","));
    return parser_expect(p, ")", "')' after the group size");
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
            return source_error(source, param->offset, "a reduce kernel can't have a %s",
                                param_kinds[param->kind].name);
        }
        if (f->kind == FUNCTION_KERNEL && param->kind == PARAM_REDUCE) {
            return source_error(source, param->offset, "'%s' is a reduce parameter: write 'reduce void %s(...)'",
                                param->name, f->name);
        }
        if (f->group_rank && param->kind == PARAM_VOUT) {
            return source_error(source, param->offset, "'%s': a group kernel can't have a variable output (vout)",
                                param->name);
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
    bool done = (kind != FUNCTION_KERNEL || parse_group(p, &f)) && parser_type(p, &f.result, &f.result_matrix) &&
                parser_check_new(p) && parser_name(p, f.name, &f.offset, "the function's name") && parser_params(p, &f);
    if (done && kind == FUNCTION_HELPER && parser_accept(p, ";")) {
        free(f.params); /* a prototype: functions may be used before their definition */
        return true;
    }
    done = done && check_signature(p, &f);
    if (done && !token_is(parser_peek(p), "{")) {
        done = parser_fail(p, "'{' and the body");
    }
    f.body_first = p->at + 1;
    if (done) {
        parser_skip_bracket(p);
    }
    f.body_last = p->at - 1;
    if (!done || !ARRAY_ROOM(&p->module->functions)) {
        free(f.params);
        return false;
    }
    p->module->functions.items[p->module->functions.count++] = f;
    return true;
}

/* Moves to the ',' or ';' that ends a declarator. */
static bool skip_initialiser(Parser *p)
{
    while (!token_is(parser_peek(p), ";") && !token_is(parser_peek(p), ",")) {
        if (token_is(parser_peek(p), "(") || token_is(parser_peek(p), "[") || token_is(parser_peek(p), "{")) {
            parser_skip_bracket(p);
        } else if (parser_peek(p)->kind == TOKEN_END || token_is(parser_peek(p), "kernel")) {
            return parser_fail(p, "';' after the constant");
        } else {
            p->at++;
        }
    }
    return true;
}

/* Parses "const T a = x, b[2] = {y, z};". Every name becomes a constant with all tokens of the declaration. */
static bool parse_constant(Parser *p, size_t first)
{
    Constant constant = {.first = first};
    const Type *type;
    int matrix;
    size_t offset;
    if (!parser_type(p, &type, &matrix)) {
        return false;
    }
    while (token_is(parser_peek(p), "[")) {
        parser_skip_bracket(p);
    }
    do {
        if (!parser_check_new(p) || !parser_name(p, constant.name, &offset, "the constant's name") ||
            !skip_initialiser(p) || !ARRAY_ROOM(&p->module->constants)) {
            return false;
        }
        p->module->constants.items[p->module->constants.count++] = constant;
    } while (parser_accept(p, ","));
    if (!parser_expect(p, ";", "';' after the constant")) {
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
    if (parser_accept(p, ";")) {
        return true;
    }
    if (parser_accept(p, "typedef")) {
        return parser_expect(p, "struct", "'struct' after typedef") && parse_struct(p, true);
    }
    if (parser_accept(p, "struct")) {
        return parse_struct(p, false);
    }
    if (parser_accept(p, "kernel")) {
        return parse_function(p, FUNCTION_KERNEL);
    }
    if (parser_accept(p, "reduce")) {
        return parse_function(p, FUNCTION_REDUCE);
    }
    while (parser_accept(p, "static") || parser_accept(p, "inline")) {
    }
    if (parser_accept(p, "const")) {
        return parse_constant(p, first);
    }
    return parse_function(p, FUNCTION_HELPER);
}

/* Checks that no function calls itself, directly or indirectly. `state`: 0 not visited, 1 being visited, 2 done. */
static bool check_calls(const Module *m, size_t index, char *state)
{
    const Function *f = &m->functions.items[index];
    state[index] = 1;
    for (size_t i = f->body_first; i < f->body_last; i++) {
        const Token *token = &m->tokens.items[i];
        const Function *callee =
            token->kind == TOKEN_NAME && token_is(token + 1, "(") ? module_function(m, token) : NULL;
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

/* Checks the depth of expressions. Compilers recurse over expressions, so brackets that are nested
 * too deeply or a chain of too many operators would overflow their stack. */
static bool check_depth(const Module *m)
{
    enum { MAX_CHAIN = 2000 };
    int count[MAX_BRACKETS + 1] = {0}, depth = 0, total = 0;
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
        } else if ((c && !close) || token_is(t, "if") || token_is(t, "for") || token_is(t, "while") ||
                   token_is(t, "do")) {
            total++;
            count[depth]++;
        }
        depth += open;
        if (total > MAX_CHAIN) {
            return source_error(&m->source, t->offset, "this expression has more than %d operators", MAX_CHAIN);
        }
        if (open) {
            count[depth] = 0;
        }
    }
    return true;
}

static bool check_brackets(const Module *m)
{
    Brackets open = {0};
    for (size_t i = 0; i < m->tokens.count; i++) {
        if (!brackets_step(&open, &m->source, &m->tokens.items[i])) {
            return false;
        }
    }
    return brackets_finish(&open, &m->source);
}

bool module_outline(Module *module)
{
    Parser p = {module, 0, param_kinds};
    if (!check_brackets(module) || !check_depth(module)) {
        return false;
    }
    while (parser_peek(&p)->kind != TOKEN_END) {
        if (!parse_item(&p)) {
            return false;
        }
    }
    return check_recursion(module);
}

Module *module_lex(const char *text, size_t length, const char *chunk, int first_line)
{
    Module *module = calloc(1, sizeof *module);
    if (!module) {
        error_set("out of host memory");
        return NULL;
    }
    module->references = 1;
    if (!source_create(&module->source, text, length, chunk, first_line) ||
        !lexer_run(&module->source, &module->tokens)) {
        module_release(module);
        return NULL;
    }
    return module;
}

Module *module_create(const char *text, size_t length, const char *chunk, int first_line)
{
    Module *module = module_lex(text, length, chunk, first_line);
    if (module && !module_outline(module)) {
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
    for (size_t i = 0; i < module->structs.count; i++) {
        type_release(module->structs.items[i]);
    }
    free(module->structs.items);
    token_list_free(&module->tokens);
    source_free(&module->source);
    free(module);
}
