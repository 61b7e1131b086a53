/* Simulates drivers with errors, or with functions of subgroups: modifies shaders before the real driver compiles them.
 *
 *    RILL_WRONG=half LD_PRELOAD=$PWD/build/spec/wrongdriver.so lua5.4 script.lua
 *
 * RILL_WRONG: "division" (quotients of floats are one unit in the last place too large), "divisions" (three
 * units), "quotients" (eight units), "reciprocal" (x / y is x * (1.0 / y), also for doubles), "half" (packHalf2x16
 * truncates, unpackHalf2x16 flushes small halves to 0), "loops" (for loops end after 1,000 iterations in total),
 * "crash" (the first launch ends the process), "reset" (launches only reset the GPU, as long as the file
 * RILL_RESETS exists), "reach" (the context is not robust; invocations that access memory beyond a binding are
 * counted and reported on stderr), "subgroups" (GL_KHR_shader_subgroup with 32 lanes, by shared memory and barriers: for
 * groups of 32, 64 ... invocations, in uniform control flow). RILL_CPUINFO: a file that replaces /proc/cpuinfo. Entry points are intercepted
 * in the resolvers of GLEW and EGL. */
#include "interpose.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static PFNGLSHADERSOURCEPROC real_source;
static PFNGLDISPATCHCOMPUTEPROC real_dispatch;
static int lost;

enum { REACH_BINDING = 31 }; /* rill uses 0 to 16 */

static int wrong(const char *what)
{
    const char *set = getenv("RILL_WRONG");
    return set && strcmp(set, what) == 0;
}

typedef struct Text {
    char *bytes;
    size_t length, room;
} Text;

static void add(Text *text, const char *bytes, size_t length)
{
    if (text->length + length + 1 > text->room) {
        text->room = 2 * (text->length + length + 1);
        text->bytes = realloc(text->bytes, text->room);
        if (!text->bytes) abort();
    }
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
}

static void add_text(Text *text, const char *bytes)
{
    add(text, bytes, strlen(bytes));
}

/* --- text that is inserted --- */

static const char half[] = "uint wrong_half(vec2 v) { return packHalf2x16(uintBitsToFloat(floatBitsToUint(v) & 0xffffe000u)); }\n"
                           "#define packHalf2x16 wrong_half\n"
                           "vec2 wrong_float(uint u) { vec2 v = unpackHalf2x16(u); return vec2(abs(v.x) < 6.1e-5 ? 0.0 : v.x, "
                           "abs(v.y) < 6.1e-5 ? 0.0 : v.y); }\n"
                           "#define unpackHalf2x16 wrong_float\n";
/* Quotients that are some units too large, and products with the rounded reciprocal. */
#define MORE(units) "T q = a / b; return q * 0.5 == q ? q : uintBitsToFloat(floatBitsToUint(q) + " #units "u);"
#define RECIPROCAL  "precise T r = T(1.0) / b; precise T q = a * r; return q;"
#define DOUBLES     (wrong("reciprocal") ? RECIPROCAL : "return a / b;")
static const char by_float[] = "T wrong_mod(T a, float b) { return wrong_mod(a, T(b)); }\n";
static const char by_double[] = "T wrong_mod(T a, double b) { return wrong_mod(a, T(b)); }\n";
static const char loops[] = "uint wrong_trips = 0u;\n";

