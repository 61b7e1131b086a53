/* The userdata of translators: methods and fields. */
#include "binding/containers/translator.h"
#include "binding/streams/container_handle.h"
#include "binding/values/callbacks.h"
#include "binding/values/coordinates.h"
#include "binding/values/handle.h"

#include <string.h>

typedef struct LuaTranslator {
    Translator *translator; /* NULL: closed */
} LuaTranslator;

/* handles */

void translator_drop(Translator *t)
{
    if (!t || !translator_device(t) || translator_shared(t)) {
        translator_release(t);
    } else {
        binding_drop(translator_device(t), translator_release(t));
    }
}

static void drop(lua_State *L, void *userdata)
{
    LuaTranslator *self = userdata;
    Translator *t = self->translator;
    (void)L;
    self->translator = NULL;
    translator_drop(t);
}

static const HandleType translator_type = {"translator", "t",          sizeof(LuaTranslator),
                                           .values = 1,  .drop = drop, .final = true};

Translator **translator_push(lua_State *L)
{
    LuaTranslator *self = handle_push(L, &translator_type);
    return &self->translator;
}

void translator_take(lua_State *L, Translator **slot, Translator *t, const char *function)
{
    const Callbacks *callbacks;
    int index = lua_gettop(L);
    *slot = t;
    if (!t) {
        error_prefix("%s", function);
        binding_raise(L);
    }
    while (lua_touserdata(L, index) != slot) {
        index--;
    }
    for (int i = 0; (callbacks = translator_hooks(t, i)) != NULL; i++) {
        callbacks_keep(L, index, 1, callbacks);
    }
    if (translator_device(t)) {
        binding_charge(L, translator_device(t));
    }
}

Translator *translator_check(lua_State *L, int index, const char *function, int n, const char *name)
{
    LuaTranslator *self = handle_to(L, index, &translator_type);
    if (!self) {
        binding_argument(L, function, n, name, index, "a translator");
    }
    if (!self->translator) {
        luaL_error(L, "%s: argument '%s': the translator was closed", function, name);
    }
    return self->translator;
}

Translator *translator_hold(lua_State *L, int index, const char *function, int n, const char *name)
{
    index = lua_absindex(L, index);
    translator_check(L, index, function, n, name);
    Translator **slot = translator_push(L);
    return *slot = translator_retain(translator_check(L, index, function, n, name));
}

/* t:translate, t:inverse */

/* Raises unless a point is in the domain. */
static void check_inside(lua_State *L, const Translator *t, const int64_t *point, const char *function, int n,
                         const char *name)
{
    TranslatorInfo info = translator_info(t);
    if (translator_inside(t, point)) {
        return;
    }
    char text[TRANSLATOR_POINT_TEXT], a[TRANSLATOR_POINT_TEXT], b[TRANSLATOR_POINT_TEXT];
    translator_point_text(point, info.rank, text);
    if (!info.domain.known) {
        luaL_error(L,
                   "%s: argument #%d '%s': %s is outside of the domain: coordinates go from -2147483647 to 2147483647",
                   function, n, name, text);
    }
    int64_t last[SHAPE_MAX_RANK], first[SHAPE_MAX_RANK] = {0};
    for (int d = 0; d < info.rank; d++) {
        last[d] = info.domain.size[d] - 1;
    }
    luaL_error(L, "%s: argument #%d '%s': %s is outside of the domain, %s .. %s", function, n, name, text,
               translator_point_text(first, info.rank, a), translator_point_text(last, info.rank, b));
}

static int translate_point(lua_State *L, Translator *t, Direction direction, const char *function)
{
    TranslatorInfo info = translator_info(t);
    bool inverse = direction == DIRECTION_INVERSE;
    int64_t from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK];
    if (container_to(L, 2)) {
        binding_argument(L, function, 1, "point", 2, "a point or a stream of points");
    }
    coordinates_check(L, 2, inverse ? info.to : info.rank, function, 1, "point", from);
    if (!inverse) {
        check_inside(L, t, from, function, 1, "point");
    }
    translator_retain(t); /* a user function may close it */
    Outcome outcome = translator_point(t, direction, from, to, L);
    translator_drop(t);
    if (outcome == OUTCOME_FAILED) {
        error_prefix("%s", function);
        binding_raise(L);
    } else if (outcome == OUTCOME_UNMAPPED) {
        lua_pushnil(L);
    } else {
        coordinates_push(L, to, inverse ? info.rank : info.to);
    }
    return 1;
}

