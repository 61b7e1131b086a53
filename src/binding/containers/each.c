/* Elements of containers one by one on the CPU: c:each reads them, c:update and c:generate write them. All take the elements in parts, so that few
 * are there at once. */
#include "binding/containers/container.h"
#include "binding/values/coordinates.h"
#include "container/region/split.h"
#include "kernel/host/packed.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PART_BYTES = 1 << 18 };

static int64_t part_elements(const LuaContainer *self)
{
    int64_t count = PART_BYTES / self->stream.type->bytes;
    return count > 0 ? count : 1;
}

/* The range at an index, a list of some, or what is mapped; it is pushed. */
static Region *push_range(lua_State *L, int index, int n, const char *function)
{
    LuaContainer *self = container_check(L, 1, function, 0, "c");
    const Stream *elements = container_elements_of(self);
    const LuaRange *range = range_to(L, index);
    char a[SHAPE_TEXT], b[SHAPE_TEXT];
    if (lua_isnoneornil(L, index)) {
        lua_pushcfunction(L, container_active_call);
        lua_pushvalue(L, 1);
        lua_call(L, 1, 1);
    } else if (!range && binding_is_options(L, index)) {
        range_push_list(L, index, elements->device, &elements->shape, !container_bounded(self->container), function,
                        "range");
    } else if (!range) {
        binding_argument(L, function, n, "range", index, "a range or a list of ranges");
    } else if (!range->region) {
        luaL_error(L, "%s: argument #%d 'range': the range was closed", function, n);
    } else {
        lua_pushvalue(L, index);
    }
    Region *region = range_to(L, -1)->region;
    self = container_check(L, 1, function, 0, "c"); /* Lua ran */
    elements = container_elements_of(self);
    if (region->set.unbounded == container_bounded(self->container) || !shape_equal(&region->shape, &elements->shape)) {
        luaL_error(L, "%s: argument #%d 'range': a range of shape %s is none of a container of shape %s", function, n,
                   shape_text(&region->shape, a), shape_text(&elements->shape, b));
    }
    if (region->list.device != elements->device) {
        luaL_error(L, "%s: argument #%d 'range': the range belongs to another device", function, n);
    }
    return region;
}

/* The container at 1, whose shape is still the region's. */
static LuaContainer *check_shape(lua_State *L, int index, const Region *region, const char *function)
{
    LuaContainer *self = container_check(L, index, function, 0, "c");
    char text[SHAPE_TEXT];
    if (!shape_equal(&region->shape, &container_elements_of(self)->shape)) {
        luaL_error(L, "%s: the container has another shape by now, %s", function,
                   shape_text(&container_elements_of(self)->shape, text));
    }
    return self;
}

/* Reads the elements of a region of the container at an index to `bytes`. */
static void read_elements(lua_State *L, int index, const Region *region, char *bytes, const char *function)
{
    container_asked(L, check_shape(L, index, region, function), function);
    const LuaContainer *self = check_shape(L, index, region, function); /* Lua ran */
    binding_make(L, self->stream.device, function, container_download_elements(self->container, region, bytes));
}

/* c:each and _parts: user values are the container and the bytes of the part at hand */

enum { EACH_CONTAINER = 1, EACH_BYTES = 2 };

typedef struct EachCursor {
    Device *device; /* held; NULL: it is over */
    RegionSplit cut;
    Region *part; /* held; NULL: the next one is due */
    RegionCursor at;
    int64_t number;
    char *bytes;
    size_t size;
} EachCursor;

static void drop(lua_State *L, void *self)
{
    EachCursor *cursor = self;
    Device *device = cursor->device;
    (void)L;
    if (device) {
        cursor->device = NULL;
        binding_drop(device, (region_release(cursor->part), region_split_end(&cursor->cut)));
        device_release(device);
    }
}

static const HandleType each_type = {"cursor", "r", sizeof(EachCursor), .values = EACH_BYTES, .drop = drop};

