/* Compares elementary operations of the device with the processor's. */
#include "gpu/driver_test/driver_test_private.h"

#include "base/half.h"
#include "base/strbuf.h"
#include "gpu/memory/buffer.h"
#include "gpu/program/shader.h"
#include "shared/gpu_words.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t bits(float x)
{
    uint32_t word;
    memcpy(&word, &x, sizeof word);
    return word;
}

static float number(uint32_t word)
{
    float x;
    memcpy(&x, &word, sizeof x);
    return x;
}

static uint32_t high_word(uint32_t a, uint32_t b)
{
    return (uint32_t)(((uint64_t)a * b) >> 32);
}

static uint32_t pack_half(float x, float y)
{
    return half_from_double((double)x) | (uint32_t)half_from_double((double)y) << 16;
}

static uint32_t flags(float x, float y)
{
    return (uint32_t)(isnan(x) != 0) | (uint32_t)(isnan(x) != 0) << 1 | (uint32_t)(isinf(x) != 0) << 2 |
           (uint32_t)isless(x, y) << 3 | (uint32_t)isgreaterequal(x, y) << 4 |
           (uint32_t)(!isnan(x) && !isnan(y) && !islessgreater(x, y)) << 5;
}

/* Converts a float to an integer. NaN and numbers that are too large, whose conversion is undefined in C,
 * become 0. */
static uint32_t whole_part(float x)
{
    return fabsf(x) < 2147483648.0f ? (uint32_t)(int32_t)x : 0;
}

static uint32_t high_double(double x)
{
    uint64_t word;
    memcpy(&word, &x, sizeof word);
    return (uint32_t)(word >> 32);
}

static uint32_t top_bit(uint32_t a)
{
    uint32_t bit = UINT32_MAX;
    for (; a; a >>= 1) {
        bit++;
    }
    return bit;
}

static uint32_t count_bits(uint32_t a)
{
    uint32_t count = 0;
    for (; a; a &= a - 1) {
        count++;
    }
    return count;
}

static int32_t as_signed(uint32_t a)
{
    return a <= INT32_MAX ? (int32_t)a : -(int32_t)~a - 1;
}

/* Computes a / 2 / (b | 1), as the shader does: neither a division by 0 nor an overflow can occur. */
static uint32_t signed_quotient(uint32_t a, uint32_t b)
{
    return (uint32_t)(as_signed(a) / 2 / as_signed(b | 1u));
}

/* The meaning of a result's words, which determines the unit of its error. */
typedef enum Form {
    WORDS,  /* whole numbers: unit 1 */
    FLOATS, /* unit: distance from the processor's result to the next float away from 0 */
    /* Rounding errors of products: unit of the product. If fma rounds twice, any value of this size is allowed. */
    RESIDUALS,
    HALVES /* unit 1 in either half of the word */
} Form;

static uint32_t negations(float x, float y)
{
    bool less = x < y, not_less = x >= y;
    return (uint32_t)(less ? 0 : 1) | (uint32_t)(not_less ? 0 : 2);
}

/* Rows: name, form, permitted error in units, GLSL expression, C expression. a and b are the words of a case, x
 * and y the floats with the same bits, product is x * y. The permitted errors follow from GLSL's section on
 * range and precision (4.7.1). Quotients have 2.5 units, and the processor's a half. sqrt is 1 / inversesqrt:
 * the 2 units of inversesqrt may become 4 of the root, plus a quotient. Sums, products and conversions are
 * rounded to one of the two neighbors; GLSL does not specify which. Of doubles the high words are compared. */
