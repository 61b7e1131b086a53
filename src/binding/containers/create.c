/* rill.array, rill.sparse, rill.physical and rill.virtual. */
#include "binding/containers/container.h"
#include "binding/containers/translator.h"

#include "container/kind/kinds.h"

#include <string.h>

/* rill.physical(type, shape [, options]): memory is a stream. */
static int rill_physical(lua_State *L)
{
    static const char function[] = "rill.physical";
    Shape shape;
    TextureWish wish;
    bool texture = storage_check(L, function, false, &wish);
    const Type *type = type_check(L, 1, function, 1, "type");
    shape_check_arg(L, 2, function, 2, "shape", &shape);
    const Stream *s = create_stream(L, type, &shape, function);
    if (texture) {
        binding_run(L, s->device, function, stream_texture_attach(s, &wish));
    }
    return 1;
}

/* Option `default` of the table at `options`, as an element of a type; zeros where it is left out. */
static void option_default(lua_State *L, int options, const char *function, const Type *type, char *element)
{
    memset(element, 0, TYPE_MAX_BYTES);
    if (lua_getfield(L, options, "default") != LUA_TNIL && !value_pack_splat(L, lua_gettop(L), type, element)) {
        binding_argument_error(L, function, options, "default");
    }
    lua_pop(L, 1);
}

/* Option `boundary` of the table at 3, a translator; NULL: it is left out. */
static Translator *option_boundary(lua_State *L, const char *function)
{
    Translator *edge = NULL;
    if (lua_istable(L, 3) && lua_getfield(L, 3, "boundary") != LUA_TNIL) {
        edge = translator_check(L, lua_gettop(L), function, 3, "boundary");
    }
    lua_settop(L, 3);
    return edge;
}

/* The container with that boundary, if any; NULL, with error_set, where there is none or it cannot have it. */
static Container *with_boundary(Container *c, Translator *edge)
{
    if (!c || !edge || container_set_edge(c, edge)) {
        return c;
    }
    container_release(c);
    return NULL;
}

/* Pushes a container over the memory at `index`; options are at 3. */
static void push_virtual(lua_State *L, Translator *t, Translator *edge, int index, const char *function)
{
    char fallback[TYPE_MAX_BYTES] = {0};
    const Stream *memory = accept_check(L, index, function, 2, "physical");
    if (!lua_isnil(L, 3)) {
        option_default(L, 3, function, memory->type, fallback);
    }
    LuaContainer *self = container_push(L);
    container_make(L, self, memory->device, function, with_boundary(container_create(t, memory, fallback), edge));
}

/* rill.virtual(translator, physical | {physical, ...} [, {default=}]): a container for each memory. */
static int rill_virtual(lua_State *L)
{
    static const char function[] = "rill.virtual";
    static const char *const names[] = {"default", "boundary", NULL};
    binding_count(L, function, 3, false);
    lua_settop(L, 3);
    Translator *t = translator_check(L, 1, function, 1, "translator");
    if (!lua_isnil(L, 3)) {
        if (!binding_is_options(L, 3)) {
            binding_argument(L, function, 3, "options", 3, "a table like {default = 0}");
        }
        binding_known(L, 3, function, names);
    }
    Translator *edge = option_boundary(L, function);
    int count = binding_is_options(L, 2) ? (int)lua_rawlen(L, 2) : 0;
    if (count == 0) {
        push_virtual(L, t, edge, 2, function);
        return 1;
    }
    luaL_checkstack(L, 2 * count, function);
    for (int i = 1; i <= count; i++) {
        lua_rawgeti(L, 2, i);
        push_virtual(L, t, edge, 3 + i, function);
        lua_replace(L, 3 + i);
        lua_settop(L, 3 + i);
    }
    return count;
}

/* The container with a texture, if one is wished for; NULL, with error_set, where there is no container or it cannot have one. */
static Container *with_texture(Container *c, const TextureWish *wish)
{
    if (!c || !wish || stream_texture_attach(container_whole(c), wish)) {
        return c;
    }
    container_release(c);
    return NULL;
}

