/* Rewrites names of stream parameters, and the functions that kernel text has in addition to GLSL's. */
#include "kernel/body/glsl.h"
#include "kernel/body/rewriter.h"
#include "stream/shape.h"

#include <stdio.h>
#include <string.h>

static bool fail(const Rewriter *rw, const Token *token, const char *message)
{
    return source_error(&rw->module->source, token->offset, "'%.*s' %s", token->length, token->text, message);
}

static ParamUse *use_of(Rewriter *rw, int root)
{
    return &rw->body->use[root];
}

/* Writes "f_NAME(": the access function `prefix` of the launched kernel's parameter. */
static bool put_call(Rewriter *rw, const Token *token, const char *prefix, int root)
{
    char text[MAX_NAME + 16];
    strcpy(text, prefix);
    strcat(text, rw->root->params[root].name);
    strcat(text, "(");
    rw->self.accesses++;
    return rewriter_put(rw, token, text, (int)strlen(text));
}

/* Writes up to `rank` bracketed indices at token i as arguments. *next is the token after them.
 * `root`: the launched kernel's parameter that is read, whose indices may be out of range; -1 for
 * writes. */
static bool put_indices(Rewriter *rw, size_t i, size_t last, int rank, int root, size_t *next)
{
    int count = 0;
    for (size_t at = i; count < rank && at < last && token_is(rewriter_token(rw, at), "["); count++) {
        at = rewriter_close(rw, at, last);
    }
    for (int k = 0; k < count; k++) {
        size_t close = module_close(rw->module, i, last);
        if (close == i + 2) {
            return fail(rw, rewriter_token(rw, i), "needs an index");
        }
        rewriter_add(rw, k ? ", rill_ix(" : "rill_ix(");
        if (!rewrite_kept_value(rw, i + 1, close - 1)) {
            return false;
        }
        if (root >= 0) {
            char text[MAX_NAME + 16];
            int d = count - 1 - k;
            snprintf(text, sizeof text, ", b_%s(%s), %d", rw->root->params[root].name, d < 4 ? "" : "4", d & 3);
            rewriter_add(rw, text);
        }
        rewriter_add(rw, ")");
        i = close;
    }
    *next = i;
    return true;
}

static bool is_assignment(const Token *t)
{
    static const char *const marks[] = {"=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^=", NULL};
    return token_any(t, marks);
}

bool body_plain_random(const Type *type)
{
    if (type->is_struct || type->components == 3) {
        return false;
    }
    Scalar s = type->scalar;
    return s == SCALAR_FLOAT || s == SCALAR_DOUBLE || s == SCALAR_INT || s == SCALAR_UINT;
}

/* Returns the token after the indices and fields of an element: name[i][j].x[k]. */
static size_t element_end(const Rewriter *rw, size_t i, size_t last, int rank, size_t *suffix)
{
    *suffix = i = rewriter_skip_brackets(rw, i, last, rank);
    while (i < last && (token_is(rewriter_token(rw, i), ".") || token_is(rewriter_token(rw, i), "["))) {
        i = token_is(rewriter_token(rw, i), ".") ? i + 2 : rewriter_close(rw, i, last);
    }
    return i;
}

static bool is_written(const Rewriter *rw, size_t i, size_t end, size_t last)
{
    if (rw->changed && i == rw->changed) {
        return true; /* passed to an `out` parameter */
    }
    while (end < last && token_is(rewriter_token(rw, i - 1), "(") && token_is(rewriter_token(rw, end), ")") &&
           rewriter_token(rw, i - 2)->kind != TOKEN_NAME) {
        i--; /* (name[i]) = value */
        end++;
    }
    const Token *after = end < last ? rewriter_token(rw, end) : NULL;
    const Token *before = rewriter_token(rw, i - 1);
    if (after && (is_assignment(after) || token_is(after, "++") || token_is(after, "--"))) {
        return true;
    }
    if (token_is(before, "++") || token_is(before, "--")) {
        return true;
    }
    const Token *callee = token_is(before, "(") ? rewriter_token(rw, i - 2) : NULL;
    return callee && callee->length > 6 && memcmp(callee->text, "atomic", 6) == 0;
}

