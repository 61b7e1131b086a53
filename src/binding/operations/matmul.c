/* rill.matmul, and matrix products for rill.blas. */
#include "binding/binding.h"

#include "binding/values/options.h"
#include "linalg/matmul.h"

static void read_stream(lua_State *L, const OptionCall *call, const Option *option, void *field)
{
    if (!lua_isnil(L, -1)) {
        *(const Stream **)field = accept_check(L, lua_gettop(L), call->function, BINDING_OPTION, option->name);
    }
}

static void read_activation(lua_State *L, const OptionCall *call, const Option *option, void *field)
{
    int word;
    options_word(L, call, option, &word);
    *(Activation *)field = (Activation)(ACTIVATION_NONE + 1 + word);
}

/* Reads the options at index 3. */
static MatmulFinish take_finish(lua_State *L)
{
    static const char *const activations[] = {"relu", "sigmoid", "tanh", NULL}; /* as in Activation, after none */
    static const Option rows[] = {
        {OPTION("bias", read_stream, MatmulFinish, bias), .keeps = true},
        {OPTION("activation", read_activation, MatmulFinish, activation), .words = activations},
        {.name = NULL}};
    static const OptionCall call = {
        .function = "rill.matmul", .index = 3, .n = 3, .expected = "a table like {bias = b, activation = \"relu\"}"};
    MatmulFinish finish = {.bias = NULL};
    options_read(L, &call, rows, &finish);
    return finish;
}

static int rill_matmul(lua_State *L)
{
    binding_count(L, "rill.matmul", 3, false);
    const Stream *a = accept_check(L, 1, "rill.matmul", 1, "a");
    const Stream *b = accept_check(L, 2, "rill.matmul", 2, "b");
    if (a->device != b->device) {
        luaL_error(L, "rill.matmul: argument #2 'b': the stream belongs to another device");
    }
    MatmulFinish finish = take_finish(L);
    if (finish.bias && finish.bias->device != a->device) {
        luaL_error(L, "rill.matmul: option 'bias': the stream belongs to another device");
    }
    Stream *result = stream_handle_push(L);
    binding_make(L, a->device, "rill.matmul",
                 matmul_stream(a, b, finish.bias || finish.activation ? &finish : NULL, result));
    return 1;
}

/* _matmul_add(function, alpha, a, b, beta, c): computes c = alpha a b + beta c. rill.blas has checked everything except
 * the devices. */
static int matmul_into(lua_State *L)
{
    const char *function = luaL_checkstring(L, 1);
    double alpha = luaL_checknumber(L, 2), beta = luaL_checknumber(L, 5);
    const Stream *a = accept_check(L, 3, function, 2, "A"), *b = accept_check(L, 4, function, 3, "B");
    Stream *c = accept_check(L, 6, function, 5, "C");
    if (a->device != c->device || b->device != c->device) {
        luaL_error(L, "%s: the streams belong to several devices", function);
    }
    accept_writable(L, c, function);
    binding_make(L, c->device, function, matmul_add(alpha, a, b, beta, c));
    return 0;
}

void open_matmul(lua_State *L)
{
    static const luaL_Reg functions[] = {{"matmul", rill_matmul}, {"_matmul_add", matmul_into}, {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
}
