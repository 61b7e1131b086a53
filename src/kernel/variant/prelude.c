/* Writes the GLSL functions that generated programs use. */
#include "kernel/variant/access.h"
#include "shaders_embedded.h"

#include <string.h>

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

/* Functions that bodies may call. They are written only if a body calls one, since compilers need
 * time for unused functions, too. `cpu`: the text for the family `cpu`, if it differs. */
typedef struct Called {
    const char *marks[2], *text, *vectors[2];
    int parameters;
    const char *cpu;
} Called;

static const Called called[] = {
    {{"rill_ix("}, shader_index, {NULL}, 0, NULL},
    {{", b_"}, shader_far_index, {NULL}, 0, NULL},
    {{"rill_saturate"}, "float rill_saturate(float x) { return clamp(x, 0.0, 1.0); }\n", {"rill_saturate"}, 1, NULL},
    {{"rill_bool"}, shader_truth, {NULL}, 0, NULL},
    {{"rill_log"}, shader_logarithm, {"rill_log", "rill_log2"}, 1, NULL},
    {{"rill_exp", "rill_pow"}, shader_exponential, {"rill_exp", "rill_exp2"}, 1, NULL},
    {{"rill_pow"}, shader_power, {"rill_pow"}, 2, NULL},
    {{"rill_sin", "rill_cos"}, shader_circular, {"rill_sin", "rill_cos"}, 1, shader_quarters},
    {{"rill_fmod"}, shader_remainder, {"rill_fmod"}, 2, NULL},
    {{"rill_cg_"}, shader_componentwise, {NULL}, 0, NULL},
    {{"rill_seen("}, shader_seen, {NULL}, 0, NULL},
    {{"mat"}, shader_seen_matrix, {NULL}, 0, NULL},
    {{"double", "dvec"}, shader_seen_double, {NULL}, 0, NULL},
    {{"lf", "LF"}, shader_seen_double, {NULL}, 0, NULL},
    {{"dmat"}, shader_seen_double, {NULL}, 0, NULL},
    {{"rill_same("}, shader_same, {NULL}, 0, NULL},
    {{"rill_same_double("}, shader_same_double, {NULL}, 0, NULL},
    {{"rill_kept("}, shader_kept, {NULL}, 0, NULL},
    {{"rill_truth("}, "bool rill_truth(precise bool b) { return b; }\n", {NULL}, 0, NULL},
    {{"rill_rem(", "rill_rem_to("}, shader_remain, {NULL}, 0, NULL},
    {{"rill_rem_to("}, shader_remain_to, {NULL}, 0, NULL},
};

static bool calls(const Body *body, const char *const marks[2])
{
    const char *text = strbuf_text(&body->text);
    return strstr(text, marks[0]) || (marks[1] && strstr(text, marks[1]));
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

/* Returns whether a body calls one of the functions in shaders/functions/wide.glsl. */
static bool calls_wide(const Body *body)
{
    static const char *const marks[2] = {"rill_wide_", NULL};
    return calls(body, marks);
}

/* Returns whether a body may call one of the functions in shaders/functions/doubles.glsl with a double. */
static bool calls_doubles(const Body *body)
{
    static const char *const marks[][2] = {{"rill_sin", "rill_cos"}, {"rill_exp", "rill_log"}, {"rill_pow", NULL}};
    bool any = calls_wide(body);
    for (int i = 0; i < 3; i++) {
        any = any || calls(body, marks[i]);
    }
    return any && body->doubles;
}

void prelude_write(StrBuf *out, const DeviceTraits *traits, int four, const Body *const *bodies, int count)
{
    strbuf_add(out, traits->exact_zeros ? plain_zeros : shader_zero);
    strbuf_add(out, shader_prelude);
    write_guards(out, traits, four);
    for (size_t i = 0; i < sizeof called / sizeof *called; i++) {
        bool needed = false;
        for (int k = 0; k < count; k++) {
            needed = needed || (bodies[k] && calls(bodies[k], called[i].marks));
        }
        bool cpu = called[i].cpu && traits->family == FAMILY_CPU;
        strbuf_add(out, !needed ? "" : cpu ? called[i].cpu : called[i].text);
        for (int n = 0; needed && n < 2 && called[i].vectors[n]; n++) {
            write_vectors(out, called[i].vectors[n], called[i].parameters);
        }
    }
    bool doubles = false, wide = false;
    for (int k = 0; k < count; k++) {
        doubles = doubles || (bodies[k] && calls_doubles(bodies[k]));
        wide = wide || (bodies[k] && calls_wide(bodies[k]));
    }
    strbuf_add(out, doubles ? shader_doubles : "");
    strbuf_add(out, wide ? shader_wide : "");
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
