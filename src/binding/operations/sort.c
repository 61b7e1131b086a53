/* Sorting: rill.argsort, rill.sort_by_key, rill.searchsorted, rill.merge, s:top_k, and the parts of s:sort. */
#include "binding/streams/container_handle.h"
#include "binding/values/options.h"

#include "kernel/host/packed.h"
#include "primitive/sorting/merge.h"
#include "primitive/sorting/search.h"
#include "primitive/sorting/sort.h"
#include "primitive/sorting/topk.h"

#include <stdio.h>
#include <string.h>

enum { MOST_VALUES = 16 };

/* Reads the options at `index`, which may be absent, for a stream of `rank` dimensions. */
static SortOptions read_options(lua_State *L, int index, const char *function, int n, int rank)
{
    static const Option rows[] = {{.name = "key"}, /* only for s:sort; its caller reads it */
                                  {OPTION("descending", options_flag, SortOptions, descending)},
                                  {OPTION("axis", options_axis, SortOptions, axis)},
                                  {.name = NULL}};
    SortOptions options = {.descending = false, .axis = rank - 1};
    const OptionCall call = {
        .function = function, .index = index, .n = n, .expected = "a table like {descending = true}", .rank = rank};
    options_read(L, &call, rows + (strcmp(function, "s:sort") != 0), &options);
    return options;
}

static void check_order(lua_State *L, const Stream *s, const char *function, int n, const char *name)
{
    if (!sort_has_order(s->type)) {
        char part[80] = "x";
        for (int f = s->type->is_struct ? s->type->field_count : 0;
             f-- > 0;) { /* a scalar field, else one of a vector */
            const Field *field = &s->type->fields[f];
            if (field->type->components == 1 || strcmp(part, "x") == 0) {
                snprintf(part, sizeof part, "%s%s", field->name, field->type->components == 1 ? "" : ".x");
            }
        }
        if (strcmp(function, "s:sort") == 0) {
            error_set("elements of type %s have no order: give a scalar computed from each, like key = \"x.%s\"",
                      s->type->name, part);
        } else {
            error_set("elements of type %s have no order: take a scalar %s of each, like s.%s", s->type->name,
                      s->type->is_struct ? "field" : "component", part);
        }
        binding_argument_error(L, function, n, name);
    }
}

static int one_stream(lua_State *L, const char *function, bool method,
                      bool (*run)(const Stream *, const SortOptions *, Stream *))
{
    binding_count(L, function, 2, method);
    int n = method ? 0 : 1;
    container_accept_lines(L, function, false);
    Stream *s = accept_open(L, 1, function, n, "s");
    check_order(L, s, function, n, "s");
    SortOptions options = read_options(L, 2, function, n + 1, s->shape.rank);
    Stream *result = stream_handle_push(L);
    binding_make(L, s->device, function, run(s, &options, result));
    return 1;
}

/* _sort(s [, {descending=, axis=}]): sorts without a key, for s:sort. */
static int rill_sort(lua_State *L)
{
    return one_stream(L, "s:sort", true, sort_stream);
}

static int rill_argsort(lua_State *L)
{
    one_stream(L, "rill.argsort", false, sort_numbers);
    stream_set_indices(stream_handle_to(L, -1));
    return 1;
}

/* Returns the number of streams of values from stack index 2 up to the options; raises unless they fit the keys. */
static int check_values(lua_State *L, Stream *keys, const char *function)
{
    char a[SHAPE_TEXT], b[SHAPE_TEXT], name[16];
    int count = 0;
    int last = lua_gettop(L);
    bool plain = lua_istable(L, last) && !luaL_getmetafield(L, last, "__name"); /* not an expression */
    lua_settop(L, last);
    last -= last > 1 && (plain || lua_isnil(L, last)); /* options, or nil */
    while (2 + count <= last) {
        int n = 2 + count++;
        snprintf(name, sizeof name, "v%d", count);
        Stream *v = accept_open(L, n, function, n, name);
        if (v->length.buffer != keys->length.buffer || v->length.word != keys->length.word) {
            accept_settled(L, keys); /* lengths may stay on the device only if they were counted together */
            accept_settled(L, v);
        }
        if (v->device != keys->device || !shape_equal(&v->shape, &keys->shape)) {
            luaL_error(L, "%s: argument #%d '%s': expected a stream of the keys' shape %s on their device, got %s",
                       function, n, name, shape_text(&keys->shape, a), shape_text(&v->shape, b));
        }
    }
    if (count > MOST_VALUES) {
        luaL_error(L, "%s: at most %d streams of values, got %d", function, MOST_VALUES, count);
    }
    return count;
}

