/* Custom translators: a user's GLSL functions `translate` and perhaps `inverse`, and functions for the CPU. */
#include "container/translator/glsl.h"
#include "container/translator/translators.h"
#include "kernel/check/analyze.h"

#include <stdio.h>
#include <string.h>

typedef struct Custom {
    Translator base;
    Module *module;
    TranslatorHooks hooks;
} Custom;

static const char *const vectors[] = {"int", "ivec2", "ivec3", "ivec4"};

/* Points of more than four coordinates are an ivec4 and a second vector of the other coordinates. */
enum { VECTOR = 4 };

static const char *first_vector(int rank)
{
    return vectors[(rank < VECTOR ? rank : VECTOR) - 1];
}

static const char *further_vector(int rank)
{
    return vectors[rank - VECTOR - 1];
}

/* text */

static bool defines(const Module *module, const Token *token)
{
    return token->kind == TOKEN_NAME && node_declares(module->tree, token);
}

/* Writes the user's text, with a prefix before all names that it defines, so that several texts fit into one
 * program. */
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

/* Writes for example "ivec2(v4, v5)". */
static void write_vector(StrBuf *out, const char *type, const char *name, int first, int count)
{
    strbuf_addf(out, "%s(", type);
    for (int d = 0; d < count; d++) {
        strbuf_addf(out, "%s%s%d", d ? ", " : "", name, first + d);
    }
    strbuf_add(out, ")");
}

static void write_custom(const Translator *t, TranslatorGlsl *text, int number)
{
    bool inverse = text->direction == DIRECTION_INVERSE;
    const char *from = inverse ? "p" : "v", *to = inverse ? "v" : "p";
    int rank = inverse ? t->info.to : t->info.rank, results = inverse ? t->info.rank : t->info.to;
    StrBuf *out = text->out;
    write_module(((const Custom *)t)->module, out, number);
    translator_glsl_open(t, text, number);
    strbuf_addf(out, results > VECTOR ? "  %s more;\n" : "", results > VECTOR ? further_vector(results) : "");
    strbuf_addf(out, "  %s r = t%d_u_%s(", first_vector(results), number, inverse ? "inverse" : "translate");
    write_vector(out, first_vector(rank), from, 0, rank < VECTOR ? rank : VECTOR);
    if (rank > VECTOR) {
        strbuf_add(out, ", ");
        write_vector(out, further_vector(rank), from, VECTOR, rank - VECTOR);
    }
    strbuf_add(out, results > VECTOR ? ", more);\n" : ");\n");
    for (int d = 0; d < results; d++) {
        bool scalar = results == 1 || (results == VECTOR + 1 && d == VECTOR);
        strbuf_addf(out, "  %s%d = %s", to, d, d < VECTOR ? "r" : "more");
        strbuf_addf(out, scalar ? ";\n" : ".%c;\n", "xyzw"[d % VECTOR]);
    }
    strbuf_add(out, "  return ");
    for (int d = 0; d < t->info.to; d++) {
        strbuf_addf(out, "%sp%d >= 0", d ? " && " : "", d);
    }
    if (inverse) {
        strbuf_add(out, " && ");
        translator_glsl_inside(t, out, number, "v");
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
            return OUTCOME_UNMAPPED;
        }
    }
    if (outcome == OUTCOME_FOUND && direction == DIRECTION_INVERSE && !translator_inside(t, to)) {
        return OUTCOME_UNMAPPED;
    }
    return outcome;
}

