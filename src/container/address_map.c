/* The address map of a container: the function by which kernels find elements. This file writes the function,
 * makes its arguments constants (bake) and supplies the arguments. */
#include "container/container_private.h"

#include "container/page/frame_table.h"
#include "container/translator/glsl.h"
#include "kernel/launch/builtin.h"

#include <string.h>

/* Distance of the numbers of translators in different slots. No name of a user begins like theirs. */
enum { FIRST_NUMBER = 1000000, SLOT_NUMBERS = 1000 };

static const Container *container_of(const AddressMap *map)
{
    return (const Container *)map;
}

/* Writes "m.x", the memory's size d. */
static void add_size(StrBuf *out, int number, int d)
{
    strbuf_addf(out, "m%d_%d.%c", number, d / 4, "xyzw"[d % 4]);
}

static void add_parameters(const Container *c, StrBuf *out, int number, int edge)
{
    TranslatorInfo info = translator_info(c->translator);
    for (int d = 0; d < info.rank; d++) {
        strbuf_addf(out, "int v%d<>, ", d);
    }
    strbuf_add(out, "out int p<>");
    for (int d = 0; d < info.to; d += 4) {
        strbuf_addf(out, ", ivec4 m%d_%d", number, d / 4);
    }
    translator_glsl_given(c->translator, out, DIRECTION_TRANSLATE, number, true);
    if (c->edge) {
        translator_glsl_given(c->edge, out, DIRECTION_TRANSLATE, edge, true);
    }
}

/* Writes statements that set w0 ... to v0 ..., or outside of the domain to the point that the boundary gives.
 * `here` is whether w lies inside. */
static void add_edge(const Container *c, StrBuf *out, int number, int edge)
{
    int rank = translator_info(c->translator).rank;
    strbuf_add(out, "  bool inside = ");
    translator_glsl_inside(c->translator, out, number, "v");
    strbuf_add(out, ";\n  int ");
    translator_glsl_list(out, "", "w", rank);
    strbuf_addf(out, ";\n  bool here = inside;\n  if (!inside) {\n    here = t%d_translate(", edge);
    translator_glsl_list(out, "", "v", rank);
    strbuf_add(out, ", ");
    translator_glsl_list(out, "", "w", rank);
    translator_glsl_given(c->edge, out, DIRECTION_TRANSLATE, edge, false);
    strbuf_add(out, ");\n    here = here && ");
    translator_glsl_inside(c->translator, out, number, "w");
    strbuf_add(out, ";\n  }\n");
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, "  w%d = inside ? v%d : here ? w%d : 0;\n", d, d, d);
    }
}

/* Returns whether addresses may lie after the end of memory. If the container is baked, this is known from `reached`. */
static bool beyond(const Container *c)
{
    return c->checked && !(c->map.baked && c->reached);
}

/* Determines whether memory holds all mapped pages. */
static void find_reach(Container *c)
{
    const Translator *t = c->translator;
    uint64_t version = translator_version(t) + 1;
    if (!c->checked || !c->map.trusted || c->reach_version == version) {
        return;
    }
    int64_t end = frame_table_count(t);
    while (end > 0 && !frame_table_words(t, end - 1)[0]) {
        end--;
    }
    c->reached = end * t->info.page <= c->sizes[0];
    c->reach_version = version;
}

/* Writes "t0_translate(v0, ..., p0, ..., GIVEN)", or t0_length of a row. */
static void add_call(const Container *c, StrBuf *out, int number, const char *name, bool places)
{
    TranslatorInfo info = translator_info(c->translator);
    strbuf_addf(out, "t%d_%s(", number, name);
    translator_glsl_list(out, "", c->edge ? "w" : "v", info.rank);
    if (places) {
        strbuf_add(out, ", ");
        translator_glsl_list(out, "", "p", info.to);
    }
    translator_glsl_given(c->translator, out, DIRECTION_TRANSLATE, number, false);
    strbuf_add(out, ")");
}

/* Writes the row-major index of an address in memory. */
static void add_place(const Container *c, StrBuf *out, int number)
{
    int to = translator_info(c->translator).to;
    for (int d = 0; d < to - 1; d++) {
        strbuf_add(out, "(");
    }
    strbuf_addf(out, "p%d", to - 1);
    for (int d = to - 2; d >= 0; d--) {
        strbuf_add(out, " * ");
        add_size(out, number, d);
        strbuf_addf(out, " + p%d)", d);
    }
}

/* Writes a condition: whether the address lies in memory. */
static void add_inside(const Container *c, StrBuf *out, int number)
{
    for (int d = 0; d < translator_info(c->translator).to; d++) {
        strbuf_addf(out, "%suint(p%d) < uint(", d ? " && " : "", d);
        add_size(out, number, d);
        strbuf_add(out, ")");
    }
}

