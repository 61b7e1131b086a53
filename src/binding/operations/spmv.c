/* Sparse matrix-vector products for rill.sparse. */
#include "binding/binding.h"

#include "linalg/spmv.h"

/* _spmv(offsets, columns, values, x, y [, order [, list]]): computes y = A x. offsets, or columns and values, and order
 * and list may be nil (spmv.h). x and y may have any layout; rill.sparse ensures the layout of the other streams. */
static int sparse_multiply(lua_State *L)
{
    static const char function[] = "A:multiply";
    bool given = !lua_isnil(L, 2);
    SparseRows a = {.offsets = lua_isnil(L, 1) ? NULL : accept_check(L, 1, function, 1, "offsets"),
                    .columns = given ? accept_check(L, 2, function, 2, "columns") : NULL,
                    .values = given ? accept_check(L, 3, function, 3, "values") : NULL,
                    .order = lua_isnoneornil(L, 6) ? NULL : accept_check(L, 6, function, 6, "order"),
                    .list = lua_isnoneornil(L, 7) ? NULL : accept_check(L, 7, function, 7, "list")};
    const Stream *x = accept_check(L, 4, function, 4, "x");
    Stream *y = accept_check(L, 5, function, 5, "y");
    const Stream *own = a.offsets ? a.offsets : a.columns;
    if (!own || x->device != own->device || y->device != own->device) {
        luaL_error(L, "%s: the streams belong to several devices", function);
    }
    accept_writable(L, y, function);
    binding_run(L, y->device, function, spmv_vectors(&a, x, y));
    return 0;
}

/* _spmv_slice(offsets, columns, values, begins, order, to_columns, to_values): fills slices (spmv.h). Returns false if
 * the device cannot. */
static int sparse_slice(lua_State *L)
{
    static const char function[] = "A:multiply";
    const SparseRows a = {.offsets = accept_check(L, 1, function, 1, "offsets"),
                          .columns = accept_check(L, 2, function, 2, "columns"),
                          .values = accept_check(L, 3, function, 3, "values")};
    const SparseRows to = {.offsets = accept_check(L, 4, function, 4, "begins"),
                           .order = accept_check(L, 5, function, 5, "order"),
                           .columns = accept_check(L, 6, function, 6, "columns"),
                           .values = accept_check(L, 7, function, 7, "values")};
    bool reads, done;
    binding_run(L, a.values->device, function, (done = spmv_slice(&a, &to, &reads)) || !reads);
    lua_pushboolean(L, done);
    return 1;
}

void open_spmv(lua_State *L)
{
    static const luaL_Reg functions[] = {{"_spmv", sparse_multiply}, {"_spmv_slice", sparse_slice}, {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
}
