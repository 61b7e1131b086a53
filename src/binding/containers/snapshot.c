/* Snapshots of containers: c:snapshot, c:diff, c:undo, and the userdata. */
#include "binding/containers/container.h"

#include <string.h>

/* Open while it has a snapshot: then it holds the device, too. */
typedef struct LuaSnapshot {
    Snapshot *snapshot;
    Device *device;
} LuaSnapshot;

/* The registry holds the metatable under its address. */
static const char snapshot_meta;

static LuaSnapshot *to_snapshot(lua_State *L, int index)
{
    return binding_userdata(L, index, &snapshot_meta, sizeof(LuaSnapshot));
}

/* Outside of any scope; never raises. */
static void drop(LuaSnapshot *self)
{
    LuaSnapshot was = *self;
    if (was.snapshot) {
        memset(self, 0, sizeof *self);
        binding_drop(was.device, snapshot_close(was.snapshot));
        device_release(was.device);
    }
}

/* n:close() */
static int close_snapshot(lua_State *L)
{
    LuaSnapshot *self = to_snapshot(L, 1);
    if (!self) {
        binding_argument(L, "n:close", 0, "n", 1, "a snapshot");
    }
    if (!binding_park(L, 1, close_snapshot)) {
        drop(self);
    }
    return 0;
}

static int snapshot_gc(lua_State *L)
{
    LuaSnapshot *self = binding_finalized(L, &snapshot_meta, sizeof *self);
    if (self) {
        drop(self);
    }
    return 0;
}

static int snapshot_tostring(lua_State *L)
{
    const LuaSnapshot *self = to_snapshot(L, 1);
    lua_pushstring(L, !self ? "not a snapshot" : self->snapshot ? "snapshot" : "closed snapshot");
    return 1;
}

/* c:snapshot() */
int snapshot_take(lua_State *L)
{
    static const char function[] = "c:snapshot";
    LuaContainer *self = container_check(L, 1, function, 0, "c");
    binding_count(L, function, 1, true);
    LuaSnapshot *made = lua_newuserdatauv(L, sizeof *made, 0);
    memset(made, 0, sizeof *made);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &snapshot_meta);
    lua_setmetatable(L, -2);
    container_asked(L, self, function);
    binding_run(L, self->stream.device, function, made->snapshot = container_snapshot(self->container));
    made->device = device_retain(self->stream.device);
    binding_charge(L, made->device);
    return 1;
}

static Snapshot *check_snapshot(lua_State *L, const LuaContainer *self, const char *function)
{
    const LuaSnapshot *taken = to_snapshot(L, 2);
    if (!taken || !taken->snapshot) {
        binding_argument(L, function, 1, "snapshot", 2, "a snapshot, of c:snapshot()");
    }
    if (!snapshot_of(taken->snapshot, self->container)) {
        binding_argument_error(L, function, 1, "snapshot");
    }
    return taken->snapshot;
}

/* c:diff(snapshot) */
int snapshot_diff(lua_State *L)
{
    static const char function[] = "c:diff";
    LuaContainer *self = container_check(L, 1, function, 0, "c");
    binding_count(L, function, 2, true);
    container_asked(L, self, function);
    const Snapshot *taken = check_snapshot(L, self, function);
    LuaRange *range = range_push(L);
    range_make(L, range, self->stream.device, function, container_diff(self->container, taken));
    range_of(L, -1, 1);
    return 1;
}

/* c:undo(snapshot) */
int snapshot_undo(lua_State *L)
{
    static const char function[] = "c:undo";
    LuaContainer *self = container_check(L, 1, function, 0, "c");
    binding_count(L, function, 2, true);
    container_asked(L, self, function);
    Snapshot *taken = check_snapshot(L, self, function);
    binding_make(L, self->stream.device, function, container_undo(self->container, taken));
    lua_settop(L, 1);
    return 1;
}

void open_snapshot(lua_State *L)
{
    static const luaL_Reg meta[] = {
        {"__gc", snapshot_gc}, {"__close", close_snapshot}, {"__tostring", snapshot_tostring}, {NULL, NULL}};
    static const luaL_Reg methods[] = {{"close", close_snapshot}, {NULL, NULL}};
    luaL_newlib(L, methods);
    binding_strict(L, "a snapshot");
    binding_metatable(L, "rill.snapshot", &snapshot_meta, meta);
}
