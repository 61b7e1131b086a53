/* Sparse matrix-vector products for rill.sparse. */
#include "binding/binding.h"

#include "linalg/spmv.h"

/* Arguments of _spmv, from index 1 on. */
enum { OFFSETS = 1, COLUMNS, VALUES, X, Y, ORDER, LIST, LIMIT, PIECES, PARTIAL, FIRSTS, DIVIDED };

static const char function_name[] = "A:multiply";

static Stream *optional(lua_State *L, int index, const char *name)
{
    return lua_isnoneornil(L, index) ? NULL : accept_check(L, index, function_name, index, name);
}

static SparseRows accept_rows(lua_State *L)
{
    SparseRows a = {.offsets = optional(L, OFFSETS, "offsets"),
                    .columns = optional(L, COLUMNS, "columns"),
                    .values = optional(L, VALUES, "values"),
                    .order = optional(L, ORDER, "order"),
                    .list = optional(L, LIST, "list"),
                    .pieces = optional(L, PIECES, "pieces")};
    if (a.pieces) {
        a.limit = luaL_checkinteger(L, LIMIT);
        a.partial = optional(L, PARTIAL, "partial");
        a.firsts = optional(L, FIRSTS, "firsts");
        a.divided = optional(L, DIVIDED, "divided");
    }
    return a;
}

/* _spmv(offsets, columns, values, x, y [, order [, list [, limit, pieces, partial, firsts, divided]]]): computes y = A x.
 * offsets, or columns and values, and the other streams may be nil (spmv.h). x and y may have any layout; rill.sparse
 * ensures the layout of the other streams. */
static int sparse_multiply(lua_State *L)
{
    SparseRows a = accept_rows(L);
    const Stream *x = accept_check(L, X, function_name, X, "x");
    Stream *y = accept_check(L, Y, function_name, Y, "y");
    const Stream *own = a.offsets ? a.offsets : a.columns;
    if (!own || x->device != own->device || y->device != own->device) {
        luaL_error(L, "%s: the streams belong to several devices", function_name);
    }
    accept_writable(L, y, function_name);
    binding_run(L, y->device, function_name, spmv_vectors(&a, x, y));
    return 0;
}

/* _spmv_dots(offsets, columns, values, x, y [, dots, dot, stop]): without `dots` returns spmv_dots of spmv.h; else
 * computes y = A x and the sums. The streams are dense, x and y vectors of one type that do not overlap; offsets may be
 * nil. */
static int sparse_dots(lua_State *L)
{
    SparseRows a = {.offsets = optional(L, OFFSETS, "offsets"),
                    .columns = accept_check(L, COLUMNS, function_name, COLUMNS, "columns"),
                    .values = accept_check(L, VALUES, function_name, VALUES, "values"),
                    .dots = optional(L, Y + 1, "dots")};
    const Stream *x = accept_check(L, X, function_name, X, "x");
    Stream *y = accept_check(L, Y, function_name, Y, "y");
    if (!a.dots) {
        lua_pushinteger(L, spmv_dots(&a, x, y));
        return 1;
    }
    a.dot = luaL_checkinteger(L, Y + 2);
    a.stop = luaL_checkinteger(L, Y + 3);
    binding_run(L, y->device, function_name, spmv(&a, x, y));
    return 0;
}

/* Returns whether a value is an open stream of `count` elements, of one dimension and the type of `like`, which a
 * product can read or write directly. */
static bool is_vector(lua_State *L, int index, const Stream *like, int64_t count)
{
    const Stream *s = stream_handle_to(L, index);
    return s && s->device == like->device && !s->length.buffer && s->type == like->type && s->shape.rank == 1 &&
           s->shape.size[0] == count && s->contiguous && s->source == SOURCE_BUFFER && s->writable;
}

/* Returns whether the streams of a matrix, arguments `first` to `last`, are nil or open. */
static bool are_open(lua_State *L, int first, int last)
{
    for (int i = first; i <= last; i++) {
        const Stream *s = stream_handle_to(L, i);
        if (!lua_isnoneornil(L, i) && !(s && s->device)) {
            return false;
        }
    }
    return true;
}

/* _spmv_usual(offsets, columns, values, x, y, ..., columns of A): does what _spmv does, and returns true, if x and y are
 * vectors of the right type and size that can be used directly. y nil: returns a new stream. Returns false in all other
 * cases, in which nothing is done, so that rill.sparse finds the reason. */
static int sparse_usual(lua_State *L)
{
    const Stream *offsets = stream_handle_to(L, OFFSETS), *values = stream_handle_to(L, VALUES);
    bool usual = !state_get(L)->recording && are_open(L, OFFSETS, VALUES) && are_open(L, PIECES, DIVIDED) && offsets &&
                 values && !offsets->length.buffer && stream_elements(values) > 0;
    int64_t rows = usual ? offsets->shape.size[0] - 1 : 0, columns = lua_tointeger(L, DIVIDED + 1);
    usual = usual && rows > 0 && is_vector(L, X, values, columns) && (lua_isnil(L, Y) || is_vector(L, Y, values, rows));
    const Stream *x = usual ? stream_handle_to(L, X) : NULL, *y = usual ? stream_handle_to(L, Y) : NULL;
    if (!usual || (y && (stream_overlaps(x, y) || stream_overlaps(values, y)))) {
        lua_pushboolean(L, false);
        return 1;
    }
    SparseRows a = accept_rows(L);
    Stream *result = (Stream *)y;
    if (y) {
        lua_pushboolean(L, true);
    } else {
        result = stream_handle_push(L);
        binding_make(L, values->device, function_name,
                     stream_create(values->device, values->type, &(Shape){1, {rows}}, false, result));
    }
    binding_run(L, result->device, function_name, spmv(&a, x, result));
    return 1;
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
    static const luaL_Reg functions[] = {{"_spmv", sparse_multiply},
                                         {"_spmv_usual", sparse_usual},
                                         {"_spmv_slice", sparse_slice},
                                         {"_spmv_dots", sparse_dots},
                                         {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
}
