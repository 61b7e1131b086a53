/* Names of other languages in kernel texts, and what GLSL or rill has instead. */
#include "kernel/text/foreign.h"

#include "kernel/text/names.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

typedef struct Hint {
    const char *names, *hint; /* names are separated by spaces */
} Hint;

#define SHARED_HINT "write 'shared float s[64];' in the body of a group kernel"
#define SUBGROUP_HINT " if device.traits has it, or shared memory and barrier()"
#define LAUNCH_HINT "a value for the whole launch is a parameter of the kernel, 'float x', which it passes to functions"
#define KERNEL_HINT "write 'kernel void' before the name of a kernel"
#define IMAGE_HINT "write 'vec4 image[][]', and sample(image, p) for an interpolated element"
#define PIXEL_HINT "write 'vec4 image[][]' to read any element, 'inout vec4 image[][]' to write"
#define BUFFER_HINT "a buffer is a parameter: 'float x[]' to read any element, 'inout float x[]' to write"
#define RANDOM_HINT "write random(), random_int(n) or random_normal()"
#define SEED_HINT "the seed is an option of the launch: k {seed = 7}"
#define STORE_HINT "store the value in an output, and print the stream"
#define PUSH_HINT "write push(name, value) to append to an output 'vout float name<>'"
#define SIZE_HINT "write sizeof_stream(name).x for the number of elements"
#define CHOICE_HINT "write condition ? x : y"

/* Words before a declaration. */
static const Hint word_hints[] = {
    {"gather", "write 'float x[]' to read any element of a stream"},
    {"scatter", "write 'inout float x[]' to write any element of a stream"},
    {"stream input", "write 'float x<>' for the elements of a stream"},
    {"output", "did you mean 'out'?"},
    {"__global__ __kernel function def", KERNEL_HINT},
    {"__device__", "remove it: a function begins with the type of its result"},
    {"__global device", "write 'float x[]' to read any element of a stream, 'inout float x[]' to write"},
    {"__shared__ __local groupshared threadgroup", SHARED_HINT},
    {"local", "write the type of the variable; one of a group is 'shared float s[64];'"},
    {"__constant__ constexpr consteval", "write 'const'"},
    {"extern __constant constant", LAUNCH_HINT},
    {"sampler2D texture2D Texture2D isampler2D usampler2D Image texture2d cudaTextureObject_t", IMAGE_HINT},
    {"sampler3D texture3D Texture3D texture3d sampler2DArray",
     "write 'vec4 image[][][]', and sample(image, p) for an interpolated element"},
    {"image2D iimage2D uimage2D RWTexture2D image2d_t", PIXEL_HINT},
    {"image3D RWTexture3D image3d_t",
     "write 'vec4 image[][][]' to read any element, 'inout vec4 image[][][]' to write"},
    {"sampler1D image1D", "write 'vec4 image[]' to read any element of a stream"},
    {"buffer StructuredBuffer RWStructuredBuffer ByteAddressBuffer", BUFFER_HINT},
    {"layout", "a group size is written kernel(64) void f(...), a buffer is a parameter: 'float x[]'"},
    {"numthreads __launch_bounds__ __attribute__", "a group size is written kernel(64) void f(...)"},
    {"precision", "remove it: floats have 32 bits"},
    {"uniform cbuffer", LAUNCH_HINT},
    {"in attribute", "an input is a parameter: 'float x<>'"},
    {"out varying", "an output is a parameter: 'out float r<>'"},
    {"inout", "a stream that is changed is a parameter: 'inout float r<>'"},
    {"shared", "shared variables are declared in the body of a group kernel"},
    {"goto", "there is no goto: write loops and conditions"},
    {"readonly", "remove it: a parameter without 'out' or 'inout' is only read"},
    {"writeonly", "write 'out float r<>' for the element, or 'inout float x[]' to write any element"},
    {"coherent restrict volatile __restrict__ __restrict register thread __private static inline mutable virtual "
     "public private "
     "__host__ __forceinline__ __noinline__ __inline__ __align__ alignas",
     "remove it: it has no meaning here"},
    {"rgba32f rgba16f rgba8 rgba8ui rgba32ui", "write 'vec4'"},
    {"r32f r16f", "write 'float'"},
    {"table list array", "a list is a parameter: 'float x[]'; an array is declared float x[4]"},
    {"string String str", "kernel text has no strings"},
    {"vec vector", "write vec2, vec3 or vec4"},
    {"color Color colour", "write 'vec3' or 'vec4'"},
    {"complex", "write 'vec2'"},
    {"print", STORE_HINT},
    {"yield", PUSH_HINT},
    {"curandState curandState_t", RANDOM_HINT},
    {"thread_block grid_group thread_block_tile", "write barrier() and localid() without an object"},
};