static bool ranges_custom(const Translator *t, const int64_t *first, const int64_t *last, RangeList *list, void *caller)
{
    const TranslatorHooks *hooks = &((const Custom *)t)->hooks;
    return hooks->ranges ? hooks->ranges(hooks->self, first, last, list, caller)
                         : translator_point_ranges(t, first, last, list, caller);
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

static bool is_plain(const Param *param, int components, int output)
{
    return param->kind == PARAM_CONSTANT && param->type == type_of(SCALAR_INT, components) && param->output == output &&
           !param->matrix;
}

/* Returns whether a function has the expected form, for example 'int translate(ivec4 address, ivec2 more)'. */
static bool fits(const Function *f, int rank, int to)
{
    int count = 0, wanted = 1 + (rank > VECTOR) + (to > VECTOR);
    if (f->kind != FUNCTION_HELPER || f->param_count != wanted ||
        f->result != type_of(SCALAR_INT, to < VECTOR ? to : VECTOR)) {
        return false;
    }
    bool good = is_plain(&f->params[count++], rank < VECTOR ? rank : VECTOR, 0);
    good = good && (rank <= VECTOR || is_plain(&f->params[count++], rank - VECTOR, 0));
    return good && (to <= VECTOR || is_plain(&f->params[count], to - VECTOR, 1));
}

/* Checks that a function maps points of `rank` to points of `to` coordinates. `there`: whether it is defined.
 * False with error_set. */
static bool check_function(const Module *module, const char *name, int rank, int to, bool *there)
{
    const Function *f = NULL;
    for (size_t i = 0; i < module->functions.count; i++) {
        if (strcmp(module->functions.items[i].name, name) == 0) {
            f = &module->functions.items[i];
        }
    }
    *there = f != NULL;
    return (f && fits(f, rank, to)) ||
           source_error(&module->source, f ? f->offset : 0, "expected a function '%s %s(%s address%s%s%s%s%s)'",
                        first_vector(to), name, first_vector(rank), rank > VECTOR ? ", " : "",
                        rank > VECTOR ? further_vector(rank) : "", rank > VECTOR ? " more" : "",
                        to > VECTOR ? ", out " : "", to > VECTOR ? further_vector(to) : "");
}

/* Writes parameters of the kernel that calls the functions for a test compilation: a point and its result. */
static void add_trial(StrBuf *out, const char *point, const char *result, int rank, int to)
{
    strbuf_addf(out, "%s %s<>, ", first_vector(rank), point);
    if (rank > VECTOR) {
        strbuf_addf(out, "%s %s_more<>, ", further_vector(rank), point);
    }
    strbuf_addf(out, "out %s %s<>", first_vector(to), result);
}

/* Writes a statement that calls a function. */
static void call_trial(StrBuf *out, const char *name, const char *point, const char *result, int rank, int to)
{
    strbuf_addf(out, to > VECTOR ? " { %s more; " : " { ", to > VECTOR ? further_vector(to) : "");
    strbuf_addf(out, "%s = %s(%s", result, name, point);
    strbuf_addf(out, rank > VECTOR ? ", %s_more" : "", point);
    strbuf_add(out, to > VECTOR ? ", more); }" : "); }");
}

/* Compiles the unchanged text, so that messages give its lines. */
static bool compile(Device *device, const Module *module, int rank, int to, bool inverse)
{
    StrBuf text = STRBUF_EMPTY;
    const SourceText *source = &module->source;
    strbuf_add_bytes(&text, source->text, source->length);
    strbuf_add(&text, "\nkernel void translator(");
    add_trial(&text, "a", "r", rank, to);
    if (inverse) {
        strbuf_add(&text, ", ");
        add_trial(&text, "b", "s", to, rank);
    }
    strbuf_add(&text, ") {");
    call_trial(&text, "translate", "a", "r", rank, to);
    if (inverse) {
        call_trial(&text, "inverse", "b", "s", to, rank);
    }
    strbuf_add(&text, " }\n");
    Module *whole = strbuf_whole(strbuf_text(&text))
                        ? analyze_module(strbuf_text(&text), text.length, source->chunk, source->first_line, TEXT_USER)
                        : NULL;
    strbuf_free(&text);
    if (!whole) {
        return false;
    }
    Kernel *kernel = kernel_create(whole, &whole->functions.items[whole->functions.count - 1]);
    bool steady = kernel && (!kernel_is_random(kernel) ||
                             error_set("a translator draws no random numbers: a point has one address"));
    bool done = steady && kernel_compile(kernel, device);
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
