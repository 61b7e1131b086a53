/* The Lua module `peer`: every function makes the peers' context current, runs, and restores the caller's. */
#include "peer.h"
#include "peers.h"
#include "works.h"

#include <lauxlib.h>
#include <lua.h>
#include <stdlib.h>
#include <string.h>

static int runs_argument(lua_State *L, int index)
{
    lua_Integer runs = luaL_optinteger(L, index, 1);
    luaL_argcheck(L, runs >= 1 && runs <= 100000000, index, "a count of at least 1 expected");
    return (int)runs;
}

static int seconds(lua_State *L, double value)
{
    peer_leave();
    lua_pushnumber(L, value);
    return 1;
}

/* peer.info() -> the OpenGL renderer, its version */
static int lua_info(lua_State *L)
{
    peer_enter();
    lua_pushstring(L, (const char *)glGetString(GL_RENDERER));
    lua_pushstring(L, (const char *)glGetString(GL_VERSION));
    peer_leave();
    return 2;
}

/* peer.saxpy_naive(group [, runs]) -> seconds per run */
static int lua_saxpy_naive(lua_State *L)
{
    int group = (int)luaL_checkinteger(L, 1), runs = runs_argument(L, 2);
    peer_enter();
    return seconds(L, peer_saxpy_naive(group, runs));
}

/* peer.saxpy_tuned([runs]) -> seconds per run */
static int lua_saxpy_tuned(lua_State *L)
{
    int runs = runs_argument(L, 1);
    peer_enter();
    return seconds(L, peer_saxpy_tuned(runs));
}

/* peer.sum_c([runs]) -> seconds per run, sum */
static int lua_sum_c(lua_State *L)
{
    float sum = 0;
    lua_pushnumber(L, peer_sum_c(runs_argument(L, 1), &sum));
    lua_pushnumber(L, sum);
    return 2;
}

/* peer.sum_tuned([runs]) -> seconds per run, sum */
static int lua_sum_tuned(lua_State *L)
{
    int runs = runs_argument(L, 1);
    float sum = 0;
    peer_enter();
    seconds(L, peer_sum_tuned(runs, &sum));
    lua_pushnumber(L, sum);
    return 2;
}

/* peer.jacobi_naive(group_width, group_height [, runs]) -> seconds per run */
static int lua_jacobi_naive(lua_State *L)
{
    int width = (int)luaL_checkinteger(L, 1), height = (int)luaL_checkinteger(L, 2), runs = runs_argument(L, 3);
    peer_enter();
    return seconds(L, peer_jacobi_naive(width, height, runs));
}

/* peer.jacobi_tuned([runs]) -> seconds per run */
static int lua_jacobi_tuned(lua_State *L)
{
    int runs = runs_argument(L, 1);
    peer_enter();
    return seconds(L, peer_jacobi_tuned(runs));
}

/* peer.launch([runs]) -> seconds per launch */
static int lua_launch(lua_State *L)
{
    int runs = runs_argument(L, 1);
    peer_enter();
    return seconds(L, peer_launch(runs));
}

/* peer.smoke_step([n]) -> seconds per step */
static int lua_smoke_step(lua_State *L)
{
    int runs = runs_argument(L, 1);
    peer_enter();
    return seconds(L, peer_smoke_step(runs));
}

static int lua_smoke_reset(lua_State *L)
{
    (void)L;
    peer_enter();
    peer_smoke_reset();
    peer_leave();
    return 0;
}

/* peer.smoke_read("velocity" | "smoke" | "pressure" | "divergence") -> packed little-endian floats */
static int lua_smoke_read(lua_State *L)
{
    static const char *const names[] = {"velocity", "smoke", "pressure", "divergence", NULL};
    PeerSmokeField which = (PeerSmokeField)luaL_checkoption(L, 1, NULL, names);
    peer_enter();
    size_t bytes = peer_smoke_read(which, NULL);
    luaL_Buffer buffer;
    peer_smoke_read(which, (float *)(void *)luaL_buffinitsize(L, &buffer, bytes));
    luaL_pushresultsize(&buffer, bytes);
    peer_leave();
    return 1;
}

static float field(lua_State *L, const char *name)
{
    lua_getfield(L, 1, name);
    float value = (float)luaL_checknumber(L, -1);
    lua_pop(L, 1);
    return value;
}

