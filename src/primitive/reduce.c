#include "primitive/reduce.h"

#include "primitive/fold.h"
#include "primitive/reduce_ops.h"

#include <string.h>

const char *reduce_name(ReduceOp op)
{
    static const char *const names[REDUCE_OPS] = {"sum", "prod", "min",   "max",    "mean",   "var",  "std",
                                                  "any", "all",  "count", "argmin", "argmax", "norm", "dot"};
    return names[op];
}

const Type *reduce_result_type(ReduceOp op, const Type *type, bool whole)
{
    ReduceRow row;
    return reduce_row(op, type, whole, &row) ? row.result : NULL;
}

bool reduce_stream(ReduceOp op, const Stream *x, const Stream *y, const Shape *shape, bool whole, Stream *result)
{
    static FoldArgs args; /* large; a call is not re-entered */
    ReduceRow row;
    if (!reduce_row(op, x->type, whole, &row)) {
        return false;
    }
    memset(&args, 0, sizeof args);
    args.inputs = args.count = y ? 2 : 1;
    args.params[0] = (Param){.name = "x", .kind = PARAM_INPUT, .type = row.value};
    args.args[0].stream = x;
    if (y) {
        args.params[1] = (Param){.name = "y", .kind = PARAM_INPUT, .type = row.value};
        args.args[1].stream = y;
    }
    FoldText text = {.name = reduce_name(op),
                     .functions = row.functions,
                     .chunk = row.chunk,
                     .value = row.value,
                     .accumulator = row.accumulator,
                     .result = row.result};
    if (!stream_create(x->device, row.result, shape, false, result)) {
        return false;
    }
    if (!fold_run(&text, &args, result)) {
        stream_release(result);
        return false;
    }
    return true;
}

/* Input and accumulator have the same type. */
static const Type *reduced_type(const Function *f)
{
    int i = 0;
    while (f->params[i].kind != PARAM_REDUCE) {
        i++;
    }
    return f->params[i].type;
}

/* The reduce kernel's body as fold functions: the first element is the start, a step is a call. */
static void write_functions(const Kernel *kernel, StrBuf *out)
{
    const Function *f = &kernel->function;
    const char *entry = kernel->body.entry;
    const Type *type = reduced_type(f);
    char name[80];
    strcpy(name, type->is_struct ? "u_" : "");
    strcat(name, type->name);
    strbuf_addf(out, "%s rill_merge(%s a, %s x) { %s(", name, name, name, entry);
    bool comma = false;
    for (int i = 0; i < f->param_count; i++) {
        const Param *param = &f->params[i];
        if (param_kinds[param->kind].bound) {
            continue;
        }
        strbuf_add(out, comma ? ", " : "");
        comma = true;
        if (param->kind == PARAM_INPUT) {
            strbuf_add(out, "x");
        } else if (param->kind == PARAM_REDUCE) {
            strbuf_add(out, "a");
        } else if (kernel->baked[i]) {
            strbuf_add(out, kernel->baked[i]);
        } else {
            strbuf_addf(out, "rill_c_%s", param->name);
        }
    }
    strbuf_addf(out,
                "); return a; }\n%s rill_first(%s x, int t) { return x; }\n%s rill_step(%s a, %s x, int t) { return "
                "rill_merge(a, x); }\n%s rill_finish(%s a, int n) { return a; }\n",
                name, name, name, name, name, name, name);
}

static void collect_args(const Kernel *kernel, const Argument *args, FoldArgs *out)
{
    const Function *f = &kernel->function;
    memset(out, 0, sizeof *out);
    out->inputs = 1;
    for (int pass = 0; pass < 2; pass++) { /* the input first */
        for (int i = 0; i < f->param_count; i++) {
            bool input = f->params[i].kind == PARAM_INPUT;
            if (f->params[i].kind == PARAM_REDUCE || input != (pass == 0) || kernel->baked[i]) {
                continue;
            }
            out->params[out->count] = f->params[i];
            out->args[out->count] = args[i];
            out->number[out->count] = i;
            out->use[out->count++] = kernel->body.use[i];
        }
    }
}

/* Gathers: as many dimensions as declared; an empty one reads zero, from a small stream in `zeros`. */
static bool check_gathers(const Kernel *kernel, FoldArgs *args, Stream *zeros, int *zero_count)
{
    for (int i = 0; i < args->count; i++) {
        const Param *param = &args->params[i];
        const Stream *s = args->args[i].stream;
        char text[SHAPE_TEXT];
        if (param->kind != PARAM_GATHER) {
            continue;
        }
        if (s->shape.rank != param->rank) {
            return error_set("%s: argument '%s' has %d dimension%s in the kernel, got a stream of shape %s",
                             kernel->function.name, param->name, param->rank, param->rank == 1 ? "" : "s",
                             shape_text(&s->shape, text));
        }
        if (stream_elements(s) == 0) {
            Shape one = {.rank = s->shape.rank, .size = {1, 1, 1, 1, 1, 1, 1, 1}};
            if (!stream_create(s->device, s->type, &one, true, &zeros[*zero_count])) {
                return false;
            }
            args->args[i].stream = &zeros[(*zero_count)++];
        }
    }
    return true;
}

bool reduce_kernel(Kernel *kernel, const Argument *args, bool check, Stream *result)
{
    static FoldArgs fold_args; /* large; a call is not re-entered */
    const Function *f = &kernel->function;
    const Type *type = reduced_type(f);
    if (kernel->body.uses_position) {
        return error_set("%s: indexof has no meaning in a reduce kernel", f->name);
    }
    Stream zeros[MAX_PARAMS];
    int zero_count = 0;
    collect_args(kernel, args, &fold_args);
    StrBuf functions = STRBUF_EMPTY;
    write_functions(kernel, &functions);
    FoldText text = {.name = f->name,
                     .functions = strbuf_text(&functions),
                     .value = type,
                     .accumulator = type,
                     .result = type,
                     .module = kernel->module,
                     .body = &kernel->body,
                     .unbounded = kernel->body.unbounded,
                     .trips = kernel->body.trips,
                     .id = kernel->id,
                     .check = check,
                     .owner = kernel->serial};
    bool done = check_gathers(kernel, &fold_args, zeros, &zero_count) && fold_run(&text, &fold_args, result);
    while (zero_count > 0) {
        stream_release(&zeros[--zero_count]);
    }
    strbuf_free(&functions);
    return done;
}
