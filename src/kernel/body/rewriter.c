#include "kernel/body/rewriter.h"

#include "base/array.h"
#include "kernel/text/condition.h"
#include "kernel/text/names.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const Token *rewriter_token(const Rewriter *rw, size_t index)
{
    return &rw->module->tokens.items[index];
}

static int column_of(const Rewriter *rw, const Token *token)
{
    const char *text = rw->module->source.text;
    size_t at = token->offset;
    while (at > 0 && text[at - 1] != '\n') {
        at--;
    }
    size_t column = token->offset - at;
    return column < 80 ? (int)column : 80;
}

static bool layout(Rewriter *rw, const Token *token)
{
    if (token->starts_line) {
        strbuf_addf(&rw->out, "\n%*s", column_of(rw, token), "");
    } else if (token->spaced) {
        strbuf_add(&rw->out, " ");
    }
    if (!ARRAY_ROOM(&rw->map)) {
        return false;
    }
    rw->map.items[rw->map.count++] = (MapEntry){rw->out.length, token->offset};
    return true;
}

bool rewriter_put(Rewriter *rw, const Token *token, const char *text, int length)
{
    if (!layout(rw, token)) {
        return false;
    }
    strbuf_add_bytes(&rw->out, text, (size_t)length);
    rw->self.tokens++;
    return true;
}

void rewriter_add(Rewriter *rw, const char *text)
{
    strbuf_add(&rw->out, text);
}

bool rewriter_put_user(Rewriter *rw, const Token *token, const char *prefix)
{
    if (!rewriter_put(rw, token, prefix, (int)strlen(prefix))) {
        return false;
    }
    strbuf_add_bytes(&rw->out, token->text, (size_t)token->length);
    return true;
}

static bool put_plain(Rewriter *rw, const Token *token)
{
    return rewriter_put(rw, token, token->text, token->length);
}

const Param *rewriter_param(const Rewriter *rw, const Token *name, int *index)
{
    const Function *f = rw->self.function;
    for (int i = 0; f && i < f->param_count; i++) {
        if (token_is(name, f->params[i].name)) {
            *index = i;
            return &f->params[i];
        }
    }
    return NULL;
}

const Local *rewriter_local(const Rewriter *rw, const Token *name)
{
    for (size_t i = rw->locals.count; i-- > 0;) {
        if (token_equal(&rw->locals.items[i].name, name)) {
            return &rw->locals.items[i];
        }
    }
    return NULL;
}

static bool add_local(Rewriter *rw, size_t at, int shared, bool known)
{
    if (!ARRAY_ROOM(&rw->locals)) {
        return false;
    }
    bool head = at > rw->head_first && at < rw->head_last;
    rw->locals.items[rw->locals.count++] = (Local){.name = *rewriter_token(rw, at),
                                                   .depth = rw->depth,
                                                   .end = head ? rw->head_end : 0,
                                                   .shared = shared,
                                                   .counter = head && rw->head_counts,
                                                   .type = rw->type,
                                                   .matrix = rw->matrix,
                                                   .fixed = known && !rw->real,
                                                   .constant = known && rw->real,
                                                   .reach = head ? rw->head_reach : 0};
    return true;
}

/* Removes the variables of the heads of loops that end before token i. */
static void leave_loops(Rewriter *rw, size_t i)
{
    while (rw->locals.count > 0) {
        const Local *local = &rw->locals.items[rw->locals.count - 1];
        if (local->end == 0 || local->end > i) {
            break;
        }
        rw->locals.count--;
    }
}

static void leave_block(Rewriter *rw)
{
    rw->depth--;
    while (rw->locals.count > 0 && rw->locals.items[rw->locals.count - 1].depth > rw->depth) {
        rw->locals.count--;
    }
}

bool rewriter_constructor(Rewriter *rw, const Token *token)
{
    if (rw->self.function && token_is(token, "bool")) { /* zink's bool() of a NaN is false */
        return rewriter_put(rw, token, "rill_bool", 9);
    }
    return rewriter_type(rw, token);
}

