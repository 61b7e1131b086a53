/* The functions of rill.live.core for lua/rill/live: a server is a userdata. Errors begin with "rill.live:". */
#include "io/image/formats.h"
#include "live/interrupt.h"
#include "live/server.h"

#include <lauxlib.h>
#include <lua.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static const char *const server_name = "rill.live.server";

typedef struct Handle {
    Server *server; /* NULL after close */
    Frame *draft;   /* the frame that the script fills */
    bool watches;   /* Ctrl-C */
} Handle;

static Handle *handle_of(lua_State *L)
{
    Handle *handle = luaL_checkudata(L, 1, server_name);
    if (!handle->server) {
        luaL_error(L, "rill.live: the view is closed");
    }
    return handle;
}

static const char *text_field(lua_State *L, int table, const char *name)
{
    lua_getfield(L, table, name);
    const char *text = luaL_checkstring(L, -1);
    lua_pop(L, 1); /* the table keeps it */
    return text;
}

static int whole_field(lua_State *L, int table, const char *name)
{
    lua_getfield(L, table, name);
    lua_Integer value = luaL_checkinteger(L, -1);
    lua_pop(L, 1);
    return (int)value;
}

static void files_field(lua_State *L, ServerOptions *options)
{
    lua_getfield(L, 1, "files");
    for (int i = 1; i <= FILES_MOST && lua_geti(L, -1, i) == LUA_TTABLE; i++) {
        ServerFile *file = &options->files[options->file_count++];
        file->path = text_field(L, lua_gettop(L), "path");
        file->type = text_field(L, lua_gettop(L), "type");
        lua_getfield(L, -1, "body");
        file->body = luaL_checklstring(L, -1, &file->length);
        lua_pop(L, 2);
    }
    lua_pop(L, 1);
}

/* open{listen, port, clients, key, hello, steer_all, files = {{path, type, body}}}: starts a server. Returns it, or nil
 * and the reason. */
static int live_open(lua_State *L)
{
    char reason[256] = "";
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    ServerOptions options = {.listen = text_field(L, 1, "listen"),
                             .port = whole_field(L, 1, "port"),
                             .clients = whole_field(L, 1, "clients"),
                             .key = text_field(L, 1, "key"),
                             .hello = text_field(L, 1, "hello")};
    lua_getfield(L, 1, "steer_all");
    options.steer_all = lua_toboolean(L, -1);
    lua_settop(L, 1);
    files_field(L, &options);
    Handle *handle = lua_newuserdatauv(L, sizeof *handle, 0);
    *handle = (Handle){NULL, NULL, false};
    luaL_setmetatable(L, server_name);
    handle->server = server_open(&options, reason, sizeof reason);
    if (!handle->server) {
        lua_pushnil(L);
        lua_pushstring(L, reason);
        return 2;
    }
    return 1;
}

