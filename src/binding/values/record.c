/* What C does for lua/rill/grad while it records a function that is differentiated: it hands operations that have a rule
 * and launches over to Lua, and refuses all other uses of streams that depend on the arguments of the function. */
#include "binding/binding.h"

#include <string.h>

static const char tracked_key; /* serial of a buffer -> nonzero, if its elements depend on the arguments */
static const char rules_key;   /* name of an operation -> its rule */

/* Pushes the value of a table of the registry for the key on top of the stack, which it pops. Returns its type. */
static int look_up(lua_State *L, const void *table)
{
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, table) != LUA_TTABLE) {
        lua_pop(L, 2);
        lua_pushnil(L);
        return LUA_TNIL;
    }
    lua_insert(L, -2);
    int type = lua_rawget(L, -2);
    lua_replace(L, -2);
    return type;
}

bool record_tracks(lua_State *L, const Stream *stream)
{
    if (!state_get(L)->recording || !stream->buffer) {
        return false;
    }
    luaL_checkstack(L, 4, "record");
    lua_pushinteger(L, (lua_Integer)buffer_serial(stream->buffer));
    bool tracked = look_up(L, &tracked_key) != LUA_TNIL;
    lua_pop(L, 1);
    return tracked;
}

void record_refuse(lua_State *L, const Stream *stream, const char *function, int n, const char *name)
{
    if (!record_tracks(L, stream)) {
        return;
    }
    lua_pushinteger(L, (lua_Integer)buffer_serial(stream->buffer));
    lua_pushstring(L, function);
    lua_pushinteger(L, n);
    lua_pushstring(L, name);
    expression_hooks_call(L, "record_refuse", 4, 0);
}

bool record_launch(lua_State *L, int *results)
{
    return state_get(L)->recording && expression_hooks_try(L, "record_launch", results);
}

/* Calls the C function in upvalue 1, whose name is upvalue 2. While a function is recorded, a function with a rule is
 * called by Lua. */
static int recorded(lua_State *L)
{
    lua_CFunction function = lua_tocfunction(L, lua_upvalueindex(1));
    if (!state_get(L)->recording) {
        return function(L);
    }
    lua_pushvalue(L, lua_upvalueindex(2));
    bool ruled = look_up(L, &rules_key) != LUA_TNIL;
    lua_pop(L, 1);
    if (!ruled) {
        return function(L);
    }
    luaL_checkstack(L, 2, "record");
    lua_pushvalue(L, lua_upvalueindex(2));
    lua_insert(L, 1);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 2);
    expression_hooks_call(L, "record_call", lua_gettop(L), LUA_MULTRET);
    return lua_gettop(L);
}

/* Replaces the C functions of the table on top of the stack by functions that can be recorded. Names with an underscore
 * are not replaced, since these functions are not public. */
static void wrap_functions(lua_State *L, const char *prefix)
{
    for (lua_pushnil(L); lua_next(L, -2);) {
        bool named = lua_type(L, -2) == LUA_TSTRING;
        bool plain = named && *lua_tostring(L, -2) != '_' && lua_iscfunction(L, -1);
        plain = plain && strcmp(lua_tostring(L, -2), "type") != 0; /* it is called often, and has no rule */
        if (plain && lua_getupvalue(L, -1, 1)) {
            plain = false;
            lua_pop(L, 1);
        }
        if (!plain) {
            lua_pop(L, 1);
            continue;
        }
        lua_pushfstring(L, "%s%s", prefix, lua_tostring(L, -2));
        lua_pushcclosure(L, recorded, 2);
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        lua_rawset(L, -4); /* assigning to an existing field is allowed during a traversal */
    }
}

/* _record_functions(): lets the functions of rill.core and the methods of streams that are written in C be recorded. */
static int rill_record_functions(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    wrap_functions(L, "rill.");
    stream_handle_members(L);
    wrap_functions(L, "s:");
    return 0;
}

/* _recording([on]): returns whether operations are recorded, and changes it. */
static int rill_recording(lua_State *L)
{
    State *state = state_get(L);
    bool before = state->recording;
    if (!lua_isnone(L, 1)) {
        state->recording = lua_toboolean(L, 1);
    }
    lua_pushboolean(L, before);
    return 1;
}