static const Hint value_hints[] = {
    {"nil None none NULL null nullptr", "numbers always have a value: use a number such as 0.0 as a mark"},
    {"True TRUE YES", "write true"},
    {"False FALSE NO", "write false"},
    {"pi PI M_PI M_PI_F", "write 3.14159265"},
    {"tau TAU", "write 6.28318531"},
    {"M_E", "write 2.71828183"},
    {"M_SQRT2", "write 1.41421356"},
    {"threadIdx", "write indexof(name).x for the index of the element, .xy in two dimensions: name is a parameter with "
                  "<>, or localid() in a group kernel"},
    {"blockIdx", "write indexof(name).x for the index of the element, .xy in two dimensions: name is a parameter with "
                 "<>, or groupid() in a group kernel"},
    {"blockDim", "write sizeof_stream(name).x for the number of elements, or the size of the group in a group kernel"},
    {"gridDim", SIZE_HINT},
    {"warpSize gl_SubgroupSize subgroupSize simd_size", "write subgroupsize()" SUBGROUP_HINT},
    {"gl_SubgroupInvocationID gl_SubgroupID", "write subgroupid()" SUBGROUP_HINT},
    {"gl_GlobalInvocationID thread_position_in_grid SV_DispatchThreadID DTid gl_VertexID gl_InstanceID gl_PrimitiveID "
     "gl_VertexIndex",
     "write indexof(name).x for the index of the element, .xy in two dimensions: name is a parameter with <>"},
    {"gl_LocalInvocationID gl_LocalInvocationIndex thread_position_in_threadgroup thread_index_in_threadgroup GTid GI",
     "write localid() in a group kernel"},
    {"gl_WorkGroupID threadgroup_position_in_grid Gid", "write groupid() in a group kernel"},
    {"gl_WorkGroupSize threads_per_threadgroup",
     "the group size is the number in kernel(64): give it a name by #define"},
    {"gl_NumWorkGroups threadgroups_per_grid",
     "divide sizeof_stream(name).x, the number of elements, by the size of the group"},
    {"gl_FragCoord fragCoord", "write vec2(indexof(name).xy)"},
    {"gl_FragColor fragColor gl_FragData", "an output is a parameter to which the kernel assigns: 'out vec4 color<>'"},
    {"gl_Position", "an output is a parameter to which the kernel assigns: 'out vec4 position<>'"},
    {"iResolution", "write sizeof_stream(name)"},
    {"iTime iFrame iMouse time", LAUNCH_HINT},
    {"INFINITY huge HUGE_VAL inf infinity Infinity", "write 1.0 / 0.0"},
    {"NAN nan NaN", "write 0.0 / 0.0"},
    {"FLT_MAX", "write 3.40282347e38"},
    {"FLT_MIN", "write 1.17549435e-38"},
    {"FLT_EPSILON", "write 1.1920929e-7"},
    {"DBL_MAX", "write 1.7976931348623157e308lf"},
    {"DBL_MIN", "write 2.2250738585072014e-308lf"},
    {"DBL_EPSILON", "write 2.220446049250313e-16lf"},
    {"INT_MAX maxinteger", "write 2147483647"},
    {"INT_MIN mininteger", "write -2147483647 - 1"},
    {"UINT_MAX", "write 4294967295u"},
    {"RAND_MAX", RANDOM_HINT},
    {"EXIT_SUCCESS EXIT_FAILURE", "a kernel has no exit code: write return;"},
    {"CLK_LOCAL_MEM_FENCE CLK_GLOBAL_MEM_FENCE mem_flags", "barrier() has no argument"},
    {"discard", "write return to leave the function; outputs keep the values that they have"},
    {"self this", "there are no objects: write the name of the parameter"},
    {"pass", "write ; or { } for a statement that does nothing"},
};

/* Names of variables that nearly always are the index of an element. */
static const Hint index_hints[] = {
    {"i id idx index tid gid", "indexof(name).x is the index of the element"},
};