/* wrong_div for numbers and vectors; `quotient` returns the quotient of a and b, floats of type T. */
static void add_division(Text *text, const char *quotient)
{
    static const char *const floats[] = {"float", "double", "vec2", "vec3", "vec4", "dvec2", "dvec3", "dvec4"};
    static const char *const whole[] = {"int", "uint", "ivec2", "ivec3", "ivec4", "uvec2", "uvec3", "uvec4"};
    char line[512];
    for (size_t i = 0; i < 8; i++) {
        snprintf(line, sizeof line, "#define T %s\nT wrong_div(T a, T b) { %s }\n", floats[i],
                 i == 1 || i > 4 ? DOUBLES : quotient);
        add_text(text, line);
        snprintf(line, sizeof line, "#undef T\n%s wrong_div(%s a, %s b) { return a / b; }\n", whole[i], whole[i], whole[i]);
        add_text(text, line);
    }
    static const char *const scalars[] = {"float", "double", "int", "uint"}, *const letters[] = {"", "d", "i", "u"};
    for (size_t i = 0; i < 12; i++) {
        const char *scalar = scalars[i / 3], *letter = letters[i / 3];
        int n = (int)(i % 3) + 2;
        snprintf(line, sizeof line,
                 "#define V %svec%d\n"
                 "V wrong_div(V a, %s b) { return wrong_div(a, V(b)); }\nV wrong_div(%s a, V b) { return wrong_div(V(a), b); }\n"
                 "#undef V\n",
                 letter, n, scalar, scalar);
        add_text(text, line);
    }
    for (size_t i = 0; i < 8; i++) {
        snprintf(line, sizeof line, "#define T %s\nT wrong_mod(T a, T b) { return a - b * floor(wrong_div(a, b)); }\n%s#undef T\n",
                 floats[i], i < 2 ? "" : i < 5 ? by_float : by_double);
        add_text(text, line);
    }
    add_text(text, "#define mod wrong_mod\n");
}

/* One location is kept in variables and reported at the end of main: with an atomic operation at every read,
 * drivers take ten times as long to compile. */
static const char reach[] =
    "layout(std430, binding = 31) buffer Wrong_reach { uint wrong_reads; int wrong_index, wrong_size; };\n"
    "int wrong_i = 0, wrong_n = -1;\n"
    "int wrong_at(int i, int n) { bool past = uint(i) >= uint(n); wrong_i = past ? i : wrong_i; wrong_n = past ? n : wrong_n; return i; }\n"
    "int wrong_at(uint i, int n) { return wrong_at(int(i), n); }\n"
    "#define texelFetch(t, i) texelFetch(t, wrong_at(i, textureSize(t)))\n"
    "#define main wrong_main\n";
static const char reached[] =
    "\n#undef main\nvoid main()\n{\n    wrong_main();\n"
    "    if (wrong_n >= 0 && atomicAdd(wrong_reads, 1u) == 0u) { wrong_index = wrong_i; wrong_size = wrong_n; }\n}\n";

/* Functions of subgroups for a type whose values are converted to and from 32-bit words. */
#define SUBGROUPS(T, to, from)                                                                                         \
    #T " subgroupShuffle(" #T " v, uint lane) { return " #from "(wrong_lane(" #to "(v), lane)); }\n"                   \
    #T " subgroupShuffleXor(" #T " v, uint m) { return subgroupShuffle(v, gl_SubgroupInvocationID ^ m); }\n"           \
    #T " subgroupShuffleUp(" #T " v, uint d) { return subgroupShuffle(v, gl_SubgroupInvocationID - d); }\n"            \
    #T " subgroupShuffleDown(" #T " v, uint d) { return subgroupShuffle(v, gl_SubgroupInvocationID + d); }\n"          \
    #T " subgroupBroadcast(" #T " v, uint lane) { return subgroupShuffle(v, lane); }\n"                                \
    #T " subgroupBroadcastFirst(" #T " v) { return subgroupShuffle(v, 0u); }\n"                                        \
    #T " wrong_sum(" #T " v, uint n) { " #T " s = " #T "(0); for (uint i = 0u; i < 32u; i++) {"                        \
    " " #T " w = subgroupShuffle(v, i); s += i < n ? w : " #T "(0); } return s; }\n"                                   \
    #T " subgroupAdd(" #T " v) { return wrong_sum(v, 32u); }\n"                                                        \
    #T " subgroupInclusiveAdd(" #T " v) { return wrong_sum(v, gl_SubgroupInvocationID + 1u); }\n"                      \
    #T " subgroupExclusiveAdd(" #T " v) { return wrong_sum(v, gl_SubgroupInvocationID); }\n"                           \
    #T " subgroupMin(" #T " v) { for (uint m = 1u; m < 32u; m *= 2u) v = min(v, subgroupShuffleXor(v, m)); return v; }\n" \
    #T " subgroupMax(" #T " v) { for (uint m = 1u; m < 32u; m *= 2u) v = max(v, subgroupShuffleXor(v, m)); return v; }\n" \
    "bool subgroupAllEqual(" #T " v) { return subgroupMin(v) == subgroupMax(v); }\n"