/* Room for the elements of a part, which the cursor at an index keeps. */
static void each_room(lua_State *L, int index, EachCursor *cursor, size_t size)
{
    if (cursor->size < size) {
        cursor->bytes = lua_newuserdatauv(L, size, 0);
        cursor->size = size;
        lua_setiuservalue(L, index, EACH_BYTES);
    }
}

/* The next part, of so many elements; false behind the last one. */
static bool each_step(lua_State *L, const LuaContainer *self, EachCursor *cursor, int64_t most, const char *function)
{
    binding_run(L, cursor->device, function,
                (region_release(cursor->part), region_split_next(&cursor->cut, most, &cursor->part)));
    binding_charge(L, self->stream.device);
    return cursor->part != NULL;
}

/* The same with its elements. */
static bool each_part(lua_State *L, int index, EachCursor *cursor)
{
    static const char function[] = "c:each";
    lua_getiuservalue(L, index, EACH_CONTAINER);
    int slot = lua_gettop(L);
    const LuaContainer *self = container_check(L, slot, function, 0, "c");
    if (each_step(L, self, cursor, part_elements(self), function)) {
        cursor->at = (RegionCursor){cursor->part->set.count, 0}; /* should this fail */
        self = check_shape(L, slot, cursor->part, function);
        each_room(L, index, cursor, (size_t)cursor->part->set.elements * (size_t)self->stream.type->bytes);
        read_elements(L, slot, cursor->part, cursor->bytes, function);
        cursor->at = (RegionCursor){0};
        cursor->number = 0;
    }
    lua_settop(L, slot - 1);
    return cursor->part != NULL;
}

static int each_next(lua_State *L)
{
    EachCursor *cursor = handle_to(L, lua_upvalueindex(1), &each_type);
    int64_t point[SHAPE_MAX_RANK];
    lua_settop(L, 0);
    if (!cursor) {
        return luaL_error(L, "c:each: the iterator has lost its container");
    }
    lua_pushvalue(L, lua_upvalueindex(1));
    while (cursor->device && (!cursor->part || !region_step(cursor->part, &cursor->at, point))) {
        if (!each_part(L, 1, cursor)) {
            drop(L, cursor);
        }
    }
    if (!cursor->device) {
        lua_pushnil(L);
        return 1;
    }
    lua_getiuservalue(L, 1, EACH_CONTAINER);
    const Type *type = container_check(L, 2, "c:each", 0, "c")->stream.type;
    coordinates_push_indices(L, point, cursor->part->shape.rank);
    value_push(L, type, cursor->bytes + cursor->number++ * type->bytes);
    return cursor->part->shape.rank + 1;
}

/* Pushes a cursor over a region. */
static EachCursor *each_push(lua_State *L, Region *region)
{
    EachCursor *cursor = handle_push(L, &each_type);
    cursor->device = device_retain(region->list.device);
    region_split_begin(&cursor->cut, region);
    return cursor;
}

/* Leaves what a generic `for` takes: a closure of `next` with the cursor on top and the `count - 1` values below that, two times nil, and the cursor, which
 * is closed when the loop is left early. */
static int each_loop(lua_State *L, lua_CFunction next, int count)
{
    lua_pushvalue(L, -1);
    lua_insert(L, -1 - count);
    lua_pushcclosure(L, next, count);
    lua_insert(L, -2);
    lua_pushnil(L);
    lua_pushnil(L);
    lua_rotate(L, -3, 2);
    return 4;
}

/* c:each([range]) */
int container_each(lua_State *L)
{
    static const char function[] = "c:each";
    container_check(L, 1, function, 0, "c");
    binding_count(L, function, 2, true);
    lua_settop(L, 2);
    each_push(L, push_range(L, 2, 1, function));
    lua_pushvalue(L, 1);
    lua_setiuservalue(L, -2, EACH_CONTAINER);
    return each_loop(L, each_next, 1);
}