/* Writes name[i].field op= value for elements without plain storage: load, change, store. */
static bool random_statement(Rewriter *rw, size_t i, size_t last, const Param *param, int root, size_t *next)
{
    const Token *name = rewriter_token(rw, i);
    size_t suffix, end = element_end(rw, i + 1, last, param->rank, &suffix);
    const Token *op = rewriter_token(rw, end), *before = rewriter_token(rw, i - 1);
    bool alone = token_is(before, ";") || token_is(before, "{") || token_is(before, "}") || token_is(before, ")") ||
                 token_is(before, "else") || token_is(before, "do");
    size_t stop = rewrite_loops_statement_end(rw, end, last);
    if (!alone || !is_assignment(op) || stop > last || !token_is(rewriter_token(rw, stop - 1), ";")) {
        return fail(rw, name, "has elements that can only be changed by statements like name[i] = value;");
    }
    rewriter_add(rw, "{ int rill_e = ");
    size_t after;
    if (!put_call(rw, name, "w_", root) || !put_indices(rw, i + 1, last, param->rank, -1, &after)) {
        return false;
    }
    const char *root_name = rw->root->params[root].name;
    StrBuf text = STRBUF_EMPTY;
    bool remainder = token_is(op, "%=");
    strbuf_addf(&text, "); %s%s rill_v = load_%s(rill_e); %srill_v", rewrite_exact_on(rw) ? "precise " : "",
                glsl_type(rw->root->params[root].type), root_name, remainder ? "rill_rem_to(" : "");
    rewriter_add(rw, strbuf_text(&text));
    strbuf_free(&text);
    /* The semicolon is written separately: text that must follow the loop's body is inserted after
     * it and must follow the store. */
    const Token *semicolon = rewriter_token(rw, stop - 1);
    bool done = rewriter_range(rw, suffix, remainder ? end : stop - 1);
    rewriter_add(rw, remainder ? ", " : "");
    done = done && (!remainder || rewriter_range(rw, end + 1, stop - 1));
    rewriter_add(rw, remainder ? ")" : "");
    if (!done || !rewriter_put(rw, semicolon, ";", 1)) {
        return false;
    }
    strbuf_addf(&text, " store_%s(rill_e, rill_v); }", root_name);
    rewriter_add(rw, strbuf_text(&text));
    strbuf_free(&text);
    *next = stop;
    return true;
}

/* Writes name[i][j] of a stream in storage, for a store or a load. */
static bool put_element(Rewriter *rw, size_t i, size_t last, const Param *param, int root, bool written, size_t *next)
{
    const Token *name = rewriter_token(rw, i);
    char text[2 * MAX_NAME + 32];
    strcpy(text, written ? "data_" : "load_");
    strcat(text, rw->root->params[root].name);
    strcat(text, written ? "[" : "(");
    if (!rewriter_put(rw, name, text, (int)strlen(text)) || !put_call(rw, name, written ? "w_" : "r_", root) ||
        !put_indices(rw, i + 1, last, param->rank, written ? -1 : root, next)) {
        return false;
    }
    rewriter_add(rw, written ? ")]" : "))");
    return true;
}

/* Returns the type of name[i].field, whose fields and indices are tokens first .. last - 1. */
static Value element_type(const Rewriter *rw, const Type *type, size_t first, size_t last)
{
    Value value = brook_value(type, 0);
    while (first < last) {
        bool field = token_is(rewriter_token(rw, first), ".");
        value = field ? brook_value_field(value, rewriter_token(rw, first + 1)) : brook_value_of(value.base, 1);
        first = field ? first + 2 : rewriter_close(rw, first, last);
    }
    return value;
}