/* What to write instead of the call of a function. */
static const Hint call_hints[] = {
    {"texture texture2D texture3D Texel texelLookup", "write sample(name, p), where p counts elements"},
    {"textureOffset",
     "write sample(name, p + offset) for a gather, where p counts elements, name[y][x] for a neighbor stream"},
    {"textureLod texture2DLod tex2Dlod tex2DLod", "write sample(name, p, level), where p counts elements"},
    {"tex1D", "write sample(name, x), where x counts elements"},
    {"tex2D", "write sample(name, vec2(x, y)), where x and y count elements"},
    {"tex3D", "write sample(name, vec3(x, y, z)), where x, y and z count elements"},
    {"texelFetch imageLoad read_imagef tex1Dfetch surf2Dread __ldg __ldcg", "write an index: name[p]"},
    {"imageStore write_imagef surf2Dwrite", "assign to an output, or to an element of an 'inout vec4 name[][]'"},
    {"textureSize imageSize get_image_dim", "write sizeof_stream(name)"},
    {"get_image_width len size count getn numel get_global_size get_num_groups", SIZE_HINT},
    {"dFdx ddx fwidth", "read neighbors: 'neighbor float x<>', x[1] - x[0]"},
    {"dFdy ddy", "read neighbors: 'neighbor float x<>', x[1][0] - x[0][0]"},
    {"get_global_id get_global_linear_id",
     "write indexof(name).x for the index of the element, .xy in two dimensions: name is a parameter with <>"},
    {"get_local_id get_local_linear_id", "write localid() in a group kernel"},
    {"get_group_id", "write groupid() in a group kernel"},
    {"get_local_size", "the group size is the number in kernel(64): give it a name by #define"},
    {"__syncthreads threadgroup_barrier workgroupBarrier work_group_barrier GroupMemoryBarrierWithGroupSync "
     "AllMemoryBarrierWithGroupSync sync syncthreads",
     "write barrier()"},
    {"__threadfence_block mem_fence GroupMemoryBarrier", "write memoryBarrierShared(); barrier() includes it"},
    {"__threadfence __threadfence_system DeviceMemoryBarrier", "write memoryBarrierBuffer()"},
    {"__syncwarp simdgroup_barrier", "write subgroupBarrier()" SUBGROUP_HINT},
    {"__shfl_sync __shfl WaveReadLaneAt simd_shuffle", "write subgroupShuffle(x, lane)" SUBGROUP_HINT},
    {"__shfl_down_sync simd_shuffle_down", "write subgroupShuffleDown(x, n)" SUBGROUP_HINT},
    {"__shfl_up_sync simd_shuffle_up", "write subgroupShuffleUp(x, n)" SUBGROUP_HINT},
    {"__shfl_xor_sync simd_shuffle_xor", "write subgroupShuffleXor(x, mask)" SUBGROUP_HINT},
    {"__ballot_sync WaveActiveBallot", "write subgroupBallot(condition)" SUBGROUP_HINT},
    {"__activemask", "write subgroupBallot(true)" SUBGROUP_HINT},
    {"__any_sync __any WaveActiveAnyTrue", "write subgroupAny(condition)" SUBGROUP_HINT},
    {"__all_sync __all WaveActiveAllTrue", "write subgroupAll(condition)" SUBGROUP_HINT},
    {"__reduce_add_sync WaveActiveSum simd_sum", "write subgroupAdd(x)" SUBGROUP_HINT},
    {"__reduce_min_sync WaveActiveMin simd_min", "write subgroupMin(x)" SUBGROUP_HINT},
    {"__reduce_max_sync WaveActiveMax simd_max", "write subgroupMax(x)" SUBGROUP_HINT},
    {"WavePrefixSum simd_prefix_exclusive_sum", "write subgroupExclusiveAdd(x)" SUBGROUP_HINT},
    {"WaveReadLaneFirst", "write subgroupBroadcastFirst(x)" SUBGROUP_HINT},
    {"WaveGetLaneIndex laneid lane_id", "write subgroupid()" SUBGROUP_HINT},
    {"WaveGetLaneCount", "write subgroupsize()" SUBGROUP_HINT},
    {"print printf cout", STORE_HINT},
    {"assert __trap error", "store the condition in an output, and check the stream"},
    {"static_assert", "remove it, or write #if ... #endif"},
    {"sizeof", "sizeof_stream(name).x is the number of elements of a stream, name.length() that of an array"},
    {"memset memcpy fill", "assign the elements: name[i] = value"},
    {"rand drand48 uniform random_uniform random_float", RANDOM_HINT},
    {"srand srand48 seed randomseed", SEED_HINT},
    {"randn gauss normal gaussian random_gauss curand_normal", "write random_normal()"},
    {"randint randrange random_range", "write random_int(n), which is in 0 .. n - 1"},
    {"noise snoise perlin", "there is no noise function: write one before the kernel"},
    {"append push_back emit EmitVertex insert add", PUSH_HINT},
    {"ipairs pairs range", "a loop is written for (int i = 0; i < n; i++) { ... }"},
    {"where select cond iff", CHOICE_HINT},
    {"sum mean reduce", "write a loop, or call the function of the stream in Lua"},
    {"tostring str format", "kernel text has no strings"},
    {"mul", "write x * y"},
    {"eig eigh eig3 eigen eigenvalues sym_eig", "write eigen_symmetric(a, values, vectors)"},
    {"cuCmulf cuCmul complex_mul cmult complex_multiply", "write cmul(a, b)"},
    {"cuCdivf cuCdiv complex_div complex_divide", "write cdiv(a, b)"},
    {"cuConjf cuConj conjugate", "write conj(z)"},
    {"cuCabsf cuCabs complex_abs", "write cabs(z)"},
    {"carg angle", "write cangle(z)"},
    {"complex_exp", "write cexp(z)"},
    {"svd2 svd3 SVD", "write svd(a, u, s, v)"},
    {"__fmul __fmul_rn __dmul __mul24 mul24 __imul", "write x * y"},
    {"__fadd __dadd", "write x + y"},
    {"__fsub __dsub", "write x - y"},
    {"__fdiv __fdivide __fdividef __ddiv divide native_divide half_divide", "write x / y"},
    {"__frcp recip rcp native_recip", "write 1.0 / x"},
    {"idiv floordiv", "write x / y for ints, which truncates"},
    {"mad mad24 __fmaf", "write fma(x, y, z)"},
    {"sincos", "write sin(x) and cos(x)"},
    {"norm3d", "write length(vec3(x, y, z))"},
    {"rnorm3d", "write 1.0 / length(vec3(x, y, z))"},
    {"norm", "write length(x)"},
    {"hypot", "write length(vec2(x, y))"},
    {"rhypot", "write 1.0 / length(vec2(x, y))"},
    {"copysign", "write y < 0.0 ? -abs(x) : abs(x)"},
    {"signbit", "write x < 0.0"},
    {"tgamma tgammaf", "write gamma(x)"},
    {"lgammaf gammaln loggamma", "write lgamma(x)"},
    {"psi", "write digamma(x)"},
    {"ndtr normcdf normcdff", "write 0.5 * erfc(-0.7071067811865476 * x)"},
    {"ndtri normcdfinv normcdfinvf", "write 1.4142135623730951 * erfinv(2.0 * x - 1.0)"},
    {"j0 j1", "there is no such function: write one before the kernel"},
    {"cospi", "write cos(3.14159265 * x)"},
    {"sinpi", "write sin(3.14159265 * x)"},
    {"tanpi", "write tan(3.14159265 * x)"},
    {"exp10", "write pow(10.0, x)"},
    {"log10", "write log(x) / 2.302585092994046"},
    {"square sqr", "write x * x"},
    {"fdim", "write max(x - y, 0.0)"},
    {"popc popcount popcll countbits", "write bitCount(x)"},
    {"clz clzll", "write 31 - findMSB(x)"},
    {"ctz", "write findLSB(x)"},
    {"firstbitlow", "write findLSB(x)"},
    {"firstbithigh", "write findMSB(x)"},
    {"ffs ffsll", "write findLSB(x) + 1"},
    {"brev reversebits reverse_bits", "write bitfieldReverse(x)"},
    {"funnelshift_l rotl rotate rol", "write (x << n) | (x >> (32 - n)) for uints"},
    {"funnelshift_r rotr ror", "write (x >> n) | (x << (32 - n)) for uints"},
    {"band", "write x & y"},
    {"bor", "write x | y"},
    {"bxor", "write x ^ y"},
    {"bnot", "write ~x"},
    {"lshift", "write x << n"},
    {"rshift", "write x >> n for uints"},
    {"arshift", "write x >> n for ints"},
    {"float_as_uint as_uint asuint", "write floatBitsToUint(x)"},
    {"float_as_int as_int asint", "write floatBitsToInt(x)"},
    {"int_as_float", "write intBitsToFloat(x)"},
    {"uint_as_float", "write uintBitsToFloat(x)"},
    {"as_float asfloat", "write intBitsToFloat(x) or uintBitsToFloat(x)"},
    {"int2float uint2float half2float float2half double2float tonumber", "write float(x)"},
    {"float2int double2int tointeger toint", "write int(x)"},
    {"float2uint double2uint", "write uint(x)"},
    {"swap", "write t = x; x = y; y = t;"},
    {"type typeof", "a variable has the type of its declaration"},
    {"concat", "an array has a fixed length: assign its elements"},
};

