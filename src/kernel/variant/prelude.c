/* Writes the GLSL functions that generated programs use. */
#include "kernel/emit/special.h"
#include "kernel/variant/access.h"
#include "shaders_embedded.h"

/* Writes overloads for vectors of a function of floats, component by component. */
static void write_vectors(StrBuf *out, const char *name, int parameters)
{
    static const char *const scalar[] = {"", "x.x, y.x", "x.y, y.y", "x.z, y.z", "x.w, y.w"};
    for (int n = 2; n <= 4; n++) {
        strbuf_addf(out, "vec%d %s(vec%d x%s%s) { return vec%d(", n, name, n, parameters > 1 ? ", " : "",
                    parameters > 1 ? (const char *[]){"vec2 y", "vec3 y", "vec4 y"}[n - 2] : "", n);
        for (int c = 1; c <= n; c++) {
            strbuf_addf(out, "%s%s(%.*s)", c > 1 ? ", " : "", name, parameters > 1 ? 8 : 3, scalar[c]);
        }
        strbuf_add(out, "); }\n");
        if (parameters > 1) {
            strbuf_addf(out, "vec%d %s(vec%d x, float y) { return %s(x, vec%d(y)); }\n", n, name, n, name, n);
        }
    }
}

/* Functions that bodies may call, by BodyHelper. They are written only if a body calls one, since compilers need
 * time for unused functions, too. `also`: another helper that needs the function. `cpu`: the text for the family `cpu`, if
 * it differs. `vectors`: the functions that are written for vectors, too, and their number of parameters. */
static const struct {
    const char *text, *vectors[2], *cpu;
    int parameters;
    BodyHelper also;
} called[] = {
    [HELPER_INDEX] = {.text = shader_index},
    [HELPER_FAR_INDEX] = {.text = shader_far_index},
    [HELPER_SATURATE] = {.text = "float rill_saturate(float x) { return clamp(x, 0.0, 1.0); }\n",
                         .vectors = {"rill_saturate"},
                         .parameters = 1},
    [HELPER_BOOL] = {.text = shader_truth},
    [HELPER_LOGARITHM] = {.text = shader_logarithm, .vectors = {"rill_log", "rill_log2"}, .parameters = 1},
    [HELPER_EXPONENTIAL] = {.text = shader_exponential,
                            .vectors = {"rill_exp", "rill_exp2"},
                            .parameters = 1,
                            .also = HELPER_POWER},
    [HELPER_POWER] = {.text = shader_power, .vectors = {"rill_pow"}, .parameters = 2},
    [HELPER_CIRCULAR] = {.text = shader_circular,
                         .vectors = {"rill_sin", "rill_cos"},
                         .cpu = shader_quarters,
                         .parameters = 1},
    [HELPER_REMAINDER] = {.text = shader_remainder, .vectors = {"rill_fmod"}, .parameters = 2},
    [HELPER_COMPONENTWISE] = {.text = shader_componentwise},
    [HELPER_SEEN] = {.text = shader_seen},
    [HELPER_SEEN_MATRIX] = {.text = shader_seen_matrix},
    [HELPER_SEEN_DOUBLE] = {.text = shader_seen_double},
    [HELPER_SAME] = {.text = shader_same},
    [HELPER_SAME_DOUBLE] = {.text = shader_same_double},
    [HELPER_KEPT] = {.text = shader_kept},
    [HELPER_TRUTH] = {.text = "bool rill_truth(precise bool b) { return b; }\n"},
    [HELPER_REMAIN] = {.text = shader_remain, .also = HELPER_REMAIN_TO},
    [HELPER_REMAIN_TO] = {.text = shader_remain_to},
    [HELPER_DOUBLES] = {.text = shader_doubles, .also = HELPER_WIDE},
    [HELPER_WIDE] = {.text = shader_wide},
    [HELPER_PHILOX] = {.text = shader_philox},
    [HELPER_RANDOM] = {.text = shader_random},
    [HELPER_NORMAL] = {.text = shader_normal},
    [HELPER_RANDOM_NORMAL] = {.text = shader_random_normal},
};

/* Writes the functions of jacobi.glsl for the matrices of two sets (Body.jacobi). */
static void write_jacobi(StrBuf *out, const uint32_t sets[2])
{
    for (int wide = 0; wide < 2; wide++) {
        const char *d = wide ? "d" : "", *first = "#define RILL_FIRST\n";
        for (int n = 2; n <= 4; n++) {
            uint32_t bit = 1u << body_matrix(wide, n);
            if ((sets[0] | sets[1]) & bit) {
                strbuf_addf(out,
                            "#define RILL_N %d\n#define RILL_R %s\n#define RILL_V %svec%d\n#define RILL_M %smat%d\n%s",
                            n, wide ? "double" : "float", d, n, d, n, first);
                strbuf_add(out, wide ? "#define RILL_WIDE\n" : "");
                strbuf_addf(out, sets[0] & bit ? "#define RILL_EIGEN rill_eigen_%smat%d\n" : "", d, n);
                strbuf_addf(out, sets[1] & bit ? "#define RILL_SVD rill_svd_%smat%d\n" : "", d, n);
                strbuf_add(out, shader_jacobi);
                first = "";
            }
        }
    }
}