/* peer.sph({dimensions=, radius=, mass=, rest=, sound=, viscosity=, gravity=}, packed floats, before, runs) -> seconds of a step, packed floats */
static int lua_sph(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    size_t bytes;
    const char *given = luaL_checklstring(L, 2, &bytes);
    PeerSph how = {.dimensions = (int)field(L, "dimensions"),
                   .radius = field(L, "radius"),
                   .mass = field(L, "mass"),
                   .rest = field(L, "rest"),
                   .sound = field(L, "sound"),
                   .viscosity = field(L, "viscosity"),
                   .gravity = field(L, "gravity")};
    how.count = (int)(bytes / sizeof(float)) / how.dimensions;
    float *places = lua_newuserdatauv(L, bytes, 0);
    memcpy(places, given, bytes);
    lua_pushnumber(L, peer_sph(&how, places, (int)luaL_checkinteger(L, 3), runs_argument(L, 4)));
    lua_pushlstring(L, (const char *)places, bytes);
    return 2;
}

/* peer.motion({rows=, columns=, dt=, numbers...}, kind, packed x, packed v, before, runs) -> seconds of a step, packed x */
static int lua_motion(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    const char *kind = luaL_checkstring(L, 2);
    size_t bytes, other;
    const char *x = luaL_checklstring(L, 3, &bytes), *v = luaL_checklstring(L, 4, &other);
    luaL_argcheck(L, bytes == other, 4, "as many bytes as the third expected");
    PeerMotion given = {.rows = (int)field(L, "rows"), .columns = (int)field(L, "columns"), .dt = field(L, "dt")};
    for (int k = 0; k < 4; k++) {
        lua_geti(L, 1, k + 1);
        given.numbers[k] = (float)luaL_optnumber(L, -1, 0);
        lua_pop(L, 1);
    }
    float *memory = lua_newuserdatauv(L, 3 * bytes, 0);
    given.x = memory, given.v = memory + bytes / sizeof(float);
    memcpy(given.x, x, bytes);
    memcpy(given.v, v, bytes);
    float *after = given.v + bytes / sizeof(float);
    lua_pushnumber(L, peer_motion(kind, &given, bytes, after, (int)luaL_checkinteger(L, 5), runs_argument(L, 6)));
    lua_pushlstring(L, (const char *)after, bytes);
    return 2;
}

/* peer.multigrid(n, packed doubles, tolerance) -> seconds, cycles, residual */
static int lua_multigrid(lua_State *L)
{
    size_t n = (size_t)luaL_checkinteger(L, 1), bytes;
    const char *b = luaL_checklstring(L, 2, &bytes);
    luaL_argcheck(L, n >= 1 && (n & (n + 1)) == 0, 1, "2^k - 1 expected");
    luaL_argcheck(L, bytes == n * n * sizeof(double), 2, "n x n doubles expected");
    int cycles;
    double reached;
    lua_pushnumber(L, peer_multigrid(n, (const double *)(const void *)b, luaL_checknumber(L, 3), &cycles, &reached));
    lua_pushinteger(L, cycles);
    lua_pushnumber(L, reached);
    return 3;
}

/* peer.fluid(n, packed floats, warm, steps) -> seconds per step, divergence left */
static int lua_fluid(lua_State *L)
{
    int n = (int)luaL_checkinteger(L, 1);
    size_t bytes;
    const char *begin = luaL_checklstring(L, 2, &bytes);
    luaL_argcheck(L, n >= 2 && bytes == (size_t)n * (size_t)n * (size_t)n * sizeof(float), 2,
                  "n x n x n floats expected");
    double left;
    lua_pushnumber(L, peer_fluid(n, (const float *)(const void *)begin, (int)luaL_checkinteger(L, 3),
                                 (int)luaL_checkinteger(L, 4), &left));
    lua_pushnumber(L, left);
    return 2;
}