static const char subgroups[] =
    "#define gl_SubgroupSize 32u\n#define gl_SubgroupInvocationID (gl_LocalInvocationIndex & 31u)\n"
    "#define gl_SubgroupID (gl_LocalInvocationIndex >> 5)\n#define subgroupBarrier() barrier()\n"
    "shared uint wrong_words[1024];\n"
    "uint wrong_lane(uint u, uint lane) { precise uint v = u; wrong_words[gl_LocalInvocationIndex] = v; barrier();"
    " v = wrong_words[(gl_LocalInvocationIndex & ~31u) | (lane & 31u)]; barrier(); return v; }\n"
    "uvec4 subgroupBallot(bool b) { wrong_words[gl_LocalInvocationIndex] = uint(b); barrier(); uint m = 0u;"
    " for (uint i = 0u; i < 32u; i++) m |= wrong_words[(gl_LocalInvocationIndex & ~31u) | i] << i;"
    " barrier(); return uvec4(m, 0u, 0u, 0u); }\n"
    "uint subgroupBallotBitCount(uvec4 b) { return uint(bitCount(b.x)); }\n"
    "uint subgroupBallotFindMSB(uvec4 b) { return uint(findMSB(b.x)); }\n"
    "bool subgroupElect() { return gl_SubgroupInvocationID == 0u; }\n"
    "bool subgroupAny(bool b) { return subgroupBallot(b).x != 0u; }\n"
    "bool subgroupAll(bool b) { return subgroupBallot(!b).x == 0u; }\n" SUBGROUPS(uint, , ) SUBGROUPS(int, uint, int)
        SUBGROUPS(float, floatBitsToUint, uintBitsToFloat);

/* --- rewriting --- */

static int in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static const char *spaces(const char *at)
{
    return at + strspn(at, " \n");
}

/* Returns the end of the operand at `at`: signs, a name, number or parenthesis, and its calls, indices and
 * selections. */
static const char *operand_end(const char *at)
{
    at += strspn(at, " \n+-!~");
    for (;;) {
        if (*at == '(' || *at == '[') {
            int depth = 0;
            do depth += (*at == '(' || *at == '[') - (*at == ')' || *at == ']');
            while (*at++ && depth > 0);
        } else if (in_name(*at)) {
            while (in_name(*at)) at++;
        } else {
            return at;
        }
    }
}

/* Returns the beginning of the operands that end at the end of the text and are joined by *, / and %. */
static size_t product_start(const Text *out)
{
    size_t at = out->length;
    for (;;) {
        while (at > 0 && strchr(" \n", out->bytes[at - 1])) at--;
        while (at > 0 && (in_name(out->bytes[at - 1]) || strchr(")]", out->bytes[at - 1]))) {
            int depth = 0;
            do {
                char c = out->bytes[--at];
                depth += (c == ')' || c == ']') - (c == '(' || c == '[');
            } while (at > 0 && depth > 0);
        }
        size_t start = at;
        while (at > 0 && strchr(" \n", out->bytes[at - 1])) at--;
        if (at == 0 || !strchr("*/%", out->bytes[at - 1])) return start;
        at--;
    }
}

static int number(const char *at, const char *end)
{
    at = spaces(at);
    return isdigit((unsigned char)*at) && operand_end(at) >= end && !memchr(at, '(', (size_t)(end - at));
}

/* Returns the end of a comment, a preprocessor condition, a constant, or an index or array size without parentheses (they are
 * integers, and a size must be a constant expression), or `at` if none begins there. */
