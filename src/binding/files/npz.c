/* Archives of arrays: functions for rill.npz. */
#include "io/array/npz.h"
#include "binding/binding.h"
#include "binding/files/npy.h"
#include "binding/values/handle.h"
#include "io/file.h"

#include <string.h>

static const char load_name[] = "rill.npz.load";
static const char save_name[] = "rill.npz.save";

typedef struct NpzHandle {
    FileBytes bytes;
    NpzFile file;
} NpzHandle;

static void drop(lua_State *L, void *self)
{
    (void)L;
    NpzHandle *handle = self;
    npz_close(&handle->file);
    file_free(&handle->bytes);
}

static const HandleType npz_type = {"npz", "file", sizeof(NpzHandle), .drop = drop};

static bool open_archive(const FileBytes *bytes, NpzFile *file)
{
    if (!npz_recognize(bytes->data, bytes->size)) {
        return error_set(bytes->size ? "it is not a .npz file" : "the file is empty");
    }
    return npz_open(file, bytes->data, bytes->size);
}

/* _npz_open(path): returns a handle and the list of the names of the arrays. */
static int npz_open_file(lua_State *L)
{
    const char *path = argument_path(L, 1, load_name, 1, "path");
    NpzHandle *handle = handle_push(L, &npz_type);
    if (!file_read(path, &handle->bytes)) {
        binding_raise_for(L, load_name);
    }
    handle->bytes.path = NULL;
    if (!open_archive(&handle->bytes, &handle->file)) {
        error_prefix("cannot read '%s'", path);
        binding_raise_for(L, load_name);
    }
    lua_newtable(L);
    for (size_t i = 0; i < handle->file.count; i++) {
        lua_pushlstring(L, handle->file.items[i].name, handle->file.items[i].name_length);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 2;
}

static bool load(Device *device, const NpzEntry *entry, const char *path, const Type *type, bool round, Stream *result)
{
    NpyArray array;
    bool done = npz_read(entry, &array);
    if (done && !npy_stream(device, &array, type, round, result)) {
        done = error_prefix("array '%.*s'", entry->name_length < 64 ? (int)entry->name_length : 64, entry->name);
    }
    npy_free(&array);
    return done || error_prefix("cannot read '%s'", path);
}

/* _npz_read(handle, i, path, type, round): returns array i of an open file as a stream. */
static int npz_read_array(lua_State *L)
{
    NpzHandle *handle = handle_to(L, 1, &npz_type);
    lua_Integer i = luaL_checkinteger(L, 2) - 1;
    luaL_argcheck(L, handle && i >= 0 && (size_t)i < handle->file.count, 2, "an array of an open file");
    const Type *type = lua_isnoneornil(L, 4) ? NULL : type_check(L, 4, load_name, 2, "options");
    Device *device = state_device(L);
    Stream *result = stream_handle_push(L);
    binding_make(L, device, load_name,
                 load(device, &handle->file.items[i], luaL_checkstring(L, 3), type, lua_toboolean(L, 5), result));
    return 1;
}

static bool add(NpzWriter *writer, const char *name, const Stream *stream, bool deflate)
{
    NpyArray array;
    bool done = npy_array(stream, &array) && npz_add(writer, name, &array, deflate);
    npy_free(&array);
    return done;
}

/* A file that is being written; the draft of an open file has a path. */
static void drop_writer(lua_State *L, void *self)
{
    (void)L;
    NpzWriter *writer = self;
    if (writer->draft.path) {
        npz_end(writer, false);
    }
}

static const HandleType writer_type = {"npz writer", "file", sizeof(NpzWriter), .drop = drop_writer};

/* Returns the stream at the top of the stack, the array `name`. Raises for a structure. */
static const Stream *check_stream(lua_State *L, const char *name)
{
    const Stream *stream = accept_check(L, lua_gettop(L), save_name, 2, "arrays");
    if (stream->type->is_struct) {
        luaL_error(L, "%s: array \"%s\": .npz holds numbers, structures like %s go into .rill files", save_name, name,
                   stream->type->name);
    }
    return stream;
}

/* _npz_save(path, names, streams, deflate): writes an archive. */
static int npz_save_file(lua_State *L)
{
    const char *path = argument_result_path(L, 1, save_name, 1, "npz");
    luaL_checktype(L, 2, LUA_TTABLE);
    luaL_checktype(L, 3, LUA_TTABLE);
    lua_Integer count = (lua_Integer)lua_rawlen(L, 2);
    for (lua_Integer i = 1; i <= count; i++) {
        lua_rawgeti(L, 2, i);
        lua_rawgeti(L, 3, i);
        check_stream(L, luaL_checkstring(L, -2));
        lua_pop(L, 2);
    }
    NpzWriter *writer = handle_push(L, &writer_type);
    bool done = npz_begin(writer, path);
    for (lua_Integer i = 1; i <= count && done; i++) {
        DeviceScope scope;
        lua_rawgeti(L, 2, i);
        lua_rawgeti(L, 3, i);
        const Stream *stream = check_stream(L, lua_tostring(L, -2));
        binding_enter(L, stream->device, &scope);
        done = add(writer, lua_tostring(L, -2), stream, lua_toboolean(L, 4));
        device_leave(&scope);
        lua_pop(L, 2);
    }
    if (!writer->draft.path || !npz_end(writer, done)) {
        binding_raise_for(L, save_name);
    }
    return 0;
}

void open_npz(lua_State *L)
{
    static const luaL_Reg methods[] = {{NULL, NULL}};
    handle_methods(L, &npz_type, methods);
    handle_open(L, &npz_type, NULL);
    handle_methods(L, &writer_type, methods);
    handle_open(L, &writer_type, NULL);
    fields_function(L, "_npz_open", npz_open_file);
    fields_function(L, "_npz_read", npz_read_array);
    fields_function(L, "_npz_save", npz_save_file);
}