static int by_key(lua_State *L, const char *function, const Stream *keys, int count, const SortOptions *options,
                  bool want_keys)
{
    const Stream *values[MOST_VALUES];
    Stream *results[MOST_VALUES];
    luaL_checkstack(L, count + 8, "too many values");
    Stream *sorted = want_keys ? stream_handle_push(L) : NULL;
    for (int i = 0; i < count; i++) {
        values[i] = stream_handle_to(L, 2 + i);
        results[i] = stream_handle_push(L);
    }
    binding_make(L, keys->device, function, sort_by_key(keys, values, count, options, sorted, results));
    return count + want_keys;
}

static int rill_sort_by_key(lua_State *L)
{
    const char *function = "rill.sort_by_key";
    container_accept_lines(L, function, false);
    Stream *keys = accept_open(L, 1, function, 1, "keys");
    check_order(L, keys, function, 1, "keys");
    int count = check_values(L, keys, function);
    SortOptions options = read_options(L, 2 + count, function, 2 + count, keys->shape.rank);
    return by_key(L, function, keys, count, &options, true);
}

/* _ordered(s, function): raises, with the prefix "function: ", if the elements have no order. */
static int rill_ordered(lua_State *L)
{
    const char *function = luaL_checkstring(L, 2);
    check_order(L, accept_header(L, 1, function, 0, "s"), function, 0, "s");
    return 0;
}

/* _sort_options(s, options): raises if the options of s:sort are invalid. */
static int rill_sort_options(lua_State *L)
{
    const Stream *s = accept_header(L, 1, "s:sort", 0, "s");
    read_options(L, 2, "s:sort", 1, s->shape.rank);
    return 0;
}

/* _sort_keyed(keys, s, options): returns the elements of s in the order of the keys. */
static int rill_sort_keyed(lua_State *L)
{
    const Stream *keys = accept_open(L, 1, "s:sort", 0, "keys");
    accept_open(L, 2, "s:sort", 0, "s");
    SortOptions options = read_options(L, 3, "s:sort", 1, keys->shape.rank);
    return by_key(L, "s:sort", keys, 1, &options, false);
}

static void add_declaration(lua_State *L, luaL_Buffer *text, const Type *type)
{
    for (int i = 0; i < type->field_count; i++) {
        if (type->fields[i].type->is_struct) {
            add_declaration(L, text, type->fields[i].type);
        }
    }
    type_add_declaration(text, type);
    luaL_addstring(text, ";\n");
}

/* _declare(s): returns the kernel text that declares the structure type of the elements; "" for other types. */
static int rill_declare(lua_State *L)
{
    const LuaContainer *c = container_to(L, 1);
    const Type *type = c && c->container ? c->stream.type : accept_header(L, 1, "s:sort", 0, "s")->type;
    luaL_Buffer text;
    luaL_buffinit(L, &text);
    if (type->is_struct) {
        add_declaration(L, &text, type);
    }
    luaL_pushresult(&text);
    return 1;
}

static void check_line(lua_State *L, const Stream *s, const char *function, int n, const char *name)
{
    char text[SHAPE_TEXT];
    if (s->shape.rank != 1) {
        error_set("expected a stream of one dimension, got shape %s", shape_text(&s->shape, text));
        binding_argument_error(L, function, n, name);
    }
}

/* s:top_k(k [, {largest = true}]) */
static int stream_top_k(lua_State *L)
{
    static const char function[] = "s:top_k";
    static const Option rows[] = {{.name = "largest", .read = options_flag}, {.name = NULL}};
    static const OptionCall call = {
        .function = function, .index = 3, .n = 2, .expected = "a table like {largest = false}"};
    binding_count(L, function, 3, true);
    Stream *s = accept_check(L, 1, function, 0, "s");
    check_order(L, s, function, 0, "s");
    check_line(L, s, function, 0, "s");
    lua_Integer k = binding_integer(L, 2, function, 1, "k");
    if (k < 0 || k > stream_elements(s)) {
        return luaL_error(L, "%s: argument #1 'k': expected 0 .. %I, the stream's elements, got %I", function,
                          (LUAI_UACINT)stream_elements(s), (LUAI_UACINT)k);
    }
    bool largest = true;
    options_read(L, &call, rows, &largest);
    Stream *values = stream_handle_push(L), *numbers = stream_handle_push(L);
    binding_make(L, s->device, function, topk_stream(s, k, largest, values, numbers));
    stream_set_indices(numbers);
    return 2;
}

/* _rank(s, k): returns the k-th smallest element, and the number of elements that are not greater. s has one dimension
 * and a type with an order. */
