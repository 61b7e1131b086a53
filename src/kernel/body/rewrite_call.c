/* Rewrites calls of the module's functions. Arguments for stream parameters are bound, not passed. */
#include "kernel/body/rewriter.h"

#include <stdio.h>

static size_t argument_end(const Rewriter *rw, size_t i, size_t close)
{
    int depth = 0;
    for (; i < close; i++) {
        const Token *t = rewriter_token(rw, i);
        depth += token_nesting(t);
        if (depth == 0 && token_is(t, ",")) {
            break;
        }
    }
    return i;
}

/* Returns the launched kernel's parameter that an argument, consisting of one name, stands for; -1
 * for any other argument. */
static int argument_binding(const Rewriter *rw, size_t first, size_t last, const Param **param)
{
    int index;
    *param = NULL;
    const Token *t = rewriter_token(rw, first);
    if (last != first + 1 || t->kind != TOKEN_NAME || rewriter_local(rw, t)) {
        return -1;
    }
    *param = rewriter_param(rw, t, &index);
    return *param ? rw->self.bound[index] : -1;
}

static bool bind_argument(const Rewriter *rw, const Function *callee, int k, size_t first, size_t last, int *bound)
{
    const Param *want = &callee->params[k], *have;
    *bound = argument_binding(rw, first, last, &have);
    if (!param_kinds[want->kind].bound) {
        *bound = param_kinds[want->kind].stream ? *bound : -1;
        if (have && param_kinds[have->kind].bound && have->kind != PARAM_NEIGHBOR) {
            return source_error(&rw->module->source, rewriter_token(rw, first)->offset,
                                "'%s' of '%s' takes a value, not the whole of '%s'", want->name, callee->name,
                                have->name);
        }
        return true;
    }
    bool fits = have && *bound >= 0 &&
                (have->kind == want->kind || (want->kind == PARAM_GATHER && param_kinds[have->kind].anywhere));
    if (want->kind == PARAM_VOUT && !(fits && have->type == want->type)) {
        return source_error(&rw->module->source, rewriter_token(rw, first)->offset,
                            "'%s' of '%s' takes the name of a variable output of the same type (vout %s %s<>)",
                            want->name, callee->name, want->type->name, want->name);
    }
    if (!fits || have->rank != want->rank) {
        return source_error(&rw->module->source, rewriter_token(rw, first)->offset,
                            "'%s' of '%s' takes the name of a %s parameter with the same number of dimensions",
                            want->name, callee->name, param_kinds[want->kind].name);
    }
    return true;
}

static bool changes(const Param *param)
{
    return param->output || (param_kinds[param->kind].stream && param_kinds[param->kind].written);
}

bool rewrite_call_write(Rewriter *rw, size_t i, size_t last, const Function *callee, size_t *next)
{
    const Token *name = rewriter_token(rw, i);
    size_t close = module_close(rw->module, i + 1, last);
    if (!rw->instances) {
        return source_error(&rw->module->source, name->offset, "a constant can't be computed by '%s'", callee->name);
    }
    int bound[MAX_PARAMS], count = 0;
    size_t first[MAX_PARAMS], end[MAX_PARAMS];
    for (size_t at = i + 2; at < close - 1 || (count > 0 && at == close - 1); at = end[count - 1] + 1) {
        if (count == callee->param_count) {
            count++;
            break;
        }
        first[count] = at;
        end[count] = argument_end(rw, at, close - 1);
        if (at == end[count]) {
            return source_error(&rw->module->source, rewriter_token(rw, at)->offset, "expected an argument");
        }
        if (!bind_argument(rw, callee, count, at, end[count], &bound[count])) {
            return false;
        }
        count++;
    }
    if (count != callee->param_count) {
        return source_error(&rw->module->source, name->offset, "'%s' takes %d argument%s", callee->name,
                            callee->param_count, callee->param_count == 1 ? "" : "s");
    }
    Instance instance;
    if (!rewriter_instance(rw, callee, bound, &instance)) {
        return false;
    }
    rw->self.tokens += instance.tokens;
    rw->self.accesses += instance.accesses;
    rw->self.trips += instance.trips * rewrite_loops_factor(rw);
    rw->self.unbounded = rw->self.unbounded || instance.unbounded;
    char prefix[24] = "u_";
    if (instance.number) {
        snprintf(prefix, sizeof prefix, "u%d_", instance.number);
    }
    if (!rewriter_put_user(rw, name, prefix)) {
        return false;
    }
    rewriter_add(rw, "(");
    bool comma = false;
    for (int k = 0; k < count; k++) {
        if (param_kinds[callee->params[k].kind].bound) {
            continue;
        }
        rewriter_add(rw, comma ? ", " : "");
        comma = true;
        const Param *param = &callee->params[k];
        rw->changed = changes(param) ? first[k] : 0;
        bool kept = !rw->changed && rewrite_kept_begin(rw, first[k], end[k], brook_value_param(param));
        if (!rewrite_exact_argument(rw, first[k], end[k], rewrite_exact_real(param->type, param->matrix))) {
            return false;
        }
        rewrite_kept_end(rw, kept);
    }
    rw->changed = 0;
    rewriter_add(rw, ")");
    *next = close;
    return true;
}
