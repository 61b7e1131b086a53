/* Files that are read and written in tiles by a thread, for lua/rill/big. */
#include "io/array/tiles.h"
#include "base/error.h"
#include "binding/files/npy.h"
#include "binding/values/handle.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { WHERE = 24, PREFIX = 1 << 17 };

typedef struct TileFile {
    Tiles *tiles;
    int buffers;
    size_t capacity;
    char where[WHERE]; /* the function that opened the file, for messages */
} TileFile;

static void drop(lua_State *L, void *self)
{
    (void)L;
    TileFile *file = self;
    if (file->tiles) {
        tiles_close(file->tiles);
        file->tiles = NULL;
    }
}

static const HandleType tiles_type = {"tiles", "tiles", sizeof(TileFile), .drop = drop};

static TileFile *tiles_check(lua_State *L)
{
    TileFile *file = handle_to(L, 1, &tiles_type);
    if (!file || !file->tiles) {
        binding_argument(L, "tiles", 0, "tiles", 1, "an open file");
    }
    return file;
}

static void raise_unless(lua_State *L, const TileFile *file, bool done)
{
    if (!done) {
        binding_raise_for(L, file->where);
    }
}

static int buffer_argument(lua_State *L, const TileFile *file)
{
    lua_Integer buffer = luaL_checkinteger(L, 2);
    luaL_argcheck(L, buffer >= 1 && buffer <= file->buffers, 2, "a buffer");
    return (int)buffer - 1;
}

static size_t field_size(lua_State *L, int table, const char *name)
{
    lua_getfield(L, table, name);
    lua_Integer value = luaL_optinteger(L, -1, 0);
    lua_pop(L, 1);
    return value < 0 ? 0 : (size_t)value;
}

/* _tiles_open(how, path, layout): opens a file to read ("read"), to write ("write"), or without a name ("scratch"). */
static int l_tiles_open(lua_State *L)
{
    static const char *const ways[] = {"read", "write", "scratch", NULL};
    int way = luaL_checkoption(L, 1, NULL, ways);
    const char *path = luaL_checkstring(L, 2);
    luaL_checktype(L, 3, LUA_TTABLE);
    lua_getfield(L, 3, "where");
    const char *where = luaL_checkstring(L, -1);
    lua_getfield(L, 3, "little");
    TilesLayout layout = {.kind = (NpyKind)field_size(L, 3, "kind"),
                          .memory = (NpyKind)field_size(L, 3, "memory"),
                          .little = lua_toboolean(L, -1),
                          .start = field_size(L, 3, "start"),
                          .count = field_size(L, 3, "count"),
                          .capacity = field_size(L, 3, "capacity"),
                          .buffers = (int)field_size(L, 3, "buffers"),
                          .size = (int64_t)field_size(L, 3, "size"),
                          .modified = (int64_t)field_size(L, 3, "modified")};
    luaL_argcheck(L, layout.kind < NPY_KINDS && layout.memory < NPY_KINDS, 3, "a layout");
    luaL_argcheck(L, layout.buffers >= 1 && layout.buffers <= TILES_BUFFERS, 3, "1 to 3 buffers");
    TileFile *file = handle_push(L, &tiles_type);
    strncpy(file->where, where, WHERE - 1);
    file->buffers = layout.buffers;
    file->capacity = layout.capacity;
    file->tiles = way == 0   ? tiles_read(path, &layout)
                  : way == 1 ? tiles_write(path, &layout)
                             : tiles_scratch(path, &layout);
    raise_unless(L, file, file->tiles != NULL);
    return 1;
}

/* tiles:memory(buffer): returns the address of a buffer, for _upload and _download. */
static int tile_memory(lua_State *L)
{
    const TileFile *file = tiles_check(L);
    lua_pushlightuserdata(L, tiles_memory(file->tiles, buffer_argument(L, file)));
    return 1;
}

/* tiles:post(buffer, write, first, count, at): begins a transfer; all numbers count from 0. */
static int tile_post(lua_State *L)
{
    const TileFile *file = tiles_check(L);
    int buffer = buffer_argument(L, file);
    lua_Integer first = luaL_checkinteger(L, 4), count = luaL_checkinteger(L, 5), at = luaL_optinteger(L, 6, 0);
    bool inside = first >= 0 && count >= 0 && at >= 0 && (size_t)at <= file->capacity &&
                  (size_t)count <= file->capacity - (size_t)at;
    luaL_argcheck(L, inside, 5, "a range inside of the buffer");
    raise_unless(L, file,
                 tiles_post(file->tiles, buffer, lua_toboolean(L, 3), (size_t)first, (size_t)count, (size_t)at));
    return 0;
}

/* tiles:wait(buffer): waits for the transfers of a buffer. Raises if one has failed. */
static int tile_wait(lua_State *L)
{
    const TileFile *file = tiles_check(L);
    raise_unless(L, file, tiles_wait(file->tiles, buffer_argument(L, file)));
    return 0;
}

/* Reads an array's header from arguments: the kind, and the shape at `index`. */
static void header_argument(lua_State *L, int kind, int index, NpyArray *array)
{
    lua_Integer number = luaL_checkinteger(L, kind);
    luaL_argcheck(L, number >= 0 && number < NPY_KINDS, kind, "a kind");
    luaL_checktype(L, index, LUA_TTABLE);
    luaL_argcheck(L, lua_rawlen(L, index) <= NPY_MAX_RANK, index, "a shape");
    *array = (NpyArray){.kind = (NpyKind)number, .rank = (int)lua_rawlen(L, index)};
    for (int d = 0; d < array->rank; d++) {
        lua_rawgeti(L, index, d + 1);
        array->dim[d] = luaL_checkinteger(L, -1);
        luaL_argcheck(L, array->dim[d] >= 0, index, "sizes of at least 0");
        lua_pop(L, 1);
    }
}