/* Writes the whole statement name[i].field op= value. */
static bool put_store(Rewriter *rw, size_t i, size_t last, const Param *param, int root, size_t end, size_t *next)
{
    Store store = {.op = end};
    store.type = element_type(rw, param->type, rewriter_skip_brackets(rw, i + 1, last, param->rank), end);
    bool done =
        put_element(rw, i, last, param, root, true, next) && rewriter_range(rw, *next, end) &&
        rewrite_exact_store(rw, i, last, &store) &&
        (!store.change || (put_element(rw, i, last, param, root, true, next) && rewriter_range(rw, *next, end))) &&
        rewrite_exact_stored(rw, &store);
    *next = store.end;
    return done;
}

static bool access_random(Rewriter *rw, size_t i, size_t last, const Param *param, int root, size_t *next)
{
    const Token *name = rewriter_token(rw, i);
    size_t suffix, end = element_end(rw, i + 1, last, param->rank, &suffix);
    bool written = is_written(rw, i, end, last), plain = body_plain_random(param->type);
    if (written && param->kind == PARAM_GATHER) {
        return fail(rw, name, "is a gather here: it can't be changed");
    }
    if (written && !plain) {
        return random_statement(rw, i, last, param, root, next);
    }
    const Token *op = rewriter_token(rw, end);
    bool whole = written && end < last && is_assignment(op) && !token_is(op, "%=") && rewrite_exact_on(rw);
    return whole ? put_store(rw, i, last, param, root, end, next)
                 : put_element(rw, i, last, param, root, written, next);
}

static bool put_vout(Rewriter *rw, const Token *token, const char *prefix, int root)
{
    char text[MAX_NAME + 16];
    strcpy(text, prefix);
    strcat(text, rw->root->params[root].name);
    return rewriter_put(rw, token, text, (int)strlen(text));
}

/* Writes push(name, value) and Brook's push(name). */
static bool push(Rewriter *rw, size_t i, size_t last, size_t *next)
{
    const Token *word = rewriter_token(rw, i), *name = rewriter_token(rw, i + 2);
    size_t close = module_close(rw->module, i + 1, last);
    int index = -1;
    bool known = close > i + 3 && name->kind == TOKEN_NAME && !rewriter_local(rw, name);
    const Param *param = known ? rewriter_param(rw, name, &index) : NULL;
    bool alone = close == i + 4;
    if (!param || param->kind != PARAM_VOUT || (!alone && !token_is(rewriter_token(rw, i + 3), ","))) {
        return fail(rw, word, "takes the name of a variable output and a value: push(name, value)");
    }
    int root = rw->self.bound[index];
    if (!put_vout(rw, word, "rill_push_", root)) {
        return false;
    }
    rewriter_add(rw, "(");
    bool kept = !alone && rewrite_kept_begin(rw, i + 4, close - 1, brook_value(param->type, 0));
    bool done = alone ? put_vout(rw, name, "rill_v_", root) : rewriter_range(rw, i + 4, close - 1);
    rewrite_kept_end(rw, kept);
    rewriter_add(rw, ")");
    *next = close;
    return done;
}

/* Writes the access to a neighbor at known offsets, from token i on. */
static bool put_known(Rewriter *rw, size_t i, const Offsets *offsets, int root)
{
    ParamUse *use = use_of(rw, root);
    use->axes = offsets->axes > use->axes ? offsets->axes : use->axes;
    use->reach = offsets->reach > use->reach ? offsets->reach : use->reach;
    int number = offsets->literal ? rewrite_offsets_note(use, offsets) : -1;
    use->ranges = use->ranges || number < 0;
    char prefix[16] = "nl_";
    if (number >= 0) {
        snprintf(prefix, sizeof prefix, "o%d_", number);
    }
    bool done = put_call(rw, rewriter_token(rw, i), prefix, root);
    rw->self.tokens +=
        number < 0 ? 0
                   : (double)(offsets->end - i - 1) - 2 * offsets->brackets; /* counts as if the offsets were written */
    for (size_t k = i + 1; done && number < 0 && k < offsets->end; k = module_close(rw->module, k, offsets->end)) {
        rewriter_add(rw, k > i + 1 ? ", " : "");
        done = rewriter_range(rw, k + 1, module_close(rw->module, k, offsets->end) - 1);
    }
    rewriter_add(rw, number < 0 && offsets->end == i + 1 ? "0)" : ")");
    return done;
}

