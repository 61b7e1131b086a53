/* Iterates over elements of containers on the CPU: c:each reads them, c:update and c:generate write them. The elements
 * are processed in parts, so that only a part is in host memory at a time. */
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

/* Pushes the range at an index, the union of a list of ranges, or by default the mapped elements; returns its region;
 * raises. */
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
    self = container_check(L, 1, function, 0, "c"); /* Lua code may have closed it */
    elements = container_elements_of(self);
    if (region->set.unbounded == container_bounded(self->container) || !shape_equal(&region->shape, &elements->shape)) {
        luaL_error(L, "%s: argument #%d 'range': a range of shape %s does not fit a container of shape %s", function, n,
                   shape_text(&region->shape, a), shape_text(&elements->shape, b));
    }
    if (region->list.device != elements->device) {
        luaL_error(L, "%s: argument #%d 'range': the range belongs to another device", function, n);
    }
    return region;
}

/* Returns the container at an index; raises if its shape differs from the shape of the region. */
static LuaContainer *check_shape(lua_State *L, int index, const Region *region, const char *function)
{
    LuaContainer *self = container_check(L, index, function, 0, "c");
    char text[SHAPE_TEXT];
    if (!shape_equal(&region->shape, &container_elements_of(self)->shape)) {
        luaL_error(L, "%s: the shape of the container has changed to %s", function,
                   shape_text(&container_elements_of(self)->shape, text));
    }
    return self;
}

/* Reads the elements of a region of the container at an index to `bytes`. */
static void read_elements(lua_State *L, int index, const Region *region, char *bytes, const char *function)
{
    container_resolve_mapping(L, check_shape(L, index, region, function), function);
    const LuaContainer *self = check_shape(L, index, region, function); /* Lua code may have closed it */
    binding_make(L, self->stream.device, function, container_download_elements(self->container, region, bytes));
}

/* c:each and _parts. User values of the cursor: the container, and the bytes of the current part. */

enum { EACH_CONTAINER = 1, EACH_BYTES = 2 };

typedef struct EachCursor {
    Device *device; /* a reference; NULL after the end */
    RegionSplit cut;
    Region *part; /* a reference to the current part; NULL: the next part must be computed */
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

/* Ensures that the cursor at an index has memory for the elements of a part. */
static void each_room(lua_State *L, int index, EachCursor *cursor, size_t size)
{
    if (cursor->size < size) {
        cursor->bytes = lua_newuserdatauv(L, size, 0);
        cursor->size = size;
        lua_setiuservalue(L, index, EACH_BYTES);
    }
}

/* Advances to the next part, of at most `most` elements; returns false after the last one. */
static bool each_step(lua_State *L, const LuaContainer *self, EachCursor *cursor, int64_t most, const char *function)
{
    binding_run(L, cursor->device, function,
                (region_release(cursor->part), region_split_next(&cursor->cut, most, &cursor->part)));
    binding_charge(L, self->stream.device);
    return cursor->part != NULL;
}

/* Advances to the next part and reads its elements; returns false after the last one. */
static bool each_part(lua_State *L, int index, EachCursor *cursor)
{
    static const char function[] = "c:each";
    lua_getiuservalue(L, index, EACH_CONTAINER);
    int slot = lua_gettop(L);
    const LuaContainer *self = container_check(L, slot, function, 0, "c");
    if (each_step(L, self, cursor, part_elements(self), function)) {
        cursor->at = (RegionCursor){cursor->part->set.count, 0}; /* the end of the part, in case reading fails */
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
        return luaL_error(L, "c:each: the iterator has no container");
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

/* Pushes the values of a generic `for`: a closure of `next`, two nils, and the cursor, which is closed when the loop
 * ends. The upvalues of the closure are the cursor on top of the stack and the `count - 1` values below it. */
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

/* c:each([range]): iterates over the elements. */
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

/* The iterator of _parts. Upvalues: the largest number of elements of a part, the name of the function, and the
 * cursor. */
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

/* _parts(c, range, elements, function): iterates over the mapped elements, or over those of ranges, as ranges of at
 * most `elements` elements. Returns the four values of a generic `for`. */
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

/* The state of an update. */
typedef struct Update {
    const char *function;
    bool reads;
    const EachCursor *cursor;
} Update;

/* Calls the function at 2 for an element, and packs its result. Returns whether there was one; raises. */
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
        const char *reason = given ? error_message() : "it returned nothing; c:update leaves such elements unchanged";
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

/* Writes the marked elements. Unmapped pages are mapped first. */
static void write_elements(lua_State *L, const Update *update, const unsigned char *marks, const char *bytes)
{
    Region *part = update->cursor->part;
    const Type *type = check_shape(L, 1, part, update->function)->stream.type; /* the function may have closed it */
    char *ordered = scratch_push(L, (size_t)part->set.elements * (size_t)type->bytes);
    int slot = lua_gettop(L);
    LuaRange *range = range_push(L);
    container_resolve_mapping(L, check_shape(L, 1, part, update->function),
                              update->function); /* a finalizer may have closed it */
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

/* Calls the function at 2 for all elements of a part of the container at 1, and then writes the results. The Update is
 * at 3. */
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
        type_push_struct(L, type); /* keeps the type alive, since the function may close the container */
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

/* Returns whether it is the message of Ctrl-C, which the prompt recognizes by its end. */
static bool is_interrupt(const char *message)
{
    static const char end[] = "interrupted!";
    size_t length = strlen(message);
    return length >= sizeof end - 1 && strcmp(message + length - (sizeof end - 1), end) == 0;
}

/* Raises the error of a part, with a line that says how many elements were written. */
static int raise_part(lua_State *L, const Update *update, int64_t written, int64_t all)
{
    if (lua_type(L, -1) == LUA_TSTRING && is_interrupt(lua_tostring(L, -1))) {
        return lua_error(L);
    }
    if (lua_type(L, -1) == LUA_TSTRING && written == 0) {
        lua_pushfstring(L, "%s\n%s: nothing was written", lua_tostring(L, -1), update->function);
    } else if (lua_type(L, -1) == LUA_TSTRING) {
        lua_pushfstring(L, "%s\n%s: the first %I of %I elements are written, the others are unchanged",
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

/* c:update(f [, range]): f(element, i, ...) returns the new element, or nothing. */
int container_update(lua_State *L)
{
    return update_elements(L, "c:update", true);
}

/* c:generate(f [, range]): f(i, ...) returns the new element. Elements are not read. */
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