/* key(): returns a random key of 128 bits, in hexadecimal digits. */
static int live_key(lua_State *L)
{
    unsigned char bytes[16];
    char text[2 * sizeof bytes];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) {
        return luaL_error(L, "rill.live: the system has no random numbers");
    }
    for (size_t i = 0; i < sizeof bytes; i++) {
        text[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
        text[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
    }
    lua_pushlstring(L, text, sizeof text);
    return 1;
}

/* server:close(): stops the server. */
static int live_close(lua_State *L)
{
    Handle *handle = luaL_checkudata(L, 1, server_name);
    Server *server = handle->server;
    if (server) {
        if (handle->draft) {
            board_release(server_board(server), handle->draft);
        }
        if (handle->watches) {
            interrupt_unwatch();
        }
        *handle = (Handle){NULL, NULL, false};
        server_close(server);
    }
    return 0;
}

/* server:port(): returns the port. */
static int live_port(lua_State *L)
{
    lua_pushinteger(L, server_port(handle_of(L)->server));
    return 1;
}

/* server:clients(): returns the number of connected browsers. */
static int live_clients(lua_State *L)
{
    lua_pushinteger(L, server_clients(handle_of(L)->server));
    return 1;
}

/* server:draft(bytes): returns a light userdata with the address of memory for the bytes of the next frame. */
static int live_draft(lua_State *L)
{
    Handle *handle = handle_of(L);
    lua_Integer bytes = luaL_checkinteger(L, 2);
    luaL_argcheck(L, bytes >= 0, 2, "a size from 0");
    if (handle->draft) {
        board_release(server_board(handle->server), handle->draft);
    }
    handle->draft = board_frame(server_board(handle->server), (size_t)bytes);
    if (!handle->draft) {
        return luaL_error(L, "rill.live: not enough memory for a frame of %I bytes", bytes);
    }
    lua_pushlightuserdata(L, handle->draft->bytes);
    return 1;
}

static const char *name_argument(lua_State *L, int n)
{
    size_t length;
    const char *name = luaL_checklstring(L, n, &length);
    luaL_argcheck(L, length <= NAME_MOST && strlen(name) == length, n, "a name of at most 64 bytes");
    return name;
}

static int publish(lua_State *L, Handle *handle, const char *name, PanelKind kind, double rows, double columns)
{
    Frame *frame = handle->draft;
    size_t length;
    const char *header = luaL_checklstring(L, 3, &length);
    handle->draft = NULL;
    strbuf_add_bytes(&frame->header, header, length);
    if (!board_publish(server_board(handle->server), name, kind, rows, columns, frame)) {
        return luaL_error(L, "rill.live: a view has at most %d panels", PANELS_MOST);
    }
    server_wake(handle->server);
    return 0;
}

/* server:image(name, header, kind, rows, columns, width, height, channels, encoding [, palette]): publishes the draft, an
 * image. kind: "image" or "mesh"; rows, columns: of the stream; encoding: "png" or "jpeg". */
static int live_image(lua_State *L)
{
    static const char *const kinds[] = {"image", "mesh", NULL}, *const encodings[] = {"png", "jpeg", NULL};
    Handle *handle = handle_of(L);
    const char *name = name_argument(L, 2);
    luaL_checkstring(L, 3);
    PanelKind kind = luaL_checkoption(L, 4, NULL, kinds) == 0 ? PANEL_IMAGE : PANEL_MESH;
    lua_Number rows = luaL_checknumber(L, 5), columns = luaL_checknumber(L, 6);
    lua_Integer width = luaL_checkinteger(L, 7), height = luaL_checkinteger(L, 8), channels = luaL_checkinteger(L, 9);
    FrameEncoding encoding = luaL_checkoption(L, 10, NULL, encodings) == 0 ? FRAME_PNG : FRAME_JPEG;
    size_t length = 0;
    const char *palette = luaL_optlstring(L, 11, NULL, &length);
    Frame *frame = handle->draft;
    luaL_argcheck(L, channels == 1 || channels == 4, 9, "1 or 4");
    luaL_argcheck(L, !palette || (length == PALETTE_BYTES && channels == 1 && encoding == FRAME_PNG), 11,
                  "256 colors, for PNG with one channel");
    bool fits = frame && width > 0 && height > 0 && width <= 16384 && height <= 16384 &&
                (size_t)(width * height * channels) == frame->size;
    luaL_argcheck(L, fits, 7, "the size of the draft");
    frame->encoding = encoding;
    frame->width = (int)width;
    frame->height = (int)height;
    frame->channels = (int)channels;
    frame->has_palette = palette != NULL;
    if (palette) {
        memcpy(frame->palette, palette, PALETTE_BYTES);
    }
    return publish(L, handle, name, kind, rows, columns);
}

/* server:fill(bytes): makes a copy of a string the draft. */
static int live_fill(lua_State *L)
{
    Handle *handle = handle_of(L);
    size_t length;
    const char *bytes = luaL_checklstring(L, 2, &length);
    lua_settop(L, 2);
    lua_pushcfunction(L, live_draft);
    lua_pushvalue(L, 1);
    lua_pushinteger(L, (lua_Integer)length);
    lua_call(L, 2, 0);
    memcpy(handle->draft->bytes, bytes, length);
    return 0;
}

/* server:put(name, header [, payload [, hidden]]): publishes a panel whose payload is sent as it is. */
static int live_put(lua_State *L)
{
    Handle *handle = handle_of(L);
    const char *name = name_argument(L, 2);
    luaL_checkstring(L, 3);
    bool hidden = lua_toboolean(L, 5);
    lua_settop(L, 4);
    lua_pushcfunction(L, live_fill);
    lua_pushvalue(L, 1);
    lua_pushstring(L, "");
    if (!lua_isnil(L, 4)) {
        lua_copy(L, 4, -1);
    }
    lua_call(L, 2, 0);
    return publish(L, handle, name, hidden ? PANEL_HIDDEN : PANEL_PLAIN, 0, 0);
}

/* server:untaken(name): returns how many versions of a panel were published since the last one that a browser was sent. */
static int live_untaken(lua_State *L)
{
    Handle *handle = handle_of(L);
    lua_pushinteger(L, (lua_Integer)board_untaken(server_board(handle->server), name_argument(L, 2)));
    return 1;
}

/* server:remove(name): removes a panel. */
static int live_remove(lua_State *L)
{
    Handle *handle = handle_of(L);
    board_remove(server_board(handle->server), name_argument(L, 2));
    return 0;
}

/* server:control(name, kind, least, most): adds or changes a control: "number", "choice", "toggle" or "button". */
static int live_control(lua_State *L)
{
    static const char *const kinds[] = {"number", "choice", "toggle", "button", NULL};
    Handle *handle = handle_of(L);
    const char *name = name_argument(L, 2);
    Control control = {.kind = (ControlKind)luaL_checkoption(L, 3, NULL, kinds),
                       .min = luaL_optnumber(L, 4, 0),
                       .max = luaL_optnumber(L, 5, 0)};
    strcpy(control.name, name);
    if (!board_control(server_board(handle->server), &control)) {
        return luaL_error(L, "rill.live: a view has at most %d controls", PANELS_MOST);
    }
    return 0;
}

/* server:next(): takes an event. Returns its verb, name, text and four numbers; or nothing. */
static int live_next(lua_State *L)
{
    Event event;
    if (!board_next(server_board(handle_of(L)->server), &event)) {
        return 0;
    }
    lua_pushstring(L, verb_names[event.verb]);
    lua_pushstring(L, event.name);
    lua_pushstring(L, event.text);
    for (int i = 0; i < 4; i++) {
        lua_pushnumber(L, event.values[i]);
    }
    return 7;
}

/* server:wait(seconds): waits for an event. Returns whether there is one. */
static int live_wait(lua_State *L)
{
    lua_Number seconds = luaL_checknumber(L, 2);
    luaL_argcheck(L, seconds >= 0 && seconds <= 1, 2, "0 to 1 seconds");
    lua_pushboolean(L, board_wait(server_board(handle_of(L)->server), seconds));
    return 1;
}

/* server:interrupted(): returns whether Ctrl-C was pressed since the first call of this function. */
static int live_interrupted(lua_State *L)
{
    Handle *handle = handle_of(L);
    if (!handle->watches) {
        handle->watches = true;
        interrupt_watch();
    }
    lua_pushboolean(L, interrupt_pending());
    return 1;
}

/* server:counts(): returns a table of what the server has counted. */
static int live_counts(lua_State *L)
{
    ServerCounts counts = server_counts(handle_of(L)->server);
    const struct {
        const char *name;
        unsigned long long value;
    } rows[] = {{"accepted", counts.accepted}, {"refused", counts.refused}, {"dropped", counts.dropped},
                {"messages", counts.messages}, {"invalid", counts.invalid}, {"sent", counts.sent},
                {"bytes", counts.bytes},       {"encoded", counts.encoded}, {"frames", counts.frames}};
    lua_newtable(L);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lua_pushinteger(L, (lua_Integer)rows[i].value);
        lua_setfield(L, -2, rows[i].name);
    }
    return 1;
}

__attribute__((visibility("default"))) int luaopen_rill_live_core(lua_State *L);

int luaopen_rill_live_core(lua_State *L)
{
    static const luaL_Reg methods[] = {{"close", live_close},
                                       {"port", live_port},
                                       {"clients", live_clients},
                                       {"draft", live_draft},
                                       {"image", live_image},
                                       {"put", live_put},
                                       {"fill", live_fill},
                                       {"untaken", live_untaken},
                                       {"remove", live_remove},
                                       {"control", live_control},
                                       {"next", live_next},
                                       {"wait", live_wait},
                                       {"counts", live_counts},
                                       {"interrupted", live_interrupted},
                                       {"__gc", live_close},
                                       {"__close", live_close},
                                       {NULL, NULL}};
    static const luaL_Reg functions[] = {{"open", live_open}, {"key", live_key}, {NULL, NULL}};
    luaL_newmetatable(L, server_name);
    luaL_setfuncs(L, methods, 0);
    lua_pushvalue(L, -1);
    lua_setfield(L, -2, "__index");
    luaL_newlib(L, functions);
    lua_pushboolean(L, jpeg_is_built());
    lua_setfield(L, -2, "jpeg");
    return 1;
}