static const char *untouched(const char *at, const char *source)
{
    const char *end = at;
    if (strncmp(at, "//", 2) == 0 || strncmp(at, "#if", 3) == 0 || strncmp(at, "#elif", 5) == 0) end = at + strcspn(at, "\n");
    else if (strncmp(at, "/*", 2) == 0) end = strstr(at, "*/") + 2;
    else if (*at == '[' && at[1 + strcspn(at + 1, "()[]")] == ']') end = strchr(at, ']') + 1;
    else if (strncmp(at, "const ", 6) == 0 && (at == source || !in_name(at[-1]))) end = at + strcspn(at, ";)");
    return end;
}

/* Replaces every quotient by a call, except quotients of two numbers, which the compiler evaluates. */
static void rewrite_divisions(Text *out, const char *at, const char *end)
{
    const char *source = at;
    while (at < end) {
        const char *rest = untouched(at, source);
        if (rest > at) {
            add(out, at, (size_t)(rest - at));
            at = rest;
            continue;
        }
        int assigns = at[0] == '/' && at[1] == '=';
        const char *right = at + 1 + assigns, *stop = *at != '/' ? at : assigns ? at + strcspn(at, ";") : operand_end(right);
        size_t start = *at == '/' ? product_start(out) : 0;
        if (*at != '/' || (number(out->bytes + start, out->bytes + out->length) && number(right, stop))) {
            add(out, at++, 1);
            continue;
        }
        Text left = {0};
        add(&left, out->bytes + start, out->length - start);
        out->length = start;
        if (assigns) {
            add(out, left.bytes, left.length);
            add_text(out, "= ");
        }
        add_text(out, "wrong_div(");
        add(out, left.bytes, left.length);
        add_text(out, ", ");
        rewrite_divisions(out, right, stop);
        add_text(out, ")");
        free(left.bytes);
        at = stop;
    }
}

/* Adds a counter to the condition of every for loop. */
static void rewrite_loops(Text *out, const char *source)
{
    const char *done = source;
    for (const char *at = source; (at = strstr(at, "for (")) != NULL; at += 5) {
        const char *from = strchr(at, ';'), *to = from ? strchr(from + 1, ';') : NULL;
        if (to && strspn(from + 1, " ") < (size_t)(to - from - 1)) {
            add(out, done, (size_t)(from + 1 - done));
            add_text(out, " (");
            add(out, from + 1, (size_t)(to - from - 1));
            add_text(out, ") && wrong_trips++ < 1000u");
            done = to;
        }
    }
    add_text(out, done);
}

static const char *closing(const char *bracket)
{
    int depth = 0;
    for (const char *at = bracket; *at; at++) {
        depth += *at == '[' ? 1 : *at == ']' ? -1 : 0;
        if (depth == 0) return at;
    }
    return NULL;
}

/* Returns whether the name at `at` is an array of a storage block: one that is declared as NAME[], or a macro for
 * one. */
static int is_block(const char *source, const char *at, size_t length)
{
    if (strncmp(at, "in_", 3) == 0) return 1;
    for (const char *found = source; (found = strstr(found, "[]; }")) != NULL; found++) {
        if ((size_t)(found - source) > length && !in_name(found[-(long)length - 1]) && memcmp(found - length, at, length) == 0) return 1;
    }
    return 0;
}

/* Rewrites the indices of arrays in storage blocks. */
static void rewrite_reads(Text *out, const char *source, const char *at, const char *end)
{
    while (at < end) {
        const char *name = at;
        while (at < end && in_name(*at)) at++;
        size_t length = (size_t)(at - name);
        const char *close = length && *at == '[' && at[1] != ']' && is_block(source, name, length) ? closing(at) : NULL;
        add(out, name, length);
        if (close) {
            add_text(out, "[wrong_at(");
            rewrite_reads(out, source, at + 1, close);
            add_text(out, ", ");
            add(out, name, length);
            add_text(out, ".length())");
            at = close;
        } else if (at < end) {
            add(out, at++, 1);
        }
    }
}