/* Functions with another name. */
static const Hint function_hints[] = {
    {"fabs absolute labs", "abs"},
    {"fmin minimum", "min"},
    {"fmax maximum", "max"},
    {"arctan2", "atan2"},
    {"arcsin", "asin"},
    {"arccos", "acos"},
    {"arctan", "atan"},
    {"power powr pown", "pow"},
    {"rint nearbyint", "round"},
    {"clip constrain", "clamp"},
    {"ln", "log"},
    {"iif", "mix"},
    {"dist fast_distance", "distance"},
    {"magnitude norm2 fast_length len2", "length"},
    {"normalized unit fast_normalize", "normalize"},
    {"finite", "isfinite"},
    {"fsqrt", "sqrt"},
    {"frsqrt", "rsqrt"},
};

/* Atomic functions, without the prefix of a language. */
static const Hint atomic_hints[] = {
    {"add", "write atomicAdd(x, value)"},
    {"sub", "write atomicAdd(x, -value)"},
    {"inc increment", "write atomicAdd(x, 1)"},
    {"dec decrement", "write atomicAdd(x, -1)"},
    {"min", "write atomicMin(x, value)"},
    {"max", "write atomicMax(x, value)"},
    {"and", "write atomicAnd(x, value)"},
    {"or", "write atomicOr(x, value)"},
    {"xor", "write atomicXor(x, value)"},
    {"exch xchg exchange store", "write atomicExchange(x, value)"},
    {"cas cmpxchg compareexchange compswap compareexchangeweak compareexchangestrong",
     "write atomicCompSwap(x, compare, value)"},
    {"load", "read the variable: write x"},
};

