/* Mesh files: functions for rill.mesh.load and M:save. */
#include "binding/binding.h"

#include "io/mesh/formats.h"
#include "kernel/host/packed.h"

#include <stdlib.h>

static bool upload_owned(Device *device, const MeshData *mesh, const float *numbers, int width, MeshOwner owner,
                         Stream *result)
{
    Shape shape = {.rank = 1, .size = {(int64_t)mesh_count(mesh, owner)}};
    if (owner == MESH_CORNERS) {
        shape = (Shape){.rank = 2, .size = {(int64_t)mesh->faces, 3}};
    }
    return packed_stream(device, type_of(SCALAR_FLOAT, width), &shape, numbers, result);
}

/* Creates the streams of positions and triangles, and of normals, uv and colors if the mesh has them. */
static bool upload(Device *device, const MeshData *mesh, Stream *const streams[5])
{
    Shape vertices = {.rank = 1, .size = {(int64_t)mesh->vertices}},
          faces = {.rank = 1, .size = {(int64_t)mesh->faces}};
    const Type *type = type_of(mesh->reading.doubles ? SCALAR_DOUBLE : SCALAR_FLOAT, 3);
    const void *positions = mesh->reading.doubles ? (const void *)mesh->exact : mesh->positions;
    return packed_stream(device, type, &vertices, positions, streams[0]) &&
           packed_stream(device, type_of(SCALAR_INT, 3), &faces, mesh->triangles, streams[1]) &&
           (mesh->normal_owner == MESH_NONE ||
            upload_owned(device, mesh, mesh->normals, 3, mesh->normal_owner, streams[2])) &&
           (mesh->uv_owner == MESH_NONE || upload_owned(device, mesh, mesh->uv, 2, mesh->uv_owner, streams[3])) &&
           (!mesh->colors || packed_stream(device, type_of(SCALAR_FLOAT, 3), &vertices, mesh->colors, streams[4]));
}

static bool load_streams(Device *device, const char *path, MeshReading reading, Stream *const streams[5])
{
    MeshData mesh;
    bool done = mesh_load(path, reading, &mesh) && upload(device, &mesh, streams);
    mesh_free(&mesh);
    return done;
}

/* _mesh_load(path, skip, function, doubles, invalid): returns streams of positions, triangles, normals, uv and colors; false
 * for those that are missing. function: the name in messages. Default: "rill.mesh.load". doubles: positions are dvec3.
 * invalid: vertices may have numbers that are not finite. */
static int load(lua_State *L)
{
    const char *function = luaL_optstring(L, 3, "rill.mesh.load");
    const char *path = argument_path(L, 1, function, 1, "path");
    MeshReading reading = {lua_toboolean(L, 2), lua_toboolean(L, 4), lua_toboolean(L, 5)};
    Device *device = state_device(L);
    lua_settop(L, 3);
    Stream *streams[5];
    for (int i = 0; i < 5; i++) {
        streams[i] = stream_handle_push(L);
    }
    binding_run(L, device, function, load_streams(device, path, reading, streams));
    for (int i = 2; i < 5; i++) {
        if (!streams[i]->device) {
            lua_pushboolean(L, false);
            lua_replace(L, 4 + i);
        }
    }
    binding_charge(L, device);
    return 5;
}

/* _mesh_parse(path, skip): returns the numbers of vertices and triangles in a file, and both as packed bytes. Does not
 * need a device. */
static int parse(lua_State *L)
{
    const char *path = argument_path(L, 1, "rill.mesh.load", 1, "path");
    MeshData mesh;
    if (!mesh_load(path, (MeshReading){.skip = lua_toboolean(L, 2)}, &mesh)) {
        mesh_free(&mesh);
        error_prefix("rill.mesh.load");
        binding_raise(L);
    }
    lua_settop(L, 0);
    lua_pushinteger(L, (lua_Integer)mesh.vertices);
    lua_pushinteger(L, (lua_Integer)mesh.faces);
    lua_pushlstring(L, (const char *)mesh.positions, 12 * mesh.vertices);
    lua_pushlstring(L, (const char *)mesh.triangles, 12 * mesh.faces);
    mesh_free(&mesh);
    return 4;
}

/* Returns whether a stream has one element per corner, vertex or face. If there are as many vertices as faces it
 * belongs to the vertices. */
static MeshOwner owner_of(const Stream *stream, const MeshData *mesh)
{
    return stream->shape.rank == 2                             ? MESH_CORNERS
           : (size_t)stream_elements(stream) == mesh->vertices ? MESH_VERTICES
                                                               : MESH_FACES;
}

/* Reads the streams of positions, triangles, normals, uv and colors; all but positions may be NULL. Positions of doubles are
 * read as MeshData.exact, for PLY and XYZ files. */
static bool fetch(const Stream *const streams[5], MeshData *mesh)
{
    mesh->vertices = (size_t)stream_elements(streams[0]);
    mesh->faces = streams[1] ? (size_t)stream_elements(streams[1]) : 0;
    if (streams[0]->type->scalar == SCALAR_DOUBLE) {
        mesh->exact = packed_bytes(streams[0]);
    } else {
        mesh->positions = packed_bytes(streams[0]);
    }
    mesh->triangles = streams[1] ? packed_bytes(streams[1]) : NULL;
    bool done = (mesh->positions || mesh->exact) && (mesh->triangles || !streams[1]);
    if (done && streams[2]) {
        mesh->normal_owner = owner_of(streams[2], mesh);
        done = (mesh->normals = packed_bytes(streams[2])) != NULL;
    }
    if (done && streams[3]) {
        mesh->uv_owner = owner_of(streams[3], mesh);
        done = (mesh->uv = packed_bytes(streams[3])) != NULL;
    }
    if (done && streams[4]) {
        done = (mesh->colors = packed_bytes(streams[4])) != NULL;
    }
    return done;
}

static bool save_streams(const char *path, const Stream *const streams[5], const MeshEncoding *encoding)
{
    MeshData mesh = {0};
    bool done = fetch(streams, &mesh) && mesh_save(path, &mesh, encoding);
    mesh_free(&mesh);
    return done;
}

/* _mesh_save(path, encoding, positions, triangles, normals, uv, colors, function): writes a file. encoding: "ascii", "little",
 * "big" or nil; the streams after positions may be false. function: the name in messages. Default: "M:save". */
static int save(lua_State *L)
{
    const char *function = luaL_optstring(L, 8, "M:save");
    static const char *const encodings[] = {"", "ascii", "little", "big", NULL};
    const char *path = argument_path(L, 1, function, 1, "path");
    int option = luaL_checkoption(L, 2, "", encodings);
    MeshEncoding encoding = (MeshEncoding)(option - 1);
    const Stream *streams[5] = {accept_check(L, 3, function, 1, "positions")};
    for (int i = 1; i < 5; i++) {
        streams[i] = lua_toboolean(L, 3 + i) ? accept_check(L, 3 + i, function, 1 + i, "attribute") : NULL;
    }
    binding_run(L, streams[0]->device, function, save_streams(path, streams, option > 0 ? &encoding : NULL));
    return 0;
}

void open_mesh(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"_mesh_load", load}, {"_mesh_parse", parse}, {"_mesh_save", save}, {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
}
