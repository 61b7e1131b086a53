/* Operations in which all ranks take part. */
#include "mpi/mpi_module.h"

#include <limits.h>
#include <string.h>

static int ranks(void)
{
    int size;
    MPI_Comm_size(mpi_all, &size);
    return size;
}

/* barrier(): waits until all ranks have called it. */
static int collective_barrier(lua_State *L)
{
    double begin = mpi_wait_begin();
    int code = MPI_Barrier(mpi_all);
    mpi_wait_end(begin);
    mpi_traffic.collectives++;
    mpi_check(L, code, "barrier");
    return 0;
}

/* broadcast(memory, offset, bytes, root): copies bytes of one rank to all. */
static int collective_broadcast(lua_State *L)
{
    size_t length;
    int count;
    char *bytes = memory_range(L, 1, &length);
    int root = mpi_rank(L, 4);
    MPI_Datatype type = mpi_bytes(L, length, &count);
    double begin = mpi_wait_begin();
    int code = MPI_Bcast(bytes, count, type, root, mpi_all);
    mpi_wait_end(begin);
    mpi_bytes_free(&type);
    mpi_traffic.collectives++;
    mpi_traffic.sent += (long long)length;
    mpi_check(L, code, "broadcast");
    return 0;
}

/* Sets places[i] to the sum of the counts before i. Returns the sum of all, or -1 if it is larger than an int. */
static int place(const int *counts, int *places, int n)
{
    long long sum = 0;
    for (int i = 0; i < n; i++) {
        places[i] = (int)sum;
        sum += counts[i];
        if (sum > INT_MAX) {
            return -1;
        }
    }
    return (int)sum;
}

/* gather(text): returns a table of the texts of all ranks, in order of the ranks, on every rank. Meant for short texts. */
static int collective_gather(lua_State *L)
{
    size_t length;
    const char *text = luaL_checklstring(L, 1, &length);
    int n = ranks(), own = (int)length;
    luaL_argcheck(L, length <= INT_MAX, 1, "a text of less than 2^31 bytes");
    int *counts = lua_newuserdatauv(L, 2 * (size_t)n * sizeof *counts, 0), *places = counts + n;
    double begin = mpi_wait_begin();
    int code = MPI_Allgather(&own, 1, MPI_INT, counts, 1, MPI_INT, mpi_all);
    mpi_check(L, code, "gather");
    int sum = place(counts, places, n);
    if (sum < 0) {
        return luaL_error(L, "rill.mpi: gather: the texts together have more than 2^31 bytes");
    }
    char *all = lua_newuserdatauv(L, (size_t)sum + 1, 0);
    code = MPI_Allgatherv(text, own, MPI_CHAR, all, counts, places, MPI_CHAR, mpi_all);
    mpi_wait_end(begin);
    mpi_traffic.collectives++;
    mpi_traffic.sent += own;
    mpi_check(L, code, "gather");
    lua_createtable(L, n, 0);
    for (int i = 0; i < n; i++) {
        lua_pushlstring(L, all + places[i], (size_t)counts[i]);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

/* Reads the first n numbers of the table at argument 1. */
static void numbers_read(lua_State *L, long long *numbers, int n)
{
    for (int i = 0; i < n; i++) {
        lua_rawgeti(L, 1, i + 1);
        numbers[i] = luaL_checkinteger(L, -1);
        lua_pop(L, 1);
    }
}

static void numbers_push(lua_State *L, const long long *numbers, int n)
{
    lua_createtable(L, n, 0);
    for (int i = 0; i < n; i++) {
        lua_pushinteger(L, numbers[i]);
        lua_rawseti(L, -2, i + 1);
    }
}

/* counts({n1, n2, ...}): gives each rank one number, and returns the table of the numbers that it was given. */
static int collective_counts(lua_State *L)
{
    int n = ranks();
    luaL_checktype(L, 1, LUA_TTABLE);
    long long *given = lua_newuserdatauv(L, 2 * (size_t)n * sizeof *given, 0), *taken = given + n;
    numbers_read(L, given, n);
    double begin = mpi_wait_begin();
    int code = MPI_Alltoall(given, 1, MPI_LONG_LONG, taken, 1, MPI_LONG_LONG, mpi_all);
    mpi_wait_end(begin);
    mpi_traffic.collectives++;
    mpi_check(L, code, "counts");
    numbers_push(L, taken, n);
    return 1;
}

/* scan_units(text, first, all): returns for each unit of this rank the sum of all units before it, as packed doubles.
 * text: the sums of this rank's units; first: the number of units of the ranks before it; all: that of all ranks. A
 * unit belongs to one rank: the others contribute zero bits. */
static int collective_scan_units(lua_State *L)
{
    size_t bytes;
    const char *text = luaL_checklstring(L, 1, &bytes);
    long long first = luaL_checkinteger(L, 2), all = luaL_checkinteger(L, 3);
    double sum = 0, *units;
    luaL_argcheck(L, all >= 0 && all < INT_MAX, 3, "less than 2^31 units");
    luaL_argcheck(L, first >= 0 && first <= all && bytes / sizeof *units <= (size_t)(all - first), 1,
                  "the sums of units from first on");
    units = lua_newuserdatauv(L, (size_t)(all + 1) * sizeof *units, 0);
    memset(units, 0, (size_t)all * sizeof *units);
    memcpy(units + first, text, bytes / sizeof *units * sizeof *units);
    if (ranks() > 1) {
        double begin = mpi_wait_begin();
        int code = MPI_Allreduce(MPI_IN_PLACE, units, (int)all, MPI_LONG_LONG, MPI_BOR, mpi_all);
        mpi_wait_end(begin);
        mpi_traffic.collectives++;
        mpi_traffic.sent += all * (long long)sizeof *units;
        mpi_check(L, code, "reduction");
    }
    for (long long i = 0; i < all; i++) {
        double next = sum + units[i];
        units[i] = sum;
        sum = next;
    }
    lua_pushlstring(L, (const char *)(units + first), bytes);
    return 1;
}

void collective_open(lua_State *L)
{
    static const luaL_Reg functions[] = {{"barrier", collective_barrier},       {"broadcast", collective_broadcast},
                                         {"gather", collective_gather},         {"counts", collective_counts},
                                         {"scan_units", collective_scan_units}, {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
}
