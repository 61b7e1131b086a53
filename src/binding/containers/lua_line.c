/* What lua/rill/container/mapped.lua stands on: the mapped parts of containers as streams. */
#include "binding/streams/container_handle.h"

/* _partial(c, function): whether some of it may not be mapped. */
static int rill_partial(lua_State *L)
{
    const LuaContainer *self = container_check(L, 1, luaL_checkstring(L, 2), 0, "c");
    container_asked(L, self, luaL_checkstring(L, 2));
    lua_pushboolean(L, container_partial(self->container));
    return 1;
}

/* _line(c, from, function): the elements of a container, or a stream of its shape, that are mapped in c. */
static int rill_line(lua_State *L)
{
    container_push_line(L, container_check(L, 1, luaL_checkstring(L, 3), 0, "c"), 2, luaL_checkstring(L, 3));
    return 1;
}

/* _from_line(c, line): a container of the line's type, mapped as c, with these elements. */
static int rill_from_line(lua_State *L)
{
    static const char function[] = "c:scan";
    LuaContainer *self = container_check(L, 1, function, 0, "c");
    const Stream *line = accept_check(L, 2, function, 1, "line");
    container_asked(L, self, function);
    LuaContainer *made = container_push(L);
    DeviceScope scope;
    binding_enter(L, self->stream.device, &scope);
    Container *c = container_of_line(self->container, line);
    device_leave(&scope);
    container_take(L, made, c, function);
    return 1;
}

/* _line_points(c): the coordinates of what _line(c, c) gives, in one dimension; nil of lists. */
static int rill_line_points(lua_State *L)
{
    static const char function[] = "c:find";
    LuaContainer *self = container_check(L, 1, function, 0, "c");
    DeviceScope scope;
    if (container_is_lists(self->container)) {
        lua_pushnil(L);
        return 1;
    }
    container_asked(L, self, function);
    Stream *points = handle_push(L);
    binding_enter(L, self->stream.device, &scope);
    bool done = container_line_points(self->container, points);
    device_leave(&scope);
    container_done(L, self, done, function);
    return 1;
}

void open_line(lua_State *L)
{
    static const luaL_Reg functions[] = {{"_partial", rill_partial},
                                         {"_line", rill_line},
                                         {"_from_line", rill_from_line},
                                         {"_line_points", rill_line_points},
                                         {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
}