#define STEPS(X)                                                                                                       \
    X(quotients, FLOATS, 3, "floatBitsToUint(x / y)", bits(x / y))                                                     \
    X(products, FLOATS, 1, "floatBitsToUint(product)", bits(x *y))                                                     \
    X(sums, FLOATS, 1, "floatBitsToUint(x + y)", bits(x + y))                                                          \
    X(roots, FLOATS, 7, "floatBitsToUint(sqrt(abs(x)))", bits(sqrtf(fabsf(x))))                                        \
    X(residuals, RESIDUALS, 2, "floatBitsToUint(fma(x, y, -product))", bits(fmaf(x, y, -(x * y))))                     \
    X(halves, HALVES, 1, "packHalf2x16(vec2(x, y))", pack_half(x, y))                                                  \
    X(floats_of_halves, FLOATS, 0, "floatBitsToUint(unpackHalf2x16(a & 0x77ffu | 0x400u).x)",                          \
      bits((float)half_to_double((uint16_t)((a & 0x77ffu) | 0x400u))))                                                 \
    X(comparisons, WORDS, 0, "flags(x, y)", flags(x, y))                                                               \
    X(integer_quotients, WORDS, 0, "uint(int(a) / 2 / int(b | 1u))", signed_quotient(a, b))                            \
    X(unsigned_quotients, WORDS, 0, "a / (b | 1u)", a / (b | 1u))                                                      \
    X(unsigned_remainders, WORDS, 0, "a % (b >> 12 | 1u)", a % (b >> 12 | 1u))                                         \
    X(integer_products, WORDS, 0, "a * b", a *b)                                                                       \
    X(high_words, WORDS, 0, "high_word(a, b)", high_word(a, b))                                                        \
    X(left_shifts, WORDS, 0, "a << (b & 31u)", a << (b & 31u))                                                         \
    X(right_shifts, WORDS, 0, "uint(int(a) >> int(b & 31u))", (uint32_t)(as_signed(a) >> (b & 31u)))                   \
    X(whole_parts, WORDS, 0, "uint(int(x))", whole_part(x))                                                            \
    X(floats_of_integers, FLOATS, 1, "floatBitsToUint(float(int(a)))", bits((float)as_signed(a)))                      \
    X(floors, FLOATS, 0, "floatBitsToUint(floor(x))", bits(floorf(x)))                                                 \
    X(top_bits, WORDS, 0, "uint(findMSB(a))", top_bit(a))                                                              \
    X(known_zeros, WORDS, 255, "zeros(x)", 255)                                                                        \
    X(bit_counts, WORDS, 0, "uint(bitCount(a))", count_bits(a))                                                        \
    X(double_products, WORDS, 0, "unpackDouble2x32(double(x) * double(y)).y", high_double((double)x *(double)y))       \
    X(double_quotients, WORDS, 1, "unpackDouble2x32(double(x) / double(y)).y", high_double((double)x / (double)y))     \
    X(negations, WORDS, 0, "uint(!(x < y)) | uint(!(x >= y)) << 1", negations(x, y))                                   \
    X(double_literals, WORDS, 15, "literals()", 15)

enum {
#define X(name, form, units, glsl, c) STEP_##name,
    STEPS(X)
#undef X
        STEP_COUNT,
    ORDINARY = 64, /* followed by the special cases */
    NAN_FIRST = ORDINARY,
    NAN_SECOND,
    INFINITE,
    BY_ZERO,
    SMALL,
    SMALL_PRODUCT,
    CASES
};

typedef struct Case {
    uint32_t a, b;
} Case;

static const struct {
    const char *name;
    Form form;
    double units;
} steps[STEP_COUNT] = {
#define X(name, form, units, glsl, c) {#name, form, units},
    STEPS(X)
#undef X
};

static void expect(Case at, uint32_t results[STEP_COUNT])
{
    const uint32_t a = at.a, b = at.b;
    const float x = number(a), y = number(b);
#define X(name, form, units, glsl, c) results[STEP_##name] = (c);
    STEPS(X)
#undef X
}

static Program *program_of(Device *device)
{
    StrBuf defines = STRBUF_EMPTY;
    strbuf_addf(&defines, "#define STEP_COUNT %du\n#define STEPS", STEP_COUNT);
#define X(name, form, units, glsl, c) strbuf_addf(&defines, " results[at + %du] = %s;", STEP_##name, glsl);
    STEPS(X)
#undef X
    strbuf_add(&defines, "\n");
    Program *program =
        defines.failed ? NULL : shader_program(device, "driver_test_arithmetic.comp", strbuf_text(&defines));
    strbuf_free(&defines);
    return program;
}

/* Returns a random normal float of either sign, whose products and quotients are normal too. */
static uint32_t ordinary(uint32_t *seed)
{
    uint32_t word = *seed = *seed * 1664525u + 1013904223u;
    uint32_t exponent = 117u + (word >> 8) % 30u;
    *seed = *seed * 1664525u + 1013904223u;
    return (word & 0x80000000u) | exponent << 23 | *seed >> 9;
}

