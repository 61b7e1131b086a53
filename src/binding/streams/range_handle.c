/* The userdata of a range, and unions of lists of ranges. The methods are in containers/range.c. */
#include "binding/streams/range_handle.h"
#include "binding/values/coordinates.h"
#include "container/region/union.h"

#include <string.h>

static void drop(lua_State *L, void *self)
{
    LuaRange *range = self;
    Region *region = range->region;
    (void)L;
    range->region = NULL;
    if (!region || region->references > 1) { /* the container keeps the region, which is the usual case */
        region_release(region);
    } else {
        binding_drop(region->list.device, region_release(region));
    }
}

const HandleType range_type = {"range", "r", sizeof(LuaRange), .values = 1, .drop = drop};

LuaRange *range_push(lua_State *L)
{
    return handle_push(L, &range_type);
}

void range_of(lua_State *L, int range, int index)
{
    range = lua_absindex(L, range);
    lua_pushvalue(L, index);
    lua_setiuservalue(L, range, 1);
}

void range_push_container(lua_State *L, int range)
{
    lua_getiuservalue(L, range, 1);
}

LuaRange *range_to(lua_State *L, int index)
{
    return handle_to(L, index, &range_type);
}

LuaRange *range_check(lua_State *L, int index, const char *function)
{
    LuaRange *range = range_to(L, index);
    if (!range) {
        binding_argument(L, function, 0, "r", index, "a range");
    }
    if (!range->region) {
        luaL_error(L, "%s: argument 'r': the range was closed", function);
    }
    return range;
}

void range_take(lua_State *L, LuaRange *range, Region *region, const char *function)
{
    if (!region) {
        error_prefix("%s", function);
        binding_raise(L);
    }
    range->region = region;
    binding_charge(L, region->list.device);
}

/* lists */

/* The domain of the boxes in a list. */
typedef struct BoxDomain {
    Device *device;
    const Shape *shape;
    bool unbounded;
} BoxDomain;

static bool has_coordinate(const BoxDomain *domain, int d, int64_t x)
{
    return domain->unbounded ? x > INT32_MIN && x <= INT32_MAX
                             : x >= 0 && x < domain->shape->size[domain->shape->rank - 1 - d];
}

/* Reads one end of a box: a table of coordinates, x first, or a number in one dimension. */
static void read_point(lua_State *L, int table, const BoxDomain *domain, const char *key, int64_t *point,
                       const char *where)
{
    int rank = domain->shape->rank;
    lua_getfield(L, table, key);
    bool fits = coordinates_read(L, lua_gettop(L), rank, point);
    for (int d = 0; d < rank && fits; d++) {
        fits = has_coordinate(domain, d, point[d]);
    }
    if (!fits) {
        char text[SHAPE_TEXT];
        luaL_error(L, "%s: '%s' is not a point of %s: expected %d coordinate%s, x first", where, key,
                   domain->unbounded ? "a domain without bounds" : shape_text(domain->shape, text), rank,
                   rank == 1 ? "" : "s");
    }
    lua_pop(L, 1);
}

/* Pushes the range of the table {first =, last =} on top of the stack. */
static LuaRange *push_box(lua_State *L, const BoxDomain *domain, const char *where)
{
    int64_t first[SHAPE_MAX_RANK], last[SHAPE_MAX_RANK], from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK];
    int table = lua_gettop(L);
    read_point(L, table, domain, "first", first, where);
    read_point(L, table, domain, "last", last, where);
    shape_box(first, last, domain->shape->rank, from, to);
    LuaRange *range = range_push(L);
    range_make(L, range, domain->device, where, region_box(domain->device, domain->shape, domain->unbounded, from, to));
    return range;
}

/* Returns the region of the item on top of the stack: a range, or a table, of which a range is pushed. */
static Region *part(lua_State *L, const BoxDomain *domain, const char *where)
{
    LuaRange *range = range_to(L, -1);
    if (!range && lua_istable(L, -1)) {
        range = push_box(L, domain, where);
    }
    if (!range || !range->region) {
        luaL_error(L, "%s: expected a range or a table with first and last, got %s", where,
                   range ? "closed range" : binding_describe(L, -1));
        return NULL;
    }
    shape_raise_unequal(L, "%s: it is a range of shape %s, the launch runs over %s", where, &range->region->shape,
                        domain->shape);
    return range->region;
}

LuaRange *range_push_list(lua_State *L, int index, Device *device, const Shape *shape, bool unbounded,
                          const char *function, const char *name)
{
    const BoxDomain domain = {device, shape, unbounded};
    static const int64_t nothing[SHAPE_MAX_RANK];
    int count = (int)lua_rawlen(L, index);
    LuaRange *result = range_push(L);
    Region **parts = scratch_push(L, (size_t)(count + 1) * sizeof *parts);
    lua_createtable(L, count, 0); /* keeps the ranges alive */
    int held = lua_gettop(L);
    for (int i = 0; i < count; i++) {
        const char *where = lua_pushfstring(L, "%s: option '%s': item %d", function, name, i + 1);
        lua_rawgeti(L, index, i + 1);
        parts[i] = part(L, &domain, where);
        lua_rawseti(L, held, i + 1);
        lua_settop(L, held);
    }
    range_make(L, result, device, function,
               count ? region_union(parts, count) : region_box(device, shape, unbounded, nothing, nothing));
    lua_settop(L, held - 2);
    return result;
}