/* Returns whether a word is in a list that is separated by spaces. */
static bool listed(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; length && (at = strstr(at, word)); at += length) {
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length])) {
            return true;
        }
    }
    return false;
}

static const char *hint_of(const Hint *hints, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (listed(hints[i].names, name)) {
            return hints[i].hint;
        }
    }
    return NULL;
}
#define HINT_OF(hints, name) hint_of(hints, sizeof(hints) / sizeof *(hints), name)

/* Copies a name. Returns false if it is too long for a name that is known. */
static bool copy_name(char own[MAX_NAME + 1], const Token *name)
{
    if (name->kind != TOKEN_NAME || name->length > MAX_NAME) {
        return false;
    }
    memcpy(own, name->text, (size_t)name->length);
    own[name->length] = '\0';
    return true;
}

static void add_hint(StrBuf *text, const char *hint)
{
    strbuf_addf(text, "%s%s", hint ? "; " : "", hint ? hint : "");
}

/* the nearest name */

Nearest foreign_nearest(const Token *name)
{
    Nearest n = {.distance = name->length > 4 ? 3 : 2};
    for (int i = 0; i < name->length && i < MAX_NAME; i++) {
        n.name[i] = (char)tolower((unsigned char)name->text[i]);
    }
    return n;
}

void foreign_try(Nearest *n, const char *known)
{
    char lower[MAX_NAME + 1] = "";
    for (size_t i = 0; i < MAX_NAME && known[i]; i++) {
        lower[i] = (char)tolower((unsigned char)known[i]);
    }
    bool same = strcmp(n->name, lower) == 0;
    int distance = same ? 0 : strlen(n->name) < 3 ? 99 : type_word_distance(n->name, lower);
    if (distance < n->distance) {
        n->best = known;
        n->distance = distance;
    } else if (distance == n->distance && n->best && strcmp(known, n->best) != 0) {
        n->best = NULL;
    }
}

void foreign_add(const Nearest *n, StrBuf *text)
{
    if (n->best) {
        strbuf_addf(text, "; did you mean '%s'?", n->best);
    }
}