static void fill_cases(Case cases[CASES])
{
    static const float pairs[][2] = {{41, 41}, {7, 3}, {1, 3}, {5, 7}, {0.1f, 0.3f}, {1e6f, 1e-3f}, {9, 49}, {1, 49}};
    enum { PAIRS = sizeof pairs / sizeof *pairs };
    uint32_t seed = 1;
    for (int i = 0; i < ORDINARY; i++) {
        cases[i].a = i < PAIRS ? bits(pairs[i][0]) : ordinary(&seed);
        cases[i].b = i < PAIRS ? bits(pairs[i][1]) : ordinary(&seed);
    }
    cases[NAN_FIRST] = (Case){0x7fc00000u, bits(1)};
    cases[NAN_SECOND] = (Case){bits(1), 0x7fc00000u};
    cases[INFINITE] = (Case){bits(INFINITY), bits(1)};
    cases[BY_ZERO] = (Case){bits(-1), bits(0)};
    cases[SMALL] = (Case){1000, bits(1)};
    cases[SMALL_PRODUCT] = (Case){bits(2e-38f), bits(0.25f)};
}

static bool compute(Device *device, const Case cases[CASES], uint32_t results[CASES][STEP_COUNT])
{
    Program *program = program_of(device);
    const uint32_t params[4] = {[ARITHMETIC_P_CASES] = CASES};
    const size_t in_bytes = CASES * sizeof *cases, out_bytes = CASES * sizeof *results;
    Buffer *in = program ? buffer_create(device, in_bytes, false) : NULL;
    Buffer *out = in ? buffer_create(device, out_bytes, true) : NULL;
    Dispatch dispatch = {.program = program,
                         .params = params,
                         .param_vectors = 1,
                         .block_count = 2,
                         .blocks = {{out, 0}, {in, 0}},
                         .groups = {(CASES + 31) / 32, 1, 1}};
    bool done = out && buffer_write(in, 0, cases, in_bytes) && device_dispatch(device, &dispatch) &&
                buffer_read(out, 0, results, out_bytes);
    buffer_release(in);
    buffer_release(out);
    return done;
}

/* Returns the distance from a float to the next one away from 0. */
static double unit_of(float x)
{
    int exponent;
    frexpf(x, &exponent);
    return ldexp(1, exponent - FLT_MANT_DIG);
}

/* Returns the error of a result in units. */
static double distance(Form form, Case at, uint32_t got, uint32_t wanted)
{
    if (got == wanted) {
        return 0;
    }
    const double off = fabs((double)number(got) - (double)number(wanted));
    switch (form) {
    case FLOATS: return isnan(off) ? INFINITY : off / unit_of(number(wanted));
    case RESIDUALS: return isnan(off) ? INFINITY : off / unit_of(number(at.a) * number(at.b));
    case HALVES: {
        const int low = abs((int)(got & 0xffffu) - (int)(wanted & 0xffffu));
        const int high = abs((int)(got >> 16) - (int)(wanted >> 16));
        return low > high ? low : high;
    }
    case WORDS: break;
    }
    return fabs((double)got - (double)wanted);
}

static void describe(char *text, size_t room, int step, Case at, uint32_t got, uint32_t wanted)
{
    if (steps[step].form == FLOATS && step != STEP_floats_of_integers && step != STEP_floats_of_halves) {
        snprintf(text, room, "of %.9g and %.9g: %.9g, not %.9g", (double)number(at.a), (double)number(at.b),
                 (double)number(got), (double)number(wanted));
    } else {
        snprintf(text, room, "of 0x%08x and 0x%08x: 0x%08x, not 0x%08x", at.a, at.b, got, wanted);
    }
}

static void judge_step(int step, const Case *cases, uint32_t got[][STEP_COUNT], uint32_t wanted[][STEP_COUNT],
                       DriverTest *test)
{
    double worst = -1;
    int at = 0;
    for (int i = 0; i < ORDINARY; i++) {
        double off = distance(steps[step].form, cases[i], got[i][step], wanted[i][step]);
        if (got[i][step] != wanted[i][step] && off > worst) {
            worst = off;
            at = i;
        }
    }
    if (worst < 0 || step == STEP_known_zeros || step == STEP_double_literals) {
        return; /* judge_special notes these */
    }
    char text[160];
    describe(text, sizeof text, step, cases[at], got[at][step], wanted[at][step]);
    driver_test_note(test, steps[step].name, worst <= steps[step].units ? DRIVER_TEST_ALLOWED : DRIVER_TEST_WRONG, "%s",
                     text);
}

