/* Injects faults below rill: fails the n-th allocation of the module or of Lua, or the n-th buffer, compilation,
 * link, mapping, read-back or wait of OpenGL; or loses the context. The library is preloaded. A script accesses it
 * with
 *    local inject = package.loadlib(os.getenv "RILL_INJECT_LIBRARY", "rill_inject")
 *    inject(KIND, n)     lets the n-th event of KIND from now on fail (0: none); returns the number of faults since the previous call,
 *                        and the number of events of the kind
 *    package.loadlib(..., "rill_inject_live")()     returns the number of blocks that the module has allocated; of buffers, programs, shaders and
 *                        textures that exist; of bytes of the blocks
 * or, before the script starts, with RILL_INJECT="KIND n". KIND is a row of KINDS. */
#include "interpose.h"

#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef enum Kind { NONE, ALLOC, SCRIPT, BUFFER, COMPILE, LINK, MAP, READ, WAIT, LOST, KINDS } Kind;
static const char *const names[KINDS] = {"none", "alloc", "lua", "buffer", "compile", "link", "map", "read", "wait", "lost"};

static struct {
    Kind kind;
    long at, events, fired;
} plan;
static __thread __attribute__((tls_model("initial-exec"))) bool inside; /* calls of this library */

static Kind kind_of(const char *name)
{
    for (int k = 1; k < KINDS; k++)
        if (strcmp(name, names[k]) == 0) return (Kind)k;
    return NONE;
}

/* Returns whether this event must fail. */
static bool due(Kind kind)
{
    if (plan.kind != kind) return false;
    plan.events++;
    /* After a failed allocation Lua collects garbage and retries; rill collects, retries, empties its pool and
     * retries. */
    long tries = kind == SCRIPT ? 2 : kind == BUFFER ? 4 : 1;
    if (plan.at <= 0 || plan.events < plan.at || plan.events >= plan.at + tries) return false;
    plan.fired++;
    if (kind <= SCRIPT) errno = ENOMEM; /* as allocations do */
    return true;
}

/* ---- allocations, distinguished by caller */

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void __libc_free(void *);

static struct {
    uintptr_t from, to;
    Kind kind;
} ranges[8];
static int range_count, range_libraries;

static int add_range(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size, (void)data;
    const char *name = info->dlpi_name;
    Kind kind = strstr(name, "rill/core.so") ? ALLOC : strstr(name, "liblua5") || !*name ? SCRIPT : NONE;
    if (kind == NONE || range_count == 8) return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X) || range_count == 8) continue;
        ranges[range_count].from = info->dlpi_addr + part->p_vaddr;
        ranges[range_count].to = ranges[range_count].from + part->p_memsz;
        ranges[range_count++].kind = kind;
    }
    return 0;
}

static int count_library(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size, (void)data;
    range_libraries = (int)info->dlpi_adds;
    return 1;
}

static bool address_in(int range, const void *address)
{
    return (uintptr_t)address >= ranges[range].from && (uintptr_t)address < ranges[range].to;
}

/* Libraries are loaded while the process runs: the list is rebuilt when one was added. */
static Kind asker(const void *address)
{
    static int known = -1;
    /* Fast path if nothing must fail: only blocks of the module are counted. */
    for (int i = 0; i < range_count && plan.kind == NONE; i++)
        if (ranges[i].kind == ALLOC) return address_in(i, address) ? ALLOC : NONE;
    inside = true;
    dl_iterate_phdr(count_library, NULL);
    if (known != range_libraries) {
        known = range_libraries;
        range_count = 0;
        dl_iterate_phdr(add_range, NULL);
    }
    inside = false;
    for (int i = 0; i < range_count; i++)
        if (address_in(i, address)) return ranges[i].kind;
    return NONE;
}

/* The module's live blocks: open addressing, where key 1 marks a removed entry. */
enum { SLOTS = 1 << 20 };
static uintptr_t blocks[SLOTS];
static long live_blocks, live_bytes;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static size_t slot_of(uintptr_t key)
{
    return (size_t)((key >> 4) * 0x9e3779b97f4a7c15u >> 44) % SLOTS;
}