/* Checks that an element of a gather of scalars has no more indices than the declaration has brackets. */
static bool check_brackets(const Rewriter *rw, size_t i, size_t last, const Param *param)
{
    char declared[2 * SHAPE_MAX_RANK + 1] = "";
    const Token *surplus = NULL;
    int count = 0;
    for (i++; i < last && token_is(rewriter_token(rw, i), "["); count++) {
        surplus = count == param->rank ? rewriter_token(rw, i + 1) : surplus;
        i = rewriter_close(rw, i, last);
    }
    if (count <= param->rank || count > SHAPE_MAX_RANK || param->type->is_struct || param->type->components > 1) {
        return true;
    }
    for (int d = 0; d < count; d++) {
        strcat(declared, "[]");
    }
    return source_error(&rw->module->source, surplus->offset,
                        "cannot dereference a scalar: '%s' has %d indices here, but %d pair%s of brackets in its "
                        "declaration: %d indices need '%s %s%s'",
                        param->name, count, param->rank, param->rank == 1 ? "" : "s", count, param->type->name,
                        param->name, declared);
}

static bool access_bound(Rewriter *rw, size_t i, size_t last, const Param *param, int root, size_t *next)
{
    const Token *name = rewriter_token(rw, i);
    bool indexed = i + 1 < last && token_is(rewriter_token(rw, i + 1), "[");
    use_of(rw, root)->element = true;
    if (param->kind == PARAM_VOUT) {
        *next = i + 1; /* the variable whose value push(name) pushes */
        return put_vout(rw, name, "rill_v_", root);
    }
    if (param->kind == PARAM_NEIGHBOR) {
        rw->body->uses_position = true;
        Offsets offsets;
        if (rewrite_offsets_read(rw, i + 1, last, &offsets)) {
            *next = offsets.end;
            return put_known(rw, i, &offsets, root);
        }
        if (!put_call(rw, name, "n_", root)) {
            return false;
        }
        use_of(rw, root)->far = true;
        *next = i + 1;
        if (!indexed) {
            rewriter_add(rw, "0");
        } else if (!put_indices(rw, i + 1, last, 8, root, next)) {
            return false;
        }
        rewriter_add(rw, ")");
        return true;
    }
    if (!indexed) {
        const Token *method = rewriter_token(rw, i + 1);
        bool length = token_is(method, ".") && (token_is(method + 1, "length") || token_is(method + 1, "size"));
        return fail(rw, name,
                    length ? "is a gather: sizeof_stream(name).x is its length, and sizeof_list(name) that of a "
                             "list"
                           : "is a gather: index it, or pass it to a gather parameter");
    }
    if (!check_brackets(rw, i, last, param)) {
        return false;
    }
    if (param_kinds[rw->root->params[root].kind].anywhere) {
        return access_random(rw, i, last, param, root, next);
    }
    size_t suffix;
    if (is_written(rw, i, element_end(rw, i + 1, last, param->rank, &suffix), last)) {
        return fail(rw, name, "is a gather, which is only read: declare it inout to write its elements");
    }
    if (!put_call(rw, name, "g_", root) || !put_indices(rw, i + 1, last, param->rank, root, next)) {
        return false;
    }
    rewriter_add(rw, ")");
    return true;
}