static int translate_stream(lua_State *L, Translator *t, Direction direction, const char *function)
{
    Stream *points = accept_open(L, 2, function, 1, "points");
    Device *device = translator_device(t);
    if (device && device != points->device) {
        binding_argument(L, function, 1, "points", 2, "a stream on the translator's device");
    }
    TranslatorInfo info = translator_info(t);
    Shape shape;
    if (!translator_points_check(points, direction == DIRECTION_INVERSE ? info.to : info.rank, &shape)) {
        binding_argument_error(L, function, 1, "points");
    }
    Stream *result = stream_handle_push(L);
    device = points->device;
    binding_make(L, device, function, translator_stream(t, direction, points, result));
    return 1;
}

static int translate(lua_State *L, Direction direction, const char *function)
{
    Translator *t = translator_check(L, 1, function, 0, "t");
    binding_count(L, function, 2, true);
    if (direction == DIRECTION_INVERSE && !translator_info(t).traits.invertible) {
        return luaL_error(L, "%s: translator '%s' has no inverse", function, translator_info(t).name);
    }
    bool stream = stream_handle_to(L, 2) || expression_hooks_is_expression(L, 2);
    if (!stream) {
        return translate_point(L, t, direction, function);
    }
    lua_settop(L, 2);
    return translate_stream(L, translator_hold(L, 1, function, 0, "t"), direction, function);
}

static int translator_translate(lua_State *L)
{
    return translate(L, DIRECTION_TRANSLATE, "t:translate");
}

static int translator_inverse(lua_State *L)
{
    return translate(L, DIRECTION_INVERSE, "t:inverse");
}

/* t:ranges, t:map, t:unmap */

/* Reads the arguments first and last at 2 and 3. Default of last: first. */
static void check_corners(lua_State *L, int rank, const char *function, int64_t *first, int64_t *last)
{
    coordinates_check(L, 2, rank, function, 1, "first", first);
    memcpy(last, first, SHAPE_MAX_RANK * sizeof *last);
    if (!lua_isnoneornil(L, 3)) {
        coordinates_check(L, 3, rank, function, 2, "last", last);
    }
}

/* Reads first and last as check_corners, and raises unless both are in the domain. An empty box may be outside. */
static void check_box(lua_State *L, const Translator *t, const char *function, int64_t *first, int64_t *last)
{
    int rank = translator_info(t).rank;
    check_corners(L, rank, function, first, last);
    for (int d = 0; d < rank; d++) {
        if (last[d] < first[d]) {
            return;
        }
    }
    check_inside(L, t, first, function, 1, "first");
    check_inside(L, t, last, function, 2, "last");
}