bool rewriter_type(Rewriter *rw, const Token *token)
{
    if (token_is(token, "struct")) {
        token++;
    }
    if (module_struct(rw->module, token)) {
        return rewriter_put_user(rw, token, "u_");
    }
    if (token_is(token, "unsigned")) {
        return rewriter_put(rw, token, "uint", 4);
    }
    const char *spelling = names_spelling(token);
    return spelling ? rewriter_put(rw, token, spelling, (int)strlen(spelling)) : put_plain(rw, token);
}

bool rewriter_variable(const Rewriter *rw, const Token *name)
{
    int index;
    return rewriter_local(rw, name) || rewriter_param(rw, name, &index);
}

size_t rewriter_close(const Rewriter *rw, size_t i, size_t last)
{
    size_t close = module_close(rw->module, i, last);
    return close ? close : last;
}

size_t rewriter_skip_brackets(const Rewriter *rw, size_t i, size_t last, int most)
{
    for (int k = 0; k < most && i < last && token_is(rewriter_token(rw, i), "["); k++) {
        i = rewriter_close(rw, i, last);
    }
    return i;
}

/* declarations */

/* Returns whether "Type name" at token i declares variables. *name is the token of the first one. */
static bool is_declaration(const Rewriter *rw, size_t i, size_t last, int *used, size_t *name)
{
    const Type *type;
    int matrix;
    const Token *t = rewriter_token(rw, i);
    if (rewriter_variable(rw, t) || !module_type(rw->module, t, &type, &matrix, used)) {
        return false;
    }
    *name = rewriter_skip_brackets(rw, i + (size_t)*used, last, INT_MAX);
    if (*name + 1 > last || rewriter_token(rw, *name)->kind != TOKEN_NAME) {
        return false;
    }
    static const char *const marks[] = {"=", ";", ",", "[", ")", ":", NULL};
    return token_any(rewriter_token(rw, *name + 1), marks);
}

/* Returns the ',' or ';' that ends an initializer. */
static size_t initialiser_end(const Rewriter *rw, size_t i, size_t last)
{
    int depth = 0;
    for (; i < last; i++) {
        static const char *const ends[] = {",", ";", ")", NULL};
        const Token *t = rewriter_token(rw, i);
        if (depth == 0 && token_any(t, ends)) {
            break;
        }
        depth += token_nesting(t);
    }
    return i;
}

bool rewriter_lengths(Rewriter *rw, size_t first, size_t last)
{
    bool fixed = rw->fixed, done = true;
    rw->fixed = true;
    for (size_t i = first; done && i < last; i++) {
        size_t close = rewriter_close(rw, i, last);
        done = put_plain(rw, rewriter_token(rw, i)) && rewriter_range(rw, i + 1, close - 1) &&
               put_plain(rw, rewriter_token(rw, close - 1));
        i = close - 1;
    }
    rw->fixed = fixed;
    return done;
}

static bool put_local(Rewriter *rw, const Token *name, int shared)
{
    char prefix[24] = "u_";
    if (shared) {
        snprintf(prefix, sizeof prefix, "sh%d_", shared);
    }
    return rewriter_put_user(rw, name, prefix);
}

static int count_brackets(const Rewriter *rw, size_t first, size_t last)
{
    int count = 0;
    for (size_t i = first; i < last; i = rewriter_close(rw, i, last)) {
        count++;
    }
    return count;
}

