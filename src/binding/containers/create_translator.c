/* rill.translator.linear, fold, pages, lists, hash and compose. */
#include "binding/containers/translator.h"

#include <string.h>

/* The table of options at 1, with all its keys known; raises. */
static void check_options(lua_State *L, const char *function, const char *expected, const char *const *names)
{
    binding_count(L, function, 1, false);
    if (!binding_is_options(L, 1)) {
        binding_argument(L, function, 1, "options", 1, expected);
    }
    binding_known(L, 1, function, names);
}

bool translator_option_sizes(lua_State *L, const char *function, const char *name, bool required, Shape *shape)
{
    bool there = lua_getfield(L, 1, name) != LUA_TNIL;
    if (there || required) {
        shape_check_sizes(L, lua_gettop(L), function, 1, name, shape);
    }
    lua_pop(L, 1);
    return there;
}

int64_t translator_option_count(lua_State *L, const char *function, const char *name, int64_t low, int64_t high)
{
    lua_Integer value = 0;
    if (lua_getfield(L, 1, name) != LUA_TNIL) {
        value = binding_integer(L, -1, function, 1, name);
        if (value < low || value > high) {
            luaL_error(L, "%s: option '%s': expected %I .. %I, got %I", function, name, (LUAI_UACINT)low,
                       (LUAI_UACINT)high, (LUAI_UACINT)value);
        }
    }
    lua_pop(L, 1);
    return value;
}

static int rill_linear(lua_State *L)
{
    static const char *const names[] = {"shape", NULL};
    Shape shape;
    check_options(L, "rill.translator.linear", "a table like {shape = {8, 8}}", names);
    translator_option_sizes(L, "rill.translator.linear", "shape", true, &shape);
    Translator **slot = translator_push(L);
    translator_take(L, slot, translator_linear(&shape), "rill.translator.linear");
    return 1;
}

static int rill_fold(lua_State *L)
{
    static const char *const names[] = {"shape", "to", "tiled", NULL};
    Shape shape, to;
    check_options(L, "rill.translator.fold", "a table like {shape = {4, 8, 8}, to = {16, 16}}", names);
    translator_option_sizes(L, "rill.translator.fold", "shape", true, &shape);
    translator_option_sizes(L, "rill.translator.fold", "to", true, &to);
    bool tiled = binding_flag(L, 1, "rill.translator.fold", "tiled");
    Translator **slot = translator_push(L);
    translator_take(L, slot, translator_reshape(&shape, &to, tiled), "rill.translator.fold");
    return 1;
}

static int rill_pages(lua_State *L)
{
    static const char *const names[] = {"shape", "page", "levels", "capacity", "adaptive", NULL};
    static const char function[] = "rill.translator.pages";
    Shape shape, page;
    check_options(L, function, "a table like {shape = {1024, 1024}, page = {16, 16}}", names);
    translator_option_sizes(L, function, "shape", true, &shape);
    translator_option_sizes(L, function, "page", true, &page);
    int levels = (int)translator_option_count(L, function, "levels", 1, 8);
    int64_t capacity = translator_option_count(L, function, "capacity", 1, SHAPE_MAX_ELEMENTS);
    bool adaptive = binding_flag(L, 1, function, "adaptive");
    Translator **slot = translator_push(L);
    Device *device = state_device(L);
    translator_make(L, slot, device, function,
                    (adaptive ? translator_adaptive : translator_pages)(device, &shape, &page, levels, capacity));
    return 1;
}

static int rill_hash(lua_State *L)
{
    static const char *const names[] = {"rank", "page", "capacity", NULL};
    static const char function[] = "rill.translator.hash";
    Shape page = {0};
    check_options(L, function, "a table like {rank = 3, page = {4, 4, 4}}", names);
    bool paged = translator_option_sizes(L, function, "page", false, &page);
    int rank = (int)translator_option_count(L, function, "rank", 1, SHAPE_MAX_RANK);
    if (!paged) {
        page.rank = rank ? rank : 1;
        for (int d = 0; d < page.rank; d++) {
            page.size[d] = 1;
        }
    }
    if (!rank ? !paged : rank != page.rank) {
        return luaL_error(L, "%s: expected 'rank', or 'page' of as many sizes as there are dimensions", function);
    }
    int64_t capacity = translator_option_count(L, function, "capacity", 1, SHAPE_MAX_ELEMENTS);
    Translator **slot = translator_push(L);
    Device *device = state_device(L);
    translator_make(L, slot, device, function, translator_hash(device, &page, capacity));
    return 1;
}

/* Turns the lengths behind the first word into offsets, or checks offsets. Raises. */
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
                   sum > SHAPE_MAX_ELEMENTS ? "%s: the lists have more entries than addresses reach"
                                            : "%s: 'offsets': expected 0 as the first",
                   function);
    }
}

/* The stream under counts or offsets is pushed; raises. */
static Stream *option_lists(lua_State *L, const char *function, bool *counts)
{
    *counts = lua_getfield(L, 1, "counts") != LUA_TNIL;
    if (lua_getfield(L, 1, "offsets") == LUA_TNIL ? !*counts : *counts) {
        luaL_error(L, "%s: expected either 'counts' or 'offsets'", function);
    }
    lua_remove(L, *counts ? -1 : -2);
    const char *name = *counts ? "counts" : "offsets";
    Stream *s = accept_check(L, lua_gettop(L), function, 1, name);
    if (s->type != type_of(SCALAR_INT, 1) || (!*counts && s->shape.rank != 1)) {
        binding_argument(L, function, 1, name, lua_gettop(L),
                         *counts ? "a stream of int" : "a stream of int of one dimension");
    }
    if (!*counts && stream_elements(s) == 0) {
        luaL_error(L, "%s: 'offsets': expected 0 as the first", function);
    }
    return s;
}

static int rill_lists(lua_State *L)
{
    static const char *const names[] = {"shape", "counts", "offsets", NULL};
    static const char function[] = "rill.translator.lists";
    Shape cells;
    bool counts;
    check_options(L, function, "a table like {counts = s}", names);
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
                                 : "%s: 'offsets' tells of %I lists, but there are %s cells",
                          function, (LUAI_UACINT)count, shape_text(&cells, text));
    }
    Translator **slot = translator_push(L);
    int32_t *offset = scratch_push(L, ((size_t)count + 1) * sizeof *offset);
    offset[0] = 0;
    Device *device = s->device;
    binding_run(L, device, function, transfer_download(s, offset + counts));
    check_offsets(L, function, offset, count, counts);
    translator_make(L, slot, device, function, translator_lists(device, &cells, offset));
    scratch_free(L, -1);
    lua_pop(L, 1);
    return 1;
}

/* compose(outer, inner) */
static int rill_compose(lua_State *L)
{
    static const char function[] = "rill.translator.compose";
    binding_count(L, function, 2, false);
    Translator *outer = translator_check(L, 1, function, 1, "outer");
    Translator *inner = translator_check(L, 2, function, 2, "inner");
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