static void push_ranges(lua_State *L, const RangeList *list)
{
    lua_createtable(L, (int)(list->count < INT32_MAX ? list->count : INT32_MAX), 0);
    for (size_t i = 0; i < list->count; i++) {
        const Range *range = &list->items[i];
        lua_createtable(L, 0, 3);
        coordinates_push(L, range->first, list->rank);
        lua_setfield(L, -2, "first");
        coordinates_push(L, range->last, list->rank);
        lua_setfield(L, -2, "last");
        coordinates_push(L, range->at, list->to);
        lua_setfield(L, -2, "at");
        if (range->level) {
            fields_integer(L, "level", range->level);
        }
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

/* Returns whether the argument at 4 is "inverse", which requests ranges of a box of memory; raises for other values. */
static bool check_direction(lua_State *L, const Translator *t)
{
    const char *direction = lua_type(L, 4) == LUA_TSTRING ? lua_tostring(L, 4) : "";
    if (!lua_isnoneornil(L, 4) && strcmp(direction, "inverse") != 0) {
        binding_argument(L, "t:ranges", 3, "direction", 4, "\"inverse\", or nothing");
    }
    if (*direction && !translator_info(t).traits.invertible) {
        luaL_error(L, "t:ranges: translator '%s' has no inverse", translator_info(t).name);
    }
    return *direction != 0;
}

/* Calls lua/rill/container/ranges.lua, which implements t:ranges for streams of boxes. */
static int ranges_of_streams(lua_State *L)
{
    lua_settop(L, 4);
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_getfield(L, -1, "rill.core");
    lua_getfield(L, -1, "_box_ranges");
    lua_replace(L, 5);
    lua_settop(L, 5);
    lua_insert(L, 1);
    lua_call(L, 4, 1);
    return 1;
}

static bool is_stream(lua_State *L, int index)
{
    return stream_handle_to(L, index) || expression_hooks_is_expression(L, index);
}

/* t:ranges(first [, last [, "inverse"]]): returns the ranges of a box. A userdata owns the list, since pushing may
 * raise for lack of memory. */
static int translator_ranges_call(lua_State *L)
{
    Translator *t = translator_check(L, 1, "t:ranges", 0, "t");
    binding_count(L, "t:ranges", 4, true);
    int64_t first[SHAPE_MAX_RANK], last[SHAPE_MAX_RANK];
    bool inverse = check_direction(L, t);
    if (is_stream(L, 2) || is_stream(L, 3)) {
        return ranges_of_streams(L);
    }
    if (inverse) {
        check_corners(L, translator_info(t).to, "t:ranges", first, last);
    } else {
        check_box(L, t, "t:ranges", first, last);
    }
    scratch_push(L, 0);
    int held = lua_gettop(L);
    RangeList list = {0};
    translator_retain(t);
    bool done = (inverse ? translator_inverse_ranges : translator_ranges)(t, first, last, &list, L);
    translator_drop(t);
    scratch_give(L, held, list.items);
    if (!done) {
        error_prefix("t:ranges");
        binding_raise(L);
    }
    push_ranges(L, &list);
    scratch_free(L, held);
    return 1;
}

/* Reads a page level at an index; raises. Default: 0. */
static int check_level(lua_State *L, const TranslatorInfo *info, const char *function, int index)
{
    if (lua_isnoneornil(L, index)) {
        return 0;
    }
    int64_t level = binding_integer(L, index, function, index - 1, "level");
    if (!info->levels) {
        luaL_error(L, "%s: pages of translator '%s' have no levels: create it with adaptive = true", function,
                   info->name);
    }
    if (level < 0 || level >= info->levels) {
        luaL_error(L, "%s: argument #%d 'level': expected 0 .. %d, got %I", function, index - 1, info->levels - 1,
                   (LUAI_UACINT)level);
    }
    return (int)level;
}

/* Maps the box at 2 and 3 to frames from *frame on, or unmaps it if `frame` is NULL and stores the number of pages in
 * *count. The level is the last argument. Raises. */
static void change_pages(lua_State *L, Translator *t, const char *function, const int64_t *frame, int64_t *count)
{
    int64_t first[SHAPE_MAX_RANK], last[SHAPE_MAX_RANK];
    TranslatorInfo info = translator_info(t);
    if (!info.pages) {
        luaL_error(L, "%s: the mapping of translator '%s' is fixed: pages and hash have pages to map", function,
                   info.name);
    }
    int level = check_level(L, &info, function, frame ? 5 : 4);
    check_box(L, t, function, first, last);
    for (int d = 0; d < info.rank; d++) {
        if (last[d] < first[d]) {
            return;
        }
    }
    Device *device = translator_device(t);
    binding_make(L, device, function,
                 frame ? translator_map_level(t, level, first, last, *frame)
                       : translator_unmap_level(t, level, first, last, count));
}

/* t:map(first, last, frame [, level]): maps pages; returns the translator. */
static int translator_map_pages(lua_State *L)
{
    Translator *t = translator_check(L, 1, "t:map", 0, "t");
    binding_count(L, "t:map", 5, true);
    int64_t frame = binding_integer(L, 4, "t:map", 3, "frame");
    change_pages(L, t, "t:map", &frame, NULL);
    lua_settop(L, 1);
    return 1;
}

/* t:unmap(first [, last [, level]]): unmaps pages; returns their number. */
static int translator_unmap_pages(lua_State *L)
{
    Translator *t = translator_check(L, 1, "t:unmap", 0, "t");
    int64_t count = 0;
    binding_count(L, "t:unmap", 4, true);
    change_pages(L, t, "t:unmap", NULL, &count);
    lua_pushinteger(L, count);
    return 1;
}

/* fields */

/* Pushes the shape of the bounds, or nil if they are not known. */
static void push_bounds(lua_State *L, const Bounds *bounds, int rank)
{
    Shape shape = {.rank = rank};
    shape_reverse(bounds->size, rank, shape.size);
    if (bounds->known) {
        shape_push(L, &shape);
    } else {
        lua_pushnil(L);
    }
}

static void push_traits(lua_State *L, const TranslatorTraits *traits)
{
    lua_createtable(L, 0, 8);
    fields_string(L, "memory", traits->memory);
    fields_string(L, "access", traits->access);
    fields_string(L, "location", traits->location);
    fields_boolean(L, "consistent", traits->consistent);
    fields_boolean(L, "complete", traits->complete);
    fields_boolean(L, "one_to_one", traits->one_to_one);
    fields_boolean(L, "invertible", traits->invertible);
    fields_boolean(L, "mutable", traits->mutable);
}

static bool push_field(lua_State *L, const TranslatorInfo *info, const char *key)
{
    if (strcmp(key, "name") == 0) {
        lua_pushstring(L, info->name);
    } else if (strcmp(key, "rank") == 0) {
        lua_pushinteger(L, info->rank);
    } else if (strcmp(key, "to") == 0) {
        lua_pushinteger(L, info->to);
    } else if (strcmp(key, "shape") == 0) {
        push_bounds(L, &info->domain, info->rank);
    } else if (strcmp(key, "extent") == 0) {
        push_bounds(L, &info->memory, info->to);
    } else if (strcmp(key, "traits") == 0) {
        push_traits(L, &info->traits);
    } else if (strcmp(key, "mapped") == 0 && info->pages) {
        lua_pushinteger(L, info->mapped);
    } else if (strcmp(key, "mapped") == 0) {
        lua_pushnil(L);
    } else {
        return false;
    }
    return true;
}

/* t[key]. Upvalue 1 is the table of methods. */
static int translator_index(lua_State *L)
{
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) {
        return 1;
    }
    const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
    TranslatorInfo info = translator_info(translator_check(L, 1, lua_pushfstring(L, "t.%s", key), 0, "t"));
    if (!push_field(L, &info, key)) {
        return luaL_error(L, "a translator has no field or method %s%s", binding_key(L, 2), binding_hint(L, "t", 2));
    }
    return 1;
}

static void add_bounds(lua_State *L, const Bounds *bounds, int rank)
{
    push_bounds(L, bounds, rank);
    if (lua_isnil(L, -1)) {
        lua_pushfstring(L, "%d dimension%s", rank, rank == 1 ? "" : "s");
    } else {
        luaL_tolstring(L, -1, NULL);
    }
    lua_replace(L, -2);
}

static int translator_tostring(lua_State *L)
{
    const LuaTranslator *self = handle_to(L, 1, &translator_type);
    if (!self || !self->translator) {
        lua_pushstring(L, self ? "closed translator" : "not a translator");
        return 1;
    }
    TranslatorInfo info = translator_info(self->translator);
    add_bounds(L, &info.domain, info.rank);
    add_bounds(L, &info.memory, info.to);
    lua_pushfstring(L, "translator %s: %s to %s", info.name, lua_tostring(L, -2), lua_tostring(L, -1));
    if (info.pages) {
        lua_pushfstring(L, "%s, %I page%s mapped", lua_tostring(L, -1), (LUAI_UACINT)info.mapped,
                        info.mapped == 1 ? "" : "s");
    }
    return 1;
}

void open_translator(lua_State *L)
{
    static const luaL_Reg meta[] = {{"__tostring", translator_tostring}, {NULL, NULL}};
    static const luaL_Reg methods[] = {{"translate", translator_translate}, {"inverse", translator_inverse},
                                       {"ranges", translator_ranges_call},  {"map", translator_map_pages},
                                       {"unmap", translator_unmap_pages},   {NULL, NULL}};
    handle_methods(L, &translator_type, methods);
    lua_pushcclosure(L, translator_index, 1);
    handle_open(L, &translator_type, meta);
}
