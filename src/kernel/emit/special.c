#include "kernel/emit/special.h"

#include "shaders_embedded.h"

#include <string.h>

/* The functions in the order in which they are written: those that others call are first. */
typedef enum Special {
    SINC,
    EXPM1,
    LOG1P,
    CBRT,
    ERF,
    ERFC,
    ERFINV,
    GAMMA,
    LGAMMA,
    DIGAMMA,
    TRIGAMMA,
    SPECIALS
} Special;

#define BIT(i) (1u << (i))

static const struct {
    const char *name, *text; /* text: NULL if the text of another function contains the function */
    uint32_t helpers;        /* what the function for floats calls: of BodyHelper */
    uint32_t calls[2]; /* special functions for doubles that the function calls; [0]: for floats, [1]: for doubles */
    uint32_t same;     /* special functions of the same type that it calls */
} specials[SPECIALS] = {
    [SINC] = {"rill_sinc", shader_sinc, 0, {0}, 0},
    [EXPM1] = {"rill_expm1", shader_expm1, 0, {0}, 0},
    [LOG1P] = {"rill_log1p", shader_log1p, BIT(HELPER_LOGARITHM), {0}, 0},
    [CBRT] = {"rill_cbrt", shader_cbrt, 0, {0}, 0},
    [ERF] = {"rill_erf", shader_erf, BIT(HELPER_EXPONENTIAL), {0}, 0},
    [ERFC] = {"rill_erfc", NULL, BIT(HELPER_EXPONENTIAL), {0}, BIT(ERF)},
    [ERFINV] = {"rill_erfinv", shader_erfinv, BIT(HELPER_LOGARITHM), {0, BIT(ERF)}, 0},
    [GAMMA] = {"rill_gamma", shader_gamma, 0, {BIT(GAMMA) | BIT(SINC), BIT(SINC)}, 0},
    [LGAMMA] = {"rill_lgamma", shader_lgamma, 0, {BIT(LGAMMA) | BIT(SINC), BIT(SINC)}, 0},
    [DIGAMMA] = {"rill_digamma", shader_digamma, 0, {BIT(DIGAMMA) | BIT(SINC), BIT(SINC)}, 0},
    [TRIGAMMA] = {"rill_trigamma", shader_trigamma, 0, {BIT(TRIGAMMA) | BIT(SINC), BIT(SINC)}, 0},
};

bool special_list(Body *body, const char *name, bool doubles)
{
    int i = 0;
    while (i < SPECIALS && strcmp(specials[i].name, name) != 0) {
        i++;
    }
    if (i == SPECIALS) {
        return false;
    }
    body->special[doubles] |= BIT(i) | specials[i].same;
    body->special[1] |= specials[i].calls[doubles];
    body->helpers |= (doubles ? 0u : specials[i].helpers) | (body->special[1] ? BIT(HELPER_DOUBLES) : 0u);
    return true;
}

/* Writes overloads for vectors, component by component. */
static void write_vectors(StrBuf *out, const char *name, const char *prefix)
{
    for (int n = 2; n <= 4; n++) {
        strbuf_addf(out, "%svec%d %s(%svec%d x) { return %svec%d(", prefix, n, name, prefix, n, prefix, n);
        for (int c = 0; c < n; c++) {
            strbuf_addf(out, "%s%s(x.%c)", c ? ", " : "", name, "xyzw"[c]);
        }
        strbuf_add(out, "); }\n");
    }
}

void special_write(StrBuf *out, const uint32_t sets[2])
{
    for (int wide = 1; wide >= 0; wide--) {
        strbuf_add(out, wide && sets[1] ? "#define RILL_WIDE\n" : "");
        for (int i = 0; i < SPECIALS; i++) {
            if (sets[wide] & BIT(i)) {
                strbuf_add(out, specials[i].text ? specials[i].text : "");
                write_vectors(out, specials[i].name, wide ? "d" : "");
            }
        }
        strbuf_add(out, wide && sets[1] ? "#undef RILL_WIDE\n" : "");
    }
}