/* Returns the position after the version and extensions. */
static const char *first_line(const char *source)
{
    const char *at = source, *found = source;
    while (*at == '#') {
        const char *end = strchr(at, '\n');
        if (!end) break;
        if (strncmp(at, "#version", 8) == 0 || strncmp(at, "#extension", 10) == 0) found = end + 1;
        at = end + 1;
    }
    return found;
}

/* Makes the lines that require GL_KHR_shader_subgroup comments. Returns whether the text uses its functions. */
static int remove_extensions(char *source)
{
    static const char line[] = "#extension GL_KHR_shader_subgroup";
    for (char *at = source; (at = strstr(at, line)) != NULL; at++) memcpy(at, "//", 2);
    for (const char *at = source; (at = strstr(at, "ubgroup")) != NULL; at++) {
        if (strncmp(at - 1, "subgroup_", 9) != 0) return 1;
    }
    return 0;
}

/* Keeps the line numbers of the following text, which errors name. */
static void add_line(Text *out, const char *source, const char *rest)
{
    char line[32];
    int lines = 1;
    for (const char *at = source; at < rest; at++) lines += *at == '\n';
    snprintf(line, sizeof line, "#line %d\n", lines);
    add_text(out, line);
}

static void shader_source(GLuint shader, GLsizei count, const GLchar *const *strings, const GLint *lengths)
{
    Text source = {0}, out = {0};
    add_text(&source, "");
    for (GLsizei i = 0; i < count; i++)
        add(&source, strings[i], lengths && lengths[i] >= 0 ? (size_t)lengths[i] : strlen(strings[i]));
    const char *rest = first_line(source.bytes);
    int uses = wrong("subgroups") && remove_extensions(source.bytes);
    add(&out, source.bytes, (size_t)(rest - source.bytes));
    const char *quotient = wrong("division")     ? MORE(1)
                           : wrong("divisions")  ? MORE(3)
                           : wrong("quotients")  ? MORE(8)
                           : wrong("reciprocal") ? RECIPROCAL
                                                 : NULL;
    if (quotient) {
        add_division(&out, quotient);
        add_line(&out, source.bytes, rest);
        rewrite_divisions(&out, rest, rest + strlen(rest));
    } else if (wrong("loops")) {
        add_text(&out, loops);
        add_line(&out, source.bytes, rest);
        rewrite_loops(&out, rest);
    } else if (wrong("reach")) {
        add_text(&out, reach);
        add_line(&out, source.bytes, rest);
        rewrite_reads(&out, rest, rest, rest + strlen(rest));
        add_text(&out, reached);
    } else {
        add_text(&out, wrong("half") ? half : uses ? subgroups : "");
        add_line(&out, source.bytes, rest);
        add_text(&out, rest);
    }
    const GLchar *text = out.bytes;
    real_source(shader, 1, &text, NULL);
    free(source.bytes);
    free(out.bytes);
}

#define CALL(type, name) ((type)eglGetProcAddress(#name))

static void reach_dispatch(GLuint x, GLuint y, GLuint z)
{
    static const GLint none[3];
    static GLuint buffer;
    GLint found[3] = {0};
    if (!buffer) {
        CALL(PFNGLGENBUFFERSPROC, glGenBuffers)(1, &buffer);
        CALL(PFNGLBINDBUFFERPROC, glBindBuffer)(GL_COPY_WRITE_BUFFER, buffer);
        CALL(PFNGLBUFFERDATAPROC, glBufferData)(GL_COPY_WRITE_BUFFER, sizeof none, none, GL_DYNAMIC_READ);
        CALL(PFNGLBINDBUFFERBASEPROC, glBindBufferBase)(GL_SHADER_STORAGE_BUFFER, REACH_BINDING, buffer);
    }
    real_dispatch(x, y, z);
    CALL(PFNGLMEMORYBARRIERPROC, glMemoryBarrier)(GL_BUFFER_UPDATE_BARRIER_BIT);
    CALL(PFNGLBINDBUFFERPROC, glBindBuffer)(GL_COPY_WRITE_BUFFER, buffer);
    CALL(PFNGLGETBUFFERSUBDATAPROC, glGetBufferSubData)(GL_COPY_WRITE_BUFFER, 0, sizeof found, found);
    if (found[0]) {
        fprintf(stderr, "%d invocations with accesses beyond what is bound, one at %d of %d\n", found[0], found[1], found[2]);
        CALL(PFNGLBUFFERSUBDATAPROC, glBufferSubData)(GL_COPY_WRITE_BUFFER, 0, sizeof none, none);
    }
}

