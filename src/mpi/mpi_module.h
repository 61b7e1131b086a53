/* The shared object rill/mpi/core.so: messages, collective operations and files of MPI for lua/rill/mpi. It knows bytes
 * only: streams are copied to and from Memory by rill.core. Of the sources only those in this directory include mpi.h,
 * and they are not part of rill/core.so, so that rill does not need MPI.
 *
 * All functions raise a Lua error that begins with "rill.mpi:" if MPI reports a failure. Ranks are counted from 0 here,
 * and from 1 in Lua. */
#ifndef RILL_MPI_MPI_MODULE_H
#define RILL_MPI_MPI_MODULE_H

#include <lauxlib.h>
#include <lua.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* Host memory for messages: a userdata. */
typedef struct Memory {
    char *bytes;
    size_t size;
} Memory;

/* What this rank has sent and how long it has waited, since the start. */
typedef struct Traffic {
    double waited;         /* seconds in functions that wait for other ranks */
    long long sent, taken; /* bytes */
    long long messages, collectives;
} Traffic;

extern Traffic mpi_traffic;

/* The communicator of all ranks, on which MPI returns errors instead of ending the process. */
extern MPI_Comm mpi_all;

/* Raises the error of an MPI function, unless `code` is MPI_SUCCESS. */
void mpi_check(lua_State *L, int code, const char *what);
/* Returns the bytes at arguments n to n + 2: a Memory, an offset and a length. Raises unless they are inside of it. */
char *memory_range(lua_State *L, int n, size_t *length);
/* Makes the Memory at index n empty without freeing its bytes. */
void memory_abandon(lua_State *L, int n);
/* Returns a datatype for a number of bytes, and the number of its elements: MPI counts at most INT_MAX elements. The
 * caller passes the type to mpi_bytes_free. */
MPI_Datatype mpi_bytes(lua_State *L, size_t length, int *count);
void mpi_bytes_free(MPI_Datatype *type);
/* Returns a rank from 0 that argument n contains from 1. */
int mpi_rank(lua_State *L, int n);

/* Begin and end the time that is counted as waiting. */
double mpi_wait_begin(void);
void mpi_wait_end(double begin);

/* Add the functions of a file to the table on top of the stack. */
void memory_open(lua_State *L);
void message_open(lua_State *L);
void collective_open(lua_State *L);
void parallel_file_open(lua_State *L);

#endif
