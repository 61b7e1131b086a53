/* The functions of GLSL that generated programs are written with. */
#include "kernel/variant/access.h"

#include <string.h>

static const char prelude[] =
    /* Twice a number is even: nothing is added. See rewrite_index.c. */
    "int rill_own(int i) { return i + ((i + i) & 1); }\n"
    "uint rill_own(uint i) { return i + ((i + i) & 1u); }\n"
    "int rill_case(int i) { return rill_own(i); }\n"
    "uint rill_case(uint i) { return rill_own(i); }\n"
    /* b / 255 rounded as it should be, where a division is a product with a reciprocal, too: the first product is exact. */
    "float rill_unorm(uint b) { float v = float(b); precise float r = v * 0.0039215087890625 + v * 5.98383920e-8; "
    "return "
    "r; }\n"
    /* Rounded to nearest, ties to even, as drivers need not: the last bit that stays and half a unit less one bit are added before the rest
     * is cut off. Below 2^-14, a half's last place is that of a float next to 0.5. */
    "uint rill_half(float x) { uint u = floatBitsToUint(x), a = u & 0x7fffffffu, "
    "n = min((a + 0xc8000fffu + (a >> 13u & 1u)) >> 13u, 0x7c00u), t = floatBitsToUint(uintBitsToFloat(a) + 0.5) - "
    "0x3f000000u; "
    "return (u >> 16u & 0x8000u) | (a > 0x7f800000u ? 0x7e00u : a < 0x38800000u ? t : n); }\n"
    /* Small halves kept, as drivers need not. */
    "float rill_float(uint h) { uint m = h & 0x7fffu, b = m < 0x400u ? floatBitsToUint(float(m) * "
    "5.9604644775390625e-8) : "
    "(m << 13u) + (m < 0x7c00u ? 0x38000000u : 0x70000000u); return uintBitsToFloat(b | (h & 0x8000u) << 16u); }\n"
    "uint rill_div(uint n, uint m, uint s) { uint h, l; umulExtended(n << 1u, m, h, l); return h >> s; }\n"
    "int rill_mod(int n, int m) { return m > 0 ? n % m : n; }\n"
    "float rill_ramp(float from, float delta, int i) { precise float p = delta * float(i); precise float r = from + p; "
    "return r; }\n"
    "double rill_ramp(double from, double delta, int i) { precise double p = delta * double(i); precise double r = "
    "from + p; "
    "return r; }\n"
    "int rill_map(int i, uint step, uint start, uint dm, uint ds, uint mm, uint ms, uint m) { uint q = "
    "rill_div(uint(i) * step + start, dm, ds); return int(q - rill_div(q, mm, ms) * m); }\n"
    "int rill_clamp(int i, int n) { return clamp(i, 0, n - 1); }\n"
    "int rill_wrap(int i, int n) { return i >= 0 ? i % n : n - 1 - (-1 - i) % n; }\n"
    "int rill_mirror(int i, int n) { uint m = uint(n), t = i >= 0 ? uint(i) % (2u * m) : 2u * m - 1u - uint(-1 - i) % "
    "(2u "
    "* m); return int(t < m ? t : 2u * m - 1u - t); }\n"
    /* A neighbour's offset, which must not overflow when the place is added. */
    "int rill_near(int x, int period) { bool far = x != clamp(x, -1073741824, 1073741823); int m = far && period > 0 ? "
    "rill_wrap(x, period) : 0; return !far ? x : period > 0 ? (m > 1073741823 ? m - period : m) : clamp(x, "
    "-1073741824, "
    "1073741823); }\n";

