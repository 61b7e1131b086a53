/* Operations in which all ranks take part. */
#include "mpi/mpi_module.h"

#include <limits.h>
#include <math.h>
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

/* add_counts({n1, n2, ...}): returns a table of the sums of the numbers of all ranks, which pass as many each. */
static int collective_add_counts(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_argcheck(L, lua_rawlen(L, 1) <= INT_MAX, 1, "less than 2^31 numbers");
    int n = (int)lua_rawlen(L, 1);
    long long *sums = lua_newuserdatauv(L, ((size_t)n + 1) * sizeof *sums, 0);
    numbers_read(L, sums, n);
    double begin = mpi_wait_begin();
    int code = MPI_Allreduce(MPI_IN_PLACE, sums, n, MPI_LONG_LONG, MPI_SUM, mpi_all);
    mpi_wait_end(begin);
    mpi_traffic.collectives++;
    mpi_traffic.sent += n * (long long)sizeof *sums;
    mpi_check(L, code, "a sum of counts");
    numbers_push(L, sums, n);
    return 1;
}

/* ---- units: see lua/rill/mpi/cut.lua */

enum { UNIT_DIMS = 4 };

/* The box of a rank's units in the grid of all units, slowest dimension first. */
typedef struct UnitBox {
    long long first[UNIT_DIMS], own[UNIT_DIMS], all[UNIT_DIMS];
} UnitBox;

/* Returns the number of a unit of the box among all units; `unit` counts from 0 within the box. */
static long long unit_number(const UnitBox *box, long long unit)
{
    long long number = 0, scale = 1;
    for (int d = UNIT_DIMS - 1; d >= 0; d--) {
        number += (box->first[d] + unit % box->own[d]) * scale;
        unit /= box->own[d];
        scale *= box->all[d];
    }
    return number;
}

/* Reads the box of this rank's units in arguments n to n + 11. Returns the number of all units. `own`: of this rank's. */
static long long units_box(lua_State *L, int n, long long own, UnitBox *box)
{
    long long all = 1, inside = 1;
    for (int d = 0; d < UNIT_DIMS; d++) {
        box->first[d] = luaL_checkinteger(L, n + 3 * d);
        box->own[d] = luaL_checkinteger(L, n + 3 * d + 1);
        box->all[d] = luaL_checkinteger(L, n + 3 * d + 2);
        bool fits = box->first[d] >= 0 && box->own[d] >= 0 && box->all[d] > 0 && box->all[d] < INT_MAX / all &&
                    box->own[d] <= box->all[d] - box->first[d];
        luaL_argcheck(L, fits, n, "a box of units");
        all *= box->all[d];
        inside *= box->own[d];
    }
    luaL_argcheck(L, inside == own, 1, "a double for each unit of the box");
    return all;
}

/* Pushes a userdata with the doubles of the units of all ranks, in the order of the units, and returns it. `text` has
 * those of this rank. Every unit belongs to one rank: the others contribute zero bits. */
static double *units_gather(lua_State *L, const char *text, const UnitBox *box, long long own, long long all)
{
    double *units = lua_newuserdatauv(L, (size_t)(all + 1) * sizeof *units, 0);
    memset(units, 0, (size_t)all * sizeof *units);
    for (long long i = 0; i < own; i++) {
        memcpy(&units[unit_number(box, i)], text + (size_t)i * sizeof(double), sizeof(double));
    }
    if (ranks() > 1) {
        double begin = mpi_wait_begin();
        int code = MPI_Allreduce(MPI_IN_PLACE, units, (int)all, MPI_LONG_LONG, MPI_BOR, mpi_all);
        mpi_wait_end(begin);
        mpi_traffic.collectives++;
        mpi_traffic.sent += all * (long long)sizeof(double);
        mpi_check(L, code, "reduction");
    }
    return units;
}

/* Adds the units with the same first coordinate in their order. `rows` may be `units`. */
static void units_fold(const double *units, long long rows, long long width, double *sums)
{
    for (long long i = 0; i < rows; i++) {
        double sum = 0;
        for (long long k = 0; k < width; k++) {
            sum += units[i * width + k];
        }
        sums[i] = sum;
    }
}

/* Returns the doubles of a text, argument 1, in a userdata, which is pushed: a text need not be aligned. */
static double *units_copy(lua_State *L, long long *count)
{
    size_t length;
    const char *text = luaL_checklstring(L, 1, &length);
    double *units = lua_newuserdatauv(L, length + sizeof *units, 0);
    memcpy(units, text, length);
    *count = (long long)(length / sizeof *units);
    return units;
}

/* add_units(text, rows, first, own, all, ...): adds the sums of the units of all ranks: first those with the same first
 * coordinate, then the results, with the rounding errors (A. Neumaier 1974). `rows`: only the first dimension is divided
 * among the ranks, so that each rank adds its units with the same first coordinate. Returns the sum. */
static int collective_add_units(lua_State *L)
{
    UnitBox box;
    long long own;
    bool local = lua_toboolean(L, 2);
    double *units = units_copy(L, &own), sum = 0, error = 0;
    long long all = units_box(L, 3, own, &box), rows = box.all[0], width = all / rows;
    if (local) {
        const UnitBox line = {{box.first[0], 0, 0, 0}, {own ? box.own[0] : 0, 1, 1, 1}, {rows, 1, 1, 1}};
        units_fold(units, line.own[0], width, units);
        units = units_gather(L, (const char *)units, &line, line.own[0], rows);
    } else {
        units = units_gather(L, (const char *)units, &box, own, all);
        units_fold(units, rows, width, units);
    }
    for (long long i = 0; i < rows; i++) {
        double next = sum + units[i];
        error += fabs(sum) >= fabs(units[i]) ? (sum - next) + units[i] : (units[i] - next) + sum;
        sum = next;
    }
    lua_pushnumber(L, isfinite(error) ? sum + error : sum);
    return 1;
}

/* scan_units(text, first, own, all, ...): returns for each unit of this rank the sum of all units before it, as packed
 * doubles. */
static int collective_scan_units(lua_State *L)
{
    UnitBox box;
    long long own;
    double *units = units_copy(L, &own), sum = 0;
    long long all = units_box(L, 2, own, &box);
    units = units_gather(L, (const char *)units, &box, own, all);
    for (long long i = 0; i < all; i++) {
        double next = sum + units[i];
        units[i] = sum;
        sum = next;
    }
    luaL_Buffer buffer;
    char *text = luaL_buffinitsize(L, &buffer, (size_t)own * sizeof(double));
    for (long long i = 0; i < own; i++) {
        memcpy(text + (size_t)i * sizeof(double), &units[unit_number(&box, i)], sizeof(double));
    }
    luaL_pushresultsize(&buffer, (size_t)own * sizeof(double));
    return 1;
}

void collective_open(lua_State *L)
{
    static const luaL_Reg functions[] = {{"barrier", collective_barrier},       {"broadcast", collective_broadcast},
                                         {"gather", collective_gather},         {"counts", collective_counts},
                                         {"add_counts", collective_add_counts}, {"add_units", collective_add_units},
                                         {"scan_units", collective_scan_units}, {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
}
