/* The Lua module spec.support.sockets: TCP connections to this machine, for tests of web servers. */
#include <arpa/inet.h>
#include <errno.h>
#include <lauxlib.h>
#include <lua.h>
#include <malloc.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static const char *const name = "spec.socket";

typedef struct Socket {
    int fd;
} Socket;

static int descriptor(lua_State *L)
{
    int fd = ((Socket *)luaL_checkudata(L, 1, name))->fd;
    return fd >= 0 ? fd : luaL_error(L, "closed socket");
}

static int failed(lua_State *L, const char *reason)
{
    lua_pushnil(L);
    lua_pushstring(L, reason);
    return 2;
}

/* connect(port [, receive_buffer]): connects to 127.0.0.1. Returns a socket, or nil and the reason. */
static int socket_connect(lua_State *L)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)luaL_checkinteger(L, 1))};
    int bytes = (int)luaL_optinteger(L, 2, 0), one = 1;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    Socket *self = lua_newuserdatauv(L, sizeof *self, 0);
    self->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    luaL_setmetatable(L, name);
    if (self->fd < 0) {
        return failed(L, strerror(errno));
    }
    if (bytes > 0) {
        setsockopt(self->fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
    }
    setsockopt(self->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (connect(self->fd, (struct sockaddr *)&address, sizeof address) != 0) {
        return failed(L, strerror(errno));
    }
    return 1;
}

static int wait_for(int fd, short events, double seconds)
{
    struct pollfd one = {.fd = fd, .events = events};
    return poll(&one, 1, (int)(seconds * 1000));
}

/* s:send(bytes [, seconds]): sends bytes. Returns true, or nil and the reason. Default of seconds: 1. */
static int socket_send(lua_State *L)
{
    size_t length, done = 0;
    int fd = descriptor(L);
    const char *bytes = luaL_checklstring(L, 2, &length);
    double seconds = luaL_optnumber(L, 3, 1);
    while (done < length) {
        if (wait_for(fd, POLLOUT, seconds) <= 0) {
            return failed(L, "timeout");
        }
        ssize_t sent = send(fd, bytes + done, length - done, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EAGAIN) {
            return failed(L, strerror(errno));
        }
        done += sent > 0 ? (size_t)sent : 0;
    }
    lua_pushboolean(L, 1);
    return 1;
}

/* s:receive([seconds [, most]]): returns the bytes that have arrived, at most `most`, "" at the end; or nil and the
 * reason. Default of seconds: 1, of most: 64 KiB, which is the largest value. */
static int socket_receive(lua_State *L)
{
    char bytes[1 << 16];
    int fd = descriptor(L);
    lua_Integer most = luaL_optinteger(L, 3, sizeof bytes);
    luaL_argcheck(L, most > 0 && most <= (lua_Integer)sizeof bytes, 3, "1 to 65536");
    if (wait_for(fd, POLLIN, luaL_optnumber(L, 2, 1)) <= 0) {
        return failed(L, "timeout");
    }
    ssize_t count = recv(fd, bytes, (size_t)most, 0);
    if (count < 0) {
        return failed(L, strerror(errno));
    }
    lua_pushlstring(L, bytes, (size_t)count);
    return 1;
}

static int socket_close(lua_State *L)
{
    Socket *self = luaL_checkudata(L, 1, name);
    if (self->fd >= 0) {
        close(self->fd);
    }
    self->fd = -1;
    return 0;
}

/* time(): returns the seconds of the clock of rill.clock. */
static int socket_time(lua_State *L)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    lua_pushnumber(L, (lua_Number)now.tv_sec + 1e-9 * (lua_Number)now.tv_nsec);
    return 1;
}

/* allocated(): returns the bytes that the process has allocated and not freed. Free memory in the heap, which depends on
 * the order of calls and on the number of threads, is not counted. */
static int socket_allocated(lua_State *L)
{
    struct mallinfo2 info = mallinfo2();
    lua_pushinteger(L, (lua_Integer)(info.uordblks + info.hblkhd));
    return 1;
}

int luaopen_spec_support_sockets(lua_State *L);

int luaopen_spec_support_sockets(lua_State *L)
{
    static const luaL_Reg methods[] = {{"send", socket_send},  {"receive", socket_receive}, {"close", socket_close},
                                       {"__gc", socket_close}, {"__close", socket_close},   {NULL, NULL}};
    static const luaL_Reg functions[] = {
        {"connect", socket_connect}, {"time", socket_time}, {"allocated", socket_allocated}, {NULL, NULL}};
    luaL_newmetatable(L, name);
    luaL_setfuncs(L, methods, 0);
    lua_pushvalue(L, -1);
    lua_setfield(L, -2, "__index");
    luaL_newlib(L, functions);
    return 1;
}