/* Brackets: any number as an index. */
static const char index_functions[] =
    "int rill_ix(int i) { return i; }\n"
    "int rill_ix(uint i) { return int(min(i, 2147483647u)); }\n"
    "int rill_ix(float f) { return int(clamp(floor(f + 0.0009765625), -2147483648.0, 2147483520.0)); }\n"
    "int rill_ix(double f) { return rill_ix(float(f)); }\n"
    "ivec2 rill_ix(ivec2 i) { return i; }\n"
    "ivec3 rill_ix(ivec3 i) { return i; }\n"
    "ivec4 rill_ix(ivec4 i) { return i; }\n"
    "ivec2 rill_ix(uvec2 i) { return ivec2(min(i, 2147483647u)); }\n"
    "ivec3 rill_ix(uvec3 i) { return ivec3(min(i, 2147483647u)); }\n"
    "ivec4 rill_ix(uvec4 i) { return ivec4(min(i, 2147483647u)); }\n"
    "ivec2 rill_ix(vec2 f) { return ivec2(rill_ix(f.x), rill_ix(f.y)); }\n"
    "ivec3 rill_ix(vec3 f) { return ivec3(rill_ix(f.x), rill_ix(f.y), rill_ix(f.z)); }\n"
    "ivec4 rill_ix(vec4 f) { return ivec4(rill_ix(f.x), rill_ix(f.y), rill_ix(f.z), rill_ix(f.w)); }\n";

/* Indices into streams with boundaries: those beyond an int keep their place under wrap (b > 0, the period) and mirror (-b elements). */
static const char far_functions[] =
    "int rill_far(uint i, int b) { uint n = uint(abs(b)), m = b > 0 ? n : 2u * n, t = b == 0 ? 2147483647u : i % m; "
    "return int(i < 2147483648u ? i : b < 0 && t >= n ? m - 1u - t : t); }\n"
    "int rill_ix(int i, ivec4 b, int d) { return i; }\n"
    "int rill_ix(uint i, ivec4 b, int d) { return rill_far(i, b[d]); }\n"
    "int rill_ix(float f, ivec4 b, int d) { return rill_ix(f); }\n"
    "int rill_ix(double f, ivec4 b, int d) { return rill_ix(f); }\n"
    "ivec2 rill_ix(ivec2 i, ivec4 b, int d) { return i; }\n"
    "ivec3 rill_ix(ivec3 i, ivec4 b, int d) { return i; }\n"
    "ivec4 rill_ix(ivec4 i, ivec4 b, int d) { return i; }\n"
    "ivec2 rill_ix(uvec2 i, ivec4 b, int d) { return ivec2(rill_far(i.x, b.x), rill_far(i.y, b.y)); }\n"
    "ivec3 rill_ix(uvec3 i, ivec4 b, int d) { return ivec3(rill_ix(i.xy, b, d), rill_far(i.z, b.z)); }\n"
    "ivec4 rill_ix(uvec4 i, ivec4 b, int d) { return ivec4(rill_ix(i.xyz, b, d), rill_far(i.w, b.w)); }\n"
    "ivec2 rill_ix(vec2 f, ivec4 b, int d) { return rill_ix(f); }\n"
    "ivec3 rill_ix(vec3 f, ivec4 b, int d) { return rill_ix(f); }\n"
    "ivec4 rill_ix(vec4 f, ivec4 b, int d) { return rill_ix(f); }\n";

/* GLSL's logarithms may miss by 2^-21 near 1, where they are smaller than that. x is m * 2^e with m in sqrt(1/2) .. sqrt(2), and log(m)
 * Moshier's series (Cephes, logf). */
static const char log_functions[] =
    "float rill_series(float x, out float e, out float f) {\n"
    "  bool tiny = x < 1.1754944e-38;\n"
    "  uint w = floatBitsToUint(tiny ? x * 33554432.0 : x) - 0x3f3504f3u;\n"
    "  e = float(int(w) >> 23) - (tiny ? 25.0 : 0.0);\n"
    "  f = uintBitsToFloat((w & 0x7fffffu) + 0x3f3504f3u) - 1.0;\n"
    "  float p = 7.0376836292e-2;\n"
    "  p = p * f - 1.1514610310e-1; p = p * f + 1.1676998740e-1; p = p * f - 1.2420140846e-1;\n"
    "  p = p * f + 1.4249322787e-1; p = p * f - 1.6668057665e-1; p = p * f + 2.0000714765e-1;\n"
    "  p = p * f - 2.4999993993e-1; p = p * f + 3.3333331174e-1;\n"
    "  return f * f * (f * p);\n"
    "}\n"
    "float rill_logarithm(float x, float r) {\n"
    "  uint w = floatBitsToUint(x);\n"
    "  return w - 1u < 0x7f7fffffu ? r : (w & 0x7fffffffu) > 0x7f800000u || w == 0x7f800000u ? x\n"
    "    : uintBitsToFloat((w & 0x7fffffffu) == 0u ? 0xff800000u : 0x7fc00000u);\n"
    "}\n"
    "float rill_log(float x) {\n"
    "  float e, f, y = rill_series(x, e, f);\n"
    "  precise float r = e * 0.693359375 + (f + (y - e * 2.12194440e-4 - 0.5 * (f * f)));\n"
    "  return rill_logarithm(x, r);\n"
    "}\n"
    "float rill_log2(float x) {\n"
    "  float e, f, y = rill_series(x, e, f);\n"
    "  y -= 0.5 * (f * f);\n"
    "  precise float r = e + (f + (y + (f * 0.44269504 + y * 0.44269504)));\n"
    "  return rill_logarithm(x, r);\n"
    "}\n";