static bool declarators(Rewriter *rw, size_t i, size_t last, bool shared, size_t *next)
{
    for (;;) {
        const Token *name = rewriter_token(rw, i);
        if (name->kind != TOKEN_NAME) {
            return source_error(&rw->module->source, name->offset, "expected a name, got '%.*s'", name->length,
                                name->text);
        }
        size_t brackets = rewriter_skip_brackets(rw, i + 1, last, INT_MAX);
        size_t end = brackets;
        if (brackets < last && token_is(rewriter_token(rw, brackets), "=")) {
            end = initialiser_end(rw, brackets, last);
        }
        /* The initializer cannot use the name yet. */
        int number = shared ? ++rw->body->shared_count : 0;
        bool known = rw->constant && rewrite_exact_fixed(rw, i + 1, end);
        bool hidden = known && rw->real && brackets == i + 1 && rewrite_exact_zeros(rw, brackets, end);
        rw->fixed = (known && !rw->real) || hidden;
        if (!put_local(rw, name, number) || !rewriter_lengths(rw, i + 1, brackets) ||
            !rewriter_range(rw, brackets, end) || !add_local(rw, i, number, known)) {
            return false;
        }
        Local *local = &rw->locals.items[rw->locals.count - 1];
        local->hidden = hidden;
        local->brackets = rw->brackets + count_brackets(rw, i + 1, brackets);
        i = end;
        if (i + 1 >= last || !token_is(rewriter_token(rw, i), ",")) {
            break;
        }
        if (!put_plain(rw, rewriter_token(rw, i))) {
            return false;
        }
        i++;
    }
    *next = i;
    return true;
}

static bool declaration(Rewriter *rw, size_t i, size_t last, int used, size_t name, size_t *next)
{
    const Type *type;
    const Token *t = rewriter_token(rw, i);
    module_type(rw->module, t, &type, &rw->matrix, &used);
    rw->type = type;
    rw->real = rewrite_exact_real(type, rw->matrix);
    rw->constant = type && !type->is_struct && type->components == 1 && i > 0 && token_is(t - 1, "const");
    if (rewrite_exact_on(rw)) {
        if (!layout(rw, t)) { /* messages about the declaration begin at its first word */
            return false;
        }
        rewriter_add(rw, t->spaced || t->starts_line ? "precise" : " precise ");
    }
    rw->brackets = count_brackets(rw, i + (size_t)used, name);
    bool done = rewriter_type(rw, t) && rewriter_lengths(rw, i + (size_t)used, name) &&
                declarators(rw, name, last, false, next);
    rw->brackets = 0;
    rw->type = NULL;
    rw->matrix = 0;
    rw->real = rw->constant = rw->fixed = false;
    return done;
}

/* Moves the declaration "shared T name[n];" to global scope. */
static bool shared_declaration(Rewriter *rw, size_t i, size_t last, size_t *next)
{
    int used;
    size_t name;
    const Token *word = rewriter_token(rw, i);
    if (!rw->root->group_rank) {
        return source_error(&rw->module->source, word->offset, "shared variables exist in group kernels only");
    }
    if (!is_declaration(rw, i + 1, last, &used, &name)) {
        return source_error(&rw->module->source, word->offset, "expected 'shared T name[n];'");
    }
    Rewriter global = *rw;
    global.out = STRBUF_EMPTY;
    global.map.items = NULL;
    global.map.count = global.map.capacity = 0;
    rewriter_add(&global, rewrite_exact_on(rw) ? "precise shared " : "shared ");
    bool done = rewriter_type(&global, rewriter_token(rw, i + 1)) &&
                rewriter_lengths(&global, i + 1 + (size_t)used, name) && declarators(&global, name, last, true, next);
    rewriter_add(&global, ";");
    done = done && rewriter_append(&global);
    strbuf_free(&global.out);
    free(global.map.items);
    rw->locals = global.locals;
    return done;
}

/* names */

static bool put_field(Rewriter *rw, const Token *token)
{
    const char *prefix = names_field(token);
    return *prefix ? rewriter_put_user(rw, token, prefix) : put_plain(rw, token);
}

/* Returns the name of rill's function that replaces one of GLSL or Brook, or NULL. */
static const char *kept_spelling(const Rewriter *rw, const Token *t)
{
    const char *spelling = rw->constants ? NULL : names_spelling(t);
    return spelling && strncmp(spelling, "rill_", 5) == 0 ? spelling : NULL;
}

/* Writes the call of such a function or of an atomic function, or bool(x). */
static bool put_own_call(Rewriter *rw, size_t i, size_t close)
{
    const Token *t = rewriter_token(rw, i), *open = t + 1, *end = rewriter_token(rw, close - 1);
    const char *spelling = kept_spelling(rw, t);
    bool done = spelling ? rewriter_put(rw, t, spelling, (int)strlen(spelling)) : rewriter_constructor(rw, t);
    size_t first = i + 2;
    if (done && !spelling && !token_is(t, "bool")) { /* the first argument is changed */
        first = initialiser_end(rw, first, close - 1);
        done = put_plain(rw, open) && rewriter_range(rw, i + 2, first);
        open = rewriter_token(rw, first++);
    }
    return done && put_plain(rw, open) && (first >= close || rewrite_kept_arguments(rw, first, close - 1)) &&
           (first >= close || put_plain(rw, end));
}

