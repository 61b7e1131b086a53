/* Counts the OpenGL calls of a process, so that a spec can check what rill does (compiled programs, waits,
 * read-backs) independently of rill.
 *
 *    gcc -std=c11 -O2 -shared -fPIC -o build/glcount.so spec/support/glcount.c -ldl
 *    RILL_GLCOUNT=counts.txt LD_PRELOAD=$PWD/build/glcount.so lua5.4 script.lua
 *
 * The counts, one "name count" per line, are written to the file RILL_GLCOUNT when the process exits and whenever
 * rill_glcount_dump is called. The last lines are the numbers of bytes that were read back, mapped, copied and
 * cleared, and the number of dispatched groups. rill_glcount_dump has the type of a Lua C function, so that a
 * script can load it:
 *    local dump = package.loadlib("build/glcount.so", "rill_glcount_dump") */
#include "interpose.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* name, pointer type, parameters, arguments */
#define PROCEDURES(X)                                                                                                  \
    X(glCompileShader, PFNGLCOMPILESHADERPROC, (GLuint a), (a))                                                        \
    X(glDeleteProgram, PFNGLDELETEPROGRAMPROC, (GLuint a), (a))                                                        \
    X(glLinkProgram, PFNGLLINKPROGRAMPROC, (GLuint a), (a))                                                            \
    X(glProgramBinary, PFNGLPROGRAMBINARYPROC, (GLuint a, GLenum b, const void *c, GLsizei d), (a, b, c, d))           \
    X(glDispatchCompute, PFNGLDISPATCHCOMPUTEPROC, (GLuint a, GLuint b, GLuint c), (add_groups(a, b, c), b, c))        \
    X(glDispatchComputeIndirect, PFNGLDISPATCHCOMPUTEINDIRECTPROC, (GLintptr a), (a))                                  \
    X(glGetBufferSubData, PFNGLGETBUFFERSUBDATAPROC, (GLenum a, GLintptr b, GLsizeiptr c, void *d),                    \
      (a, b, add_bytes(c), d))      \
    X(glGetNamedBufferSubData, PFNGLGETNAMEDBUFFERSUBDATAPROC, (GLuint a, GLintptr b, GLsizeiptr c, void *d),          \
      (a, b, add_bytes(c), d))                                                                                         \
    X(glCopyBufferSubData, PFNGLCOPYBUFFERSUBDATAPROC,                                                                 \
      (GLenum a, GLenum b, GLintptr c, GLintptr d, GLsizeiptr e), (a, b, c, d, add_copied(e)))                         \
    X(glClearBufferSubData, PFNGLCLEARBUFFERSUBDATAPROC,                                                               \
      (GLenum a, GLenum b, GLintptr c, GLsizeiptr d, GLenum e, GLenum f, const void *g),                               \
      (a, b, c, add_moved(d), e, f, g))                                                                                \
    X(glBindBuffer, PFNGLBINDBUFFERPROC, (GLenum a, GLuint b), (a, note_bound(a, b)))                                  \
    X(glBufferStorage, PFNGLBUFFERSTORAGEPROC, (GLenum a, GLsizeiptr b, const void *c, GLbitfield d),                  \
      (a, b, c, note_storage(a, d)))                                                                                   \
    X(glBufferData, PFNGLBUFFERDATAPROC, (GLenum a, GLsizeiptr b, const void *c, GLenum d), (a, b, c, d))              \
    X(glBufferSubData, PFNGLBUFFERSUBDATAPROC, (GLenum a, GLintptr b, GLsizeiptr c, const void *d), (a, b, c, d))       \
    X(glGetIntegerv, PFNGLGETINTEGERVPROC, (GLenum a, GLint * b), (a, b))                                              \
    X(glGetQueryObjectui64v, PFNGLGETQUERYOBJECTUI64VPROC, (GLuint a, GLenum b, GLuint64 * c), (a, b, c))              \
    X(glFinish, PFNGLFINISHPROC, (void), ())

/* result type first */
#define FUNCTIONS(X)                                                                                                   \
    X(GLsync, glFenceSync, PFNGLFENCESYNCPROC, (GLenum a, GLbitfield b), (a, b))                                       \
    X(GLenum, glGetGraphicsResetStatus, PFNGLGETGRAPHICSRESETSTATUSPROC, (void), ())                                   \
    X(GLenum, glClientWaitSync, PFNGLCLIENTWAITSYNCPROC, (GLsync a, GLbitfield b, GLuint64 c), (a, b, limit(c)))       \
    X(void *, glMapBufferRange, PFNGLMAPBUFFERRANGEPROC, (GLenum a, GLintptr b, GLsizeiptr c, GLbitfield d),           \
      (a, b, add_moved(c), d))                                                                                         \
    X(void *, glMapNamedBufferRange, PFNGLMAPNAMEDBUFFERRANGEPROC, (GLuint a, GLintptr b, GLsizeiptr c, GLbitfield d), \
      (a, b, add_moved(c), d))

