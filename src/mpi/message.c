/* Messages between two ranks. */
#include "mpi/mpi_module.h"

#include <limits.h>

static const char *const request_name = "rill.mpi.request";

/* A message under way. Its user value is the memory, which must not move or be freed before the message has ended. A
 * repeated message (`length` is not 0) can be started again after it has ended. */
typedef struct Request {
    MPI_Request request;
    size_t length;
    bool sends;
} Request;

static int tag_argument(lua_State *L, int n)
{
    lua_Integer tag = luaL_optinteger(L, n, 0);
    luaL_argcheck(L, tag >= 0 && tag <= 32767, n, "a tag from 0 to 32767");
    return (int)tag;
}

/* Waits for one message. Messages of this rank proceed meanwhile. */
static void finish(lua_State *L, Request *r)
{
    double begin = mpi_wait_begin();
    int code = MPI_Wait(&r->request, MPI_STATUS_IGNORE);
    mpi_wait_end(begin);
    mpi_check(L, code, "a message");
}

static void count(bool sends, size_t length)
{
    mpi_traffic.messages += sends;
    *(sends ? &mpi_traffic.sent : &mpi_traffic.taken) += (long long)length;
}

static int post(lua_State *L, bool sends, bool repeated)
{
    size_t length;
    int items;
    char *bytes = memory_range(L, 1, &length);
    int rank = mpi_rank(L, 4), tag = tag_argument(L, 5);
    Request *r = lua_newuserdatauv(L, sizeof *r, 1);
    *r = (Request){.request = MPI_REQUEST_NULL, .length = repeated ? length : 0, .sends = sends};
    luaL_setmetatable(L, request_name);
    lua_pushvalue(L, 1);
    lua_setiuservalue(L, -2, 1);
    MPI_Datatype type = mpi_bytes(L, length, &items);
    int code;
    if (repeated) {
        code = sends ? MPI_Send_init(bytes, items, type, rank, tag, mpi_all, &r->request)
                     : MPI_Recv_init(bytes, items, type, rank, tag, mpi_all, &r->request);
    } else {
        code = sends ? MPI_Isend(bytes, items, type, rank, tag, mpi_all, &r->request)
                     : MPI_Irecv(bytes, items, type, rank, tag, mpi_all, &r->request);
        count(sends, length);
    }
    mpi_bytes_free(&type);
    mpi_check(L, code, "a message");
    return 1;
}

/* send(memory, offset, bytes, rank, tag), receive(...): begin a message and return a request. */
static int message_send(lua_State *L)
{
    return post(L, true, false);
}

static int message_receive(lua_State *L)
{
    return post(L, false, false);
}

/* send_often(memory, offset, bytes, rank, tag), receive_often(...): return a request for a message that message_begin
 * starts, any number of times. */
static int message_send_often(lua_State *L)
{
    return post(L, true, true);
}

static int message_receive_often(lua_State *L)
{
    return post(L, false, true);
}

/* begin(request, ...): starts messages of send_often and receive_often. */
static int message_begin(lua_State *L)
{
    for (int i = 1, n = lua_gettop(L); i <= n; i++) {
        Request *r = luaL_checkudata(L, i, request_name);
        luaL_argcheck(L, r->length > 0, i, "a request of send_often or receive_often");
        mpi_check(L, MPI_Start(&r->request), "a message");
        count(r->sends, r->length);
    }
    return 0;
}

/* wait(request, ...): waits for messages. */
static int message_wait(lua_State *L)
{
    for (int i = 1, n = lua_gettop(L); i <= n; i++) {
        finish(L, luaL_checkudata(L, i, request_name));
    }
    return 0;
}

/* Frees a request that is collected. If its message has not ended, after an error, MPI may still use the bytes of the
 * memory, which are then not freed. Lua collects the request before the memory, which is older. */
static int message_drop(lua_State *L)
{
    Request *r = luaL_checkudata(L, 1, request_name);
    int finalized = 1, ended = 0;
    MPI_Finalized(&finalized);
    if (!finalized && r->request != MPI_REQUEST_NULL) {
        MPI_Request_get_status(r->request, &ended, MPI_STATUS_IGNORE);
        lua_getiuservalue(L, 1, 1);
        if (!ended) {
            memory_abandon(L, -1);
        }
        MPI_Request_free(&r->request);
    }
    return 0;
}

/* size(rank, tag): waits for a message of a rank, and returns its number of bytes without receiving it. */
static int message_size(lua_State *L)
{
    MPI_Status status;
    MPI_Count bytes;
    int rank = mpi_rank(L, 1), tag = tag_argument(L, 2);
    double begin = mpi_wait_begin();
    int code = MPI_Probe(rank, tag, mpi_all, &status);
    mpi_wait_end(begin);
    mpi_check(L, code, "a message");
    mpi_check(L, MPI_Get_elements_x(&status, MPI_BYTE, &bytes), "a message");
    lua_pushinteger(L, (lua_Integer)bytes);
    return 1;
}

void message_open(lua_State *L)
{
    static const luaL_Reg functions[] = {{"send", message_send},
                                         {"receive", message_receive},
                                         {"send_often", message_send_often},
                                         {"receive_often", message_receive_often},
                                         {"begin", message_begin},
                                         {"wait", message_wait},
                                         {"message_size", message_size},
                                         {NULL, NULL}};
    luaL_newmetatable(L, request_name);
    lua_pushcfunction(L, message_drop);
    lua_setfield(L, -2, "__gc");
    lua_pop(L, 1);
    luaL_setfuncs(L, functions, 0);
}
