#include "base/error.h"
#include "kernel/text/module.h"
#include "kernel/text/names.h"

#include <stdlib.h>
#include <string.h>

static bool named(const Token *token, const char *name)
{
    return token->kind == TOKEN_NAME && token_is(token, name);
}

const Function *module_function(const Module *module, const Token *name)
{
    for (size_t i = 0; i < module->functions.count; i++) {
        if (named(name, module->functions.items[i].name)) {
            return &module->functions.items[i];
        }
    }
    return NULL;
}

const Type *module_struct(const Module *module, const Token *name)
{
    for (size_t i = 0; i < module->structs.count; i++) {
        if (named(name, module->structs.items[i]->name)) {
            return module->structs.items[i];
        }
    }
    return NULL;
}

const Constant *module_constant(const Module *module, const Token *name)
{
    for (size_t i = 0; i < module->constants.count; i++) {
        if (named(name, module->constants.items[i].name)) {
            return &module->constants.items[i];
        }
    }
    return NULL;
}

int module_count_params(const Function *f, ParamKind kind)
{
    int count = 0;
    for (int i = 0; i < f->param_count; i++) {
        count += f->params[i].kind == kind;
    }
    return count;
}

bool module_copy_function(const Function *from, Function *to)
{
    Param *params = calloc(MAX_PARAMS, sizeof *params);
    if (!params) {
        return error_set("out of host memory");
    }
    memcpy(params, from->params, (size_t)from->param_count * sizeof *params);
    *to = *from;
    to->params = params;
    return true;
}

static const char *const value_types[] = {"float", "double", "int",   "uint",  "bool",  "vec2",
                                          "vec3",  "vec4",   "ivec2", "ivec3", "ivec4", "uvec2",
                                          "uvec3", "uvec4",  "dvec2", "dvec3", "dvec4"};

static const char *const value_names[] = {
    "",        "",        "mat2",    "mat3",    "mat4",    "bvec2",   "bvec3",   "bvec4",   "mat2x2",  "mat2x3",
    "mat2x4",  "mat3x2",  "mat3x3",  "mat3x4",  "mat4x2",  "mat4x3",  "mat4x4",  "dmat2",   "dmat3",   "dmat4",
    "dmat2x2", "dmat2x3", "dmat2x4", "dmat3x2", "dmat3x3", "dmat3x4", "dmat4x2", "dmat4x3", "dmat4x4",
};

const char *module_value_name(int matrix)
{
    return value_names[matrix];
}

bool module_type(const Module *module, const Token *tokens, const Type **type, int *matrix, int *used)
{
    *type = NULL;
    *matrix = 0;
    *used = 1;
    if (tokens->kind != TOKEN_NAME) {
        return false;
    }
    *type = module_struct(module, tokens);
    if (*type || token_is(tokens, "void")) {
        return true;
    }
    if (token_is(tokens, "struct") && tokens[1].kind == TOKEN_NAME) {
        *used = 2;
        *type = module_struct(module, tokens + 1);
        return *type != NULL;
    }
    if (token_is(tokens, "unsigned")) {
        *used = token_is(tokens + 1, "int") ? 2 : 1;
        *type = type_of(SCALAR_UINT, 1);
        return true;
    }
    const char *spelling = names_spelling(tokens);
    Token token = *tokens;
    if (spelling) {
        token.text = spelling;
        token.length = (int)strlen(spelling);
    }
    for (int n = 2; n < (int)(sizeof value_names / sizeof *value_names); n++) {
        if (token_is(&token, value_names[n])) {
            *matrix = n;
            return true;
        }
    }
    for (size_t i = 0; i < sizeof value_types / sizeof *value_types; i++) {
        if (token_is(&token, value_types[i])) {
            *type = type_find(value_types[i]);
            return *type != NULL;
        }
    }
    return false;
}

size_t module_close(const Module *module, size_t open, size_t end)
{
    int depth = 0;
    for (size_t i = open; i < end; i++) {
        const Token *t = &module->tokens.items[i];
        depth += token_nesting(t);
        if (depth == 0 && t->kind == TOKEN_MARK && t->length == 1) {
            return i + 1;
        }
    }
    return 0;
}
