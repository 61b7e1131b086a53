/* Converts one element between Lua and packed bytes. Tables are read with raw access, so that no metamethod runs. */
#include "base/half.h"
#include "binding/binding.h"
#include "gpu/memory/buffer.h"
#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

static bool number_misfit(lua_State *L, int index, const char *type, double low, double high)
{
    bool number = lua_type(L, index) == LUA_TNUMBER;
    const char *got = binding_describe(L, index);
    if (!number) {
        error_set("expected a number for %s, got %s", type, got);
    } else if (isfinite(lua_tonumber(L, index)) && lua_tonumber(L, index) != floor(lua_tonumber(L, index)) &&
               low < high) {
        error_set("%s does not fit %s: it is not whole", got, type);
    } else if (low < high) {
        error_set("%s does not fit %s (%.0f .. %.0f)", got, type, low, high);
    } else {
        error_set("%s does not fit %s", got, type);
    }
    lua_pop(L, 1);
    return false;
}

static bool integer_pack(lua_State *L, int index, const char *type, int64_t low, int64_t high, int64_t *value)
{
    int whole = 0;
    if (lua_type(L, index) == LUA_TNUMBER) {
        *value = lua_tointegerx(L, index, &whole);
    }
    if (!whole || *value < low || *value > high) {
        return number_misfit(L, index, type, (double)low, (double)high);
    }
    return true;
}

/* Returns a number with NaN replaced by the positive quiet NaN: C prints the sign of a NaN, and drivers differ in
 * it. */
static double without_nan_sign(double value)
{
    return isnan(value) ? (double)NAN : value;
}

static void push_real(lua_State *L, double value)
{
    lua_pushnumber(L, without_nan_sign(value));
}

static bool real_pack(lua_State *L, int index, const char *type, double *value)
{
    if (lua_type(L, index) != LUA_TNUMBER) {
        return number_misfit(L, index, type, 0, 0);
    }
    *value = without_nan_sign(lua_tonumber(L, index));
    return true;
}