/* rill.array(type, shape [, options]): dense, zeros at first. */
static int rill_array(lua_State *L)
{
    static const char function[] = "rill.array";
    Shape shape;
    TextureWish wish;
    bool texture = storage_check(L, function, true, &wish);
    const Type *type = type_check(L, 1, function, 1, "type");
    shape_check_arg(L, 2, function, 2, "shape", &shape);
    Translator *edge = option_boundary(L, function);
    LuaContainer *self = container_push(L);
    Device *device = state_device(L);
    container_make(L, self, device, function,
                   with_boundary(with_texture(container_array(device, type, &shape), texture ? &wish : NULL), edge));
    return 1;
}

int64_t container_option_count(lua_State *L, int options, const char *function, const char *name, int64_t most)
{
    lua_Integer value = 0;
    if (lua_getfield(L, options, name) != LUA_TNIL) {
        value = binding_integer(L, -1, function, options, name);
        if (value < 1 || value > most) {
            luaL_error(L, "%s: option '%s': expected 1 .. %I, got %I", function, name, (LUAI_UACINT)most,
                       (LUAI_UACINT)value);
        }
    }
    lua_pop(L, 1);
    return value;
}

/* Option `overlap`, which the page's sizes limit. */
static int64_t option_overlap(lua_State *L, const char *function)
{
    lua_Integer overlap = 0;
    if (lua_getfield(L, 3, "overlap") != LUA_TNIL) {
        overlap = binding_integer(L, -1, function, 3, "overlap");
        if (overlap < 0) {
            luaL_error(L, "%s: option 'overlap': expected 0 or more, got %I", function, (LUAI_UACINT)overlap);
        }
    }
    lua_pop(L, 1);
    return overlap;
}

/* Option `mapping`, a translator from the shape to what the pages are of; NULL: it is left out. */
static Translator *option_mapping(lua_State *L, const char *function, const Shape *shape, const Shape *page)
{
    char text[SHAPE_TEXT];
    if (lua_getfield(L, 3, "mapping") == LUA_TNIL) {
        lua_pop(L, 1);
        return NULL;
    }
    Translator *mapping = translator_check(L, lua_gettop(L), function, 3, "mapping");
    TranslatorInfo info = translator_info(mapping);
    bool same = info.domain.known && info.rank == shape->rank;
    for (int d = 0; same && d < info.rank; d++) {
        same = info.domain.size[d] == shape->size[info.rank - 1 - d];
    }
    if (!same) {
        luaL_error(L, "%s: option 'mapping': expected a translator of shape %s, that of '%s' is another", function,
                   shape_text(shape, text), info.name);
    }
    if (info.traits.mutable) {
        luaL_error(L, "%s: option 'mapping': expected a translator that stays as it is, '%s' can change", function,
                   info.name);
    }
    if (info.to > 4 || info.to != page->rank) {
        luaL_error(L,
                   "%s: option 'mapping': translator '%s' leads to %d dimensions: expected 1 to 4, and a page of as "
                   "many, got %d",
                   function, info.name, info.to, page->rank);
    }
    const char *const alone[] = {"overlap", info.memory.known ? NULL : "levels"};
    for (int i = 0; i < 2; i++) {
        if (alone[i] && lua_getfield(L, 3, alone[i]) != LUA_TNIL) {
            luaL_error(L, "%s: option '%s': not beside 'mapping', which is a translator '%s' %s", function, alone[i],
                       info.name, i ? "to a domain without bounds" : "and takes neighbours apart");
        }
    }
    lua_settop(L, 3);
    return mapping;
}

/* The pages that a mapping leads to: of a table where its memory has bounds, else of a hash table. */
static Container *make_mapping(Device *device, const Type *type, Translator *mapping, const Shape *page, int levels,
                               int64_t capacity, const void *fallback)
{
    TranslatorInfo info = translator_info(mapping);
    Shape to = {.rank = info.to};
    for (int d = 0; d < info.to && info.memory.known; d++) {
        to.size[d] = info.memory.size[info.to - 1 - d];
    }
    Container *pages = info.memory.known ? container_sparse(device, type, &to, page, 0, levels, capacity, fallback)
                                         : container_hashgrid(device, type, page, capacity, fallback);
    return container_mapping(pages, mapping);
}

