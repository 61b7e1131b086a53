/* The metatable of containers: fields, methods, c:get and c:set. */
#include "binding/containers/container.h"
#include "binding/containers/translator.h"
#include "binding/values/coordinates.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int container_close(lua_State *L)
{
    const LuaContainer *self = container_to(L, 1);
    if (self && self->container) {
        container_check(L, 1, "c:close", 0, "c");
    }
    handle_close(L, &container_type);
    return 0;
}

/* c:copy(): returns a copy. */
static int container_copy_call(lua_State *L)
{
    static const char function[] = "c:copy";
    LuaContainer *self = container_self(L, function, 1);
    LuaContainer *copy = container_push(L);
    container_make(L, copy, self->stream.device, function, container_copy(self->container));
    stream_inherit(&copy->stream, &self->stream);
    lua_getiuservalue(L, 1, 1);
    lua_setiuservalue(L, -2, 1);
    return 1;
}

/* c:bake([on]): sets whether the sizes of the container are constants of kernels. */
static int container_bake_call(lua_State *L)
{
    static const char function[] = "c:bake";
    LuaContainer *self = container_self(L, function, 2);
    if (!lua_isnoneornil(L, 2) && !lua_isboolean(L, 2)) {
        binding_argument(L, function, 1, "on", 2, "true or false");
    }
    container_bake(self->container, lua_isnoneornil(L, 2) || lua_toboolean(L, 2));
    lua_settop(L, 1);
    return 1;
}

/* single elements */

/* Computes the index in memory of an element; returns false if it is not mapped. May run Lua, for a custom translator;
 * raises. */
static bool locate(lua_State *L, const LuaContainer *self, const int64_t *index, int64_t *number, const char *function)
{
    Translator *t = translator_retain(container_translator(self->container));
    Outcome outcome = container_locate(self->container, index, number, L);
    translator_drop(t);
    if (outcome == OUTCOME_FAILED) {
        error_prefix("%s", function);
        binding_raise(L);
    }
    return outcome == OUTCOME_FOUND;
}

/* Sets `last` to the exclusive end of the box of one element. */
static void box_of(const LuaContainer *self, const int64_t *index, int64_t *last)
{
    for (int d = 0; d < self->stream.shape.rank; d++) {
        last[d] = index[d] + 1;
    }
}

/* c:get(i, ...): returns an element. */
static int container_get(lua_State *L)
{
    static const char function[] = "c:get";
    char element[TYPE_MAX_BYTES];
    int64_t index[SHAPE_MAX_RANK], last[SHAPE_MAX_RANK], number = 0;
    LuaContainer *self = container_check(L, 1, function, 0, "c");
    const Type *type = self->stream.type;
    const Stream *from = &self->stream;
    container_index_check(L, self, 2, function, index);
    if (!container_located(self->container)) {
        box_of(self, index, last);
        from = container_push_dense(L, self, index, last, function);
    } else if (!locate(L, self, index, &number, function)) {
        value_push(L, type, container_fallback(self->container));
        return 1;
    }
    binding_make(L, from->device, function,
                 buffer_read(from->buffer, (uint64_t)number * (uint64_t)type->bytes, element, (uint64_t)type->bytes));
    value_push(L, type, element);
    return 1;
}

/* c:set(value, i, ...): writes an element, whose page is mapped first. */
static int container_set(lua_State *L)
{
    static const char function[] = "c:set";
    char element[TYPE_MAX_BYTES];
    int64_t index[SHAPE_MAX_RANK], last[SHAPE_MAX_RANK], number;
    LuaContainer *self = container_check(L, 1, function, 0, "c");
    const Type *type = self->stream.type;
    container_index_check(L, self, 3, function, index);
    if (!value_pack(L, 2, type, element)) {
        binding_argument_error(L, function, 1, "value");
    }
    bool own = container_traits(self->container)->owns_memory && !container_traits(self->container)->queried;
    if (own || container_flat(self->container) || container_shares(self->container) ||
        !locate(L, self, index, &number, function)) {
        box_of(self, index, last);
        container_make_mapped(L, self, index, last, function);
        locate(L, self, index, &number, function);
    }
    binding_make(
        L, self->stream.device, function,
        buffer_write(self->stream.buffer, (uint64_t)number * (uint64_t)type->bytes, element, (uint64_t)type->bytes) &&
            container_wrote(self->container, index, last));
    lua_settop(L, 1);
    return 1;
}

