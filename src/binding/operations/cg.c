/* Launches the parts of an iteration of rill.solve.cg. */
#include "binding/binding.h"

#include "linalg/cg.h"
#include "shared/cg_group_words.h"
#include "shared/cg_words.h"

/* _cg(phases, state, least, x, r, p, best, q, z, jacobi, dots): calls cg_advance of cg.h; z may be nil. rill.solve.cg
 * checks the types and shapes of the streams. */
static int advance(lua_State *L)
{
    static const char function[] = "rill.solve.cg";
    int phases = (int)luaL_checkinteger(L, 1);
    Stream *state = accept_check(L, 2, function, 2, "state");
    double least = luaL_checknumber(L, 3);
    CgVectors v = {.x = accept_check(L, 4, function, 4, "x"),
                   .r = accept_check(L, 5, function, 5, "r"),
                   .p = accept_check(L, 6, function, 6, "p"),
                   .best = accept_check(L, 7, function, 7, "best"),
                   .q = accept_check(L, 8, function, 8, "q"),
                   .z = lua_isnil(L, 9) ? NULL : accept_check(L, 9, function, 9, "z"),
                   .jacobi = lua_toboolean(L, 10),
                   .dots = luaL_checkinteger(L, 11)};
    binding_run(L, state->device, function, cg_advance(&v, state, phases, least));
    return 0;
}

/* _cg_group(phases, steps, most, goal, scale, factor, work, x, b, m, begins, columns, values, wide_values, wide,
 * tiled): calls cg_group_run of cg_group.h; m may be nil. rill.solve.cg checks the streams. */
static int group(lua_State *L)
{
    static const char function[] = "rill.solve.cg";
    CgGroupStep step = {.phases = (int)luaL_checkinteger(L, 1),
                        .steps = (int)luaL_checkinteger(L, 2),
                        .most = (int)luaL_checkinteger(L, 3),
                        .goal = luaL_checknumber(L, 4),
                        .scale = luaL_checknumber(L, 5),
                        .factor = luaL_checknumber(L, 6)};
    CgGroup g = {.work = accept_check(L, 7, function, 7, "work"),
                 .x = accept_check(L, 8, function, 8, "x"),
                 .b = accept_check(L, 9, function, 9, "b"),
                 .m = lua_isnil(L, 10) ? NULL : accept_check(L, 10, function, 10, "m"),
                 .begins = accept_check(L, 11, function, 11, "begins"),
                 .columns = accept_check(L, 12, function, 12, "columns"),
                 .values = accept_check(L, 13, function, 13, "values"),
                 .wide_values = accept_check(L, 14, function, 14, "wide_values"),
                 .wide = lua_toboolean(L, 15),
                 .tiled = lua_toboolean(L, 16)};
    binding_run(L, g.work->device, function, cg_group_run(&g, &step));
    return 0;
}

/* _cg_group_steps(begins, rows, places, entries, tiled): returns cg_group_steps of cg_group.h. */
static int group_steps(lua_State *L)
{
    const Stream *begins = accept_check(L, 1, "rill.solve.cg", 1, "begins");
    int64_t rows = luaL_checkinteger(L, 2), places = luaL_checkinteger(L, 3), entries = luaL_checkinteger(L, 4);
    lua_pushinteger(L, cg_group_steps(begins->device, rows, places, entries, lua_toboolean(L, 5)));
    return 1;
}

/* _cg_group_room(rows, wide): returns cg_group_room of cg_group.h. */
static int group_room(lua_State *L)
{
    lua_pushinteger(L, cg_group_room(luaL_checkinteger(L, 1), lua_toboolean(L, 2)));
    return 1;
}

/* Pushes _cg_words: the constants of cg_words.h and cg_group_words.h by name. */
static void push_words(lua_State *L)
{
    static const struct {
        const char *name;
        int value;
    } words[] = {{"DOT", CG_DOT},
                 {"RESIDUAL", CG_RESIDUAL},
                 {"DIRECTION", CG_DIRECTION},
                 {"RESTORE", CG_RESTORE},
                 {"RELATIVE", CG_RELATIVE},
                 {"RZ_BEFORE", CG_RZ_BEFORE},
                 {"STATE", CG_STATE},
                 {"COUNT", CG_COUNT},
                 {"RR", CG_RR},
                 {"PQ", CG_PQ},
                 {"BEST", CG_BEST},
                 {"BEST_RZ", CG_BEST_RZ},
                 {"BEST_BEFORE", CG_BEST_BEFORE},
                 {"BEST_RZ_BEFORE", CG_BEST_RZ_BEFORE},
                 {"SCALE", CG_SCALE},
                 {"PARTIALS", CG_PARTIALS},
                 {"MOST_GROUPS", CG_MOST_GROUPS},
                 {"RUNNING", (int)CG_RUNNING},
                 {"CONVERGED", (int)CG_CONVERGED},
                 {"INDEFINITE", (int)CG_INDEFINITE},
                 {"UNEVEN", (int)CG_UNEVEN},
                 {"NO_NUMBER", (int)CG_NO_NUMBER},
                 {"GROWN", (int)CG_GROWN},
                 {"GROWTH_ALLOWED", CG_GROWTH_ALLOWED},
                 {"START", CG_GROUP_START},
                 {"BEGIN", CG_GROUP_BEGIN},
                 {"ITERATE", CG_GROUP_ITERATE},
                 {"ADD", CG_GROUP_ADD},
                 {"MEASURE", CG_GROUP_MEASURE},
                 {"FIRST", CG_GROUP_FIRST},
                 {"SQUARES", CG_GROUP_SQUARES},
                 {"DONE", CG_GROUP_DONE},
                 {"ADDED", CG_GROUP_ADDED},
                 {"HISTORY", CG_GROUP_HISTORY},
                 {"KEPT", CG_GROUP_KEPT}};
    lua_newtable(L);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        fields_integer(L, words[i].name, words[i].value);
    }
}

void open_cg(lua_State *L)
{
    static const luaL_Reg functions[] = {{"_cg", advance},
                                         {"_cg_group", group},
                                         {"_cg_group_steps", group_steps},
                                         {"_cg_group_room", group_room},
                                         {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
    push_words(L);
    lua_setfield(L, -2, "_cg_words");
}