/* tiles:finish([kind, shape]): waits for all transfers, and checks the source, or writes the header and moves the file to
 * its path. */
static int tile_finish(lua_State *L)
{
    const TileFile *file = tiles_check(L);
    NpyArray header;
    bool has_header = !lua_isnoneornil(L, 2);
    if (has_header) {
        header_argument(L, 2, 3, &header);
    }
    raise_unless(L, file, tiles_finish(file->tiles, has_header ? &header : NULL));
    return 0;
}

/* tiles:busy(): returns the seconds that the thread has spent in transfers. */
static int tile_busy(lua_State *L)
{
    lua_pushnumber(L, tiles_busy(tiles_check(L)->tiles));
    return 1;
}

/* Reads the beginning of a file. Returns the number of bytes, or -1 with error_set. */
static ssize_t read_prefix(const char *path, unsigned char *bytes)
{
    int handle = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = handle < 0 ? -1 : pread(handle, bytes, PREFIX, 0);
    if (size < 0) {
        error_set("%s", strerror(errno));
    }
    if (handle >= 0) {
        close(handle);
    }
    return size;
}

static void push_head(lua_State *L, const NpyHead *head)
{
    const NpyArray *array = &head->array;
    fields_integer(L, "kind", array->kind);
    fields_string(L, "name", npy_kind_name(array->kind));
    fields_integer(L, "start", (lua_Integer)head->start);
    fields_integer(L, "count", (lua_Integer)array->count);
    fields_boolean(L, "little", head->little);
    fields_boolean(L, "fortran", head->fortran);
    fields_boolean(L, "complex", array->is_complex);
    lua_createtable(L, array->rank, 0);
    for (int d = 0; d < array->rank; d++) {
        lua_pushinteger(L, array->dim[d]);
        lua_rawseti(L, -2, d + 1);
    }
    lua_setfield(L, -2, "shape");
}

/* _tiles_head(path): returns the description of a file: size and modified; and, of a .npy file, kind, name, start, count,
 * little, fortran, complex and shape. Returns nil and a message if the file cannot be read. */
static int l_tiles_head(lua_State *L)
{
    const char *path = luaL_checkstring(L, 1);
    int64_t size, modified;
    NpyHead head;
    unsigned char *bytes = lua_newuserdatauv(L, PREFIX, 0);
    bool ok = tiles_status(path, &size, &modified);
    ssize_t prefix = ok ? read_prefix(path, bytes) : -1;
    bool is_npy = prefix > 0 && npy_recognize(bytes, (size_t)prefix);
    ok = prefix >= 0 && (!is_npy || npy_head(bytes, (size_t)prefix, (size_t)size, &head));
    if (!ok) {
        lua_pushnil(L);
        lua_pushstring(L, error_message());
        return 2;
    }
    lua_createtable(L, 0, 12);
    fields_integer(L, "size", size);
    fields_integer(L, "modified", modified);
    if (is_npy) {
        push_head(L, &head);
    }
    return 1;
}

/* _tiles_kind(type): returns the kind of a type's components in .npy files and their bytes; nil if there is none. */
static int l_tiles_kind(lua_State *L)
{
    const Type *type = type_check(L, 1, "_tiles_kind", 1, "type");
    NpyKind kind;
    if (type->is_struct || !npy_kind_of(type->scalar, &kind)) {
        return 0;
    }
    lua_pushinteger(L, kind);
    lua_pushinteger(L, (lua_Integer)npy_kind_bytes(kind));
    return 2;
}

/* _tiles_type(kind): returns the name of the type of streams for a kind; nil for 64-bit integers. */
static int l_tiles_type(lua_State *L)
{
    lua_Integer kind = luaL_checkinteger(L, 1);
    luaL_argcheck(L, kind >= 0 && kind < NPY_KINDS, 1, "a kind");
    if (kind == NPY_I8 || kind == NPY_U8) {
        return 0;
    }
    lua_pushstring(L, type_of(npy_scalar_of((NpyKind)kind), 1)->name);
    return 1;
}

/* _tiles_start(kind, shape): returns the bytes of a .npy file that precede the elements. */
static int l_tiles_start(lua_State *L)
{
    NpyArray array;
    StrBuf bytes = STRBUF_EMPTY;
    header_argument(L, 1, 2, &array);
    npy_start(&array, &bytes);
    lua_pushlstring(L, bytes.text, bytes.length);
    strbuf_free(&bytes);
    return 1;
}

/* _tiles_same(a, b): returns whether two paths name one file, which need not exist. */
static int l_tiles_same(lua_State *L)
{
    lua_pushboolean(L, tiles_same(luaL_checkstring(L, 1), luaL_checkstring(L, 2)));
    return 1;
}

void open_tiles(lua_State *L)
{
    static const luaL_Reg methods[] = {{"memory", tile_memory}, {"post", tile_post}, {"wait", tile_wait},
                                       {"finish", tile_finish}, {"busy", tile_busy}, {NULL, NULL}};
    handle_methods(L, &tiles_type, methods);
    handle_open(L, &tiles_type, NULL);
    fields_function(L, "_tiles_open", l_tiles_open);
    fields_function(L, "_tiles_head", l_tiles_head);
    fields_function(L, "_tiles_kind", l_tiles_kind);
    fields_function(L, "_tiles_type", l_tiles_type);
    fields_function(L, "_tiles_start", l_tiles_start);
    fields_function(L, "_tiles_same", l_tiles_same);
}