static void dispatch(GLuint x, GLuint y, GLuint z)
{
    if (wrong("crash")) raise(SIGSEGV);
    if (wrong("reset") && access(getenv("RILL_RESETS"), F_OK) == 0)
        lost = 1;
    else if (wrong("reach"))
        reach_dispatch(x, y, z);
    else
        real_dispatch(x, y, z);
}

/* Reported once: the next context is a new one. */
static GLenum reset_status(void)
{
    GLenum status = lost ? GL_UNKNOWN_CONTEXT_RESET : GL_NO_ERROR;
    lost = 0;
    return status;
}

EXPORT FILE *fopen(const char *path, const char *mode)
{
    static FILE *(*next)(const char *, const char *);
    const char *other = getenv("RILL_CPUINFO");
    if (!next) {
        void *found = dlsym(RTLD_NEXT, "fopen");
        memcpy(&next, &found, sizeof next);
    }
    return next(other && strcmp(path, "/proc/cpuinfo") == 0 ? other : path, mode);
}

/* --- interception --- */

enum { SUBGROUP_SIZE = 0x9532, SUBGROUP_STAGES, SUBGROUP_FEATURES };

static PFNGLGETSTRINGIPROC real_string;
static GLint extensions;

static const GLubyte *string(GLenum name, GLuint index)
{
    if (name == GL_EXTENSIONS && extensions > 0 && index == (GLuint)extensions) return (const GLubyte *)"GL_KHR_shader_subgroup";
    return real_string(name, index);
}

EXPORT void glGetIntegerv(GLenum name, GLint *values);

static Address interpose_wrap(const char *name, Address address)
{
    if (address && strcmp(name, "glShaderSource") == 0) {
        real_source = (PFNGLSHADERSOURCEPROC)address;
        return (Address)shader_source;
    }
    if (address && strcmp(name, "glDispatchCompute") == 0) {
        real_dispatch = (PFNGLDISPATCHCOMPUTEPROC)address;
        return (Address)dispatch;
    }
    if (address && strcmp(name, "glGetStringi") == 0) {
        real_string = (PFNGLGETSTRINGIPROC)address;
        return (Address)string;
    }
    if (address && strcmp(name, "glGetIntegerv") == 0) return (Address)glGetIntegerv;
    if (address && strncmp(name, "glGetGraphicsResetStatus", 24) == 0) return (Address)reset_status;
    return address;
}

void glGetIntegerv(GLenum name, GLint *values)
{
    static void (*next)(GLenum, GLint *);
    if (!next) next = (void (*)(GLenum, GLint *))interpose_symbol("glGetIntegerv");
    int adds = wrong("subgroups");
    if (adds && name >= SUBGROUP_SIZE && name <= SUBGROUP_FEATURES) {
        *values = name == SUBGROUP_SIZE ? 32 : name == SUBGROUP_STAGES ? GL_COMPUTE_SHADER_BIT : 63;
        return;
    }
    next(name, values);
    if (adds && name == GL_NUM_EXTENSIONS) extensions = (*values)++;
    if (wrong("reach") && name == GL_CONTEXT_FLAGS) *values &= ~GL_CONTEXT_FLAG_ROBUST_ACCESS_BIT;
}
