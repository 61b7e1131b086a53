#include "kernel/emit/derive.h"

#include "kernel/emit/glsl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool derive_needed(const Function *f)
{
    return f->kind == FUNCTION_KERNEL && module_count_params(f, PARAM_VOUT) > 0;
}

/* Derives the counting kernel. It drops plain outputs and values that are changed in place. */
static bool derive_count(Function *to, char *baked[MAX_PARAMS])
{
    for (int i = 0; i < to->param_count; i++) {
        Param *param = &to->params[i];
        if (param->kind == PARAM_VOUT) {
            param->kind = PARAM_OUTPUT;
            param->type = type_of(SCALAR_INT, 1);
        } else if (param->kind == PARAM_INOUT) {
            param->kind = PARAM_INPUT;
        } else if (param->kind == PARAM_OUTPUT) {
            StrBuf zero = STRBUF_EMPTY;
            glsl_zero(&zero, param->type);
            baked[i] = strbuf_take(&zero);
            param->kind = PARAM_CONSTANT;
            if (!baked[i]) {
                return error_set("out of host memory");
            }
        }
    }
    return true;
}

/* Derives the writing kernel. Its additional parameters have names that begin with a digit, which
 * users' names cannot. */
static void derive_write(Function *to)
{
    int count = to->param_count;
    for (int i = 0; i < count; i++) {
        Param *param = &to->params[i];
        if (param->kind != PARAM_VOUT) {
            continue;
        }
        param->kind = PARAM_RANDOM_ACCESS;
        param->rank = 1;
        param->target = true;
        for (int k = 0; k < 2; k++) {
            Param *own = &to->params[to->param_count++];
            *own = (Param){.offset = param->offset, .kind = PARAM_INPUT, .type = type_of(SCALAR_INT, 1)};
            snprintf(own->name, sizeof own->name, k ? "%dcount" : "%dbegin", i);
        }
    }
}

bool derive_function(const Module *module, const Function *launched, BodyMode mode, Function *to,
                     char *baked[MAX_PARAMS])
{
    for (int i = 0; i < launched->param_count; i++) {
        const Param *param = &launched->params[i];
        if (param_kinds[param->kind].anywhere) {
            return source_error(&module->source, param->offset,
                                "'%s': a kernel with variable outputs runs twice, so it can't have a random-access "
                                "stream (inout %s[])",
                                param->name, param->name);
        }
    }
    if (launched->param_count + 2 * module_count_params(launched, PARAM_VOUT) > MAX_PARAMS) {
        return source_error(&module->source, launched->offset,
                            "'%s' has too many parameters: each variable output counts for three of %d", launched->name,
                            MAX_PARAMS);
    }
    if (!module_copy_function(launched, to)) {
        return false;
    }
    to->result = NULL; /* becomes an ordinary output */
    if (mode == BODY_COUNT) {
        return derive_count(to, baked);
    }
    derive_write(to);
    return true;
}