/* Writes TYPE[N], and if elements follow it, TYPE[N](x, y). The brackets begin at token `brackets`. */
static bool put_array(Rewriter *rw, size_t i, size_t brackets, size_t last, size_t *next)
{
    size_t open = rewriter_skip_brackets(rw, brackets, last, INT_MAX);
    *next = open;
    bool done = rewriter_type(rw, rewriter_token(rw, i)) && rewriter_lengths(rw, brackets, open);
    if (!done || open >= last || !token_is(rewriter_token(rw, open), "(")) {
        return done;
    }
    *next = rewriter_close(rw, open, last);
    return put_plain(rw, rewriter_token(rw, open)) && rewrite_kept_arguments(rw, open + 1, *next - 1) &&
           put_plain(rw, rewriter_token(rw, *next - 1));
}

static bool put_name(Rewriter *rw, size_t i, size_t last, size_t *next)
{
    const Token *t = rewriter_token(rw, i);
    bool called = i + 1 < last && token_is(rewriter_token(rw, i + 1), "(");
    int index, used;
    size_t name;
    *next = i + 1;
    if (i > 0 && token_is(rewriter_token(rw, i - 1), ".")) {
        return put_field(rw, t);
    }
    if (!called) {
        const Local *local = rewriter_local(rw, t);
        if (local) {
            bool apart = local->counter && !rewrite_index_plain_counter(rw, i, local);
            bool hidden = local->hidden && rewrite_exact_on(rw) && !rw->fixed;
            rewriter_add(rw, apart ? " rill_own(" : hidden ? " rill_seen(" : "");
            bool done = put_local(rw, t, local->shared);
            rewriter_add(rw, apart || hidden ? ")" : "");
            return done;
        }
        const Param *param = rewriter_param(rw, t, &index);
        if (param && param_kinds[param->kind].element && !param->type->is_struct && param->type->components == 1 &&
            token_is(rewriter_token(rw, i + 1), "[")) {
            return source_error(&rw->module->source, t->offset,
                                "'%s' is a single element and has no index: declare '%s %s[]' to read any element by "
                                "its index, or 'neighbor %s %s<>' to read its neighbors",
                                param->name, param->type->name, param->name, param->type->name, param->name);
        }
        if (param) {
            return rewrite_access_param(rw, i, last, param, index, next);
        }
    }
    const Function *callee = called ? module_function(rw->module, t) : NULL;
    if (callee && !(callee == rw->self.function && names_builtin(t))) {
        return rewrite_call_write(rw, i, last, callee, next);
    }
    if (token_is(t, "static") || (token_is(t, "precise") && rewrite_exact_on(rw))) {
        return true; /* GLSL has no `static`, and `precise` must not be written twice */
    }
    if (token_is(t, "shared")) {
        return shared_declaration(rw, i, last, next);
    }
    if (is_declaration(rw, i, last, &used, &name)) {
        return declaration(rw, i, last, used, name, next);
    }
    const Type *type;
    int matrix;
    if (module_type(rw->module, t, &type, &matrix, &used) && token_is(rewriter_token(rw, i + (size_t)used), "[")) {
        return put_array(rw, i, i + (size_t)used, last, next);
    }
    bool handled;
    if (!rewrite_access_builtin(rw, i, last, next, &handled)) {
        return false;
    }
    if (handled) {
        return true;
    }
    size_t close = called ? module_close(rw->module, i + 1, last) : 0;
    bool atomic = t->length > 6 && memcmp(t->text, "atomic", 6) == 0;
    if (close && (atomic || token_is(t, "bool") || kept_spelling(rw, t))) {
        *next = close;
        return put_own_call(rw, i, close);
    }
    bool made = !close || rewrite_exact_construct(rw, i, i + 2, close - 1, true, &handled);
    if (!made || (close && handled)) {
        *next = close;
        return made;
    }
    const Constant *constant = module_constant(rw->module, t);
    if (constant) {
        return rewrite_exact_constant(rw, i, last, constant, next);
    }
    if (module_struct(rw->module, t)) {
        return rewriter_put_user(rw, t, "u_");
    }
    const char *spelling = rw->constants ? names_constant_spelling(t) : names_spelling(t);
    if (token_is(t, "unsigned")) {
        *next = i + (token_is(rewriter_token(rw, i + 1), "int") ? 2 : 1);
        spelling = "uint";
    }
    int value;
    if (token_is(t, "__LINE__") && condition_predefined(&rw->module->source, t, &value)) {
        char line[16];
        snprintf(line, sizeof line, "%d", value);
        return rewriter_put(rw, t, line, (int)strlen(line));
    }
    if (t->length >= 5 && memcmp(t->text, "rill_", 5) == 0) {
        return source_error(&rw->module->source, t->offset, "'%.*s' is not declared", t->length, t->text);
    }
    return spelling ? rewriter_put(rw, t, spelling, (int)strlen(spelling)) : put_plain(rw, t);
}