/* _page_sizes(c): returns the sizes of a page, slowest dimension first, and whether the container allocates its pages;
 * nothing if it has no pages. */
static int rill_page_sizes(lua_State *L)
{
    const LuaContainer *self = container_check(L, 1, "container", 1, "c");
    const Translator *t = container_translator(self->container);
    int64_t page[SHAPE_MAX_RANK], sizes[SHAPE_MAX_RANK];
    int rank = translator_info(t).rank;
    if (!translator_info(t).pages) {
        return 0;
    }
    translator_page_sizes(t, page);
    shape_reverse(page, rank, sizes);
    coordinates_push_list(L, sizes, rank, 0);
    lua_pushboolean(L, container_traits(self->container)->owns_pages);
    return 2;
}

/* fields */

static void push_pages(lua_State *L, const Container *c)
{
    int64_t mapped, capacity, free;
    if (!container_pages(c, &mapped, &capacity, &free)) {
        lua_pushnil(L);
        return;
    }
    lua_createtable(L, 0, 3);
    fields_integer(L, "mapped", mapped);
    fields_integer(L, "capacity", capacity);
    fields_integer(L, "free", free);
}

static bool push_field(lua_State *L, const LuaContainer *self, const char *key)
{
    if (strcmp(key, "type") == 0) {
        lua_pushstring(L, self->stream.type->name);
    } else if ((strcmp(key, "shape") == 0 || strcmp(key, "size") == 0) && !container_bounded(self->container)) {
        lua_pushnil(L);
    } else if (strcmp(key, "shape") == 0) {
        shape_push(L, &self->stream.shape);
    } else if (strcmp(key, "size") == 0) {
        lua_pushinteger(L, stream_elements(container_elements_of(self)));
    } else if (strcmp(key, "nbytes") == 0) {
        lua_pushinteger(L, (lua_Integer)container_bytes(self->container));
    } else if (strcmp(key, "pages") == 0) {
        push_pages(L, self->container);
    } else {
        return false;
    }
    return true;
}

/* Pushes an additional method of rill.container; returns false if rill.container has no method of that name. */
static bool push_own(lua_State *L)
{
    if (!container_to(L, 1) || lua_getiuservalue(L, 1, 1) != LUA_TTABLE) {
        return false;
    }
    lua_pushvalue(L, 2);
    return lua_rawget(L, -2) != LUA_TNIL;
}

/* c[key]. Upvalue 1 is the table of methods. */
static int container_index(lua_State *L)
{
    if (push_own(L)) {
        return 1;
    }
    lua_settop(L, 2);
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) {
        return 1;
    }
    const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
    LuaContainer *self = container_check(L, 1, lua_pushfstring(L, "c.%s", key), 0, "c");
    if (!push_field(L, self, key) && !container_push_view(L, key) && !fields_component(L)) {
        const char *hint = lua_istable(L, 2) ? ": c:get(i, j, ...) reads one element" : binding_hint(L, "c", 2);
        return luaL_error(L, "a container has no field or method %s%s", binding_key(L, 2), hint);
    }
    return 1;
}

static int container_tostring(lua_State *L)
{
    const LuaContainer *self = container_to(L, 1);
    char shape[SHAPE_TEXT];
    int64_t mapped, capacity, free;
    if (!self || !self->container) {
        lua_pushstring(L, self ? "closed container" : "not a container");
        return 1;
    }
    snprintf(shape, sizeof shape, "%d-D", self->stream.shape.rank);
    lua_pushfstring(L, "container<%s>[%s], %s", self->stream.type->name,
                    container_bounded(self->container) ? shape_text(&self->stream.shape, shape) : shape,
                    container_title(self->container));
    if (container_flat(self->container)) {
        lua_pushfstring(L, "%s, %I entr%s", lua_tostring(L, -1),
                        (LUAI_UACINT)stream_elements(container_elements_of(self)),
                        stream_elements(container_elements_of(self)) == 1 ? "y" : "ies");
    }
    if (container_pages(self->container, &mapped, &capacity, &free)) {
        int64_t most = container_most_pages(self->container);
        const char *of = most ? lua_pushfstring(L, " of %I", (LUAI_UACINT)most) : lua_pushliteral(L, "");
        lua_pushfstring(L, "%s, %I%s page%s mapped", lua_tostring(L, -2), (LUAI_UACINT)mapped, of,
                        (most ? most : mapped) == 1 ? "" : "s");
    }
    return 1;
}