bool rewrite_access_param(Rewriter *rw, size_t i, size_t last, const Param *param, int index, size_t *next)
{
    const Token *name = rewriter_token(rw, i);
    if (param_kinds[param->kind].bound) {
        return access_bound(rw, i, last, param, rw->self.bound[index], next);
    }
    char text[MAX_NAME + 8] = "u_";
    strcat(text, param->name);
    *next = i + 1;
    return rewriter_put(rw, name, text, (int)strlen(text));
}

/* Writes indexof(x), indexof x, indexof(x, d) and sizeof_stream(x). */
static bool query(Rewriter *rw, size_t i, size_t last, bool size, size_t *next)
{
    const Token *word = rewriter_token(rw, i);
    bool parens = i + 1 < last && token_is(rewriter_token(rw, i + 1), "(");
    size_t at = i + 1 + parens;
    size_t close = parens ? module_close(rw->module, i + 1, last) : at + 1;
    int index = -1;
    const Token *name = at < last ? rewriter_token(rw, at) : word;
    const Param *param =
        name->kind == TOKEN_NAME && !rewriter_local(rw, name) ? rewriter_param(rw, name, &index) : NULL;
    const Token *after = rewriter_token(rw, at + 1);
    bool dimension = parens && token_is(after, ",");
    if (!close || !param || !param_kinds[param->kind].stream || (parens && !dimension && !token_is(after, ")"))) {
        return fail(rw, word, "takes the name of a stream parameter");
    }
    if (param->kind == PARAM_VOUT) {
        return fail(rw, name,
                    size ? "is a variable output: its size is not known yet" : "is a variable output: it has no index");
    }
    if (!size && (param->kind == PARAM_GATHER || param_kinds[param->kind].anywhere)) {
        return fail(rw, name, "is a gather: it has no index");
    }
    int root = rw->self.bound[index];
    if (root < 0) {
        if (size) {
            return fail(rw, name, "stands for a value here, which has no size");
        }
        rw->body->uses_at = true;
        rw->body->uses_at_high = rw->body->uses_at_high || dimension;
        if (!rewriter_put(rw, word, "rill_at(", 8)) {
            return false;
        }
    } else {
        ParamUse *use = use_of(rw, root);
        use->index = use->index || !size;
        use->index_high = use->index_high || (dimension && !size);
        use->size = use->size || size;
        if (!put_call(rw, word, size ? "size_" : "at_", root)) {
            return false;
        }
    }
    rw->body->uses_position = rw->body->uses_position || !size;
    if (dimension && !rewriter_range(rw, at + 2, close - 1)) {
        return false;
    }
    rewriter_add(rw, ")");
    *next = close;
    return true;
}

/* Writes spacingof(name). */
static bool spacing(Rewriter *rw, size_t i, size_t last, size_t *next)
{
    const Token *word = rewriter_token(rw, i), *name = rewriter_token(rw, i + 2);
    size_t close = module_close(rw->module, i + 1, last);
    int index = -1;
    const Param *param = close == i + 4 && name->kind == TOKEN_NAME ? rewriter_param(rw, name, &index) : NULL;
    if (!param || !param_kinds[param->kind].along) {
        return fail(rw, word, "takes the name of a parameter with <>: spacingof(name)");
    }
    rw->body->uses_spacing = rw->body->uses_position = true;
    *next = close;
    return rewriter_put(rw, word, "rill_spacing", 12);
}