/* Writes a bool in brackets. */
static bool put_truth(Rewriter *rw, size_t i, size_t close)
{
    bool done = put_plain(rw, rewriter_token(rw, i));
    bool kept = rewrite_kept_begin(rw, i + 1, close - 1, brook_value_of(VALUE_BOOL, 1));
    done = done && rewriter_range(rw, i + 1, close - 1);
    rewrite_kept_end(rw, kept);
    return done && put_plain(rw, rewriter_token(rw, close - 1));
}

/* Writes a number. GLSL has no suffix h, and its suffix for doubles is lf. */
static bool put_number(Rewriter *rw, const Token *t)
{
    bool hex = t->length > 1 && (t->text[1] == 'x' || t->text[1] == 'X');
    char suffix = t->text[t->length - 1];
    return rewriter_put(rw, t, t->text, !hex && suffix == 'h' ? t->length - 1 : t->length);
}

bool rewriter_range(Rewriter *rw, size_t first, size_t last)
{
    for (size_t i = first; i < last;) {
        const Token *t = rewriter_token(rw, i);
        size_t next = i + 1;
        bool done;
        leave_loops(rw, i);
        rewrite_loops_insert(rw, i, false);
        rewrite_exact_open(rw, i);
        if (rewrite_exact_match(rw, i, last, &next, &done)) {
            rewrite_loops_insert(rw, i, true);
        } else if (rewrite_cast_match(rw, i, last)) {
            done = rewrite_cast_write(rw, i, last, &next);
        } else if (rewrite_loops_exit(rw, i, last)) {
            done = rewrite_loops_exit_write(rw, i, last, &next);
        } else if (t->kind == TOKEN_NAME) {
            done = rewrite_loops_enter(rw, i, last) && put_name(rw, i, last, &next);
        } else if (t->kind == TOKEN_NUMBER) {
            done = put_number(rw, t);
        } else if (token_is(t, "[")) {
            done = rewrite_index_write(rw, i, last, &next);
        } else {
            rw->depth += token_is(t, "{");
            if (token_is(t, "}")) {
                leave_block(rw);
            }
            done = put_plain(rw, t);
            bool negates = token_is(t, "!") && i + 1 < last && token_is(rewriter_token(rw, i + 1), "(") &&
                           !rewrite_cast_match(rw, i + 1, last) && module_close(rw->module, i + 1, last);
            rewrite_loops_insert(rw, i, true);
            if (done && negates && rewrite_exact_on(rw)) { /* see prelude.c */
                rewriter_add(rw, "rill_yes");
                next = module_close(rw->module, i + 1, last);
                done = put_truth(rw, i + 1, next);
            }
        }
        if (!done) {
            return false;
        }
        i = next;
    }
    if (first < last) {
        rewrite_loops_insert(rw, last, false);
    }
    return true;
}