/* peer.march(n, packed floats, size, degrees, x, y, z of the eye) -> seconds, packed floats */
static int lua_march(lua_State *L)
{
    int n = (int)luaL_checkinteger(L, 1), size = (int)luaL_checkinteger(L, 3);
    size_t bytes;
    const char *volume = luaL_checklstring(L, 2, &bytes);
    luaL_argcheck(L, n >= 1 && bytes == (size_t)n * (size_t)n * (size_t)n * sizeof(float), 2,
                  "n x n x n floats expected");
    luaL_argcheck(L, size >= 1 && size <= 4096, 3, "1 to 4096 expected");
    float eye[3];
    for (int d = 0; d < 3; d++) eye[d] = (float)luaL_checknumber(L, 5 + d);
    size_t taken = (size_t)size * (size_t)size * 3 * sizeof(float);
    float *picture = lua_newuserdatauv(L, taken, 0);
    lua_pushnumber(
        L, peer_march(n, (const float *)(const void *)volume, eye, (float)luaL_checknumber(L, 4), size, picture));
    lua_pushlstring(L, (const char *)picture, taken);
    return 2;
}

/* peer.draw(packed positions, packed normals, packed triangles, columns, rows, {27 numbers}, runs, side) -> seconds, packed floats */
static int lua_draw(lua_State *L)
{
    size_t places, normals, triangles;
    PeerDraw given = {.columns = (int)luaL_checkinteger(L, 4),
                      .rows = (int)luaL_checkinteger(L, 5),
                      .side = (int)luaL_checkinteger(L, 8)};
    given.places = (const float *)(const void *)luaL_checklstring(L, 1, &places);
    given.normals = (const float *)(const void *)luaL_checklstring(L, 2, &normals);
    given.triangles = (const int *)(const void *)luaL_checklstring(L, 3, &triangles);
    luaL_argcheck(L, places == normals, 2, "as many bytes as the first expected");
    luaL_checktype(L, 6, LUA_TTABLE);
    given.vertices = (int)(places / 12), given.faces = (int)(triangles / 12);
    for (int i = 0; i < 3 * PEER_DRAW_VECTORS + 3; i++) {
        lua_geti(L, 6, i + 1);
        float *to = i < 3 * PEER_DRAW_VECTORS ? given.vectors[i / 3] : given.background;
        to[i % 3] = (float)luaL_checknumber(L, -1);
        lua_pop(L, 1);
    }
    size_t bytes = (size_t)given.columns * (size_t)given.rows * 12;
    float *picture = lua_newuserdatauv(L, bytes, 0);
    peer_enter();
    double taken = peer_draw(&given, picture, runs_argument(L, 7));
    seconds(L, taken);
    lua_pushlstring(L, (const char *)picture, bytes);
    return 2;
}

/* peer.obj(path) -> seconds, vertices, faces */
static int lua_obj(lua_State *L)
{
    int vertices, faces;
    lua_pushnumber(L, peer_obj(luaL_checkstring(L, 1), &vertices, &faces));
    lua_pushinteger(L, vertices);
    lua_pushinteger(L, faces);
    return 3;
}

/* peer.loop(packed positions, packed triangles) -> seconds, packed positions, packed triangles */
static int lua_loop(lua_State *L)
{
    size_t places, triangles;
    const char *p = luaL_checklstring(L, 1, &places), *t = luaL_checklstring(L, 2, &triangles);
    size_t more = places + triangles / 12 * 3 / 2 * 12; /* a closed mesh gets one new vertex per edge */
    float *out = lua_newuserdatauv(L, more, 0);
    int *split = lua_newuserdatauv(L, 4 * triangles, 0);
    lua_pushnumber(L, peer_loop((const float *)(const void *)p, (int)(places / 12), (const int *)(const void *)t,
                                (int)(triangles / 12), out, split));
    lua_pushlstring(L, (const char *)out, more);
    lua_pushlstring(L, (const char *)split, 4 * triangles);
    return 3;
}

/* peer.meshopt_order(packed triangles, vertices) -> seconds, packed triangles; nothing if libmeshoptimizer is not installed */
static int lua_meshopt_order(lua_State *L)
{
    size_t bytes;
    const char *triangles = luaL_checklstring(L, 1, &bytes);
    unsigned *out = lua_newuserdatauv(L, bytes, 0);
    double seconds =
        peer_meshopt_order((const unsigned *)(const void *)triangles, bytes / 4, (size_t)luaL_checkinteger(L, 2), out);
    if (seconds < 0) return 0;
    lua_pushnumber(L, seconds);
    lua_pushlstring(L, (const char *)out, bytes);
    return 2;
}

