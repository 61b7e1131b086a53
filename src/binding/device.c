/* The device userdata, and rill.devices, device, open, sync, clock, memory, memory_limit and check. */
#include "base/timer.h"
#include "binding/binding.h"
#include "container/storage/frames.h"
#include "gpu/driver_test/driver_test.h"
#include "gpu/tuning.h"
#include "kernel/launch/tuner.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const char device_key;

static Device *device_check(lua_State *L, int index)
{
    Device **box = binding_userdata(L, index, &device_key, sizeof *box);
    if (!box) {
        luaL_error(L, "expected a device, got %s", binding_describe(L, index));
    }
    return *box;
}

/* Pushes the userdata of a device. It holds no reference, because the state keeps its devices open until it is
 * closed. */
static void device_push(lua_State *L, Device *device)
{
    Device **box = lua_newuserdatauv(L, sizeof(Device *), 0);
    *box = device;
    lua_rawgetp(L, LUA_REGISTRYINDEX, &device_key);
    lua_setmetatable(L, -2);
}

static const char *family_name(DeviceFamily family)
{
    return family == FAMILY_CPU ? "cpu" : "gpu";
}

static void push_limits(lua_State *L, const Device *device)
{
    const DeviceLimits *limits = device_limits(device);
    lua_newtable(L);
    fields_integer(L, "group_count", limits->group_count);
    fields_integer(L, "group_size", limits->group_size);
    fields_integer(L, "shared_bytes", limits->shared_bytes);
    fields_count(L, "block_bytes", limits->block_bytes);
    fields_count(L, "texture_texels", limits->texture_texels);
    fields_integer(L, "storage_blocks", limits->storage_blocks);
    fields_integer(L, "texture_units", limits->texture_units);
    fields_integer(L, "uniform_vectors", limits->uniform_vectors);
    fields_integer(L, "outputs_per_pass", limits->outputs_per_pass);
    fields_count(L, "memory_bytes", limits->memory_bytes);
    binding_strict(L, "device.limits");
}

static void push_traits(lua_State *L, const Device *device)
{
    const DeviceTraits *traits = device_traits(device);
    lua_newtable(L);
    fields_string(L, "family", family_name(traits->family));
    fields_integer(L, "subgroup_size", traits->subgroup_size);
    fields_boolean(L, "subgroup_ops", traits->subgroup_ops);
    fields_boolean(L, "subgroup_ballot", traits->subgroup_ballot);
    fields_boolean(L, "subgroup_shuffle", traits->subgroup_shuffle);
    fields_boolean(L, "synchronous", traits->synchronous);
    fields_boolean(L, "host_memory", traits->host_memory);
    fields_integer(L, "group_size", traits->group_size);
    fields_boolean(L, "buffer_textures", traits->tuning[TUNING_BUFFER_TEXTURES] != 0);
    fields_boolean(L, "exact_ranges", traits->exact_ranges);
    fields_integer(L, "loop_limit", traits->loop_limit);
    fields_boolean(L, "kept_loads", traits->kept_loads);
    fields_boolean(L, "exact_rounds", traits->exact_rounds);
    fields_boolean(L, "exact_zeros", traits->exact_zeros);
    fields_boolean(L, "group_progress", traits->group_progress);
    fields_boolean(L, "exact_division", traits->exact_division);
    fields_boolean(L, "fused_fma", traits->fused_fma);
    fields_boolean(L, "nearest_half", traits->nearest_half);
    fields_boolean(L, "denormals", traits->denormals);
    fields_boolean(L, "nans", traits->nans);
    fields_boolean(L, "exact_literals", traits->exact_literals);
    fields_boolean(L, "exact_not", traits->exact_not);
    fields_boolean(L, "stable_arrays", traits->stable_arrays);
    fields_boolean(L, "robust_access", traits->robust_access);
    fields_number(L, "barrier_ns", traits->barrier_ns);
    binding_strict(L, "device.traits");
}

/* Pushes a table by the names of the choices: the value, its source, and the measured seconds of each value. */
static void push_tuning(lua_State *L, const Device *device)
{
    static const char *const sources[] = {"default", "measured", "forced"};
    lua_createtable(L, 0, TUNING_IDS);
    for (int id = 0; id < TUNING_IDS; id++) {
        const TuningChoice *choice = &tuning_choices[id];
        const TuningResult *result = tuning_result(device, (TuningId)id);
        lua_createtable(L, 0, 3);
        fields_integer(L, "value", device_traits(device)->tuning[id]);
        fields_string(L, "source", sources[result->source]);
        lua_createtable(L, 0, choice->count);
        for (int k = 0; k < choice->count && result->source == TUNING_MEASURED; k++) {
            lua_pushnumber(L, result->seconds[k]);
            lua_rawseti(L, -2, choice->values[k]);
        }
        lua_setfield(L, -2, "seconds");
        lua_setfield(L, -2, choice->name);
    }
    binding_strict(L, "device.tuning");
}

