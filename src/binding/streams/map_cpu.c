/* s:map_cpu(): a stream's elements as an indexable view on the host. Pages of 64 KiB are here, dirty, or (lazy) not yet here. */
#include "binding/values/handle.h"
#include "kernel/launch/copy.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE_BYTES = 1 << 16, PAGE_HERE = 1, PAGE_DIRTY = 2 };

typedef struct Map {
    Stream view;  /* what was mapped */
    Stream whole; /* the same elements in one piece: the view itself, or a copy that is copied back */
    bool copied;
    char *bytes; /* NULL once unmapped */
    uint64_t size, page_count;
    unsigned char *pages;
} Map;

static void drop(lua_State *L, void *map);

static const HandleType map_type = {"map", "m", sizeof(Map), .drop = drop, .final = true};

static Map *map_check(lua_State *L, const char *function)
{
    Map *map = handle_to(L, 1, &map_type);
    if (!map) {
        luaL_error(L, "%s: expected a mapped stream, got %s", function, binding_describe(L, 1));
    }
    return map;
}

static Map *map_check_open(lua_State *L, const char *function)
{
    Map *map = map_check(L, function);
    if (!map->bytes) {
        luaL_error(L, "%s: the stream was unmapped", function);
    }
    return map;
}

static uint64_t page_end(const Map *map, uint64_t page)
{
    return (page + 1) * PAGE_BYTES < map->size ? (page + 1) * PAGE_BYTES : map->size;
}

typedef bool (*MoveRun)(const Map *map, uint64_t from, uint64_t bytes);

static bool run_read(const Map *map, uint64_t from, uint64_t bytes)
{
    uint64_t base = (uint64_t)map->whole.offset * (uint64_t)map->whole.type->bytes;
    return buffer_read(map->whole.buffer, base + from, map->bytes + from, bytes);
}

static bool run_write(const Map *map, uint64_t from, uint64_t bytes)
{
    uint64_t base = (uint64_t)map->whole.offset * (uint64_t)map->whole.type->bytes;
    return buffer_write(map->whole.buffer, base + from, map->bytes + from, bytes);
}

/* Moves each run of neighbouring pages in [first, last) whose flag `bit` is `state`, and sets or clears that flag. */
static bool pages_move(Map *map, uint64_t first, uint64_t last, unsigned bit, bool state, MoveRun move)
{
    for (uint64_t page = first; page < last; page++) {
        uint64_t start = page;
        while (page < last && ((map->pages[page] & bit) != 0) == state) {
            page++;
        }
        if (page > start) {
            if (!move(map, start * PAGE_BYTES, page_end(map, page - 1) - start * PAGE_BYTES)) {
                return false;
            }
            for (uint64_t k = start; k < page; k++) {
                map->pages[k] = (unsigned char)(map->pages[k] ^ bit);
            }
        }
    }
    return true;
}

static bool map_write_back(Map *map)
{
    bool dirty = false;
    for (uint64_t page = 0; page < map->page_count && !dirty; page++) {
        dirty = map->pages[page] & PAGE_DIRTY;
    }
    if (!dirty) {
        return true;
    }
    Stream to = map->view;
    return pages_move(map, 0, map->page_count, PAGE_DIRTY, true, run_write) &&
           (!map->copied || copy_stream(&to, &map->whole));
}

static void map_free(Map *map)
{
    free(map->bytes);
    free(map->pages);
    map->bytes = NULL;
    map->pages = NULL;
    stream_handle_drop(&map->whole);
    stream_handle_drop(&map->view);
}

/* Writes back and lets go, from __gc too: never raises. */
static bool map_finish(lua_State *L, Map *map)
{
    bool good = true;
    if (map->bytes && map->view.device) {
        DeviceScope scope;
        state_get(L)->running = L; /* should the copy back run short of memory */
        good = device_enter(map->view.device, &scope);
        if (good) {
            good = map_write_back(map);
            device_leave(&scope);
        }
    }
    map_free(map);
    return good;
}

static void drop(lua_State *L, void *map)
{
    map_finish(L, map);
}

static int map_unmap(lua_State *L)
{
    Map *map = map_check(L, "m:unmap");
    if (!binding_park_final(L, 1) && !map_finish(L, map)) {
        error_prefix("m:unmap");
        binding_raise(L);
    }
    return 0;
}

/* The bytes of element `number`, fetched if they are not here. */
static char *map_element(lua_State *L, Map *map, int64_t number)
{
    uint64_t bytes = (uint64_t)map->view.type->bytes, at = (uint64_t)number * bytes;
    uint64_t first = at / PAGE_BYTES, last = (at + bytes - 1) / PAGE_BYTES + 1;
    if (!(map->pages[first] & PAGE_HERE) || !(map->pages[last - 1] & PAGE_HERE)) {
        binding_run(L, map->view.device, "m[i]", pages_move(map, first, last, PAGE_HERE, false, run_read));
    }
    return map->bytes + at;
}