/* Upvalues are how many elements a part has at most, the function's name and the cursor. */
static int parts_next(lua_State *L)
{
    int64_t most = lua_tointeger(L, lua_upvalueindex(1));
    const char *function = lua_tostring(L, lua_upvalueindex(2));
    EachCursor *cursor = handle_to(L, lua_upvalueindex(3), &each_type);
    lua_settop(L, 0);
    if (!cursor || !cursor->device) {
        return 0;
    }
    lua_getiuservalue(L, lua_upvalueindex(3), EACH_CONTAINER);
    LuaRange *range = range_push(L);
    if (!each_step(L, container_check(L, 1, function, 0, "c"), cursor, most, function)) {
        drop(L, cursor);
        return 0;
    }
    check_shape(L, 1, cursor->part, function);
    range_take(L, range, region_retain(cursor->part), function);
    return 1;
}

/* _parts(c, range, elements, function): what is mapped, or ranges, as an iterator over ranges of so many elements at most, to be closed. */
static int rill_parts(lua_State *L)
{
    int64_t most = luaL_checkinteger(L, 3);
    const char *function = luaL_checkstring(L, 4);
    container_offers(L, container_check(L, 1, function, 0, "c"), CONTAINER_NEIGHBORS, function);
    lua_settop(L, 4);
    lua_pushinteger(L, most > 0 ? most : 1);
    lua_replace(L, 3);
    each_push(L, push_range(L, 2, 2, function));
    lua_pushvalue(L, 1);
    lua_setiuservalue(L, -2, EACH_CONTAINER);
    lua_remove(L, -2); /* the range */
    return each_loop(L, parts_next, 3);
}

/* c:update and c:generate */

/* A part at work. */
typedef struct Update {
    const char *function;
    bool reads;
    const EachCursor *cursor;
} Update;

/* Calls the function at 2 for an element, and takes what it returns; whether that is an element. */
static bool call_element(lua_State *L, const Update *update, const Type *type, const int64_t *point, char *element)
{
    int rank = update->cursor->part->shape.rank;
    lua_pushvalue(L, 2);
    if (update->reads) {
        value_push(L, type, element);
    }
    coordinates_push_indices(L, point, rank);
    lua_call(L, rank + update->reads, 1);
    bool given = !lua_isnil(L, -1);
    if ((!given && !update->reads) || (given && !value_pack(L, -1, type, element))) {
        luaL_Buffer text;
        const char *reason = given ? error_message() : "it returned nothing; c:update leaves such elements as they are";
        lua_pushstring(L, reason);
        luaL_buffinit(L, &text);
        for (int d = rank - 1; d >= 0; d--) {
            char number[32];
            snprintf(number, sizeof number, "%" PRId64 "%s", point[d] + 1, d ? ", " : "");
            luaL_addstring(&text, number);
        }
        luaL_pushresult(&text);
        luaL_error(L, "%s: argument #1 'f': the function called for element (%s): %s", update->function,
                   lua_tostring(L, -1), lua_tostring(L, -2));
    }
    lua_pop(L, 1);
    return given;
}

/* Writes the marked elements; what is not mapped is, first. */
static void write_elements(lua_State *L, const Update *update, const unsigned char *marks, const char *bytes)
{
    Region *part = update->cursor->part;
    const Type *type = check_shape(L, 1, part, update->function)->stream.type; /* the function may have closed it */
    char *ordered = scratch_push(L, (size_t)part->set.elements * (size_t)type->bytes);
    int slot = lua_gettop(L);
    LuaRange *range = range_push(L);
    container_asked(L, check_shape(L, 1, part, update->function), update->function); /* so may have finalizers */
    LuaContainer *self = check_shape(L, 1, part, update->function);
    range_make(L, range, part->list.device, update->function,
               container_marked(self->container, part, marks, bytes, ordered));
    const Region *marked = range->region;
    container_map_region(L, check_shape(L, 1, marked, update->function), marked, update->function);
    self = check_shape(L, 1, marked, update->function);
    binding_run(L, part->list.device, update->function, container_upload_elements(self->container, marked, ordered));
    scratch_free(L, slot);
    binding_charge(L, self->stream.device);
}

