/* s:request([first, last]): an asynchronous read. */
#include "binding/values/handle.h"
#include "kernel/launch/copy.h"

#include <string.h>

typedef struct Request {
    Stream whole;       /* a contiguous stream of the elements that are read */
    Transfer *transfer; /* NULL for an empty stream, and after close */
} Request;

static void drop(lua_State *L, void *self)
{
    Request *request = self;
    (void)L;
    if (request->transfer && request->whole.device) {
        binding_drop(request->whole.device, transfer_release(request->transfer));
    }
    request->transfer = NULL;
    stream_handle_drop(&request->whole);
}

static const HandleType request_type = {"request", "r", sizeof(Request), .drop = drop};

static Request *request_check(lua_State *L, const char *function)
{
    Request *request = handle_to(L, 1, &request_type);
    if (!request) {
        luaL_error(L, "%s: expected a request, got %s", function, binding_describe(L, 1));
    } else if (!request->whole.device) {
        luaL_error(L, "%s: closed request", function);
    }
    return request;
}

static int request_ready(lua_State *L)
{
    const Request *request = request_check(L, "r:ready");
    bool ready = true;
    if (request->transfer) {
        binding_run(L, request->whole.device, NULL, (ready = transfer_ready(request->transfer), true));
    }
    lua_pushboolean(L, ready);
    return 1;
}

/* Waits for the data and returns it. The bytes are valid as long as the request is open. */
static const void *request_wait(lua_State *L, const Request *request, const char *function)
{
    if (!request->transfer) {
        return "";
    }
    const void *bytes;
    binding_run(L, request->whole.device, function, bytes = transfer_wait(request->transfer));
    return bytes;
}

static int request_values(lua_State *L)
{
    const Request *request = request_check(L, "r:values");
    const void *bytes = request_wait(L, request, "r:values");
    table_push_flat(L, request->whole.type, stream_elements(&request->whole), bytes);
    return 1;
}

static int request_bytes(lua_State *L)
{
    const Request *request = request_check(L, "r:bytes");
    const char *bytes = request_wait(L, request, "r:bytes");
    lua_pushlstring(L, bytes, (size_t)stream_bytes(&request->whole));
    return 1;
}

static bool request_open(const Stream *view, Request *request)
{
    Stream *whole = &request->whole;
    if (view->contiguous && view->buffer) {
        stream_copy_view(view, whole);
    } else if (!copy_whole(view, NULL, "the read-back: the stream", whole)) {
        return false;
    }
    uint64_t bytes = stream_bytes(whole);
    if (bytes > 0) {
        request->transfer =
            transfer_create(whole->buffer, (uint64_t)whole->offset * (uint64_t)whole->type->bytes, bytes);
    }
    return bytes == 0 || request->transfer;
}

static int stream_request(lua_State *L)
{
    int64_t from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK];
    const Stream *s = accept_self(L, "s:request", 3);
    box_check(L, s, 2, "s:request", 1, from, to);
    const Stream *view = box_push(L, s, "s:request", from, to);
    Request *request = handle_push(L, &request_type);
    binding_make(L, s->device, "s:request", request_open(view, request));
    return 1;
}

static int request_index(lua_State *L)
{
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(1)) == LUA_TNIL) {
        return luaL_error(L, "a request has no field or method %s (it has ready values bytes close)",
                          binding_key(L, 2));
    }
    return 1;
}

void open_readback(lua_State *L)
{
    static const luaL_Reg members[] = {
        {"ready", request_ready}, {"values", request_values}, {"bytes", request_bytes}, {NULL, NULL}};
    static const luaL_Reg methods[] = {{"request", stream_request}, {NULL, NULL}};
    handle_methods(L, &request_type, members);
    lua_pushcclosure(L, request_index, 1);
    handle_open(L, &request_type, NULL);
    stream_handle_methods(L, methods);
}