static int map_index(lua_State *L)
{
    if (lua_type(L, 2) == LUA_TSTRING && strcmp(lua_tostring(L, 2), "unmap") == 0) {
        lua_pushcfunction(L, map_unmap);
        return 1;
    }
    Map *map = map_check_open(L, "m[i]");
    if (lua_type(L, 2) != LUA_TNUMBER) {
        return luaL_error(L, "a mapped stream has no field or method %s (it has m[i], #m and m:unmap())",
                          binding_key(L, 2));
    }
    int64_t number = binding_index(L, 2, "m[i]", 1, "i");
    if (number < 0) {
        binding_argument(L, "m[i]", 1, "i", 2, "an index from 1");
    }
    if (number >= stream_elements(&map->view)) {
        lua_pushnil(L);
    } else {
        value_push(L, map->view.type, map_element(L, map, number));
    }
    return 1;
}

static int map_newindex(lua_State *L)
{
    char element[TYPE_MAX_BYTES];
    Map *map = map_check_open(L, "m[i] = v");
    int64_t number = binding_index(L, 2, "m[i] = v", 1, "i");
    int64_t count = stream_elements(&map->view);
    if (number < 0 || number >= count) {
        return luaL_error(L, "m[i] = v: index %I does not lie in 1 .. %I", lua_tointeger(L, 2), (lua_Integer)count);
    }
    accept_writable(L, &map->view, "m[i] = v");
    if (!value_pack(L, 3, map->view.type, element)) {
        binding_argument_error(L, "m[i] = v", 2, "v");
    }
    size_t bytes = (size_t)map->view.type->bytes, at = (size_t)number * bytes;
    memcpy(map_element(L, map, number), element, bytes);
    for (size_t page = at / PAGE_BYTES; page <= (at + bytes - 1) / PAGE_BYTES; page++) {
        map->pages[page] |= PAGE_DIRTY;
    }
    return 0;
}

static int map_len(lua_State *L)
{
    lua_pushinteger(L, stream_elements(&map_check_open(L, "#m")->view));
    return 1;
}

static int map_tostring(lua_State *L)
{
    const Map *map = map_check(L, "tostring");
    if (map->bytes) {
        lua_pushfstring(L, "mapped stream<%s> of %I", map->view.type->name, (lua_Integer)stream_elements(&map->view));
    } else {
        lua_pushliteral(L, "unmapped stream");
    }
    return 1;
}

/* Reads the option table {lazy = true}. */
static bool lazy_option(lua_State *L)
{
    if (lua_isnoneornil(L, 2)) {
        return false;
    }
    if (!binding_is_options(L, 2)) {
        binding_argument(L, "s:map_cpu", 1, "options", 2, "a table of options");
    }
    binding_known(L, 2, "s:map_cpu", (const char *const[]){"lazy", NULL});
    lua_getfield(L, 2, "lazy");
    if (!lua_isboolean(L, -1) && !lua_isnil(L, -1)) {
        binding_argument(L, "s:map_cpu", 1, "lazy", -1, "true or false");
    }
    return lua_toboolean(L, -1);
}

/* Inside a scope. */
static bool map_open(Map *map, bool lazy)
{
    if (map->view.source == SOURCE_RAMP) {
        lazy = false;
    } else if (map->view.contiguous) {
        stream_copy_view(&map->view, &map->whole);
    } else if (!copy_new(&map->view, NULL, &map->whole)) {
        return false;
    }
    map->copied = !map->view.contiguous;
    if (lazy) {
        return true;
    }
    memset(map->pages, PAGE_HERE, map->page_count);
    return transfer_download(map->whole.device ? &map->whole : &map->view, map->bytes);
}

static int stream_map_cpu(lua_State *L)
{
    const Stream *s = accept_self(L, "s:map_cpu", 2);
    bool lazy = lazy_option(L);
    Map *map = handle_push(L, &map_type);
    stream_copy_view(s, &map->view);
    map->size = stream_bytes(s);
    map->page_count = (map->size + PAGE_BYTES - 1) / PAGE_BYTES;
    map->bytes = malloc(map->size ? map->size : 1);
    map->pages = calloc(map->page_count ? map->page_count : 1, 1);
    if (!map->bytes || !map->pages) {
        map_free(map);
        return luaL_error(L, "s:map_cpu: out of host memory: %I bytes", (lua_Integer)stream_bytes(s));
    }
    binding_make(L, s->device, "s:map_cpu", map_open(map, lazy));
    return 1;
}

void open_map_cpu(lua_State *L)
{
    static const luaL_Reg meta[] = {
        {"__newindex", map_newindex}, {"__len", map_len}, {"__tostring", map_tostring},
        {"__close", map_unmap},       {NULL, NULL},
    };
    static const luaL_Reg methods[] = {{"map_cpu", stream_map_cpu}, {NULL, NULL}};
    lua_pushcfunction(L, map_index);
    handle_open(L, &map_type, meta);
    stream_handle_methods(L, methods);
}