static void write_address(const Container *c, StrBuf *out, int number)
{
    TranslatorGlsl text = {out, DIRECTION_TRANSLATE, number};
    TranslatorInfo info = translator_info(c->translator);
    bool checked = beyond(c);
    /* Each slot has its own copy of the shared functions. */
    strbuf_addf(out, "#define t_quotient t%d_quotient\n%s", number, translator_glsl_functions);
    translator_glsl_write(c->translator, &text);
    int edge = c->edge ? translator_glsl_write(c->edge, &text) : 0;
    strbuf_addf(out, "kernel void address%d(", number);
    add_parameters(c, out, number, edge);
    strbuf_add(out, ") {\n");
    if (c->edge) {
        add_edge(c, out, number, edge);
    }
    strbuf_add(out, "  int ");
    translator_glsl_list(out, "", "p", info.to);
    /* Without branches, compilers detect that several containers use the same expression. */
    strbuf_add(out, c->map.trusted ? ";\n  " : ";\n  bool found = ");
    strbuf_add(out, c->edge ? "here && " : "");
    add_call(c, out, number, "translate", true);
    if (checked && !c->map.trusted) {
        strbuf_add(out, " && ");
        add_inside(c, out, number);
    }
    strbuf_add(out, ";\n  p = ");
    if (c->map.rows) {
        strbuf_add(out, "v0 < 0 ? ");
        add_call(c, out, number, "length", false);
        strbuf_add(out, " : ");
    }
    if (!c->map.trusted) {
        strbuf_add(out, "found ? ");
    } else if (checked) {
        add_inside(c, out, number);
        strbuf_add(out, " ? ");
    }
    add_place(c, out, number);
    strbuf_add(out, checked || !c->map.trusted ? " : -1;\n}\n" : ";\n}\n");
}

static void map_give(const AddressMap *map, Argument *args)
{
    const Container *c = container_of(map);
    int count = 0;
    if (c->kind->give_address) {
        c->kind->give_address(c, args);
        return;
    }
    for (int d = 0; d < translator_info(c->translator).to; d += 4) {
        args[count++].words = (const uint32_t *)(c->sizes + d);
    }
    count += translator_glsl_give(c->translator, DIRECTION_TRANSLATE, args + count);
    if (c->edge) {
        translator_glsl_give(c->edge, DIRECTION_TRANSLATE, args + count);
    }
}

void container_map_forget(Container *c)
{
    for (int i = 0; i < ADDRESS_SLOTS; i++) {
        kernel_release(c->kernels[i]);
        c->kernels[i] = NULL;
    }
}

/* Collects the arguments of an address function by parameter, as kernel_specialize takes them. Returns a hash
 * of them. */
static uint64_t given_numbers(const Container *c, const Function *f, const uint32_t *words[MAX_PARAMS])
{
    Argument args[MAX_PARAMS];
    int first = f->param_count - address_given(f);
    const uint32_t *changing = c->kind->changing_words ? c->kind->changing_words(c) : NULL;
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
    map_give(&c->map, args);
    memset(words, 0, MAX_PARAMS * sizeof *words);
    for (int i = first; i < f->param_count; i++) {
        words[i] = f->params[i].kind == PARAM_CONSTANT ? args[i - first].words : NULL;
        words[i] = words[i] == changing ? NULL : words[i];
        for (int k = 0; words[i] && k < 4; k++) {
            hash = (hash ^ words[i][k]) * UINT64_C(1099511628211);
        }
    }
    hash = (hash ^ beyond(c)) * UINT64_C(1099511628211);
    return hash;
}

static Kernel *make_kernel(const Container *c, Device *device, int slot)
{
    const uint32_t *words[MAX_PARAMS];
    StrBuf text = STRBUF_EMPTY;
    (c->kind->write_address ? c->kind->write_address : write_address)(c, &text, FIRST_NUMBER + slot * SLOT_NUMBERS);
    Kernel *kernel = builtin_kernel(device, strbuf_text(&text));
    strbuf_free(&text);
    if (!kernel || !c->map.baked) {
        return kernel ? kernel_retain(kernel) : NULL;
    }
    given_numbers(c, kernel_function(kernel), words);
    return kernel_specialize(kernel, words);
}

static Kernel *map_kernel(AddressMap *map, Device *device, int slot)
{
    Container *c = (Container *)map;
    const uint32_t *words[MAX_PARAMS];
    if (!translator_tables_there(c->translator) || (c->edge && !translator_tables_there(c->edge))) {
        return NULL;
    }
    if (map->baked) {
        find_reach(c);
    }
    if (c->kernels[slot] && map->baked) {
        uint64_t numbers = given_numbers(c, kernel_function(c->kernels[slot]), words);
        if (numbers != c->numbers) {
            container_map_forget(c);
        }
    }
    if (!c->kernels[slot]) {
        c->kernels[slot] = make_kernel(c, device, slot);
        c->numbers = c->kernels[slot] ? given_numbers(c, kernel_function(c->kernels[slot]), words) : 0;
    }
    return c->kernels[slot];
}

void container_bake(Container *c, bool on)
{
    if (c->map.baked != on) {
        container_map_forget(c);
        c->map.baked = c->whole.baked = on;
    }
}

/* Returns whether two containers have one translator and memories of one shape. */
static bool map_same(const AddressMap *map, const AddressMap *other)
{
    const Container *a = container_of(map), *b = container_of(other);
    return a->translator == b->translator && a->edge == b->edge && a->kind == b->kind && a->checked == b->checked &&
           a->map.baked == b->map.baked && memcmp(a->sizes, b->sizes, sizeof a->sizes) == 0;
}

void container_map_set(Container *c)
{
    TranslatorInfo info = translator_info(c->translator);
    c->map = (AddressMap){.kernel = map_kernel,
                          .give = map_give,
                          .same = map_same,
                          .fallback = c->fallback,
                          .complete = info.traits.complete && !c->checked,
                          .trusted = c->translator->kind->trusted,
                          .unbounded = !info.domain.known};
}
