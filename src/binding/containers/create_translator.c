/* rill.translator.linear, fold, pages, lists, hash and compose. */
#include "binding/containers/translator.h"
#include "binding/values/options.h"
#include "container/translator/translators.h"
#include "kernel/host/packed.h"

#include <string.h>

typedef struct TranslatorOptions {
    Shape shape, page, to;
    int64_t rank, levels, capacity;
    bool tiled, adaptive;
} TranslatorOptions;

#define SIZES(name) OPTION(#name, options_sizes, TranslatorOptions, name)
#define COUNT(name, most) OPTION(#name, options_count, TranslatorOptions, name), .low = 1, .high = most

/* Reads the table of options at 1; raises. Pushes a closed translator. */
static Translator **take_options(lua_State *L, const char *function, const char *expected, const Option *rows,
                                 TranslatorOptions *options)
{
    const OptionCall call = {.function = function, .index = 1, .n = 1, .expected = expected, .required = true};
    binding_count(L, function, 1, false);
    *options = (TranslatorOptions){.rank = 0};
    options_read(L, &call, rows, options);
    return translator_push(L);
}

static int rill_linear(lua_State *L)
{
    static const char function[] = "rill.translator.linear";
    static const Option rows[] = {{SIZES(shape), .required = true}, {.name = NULL}};
    TranslatorOptions options;
    Translator **slot = take_options(L, function, "a table like {shape = {8, 8}}", rows, &options);
    translator_take(L, slot, translator_linear(&options.shape), function);
    return 1;
}

static int rill_fold(lua_State *L)
{
    static const char function[] = "rill.translator.fold";
    static const Option rows[] = {{SIZES(shape), .required = true},
                                  {SIZES(to), .required = true},
                                  {OPTION("tiled", options_flag, TranslatorOptions, tiled)},
                                  {.name = NULL}};
    TranslatorOptions options;
    Translator **slot = take_options(L, function, "a table like {shape = {4, 8, 8}, to = {16, 16}}", rows, &options);
    translator_take(L, slot, translator_reshape(&options.shape, &options.to, options.tiled), function);
    return 1;
}

static int rill_pages(lua_State *L)
{
    static const char function[] = "rill.translator.pages";
    static const Option rows[] = {{SIZES(shape), .required = true},
                                  {SIZES(page), .required = true},
                                  {COUNT(levels, 8)},
                                  {COUNT(capacity, SHAPE_MAX_ELEMENTS)},
                                  {OPTION("adaptive", options_flag, TranslatorOptions, adaptive)},
                                  {.name = NULL}};
    TranslatorOptions options;
    Translator **slot =
        take_options(L, function, "a table like {shape = {1024, 1024}, page = {16, 16}}", rows, &options);
    Device *device = state_device(L);
    translator_make(L, slot, device, function,
                    (options.adaptive ? translator_adaptive : translator_pages)(device, &options.shape, &options.page,
                                                                                (int)options.levels, options.capacity));
    return 1;
}

static int rill_hash(lua_State *L)
{
    static const char function[] = "rill.translator.hash";
    static const Option rows[] = {
        {SIZES(page)}, {COUNT(rank, SHAPE_MAX_RANK)}, {COUNT(capacity, SHAPE_MAX_ELEMENTS)}, {.name = NULL}};
    TranslatorOptions options;
    Translator **slot = take_options(L, function, "a table like {rank = 3, page = {4, 4, 4}}", rows, &options);
    Shape *page = &options.page;
    bool paged = page->rank > 0;
    for (; !paged && page->rank < options.rank; page->rank++) {
        page->size[page->rank] = 1;
    }
    if (options.rank ? options.rank != page->rank : !paged) {
        return luaL_error(L, "%s: expected 'rank', or 'page' of as many sizes as there are dimensions", function);
    }
    Device *device = state_device(L);
    translator_make(L, slot, device, function, translator_hash(device, page, options.capacity));
    return 1;
}

