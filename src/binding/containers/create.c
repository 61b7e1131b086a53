/* rill.array, rill.sparse, rill.hashgrid, rill.physical, rill.virtual, and the containers of rill.lists. */
#include "binding/containers/container.h"
#include "binding/containers/translator.h"
#include "binding/values/coordinates.h"
#include "binding/values/options.h"

#include "container/kind/kinds.h"

#include <string.h>

/* rill.physical(type, shape [, options]): returns memory for a container, which is a stream. */
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

/* The options of containers. */
typedef struct ContainerOptions {
    char fallback[TYPE_MAX_BYTES];
    Shape shape, page;
    int64_t rank, levels, capacity, overlap;
    Translator *edge, *mapping;
} ContainerOptions;

static void read_translator(lua_State *L, const OptionCall *call, const Option *option, void *field)
{
    *(Translator **)field = translator_hold(L, -1, call->function, BINDING_OPTION, option->name);
}

/* Pushes a container with the memory at `index`. The options are at 3. */
static void push_virtual(lua_State *L, Translator *t, Translator *edge, int index, const char *function)
{
    char fallback[TYPE_MAX_BYTES] = {0};
    const Stream *memory = accept_check(L, index, function, 2, "physical");
    if (!lua_isnil(L, 3) && lua_getfield(L, 3, "default") != LUA_TNIL &&
        !value_pack_splat(L, lua_gettop(L), memory->type, fallback)) {
        binding_argument_error(L, function, BINDING_OPTION, "default");
    }
    LuaContainer *self = container_push(L);
    container_make(L, self, memory->device, function, container_with_edge(container_create(t, memory, fallback), edge));
}

/* rill.virtual(translator, physical | {physical, ...} [, {default=}]): returns a container for each memory. */
static int rill_virtual(lua_State *L)
{
    static const char function[] = "rill.virtual";
    static const Option rows[] = {{.name = "default"},
                                  {OPTION("boundary", read_translator, ContainerOptions, edge), .keeps = true},
                                  {.name = NULL}};
    static const OptionCall call = {.function = function, .index = 3, .n = 3, .expected = "a table like {default = 0}"};
    ContainerOptions options = {.edge = NULL};
    binding_count(L, function, 3, false);
    lua_settop(L, 3);
    translator_check(L, 1, function, 1, "translator");
    options_read(L, &call, rows, &options);
    Translator *t = translator_hold(L, 1, function, 1, "translator");
    int top = lua_gettop(L);
    int count = binding_is_options(L, 2) ? (int)lua_rawlen(L, 2) : 0;
    if (count == 0) {
        push_virtual(L, t, options.edge, 2, function);
        return 1;
    }
    luaL_checkstack(L, 2 * count, function);
    for (int i = 1; i <= count; i++) {
        lua_rawgeti(L, 2, i);
        push_virtual(L, t, options.edge, top + i, function);
        lua_replace(L, top + i);
        lua_settop(L, top + i);
    }
    return count;
}

/* rill.array(type, shape [, options]): returns a dense container of zeros. */
static int rill_array(lua_State *L)
{
    static const char function[] = "rill.array";
    Shape shape;
    TextureWish wish;
    bool texture = storage_check(L, function, true, &wish);
    const Type *type = type_check(L, 1, function, 1, "type");
    shape_check_arg(L, 2, function, 2, "shape", &shape);
    Translator *edge = NULL;
    if (lua_istable(L, 3) && lua_getfield(L, 3, "boundary") != LUA_TNIL) {
        edge = translator_hold(L, -1, function, BINDING_OPTION, "boundary");
    }
    LuaContainer *self = container_push(L);
    Device *device = state_device(L);
    container_make(L, self, device, function,
                   container_with_edge(
                       container_with_texture(container_array(device, type, &shape), texture ? &wish : NULL), edge));
    return 1;
}

/* Reads the option `overlap`. The sizes of a page are its upper limit, which is checked later. */
static void read_overlap(lua_State *L, const OptionCall *call, const Option *option, void *field)
{
    lua_Integer overlap = binding_integer(L, -1, call->function, BINDING_OPTION, option->name);
    if (overlap < 0) {
        luaL_error(L, "%s: option 'overlap': expected 0 or more, got %I", call->function, (LUAI_UACINT)overlap);
    }
    *(int64_t *)field = overlap;
}

/* Reads the option `mapping`, a translator from the shape of the container to the domain of the pages. */
static void read_mapping(lua_State *L, const OptionCall *call, const Option *option, void *to)
{
    ContainerOptions *options = to;
    const char *function = call->function;
    char text[SHAPE_TEXT];
    int64_t size[SHAPE_MAX_RANK];
    Translator *mapping = translator_hold(L, -1, function, BINDING_OPTION, option->name);
    int held = lua_gettop(L);
    TranslatorInfo info = translator_info(mapping);
    const Shape *shape = &options->shape;
    shape_reverse(shape->size, shape->rank, size);
    if (!info.domain.known || info.rank != shape->rank ||
        memcmp(info.domain.size, size, (size_t)info.rank * sizeof *size) != 0) {
        luaL_error(L, "%s: option 'mapping': expected a translator of shape %s, but '%s' has another shape", function,
                   shape_text(shape, text), info.name);
    }
    if (info.traits.mutable) {
        luaL_error(L, "%s: option 'mapping': expected a translator with a fixed mapping, but '%s' can change", function,
                   info.name);
    }
    if (info.to > 4 || info.to != options->page.rank) {
        luaL_error(L,
                   "%s: option 'mapping': translator '%s' leads to %d dimensions: expected 1 to 4, and a page of as "
                   "many, got %d",
                   function, info.name, info.to, options->page.rank);
    }
    const char *const alone[] = {"overlap", info.memory.known ? NULL : "levels"};
    for (int i = 0; i < 2; i++) {
        if (alone[i] && lua_getfield(L, call->index, alone[i]) != LUA_TNIL) {
            luaL_error(L, "%s: option '%s' cannot be combined with 'mapping': translator '%s' %s", function, alone[i],
                       info.name, i ? "maps to a domain without bounds" : "may separate neighbors");
        }
        lua_settop(L, held);
    }
    options->mapping = mapping;
}

