/* Lets processes that run the same programs compile them in turn: the first one compiles, and the others find the
 * program in the cache of the driver. Without this each rank of a test compiles all programs.
 *
 *    RILL_TURNS=build/spec/turns LD_PRELOAD=$PWD/build/spec/turns.so mpirun -n 3 lua5.4 script.lua
 *
 * RILL_TURNS: a file of locks, one per text of a shader. A process holds the lock while it compiles and links the text,
 * and during the first launch, in which llvmpipe compiles. No call under a lock waits for another process. */
#include "interpose.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

/* name, pointer type, parameters, arguments, the text whose turn it is: 0 for none */
#define PROCEDURES(X)                                                                                                  \
    X(glCompileShader, PFNGLCOMPILESHADERPROC, (GLuint a), (a), texts[a % NAMES])                                      \
    X(glLinkProgram, PFNGLLINKPROGRAMPROC, (GLuint a), (a), texts[a % NAMES])                                          \
    X(glDispatchCompute, PFNGLDISPATCHCOMPUTEPROC, (GLuint a, GLuint b, GLuint c), (a, b, c), first_launch())          \
    X(glDispatchComputeIndirect, PFNGLDISPATCHCOMPUTEINDIRECTPROC, (GLintptr a), (a), first_launch())

enum { NAMES = 1 << 16, SHORT_NS = 4000000 };

static uint32_t texts[NAMES]; /* of shaders and programs, whose names differ */
static char launched[NAMES];
static _Thread_local GLuint current;

static uint32_t first_launch(void)
{
    if (launched[current % NAMES]) return 0;
    launched[current % NAMES] = 1;
    return texts[current % NAMES];
}

static int file(void)
{
    static int opened = -2;
    if (opened == -2) {
        const char *path = getenv("RILL_TURNS");
        opened = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;
    }
    return opened;
}

static void lock(uint32_t text, short type)
{
    struct flock range = {.l_type = type, .l_whence = SEEK_SET, .l_start = text, .l_len = 1};
    while (text && fcntl(file(), F_SETLKW, &range) == -1 && errno == EINTR)
        ;
}

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

/* Ends a turn. If it took long, the program was compiled, and a thread of the driver writes it to the cache. */
static void end_turn(uint32_t text, int64_t start)
{
    if (text && now() - start > SHORT_NS) {
        nanosleep(&(struct timespec){.tv_nsec = SHORT_NS}, NULL);
    }
    lock(text, F_UNLCK);
}

#define X(name, type, parameters, arguments, text)                                                                     \
    static type real_##name;                                                                                           \
    static void APIENTRY wrap_##name parameters                                                                        \
    {                                                                                                                  \
        const uint32_t its = text;                                                                                     \
        lock(its, F_WRLCK);                                                                                            \
        const int64_t start = now();                                                                                   \
        real_##name arguments;                                                                                         \
        end_turn(its, start);                                                                                          \
    }
PROCEDURES(X)
#undef X

static PFNGLSHADERSOURCEPROC real_source;
static PFNGLATTACHSHADERPROC real_attach;
static PFNGLUSEPROGRAMPROC real_use;

static void APIENTRY source(GLuint shader, GLsizei count, const GLchar *const *strings, const GLint *lengths)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (GLsizei i = 0; i < count; i++) {
        const size_t length = lengths && lengths[i] >= 0 ? (size_t)lengths[i] : strlen(strings[i]);
        for (size_t k = 0; k < length; k++) hash = (hash ^ (unsigned char)strings[i][k]) * 16777619u;
    }
    texts[shader % NAMES] = hash >> 1 | 1;
    real_source(shader, count, strings, lengths);
}

static void APIENTRY attach(GLuint program, GLuint shader)
{
    texts[program % NAMES] = texts[shader % NAMES];
    launched[program % NAMES] = 0;
    real_attach(program, shader);
}

static void APIENTRY use(GLuint program)
{
    current = program;
    real_use(program);
}

static Address interpose_wrap(const char *name, Address address)
{
#define WRAP(wrapped, type, pointer, function)                                                                         \
    if (address && strcmp(name, #wrapped) == 0) {                                                                      \
        pointer = (type)address;                                                                                       \
        return (Address)function;                                                                                      \
    }
#define X(name, type, parameters, arguments, text) WRAP(name, type, real_##name, wrap_##name)
    PROCEDURES(X)
#undef X
    WRAP(glShaderSource, PFNGLSHADERSOURCEPROC, real_source, source)
    WRAP(glAttachShader, PFNGLATTACHSHADERPROC, real_attach, attach)
    WRAP(glUseProgram, PFNGLUSEPROGRAMPROC, real_use, use)
    return address;
}
