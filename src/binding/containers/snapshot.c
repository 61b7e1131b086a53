/* Snapshots of containers: c:snapshot, c:diff, c:undo, and the userdata of snapshots. */
#include "binding/containers/container.h"
#include "binding/values/handle.h"

#include <string.h>

/* The userdata of a snapshot. */
typedef struct LuaSnapshot {
    Snapshot *snapshot; /* NULL: closed */
    Device *device;     /* a reference, while it is open */
} LuaSnapshot;

static void drop(lua_State *L, void *userdata)
{
    LuaSnapshot *self = userdata, was = *self;
    (void)L;
    if (was.snapshot) {
        memset(self, 0, sizeof *self);
        binding_drop(was.device, snapshot_close(was.snapshot));
        device_release(was.device);
    }
}

static const HandleType snapshot_type = {"snapshot", "n", sizeof(LuaSnapshot), .drop = drop};

static int snapshot_tostring(lua_State *L)
{
    const LuaSnapshot *self = handle_to(L, 1, &snapshot_type);
    lua_pushstring(L, !self ? "not a snapshot" : self->snapshot ? "snapshot" : "closed snapshot");
    return 1;
}

/* c:snapshot(): returns a snapshot of the contents. */
int snapshot_take(lua_State *L)
{
    static const char function[] = "c:snapshot";
    LuaContainer *self = container_self(L, function, 1);
    LuaSnapshot *made = handle_push(L, &snapshot_type);
    container_resolve_mapping(L, self, function);
    binding_run(L, self->stream.device, function, made->snapshot = container_snapshot(self->container));
    made->device = device_retain(self->stream.device);
    binding_charge(L, made->device);
    return 1;
}

static Snapshot *check_snapshot(lua_State *L, const LuaContainer *self, const char *function)
{
    const LuaSnapshot *taken = handle_to(L, 2, &snapshot_type);
    if (!taken || !taken->snapshot) {
        binding_argument(L, function, 1, "snapshot", 2, "a snapshot, made by c:snapshot()");
    }
    if (!snapshot_of(taken->snapshot, self->container)) {
        binding_argument_error(L, function, 1, "snapshot");
    }
    return taken->snapshot;
}

/* c:diff(snapshot): returns the pages that changed since the snapshot, as a range. */
int snapshot_diff(lua_State *L)
{
    static const char function[] = "c:diff";
    LuaContainer *self = container_self(L, function, 2);
    container_resolve_mapping(L, self, function);
    const Snapshot *taken = check_snapshot(L, self, function);
    LuaRange *range = range_push(L);
    range_make(L, range, self->stream.device, function, container_diff(self->container, taken));
    range_of(L, -1, 1);
    return 1;
}

/* c:undo(snapshot): restores the contents of the snapshot. */
int snapshot_undo(lua_State *L)
{
    static const char function[] = "c:undo";
    LuaContainer *self = container_self(L, function, 2);
    container_resolve_mapping(L, self, function);
    Snapshot *taken = check_snapshot(L, self, function);
    binding_make(L, self->stream.device, function, container_undo(self->container, taken));
    lua_settop(L, 1);
    return 1;
}

void open_snapshot(lua_State *L)
{
    static const luaL_Reg meta[] = {{"__tostring", snapshot_tostring}, {NULL, NULL}}, methods[] = {{NULL, NULL}};
    handle_methods(L, &snapshot_type, methods);
    binding_strict(L, "a snapshot");
    handle_open(L, &snapshot_type, meta);
}