static void push_name(lua_State *L, const Device *device)
{
    lua_pushstring(L, device_describe(device)->name);
}

static void push_vendor(lua_State *L, const Device *device)
{
    lua_pushstring(L, device_describe(device)->vendor);
}

static void push_version(lua_State *L, const Device *device)
{
    lua_pushstring(L, device_describe(device)->version);
}

static void push_software(lua_State *L, const Device *device)
{
    lua_pushboolean(L, device_describe(device)->software);
}

static void push_family(lua_State *L, const Device *device)
{
    lua_pushstring(L, family_name(device_traits(device)->family));
}

static const struct {
    const char *name;
    void (*push)(lua_State *L, const Device *device);
} fields[] = {
    {"name", push_name},     {"vendor", push_vendor}, {"version", push_version}, {"software", push_software},
    {"limits", push_limits}, {"traits", push_traits}, {"family", push_family},   {"tuning", push_tuning},
};

/* d[key]. Upvalue 1 maps field names to indices in `fields`. */
static int device_index(lua_State *L)
{
    const Device *device = device_check(L, 1);
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNUMBER) {
        return luaL_error(L,
                          "a device has no field %s (it has name vendor version software limits traits family tuning)",
                          binding_key(L, 2));
    }
    fields[lua_tointeger(L, -1)].push(L, device);
    return 1;
}

static int device_tostring(lua_State *L)
{
    const Device *device = device_check(L, 1);
    lua_pushfstring(L, "device<%s>", device_describe(device)->name);
    return 1;
}

static int device_eq(lua_State *L)
{
    lua_pushboolean(L, device_check(L, 1) == device_check(L, 2));
    return 1;
}

/* Sets the field left_out of the table on top of the stack to the list of reasons why devices are left out, if there
 * are any. */
static void push_left_out(lua_State *L)
{
    char reason[1024];
    lua_newtable(L);
    int count = 0;
    while (device_left_out(count, reason, sizeof reason)) {
        lua_pushstring(L, reason);
        lua_rawseti(L, -2, ++count);
    }
    if (count > 0) {
        lua_setfield(L, -2, "left_out");
    } else {
        lua_pop(L, 1);
    }
}

static int rill_devices(lua_State *L)
{
    int count = device_count();
    if (count < 0) {
        binding_raise(L);
    }
    binding_count(L, "rill.devices", 0, false);
    lua_createtable(L, count, 0);
    for (int i = 0; i < count; i++) {
        DeviceInfo info;
        if (!device_info(i, &info)) {
            binding_raise(L);
        }
        lua_createtable(L, 0, 5);
        fields_integer(L, "index", i + 1);
        fields_string(L, "name", info.name);
        fields_string(L, "vendor", info.vendor);
        fields_string(L, "version", info.version);
        fields_boolean(L, "software", info.software);
        lua_rawseti(L, -2, i + 1);
    }
    push_left_out(L);
    return 1;
}

/* _driver_test(): tests the driver again. Returns a list of {name =, verdict = "right" | "allowed" | "wrong", text =
 * the difference, remedy =}. */