#define INTEGER_SCALAR(name, ctype, low, high)                                                                         \
    static bool pack_##name(lua_State *L, int index, void *to)                                                         \
    {                                                                                                                  \
        int64_t wide = 0;                                                                                              \
        if (!integer_pack(L, index, #name, low, high, &wide)) {                                                        \
            return false;                                                                                              \
        }                                                                                                              \
        ctype value = (ctype)wide;                                                                                     \
        memcpy(to, &value, sizeof value);                                                                              \
        return true;                                                                                                   \
    }                                                                                                                  \
    static void push_##name(lua_State *L, const void *from)                                                            \
    {                                                                                                                  \
        ctype value;                                                                                                   \
        memcpy(&value, from, sizeof value);                                                                            \
        lua_pushinteger(L, (lua_Integer)value);                                                                        \
    }
INTEGER_SCALAR(int, int32_t, INT32_MIN, INT32_MAX)
INTEGER_SCALAR(uint, uint32_t, 0, UINT32_MAX)
INTEGER_SCALAR(int8, int8_t, INT8_MIN, INT8_MAX)
INTEGER_SCALAR(int16, int16_t, INT16_MIN, INT16_MAX)
INTEGER_SCALAR(uint8, uint8_t, 0, UINT8_MAX)
INTEGER_SCALAR(uint16, uint16_t, 0, UINT16_MAX)

static bool pack_float(lua_State *L, int index, void *to)
{
    double wide = 0;
    if (!real_pack(L, index, "float", &wide)) {
        return false;
    }
    float value = lua_isinteger(L, index) ? (float)lua_tointeger(L, index) : (float)wide; /* avoids rounding twice */
    memcpy(to, &value, sizeof value);
    return true;
}

static void push_float(lua_State *L, const void *from)
{
    float value;
    memcpy(&value, from, sizeof value);
    push_real(L, (double)value);
}

static bool pack_double(lua_State *L, int index, void *to)
{
    double value = 0;
    if (!real_pack(L, index, "double", &value)) {
        return false;
    }
    memcpy(to, &value, sizeof value);
    return true;
}

static void push_double(lua_State *L, const void *from)
{
    double value;
    memcpy(&value, from, sizeof value);
    push_real(L, value);
}

static bool pack_half(lua_State *L, int index, void *to)
{
    double wide = 0;
    if (!real_pack(L, index, "half", &wide)) {
        return false;
    }
    uint16_t value = half_from_double(wide);
    memcpy(to, &value, sizeof value);
    return true;
}

static void push_half(lua_State *L, const void *from)
{
    uint16_t value;
    memcpy(&value, from, sizeof value);
    push_real(L, half_to_double(value));
}

static bool pack_unorm8(lua_State *L, int index, void *to)
{
    double value = 0;
    if (!real_pack(L, index, "unorm8", &value)) {
        return false;
    }
    if (isnan(value)) {
        return number_misfit(L, index, "unorm8", 0, 1);
    }
    value = value < 0 ? 0 : value > 1 ? 1 : value;
    *(uint8_t *)to = (uint8_t)(value * 255 + 0.5);
    return true;
}

/* Divides in float, so that the value equals the one in kernels. */
static void push_unorm8(lua_State *L, const void *from)
{
    lua_pushnumber(L, (lua_Number)((float)*(const uint8_t *)from / 255.0f));
}

static bool pack_bool(lua_State *L, int index, void *to)
{
    uint32_t value;
    if (lua_isboolean(L, index)) {
        value = (uint32_t)lua_toboolean(L, index);
    } else {
        int whole = 0;
        lua_Integer number = lua_type(L, index) == LUA_TNUMBER ? lua_tointegerx(L, index, &whole) : 0;
        if (!whole || number < 0 || number > 1) {
            error_set("expected a boolean for bool, got %s", binding_describe(L, index));
            lua_pop(L, 1);
            return false;
        }
        value = (uint32_t)number;
    }
    memcpy(to, &value, sizeof value);
    return true;
}

static void push_bool(lua_State *L, const void *from)
{
    uint32_t value;
    memcpy(&value, from, sizeof value);
    lua_pushboolean(L, value != 0);
}

static const struct {
    bool (*pack)(lua_State *L, int index, void *to);
    void (*push)(lua_State *L, const void *from);
} scalars[] = {
    [SCALAR_FLOAT] = {pack_float, push_float},    [SCALAR_DOUBLE] = {pack_double, push_double},
    [SCALAR_INT] = {pack_int, push_int},          [SCALAR_UINT] = {pack_uint, push_uint},
    [SCALAR_BOOL] = {pack_bool, push_bool},       [SCALAR_HALF] = {pack_half, push_half},
    [SCALAR_UNORM8] = {pack_unorm8, push_unorm8}, [SCALAR_INT8] = {pack_int8, push_int8},
    [SCALAR_INT16] = {pack_int16, push_int16},    [SCALAR_UINT8] = {pack_uint8, push_uint8},
    [SCALAR_UINT16] = {pack_uint16, push_uint16},
};
_Static_assert(sizeof scalars / sizeof *scalars == SCALAR_COUNT, "a row for every scalar");

bool value_pack_scalar(lua_State *L, int index, Scalar scalar, void *component)
{
    return scalars[scalar].pack(L, index, component);
}

void value_push_scalar(lua_State *L, Scalar scalar, const void *component)
{
    scalars[scalar].push(L, component);
}

static bool vector_pack(lua_State *L, int index, const Type *type, char *to)
{
    int size = type->bytes / type->components;
    if (!lua_istable(L, index) || lua_rawlen(L, index) != (lua_Unsigned)type->components) {
        error_set("expected a table of %d numbers for %s, got %s", type->components, type->name,
                  binding_describe(L, index));
        lua_pop(L, 1);
        return false;
    }
    bool good = true;
    for (int c = 0; c < type->components && good; c++) {
        lua_rawgeti(L, index, c + 1);
        good = value_pack_scalar(L, lua_gettop(L), type->scalar, to + c * size) || error_prefix("component %d", c + 1);
        lua_pop(L, 1);
    }
    return good;
}

/* Checks that every key of a table is a field; false with error_set for the first other key. */
static bool check_keys(lua_State *L, int index, const Type *type)
{
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
        bool known = false;
        for (int f = 0; f < type->field_count && lua_type(L, -2) == LUA_TSTRING; f++) {
            known = known || strcmp(lua_tostring(L, -2), type->fields[f].name) == 0;
        }
        if (!known) {
            const char *key = binding_key(L, -2);
            error_set("structure %s has no field %s: its fields are %s", type->name, key, type_push_names(L, type, ""));
            lua_pop(L, 4);
            return false;
        }
    }
    return true;
}

