#include "kernel/text/module.h"

#include "base/error.h"

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

int module_count_params(const Function *f, ParamKind kind)
{
    int count = 0;
    for (int i = 0; i < f->param_count; i++) {
        count += f->params[i].kind == kind;
    }
    return count;
}

const char *module_matrix_name(int n)
{
    static const char *const names[] = {"mat2", "mat3", "mat4"};
    return names[n - 2];
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
        Function *gradient = module->functions.items[i].gradient;
        free(gradient ? gradient->params : NULL);
        free(gradient);
        free(module->functions.items[i].params);
    }
    free(module->functions.items);
    for (size_t i = 0; i < module->structs.count; i++) {
        type_release(module->structs.items[i]);
    }
    free(module->structs.items);
    if (module->tree) {
        module->tree_destroy(module->tree);
    }
    token_list_free(&module->tokens);
    source_free(&module->source);
    free(module);
}
