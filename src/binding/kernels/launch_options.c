/* What a launch runs over: the option `over`, and without it what is mapped of its containers. */
#include "binding/kernels/kernel.h"
#include "binding/streams/container_handle.h"
#include "kernel/variant/address_map.h"

#include <string.h>

/* The container that parameter i is given along the launch's shape, or NULL. */
static LuaContainer *container_along(lua_State *L, const Call *call, int i)
{
    bool along = param_kinds[call->function->params[i].kind].along && call->args[i].stream;
    LuaContainer *c = along ? container_to(L, call->slot[i]) : NULL;
    return c && c->container ? c : NULL;
}

/* The different containers along the shape; 0 where one of them is mapped wholly, or has another shape. */
static int find_containers(lua_State *L, const Call *call, Container *found[MAX_PARAMS])
{
    int count = 0;
    for (int i = 0; i < call->function->param_count; i++) {
        LuaContainer *c = container_along(L, call, i);
        bool known = !c;
        if (c) {
            container_asked(L, c, call->function->name);
        }
        bool parted = c && container_partial(c->container);
        if (c && (!parted || !shape_equal(&container_elements_of(c)->shape, &call->domain))) {
            return 0;
        }
        for (int k = 0; k < count && !known; k++) {
            known = found[k] == c->container;
        }
        if (!known) {
            found[count++] = c->container;
        }
    }
    return count;
}

/* The mapped parts of all containers, joined. */
static void join_containers(lua_State *L, Call *call)
{
    Container *found[MAX_PARAMS];
    Region *parts[MAX_PARAMS], *joined = NULL;
    int count = find_containers(L, call, found);
    if (count == 0) {
        return;
    }
    LuaRange *range = range_push(L);
    bool done = true;
    DeviceScope scope;
    binding_enter(L, call->device, &scope);
    for (int k = 0; k < count && done; k++) {
        parts[k] = container_active(found[k]);
        done = parts[k] != NULL;
    }
    joined = done ? region_union(parts, count) : NULL;
    device_leave(&scope);
    range_take(L, range, joined, call->function->name);
    call->over = range->region;
}

static bool runs_unbounded(lua_State *L, const Call *call)
{
    bool found = false;
    for (int i = 0; call->contained && i < call->function->param_count && !found; i++) {
        const LuaContainer *c = container_along(L, call, i);
        found = c && !container_bounded(c->container);
    }
    return found;
}

/* The sizes of the pages of the container that is written, or of another one, that it runs over; NULL: there is none. */
static const int64_t *pages_along(lua_State *L, const Call *call)
{
    const int64_t *found = NULL;
    for (int i = 0; call->contained && i < call->function->param_count; i++) {
        const LuaContainer *c = container_along(L, call, i);
        const AddressMap *map = c ? c->stream.map : NULL;
        bool written = param_kinds[call->function->params[i].kind].written;
        found = map && map->run_unit && (!found || written) ? map->run : found;
    }
    return found;
}

/* Whether a stream is read whose memory the launch writes. */
static bool reads_written(const Call *call, const Stream *written)
{
    bool reads = false;
    for (int i = 0; i < call->function->param_count; i++) {
        const ParamKindInfo *kind = &param_kinds[call->function->params[i].kind];
        const Stream *s = kind->stream && kind->read ? call->args[i].stream : NULL;
        reads = reads || (s && !s->map && s->buffer == written->buffer);
    }
    return reads;
}

/* Whether a launch may be two, one behind the other: what the first writes, the second does not read. */
static bool writes_containers(const Call *call)
{
    bool containers = true;
    for (int i = 0; i < call->function->param_count; i++) {
        const ParamKindInfo *kind = &param_kinds[call->function->params[i].kind];
        const Stream *s = kind->stream && kind->written ? call->args[i].stream : NULL; /* NULL: it will be a new one */
        containers = containers && !(kind->written && kind->anywhere) && (!s || (s->map && !reads_written(call, s)));
    }
    return containers;
}

/* Boxes are walked page by page, but where what is pushed comes in their order. */
static void find_walk(lua_State *L, Call *call, Region *region)
{
    const int64_t *page = pages_along(L, call);
    if (!page || kernel_counting(call->kernel) || call->function->group_rank) {
        return;
    }
    DeviceScope scope;
    LuaRange *range = range_push(L); /* holds it during the call */
    binding_enter(L, call->device, &scope);
    Region *walked = region_page_cover(region, page, writes_containers(call));
    walked = walked ? region_retain(walked) : NULL;
    device_leave(&scope);
    range_take(L, range, walked, call->function->name);
    call->walked = walked == region ? NULL : walked;
}

void call_find_over(lua_State *L, Call *call)
{
    char a[SHAPE_TEXT], b[SHAPE_TEXT];
    if (call->contained && !call->over_at && !call->active) {
        join_containers(L, call);
    }
    if (!call->over_at) {
        return;
    }
    const LuaRange *range = range_to(L, call->over_at);
    if (!range) {
        bool unbounded = runs_unbounded(L, call);
        range = range_push_list(L, call->over_at, call->device, &call->domain, unbounded, call->function->name, "over");
    }
    if (!shape_equal(&range->region->shape, &call->domain)) {
        luaL_error(L, "%s: 'over' is a range of shape %s, the launch runs over %s", call->function->name,
                   shape_text(&range->region->shape, a), shape_text(&call->domain, b));
    }
    if (range->region->list.device != call->device) {
        luaL_error(L, "%s: option 'over': the range belongs to another device", call->function->name);
    }
    call->over = range->region;
    find_walk(L, call, range->region);
}