/* Of the container and the function at 1 and 2, for the Update at 3: all calls for a part, and then what they returned is written. */
static int update_part(lua_State *L)
{
    const Update *update = lua_touserdata(L, 3);
    const Region *part = update->cursor->part;
    const LuaContainer *self = check_shape(L, 1, part, update->function);
    const Type *type = self->stream.type;
    size_t count = (size_t)part->set.elements, size = (size_t)type->bytes;
    int64_t point[SHAPE_MAX_RANK];
    RegionCursor cursor = {0};
    char *bytes = scratch_push(L, count * (size + 1));
    unsigned char *marks = (unsigned char *)bytes + count * size;
    bool some = false;
    luaL_checkstack(L, SHAPE_MAX_RANK + 8, NULL);
    if (type->is_struct) {
        type_push_struct(L, type); /* should the container be closed meanwhile */
    }
    if (update->reads) {
        read_elements(L, 1, part, bytes, update->function);
    }
    for (size_t i = 0; i < count && region_step(part, &cursor, point); i++) {
        marks[i] = call_element(L, update, type, point, bytes + i * size);
        some = some || marks[i];
    }
    if (some) {
        write_elements(L, update, marks, bytes);
    }
    scratch_free(L, 4);
    return 0;
}

/* Whether it is Ctrl-C's message, which the prompt knows by its end. */
static bool is_interrupt(const char *message)
{
    static const char end[] = "interrupted!";
    size_t length = strlen(message);
    return length >= sizeof end - 1 && strcmp(message + length - (sizeof end - 1), end) == 0;
}

/* Raises what a part raised, and says what is written. */
static int raise_part(lua_State *L, const Update *update, int64_t written, int64_t all)
{
    if (lua_type(L, -1) == LUA_TSTRING && is_interrupt(lua_tostring(L, -1))) {
        return lua_error(L);
    }
    if (lua_type(L, -1) == LUA_TSTRING && written == 0) {
        lua_pushfstring(L, "%s\n%s: nothing was written", lua_tostring(L, -1), update->function);
    } else if (lua_type(L, -1) == LUA_TSTRING) {
        lua_pushfstring(L, "%s\n%s: the first %I of %I elements are done, the others are as they were",
                        lua_tostring(L, -1), update->function, (LUAI_UACINT)written, (LUAI_UACINT)all);
    }
    return lua_error(L);
}

static int update_elements(lua_State *L, const char *function, bool reads)
{
    container_check(L, 1, function, 0, "c");
    binding_count(L, function, 3, true);
    lua_settop(L, 3);
    if (!lua_isfunction(L, 2)) {
        binding_argument(L, function, 1, "f", 2, "a function");
    }
    Region *region = push_range(L, 3, 2, function);
    int64_t written = 0, all = region->set.elements; /* the function may close the range */
    EachCursor *cursor = each_push(L, region);
    Update update = {function, reads, cursor};
    for (;;) {
        const LuaContainer *self = container_check(L, 1, function, 0, "c");
        if (!each_step(L, self, cursor, part_elements(self), function)) {
            break;
        }
        lua_pushcfunction(L, update_part);
        lua_pushvalue(L, 1);
        lua_pushvalue(L, 2);
        lua_pushlightuserdata(L, &update);
        if (lua_pcall(L, 3, 0, 0) != LUA_OK) {
            drop(L, cursor);
            return raise_part(L, &update, written, all);
        }
        written += cursor->part->set.elements;
    }
    drop(L, cursor);
    lua_settop(L, 1);
    return 1;
}

/* c:update(f [, range]): f(element, i, ...) gives what the element becomes, or nothing. */
int container_update(lua_State *L)
{
    return update_elements(L, "c:update", true);
}

/* c:generate(f [, range]): f(i, ...) gives the element; nothing is read. */
int container_generate(lua_State *L)
{
    return update_elements(L, "c:generate", false);
}

void open_container_each(lua_State *L)
{
    lua_pushnil(L);
    handle_open(L, &each_type, NULL);
    fields_function(L, "_parts", rill_parts);
}