/* Writes the functions of complex.glsl of two sets (Body.complex). */
static void write_complex(StrBuf *out, const uint32_t sets[2])
{
    for (int wide = 0; wide < 2; wide++) {
        for (int i = 0; body_complex[i]; i++) {
            strbuf_addf(out, sets[wide] >> i & 1 ? "#define RILL_%s\n" : "", body_complex[i]);
        }
        if (sets[wide]) {
            strbuf_addf(out, "#define RILL_R %s\n#define RILL_V %s\n%s", wide ? "double" : "float",
                        wide ? "dvec2" : "vec2", wide ? "#define RILL_WIDE\n" : "");
            strbuf_add(out, shader_complex);
        }
        for (int i = 0; body_complex[i]; i++) {
            strbuf_addf(out, sets[wide] >> i & 1 ? "#undef RILL_%s\n" : "", body_complex[i]);
        }
    }
}

/* Writes the functions that guard loops. On some drivers (llvmpipe of Mesa 22.3) lanes that have
 * left a loop continue to load, which replaces the values that they loaded before: by zeros from a
 * storage block, or by the element at the last value from a texture, as in "k = g[k]". An exit
 * before the load avoids this, since the value after the loop is then separate from the value in
 * it. If loops are stopped silently, code after a loop must stay reachable, even if the compiler finds
 * that the loop never ends. Conditions that leave a loop are passed through rill_exit() if compilers derive incorrect
 * iteration counts from them: see emit_loops.c. */
static void write_guards(StrBuf *out, const DeviceTraits *traits, int four)
{
    bool plain = traits->kept_loads && traits->loop_limit == 0;
    strbuf_addf(out, "bool rill_never() { return %s%s; }\n", plain ? "false" : access_word(four),
                plain ? "" : " == 0u");
    strbuf_addf(out, "bool rill_exit(precise bool b) { return %s; }\n",
                traits->exact_rounds ? "b" : "rill_own(int(b)) != 0");
    /* NVIDIA's compiler (580.159) replaces !(x < y) by x >= y, which differs if one of them is NaN. */
    strbuf_add(out, traits->exact_not ? "#define rill_yes(b) (b)\n"
                                      : "bool rill_yes(precise bool b) { return (int(b) | rill_naught) != 0; }\n");
}

/* For compilers that treat known zeros correctly. */
static const char plain_zeros[] = "#define rill_naught 0\n#define rill_zero 0.0\n#define rill_seen(x) (x)\n";

void prelude_write(StrBuf *out, const DeviceTraits *traits, int four, const Body *const *bodies, int count)
{
    strbuf_add(out, traits->exact_zeros ? plain_zeros : shader_zero);
    strbuf_add(out, shader_prelude);
    write_guards(out, traits, four);
    uint32_t helpers = 0, jacobi[2] = {0}, complex[2] = {0}, special[2] = {0};
    for (int k = 0; k < count; k++) {
        helpers |= bodies[k] ? bodies[k]->helpers : 0;
        for (int i = 0; i < 2; i++) {
            jacobi[i] |= bodies[k] ? bodies[k]->jacobi[i] : 0;
            complex[i] |= bodies[k] ? bodies[k]->complex[i] : 0;
            special[i] |= bodies[k] ? bodies[k]->special[i] : 0;
        }
    }
    for (size_t i = 0; i < sizeof called / sizeof *called; i++) {
        bool needed = helpers & (1u << i | (called[i].also ? 1u << called[i].also : 0u));
        bool cpu = called[i].cpu && traits->family == FAMILY_CPU;
        strbuf_add(out, !needed ? "" : cpu ? called[i].cpu : called[i].text);
        for (int n = 0; needed && n < 2 && called[i].vectors[n]; n++) {
            write_vectors(out, called[i].vectors[n], called[i].parameters);
        }
    }
    special_write(out, special);
    write_jacobi(out, jacobi);
    write_complex(out, complex);
}

void prelude_faults(StrBuf *out, const char *inside, bool check, bool partial, bool canary)
{
    if (check || partial) {
        strbuf_addf(out, "#define RILL_INSIDE %s\n", inside);
    }
    strbuf_add(out, check ? shader_report : "");
    strbuf_add(out, partial ? shader_unmapped : "");
    strbuf_add(out, canary ? shader_canary : "");
}
