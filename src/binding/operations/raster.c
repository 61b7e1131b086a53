/* The device's rasterizer, for rill.render and rill.reuse.driver, which check all arguments. */
#include "binding/binding.h"

#include "gpu/raster/raster.h"
#include "kernel/launch/copy.h"

static const char *const passes[] = {"visible", "depth", "hits", "layers", "next", "invocations", NULL};

/* Returns the triangles on top of the stack, packed. May push a copy. */
static const Stream *take_triangles(lua_State *L, const char *function)
{
    const Stream *s = accept_check(L, -1, function, 1, "triangles");
    if (!s->contiguous || s->source != SOURCE_BUFFER) {
        Stream *copy = stream_handle_push(L);
        binding_make(L, s->device, function, copy_whole(s, NULL, "rill.render: the stream of triangles", copy));
        s = copy;
    }
    return s;
}

/* Reads {clips or false, triangles, base} at the top of the stack. Leaves the streams on the stack. */
static RasterMesh take_mesh(lua_State *L, const char *function)
{
    int at = lua_gettop(L);
    luaL_checkstack(L, 8, NULL);
    lua_rawgeti(L, at, 3);
    RasterMesh mesh = {.base = (int)luaL_checkinteger(L, -1)};
    lua_rawgeti(L, at, 1);
    if (lua_toboolean(L, -1)) {
        const Stream *clips = accept_check(L, -1, function, 1, "clips");
        mesh.clips = clips->buffer;
        mesh.vertices = (uint64_t)stream_elements(clips);
    }
    lua_rawgeti(L, at, 2);
    const Stream *triangles = take_triangles(L, function);
    mesh.triangles = triangles->buffer;
    mesh.offset = (uint64_t)triangles->offset * 12;
    mesh.faces = (uint64_t)stream_elements(triangles);
    return mesh;
}

static Buffer *optional_buffer(lua_State *L, int index, const char *function)
{
    return lua_isnoneornil(L, index) ? NULL : accept_check(L, index, function, 1, "buffer")->buffer;
}

/* _rasterize(function, pass, columns, rows, {{clips, triangles, base}, ...}, target, depth or nil, solid or nil, last or nil): see
 * src/gpu/raster/raster.h. The streams other than triangles are whole buffers. */
static int rasterize(lua_State *L)
{
    const char *function = luaL_checkstring(L, 1);
    lua_settop(L, 9);
    RasterRun run = {.pass = (RasterPass)luaL_checkoption(L, 2, NULL, passes),
                     .columns = (int)luaL_checkinteger(L, 3),
                     .rows = (int)luaL_checkinteger(L, 4),
                     .mesh_count = (int)luaL_len(L, 5)};
    const Stream *target = accept_check(L, 6, function, 1, "target");
    run.target = target->buffer;
    run.depth = optional_buffer(L, 7, function);
    run.solid = optional_buffer(L, 8, function);
    run.last = optional_buffer(L, 9, function);
    RasterMesh *meshes = scratch_push(L, (size_t)run.mesh_count * sizeof *meshes + 1);
    run.meshes = meshes;
    for (int i = 0; i < run.mesh_count; i++) {
        lua_rawgeti(L, 5, i + 1);
        meshes[i] = take_mesh(L, function);
    }
    binding_make(L, target->device, function, raster_run(target->device, &run));
    return 0;
}

/* _raster_supports(function, columns, rows): raises if the device cannot draw images of this size. */
static int raster_supported(lua_State *L)
{
    const char *function = luaL_checkstring(L, 1);
    int columns = (int)luaL_checkinteger(L, 2), rows = (int)luaL_checkinteger(L, 3);
    Device *device = state_device(L);
    binding_run(L, device, function, raster_supports(device, columns, rows));
    return 0;
}

void open_raster(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"_rasterize", rasterize}, {"_raster_supports", raster_supported}, {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
}
