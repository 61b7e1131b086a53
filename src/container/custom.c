/* A user's own translator: GLSL functions `translate` and perhaps `inverse`, and functions of the host. */
#include "container/address_text.h"

#include <stdio.h>
#include <string.h>

typedef struct Custom {
    Translator base;
    Module *module;
    TranslatorHooks hooks;
} Custom;

static const char *const vectors[] = {"int", "ivec2", "ivec3", "ivec4"};

/* text */

static bool defines(const Module *module, const Token *token)
{
    return token->kind == TOKEN_NAME &&
           (module_function(module, token) || module_struct(module, token) || module_constant(module, token));
}

/* The user's text, with a prefix before all that it defines: several may stand side by side. */
static void write_module(const Module *module, StrBuf *out, int number)
{
    const Token *tokens = module->tokens.items;
    for (size_t i = 0; tokens[i].kind != TOKEN_END; i++) {
        bool field = i > 0 && token_is(&tokens[i - 1], ".");
        strbuf_add(out, tokens[i].starts_line ? "\n" : " ");
        if (!field && defines(module, &tokens[i])) {
            strbuf_addf(out, "t%d_u_", number);
        }
        strbuf_add_bytes(out, tokens[i].text, (size_t)tokens[i].length);
    }
    strbuf_add(out, "\n");
}

static void write_custom(const Translator *t, AddressText *text, int number)
{
    bool inverse = text->direction == DIRECTION_INVERSE;
    const char *from = inverse ? "p" : "v", *to = inverse ? "v" : "p";
    int rank = inverse ? t->info.to : t->info.rank, results = inverse ? t->info.rank : t->info.to;
    StrBuf *out = text->out;
    write_module(((const Custom *)t)->module, out, number);
    address_text_open(t, text, number);
    strbuf_addf(out, "  %s r = t%d_u_%s(%s(", vectors[results - 1], number, inverse ? "inverse" : "translate",
                vectors[rank - 1]);
    address_text_list(out, "", from, rank);
    strbuf_add(out, "));\n");
    for (int d = 0; d < results; d++) {
        strbuf_addf(out, results == 1 ? "  %s%d = r;\n" : "  %s%d = r.%c;\n", to, d, "xyzw"[d]);
    }
    strbuf_add(out, "  return ");
    for (int d = 0; d < t->info.to; d++) {
        strbuf_addf(out, "%sp%d >= 0", d ? " && " : "", d);
    }
    if (inverse) {
        strbuf_add(out, " && ");
        address_text_inside(t, out, number, "v");
    }
    strbuf_add(out, ";\n}\n");
}

/* the host */

static Outcome point_custom(const Translator *t, Direction direction, const int64_t *from, int64_t *to, void *caller)
{
    const TranslatorHooks *hooks = &((const Custom *)t)->hooks;
    const int64_t *memory = direction == DIRECTION_INVERSE ? from : to;
    Outcome outcome = hooks->point(hooks->self, direction, from, to, caller);
    for (int d = 0; outcome == OUTCOME_FOUND && d < t->info.to; d++) {
        if (memory[d] < 0 || memory[d] > INT32_MAX) {
            return OUTCOME_NOWHERE;
        }
    }
    if (outcome == OUTCOME_FOUND && direction == DIRECTION_INVERSE && !translator_inside(t, to)) {
        return OUTCOME_NOWHERE;
    }
    return outcome;
}

/* Whether `b` follows `a` in memory. */
static bool follows(const int64_t *a, const int64_t *b, int rank)
{
    for (int d = 1; d < rank; d++) {
        if (a[d] != b[d]) {
            return false;
        }
    }
    return b[0] == a[0] + 1;
}

/* A row of the box, point by point: ranges along x. */
static bool add_row(const Translator *t, const int64_t *first, int64_t last, RangeList *list, void *caller)
{
    int64_t point[SHAPE_MAX_RANK], at[SHAPE_MAX_RANK], before[SHAPE_MAX_RANK];
    bool going = false;
    memcpy(point, first, sizeof point);
    for (; point[0] <= last; point[0]++) {
        Outcome outcome = point_custom(t, DIRECTION_TRANSLATE, point, at, caller);
        if (outcome == OUTCOME_FAILED) {
            return false;
        }
        bool found = outcome == OUTCOME_FOUND;
        if (found && going && follows(before, at, t->info.to)) {
            list->items[list->count - 1].last[0] = point[0];
        } else if (found && !range_add(list, point, point, at)) {
            return false;
        }
        going = found;
        memcpy(before, at, sizeof before);
    }
    return true;
}