/* Writes sample(name, p), or with `corners` sample_corners(name, p, weights, spacing). */
static bool sample(Rewriter *rw, size_t i, size_t last, bool corners, size_t *next)
{
    const Token *name = rewriter_token(rw, i + 2);
    size_t close = module_close(rw->module, i + 1, last);
    int index = -1;
    const Param *param = close && name->kind == TOKEN_NAME ? rewriter_param(rw, name, &index) : NULL;
    if (!param || param->kind != PARAM_GATHER || !token_is(rewriter_token(rw, i + 3), ",")) {
        return fail(rw, rewriter_token(rw, i),
                    corners ? "takes a gather parameter, a position and two variables: sample_corners(name, p, "
                              "weights, spacing)"
                            : "takes a gather parameter and a position: sample(name, p)");
    }
    bool floats = !param->type->is_struct && type_scalar_is_float(param->type->scalar);
    if (!floats || param->rank > 3) {
        return fail(rw, name, "can't be sampled: sample takes a gather of floats with one to three dimensions");
    }
    if (corners && (param->rank > 2 || param->type->components > 1)) {
        return fail(
            rw, name,
            "has no corners to sample: sample_corners takes a gather of single floats with one or two dimensions");
    }
    int root = rw->self.bound[index];
    if (param_kinds[rw->root->params[root].kind].anywhere) {
        return fail(rw, name, "can't be sampled here: it is bound to a stream that is written");
    }
    use_of(rw, root)->sample = use_of(rw, root)->element = true;
    use_of(rw, root)->corners = use_of(rw, root)->corners || corners;
    if (!put_call(rw, rewriter_token(rw, i), corners ? "k_" : "s_", root) ||
        !rewrite_kept_arguments(rw, i + 4, close - 1)) {
        return false;
    }
    rewriter_add(rw, ")");
    *next = close;
    return true;
}

/* Writes sizeof_list(name, i, ...). It takes indices for all dimensions except the fastest. */
static bool row_size(Rewriter *rw, size_t i, size_t last, size_t *next)
{
    const Token *word = rewriter_token(rw, i), *name = rewriter_token(rw, i + 2);
    size_t close = module_close(rw->module, i + 1, last);
    int index = -1;
    const Param *param = close && name->kind == TOKEN_NAME ? rewriter_param(rw, name, &index) : NULL;
    bool indexed = close && token_is(rewriter_token(rw, i + 3), ",");
    if (!param || !(param->kind == PARAM_GATHER || param_kinds[param->kind].anywhere) || (!indexed && close != i + 4) ||
        indexed == (param->rank == 1)) {
        return fail(rw, word,
                    "takes the name of a gather, and an index for each dimension except the last: sizeof_list(x) of "
                    "float x[], sizeof_list(x, i) of float x[][]");
    }
    int root = rw->self.bound[index];
    use_of(rw, root)->row = use_of(rw, root)->element = true;
    if (!put_call(rw, word, "z_", root) || (indexed && !rewriter_range(rw, i + 4, close - 1))) {
        return false;
    }
    rewriter_add(rw, ")");
    *next = close;
    return true;
}

bool rewrite_access_builtin(Rewriter *rw, size_t i, size_t last, size_t *next, bool *handled)
{
    const Token *t = rewriter_token(rw, i);
    *handled = true;
    if (token_is(t, "indexof") || token_is(t, "sizeof_stream")) {
        return query(rw, i, last, token_is(t, "sizeof_stream"), next);
    }
    bool call = i + 1 < last && token_is(rewriter_token(rw, i + 1), "(");
    if ((token_is(t, "sample") || token_is(t, "sample_corners")) && call) {
        return sample(rw, i, last, token_is(t, "sample_corners"), next);
    }
    if (token_is(t, "spacingof") && call) {
        return spacing(rw, i, last, next);
    }
    if (token_is(t, "sizeof_list") && call) {
        return row_size(rw, i, last, next);
    }
    if (token_is(t, "push") && call) {
        return push(rw, i, last, next);
    }
    if (call && (token_is(t, "groupid") || token_is(t, "localid"))) {
        if (!rw->root->group_rank) {
            return fail(rw, t, "exists in group kernels only: kernel(64) void ...");
        }
        *next = i + 1;
        const char *text = token_is(t, "groupid") ? "rill_groupid" : "rill_localid";
        return rewriter_put(rw, t, text, (int)strlen(text));
    }
    *handled = false;
    return true;
}
