/* The options of memory: storage "buffer" or "texture", and the options of textures. */
#include "binding/containers/container.h"
#include "binding/values/options.h"

typedef struct StorageOptions {
    int storage, filter; /* -1: not given */
    TextureWish wish;
} StorageOptions;

/* Reads the number of levels: false means 1, true means all possible levels, which is stored as 0. */
static void read_mipmaps(lua_State *L, const OptionCall *call, const Option *option, void *field)
{
    int64_t levels = lua_toboolean(L, -1) ? 0 : 1;
    if (!lua_isboolean(L, -1)) {
        options_count(L, call, option, &levels);
    }
    *(int *)field = (int)levels;
}

static void read_format(lua_State *L, const OptionCall *call, const Option *option, void *field)
{
    int internal = lua_type(L, -1) == LUA_TSTRING ? texture_find_internal(lua_tostring(L, -1)) : 0;
    if (!internal) {
        luaL_error(L, "%s: option '%s': expected one of %s, got %s", call->function, option->name,
                   texture_internal_names(), binding_describe(L, lua_gettop(L)));
    }
    *(int *)field = internal;
}

static void read_true(lua_State *L, const OptionCall *call, const Option *option, void *field)
{
    (void)call;
    (void)option;
    *(bool *)field = lua_toboolean(L, -1);
}

bool storage_check(lua_State *L, const char *function, bool boundary, TextureWish *wish)
{
    static const char *const storages[] = {"buffer", "texture", NULL}, *const filters[] = {"nearest", "linear", NULL};
    static const Option rows[] = {{.name = "boundary"}, /* the caller reads it */
                                  {OPTION("storage", options_word, StorageOptions, storage), .words = storages},
                                  {OPTION("filter", options_word, StorageOptions, filter), .words = filters},
                                  {OPTION("mipmaps", read_mipmaps, StorageOptions, wish.levels), .low = 1, .high = 32},
                                  {OPTION("format", read_format, StorageOptions, wish.internal)},
                                  {OPTION("cube", read_true, StorageOptions, wish.cube)},
                                  {OPTION("normalized", read_true, StorageOptions, wish.normalized)},
                                  {.name = NULL}};
    const OptionCall call = {
        .function = function, .index = 3, .n = 3, .expected = "a table like {storage = \"texture\"}"};
    StorageOptions options = {.storage = -1, .filter = -1, .wish = {.levels = 1}};
    binding_count(L, function, 3, false);
    lua_settop(L, 3);
    options_read(L, &call, rows + !boundary, &options);
    bool texture = options.storage == 1;
    *wish = options.wish;
    wish->linear = options.filter != 0;
    if (!texture && (options.filter >= 0 || wish->levels != 1 || wish->cube || wish->normalized || wish->internal)) {
        luaL_error(L,
                   "%s: options 'filter', 'mipmaps', 'cube', 'normalized' and 'format' require storage = \"texture\"",
                   function);
    }
    return texture;
}
