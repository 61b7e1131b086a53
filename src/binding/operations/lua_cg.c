/* What rill.solve.cg makes its iterations of. */
#include "binding/binding.h"

#include "primitive/cg.h"
#include "shared/cg_words.h"

/* _cg(phases, state, least, x, r, p, q, z, jacobi): cg_advance of cg.h; z may be nil. rill.solve.cg sees to what streams must be. */
static int advance(lua_State *L)
{
    static const char function[] = "rill.solve.cg";
    int phases = (int)luaL_checkinteger(L, 1);
    Stream *state = accept_check(L, 2, function, 2, "state");
    double least = luaL_checknumber(L, 3);
    CgVectors v = {.x = accept_check(L, 4, function, 4, "x"),
                   .r = accept_check(L, 5, function, 5, "r"),
                   .p = accept_check(L, 6, function, 6, "p"),
                   .q = accept_check(L, 7, function, 7, "q"),
                   .z = lua_isnil(L, 8) ? NULL : accept_check(L, 8, function, 8, "z"),
                   .jacobi = lua_toboolean(L, 9)};
    DeviceScope scope;
    binding_enter(L, state->device, &scope);
    bool done = cg_advance(&v, state, phases, least);
    device_leave(&scope);
    if (!done) {
        error_prefix("%s", function);
        binding_raise(L);
    }
    return 0;
}

/* _cg_words: the numbers of cg_words.h by their names. */
static void push_words(lua_State *L)
{
    static const struct {
        const char *name;
        int value;
    } words[] = {{"DOT", CG_DOT},
                 {"RESIDUAL", CG_RESIDUAL},
                 {"DIRECTION", CG_DIRECTION},
                 {"RZ_BEFORE", CG_RZ_BEFORE},
                 {"STATE", CG_STATE},
                 {"COUNT", CG_COUNT},
                 {"RR", CG_RR},
                 {"PQ", CG_PQ},
                 {"PARTIALS", CG_PARTIALS},
                 {"MOST_GROUPS", CG_MOST_GROUPS},
                 {"CONVERGED", (int)CG_CONVERGED},
                 {"INDEFINITE", (int)CG_INDEFINITE},
                 {"UNEVEN", (int)CG_UNEVEN}};
    lua_newtable(L);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        lua_pushinteger(L, words[i].value);
        lua_setfield(L, -2, words[i].name);
    }
}

void open_cg(lua_State *L)
{
    static const luaL_Reg functions[] = {{"_cg", advance}, {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
    push_words(L);
    lua_setfield(L, -2, "_cg_words");
}