static bool struct_pack(lua_State *L, int index, const Type *type, char *to)
{
    if (!lua_istable(L, index)) {
        error_set("expected a table keyed by field for structure %s: {%s}, got %s", type->name,
                  type_push_names(L, type, " = ..."), binding_describe(L, index));
        lua_pop(L, 2);
        return false;
    }
    int present = 0;
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
        present++;
    }
    if (present > type->field_count && !check_keys(L, index, type)) {
        return false;
    }
    for (int f = 0; f < type->field_count; f++) {
        const Field *field = &type->fields[f];
        lua_pushstring(L, field->name);
        bool good;
        if (lua_rawget(L, index) == LUA_TNIL) {
            good =
                check_keys(L, index, type) && error_set("structure %s: field '%s' is missing", type->name, field->name);
        } else {
            good = value_pack(L, lua_gettop(L), field->type, to + field->offset) ||
                   error_prefix("field '%s'", field->name);
        }
        lua_pop(L, 1);
        if (!good) {
            return false;
        }
    }
    return true;
}

bool value_pack(lua_State *L, int index, const Type *type, void *element)
{
    index = lua_absindex(L, index);
    if (!lua_checkstack(L, 10)) {
        return error_set("out of Lua stack");
    }
    if (type->is_struct) {
        return struct_pack(L, index, type, element);
    }
    return type->components > 1 ? vector_pack(L, index, type, element)
                                : value_pack_scalar(L, index, type->scalar, element);
}

bool value_pack_splat(lua_State *L, int index, const Type *type, void *element)
{
    int kind = lua_type(L, index);
    if (type->is_struct || (kind != LUA_TNUMBER && kind != LUA_TBOOLEAN)) {
        return value_pack(L, index, type, element);
    }
    int size = type->bytes / type->components;
    for (int c = 0; c < type->components; c++) {
        if (!value_pack_scalar(L, index, type->scalar, (char *)element + c * size)) {
            return false;
        }
    }
    return true;
}

void value_push(lua_State *L, const Type *type, const void *element)
{
    const char *from = element;
    luaL_checkstack(L, 4, "a value nested too deep");
    if (type->is_struct) {
        lua_createtable(L, 0, type->field_count);
        for (int f = 0; f < type->field_count; f++) {
            value_push(L, type->fields[f].type, from + type->fields[f].offset);
            lua_setfield(L, -2, type->fields[f].name);
        }
    } else if (type->components > 1) {
        lua_createtable(L, type->components, 0);
        for (int c = 0; c < type->components; c++) {
            value_push_scalar(L, type->scalar, from + c * (type->bytes / type->components));
            lua_rawseti(L, -2, c + 1);
        }
    } else {
        value_push_scalar(L, type->scalar, from);
    }
}

bool value_read(Stream *result, void *element)
{
    uint64_t bytes = (uint64_t)result->type->bytes;
    bool done = buffer_read(result->buffer, (uint64_t)result->offset * bytes, element, bytes) &&
                kernel_fault_check(result->device);
    stream_release(result);
    return done;
}

void value_take(lua_State *L, Stream *result, DeviceScope *scope)
{
    unsigned char element[TYPE_MAX_BYTES];
    const Type *type = result->type;
    bool done = value_read(result, element);
    device_leave(scope);
    if (!done) {
        binding_raise(L);
    }
    value_push(L, type, element);
}