/* _record_tables(tracked, rules): sets the table of the buffers that are tracked, and the table of the rules. */
static int rill_record_tables(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_settop(L, 2);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &rules_key);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &tracked_key);
    return 0;
}

/* _place(s [, known]): returns where the elements of a stream are in its memory: the pattern for _rebase, a text that is
 * equal for equal patterns, types and sizes of the memory (with "/" if a view can be written, else "!"), whether the
 * elements are the whole memory, whether they have no gaps, the range of their bytes, the number of scalars of the memory,
 * the type in kernels, and whether a view can be written. If the table `known` has a value for the text, returns this
 * value only. */
static int rill_place(lua_State *L)
{
    Stream *s = stream_handle_to(L, 1);
    if (!s || !s->device || !s->buffer) {
        return luaL_error(L, "rill._place: expected an open stream with memory");
    }
    if (s->length.buffer) {
        binding_run(L, s->device, NULL, stream_settle(s));
    }
    lua_settop(L, 2);
    luaL_Buffer key;
    luaL_buffinit(L, &key);
    int64_t count =
        s->type->is_struct ? 0 : (int64_t)(buffer_bytes(s->buffer) / (uint64_t)type_scalar_bytes(s->type->scalar));
    lua_pushfstring(L, "%s %I%s%I", s->type->name, (LUAI_UACINT)s->offset, s->writable ? "/" : "!", (LUAI_UACINT)count);
    luaL_addvalue(&key);
    for (int d = 0; d < s->shape.rank; d++) {
        const ViewDim *v = &s->dim[d];
        lua_pushfstring(L, ",%I", (LUAI_UACINT)s->shape.size[d]);
        luaL_addvalue(&key);
        if (!s->contiguous) {
            lua_pushfstring(L, ":%I:%I:%I:%I:%I", (LUAI_UACINT)v->stride, (LUAI_UACINT)v->step, (LUAI_UACINT)v->start,
                            (LUAI_UACINT)v->div, (LUAI_UACINT)v->mod);
            luaL_addvalue(&key);
        }
    }
    luaL_pushresult(&key);
    if (lua_istable(L, 2)) {
        lua_pushvalue(L, 3);
        if (lua_rawget(L, 2) != LUA_TNIL) {
            return 1;
        }
        lua_pop(L, 1);
    }
    Stream *pattern = lua_newuserdatauv(L, sizeof *pattern, 0);
    stream_pattern(s, pattern);
    lua_insert(L, 3);
    int64_t low, high;
    stream_range(s, &low, &high);
    lua_pushboolean(L, stream_is_whole(s));
    lua_pushboolean(L, s->contiguous);
    lua_pushinteger(L, low);
    lua_pushinteger(L, high);
    lua_pushinteger(L, count);
    lua_pushstring(L, s->type->value->name);
    lua_pushboolean(L, s->writable);
    return 9;
}

/* _rebase(pattern, memory): returns the view of a stream of scalars in which the elements of the pattern are. */
static int rill_rebase(lua_State *L)
{
    const Stream *memory = stream_handle_to(L, 2);
    bool is_pattern = lua_type(L, 1) == LUA_TUSERDATA && lua_rawlen(L, 1) == sizeof(Stream) && !lua_getmetatable(L, 1);
    if (!is_pattern || !memory || !memory->device || !memory->buffer) {
        return luaL_error(L, "rill._rebase: expected a pattern and an open stream with memory");
    }
    const Stream *pattern = lua_touserdata(L, 1);
    binding_raise_unless(L, stream_rebase(pattern, memory, stream_handle_push(L)));
    return 1;
}

void open_record(lua_State *L)
{
    static const luaL_Reg functions[] = {{"_record_functions", rill_record_functions},
                                         {"_record_tables", rill_record_tables},
                                         {"_recording", rill_recording},
                                         {"_place", rill_place},
                                         {"_rebase", rill_rebase},
                                         {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
}
