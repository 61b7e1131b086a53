#include "kernel/text/names.h"

#include <string.h>

static const char *const spellings[][2] = {
    {"float2", "vec2"},
    {"float3", "vec3"},
    {"float4", "vec4"},
    {"half", "float"},
    {"half2", "vec2"},
    {"half3", "vec3"},
    {"half4", "vec4"},
    {"int2", "ivec2"},
    {"int3", "ivec3"},
    {"int4", "ivec4"},
    {"uint2", "uvec2"},
    {"uint3", "uvec3"},
    {"uint4", "uvec4"},
    {"bool2", "bvec2"},
    {"bool3", "bvec3"},
    {"bool4", "bvec4"},
    {"double2", "dvec2"},
    {"double3", "dvec3"},
    {"double4", "dvec4"},
    {"float2x2", "mat2"},
    {"float3x3", "mat3"},
    {"float4x4", "mat4"},
    {"lerp", "mix"},
    {"frac", "fract"},
    {"rsqrt", "inversesqrt"},
    {"atan2", "atan"},
    {"saturate", "rill_saturate"},
    {"fmod", "rill_fmod"},
    {"log", "rill_log"},
    {"log2", "rill_log2"},
    {"exp", "rill_exp"},
    {"exp2", "rill_exp2"},
    {"pow", "rill_pow"},
    {"sin", "rill_sin"},
    {"cos", "rill_cos"},
    {"eigen_symmetric", "rill_eigen"},
    {"svd", "rill_svd"},
    {"cmul", "rill_cmul"},
    {"cdiv", "rill_cdiv"},
    {"conj", "rill_conj"},
    {"cabs", "rill_cabs"},
    {"cangle", "rill_cangle"},
    {"cexp", "rill_cexp"},
    {"cbrt", "rill_cbrt"},
    {"expm1", "rill_expm1"},
    {"log1p", "rill_log1p"},
    {"sinc", "rill_sinc"},
    {"erf", "rill_erf"},
    {"erfc", "rill_erfc"},
    {"erfinv", "rill_erfinv"},
    {"gamma", "rill_gamma"},
    {"lgamma", "rill_lgamma"},
    {"digamma", "rill_digamma"},
    {"trigamma", "rill_trigamma"},
};

static const char *const reserved[] = {
    "active",  "asm",      "atomic_uint", "attribute", "bool",          "break",     "buffer",   "case",
    "cast",    "centroid", "class",       "coherent",  "common",        "const",     "continue", "default",
    "discard", "do",       "double",      "else",      "enum",          "extern",    "external", "false",
    "filter",  "fixed",    "flat",        "float",     "for",           "goto",      "half",     "highp",
    "hvec2",   "hvec3",    "hvec4",       "fvec2",     "fvec3",         "fvec4",     "if",       "in",
    "inline",  "inout",    "input",       "int",       "interface",     "invariant", "layout",   "long",
    "lowp",    "mediump",  "namespace",   "noinline",  "noperspective", "out",       "output",   "partition",
    "patch",   "precise",  "precision",   "public",    "readonly",      "resource",  "restrict", "return",
    "sample",  "shared",   "short",       "sizeof",    "smooth",        "static",    "struct",   "subroutine",
    "superp",  "switch",   "template",    "this",      "true",          "typedef",   "uint",     "uniform",
    "union",   "unsigned", "using",       "varying",   "void",          "volatile",  "while",    "writeonly",
    NULL,
};

static const char *const builtins[] = {
    "abs",        "acos",    "all",      "any",     "asin",    "atan",      "atan2", "ceil",     "clamp", "cos",
    "cross",      "degrees", "distance", "dot",     "exp",     "exp2",      "floor", "fma",      "fmod",  "frac",
    "fract",      "length",  "lerp",     "log",     "log2",    "max",       "min",   "mix",      "mod",   "normalize",
    "not",        "pow",     "radians",  "reflect", "refract", "round",     "rsqrt", "saturate", "sign",  "sin",
    "smoothstep", "sqrt",    "step",     "tan",     "tanh",    "transpose", "trunc", NULL,
};

bool names_builtin(const Token *token)
{
    return token_any(token, builtins);
}

const char *names_builtin_at(size_t i)
{
    return i < sizeof builtins / sizeof *builtins ? builtins[i] : NULL;
}

const char *names_spelling(const Token *token)
{
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        if (token_is(token, spellings[i][0])) {
            return spellings[i][1];
        }
    }
    return NULL;
}

const char *names_constant_spelling(const Token *token)
{
    static const char *const own[] = {"log", "log2", "exp", "exp2", "pow", "sin", "cos"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        if (token_is(token, own[i])) {
            return own[i];
        }
    }
    return names_spelling(token);
}

bool names_reserved(const Token *token)
{
    return (token->length > 3 && memcmp(token->text, "gl_", 3) == 0) || token_any(token, reserved);
}

const char *names_field(const Token *token)
{
    bool macro = token_is(token, "T") || memchr(token->text, '_', (size_t)token->length);
    return macro || names_reserved(token) ? "m_" : "";
}
