#include "kernel/names.h"
#include "kernel/syntax.h"

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

static const char *const value_types[] = {"float", "double", "int",   "uint",  "bool",  "vec2",  "vec3",  "vec4",
                                          "ivec2", "ivec3",  "ivec4", "uvec2", "uvec3", "uvec4", "dvec2", "dvec3",
                                          "dvec4"};

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
    for (int n = 2; n <= 4; n++) {
        const char name[] = {'m', 'a', 't', (char)('0' + n), '\0'};
        if (token_is(&token, name)) {
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
        if (t->kind != TOKEN_MARK || t->length != 1) {
            continue;
        }
        char c = *t->text;
        depth += c == '(' || c == '[' || c == '{';
        depth -= c == ')' || c == ']' || c == '}';
        if (depth == 0) {
            return i + 1;
        }
    }
    return 0;
}