static void remember(void *block)
{
    if (!block) return;
    pthread_mutex_lock(&lock);
    size_t at = slot_of((uintptr_t)block);
    while (blocks[at] > 1) at = (at + 1) % SLOTS;
    blocks[at] = (uintptr_t)block;
    live_blocks++;
    live_bytes += (long)malloc_usable_size(block);
    pthread_mutex_unlock(&lock);
}

static bool forget(void *block)
{
    if (!block || !live_blocks) return false;
    pthread_mutex_lock(&lock);
    size_t at = slot_of((uintptr_t)block);
    while (blocks[at] && blocks[at] != (uintptr_t)block) at = (at + 1) % SLOTS;
    bool found = blocks[at] != 0;
    if (found) {
        /* Removed entries before a free slot become free too, so that searches terminate. */
        blocks[at] = 1;
        for (; blocks[(at + 1) % SLOTS] == 0 && blocks[at] == 1; at = (at + SLOTS - 1) % SLOTS) blocks[at] = 0;
        live_blocks--;
        live_bytes -= (long)malloc_usable_size(block);
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static bool watched;

EXPORT void *malloc(size_t size)
{
    if (!watched || inside) return __libc_malloc(size);
    Kind kind = asker(__builtin_return_address(0));
    if (kind != NONE && due(kind)) return NULL;
    void *block = __libc_malloc(size);
    if (kind == ALLOC) remember(block);
    return block;
}

EXPORT void *calloc(size_t count, size_t size)
{
    if (!watched || inside) return __libc_calloc(count, size);
    Kind kind = asker(__builtin_return_address(0));
    if (kind != NONE && due(kind)) return NULL;
    void *block = __libc_calloc(count, size);
    if (kind == ALLOC) remember(block);
    return block;
}

EXPORT void *realloc(void *old, size_t size)
{
    if (!watched || inside) return __libc_realloc(old, size);
    Kind kind = asker(__builtin_return_address(0));
    /* Lua requires that shrinking a block succeeds. */
    bool grows = !old || malloc_usable_size(old) < size;
    if (kind != NONE && grows && due(kind)) return NULL;
    bool ours = forget(old);
    void *block = __libc_realloc(old, size);
    if (block && (ours || kind == ALLOC)) remember(block);
    return block;
}

EXPORT void free(void *block)
{
    if (watched && !inside) forget(block);
    __libc_free(block);
}

/* ---- OpenGL */

#define ENTRIES(X)                                                                                                     \
    X(glBufferStorage) X(glBufferData) X(glCompileShader) X(glLinkProgram) X(glMapBufferRange) X(glGetBufferSubData)   \
    X(glClientWaitSync) X(glFenceSync) X(glGetError) X(glGetGraphicsResetStatus) X(glGetGraphicsResetStatusARB)        \
    X(glGenBuffers) X(glDeleteBuffers) X(glCreateProgram) X(glDeleteProgram) X(glCreateShader) X(glDeleteShader)       \
    X(glGenTextures) X(glDeleteTextures) X(glDebugMessageCallback)

enum {
#define X(name) AT_##name,
    ENTRIES(X)
#undef X
        ENTRY_COUNT
};
static Address real[ENTRY_COUNT];
static GLenum pending; /* the error that glGetError returns next */
static bool context_lost;
static long buffers, programs, shaders, textures;

static Address next_of(int index, const char *name)
{
    if (!real[index]) real[index] = interpose_symbol(name);
    return real[index];
}
#define NEXT(pointer, name) ((pointer)next_of(AT_##name, #name))

/* Defines an entry point with the type of the real one. */
#define ENTRY(type, name, parameters)                                                                                  \
    EXPORT type name parameters;                                                                                       \
    type name parameters

static struct {
    GLDEBUGPROC call;
    const void *user;
} debug;

ENTRY(void, glDebugMessageCallback, (GLDEBUGPROC call, const void *user))
{
    debug.call = call;
    debug.user = user;
    NEXT(PFNGLDEBUGMESSAGECALLBACKPROC, glDebugMessageCallback)(call, user);
}

/* Reports an error as drivers do: with a debug message, and with glGetError. */
static bool out_of_memory(Kind kind)
{
    static const char text[] = "GL_OUT_OF_MEMORY, injected";
    if (!due(kind)) return false;
    pending = GL_OUT_OF_MEMORY;
    if (debug.call)
        debug.call(GL_DEBUG_SOURCE_API, GL_DEBUG_TYPE_ERROR, GL_OUT_OF_MEMORY, GL_DEBUG_SEVERITY_HIGH,
                   (GLsizei)sizeof text - 1, text, debug.user);
    return true;
}

ENTRY(void, glBufferStorage, (GLenum a, GLsizeiptr b, const void *c, GLbitfield d))
{
    if (!out_of_memory(BUFFER)) NEXT(PFNGLBUFFERSTORAGEPROC, glBufferStorage)(a, b, c, d);
}

ENTRY(void, glBufferData, (GLenum a, GLsizeiptr b, const void *c, GLenum d))
{
    if (!out_of_memory(BUFFER)) NEXT(PFNGLBUFFERDATAPROC, glBufferData)(a, b, c, d);
}

ENTRY(void, glCompileShader, (GLuint a))
{
    if (due(COMPILE)) {
        const char *text = "#version 430\n#error injected\n";
        ((PFNGLSHADERSOURCEPROC)interpose_symbol("glShaderSource"))(a, 1, &text, NULL);
    }
    NEXT(PFNGLCOMPILESHADERPROC, glCompileShader)(a);
}

ENTRY(void, glLinkProgram, (GLuint a))
{
    if (!due(LINK)) NEXT(PFNGLLINKPROGRAMPROC, glLinkProgram)(a);
}

ENTRY(void *, glMapBufferRange, (GLenum a, GLintptr b, GLsizeiptr c, GLbitfield d))
{
    return out_of_memory(MAP) ? NULL : NEXT(PFNGLMAPBUFFERRANGEPROC, glMapBufferRange)(a, b, c, d);
}

ENTRY(void, glGetBufferSubData, (GLenum a, GLintptr b, GLsizeiptr c, void *d))
{
    if (!out_of_memory(READ)) NEXT(PFNGLGETBUFFERSUBDATAPROC, glGetBufferSubData)(a, b, c, d);
}

ENTRY(GLsync, glFenceSync, (GLenum a, GLbitfield b))
{
    return out_of_memory(WAIT) ? NULL : NEXT(PFNGLFENCESYNCPROC, glFenceSync)(a, b);
}

ENTRY(GLenum, glClientWaitSync, (GLsync a, GLbitfield b, GLuint64 c))
{
    return due(WAIT) ? GL_WAIT_FAILED : NEXT(PFNGLCLIENTWAITSYNCPROC, glClientWaitSync)(a, b, c);
}

ENTRY(GLenum, glGetError, (void))
{
    GLenum error = pending;
    pending = GL_NO_ERROR;
    return error ? error : NEXT(PFNGLGETERRORPROC, glGetError)();
}

static GLenum reset_status(void)
{
    context_lost = context_lost || due(LOST);
    return context_lost ? GL_GUILTY_CONTEXT_RESET : GL_NO_ERROR;
}

ENTRY(GLenum, glGetGraphicsResetStatus, (void))
{
    return reset_status();
}

EXPORT GLenum glGetGraphicsResetStatusARB(void);
GLenum glGetGraphicsResetStatusARB(void)
{
    return reset_status();
}

#define COUNTED(count, made, make, pointer, drop, drop_pointer)                                                        \
    ENTRY(void, make, (GLsizei n, GLuint *list))                                                                       \
    {                                                                                                                  \
        NEXT(pointer, make)(n, list);                                                                                  \
        count += n;                                                                                                    \
    }                                                                                                                  \
    ENTRY(void, drop, (GLsizei n, const GLuint *list))                                                                 \
    {                                                                                                                  \
        for (GLsizei i = 0; i < n; i++) count -= list[i] != 0;                                                         \
        NEXT(drop_pointer, drop)(n, list);                                                                             \
    }
COUNTED(buffers, made, glGenBuffers, PFNGLGENBUFFERSPROC, glDeleteBuffers, PFNGLDELETEBUFFERSPROC)
COUNTED(textures, made, glGenTextures, PFNGLGENTEXTURESPROC, glDeleteTextures, PFNGLDELETETEXTURESPROC)

ENTRY(GLuint, glCreateProgram, (void))
{
    programs++;
    return NEXT(PFNGLCREATEPROGRAMPROC, glCreateProgram)();
}

ENTRY(void, glDeleteProgram, (GLuint a))
{
    programs -= a != 0;
    NEXT(PFNGLDELETEPROGRAMPROC, glDeleteProgram)(a);
}

ENTRY(GLuint, glCreateShader, (GLenum a))
{
    shaders++;
    return NEXT(PFNGLCREATESHADERPROC, glCreateShader)(a);
}

ENTRY(void, glDeleteShader, (GLuint a))
{
    shaders -= a != 0;
    NEXT(PFNGLDELETESHADERPROC, glDeleteShader)(a);
}

static const struct {
    const char *name;
    Address wrapper;
} wrappers[ENTRY_COUNT] = {
#define X(name) {#name, (Address)name},
    ENTRIES(X)
#undef X
};

static Address interpose_wrap(const char *name, Address address)
{
    for (int i = 0; address && i < ENTRY_COUNT; i++)
        if (strcmp(name, wrappers[i].name) == 0) {
            if (address != wrappers[i].wrapper) real[i] = address;
            return wrappers[i].wrapper;
        }
    return address;
}

/* ---- functions for scripts. Lua is already in the process; its functions are looked up by name. */

typedef long long (*ToInteger)(void *, int, int *);
typedef const char *(*ToString)(void *, int, size_t *);
typedef void (*PushInteger)(void *, long long);

static Address lua_function(const char *name)
{
    void *found = dlsym(RTLD_DEFAULT, name);
    Address address;
    memcpy(&address, &found, sizeof address);
    return address;
}
#define LUA(pointer, name) ((pointer)lua_function(name))

EXPORT int rill_inject(void *L);
int rill_inject(void *L)
{
    long fired = plan.fired, events = plan.events;
    plan.kind = NONE;
    const char *name = LUA(ToString, "lua_tolstring")(L, 1, NULL);
    long at = (long)LUA(ToInteger, "lua_tointegerx")(L, 2, NULL);
    Kind kind = kind_of(name ? name : "none");
    LUA(PushInteger, "lua_pushinteger")(L, fired);
    LUA(PushInteger, "lua_pushinteger")(L, events);
    if (kind != NONE) plan.at = at, plan.events = plan.fired = 0; /* otherwise the log may still report it */
    plan.kind = kind;
    return 2;
}

EXPORT int rill_inject_live(void *L);
int rill_inject_live(void *L)
{
    long counts[] = {live_blocks, buffers, programs, shaders, textures, live_bytes};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) LUA(PushInteger, "lua_pushinteger")(L, counts[i]);
    return (int)(sizeof counts / sizeof *counts);
}

__attribute__((constructor)) static void begin(void)
{
    char name[16];
    long at;
    const char *text = getenv("RILL_INJECT");
    if (text && sscanf(text, "%15s %ld", name, &at) == 2) {
        plan.at = at;
        plan.kind = kind_of(name);
    }
    watched = getenv("RILL_INJECT_LIBRARY") && lua_function("lua_pushinteger"); /* shells inherit the preload */
}

/* With RILL_INJECT_LOG, writes the injected faults, the numbers of events, and the blocks that were never freed. */
__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("RILL_INJECT_LOG");
    long fired = plan.fired, events = plan.events;
    plan.kind = NONE;
    FILE *file = path && watched ? fopen(path, "w") : NULL;
    if (!file) return;
    fprintf(file, "fired %ld events %ld blocks %ld buffers %ld programs %ld\n", fired, events, live_blocks, buffers, programs);
    fclose(file);
}