/* The containers whose pages are noted until the launch is issued; they are held. */
typedef struct Mapped {
    int count;
    bool stay;
    Container *containers[MAX_PARAMS];
} Mapped;

/* The registry holds the metatable under its address. */
static const char mapped_meta;

static int settle_mapped(lua_State *L)
{
    Mapped *mapped = binding_userdata(L, 1, &mapped_meta, sizeof *mapped);
    DeviceScope scope;
    while (mapped && mapped->count > 0) {
        Container *c = mapped->containers[--mapped->count];
        Device *device = device_retain(container_whole(c)->device); /* the container may hold the last reference */
        bool entered = device_enter(device, &scope);
        container_settle(c, mapped->stay);
        container_release(c);
        if (entered) {
            device_leave(&scope);
        }
        device_release(device);
    }
    return 0;
}

void call_launched(Call *call)
{
    if (call->mapped) {
        call->mapped->stay = true;
    }
}

static int nothing(lua_State *L)
{
    (void)L;
    return 0;
}

/* Before pages of a container are mapped. What Lua needs to call the function that closes it is there from now on: once the launch is issued nothing
 * may be missing. */
static void note_mapped(lua_State *L, Call *call, Container *c)
{
    if (!call->mapped) {
        luaL_checkstack(L, call->function->param_count + 2 * LUA_MINSTACK, "too many arguments");
        call->mapped = lua_newuserdatauv(L, sizeof *call->mapped, 0);
        call->mapped->count = 0;
        call->mapped->stay = false;
        lua_rawgetp(L, LUA_REGISTRYINDEX, &mapped_meta);
        lua_setmetatable(L, -2);
        lua_toclose(L, -1);
        lua_pushcfunction(L, nothing);
        lua_call(L, 0, 0);
    }
    call->mapped->containers[call->mapped->count++] = container_retain(c);
    container_note(c);
}

static void map_written(lua_State *L, Call *call, LuaContainer *c, const Param *param)
{
    static const int64_t origin[SHAPE_MAX_RANK];
    bool some = call->active && container_partial(c->container);
    const Region *region = some ? call_active_pages(L, call, c) : call->over;
    const PageSet *set = region ? region_set(region, call->function->group_rank > 0) : NULL;
    if (container_pooled(c->container) && !(set && container_is_ready(c->container, region))) {
        note_mapped(L, call, c->container);
    }
    const char *label = lua_pushfstring(L, "%s: argument '%s'", call->function->name, param->name);
    if (set && kernel_page_elements(set, call->domain.rank) <= SHAPE_MAX_ELEMENTS) {
        container_map_region(L, c, region, label);
    } else if (!set && stream_elements(&c->stream) <= SHAPE_MAX_ELEMENTS) {
        int64_t last[SHAPE_MAX_RANK]; /* the header may change */
        memcpy(last, c->stream.shape.size, sizeof last);
        container_make_mapped(L, c, origin, last, label);
    }
    lua_pop(L, 1);
}

/* Before any element may be written. */
static void unshare(lua_State *L, Call *call, LuaContainer *c)
{
    DeviceScope scope;
    if (container_pooled(c->container) && container_shares(c->container)) {
        note_mapped(L, call, c->container);
    }
    binding_enter(L, call->device, &scope);
    bool done = container_ready_mapped(c->container);
    device_leave(&scope);
    container_done(L, c, done, call->function->name);
}

/* Launches over more elements than there may be are refused later. What is made like a container without pages is mapped where that is. */
void call_map_written(lua_State *L, Call *call)
{
    const Function *f = call->function;
    for (int i = 0; i < f->param_count && call->contained && !call->preview; i++) {
        const ParamKindInfo *kind = &param_kinds[f->params[i].kind];
        LuaContainer *c = kind->written && kind->stream && call->args[i].stream ? container_to(L, call->slot[i]) : NULL;
        if (c && c->container && (kind->anywhere || container_is_lists(c->container))) {
            unshare(L, call, c);
            continue;
        }
        c = kind->written ? container_along(L, call, i) : NULL;
        if (c && (!call->like[i] || container_paged(c->container) || container_pooled(c->container))) {
            map_written(L, call, c, &f->params[i]);
        }
    }
    for (int i = 0; i < f->param_count && call->contained; i++) { /* the memory of some may be another one */
        if (call->slot[i]) {
            container_to(L, call->slot[i]);
        }
    }
}

bool call_like_container(lua_State *L, Call *call, int i)
{
    const Function *f = call->function;
    const LuaContainer *first = NULL;
    for (int k = 0; call->contained && k < f->param_count && !first; k++) {
        first = container_along(L, call, k);
        first = first && shape_equal(&container_elements_of(first)->shape, &call->domain) ? first : NULL;
    }
    if (!first || f->params[i].kind != PARAM_OUTPUT) {
        return false;
    }
    LuaContainer *made = container_push(L);
    call->slot[i] = lua_gettop(L);
    DeviceScope scope;
    binding_enter(L, call->device, &scope);
    Container *c = container_like(first->container, f->params[i].type);
    device_leave(&scope);
    container_take(L, made, c, f->name);
    call->args[i].stream = container_elements_of(made);
    call->like[i] = true;
    return true;
}

void open_launch_options(lua_State *L)
{
    static const luaL_Reg meta[] = {{"__gc", settle_mapped}, {"__close", settle_mapped}, {NULL, NULL}};
    lua_newtable(L);
    binding_metatable(L, "rill.mapped", &mapped_meta, meta);
}
