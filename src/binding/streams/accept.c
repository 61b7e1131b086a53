/* Checks streams that are arguments: evaluates expressions, refuses closed streams, and waits for lengths that are
 * counted on the device. */
#include "binding/binding.h"

Stream *accept_stream(lua_State *L, int index)
{
    if (expression_hooks_is_expression(L, index)) {
        index = lua_absindex(L, index);
        lua_pushvalue(L, index);
        expression_hooks_call(L, "evaluate", 1, 1);
        lua_replace(L, index);
    }
    return stream_handle_to(L, index);
}

static const char *stream_expected(lua_State *L, int index, int n)
{
    if (n == 0) {
        return "a stream before the colon";
    }
    return binding_is_options(L, index) ? "a stream (rill.from makes one of a table)" : "a stream";
}

Stream *accept_header(lua_State *L, int index, const char *function, int n, const char *name)
{
    Stream *stream = accept_stream(L, index);
    if (!stream) {
        binding_argument(L, function, n, name, index, stream_expected(L, index, n));
    }
    if (!stream->device) {
        binding_argument(L, function, n, name, index, "an open stream");
    }
    return stream;
}

Stream *accept_open(lua_State *L, int index, const char *function, int n, const char *name)
{
    Stream *stream = accept_header(L, index, function, n, name);
    record_refuse(L, stream, function, n, name);
    return stream;
}

Stream *accept_shaped(lua_State *L, int index, const char *function, int n, const char *name)
{
    Stream *stream = accept_header(L, index, function, n, name);
    accept_settled(L, stream);
    return stream;
}

Stream *accept_check(lua_State *L, int index, const char *function, int n, const char *name)
{
    Stream *stream = accept_open(L, index, function, n, name);
    accept_settled(L, stream);
    return stream;
}

Stream *accept_self(lua_State *L, const char *function, int most)
{
    Stream *stream = accept_check(L, 1, function, 0, "s");
    binding_count(L, function, most, true);
    return stream;
}

void accept_settled(lua_State *L, Stream *stream)
{
    if (!stream->length.buffer) {
        return;
    }
    binding_run(L, stream->device, NULL, stream_settle(stream));
}

static const char categories_key;

void accept_numbers(lua_State *L, int index, const char *function, int n, const char *name)
{
    index = lua_absindex(L, index);
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &categories_key) == LUA_TTABLE) {
        lua_pushvalue(L, index);
        lua_rawget(L, -2);
        if (!lua_isnil(L, -1)) {
            luaL_error(L,
                       "%s is a category, whose codes are not numbers to compute with: t:group counts and "
                       "aggregates names, and s:codes() is the stream of the codes",
                       binding_label(L, function, n, name));
        }
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

/* _categories(table): sets the table whose keys are the streams that are categories. */
static int set_categories(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &categories_key);
    return 0;
}

void open_accept(lua_State *L)
{
    fields_function(L, "_categories", set_categories);
}

void accept_writable(lua_State *L, const Stream *stream, const char *function)
{
    if (!stream->writable) {
        luaL_error(L,
                   "%s: %s cannot be written: it is a tiled, replicated, overlapping or iterator view; write to a "
                   ":copy() of it",
                   function, stream->source == SOURCE_RAMP ? "an iterator stream" : "this view");
    }
}