static bool equal_everywhere(int step, uint32_t got[][STEP_COUNT], uint32_t wanted[][STEP_COUNT])
{
    bool equal = true;
    for (int i = 0; i < ORDINARY; i++) {
        equal = equal && got[i][step] == wanted[i][step];
    }
    return equal;
}

static void measure(uint32_t got[][STEP_COUNT], uint32_t wanted[][STEP_COUNT], DriverTestMeasures *measures)
{
    measures->exact_division = equal_everywhere(STEP_quotients, got, wanted);
    measures->fused_fma = equal_everywhere(STEP_residuals, got, wanted);
    measures->nearest_half = equal_everywhere(STEP_halves, got, wanted);
    measures->denormals = got[SMALL][STEP_products] == wanted[SMALL][STEP_products] &&
                          got[SMALL_PRODUCT][STEP_products] == wanted[SMALL_PRODUCT][STEP_products];
    measures->exact_zeros = equal_everywhere(STEP_known_zeros, got, wanted) && got[INFINITE][STEP_known_zeros] == 255;
    measures->exact_literals = equal_everywhere(STEP_double_literals, got, wanted);
    measures->exact_not = got[NAN_FIRST][STEP_negations] == wanted[NAN_FIRST][STEP_negations] &&
                          got[NAN_SECOND][STEP_negations] == wanted[NAN_SECOND][STEP_negations];
    measures->nans = got[NAN_FIRST][STEP_comparisons] == wanted[NAN_FIRST][STEP_comparisons] &&
                     got[NAN_SECOND][STEP_comparisons] == wanted[NAN_SECOND][STEP_comparisons];
}

static void judge_special(uint32_t got[][STEP_COUNT], DriverTest *test)
{
    if (!test->measures.nans) {
        driver_test_note(test, "NaNs", DRIVER_TEST_ALLOWED, "comparisons or isnan do not see them");
    }
    if (!test->measures.denormals) {
        driver_test_note(test, "denormals", DRIVER_TEST_ALLOWED, "small numbers are taken for 0");
    }
    if (!test->measures.exact_zeros) {
        driver_test_note(test, "known zeros", DRIVER_TEST_ALLOWED,
                         "x / 0.0, x * 0.0 or x + 0.0 is not IEEE's; kernels are guarded");
    }
    if (!test->measures.exact_not) {
        driver_test_note(test, "negations", DRIVER_TEST_ALLOWED,
                         "!(x < y) is x >= y, also of NaN; kernels are guarded");
    }
    if (!test->measures.exact_literals) {
        driver_test_note(test, "double literals", DRIVER_TEST_ALLOWED,
                         "0.1LF or the like is not the nearest double; kernels have their bits instead");
    }
    if (got[BY_ZERO][STEP_quotients] != bits(-INFINITY)) {
        driver_test_note(test, "infinities", DRIVER_TEST_ALLOWED, "-1.0 / 0.0 is %.9g",
                         (double)number(got[BY_ZERO][STEP_quotients]));
    }
}

bool driver_test_arithmetic(Device *device, DriverTest *test)
{
    Case cases[CASES];
    uint32_t got[CASES][STEP_COUNT], wanted[CASES][STEP_COUNT];
    int before = test->count;
    fill_cases(cases);
    if (!compute(device, cases, got)) {
        return false;
    }
    for (int i = 0; i < CASES; i++) {
        expect(cases[i], wanted[i]);
    }
    measure(got, wanted, &test->measures);
    for (int step = 0; step < STEP_COUNT; step++) {
        judge_step(step, cases, got, wanted, test);
    }
    judge_special(got, test);
    bool right = true;
    for (int i = before; i < test->count; i++) {
        right = right && test->lines[i].verdict != DRIVER_TEST_WRONG;
    }
    if (right) {
        driver_test_note(test, "arithmetic", DRIVER_TEST_RIGHT, NULL);
    }
    return true;
}