/* types */

/* Writes the name in kernels of a type such as uchar4, Vec2, vector3 or half. Returns false if it is none. */
static bool kernel_type(const char *name, char here[MAX_NAME + 1])
{
    static const Hint scalars[] = {
        {"float half real fp32 vec vector", "float"},
        {"double dvec", "double"},
        {"int short char sbyte long ivec", "int"},
        {"uint uchar ushort ulong byte unsigned uvec", "uint"},
        {"bool boolean bvec", "bool"},
    };
    char stem[MAX_NAME + 1] = "";
    name += strncmp(name, "__", 2) == 0 ? 2 : 0;
    size_t length = strlen(name);
    char last = length > 1 ? name[length - 1] : '\0', digit = last >= '2' && last <= '4' ? last : '\0';
    for (size_t i = 0; i + (digit != 0) < length; i++) {
        stem[i] = (char)tolower((unsigned char)name[i]);
    }
    const char *scalar = HINT_OF(scalars, stem);
    if (!scalar || (!digit && listed("vec vector ivec uvec dvec bvec", stem))) {
        return false;
    }
    size_t prefix = *scalar != 'f'; /* ivec3 */
    memcpy(here, scalar, prefix);
    strcpy(here + (digit ? prefix : 0), digit ? "vec " : scalar);
    if (digit) {
        here[prefix + 3] = digit;
    }
    return true;
}

/* Writes the name in kernels of a type of another language, or of a type that is only stored. Returns false if there is
 * none. */
static bool type_here(const char *name, char own[MAX_NAME + 1])
{
    const char *here = NULL;
    strcpy(own, name);
    if (type_foreign(name, &here) && here) {
        size_t length = strcspn(here + 1, "'");
        memcpy(own, here + 1, length);
        own[length] = '\0';
    }
    const Type *type = type_find(own);
    if (type) {
        strcpy(own, type->value->name);
    }
    return type || kernel_type(name, own);
}

static bool add_type(StrBuf *text, const char *name)
{
    const char *here;
    char own[MAX_NAME + 1];
    bool wide = type_foreign(name, &here) && !here, known = !wide && type_here(name, own);
    if (wide) {
        strbuf_add(text, "; integers have 32 bits: write 'int' or 'uint'");
    } else if (known) {
        strbuf_addf(text, "; in kernels it is called '%s'", own);
    }
    return wide || known;
}

/* Returns what replaces a declaration that begins with a word; NULL: unknown. */
static const char *declaration_hint(const Token *name, const char *own)
{
    static const char *const group[] = {"__shared__", "shared", NULL};
    if (strcmp(own, "extern") == 0 && name[1].kind == TOKEN_OTHER) { /* extern "C" */
        return KERNEL_HINT;
    }
    if (strcmp(own, "extern") == 0 && token_any(name + 1, group)) {
        return SHARED_HINT;
    }
    for (const Token *t = name; strcmp(own, "layout") == 0 && t->kind != TOKEN_END && !token_is(t, ";"); t++) {
        if (token_is(t, "image2D") || token_is(t, "sampler2D")) {
            return token_is(t, "image2D") ? PIXEL_HINT : IMAGE_HINT;
        }
        if (token_is(t, "push_constant")) {
            return LAUNCH_HINT;
        }
    }
    return HINT_OF(word_hints, own);
}

bool foreign_word(StrBuf *text, const Token *name)
{
    char own[MAX_NAME + 1];
    const char *hint = copy_name(own, name) ? declaration_hint(name, own) : NULL;
    add_hint(text, hint);
    return hint != NULL;
}

void foreign_type(StrBuf *text, const ParamKindInfo *kinds, const Token *name, Nearest n)
{
    static const char *const words[] = {"kernel", "reduce", "const", "struct", "typedef",
                                        "void",   "mat2",   "mat3",  "mat4"};
    char own[MAX_NAME + 1];
    if (!copy_name(own, name) || foreign_word(text, name) || add_type(text, own)) {
        return;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        foreign_try(&n, words[i]);
    }
    for (int k = 0; k < PARAM_KIND_COUNT; k++) {
        if (kinds[k].word) {
            foreign_try(&n, kinds[k].word);
        }
    }
    const Type *type;
    for (int i = 0; (type = type_at(i)); i++) {
        foreign_try(&n, type->value->name);
    }
    foreign_add(&n, text);
}

/* functions */

