/* Decompositions of dense matrices on the host, for rill.linalg and rill.solve. */
#include "binding/binding.h"

#include "kernel/host/packed.h"
#include "linalg/dense/dense.h"

#include <string.h>

enum { RESULTS = 3 };

/* A batch of matrices in host memory, and the results of its decomposition. */
typedef struct Batch {
    const char *function;
    Device *device;
    const Type *type;
    int64_t count, m, n, k;
    int64_t pivot; /* of a singular matrix; 0: none */
    double *a, *work, *result[RESULTS];
    Shape shape[RESULTS]; /* rank 0: the result is not computed */
} Batch;

/* Computes the results of one matrix. Returns false with error_set, or sets the pivot, on failure. */
typedef bool Decompose(Batch *batch, const double *a, double *const *result);

static bool decompose_qr(Batch *b, const double *a, double *const *result)
{
    dense_qr(b->m, b->n, a, result[0], result[1], b->work);
    return true;
}

static bool decompose_svd(Batch *b, const double *a, double *const *result)
{
    return dense_svd(b->m, b->n, a, result[0], result[1], result[2], b->work);
}

static bool decompose_eigen(Batch *b, const double *a, double *const *result)
{
    return dense_eigen(b->n, a, result[0], result[1], b->work);
}

static bool decompose_inverse(Batch *b, const double *a, double *const *result)
{
    b->pivot = dense_inverse(b->n, a, result[0], b->work);
    return b->pivot == 0;
}

static bool decompose_determinant(Batch *b, const double *a, double *const *result)
{
    dense_determinant(b->n, a, result[0], result[1], result[2], b->work);
    return true;
}

/* Reads the elements as doubles. Floats are read to the end of the memory, and widened from its beginning on. */
static bool download(const Stream *s, double *a)
{
    size_t count = (size_t)stream_elements(s);
    bool wide = s->type->scalar == SCALAR_DOUBLE;
    char *bytes = (char *)a + (wide ? 0 : count * sizeof(float));
    if (!packed_download(s, bytes)) {
        return false;
    }
    for (size_t i = 0; i < count && !wide; i++) {
        float value;
        memcpy(&value, bytes + i * sizeof value, sizeof value);
        a[i] = value;
    }
    return true;
}

/* Adds a result with the leading dimensions of the batch and one or two further dimensions (columns -1: one). */
static void add_result(lua_State *L, Batch *b, int i, const Shape *lead, int64_t rows, int64_t columns)
{
    Shape *shape = &b->shape[i];
    *shape = *lead;
    shape->size[shape->rank++] = rows;
    if (columns >= 0) {
        shape->size[shape->rank++] = columns;
    }
    b->result[i] = scratch_push(L, (size_t)shape_elements(shape) * sizeof(double) + 1);
}

/* Returns the index of the first matrix that is singular, or the number of matrices. */
static int64_t compute(lua_State *L, Batch *b, Decompose *decompose)
{
    double *result[RESULTS];
    memcpy(result, b->result, sizeof result);
    for (int64_t i = 0; i < b->count; i++) {
        interrupt_check(L);
        if (!decompose(b, b->a + i * b->m * b->n, result)) {
            if (b->pivot) {
                return i;
            }
            binding_raise_for(L, b->function);
        }
        for (int k = 0; k < RESULTS; k++) {
            result[k] = result[k] ? result[k] + shape_elements(&b->shape[k]) / b->count : NULL;
        }
    }
    return b->count;
}

/* Pushes a result, or nil. */
static void push_result(lua_State *L, const Batch *b, int k)
{
    double *values = b->result[k];
    if (!values) {
        lua_pushnil(L);
        return;
    }
    int64_t count = shape_elements(&b->shape[k]);
    for (int64_t i = 0; i < count && b->type->scalar == SCALAR_FLOAT; i++) {
        float value = (float)values[i];
        memcpy((char *)values + (size_t)i * sizeof value, &value, sizeof value);
    }
    Stream *result = stream_handle_push(L);
    binding_make(L, b->device, b->function, packed_stream(b->device, b->type, &b->shape[k], values, result));
}