/* peer.meshopt_acmr(packed triangles, vertices, entries, warp, group) -> misses per triangle */
static int lua_meshopt_acmr(lua_State *L)
{
    size_t bytes;
    const char *triangles = luaL_checklstring(L, 1, &bytes);
    unsigned model[3];
    for (int i = 0; i < 3; i++) model[i] = (unsigned)luaL_checkinteger(L, i + 3);
    lua_pushnumber(L, peer_meshopt_acmr((const unsigned *)(const void *)triangles, bytes / 4,
                                        (size_t)luaL_checkinteger(L, 2), model));
    return 1;
}

/* peer.shader(glsl, groups, bytes of the result, input, ...) -> its number. Inputs are strings of packed 32-bit words. The first one, and
 * any other input inside a table, is read as texels of four words. */
static int lua_shader(lua_State *L)
{
    PeerShaderInput inputs[PEER_SHADER_INPUTS];
    int groups = (int)luaL_checkinteger(L, 2), count = lua_gettop(L) - 3;
    size_t bytes = (size_t)luaL_checkinteger(L, 3);
    luaL_argcheck(L, count <= PEER_SHADER_INPUTS, PEER_SHADER_INPUTS + 4, "fewer inputs expected");
    for (int i = 0; i < count; i++) {
        inputs[i].quads = i == 0 || lua_istable(L, i + 4);
        if (lua_istable(L, i + 4)) {
            lua_rawgeti(L, i + 4, 1);
            lua_replace(L, i + 4);
        }
        inputs[i].data = luaL_checklstring(L, i + 4, &inputs[i].bytes);
    }
    peer_enter();
    lua_pushinteger(L, peer_shader(luaL_checkstring(L, 1), groups, bytes, count, inputs));
    peer_leave();
    return 1;
}

/* peer.shader_run(number [, runs]) -> seconds per run */
static int lua_shader_run(lua_State *L)
{
    int number = (int)luaL_checkinteger(L, 1), runs = runs_argument(L, 2);
    peer_enter();
    return seconds(L, peer_shader_run(number, runs));
}

/* peer.shader_read(number) -> the bytes of its result */
static int lua_shader_read(lua_State *L)
{
    int number = (int)luaL_checkinteger(L, 1);
    peer_enter();
    luaL_Buffer buffer;
    size_t bytes = peer_shader_read(number, NULL);
    peer_shader_read(number, luaL_buffinitsize(L, &buffer, bytes));
    luaL_pushresultsize(&buffer, bytes);
    peer_leave();
    return 1;
}

/* peer.shader_close(number): releases the program; its number is not reused. */
static int lua_shader_close(lua_State *L)
{
    int number = (int)luaL_checkinteger(L, 1);
    peer_enter();
    peer_shader_close(number);
    peer_leave();
    return 0;
}

static const luaL_Reg functions[] = {
    {"info", lua_info},
    {"saxpy_naive", lua_saxpy_naive},
    {"saxpy_tuned", lua_saxpy_tuned},
    {"sum_c", lua_sum_c},
    {"sum_tuned", lua_sum_tuned},
    {"jacobi_naive", lua_jacobi_naive},
    {"jacobi_tuned", lua_jacobi_tuned},
    {"launch", lua_launch},
    {"smoke_step", lua_smoke_step},
    {"smoke_reset", lua_smoke_reset},
    {"smoke_read", lua_smoke_read},
    {"multigrid", lua_multigrid},
    {"fluid", lua_fluid},
    {"march", lua_march},
    {"draw", lua_draw},
    {"obj", lua_obj},
    {"loop", lua_loop},
    {"meshopt_order", lua_meshopt_order},
    {"meshopt_acmr", lua_meshopt_acmr},
    {"sph", lua_sph},
    {"motion", lua_motion},
    {"shader", lua_shader},
    {"shader_run", lua_shader_run},
    {"shader_read", lua_shader_read},
    {"shader_close", lua_shader_close},
    {"gl_work", lua_gl_work},
    {"gl_run", lua_gl_run},
    {"gl_read", lua_gl_read},
    {"gl_close", lua_gl_close},
    {"host_work", lua_host_work},
    {"host_run", lua_host_run},
    {"host_read", lua_host_read},
    {"host_close", lua_host_close},
    {NULL, NULL},
};

__attribute__((visibility("default"))) int luaopen_peer(lua_State *L);
int luaopen_peer(lua_State *L)
{
    luaL_newlib(L, functions);
    return 1;
}