/* Removes a prefix or suffix of a name. */
static void strip(char *name, const char *prefix, const char *suffix)
{
    size_t length = strlen(name), before = strlen(prefix), after = strlen(suffix);
    if (length > before && strncmp(name, prefix, before) == 0) {
        memmove(name, name + before, length + 1 - before);
        length -= before;
    }
    if (length > after && strcmp(name + length - after, suffix) == 0) {
        name[length - after] = '\0';
    }
}

/* Returns what replaces an atomic function, such as atomic_inc or InterlockedAdd; NULL: unknown. */
static const char *atomic_hint(const char *name)
{
    char bare[MAX_NAME + 1];
    size_t n = 0;
    for (; *name; name++) {
        bare[n] = (char)tolower((unsigned char)*name);
        n += *name != '_';
    }
    bare[n] = '\0';
    strip(bare, "image", "explicit");
    n = strlen(bare);
    strip(bare, "atomic", "");
    bool atomic = strlen(bare) < n;
    strip(bare, "interlocked", "");
    strip(bare, "fetch", "");
    return atomic || strlen(bare) < n ? HINT_OF(atomic_hints, bare) : NULL;
}

/* Appends the replacement of a function that is called by exactly this name. Returns whether there is one. */
static bool add_called(StrBuf *text, const char *own, ForeignKnown known, bool changed)
{
    const Token token = {.kind = TOKEN_NAME, .text = own, .length = (int)strlen(own)};
    const char *call = HINT_OF(call_hints, own), *other = HINT_OF(function_hints, own);
    if (call) {
        add_hint(text, call);
    } else if (other || (changed && known(&token))) {
        strbuf_addf(text, "; did you mean '%s'?", other ? other : own);
    }
    return call || other || (changed && known(&token));
}

bool foreign_called(StrBuf *text, const Token *name, ForeignKnown known)
{
    static const char *const affixes[][2] = {{"", ""},      {"native_", "_rn"}, {"half_", "_rz"},
                                             {"__", "_rn"}, {"fast_", "_rd"},   {"", "f"}};
    char own[MAX_NAME + 1], type[MAX_NAME + 1], here[MAX_NAME + 1];
    if (!copy_name(own, name)) {
        return false;
    }
    strcpy(type, own);
    strip(type, "make_", "_rte");
    strip(type, "convert_", "_sat");
    if (strncmp(own, "as_", 3) == 0) { /* as_uint4 */
        own[3 + strcspn(own + 3, "234")] = '\0';
    }
    const char *hint = atomic_hint(own);
    if (hint || strncmp(own, "curand", 6) == 0) {
        add_hint(text, hint ? hint : RANDOM_HINT);
        return true;
    }
    if (type_here(type, here)) { /* make_float3, convert_int4, Vec2 */
        strbuf_addf(text, "; write %s(...)", here);
        return true;
    }
    for (size_t i = 0; i < sizeof affixes / sizeof *affixes; i++) {
        size_t length = strlen(own);
        strip(own, affixes[i][0], affixes[i][1]);
        if ((i == 0 || strlen(own) < length) && add_called(text, own, known, i > 0)) {
            return true;
        }
    }
    return false;
}

/* values */

void foreign_value(StrBuf *text, const Token *name, ForeignKnown known)
{
    char own[MAX_NAME + 1];
    if (!copy_name(own, name)) {
        return;
    }
    const Token *inner = name + 2;
    size_t sentence = text->length;
    if (!listed("math np numpy torch std rill love table bit bit32 string random", own) || !token_is(name + 1, ".") ||
        inner->kind != TOKEN_NAME) {
        add_hint(text, HINT_OF(value_hints, own));
        return;
    }
    if (token_is(inner, "random")) {
        add_hint(text, RANDOM_HINT);
    } else if (known(inner)) {
        strbuf_addf(text, "; functions of GLSL have no prefix: write %.*s(x)", inner->length, inner->text);
    } else if (token_is(inner + 1, "(")) {
        foreign_called(text, inner, known);
    } else {
        foreign_value(text, inner, known);
    }
    add_hint(text, text->length == sentence ? "kernel text has no libraries: only the functions of GLSL and of the text"
                                            : NULL);
}

void foreign_index(StrBuf *text, const Token *name)
{
    char own[MAX_NAME + 1];
    add_hint(text, copy_name(own, name) ? HINT_OF(index_hints, own) : NULL);
}
