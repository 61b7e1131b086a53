/* Files that all ranks read and write together (MPI-IO). */
#include "mpi/mpi_module.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

static const char *const file_name = "rill.mpi.file";

typedef struct ParallelFile {
    MPI_File file;
} ParallelFile;

static ParallelFile *file_argument(lua_State *L)
{
    ParallelFile *f = luaL_checkudata(L, 1, file_name);
    luaL_argcheck(L, f->file != MPI_FILE_NULL, 1, "the file was closed");
    return f;
}

/* file(path, writes): opens a file on all ranks. Returns nil and a message on failure. With `writes` the file is created,
 * or emptied if it exists. */
static int parallel_file_new(lua_State *L)
{
    const char *path = luaL_checkstring(L, 1);
    bool writes = lua_toboolean(L, 2);
    ParallelFile *f = lua_newuserdatauv(L, sizeof *f, 0);
    f->file = MPI_FILE_NULL;
    luaL_setmetatable(L, file_name);
    int mode = writes ? MPI_MODE_CREATE | MPI_MODE_WRONLY : MPI_MODE_RDONLY;
    double begin = mpi_wait_begin();
    int code = MPI_File_open(mpi_all, path, mode, MPI_INFO_NULL, &f->file);
    if (code == MPI_SUCCESS && writes) {
        code = MPI_File_set_size(f->file, 0);
    }
    mpi_wait_end(begin);
    if (code != MPI_SUCCESS) {
        char text[MPI_MAX_ERROR_STRING];
        int length;
        MPI_Error_string(code, text, &length);
        lua_pushnil(L);
        lua_pushlstring(L, text, (size_t)length);
        return 2;
    }
    return 1;
}

static int parallel_file_close(lua_State *L)
{
    ParallelFile *f = luaL_checkudata(L, 1, file_name);
    int code = f->file == MPI_FILE_NULL ? MPI_SUCCESS : MPI_File_close(&f->file);
    mpi_check(L, code, "closing a file");
    return 0;
}

/* A file that is collected: closing it would wait for the other ranks. */
static int parallel_file_drop(lua_State *L)
{
    (void)L;
    return 0;
}

enum { MOST_DIMS = 8 };

/* Reads a table of sizes. */
static int sizes_argument(lua_State *L, int n, int *sizes)
{
    luaL_checktype(L, n, LUA_TTABLE);
    int count = (int)lua_rawlen(L, n);
    luaL_argcheck(L, count >= 1 && count <= MOST_DIMS, n, "1 to 8 sizes");
    for (int d = 0; d < count; d++) {
        lua_rawgeti(L, n, d + 1);
        lua_Integer size = luaL_checkinteger(L, -1);
        luaL_argcheck(L, size >= 0 && size <= INT_MAX, n, "a size from 0 to 2^31 - 1");
        sizes[d] = (int)size;
        lua_pop(L, 1);
    }
    return count;
}

