/* A driver that errs, made of the one at hand: shaders are rewritten before it sees them.
 *
 *     RILL_WRONG=half LD_PRELOAD=$PWD/build/spec/wrongdriver.so lua5.4 script.lua
 *
 * RILL_WRONG: "division" (quotients of two names are one unit too large), "quotients" (eight), "half" (packHalf2x16 truncates,
 * unpackHalf2x16 takes small halves for 0), "loops" (for loops end after 1,000 trips, all together), "crash" (the first launch is the end
 * of the process), "reset" (launches do nothing but reset the GPU, as long as there is a file RILL_RESETS). RILL_CPUINFO: what is read in
 * place of /proc/cpuinfo. Entry points come through a resolver: GLEW's, or EGL's. */
#define _GNU_SOURCE
#include <GL/glcorearb.h>
#include <ctype.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

typedef void (*Address)(void);

static PFNGLSHADERSOURCEPROC real_source;
static PFNGLDISPATCHCOMPUTEPROC real_dispatch;
static int lost;

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

/* --- what is put in front --- */

static const char half[] = "uint wrong_half(vec2 v) { return packHalf2x16(uintBitsToFloat(floatBitsToUint(v) & 0xffffe000u)); }\n"
                           "#define packHalf2x16 wrong_half\n"
                           "vec2 wrong_float(uint u) { vec2 v = unpackHalf2x16(u); return vec2(abs(v.x) < 6.1e-5 ? 0.0 : v.x, "
                           "abs(v.y) < 6.1e-5 ? 0.0 : v.y); }\n"
                           "#define unpackHalf2x16 wrong_float\n";
static const char loops[] = "uint wrong_trips = 0u;\n";

static void add_division(Text *text, int units)
{
    static const char *const floats[] = {"float", "vec2", "vec3", "vec4"};
    static const char *const others[] = {"int", "uint", "double", "ivec2", "ivec3", "ivec4", "uvec2", "uvec3", "uvec4"};
    char line[256];
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++) {
        snprintf(line, sizeof line,
                 "%s wrong_div(%s a, %s b) { %s q = a / b; return q * 0.5 == q ? q : uintBitsToFloat(floatBitsToUint(q) + %du); }\n",
                 floats[i], floats[i], floats[i], floats[i], units);
        add_text(text, line);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        snprintf(line, sizeof line, "%s wrong_div(%s a, %s b) { return a / b; }\n", others[i], others[i], others[i]);
        add_text(text, line);
    }
}

/* --- rewriting --- */

static int in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* `a / b` of two names, of which neither is part of something longer, becomes a call. */
static void rewrite_divisions(Text *out, const char *source)
{
    const char *done = source;
    for (const char *at = source; (at = strstr(at, " / ")) != NULL; at += 3) {
        const char *from = at, *to = at + 3;
        while (from > done && in_name(from[-1])) from--;
        while (in_name(*to)) to++;
        int plain = from < at && !isdigit((unsigned char)*from) && to > at + 3 && !isdigit((unsigned char)at[3]) &&
                    *to != '(' && *to != '[' && (from == source || (from[-1] != ')' && from[-1] != ']'));
        if (plain && (from - source < 3 || strncmp(from - 3, " / ", 3) != 0) && from >= done) {
            add(out, done, (size_t)(from - done));
            add_text(out, "wrong_div(");
            add(out, from, (size_t)(at - from));
            add_text(out, ", ");
            add(out, at + 3, (size_t)(to - at - 3));
            add_text(out, ")");
            done = to;
        }
    }
    add_text(out, done);
}

/* The condition of every for loop counts trips. */
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

/* Behind the version and the extensions. */
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

static void shader_source(GLuint shader, GLsizei count, const GLchar *const *strings, const GLint *lengths)
{
    Text source = {0}, out = {0};
    add_text(&source, "");
    for (GLsizei i = 0; i < count; i++)
        add(&source, strings[i], lengths && lengths[i] >= 0 ? (size_t)lengths[i] : strlen(strings[i]));
    const char *rest = first_line(source.bytes);
    add(&out, source.bytes, (size_t)(rest - source.bytes));
    if (wrong("division") || wrong("quotients")) {
        add_division(&out, wrong("division") ? 1 : 8);
        rewrite_divisions(&out, rest);
    } else if (wrong("loops")) {
        add_text(&out, loops);
        rewrite_loops(&out, rest);
    } else {
        add_text(&out, wrong("half") ? half : "");
        add_text(&out, rest);
    }
    const GLchar *text = out.bytes;
    real_source(shader, 1, &text, NULL);
    free(source.bytes);
    free(out.bytes);
}

static void dispatch(GLuint x, GLuint y, GLuint z)
{
    if (wrong("crash")) raise(SIGSEGV);
    if (wrong("reset") && access(getenv("RILL_RESETS"), F_OK) == 0)
        lost = 1;
    else
        real_dispatch(x, y, z);
}

/* Told once: the next context is a new one. */
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

/* --- resolvers --- */

static Address symbol(const char *name)
{
    static const char *const libraries[] = {"libEGL.so.1", "libGLX.so.0", "libGL.so.1"};
    void *found = dlsym(RTLD_NEXT, name);
    for (size_t i = 0; !found && i < sizeof libraries / sizeof *libraries; i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
        if (library) found = dlsym(library, name);
    }
    Address address; /* a pointer to data and one to code are different things to C, the same to dlsym */
    memcpy(&address, &found, sizeof address);
    return address;
}

static Address wrap(const char *name, Address address)
{
    if (address && strcmp(name, "glShaderSource") == 0) {
        real_source = (PFNGLSHADERSOURCEPROC)address;
        return (Address)shader_source;
    }
    if (address && strcmp(name, "glDispatchCompute") == 0) {
        real_dispatch = (PFNGLDISPATCHCOMPUTEPROC)address;
        return (Address)dispatch;
    }
    if (address && strncmp(name, "glGetGraphicsResetStatus", 24) == 0) return (Address)reset_status;
    return address;
}

typedef Address (*Resolver)(const GLubyte *);

#define X(resolver, character)                                                                                         \
    EXPORT Address resolver(const character *name);                                                                    \
    Address resolver(const character *name)                                                                            \
    {                                                                                                                  \
        static Resolver next;                                                                                          \
        if (!next) next = (Resolver)symbol(#resolver);                                                                 \
        return next ? wrap((const char *)name, next((const GLubyte *)name)) : NULL;                                    \
    }
X(eglGetProcAddress, char)
X(glXGetProcAddress, GLubyte)
X(glXGetProcAddressARB, GLubyte)