static int rill_rank(lua_State *L)
{
    static const char function[] = "s:quantile";
    Stream *s = accept_check(L, 1, function, 0, "s");
    check_order(L, s, function, 0, "s");
    check_line(L, s, function, 0, "s");
    int64_t k = binding_integer(L, 2, function, 1, "k");
    luaL_argcheck(L, k >= 1 && k <= stream_elements(s), 2, "a rank from 1 to the number of elements");
    TopKRank rank;
    binding_run(L, s->device, function, topk_rank(s, k, &rank));
    value_push(L, s->type, &rank.key);
    lua_pushinteger(L, rank.count);
    return 2;
}

/* Replaces a number at a stack index by a stream of this number: a float if `like` has floats, else a double. Returns
 * whether there was a number. */
static bool number_to_stream(lua_State *L, int index, const Stream *like, const char *function)
{
    Shape one = {.rank = 1, .size = {1}};
    if (lua_type(L, index) != LUA_TNUMBER) {
        return false;
    }
    bool single = like && like->type && !like->type->is_struct && like->type->value->scalar == SCALAR_FLOAT;
    union {
        float single;
        double real;
    } element = {.real = lua_tonumber(L, index)};
    if (single) {
        element.single = (float)lua_tonumber(L, index);
    }
    Stream *s = create_stream(L, type_of(single ? SCALAR_FLOAT : SCALAR_DOUBLE, 1), &one, function);
    binding_make(L, s->device, function, packed_upload(s, &element));
    lua_replace(L, index);
    return true;
}

/* rill.searchsorted(sorted, values [, {side = "left"}]) */
static int rill_searchsorted(lua_State *L)
{
    static const char function[] = "rill.searchsorted", *const sides[] = {"left", "right", NULL};
    static const Option rows[] = {{.name = "side", .read = options_word, .words = sides}, {.name = NULL}};
    static const OptionCall call = {
        .function = function, .index = 3, .n = 3, .expected = "a table like {side = \"right\"}"};
    int side = 0;
    binding_count(L, function, 3, false);
    accept_stream(L, 1);
    bool number = number_to_stream(L, 2, stream_handle_to(L, 1), function);
    container_accept_lines(L, function, true);
    Stream *sorted = accept_check(L, 1, function, 1, "sorted"), *values = accept_open(L, 2, function, 2, "values");
    check_order(L, sorted, function, 1, "sorted");
    check_line(L, sorted, function, 1, "sorted");
    check_order(L, values, function, 2, "values");
    if (values->device != sorted->device) {
        binding_argument(L, function, 2, "values", 2, "a stream on the same device");
    }
    options_read(L, &call, rows, &side);
    Stream *result = stream_handle_push(L);
    binding_make(L, sorted->device, function, search_stream(sorted, values, side == 1, result));
    stream_set_indices(result);
    if (number) {
        int32_t count;
        binding_run(L, sorted->device, function, value_read(result, &count));
        lua_pushinteger(L, count);
    }
    return 1;
}

/* rill.merge(a, b [, {descending =}]) */
static int rill_merge(lua_State *L)
{
    static const char function[] = "rill.merge";
    static const Option rows[] = {{.name = "descending", .read = options_flag}, {.name = NULL}};
    static const OptionCall call = {
        .function = function, .index = 3, .n = 3, .expected = "a table like {descending = true}"};
    binding_count(L, function, 3, false);
    container_accept_lines(L, function, true);
    Stream *a = accept_check(L, 1, function, 1, "a"), *b = accept_check(L, 2, function, 2, "b");
    check_order(L, a, function, 1, "a");
    check_line(L, a, function, 1, "a");
    check_line(L, b, function, 2, "b");
    if (a->type != b->type || a->device != b->device) {
        return luaL_error(L, "%s: argument #2 'b': expected a stream of %s on the same device, got %s", function,
                          a->type->name, b->type->name);
    }
    bool descending = false;
    options_read(L, &call, rows, &descending);
    Stream *result = stream_handle_push(L);
    binding_make(L, a->device, function, merge_streams(a, b, descending, result));
    return 1;
}

static const luaL_Reg functions[] = {{"_sort", rill_sort},
                                     {"_ordered", rill_ordered},
                                     {"_sort_options", rill_sort_options},
                                     {"_sort_keyed", rill_sort_keyed},
                                     {"_declare", rill_declare},
                                     {"_rank", rill_rank},
                                     {"argsort", rill_argsort},
                                     {"sort_by_key", rill_sort_by_key},
                                     {"searchsorted", rill_searchsorted},
                                     {"merge", rill_merge},
                                     {NULL, NULL}};

static const luaL_Reg methods[] = {{"top_k", stream_top_k}, {NULL, NULL}};

void open_sort(lua_State *L)
{
    stream_handle_methods(L, methods);
    luaL_setfuncs(L, functions, 0);
}