static Container *make_sparse(Device *device, const Type *type, const ContainerOptions *options)
{
    return container_with_edge(options->mapping
                                   ? container_sparse_mapped(device, type, options->mapping, &options->page,
                                                             (int)options->levels, options->capacity, options->fallback)
                                   : container_sparse(device, type, &options->shape, &options->page, options->overlap,
                                                      (int)options->levels, options->capacity, options->fallback),
                               options->edge);
}

/* _sparse(type, shape, {page=, levels=, default=, capacity=, overlap=, mapping=}): returns a sparse container, for
 * rill.sparse. */
static int rill_sparse(lua_State *L)
{
    static const char function[] = "rill.sparse";
    static const Option rows[] = {
        {OPTION("page", options_sizes, ContainerOptions, page), .required = true},
        {OPTION("default", options_element, ContainerOptions, fallback)},
        {OPTION("boundary", read_translator, ContainerOptions, edge), .keeps = true},
        {.name = "mapping", .read = read_mapping, .keeps = true},
        {OPTION("levels", options_count, ContainerOptions, levels), .low = 1, .high = 8},
        {OPTION("capacity", options_count, ContainerOptions, capacity), .low = 1, .high = SHAPE_MAX_ELEMENTS},
        {OPTION("overlap", read_overlap, ContainerOptions, overlap)},
        {.name = "allocator"},
        {.name = NULL}};
    ContainerOptions options = {.levels = 0};
    binding_count(L, function, 3, false);
    lua_settop(L, 3);
    const Type *type = type_check(L, 1, function, 1, "type");
    shape_check_sizes(L, 2, function, 2, "shape", &options.shape);
    const OptionCall call = {.function = function,
                             .index = 3,
                             .n = 3,
                             .expected = "a table like {page = {8, 8, 8}}",
                             .required = true,
                             .type = type};
    options_read(L, &call, rows, &options);
    LuaContainer *self = container_push(L);
    Device *device = state_device(L);
    container_make(L, self, device, function, make_sparse(device, type, &options));
    allocator_option(L, 3, function, self);
    return 1;
}

static void refuse_boundary(lua_State *L, const OptionCall *call, const Option *option, void *field)
{
    (void)field;
    luaL_error(L, "%s: option '%s': a domain without bounds has no outside", call->function, option->name);
}

/* Reads the option `page`, after `rank`: the sizes of a page. If only `rank` is given, a page has about 64 elements. */
static void read_page(lua_State *L, const OptionCall *call, const Option *option, void *to)
{
    static const int64_t sides[SHAPE_MAX_RANK] = {64, 8, 4, 3, 2, 2, 2, 2};
    ContainerOptions *options = to;
    Shape *page = &options->page;
    int64_t rank = options->rank;
    if (!lua_isnil(L, -1)) {
        options_sizes(L, call, option, page);
    } else {
        page->rank = (int)rank;
        for (int d = 0; d < page->rank; d++) {
            page->size[d] = sides[rank - 1];
        }
    }
    if (page->rank == 0 || (rank && rank != page->rank)) {
        luaL_error(L, "%s: expected 'rank', or 'page' of as many sizes as there are dimensions", call->function);
    }
}

/* rill.hashgrid(type, {rank=, page=, default=, capacity=}): returns a sparse container without bounds. */
static int rill_hashgrid(lua_State *L)
{
    static const char function[] = "rill.hashgrid";
    static const Option rows[] = {
        {.name = "boundary", .read = refuse_boundary},
        {OPTION("rank", options_count, ContainerOptions, rank), .low = 1, .high = SHAPE_MAX_RANK},
        {.name = "page", .read = read_page, .required = true},
        {OPTION("default", options_element, ContainerOptions, fallback)},
        {OPTION("capacity", options_count, ContainerOptions, capacity), .low = 1, .high = SHAPE_MAX_ELEMENTS},
        {.name = "allocator"},
        {.name = NULL}};
    ContainerOptions options = {.rank = 0};
    binding_count(L, function, 2, false);
    lua_settop(L, 2);
    const Type *type = type_check(L, 1, function, 1, "type");
    const OptionCall call = {.function = function,
                             .index = 2,
                             .n = 2,
                             .expected = "a table like {page = {4, 4, 4}}",
                             .required = true,
                             .type = type};
    options_read(L, &call, rows, &options);
    LuaContainer *self = container_push(L);
    Device *device = state_device(L);
    container_make(L, self, device, function,
                   container_hashgrid(device, type, &options.page, options.capacity, options.fallback));
    allocator_option(L, 2, function, self);
    return 1;
}

/* _lists(translator, entries): returns a grid of lists, for rill.lists. No other handle may refer to the entries. */
static int container_of_lists(lua_State *L)
{
    static const char function[] = "rill.lists";
    lua_settop(L, 2);
    Translator *t = translator_hold(L, 1, function, 1, "translator");
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
