/* MatrixMarket files: functions for rill.sparse.load and A:save. */
#include "binding/binding.h"

#include "io/array/mtx.h"
#include "io/file.h"
#include "kernel/host/packed.h"

static bool upload(Device *device, const MtxMatrix *matrix, Stream *const streams[3])
{
    Shape shape = {.rank = 1, .size = {(int64_t)matrix->count}};
    const Type *whole = type_of(SCALAR_INT, 1);
    return packed_stream(device, whole, &shape, matrix->row, streams[0]) &&
           packed_stream(device, whole, &shape, matrix->column, streams[1]) &&
           packed_stream(device, type_of(SCALAR_DOUBLE, 1), &shape, matrix->value, streams[2]);
}

static bool decode(const FileBytes *file, void *matrix)
{
    return mtx_decode(file->data, file->size, matrix);
}

static bool load(Device *device, const char *path, int32_t *rows, int32_t *columns, Stream *const streams[3])
{
    MtxMatrix matrix;
    if (!file_decode(path, decode, &matrix)) {
        return false;
    }
    *rows = matrix.rows;
    *columns = matrix.columns;
    bool done = upload(device, &matrix, streams);
    mtx_free(&matrix);
    return done;
}

/* _mtx_load(path): returns the numbers of rows and columns, then streams of the rows and columns of the entries,
 * 0-based, and their values. */
static int mtx_load(lua_State *L)
{
    static const char function[] = "rill.sparse.load";
    const char *path = argument_path(L, 1, function, 1, "path");
    Device *device = state_device(L);
    int32_t rows = 0, columns = 0;
    Stream *streams[3];
    lua_settop(L, 3); /* reserves room for the numbers of rows and columns */
    for (int i = 0; i < 3; i++) {
        streams[i] = stream_handle_push(L);
    }
    binding_run(L, device, function, load(device, path, &rows, &columns, streams));
    lua_pushinteger(L, rows);
    lua_replace(L, 2);
    lua_pushinteger(L, columns);
    lua_replace(L, 3);
    binding_charge(L, device);
    return 5;
}

static bool save(const char *path, const Stream *row, const Stream *column, const Stream *value, MtxMatrix *matrix,
                 bool single)
{
    matrix->count = (size_t)stream_elements(row);
    matrix->row = packed_bytes(row);
    matrix->column = matrix->row ? packed_bytes(column) : NULL;
    matrix->value = matrix->column ? packed_bytes(value) : NULL;
    bool done = matrix->value && mtx_write(path, matrix, single);
    mtx_free(matrix);
    return done;
}

/* _mtx_save(path, rows, columns, row, column, value, single): writes a file from streams of int, int and double. */
static int mtx_save(lua_State *L)
{
    static const char function[] = "A:save";
    const char *path = argument_path(L, 1, function, 1, "path");
    MtxMatrix matrix = {.rows = (int32_t)luaL_checkinteger(L, 2), .columns = (int32_t)luaL_checkinteger(L, 3)};
    const Stream *row = accept_check(L, 4, function, 2, "row"), *column = accept_check(L, 5, function, 3, "column");
    const Stream *value = accept_check(L, 6, function, 4, "value");
    bool single = lua_toboolean(L, 7);
    binding_run(L, row->device, function, save(path, row, column, value, &matrix, single));
    return 0;
}

void open_mtx(lua_State *L)
{
    static const luaL_Reg functions[] = {{"_mtx_load", mtx_load}, {"_mtx_save", mtx_save}, {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
}