static int container_length(lua_State *L)
{
    lua_pushinteger(L, stream_elements(container_elements_of(container_check(L, 1, "#", 0, "c"))));
    return 1;
}

/* c:eval(): returns the container itself, as s:eval. */
static int container_eval(lua_State *L)
{
    container_check(L, 1, "c:eval", 0, "c");
    binding_count(L, "c:eval", 1, true);
    return 1;
}

/* rill.container(virtual, methods): returns a new handle of the container with additional methods, which take
 * precedence. */
static int rill_container(lua_State *L)
{
    static const char function[] = "rill.container";
    binding_count(L, function, 2, false);
    lua_settop(L, 2);
    const LuaContainer *self = container_check(L, 1, function, 1, "virtual");
    if (!binding_is_options(L, 2)) {
        binding_argument(L, function, 2, "methods", 2, "a table of functions by name");
    }
    lua_newtable(L);
    for (lua_pushnil(L); lua_next(L, 2); lua_pop(L, 1)) {
        if (lua_type(L, -2) != LUA_TSTRING || !lua_isfunction(L, -1)) {
            const char *got = binding_describe(L, lua_gettop(L));
            luaL_error(L, "%s: argument #2 'methods': expected functions by name, got %s under %s", function, got,
                       binding_key(L, lua_gettop(L) - 2));
        }
        lua_pushvalue(L, -2);
        lua_pushvalue(L, -2);
        lua_rawset(L, 3);
    }
    LuaContainer *made = container_push(L);
    made->stream = self->stream;
    made->container = container_retain(self->container);
    container_keep(L, made);
    lua_insert(L, 3);
    lua_setiuservalue(L, 3, 1);
    return 1;
}

void open_container(lua_State *L)
{
    static const luaL_Reg functions[] = {{"container", rill_container}, {"_page_sizes", rill_page_sizes}, {NULL, NULL}};
    static const luaL_Reg meta[] = {{"__close", container_close},
                                    {"__tostring", container_tostring},
                                    {"__len", container_length},
                                    {"__pairs", container_each},
                                    {NULL, NULL}};
    static const luaL_Reg methods[] = {{"get", container_get},
                                       {"set", container_set},
                                       {"read", container_read},
                                       {"values", container_values},
                                       {"bytes", container_bytes_call},
                                       {"request", container_request},
                                       {"stream", container_stream},
                                       {"write", container_write_call},
                                       {"fill", container_fill_call},
                                       {"copy", container_copy_call},
                                       {"eval", container_eval},
                                       {"each", container_each},
                                       {"update", container_update},
                                       {"generate", container_generate},
                                       {"active", container_active_call},
                                       {"range", container_range_call},
                                       {"boundary", container_boundary},
                                       {"allocate", container_allocate_call},
                                       {"release", container_release_call},
                                       {"refine", container_refine_call},
                                       {"coarsen", container_coarsen_call},
                                       {"mipmap", container_mipmap_call},
                                       {"level", container_level_call},
                                       {"filter_mode", container_filter_call},
                                       {"push", stack_push},
                                       {"pop", stack_pop},
                                       {"bake", container_bake_call},
                                       {"snapshot", snapshot_take},
                                       {"save", rillfile_save_container},
                                       {"diff", snapshot_diff},
                                       {"undo", snapshot_undo},
                                       {"close", container_close},
                                       {NULL, NULL}};
    luaL_newlib(L, methods);
    lua_pushvalue(L, -1);
    lua_pushcclosure(L, container_index, 1);
    handle_open(L, &container_type, meta);
    fields_setter(L, "_container_method"); /* methods written in Lua */
    lua_rawgetp(L, LUA_REGISTRYINDEX, &container_type);
    fields_setter(L, "_container_metamethod"); /* "__field", as for streams */
    luaL_setfuncs(L, functions, 0);
}