static int rill_driver_test(lua_State *L)
{
    static const char *const verdicts[] = {"right", "allowed", "wrong"};
    Device *device = state_device(L);
    DriverTest test;
    binding_run(L, device, NULL, driver_test_run(device, &test));
    lua_createtable(L, test.count, 0);
    for (int i = 0; i < test.count; i++) {
        const DriverTestLine *line = &test.lines[i];
        lua_createtable(L, 0, 4);
        fields_string(L, "name", line->name);
        fields_string(L, "verdict", verdicts[line->verdict]);
        fields_string(L, "text", line->text);
        fields_string(L, "remedy", line->verdict == DRIVER_TEST_WRONG ? driver_test_remedy(device, line) : "");
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

/* _tune(): measures the tuned choices of the device again. Returns false if the device cannot be measured. */
static int rill_tune(lua_State *L)
{
    Device *device = state_device(L);
    lua_pushboolean(L, tuning_possible(device));
    if (tuning_possible(device)) {
        tuner_run(device);
    }
    return 1;
}

static int rill_device(lua_State *L)
{
    binding_count(L, "rill.device", 0, false);
    device_push(L, state_device(L));
    return 1;
}

static int rill_open(lua_State *L)
{
    char text[32];
    const char *which = NULL;
    binding_count(L, "rill.open", 1, false);
    if (lua_type(L, 1) == LUA_TSTRING) {
        which = lua_tostring(L, 1);
    } else if (lua_type(L, 1) == LUA_TNUMBER) {
        snprintf(text, sizeof text, "%lld", (long long)binding_integer(L, 1, "rill.open", 1, "which"));
        which = text;
    } else if (!lua_isnoneornil(L, 1)) {
        binding_argument(L, "rill.open", 1, "which", 1, "an index or a part of a name");
    }
    if (state_get(L)->closed) {
        return luaL_error(L, "rill: this Lua state is closing");
    }
    Device *device = device_open(which);
    if (!device) {
        error_prefix("rill.open");
        binding_raise(L);
    }
    state_use_device(L, device);
    device_push(L, device);
    return 1;
}

static int rill_sync(lua_State *L)
{
    binding_count(L, "rill.sync", 0, false);
    Device *device = state_device(L);
    binding_run(L, device, NULL, device_wait(device));
    return 0;
}

static int rill_clock(lua_State *L)
{
    lua_pushnumber(L, timer_clock());
    return 1;
}

static int rill_memory(lua_State *L)
{
    binding_count(L, "rill.memory", 0, false);
    binding_charge(L, NULL); /* closes the values whose closing was deferred */
    DeviceMemory memory = device_memory(state_device(L));
    lua_createtable(L, 0, 7);
    fields_count(L, "bytes", memory.bytes);
    fields_count(L, "peak", memory.peak);
    fields_count(L, "pooled", memory.pooled);
    fields_count(L, "limit", memory.limit);
    fields_count(L, "streams", memory.buffers);
    fields_count(L, "structs", type_struct_count());
    fields_integer(L, "pages", frames_count());
    return 1;
}

/* _reads(): returns the number of reads from the current device to the host. */
static int rill_reads(lua_State *L)
{
    lua_pushinteger(L, (lua_Integer)device_memory(state_device(L)).reads);
    return 1;
}

/* rill.memory_limit(bytes): sets the memory limit; 0 or nil removes it. */
static int rill_memory_limit(lua_State *L)
{
    binding_count(L, "rill.memory_limit", 1, false);
    lua_Integer bytes = lua_isnoneornil(L, 1) ? 0 : binding_integer(L, 1, "rill.memory_limit", 1, "bytes");
    if (bytes < 0) {
        binding_argument(L, "rill.memory_limit", 1, "bytes", 1, "a number of bytes, or 0 for no limit");
    }
    Device *device = state_device(L);
    binding_run(L, device, NULL, (device_memory_limit(device, (uint64_t)bytes), true));
    return 0;
}

/* rill.check([on]): sets whether kernels are checked if an argument is given. Returns the previous setting. */
static int rill_check(lua_State *L)
{
    State *state = state_get(L);
    binding_count(L, "rill.check", 1, false);
    if (lua_gettop(L) > 0 && !lua_isboolean(L, 1)) {
        binding_argument(L, "rill.check", 1, "on", 1, "true or false");
    }
    bool before = state->check;
    if (lua_gettop(L) > 0) {
        state->check = lua_toboolean(L, 1);
    }
    lua_pushboolean(L, before);
    return 1;
}

/* _terminal(): returns whether standard output is a terminal, its columns and lines (80 and 24 if unknown), and the
 * width and height of a character in pixels (0 and 0 if unknown). */
static int rill_terminal(lua_State *L)
{
    struct winsize size = {0};
    bool terminal = isatty(STDOUT_FILENO);
    if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) {
        size = (struct winsize){0};
    }
    lua_pushboolean(L, terminal);
    int columns = size.ws_col ? size.ws_col : 80, lines = size.ws_row ? size.ws_row : 24;
    lua_pushinteger(L, columns);
    lua_pushinteger(L, lines);
    lua_pushinteger(L, size.ws_xpixel / columns);
    lua_pushinteger(L, size.ws_ypixel / lines);
    return 5;
}

void open_device(lua_State *L)
{
    static const luaL_Reg meta[] = {
        {"__tostring", device_tostring}, {"__eq", device_eq}, {"__close", binding_close_nothing}, {NULL, NULL}};
    static const luaL_Reg functions[] = {
        {"devices", rill_devices},
        {"device", rill_device},
        {"open", rill_open},
        {"sync", rill_sync},
        {"clock", rill_clock},
        {"memory", rill_memory},
        {"memory_limit", rill_memory_limit},
        {"check", rill_check},
        {"_reads", rill_reads},
        {"_terminal", rill_terminal},
        {"_driver_test", rill_driver_test},
        {"_tune", rill_tune},
        {NULL, NULL},
    };
    lua_newtable(L);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        fields_count(L, fields[i].name, i);
    }
    lua_pushcclosure(L, device_index, 1);
    binding_metatable(L, "rill.device", &device_key, meta);
    luaL_setfuncs(L, functions, 0);
}
