/* Streams as arguments: expressions are evaluated, closed ones refused, lengths waited for. */
#include "binding/binding.h"

Stream *stream_accept(lua_State *L, int index)
{
    if (expression_is(L, index)) {
        index = lua_absindex(L, index);
        lua_pushvalue(L, index);
        expression_call(L, "evaluate", 1, 1);
        lua_replace(L, index);
    }
    return stream_to(L, index);
}

Stream *stream_open(lua_State *L, int index, const char *function, int n, const char *name)
{
    Stream *stream = stream_accept(L, index);
    if (!stream) {
        binding_argument(L, function, n, name, index, n ? "a stream" : "a stream before the colon");
    }
    if (!stream->device) {
        binding_argument(L, function, n, name, index, "an open stream");
    }
    return stream;
}

Stream *stream_check(lua_State *L, int index, const char *function, int n, const char *name)
{
    Stream *stream = stream_open(L, index, function, n, name);
    stream_settled(L, stream);
    return stream;
}

void stream_settled(lua_State *L, Stream *stream)
{
    if (!stream->length.buffer) {
        return;
    }
    DeviceScope scope;
    binding_enter(L, stream->device, &scope);
    bool done = stream_settle(stream);
    device_leave(&scope);
    if (!done) {
        binding_raise(L);
    }
}