/* rill.sparse(type, shape, {page=, levels=, default=, capacity=, overlap=, mapping=}) */
static int rill_sparse(lua_State *L)
{
    static const char function[] = "rill.sparse";
    static const char *const names[] = {"page",     "levels",  "default", "capacity", "allocator",
                                        "boundary", "overlap", "mapping", NULL};
    enum { MOST_LEVELS = 8 };
    char fallback[TYPE_MAX_BYTES];
    Shape shape, page;
    binding_count(L, function, 3, false);
    lua_settop(L, 3);
    const Type *type = type_check(L, 1, function, 1, "type");
    shape_check_sizes(L, 2, function, 2, "shape", &shape);
    if (!binding_is_options(L, 3)) {
        binding_argument(L, function, 3, "options", 3, "a table like {page = {8, 8, 8}}");
    }
    binding_known(L, 3, function, names);
    lua_getfield(L, 3, "page");
    shape_check_sizes(L, lua_gettop(L), function, 3, "page", &page);
    lua_pop(L, 1);
    option_default(L, 3, function, type, fallback);
    Translator *edge = option_boundary(L, function);
    Translator *mapping = option_mapping(L, function, &shape, &page);
    int levels = (int)container_option_count(L, 3, function, "levels", MOST_LEVELS);
    int64_t capacity = container_option_count(L, 3, function, "capacity", SHAPE_MAX_ELEMENTS);
    int64_t overlap = option_overlap(L, function);
    LuaContainer *self = container_push(L);
    Device *device = state_device(L);
    container_make(
        L, self, device, function,
        with_boundary(mapping ? make_mapping(device, type, mapping, &page, levels, capacity, fallback)
                              : container_sparse(device, type, &shape, &page, overlap, levels, capacity, fallback),
                      edge));
    allocator_option(L, 3, function, self);
    return 1;
}

/* The sizes of a page under `page`; where only `rank` is told, pages of about 64 elements. */
static void option_page(lua_State *L, const char *function, Shape *page)
{
    static const int64_t sides[SHAPE_MAX_RANK] = {64, 8, 4, 3, 2, 2, 2, 2};
    int64_t rank = container_option_count(L, 2, function, "rank", SHAPE_MAX_RANK);
    if (lua_getfield(L, 2, "page") != LUA_TNIL) {
        shape_check_sizes(L, lua_gettop(L), function, 2, "page", page);
    } else {
        page->rank = (int)rank;
        for (int d = 0; d < page->rank; d++) {
            page->size[d] = sides[rank - 1];
        }
    }
    lua_pop(L, 1);
    if (page->rank == 0 || (rank && rank != page->rank)) {
        luaL_error(L, "%s: expected 'rank', or 'page' of as many sizes as there are dimensions", function);
    }
}

/* rill.hashgrid(type, {rank=, page=, default=, capacity=}) */
static int rill_hashgrid(lua_State *L)
{
    static const char function[] = "rill.hashgrid";
    static const char *const names[] = {"rank", "page", "default", "capacity", "allocator", "boundary", NULL};
    char fallback[TYPE_MAX_BYTES];
    Shape page = {0};
    binding_count(L, function, 2, false);
    lua_settop(L, 2);
    const Type *type = type_check(L, 1, function, 1, "type");
    if (!binding_is_options(L, 2)) {
        binding_argument(L, function, 2, "options", 2, "a table like {page = {4, 4, 4}}");
    }
    binding_known(L, 2, function, names);
    if (lua_getfield(L, 2, "boundary") != LUA_TNIL) {
        luaL_error(L, "%s: option 'boundary': a domain without bounds has no outside", function);
    }
    lua_pop(L, 1);
    option_page(L, function, &page);
    option_default(L, 2, function, type, fallback);
    int64_t capacity = container_option_count(L, 2, function, "capacity", SHAPE_MAX_ELEMENTS);
    LuaContainer *self = container_push(L);
    Device *device = state_device(L);
    container_make(L, self, device, function, container_hashgrid(device, type, &page, capacity, fallback));
    allocator_option(L, 2, function, self);
    return 1;
}

/* _lists(translator, entries): what rill.lists makes of the entries, which are nobody else's. */
static int container_of_lists(lua_State *L)
{
    static const char function[] = "rill.lists";
    Translator *t = translator_check(L, 1, function, 1, "translator");
    const Stream *entries = accept_check(L, 2, function, 2, "entries");
    LuaContainer *self = container_push(L);
    Device *device = entries->device;
    container_make(L, self, device, function, container_lists(t, entries));
    return 1;
}

void open_container_create(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"physical", rill_physical}, {"virtual", rill_virtual},      {"array", rill_array}, {"_sparse", rill_sparse},
        {"hashgrid", rill_hashgrid}, {"_lists", container_of_lists}, {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
}