/* Prepares the results and the working memory of a method. */
static Decompose *prepare(lua_State *L, Batch *b, const Shape *lead, int method, bool vectors)
{
    size_t work;
    Decompose *decompose;
    if (method == 0) {
        add_result(L, b, 0, lead, b->m, b->k);
        add_result(L, b, 1, lead, b->k, b->n);
        work = dense_qr_work(b->m, b->n);
        decompose = decompose_qr;
    } else if (method == 1) {
        if (vectors) {
            add_result(L, b, 0, lead, b->m, b->k);
            add_result(L, b, 2, lead, b->n, b->k);
        }
        add_result(L, b, 1, lead, b->k, -1);
        work = dense_svd_work(b->m, b->n);
        decompose = decompose_svd;
    } else if (method == 3) {
        add_result(L, b, 0, lead, b->n, b->n);
        work = (size_t)(b->n * b->n);
        decompose = decompose_inverse;
    } else if (method == 4) {
        for (int k = 0; k < 3; k++) {
            add_result(L, b, k, &(Shape){.rank = 0}, b->count, -1);
        }
        b->type = type_of(SCALAR_DOUBLE, 1);
        work = (size_t)(b->n * b->n);
        decompose = decompose_determinant;
    } else {
        if (vectors) {
            add_result(L, b, 1, lead, b->n, b->n);
        }
        add_result(L, b, 0, lead, b->n, -1);
        work = dense_eigen_work(b->n);
        decompose = decompose_eigen;
    }
    b->work = scratch_push(L, work * sizeof(double) + 1);
    return decompose;
}

/* _dense(function, method, a, vectors): decomposes each matrix of a, a stream of float or double with at least two
 * dimensions. method: "qr" returns q and r; "svd" returns u, the values and v; "eigen" returns the values and vectors;
 * "inverse" returns the inverse, or nil, the index of the first singular matrix and its pivot, both from 1 on;
 * "determinant" returns the determinants, their signs and logarithms. */
static int dense(lua_State *L)
{
    static const char *const methods[] = {"qr", "svd", "eigen", "inverse", "determinant", NULL};
    const char *function = luaL_checkstring(L, 1);
    int method = binding_word(L, 2, methods), rank;
    const Stream *a = accept_check(L, 3, function, 1, "a");
    const Type *type = a->type;
    bool real = type == type_of(SCALAR_FLOAT, 1) || type == type_of(SCALAR_DOUBLE, 1);
    luaL_argcheck(L, method >= 0, 2, "method"); /* rill.linalg checks its arguments */
    luaL_argcheck(L, real && a->shape.rank >= 2, 3, "matrices of float or double");
    rank = a->shape.rank - 2;
    luaL_argcheck(L, method < 2 || a->shape.size[rank] == a->shape.size[rank + 1], 3, "square matrices");
    lua_settop(L, 4);
    Batch b = {.function = function, .device = a->device, .type = a->type, .count = 1};
    Shape lead = a->shape;
    lead.rank = rank;
    b.m = a->shape.size[rank];
    b.n = a->shape.size[rank + 1];
    b.k = b.m < b.n ? b.m : b.n;
    for (int d = 0; d < rank; d++) {
        b.count *= lead.size[d];
    }
    b.a = scratch_push(L, (size_t)stream_elements(a) * sizeof(double) + 1);
    Decompose *decompose = prepare(L, &b, &lead, method, lua_toboolean(L, 4));
    binding_run(L, b.device, function, download(a, b.a));
    int64_t done = compute(L, &b, decompose);
    if (done < b.count) {
        lua_pushnil(L);
        lua_pushinteger(L, done + 1);
        lua_pushinteger(L, b.pivot);
        return 3;
    }
    static const int counts[] = {2, 3, 2, 1, 3};
    int results = counts[method], base = lua_gettop(L);
    for (int k = 0; k < results; k++) {
        push_result(L, &b, k);
    }
    for (int i = base; i > 4; i--) {
        scratch_free(L, i);
    }
    return results;
}

void open_dense(lua_State *L)
{
    static const luaL_Reg functions[] = {{"_dense", dense}, {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
}
