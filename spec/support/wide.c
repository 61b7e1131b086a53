/* Compares functions of doubles with those of the C library for long double. */
#include <lauxlib.h>
#include <math.h>
#include <string.h>

typedef long double Wide;

static Wide one(const char *name, double x)
{
    static const struct {
        const char *name;
        Wide (*compute)(Wide);
    } rows[] = {{"tan", tanl},   {"asin", asinl}, {"acos", acosl},   {"atan", atanl},   {"sinh", sinhl},
                {"cosh", coshl}, {"tanh", tanhl}, {"asinh", asinhl}, {"acosh", acoshl}, {"atanh", atanhl}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(name, rows[i].name) == 0) {
            return fabs(x) >= 0x1p50 && i == 0 ? NAN : rows[i].compute(x); /* the tangent of such angles is NaN */
        }
    }
    return NAN;
}

/* Returns the difference in units of the last place. The smallest number may become zero. */
static double difference(Wide want, double got)
{
    double rounded = (double)want;
    if (isnan(rounded) || isnan(got)) {
        return isnan(rounded) && isnan(got) ? 0 : INFINITY;
    }
    if (!!signbit(rounded) != !!signbit(got)) {
        return INFINITY;
    }
    if (isinf(rounded) || isinf(got)) {
        return rounded == got ? 0 : INFINITY;
    }
    int exponent;
    frexp(rounded, &exponent);
    exponent = rounded == 0 || exponent < -1021 ? -1021 : exponent;
    return (double)fabsl(ldexpl((Wide)got - want, 53 - exponent));
}

/* wide(name, x, y, got): the arguments and results of a function, as bytes of doubles; y: "" if it takes one argument.
 * Returns the largest difference and its index. */
static int wide(lua_State *L)
{
    const char *name = luaL_checkstring(L, 1);
    size_t length, other;
    const char *x = luaL_checklstring(L, 2, &length), *y = luaL_checklstring(L, 3, &other);
    const char *got = luaL_checkstring(L, 4);
    double worst = 0;
    lua_Integer at = 0;
    for (size_t i = 0; i < length; i += sizeof(double)) {
        double a, b = 0, c;
        memcpy(&a, x + i, sizeof a);
        memcpy(&c, got + i, sizeof c);
        if (other) {
            memcpy(&b, y + i, sizeof b);
        }
        Wide want = !other ? one(name, a) : strcmp(name, "fmod") == 0 ? (Wide)fmod(a, b) : atan2l(a, b);
        double d = difference(want, c);
        if (d > worst) {
            worst = d;
            at = (lua_Integer)(i / sizeof(double)) + 1;
        }
    }
    lua_pushnumber(L, worst);
    lua_pushinteger(L, at);
    return 2;
}

int luaopen_wide(lua_State *L)
{
    lua_pushcfunction(L, wide);
    return 1;
}
