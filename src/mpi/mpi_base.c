/* What the files of this directory share: the communicator, errors, datatypes, and counts of what is sent. */
#include "mpi/mpi_module.h"

#include <limits.h>

Traffic mpi_traffic;
MPI_Comm mpi_all = MPI_COMM_NULL;

void mpi_check(lua_State *L, int code, const char *what)
{
    char text[MPI_MAX_ERROR_STRING] = "unknown error";
    int length;
    if (code != MPI_SUCCESS) {
        MPI_Error_string(code, text, &length);
        luaL_error(L, "rill.mpi: %s: %s", what, text);
    }
}

double mpi_wait_begin(void)
{
    return MPI_Wtime();
}

void mpi_wait_end(double begin)
{
    mpi_traffic.waited += MPI_Wtime() - begin;
}

MPI_Datatype mpi_bytes(lua_State *L, size_t length, int *count)
{
    MPI_Datatype block, parts[2], whole;
    *count = (int)length;
    if (length <= INT_MAX) {
        return MPI_BYTE;
    }
    const int size = 1 << 30, blocks = (int)(length / (size_t)size), rest = (int)(length % (size_t)size);
    MPI_Aint places[2] = {0, (MPI_Aint)blocks * size};
    int counts[2] = {blocks, rest};
    mpi_check(L, MPI_Type_contiguous(size, MPI_BYTE, &block), "a datatype");
    parts[0] = block;
    parts[1] = MPI_BYTE;
    int code = MPI_Type_create_struct(2, counts, places, parts, &whole);
    MPI_Type_free(&block);
    mpi_check(L, code, "a datatype");
    mpi_check(L, MPI_Type_commit(&whole), "a datatype");
    *count = 1;
    return whole;
}

void mpi_bytes_free(MPI_Datatype *type)
{
    if (*type != MPI_BYTE) {
        MPI_Type_free(type);
    }
}

int mpi_rank(lua_State *L, int n)
{
    int size;
    lua_Integer rank = luaL_checkinteger(L, n);
    MPI_Comm_size(mpi_all, &size);
    luaL_argcheck(L, rank >= 1 && rank <= size, n, "a rank from 1 to rill.mpi.size");
    return (int)rank - 1;
}