/* Shows MPI the box of this rank in an array of the file, which begins at a byte. A rank without elements sees bytes. */
static int view_box(MPI_File file, MPI_Offset at, int element, int rank, const int *shape, const int *first,
                    const int *own)
{
    MPI_Datatype cell, box;
    bool empty = false;
    for (int d = 0; d < rank; d++) {
        empty = empty || own[d] == 0;
    }
    if (empty) {
        return MPI_File_set_view(file, at, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    }
    int code = MPI_Type_contiguous(element, MPI_BYTE, &cell);
    if (code == MPI_SUCCESS) {
        code = MPI_Type_create_subarray(rank, shape, own, first, MPI_ORDER_C, cell, &box);
        if (code == MPI_SUCCESS) {
            MPI_Type_commit(&box);
            MPI_Type_commit(&cell);
            code = MPI_File_set_view(file, at, cell, box, "native", MPI_INFO_NULL);
            MPI_Type_free(&box);
        }
        MPI_Type_free(&cell);
    }
    return code;
}

/* The box of a rank in an array of a file. */
typedef struct Box {
    lua_Integer at, element; /* the byte at which the array begins; the bytes of an element */
    int rank, shape[MOST_DIMS], first[MOST_DIMS], own[MOST_DIMS];
    char *bytes; /* the elements of the box */
    size_t length;
} Box;

/* Reads a box from the arguments after the first: at, element, shape, first, own, memory, offset, bytes. */
static void box_argument(lua_State *L, Box *box)
{
    box->at = luaL_checkinteger(L, 2);
    box->element = luaL_checkinteger(L, 3);
    box->rank = sizes_argument(L, 4, box->shape);
    luaL_argcheck(L, sizes_argument(L, 5, box->first) == box->rank, 5, "as many sizes as the shape");
    luaL_argcheck(L, sizes_argument(L, 6, box->own) == box->rank, 6, "as many sizes as the shape");
    for (int d = 0; d < box->rank; d++) {
        luaL_argcheck(L, box->own[d] <= box->shape[d] && box->first[d] <= box->shape[d] - box->own[d], 5,
                      "a box inside of the shape");
    }
    box->bytes = memory_range(L, 7, &box->length);
    luaL_argcheck(L, box->at >= 0 && box->element > 0, 2, "an offset from 0");
}

static int transfer(lua_State *L, bool writes)
{
    int count;
    MPI_Status status;
    MPI_Count moved = 0;
    ParallelFile *f = file_argument(L);
    Box box;
    box_argument(L, &box);
    char *bytes = box.bytes;
    MPI_Datatype type = mpi_bytes(L, box.length, &count);
    double begin = mpi_wait_begin();
    int code = view_box(f->file, (MPI_Offset)box.at, (int)box.element, box.rank, box.shape, box.first, box.own);
    if (code == MPI_SUCCESS) {
        code = writes ? MPI_File_write_at(f->file, 0, bytes, count, type, &status)
                      : MPI_File_read_at(f->file, 0, bytes, count, type, &status);
    }
    mpi_wait_end(begin);
    if (code == MPI_SUCCESS) {
        code = MPI_Get_elements_x(&status, type, &moved);
    }
    mpi_bytes_free(&type);
    lua_pushinteger(L, code == MPI_SUCCESS ? (lua_Integer)moved : -1);
    if (code != MPI_SUCCESS) {
        char text[MPI_MAX_ERROR_STRING];
        int written;
        MPI_Error_string(code, text, &written);
        lua_pushlstring(L, text, (size_t)written);
        return 2;
    }
    return 1;
}

/* file:write(at, element, shape, first, own, memory, offset, bytes), file:read(...): all ranks write or read their boxes of
 * an array of elements of a number of bytes, which begins at byte `at`. Each rank writes alone: collective functions of
 * Open MPI do not report that a disk is full, or wait forever. Return the number of bytes that this rank has moved,
 * which is smaller if the disk is full or the file is too short; or -1 and a message. */
static int parallel_file_write(lua_State *L)
{
    return transfer(L, true);
}

static int parallel_file_read(lua_State *L)
{
    return transfer(L, false);
}

/* Mixes the bits of a number (G. L. Steele, D. Lea, C. H. Flood 2014, SplitMix64). */
static uint64_t mix_bits(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Returns the checksum of an element at a byte of the file: the sum over its words of up to 8 bytes. */
static uint64_t sum_element(const char *bytes, size_t length, uint64_t at)
{
    uint64_t sum = 0;
    for (size_t from = 0; from < length; from += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, bytes + from, length - from < sizeof word ? length - from : sizeof word);
        sum += mix_bits(word + mix_bits(at + from + UINT64_C(0x9e3779b97f4a7c15)));
    }
    return sum;
}

/* Returns the sum of the checksums of the elements of a box. */
static uint64_t sum_box(const Box *box)
{
    const int last = box->rank - 1;
    const uint64_t element = (uint64_t)box->element;
    int index[MOST_DIMS] = {0};
    uint64_t sum = 0;
    for (size_t done = 0; done < box->length;) {
        uint64_t place = 0;
        for (int d = 0; d < box->rank; d++) {
            place = place * (uint64_t)box->shape[d] + (uint64_t)(box->first[d] + index[d]);
        }
        for (int i = 0; i < box->own[last]; i++, done += element) {
            sum += sum_element(box->bytes + done, element, (uint64_t)box->at + (place + (uint64_t)i) * element);
        }
        for (int d = last - 1; d >= 0 && ++index[d] == box->own[d]; d--) {
            index[d] = 0;
        }
    }
    return sum;
}

/* checksum(nil, at, element, shape, first, own, memory, offset, bytes): returns the checksum of the box of a rank as a
 * whole number. The checksum of an array is the sum (modulo 2^64) over the boxes that it is divided into. */
static int parallel_file_checksum(lua_State *L)
{
    Box box;
    uint64_t bytes;
    box_argument(L, &box);
    bytes = (uint64_t)box.element;
    for (int d = 0; d < box.rank; d++) {
        bytes *= (uint64_t)box.own[d];
    }
    luaL_argcheck(L, bytes == box.length, 9, "the bytes of the box");
    lua_pushinteger(L, (lua_Integer)sum_box(&box));
    return 1;
}

/* file:sync(): waits until the data are on the disk. */
static int parallel_file_sync(lua_State *L)
{
    mpi_check(L, MPI_File_sync(file_argument(L)->file), "writing a file");
    return 0;
}

void parallel_file_open(lua_State *L)
{
    static const luaL_Reg methods[] = {{"write", parallel_file_write},
                                       {"read", parallel_file_read},
                                       {"sync", parallel_file_sync},
                                       {"close", parallel_file_close},
                                       {NULL, NULL}};
    luaL_newmetatable(L, file_name);
    luaL_newlib(L, methods);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, parallel_file_drop);
    lua_setfield(L, -2, "__gc");
    lua_pop(L, 1);
    lua_pushcfunction(L, parallel_file_new);
    lua_setfield(L, -2, "file");
    lua_pushcfunction(L, parallel_file_checksum);
    lua_setfield(L, -2, "checksum");
}