static bool ranges_custom(const Translator *t, const int64_t *first, const int64_t *last, RangeList *list, void *caller)
{
    const TranslatorHooks *hooks = &((const Custom *)t)->hooks;
    int64_t row[SHAPE_MAX_RANK];
    if (hooks->ranges) {
        return hooks->ranges(hooks->self, first, last, list, caller);
    }
    memcpy(row, first, sizeof row);
    do {
        if (!add_row(t, row, last[0], list, caller)) {
            return false;
        }
    } while (range_step(row, first, last, 1, t->info.rank));
    return true;
}

static void destroy_custom(Translator *t)
{
    Custom *custom = (Custom *)t;
    module_release(custom->module);
    if (custom->hooks.drop) {
        custom->hooks.drop(custom->hooks.self);
    }
}

static const TranslatorKind custom_kind = {.table = {NO_TABLE, NO_TABLE},
                                           .write = write_custom,
                                           .point = point_custom,
                                           .ranges = ranges_custom,
                                           .destroy = destroy_custom};

/* making */

/* Whether a function takes and gives points of so many coordinates; a missing one where it must be there is an error. */
static bool check_function(const Module *module, const char *name, int rank, int to, bool *there)
{
    const Function *f = NULL;
    for (size_t i = 0; i < module->functions.count; i++) {
        if (strcmp(module->functions.items[i].name, name) == 0) {
            f = &module->functions.items[i];
        }
    }
    *there = f != NULL;
    bool fits = f && f->kind == FUNCTION_HELPER && f->param_count == 1 && f->params[0].kind == PARAM_CONSTANT &&
                f->params[0].type == type_of(SCALAR_INT, rank) && !f->params[0].output && !f->params[0].matrix &&
                f->result == type_of(SCALAR_INT, to);
    return fits || source_error(&module->source, f ? f->offset : 0, "expected a function '%s %s(%s address)'",
                                vectors[to - 1], name, vectors[rank - 1]);
}

/* Compiles the text as it is, so that messages point into it. */
static bool compile(Device *device, const Module *module, int rank, int to, bool inverse)
{
    StrBuf text = STRBUF_EMPTY;
    const SourceText *source = &module->source;
    strbuf_add_bytes(&text, source->text, source->length);
    strbuf_addf(&text, "\nkernel void translator(%s a<>, out %s r<>", vectors[rank - 1], vectors[to - 1]);
    strbuf_addf(&text, inverse ? ", %s b<>, out %s s<>" : "", vectors[to - 1], vectors[rank - 1]);
    strbuf_addf(&text, ") { r = translate(a); %s }\n", inverse ? "s = inverse(b);" : "");
    Module *whole = strbuf_whole(strbuf_text(&text))
                        ? module_create(strbuf_text(&text), text.length, source->chunk, source->first_line)
                        : NULL;
    strbuf_free(&text);
    if (!whole) {
        return false;
    }
    Kernel *kernel = kernel_create(whole, &whole->functions.items[whole->functions.count - 1]);
    bool done = kernel && kernel_compile(kernel, device);
    kernel_release(kernel);
    module_release(whole);
    return done;
}

Translator *translator_custom(Device *device, const char *name, int rank, int to, const Shape *shape, Module *module,
                              const TranslatorTraits *traits, const TranslatorHooks *hooks)
{
    bool there, inverse;
    if (!check_function(module, "translate", rank, to, &there) ||
        (!check_function(module, "inverse", to, rank, &inverse) && inverse) ||
        !compile(device, module, rank, to, inverse)) {
        return NULL;
    }
    Translator *t = translator_make(&custom_kind, sizeof(Custom), name, rank, to, shape);
    if (!t) {
        return NULL;
    }
    Custom *custom = (Custom *)t;
    custom->module = module_retain(module);
    custom->hooks = *hooks;
    t->hooks = hooks->self;
    t->info.pointwise = !hooks->ranges;
    t->info.traits = *traits;
    t->info.traits.invertible = inverse;
    return t;
}
