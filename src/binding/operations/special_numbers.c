/* The special functions of plain numbers. Kernels compute those of elements (kernel/emit/special.h). */
#include "binding/binding.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* Returns sin(pi x) / pi: of the distance to the nearest integer, which is exact. */
static double wave(double x)
{
    double n = nearbyint(x), s = sin(pi * (x - n)) / pi;
    return fmod(n, 2) != 0 ? -s : s;
}

static double sinc(double x)
{
    return x == 0 ? 1 : wave(x) / x;
}

/* Solves erf(y) = x by Newton's method. The logarithm of erfc is nearly a parabola in y, so that the steps converge from
 * every start above the zero. */
static double erfinv(double x)
{
    double a = fabs(x), rest = 1 - a;
    if (!(a < 1) || a < 1e-9) {
        return a < 1 ? x * (sqrt(pi) / 2) : a == 1 ? x * HUGE_VAL : NAN;
    }
    double y = a < 0.5 ? a : sqrt(-log(rest));
    for (int i = 0; i < 40; i++) {
        double slope = 2 / sqrt(pi) * exp(-y * y), tail = erfc(y);
        double step = a < 0.5 ? (erf(y) - a) / slope : -log(tail / rest) * tail / slope;
        y -= step;
        if (fabs(step) < 1e-17 * y) {
            break;
        }
    }
    return copysign(y, x);
}

/* Abramowitz and Stegun 1964, 6.3.5, 6.3.7 and 6.3.18. */
static double digamma(double x)
{
    static const double series[] = {
        0.022597648232218105, -0.033161126474847359, 0.048804288164143107, -0.072199561256454711, 0.10782405069126237,
        -0.16394270544240653, 0.25849976095565101,   -0.44276316898359211, 0.96767224544762117}; /* at the zero */
    double zero = 1.4616321449683622, sum = 0;
    if (x == 0) {
        return -1 / x;
    }
    if (x < 0) {
        double r = x - nearbyint(x);
        return floor(x) == x ? NAN : digamma(1 - x) - pi / tan(pi * r);
    }
    if (fabs(x - zero) < 0.02) {
        double t = x - zero - 9.5499954299656977e-17;
        for (size_t i = 0; i < sizeof series / sizeof *series; i++) {
            sum = sum * t + series[i];
        }
        return t * sum;
    }
    for (; x < 16; x++) {
        sum -= 1 / x;
    }
    double z = 1 / (x * x);
    return log(x) - 0.5 / x + sum -
           z * (1.0 / 12 - z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132 - z * 691 / 32760)))));
}

/* Abramowitz and Stegun 1964, 6.4.6, 6.4.7 and 6.4.12. */
static double trigamma(double x)
{
    double sum = 0;
    if (x <= 0 && floor(x) == x) {
        return isinf(x) ? NAN : HUGE_VAL;
    }
    if (x < 0) {
        double s = wave(x);
        return 1 / (s * s) - trigamma(1 - x);
    }
    for (; x < 16; x++) {
        sum += 1 / (x * x);
    }
    double i = 1 / x, z = i * i;
    return sum + i + z / 2 +
           z * i * (1.0 / 6 - z * (1.0 / 30 - z * (1.0 / 42 - z * (1.0 / 30 - z * (5.0 / 66 - z * 691 / 2730)))));
}

static double gamma_of(double x)
{
    return x == 0 ? 1 / x : x < 0 && floor(x) == x ? NAN : tgamma(x);
}

/* _special(name, x): returns a special function of a number. */
static int special(lua_State *L)
{
    static const char *const names[] = {"expm1",  "log1p", "cbrt",   "sinc",    "erf",      "erfc",
                                        "erfinv", "gamma", "lgamma", "digamma", "trigamma", NULL};
    static double (*const functions[])(double) = {expm1,  log1p,    cbrt,   sinc,    erf,     erfc,
                                                  erfinv, gamma_of, lgamma, digamma, trigamma};
    lua_pushnumber(L, functions[luaL_checkoption(L, 1, NULL, names)](luaL_checknumber(L, 2)));
    return 1;
}

void open_special_numbers(lua_State *L)
{
    lua_pushcfunction(L, special);
    lua_setfield(L, -2, "_special");
}