enum {
#define X(name, ...) INDEX_##name,
    PROCEDURES(X)
#undef X
#define X(type, name, ...) INDEX_##name,
        FUNCTIONS(X)
#undef X
            COUNTED
};

static atomic_ulong counts[COUNTED];
static atomic_ulong bytes_read, bytes_moved, groups;
static Address real[COUNTED];

static GLsizeiptr add_bytes(GLsizeiptr size)
{
    atomic_fetch_add_explicit(&bytes_read, (unsigned long)size, memory_order_relaxed);
    return size;
}

static GLsizeiptr add_moved(GLsizeiptr size)
{
    atomic_fetch_add_explicit(&bytes_moved, (unsigned long)size, memory_order_relaxed);
    return size;
}

/* rill waits in several calls of a tenth of a second. Here each wait is one call, so that counts do not depend on times. */
static GLuint64 limit(GLuint64 nanoseconds)
{
    return nanoseconds > 0 ? 60000000000u : 0;
}

/* The buffers bound for reading and for writing by copies, and the buffers in host memory, through which the host
 * accesses other buffers. */
enum { NAMES = 1 << 20 };
static GLuint copied_from, copied_to;
static unsigned char staging[NAMES];

static GLuint note_bound(GLenum target, GLuint name)
{
    if (target == GL_COPY_READ_BUFFER) copied_from = name;
    if (target == GL_COPY_WRITE_BUFFER) copied_to = name;
    return name;
}

static GLbitfield note_storage(GLenum target, GLbitfield flags)
{
    GLuint name = target == GL_COPY_WRITE_BUFFER ? copied_to : 0;
    if (name < NAMES) staging[name] = (flags & GL_CLIENT_STORAGE_BIT) != 0;
    return flags;
}

/* Bytes that a copy moves to the host count as read. Bytes that it moves from the host count neither as read nor
 * as moved. */
static GLsizeiptr add_copied(GLsizeiptr size)
{
    if (copied_to < NAMES && staging[copied_to]) return add_bytes(size);
    return copied_from < NAMES && staging[copied_from] ? size : add_moved(size);
}

/* The first component of the group counts of a dispatch. */
static GLuint add_groups(GLuint x, GLuint y, GLuint z)
{
    atomic_fetch_add_explicit(&groups, (unsigned long)x * y * z, memory_order_relaxed);
    return x;
}

/* Returns the function that a wrapper calls: the result of a resolver, or else the next symbol of that name. */
static Address count(int index, const char *name)
{
    atomic_fetch_add_explicit(&counts[index], 1, memory_order_relaxed);
    if (!real[index]) real[index] = interpose_symbol(name);
    if (!real[index]) {
        fprintf(stderr, "glcount: no %s\n", name);
        abort();
    }
    return real[index];
}

#define X(name, pointer, parameters, arguments)                                                                        \
    EXPORT void name parameters;                                                                                       \
    void name parameters                                                                                               \
    {                                                                                                                  \
        ((pointer)count(INDEX_##name, #name)) arguments;                                                               \
    }
PROCEDURES(X)
#undef X

#define X(type, name, pointer, parameters, arguments)                                                                  \
    EXPORT type name parameters;                                                                                       \
    type name parameters                                                                                               \
    {                                                                                                                  \
        return ((pointer)count(INDEX_##name, #name))arguments;                                                         \
    }
FUNCTIONS(X)
#undef X

static const struct {
    const char *name;
    Address wrapper;
} wrappers[COUNTED] = {
#define X(name, ...) {#name, (Address)name},
    PROCEDURES(X)
#undef X
#define X(type, name, ...) {#name, (Address)name},
        FUNCTIONS(X)
#undef X
};

/* Returns the wrapper for a counted name that exists, and stores the real function. */
static Address interpose_wrap(const char *name, Address address)
{
    for (int i = 0; address && i < COUNTED; i++)
        if (strcmp(name, wrappers[i].name) == 0) {
            if (address != wrappers[i].wrapper) real[i] = address;
            return wrappers[i].wrapper;
        }
    return address;
}

EXPORT int rill_glcount_dump(void *unused);
int rill_glcount_dump(void *unused)
{
    (void)unused;
    const char *path = getenv("RILL_GLCOUNT");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) return 0;
    for (int i = 0; i < COUNTED; i++) fprintf(file, "%s %lu\n", wrappers[i].name, atomic_load(&counts[i]));
    fprintf(file, "bytes_read %lu\nbytes_moved %lu\ngroups %lu\n", atomic_load(&bytes_read), atomic_load(&bytes_moved),
            atomic_load(&groups));
    fclose(file);
    return 0;
}

/* Child processes inherit the preload. Only processes that used OpenGL report. */
__attribute__((destructor)) static void dump_at_exit(void)
{
    for (int i = 0; i < COUNTED; i++)
        if (counts[i]) {
            rill_glcount_dump(NULL);
            return;
        }
}
