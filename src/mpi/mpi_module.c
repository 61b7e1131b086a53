/* Starts and ends MPI. */
#include "mpi/mpi_module.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Ends MPI when the process ends. A rank that ends with an error ends all ranks: others may wait for its messages. */
static void finish(int status, void *unused)
{
    int ended = 1, rank, size;
    (void)unused;
    MPI_Finalized(&ended);
    if (ended) {
        return;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    fflush(NULL);
    if (status != 0 && size > 1) {
        fprintf(stderr, "rill.mpi: rank %d of %d ended with status %d, so all ranks are ended\n", rank + 1, size,
                status);
        fflush(stderr);
        MPI_Abort(MPI_COMM_WORLD, status);
    }
    MPI_Finalize();
}

/* Divides the processors among the ranks of this machine, unless LP_NUM_THREADS is set: llvmpipe would start a thread for
 * each processor in every rank. mpirun may have bound this rank to fewer processors than its share. */
static void divide_processors(int ranks)
{
    char text[24];
    cpu_set_t own;
    long cores = sysconf(_SC_NPROCESSORS_ONLN), share = cores / ranks > 1 ? cores / ranks : 1;
    long bound = sched_getaffinity(0, sizeof own, &own) == 0 ? CPU_COUNT(&own) : share;
    snprintf(text, sizeof text, "%ld", bound < share ? bound : share);
    if (ranks > 1) {
        setenv("LP_NUM_THREADS", text, 0);
    }
}

/* start(): starts MPI. Returns the rank from 1, the number of ranks, and the same two numbers among the ranks of this
 * machine. */
static int mpi_start(lua_State *L)
{
    int started, ended, provided, rank, size, near_rank, near_size;
    MPI_Comm near;
    MPI_Initialized(&started);
    MPI_Finalized(&ended);
    if (ended) {
        return luaL_error(L, "rill.mpi: MPI has ended in this process");
    }
    if (!started) {
        /* Open MPI's handler of SIGSEGV and SIGABRT allocates memory and can hang; mpirun reports the signal without
         * it. */
        setenv("OMPI_MCA_opal_signal", "", 0);
        mpi_check(L, MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided), "start");
        on_exit(finish, NULL);
    }
    if (mpi_all == MPI_COMM_NULL) {
        mpi_check(L, MPI_Comm_dup(MPI_COMM_WORLD, &mpi_all), "start");
        MPI_Comm_set_errhandler(mpi_all, MPI_ERRORS_RETURN);
    }
    MPI_Comm_rank(mpi_all, &rank);
    MPI_Comm_size(mpi_all, &size);
    mpi_check(L, MPI_Comm_split_type(mpi_all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near), "start");
    MPI_Comm_rank(near, &near_rank);
    MPI_Comm_size(near, &near_size);
    MPI_Comm_free(&near);
    divide_processors(near_size);
    lua_pushinteger(L, rank + 1);
    lua_pushinteger(L, size);
    lua_pushinteger(L, near_rank + 1);
    lua_pushinteger(L, near_size);
    return 4;
}

/* abort(status): ends all ranks. */
static int mpi_end(lua_State *L)
{
    int status = (int)luaL_optinteger(L, 1, 1);
    fflush(NULL);
    MPI_Abort(MPI_COMM_WORLD, status);
    return 0;
}

/* traffic(): returns the seconds of waiting, the bytes sent and received, and the numbers of messages and collective
 * operations since the start. */
static int mpi_traffic_read(lua_State *L)
{
    lua_pushnumber(L, mpi_traffic.waited);
    lua_pushinteger(L, (lua_Integer)mpi_traffic.sent);
    lua_pushinteger(L, (lua_Integer)mpi_traffic.taken);
    lua_pushinteger(L, (lua_Integer)mpi_traffic.messages);
    lua_pushinteger(L, (lua_Integer)mpi_traffic.collectives);
    return 5;
}

/* time(): returns a time in seconds that only differences have a meaning of. */
static int mpi_time(lua_State *L)
{
    lua_pushnumber(L, MPI_Wtime());
    return 1;
}

__attribute__((visibility("default"))) int luaopen_rill_mpi_core(lua_State *L);

int luaopen_rill_mpi_core(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"start", mpi_start}, {"abort", mpi_end}, {"traffic", mpi_traffic_read}, {"time", mpi_time}, {NULL, NULL}};
    luaL_newlib(L, functions);
    memory_open(L);
    message_open(L);
    collective_open(L);
    parallel_file_open(L);
    return 1;
}