/* The remainder of least size, exactly: y times a power of two is taken off as often as it fits, from the largest power that does down to 1;
 * a quotient that the device gets wrong in its last place leaves a remainder still near half of what was taken. There are 10 trips at most;
 * mostly there is none, and 40 are not written out by compilers. */
static const char fmod_functions[] =
    "int rill_exponent(double x) { return int(unpackDouble2x32(x).y >> 20u & 0x7ffu); }\n"
    "double rill_less(double r, double y) { precise double s = r - floor(r / y + 0.5lf) * y; return s; }\n"
    "double rill_remainder(double r, double y) {\n"
    "  int k = (rill_exponent(r) - rill_exponent(y)) / 28 * 28;\n"
    "  for (int i = 0; i < 40; i++) {\n"
    "    if (k <= 0) break;\n"
    "    r = rill_less(r, y * packDouble2x32(uvec2(0u, uint(k + 1023) << 20)));\n"
    "    k -= 28;\n"
    "  }\n"
    "  return rill_less(r, y);\n"
    "}\n"
    "float rill_fmod(float a, float b) {\n"
    "  double x = double(a), y = abs(double(b)), r = rill_remainder(x, y);\n"
    "  r = r * x < 0.0lf ? r + sign(x) * y : r;\n"
    "  return y > 3.5e38lf && abs(x) < 3.5e38lf ? a : float(r);\n"
    "}\n";

/* Functions of floats, component by component. */
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

/* What kernel bodies may call, added where one does: compilers take their time for functions that nothing calls, too. */
static const struct {
    const char *mark, *text, *vectors[2];
    int parameters;
} called[] = {
    {"rill_ix(", index_functions, {NULL}, 0},
    {", b_", far_functions, {NULL}, 0},
    {"rill_saturate(", "float rill_saturate(float x) { return clamp(x, 0.0, 1.0); }\n", {"rill_saturate"}, 1},
    {"rill_log", log_functions, {"rill_log", "rill_log2"}, 1},
    {"rill_fmod(", fmod_functions, {"rill_fmod"}, 2},
};

/* What loops are guarded by. Loads of lanes that have left a loop are zeros on some drivers (Mesa 22.3's llvmpipe), which replace what was
 * loaded before, unless there is a way out in front of the load: then the value is another one behind the loop than within it. And what
 * leaves a loop is a value of its own where compilers conclude wrong numbers of rounds from it: see rewrite_loops.c. */
static void write_guards(StrBuf *out, const DeviceTraits *traits, int four)
{
    strbuf_addf(out, "bool rill_never() { return %s%s; }\n", traits->kept_loads ? "false" : access_word(four),
                traits->kept_loads ? "" : " == 0u");
    strbuf_addf(out, "bool rill_exit(bool b) { return %s; }\n", traits->exact_rounds ? "b" : "rill_own(int(b)) != 0");
}

void prelude_write(StrBuf *out, const DeviceTraits *traits, int four, const Body *const *bodies, int count)
{
    strbuf_add(out, prelude);
    write_guards(out, traits, four);
    for (size_t i = 0; i < sizeof called / sizeof *called; i++) {
        bool needed = false;
        for (int k = 0; k < count; k++) {
            needed = needed || (bodies[k] && strstr(strbuf_text(&bodies[k]->text), called[i].mark));
        }
        strbuf_add(out, needed ? called[i].text : "");
        for (int n = 0; needed && n < 2 && called[i].vectors[n]; n++) {
            write_vectors(out, called[i].vectors[n], called[i].parameters);
        }
    }
}