/* Converts the lengths after the first element to offsets, or checks offsets; raises. */
static void check_offsets(lua_State *L, const char *function, int32_t *offset, int64_t count, bool counts)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t length = counts ? offset[i + 1] : (int64_t)offset[i + 1] - offset[i];
        if (length < 0) {
            luaL_error(L,
                       counts ? "%s: 'counts': list %I has %I entries"
                              : "%s: 'offsets': list %I ends %I entries before it begins",
                       function, (LUAI_UACINT)i, (LUAI_UACINT)(counts ? length : -length));
        }
        sum += length;
        if (counts && sum <= SHAPE_MAX_ELEMENTS) {
            offset[i + 1] = (int32_t)sum;
        }
    }
    if (offset[0] != 0 || sum > SHAPE_MAX_ELEMENTS) {
        luaL_error(L,
                   sum > SHAPE_MAX_ELEMENTS ? "%s: the lists have more than 2147483647 entries"
                                            : "%s: 'offsets': expected 0 as the first",
                   function);
    }
}

/* Pushes and returns the stream of the option counts or offsets; raises. */
static Stream *option_lists(lua_State *L, const char *function, bool *counts)
{
    *counts = lua_getfield(L, 1, "counts") != LUA_TNIL;
    if (lua_getfield(L, 1, "offsets") == LUA_TNIL ? !*counts : *counts) {
        luaL_error(L, "%s: expected either 'counts' or 'offsets'", function);
    }
    lua_remove(L, *counts ? -1 : -2);
    const char *name = *counts ? "counts" : "offsets";
    Stream *s = accept_check(L, lua_gettop(L), function, BINDING_OPTION, name);
    if (s->type != type_of(SCALAR_INT, 1) || (!*counts && s->shape.rank != 1)) {
        binding_argument(L, function, BINDING_OPTION, name, lua_gettop(L),
                         *counts ? "a stream of int" : "a stream of int of one dimension");
    }
    if (!*counts && stream_elements(s) == 0) {
        luaL_error(L, "%s: 'offsets': expected 0 as the first", function);
    }
    return s;
}

static int rill_lists(lua_State *L)
{
    static const char function[] = "rill.translator.lists";
    static const Option rows[] = {{.name = "shape"}, {.name = "counts"}, {.name = "offsets"}, {.name = NULL}};
    TranslatorOptions options;
    Shape cells;
    bool counts;
    Translator **slot = take_options(L, function, "a table like {counts = s}", rows, &options);
    int made = lua_gettop(L);
    Stream *s = option_lists(L, function, &counts);
    int64_t count = stream_elements(s) - !counts;
    cells = counts ? s->shape : (Shape){1, {count}};
    if (lua_getfield(L, 1, "shape") != LUA_TNIL) {
        shape_check_arg(L, lua_gettop(L), function, 1, "shape", &cells);
    }
    if (shape_elements(&cells) != count) {
        char text[SHAPE_TEXT];
        return luaL_error(L,
                          counts ? "%s: 'counts' has %I elements, but there are %s cells"
                                 : "%s: 'offsets' describes %I lists, but there are %s cells",
                          function, (LUAI_UACINT)count, shape_text(&cells, text));
    }
    int32_t *offset = scratch_push(L, ((size_t)count + 1) * sizeof *offset);
    offset[0] = 0;
    Device *device = s->device;
    binding_run(L, device, function, packed_download(s, offset + counts));
    check_offsets(L, function, offset, count, counts);
    translator_make(L, slot, device, function, translator_lists(device, &cells, offset));
    scratch_free(L, -1);
    lua_settop(L, made);
    return 1;
}

/* rill.translator.compose(outer, inner): returns the composition of two translators. */
static int rill_compose(lua_State *L)
{
    static const char function[] = "rill.translator.compose";
    binding_count(L, function, 2, false);
    Translator *outer = translator_hold(L, 1, function, 1, "outer");
    Translator *inner = translator_hold(L, 2, function, 2, "inner");
    Translator **slot = translator_push(L);
    translator_take(L, slot, translator_compose(outer, inner), function);
    return 1;
}

void open_create_translator(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"linear", rill_linear}, {"fold", rill_fold},       {"pages", rill_pages}, {"hash", rill_hash},
        {"lists", rill_lists},   {"compose", rill_compose}, {NULL, NULL}};
    luaL_getsubtable(L, -1, "translator");
    luaL_setfuncs(L, functions, 0);
    binding_strict(L, "rill.translator");
    lua_pop(L, 1);
}
