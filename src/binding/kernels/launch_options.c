/* Determines the elements that a launch runs over: the option `over`, or by default the mapped elements of its
 * containers. */
#include "binding/kernels/kernel.h"
#include "binding/streams/container_handle.h"

#include <string.h>

/* The key of the metatable of ContainerLaunchHold in the registry. */
static const char hold_meta;

static int end_launch(lua_State *L)
{
    ContainerLaunchHold *hold = binding_userdata(L, 1, &hold_meta, sizeof *hold);
    if (hold) {
        container_launch_end(hold);
    }
    return 0;
}

static int nothing(lua_State *L)
{
    (void)L;
    return 0;
}

/* Pushes a to-be-closed userdata with the resources of the launch, which are released when the call ends. Reserves the
 * Lua stack and call frames that closing needs, since closing must not fail after the launch was issued. */
static void push_hold(lua_State *L, Call *call)
{
    if (!lua_checkstack(L, call->function->param_count + 2 * LUA_MINSTACK)) {
        luaL_error(L, "%s: out of host memory", call->function->name);
    }
    ContainerLaunchHold *hold = lua_newuserdatauv(L, sizeof *hold, 0);
    memset(hold, 0, sizeof *hold);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &hold_meta);
    lua_setmetatable(L, -2);
    lua_toclose(L, -1);
    lua_pushcfunction(L, nothing);
    lua_call(L, 0, 0);
    call->launch.hold = hold;
}

/* Finds the containers among the arguments. Must be called again after each charge of the collector, since finalizers
 * may have closed one. */
static void update_containers(lua_State *L, Call *call)
{
    for (int i = 0; i < call->function->param_count; i++) {
        bool stream = param_kinds[call->function->params[i].kind].stream && call->args[i].stream;
        const LuaContainer *c = stream ? container_to(L, call->slot[i]) : NULL;
        call->launch.containers[i] = c ? c->container : NULL;
    }
}

void call_find_over(lua_State *L, Call *call)
{
    char a[SHAPE_TEXT], b[SHAPE_TEXT];
    ContainerLaunch *launch = &call->launch;
    if (launch->contained) {
        memset(launch->fresh, 0, sizeof launch->fresh);
        memset(launch->boxes, 0, sizeof launch->boxes);
        update_containers(L, call);
        if (container_launch_holds(launch)) {
            push_hold(L, call);
        }
        binding_prepare(L, call->device);
    }
    if (!call->over_at) {
        binding_raise_unless(L, launch->active || container_launch_domain(launch, L));
        return;
    }
    const LuaRange *range = range_to(L, call->over_at);
    if (!range) {
        bool unbounded = container_launch_unbounded(launch);
        range =
            range_push_list(L, call->over_at, call->device, &launch->domain, unbounded, call->function->name, "over");
    }
    if (!shape_equal(&range->region->shape, &launch->domain)) {
        luaL_error(L, "%s: 'over' is a range of shape %s, the launch runs over %s", call->function->name,
                   shape_text(&range->region->shape, a), shape_text(&launch->domain, b));
    }
    if (range->region->list.device != call->device) {
        luaL_error(L, "%s: option 'over': the range belongs to another device", call->function->name);
    }
    launch->over = range->region;
    binding_prepare(L, call->device);
    binding_raise_unless(L, container_launch_traverse(launch));
}

void call_map_written(lua_State *L, Call *call)
{
    ContainerLaunch *launch = &call->launch;
    int64_t sizes[SHAPE_MAX_RANK];
    if (!launch->contained) {
        return;
    }
    for (int i = 0; i < call->function->param_count && !call->preview; i++) {
        if (container_launch_box_sizes(launch, i, sizes)) {
            launch->boxes[i] = call_push_active_boxes(L, call, sizes);
            update_containers(L, call);
        }
    }
    if (!call->preview) {
        binding_prepare(L, call->device);
        binding_raise_unless(L, container_launch_begin(launch, L));
        update_containers(L, call); /* their memory may have changed */
    }
}

bool call_like_container(lua_State *L, Call *call, int i)
{
    ContainerLaunch *launch = &call->launch;
    const Container *model = container_launch_model(launch, i);
    if (!model) {
        return false;
    }
    LuaContainer *made = container_push(L);
    call->slot[i] = lua_gettop(L);
    binding_prepare(L, call->device);
    launch->containers[i] = container_launch_output(launch, i, model);
    binding_raise_unless(L, launch->containers[i]);
    container_take(L, made, launch->containers[i], call->function->name);
    if (!container_keeps_boundary(made->container)) {
        kernel_inherit(call->kernel, call->args, &call->launch.domain, &made->stream);
    }
    call->args[i].stream = container_elements_of(made);
    launch->fresh[i] = true;
    update_containers(L, call);
    return true;
}

void open_launch_options(lua_State *L)
{
    static const luaL_Reg meta[] = {{"__gc", end_launch}, {"__close", end_launch}, {NULL, NULL}};
    lua_newtable(L);
    binding_metatable(L, "rill.launch", &hold_meta, meta);
}
