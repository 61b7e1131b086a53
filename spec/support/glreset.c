/* A driver that resets its GPU when a script says so: between OpenGL and rill, preloaded as glcount.c is. From rill_glreset() on, which has the
 * shape of a Lua C function, reads give rubbish, and the reset status is told once, as drivers do. */
#define _GNU_SOURCE
#include <GL/glcorearb.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef void (*Address)(void);
typedef Address (*Resolver)(const char *);

static int is_reset, is_told;

static GLenum reset_status(void)
{
    int tell = is_reset && !is_told;
    is_told |= tell;
    return tell ? GL_UNKNOWN_CONTEXT_RESET : GL_NO_ERROR;
}

static PFNGLGETBUFFERSUBDATAPROC real_read;

static void read_buffer(GLenum target, GLintptr offset, GLsizeiptr size, void *data)
{
    real_read(target, offset, size, data);
    if (is_reset) memset(data, 0x5a, (size_t)size);
}

static Address wrap(const char *name, Address address)
{
    if (address && strncmp(name, "glGetGraphicsResetStatus", 24) == 0) return (Address)reset_status;
    if (address && strcmp(name, "glGetBufferSubData") == 0) {
        real_read = (PFNGLGETBUFFERSUBDATAPROC)address;
        return (Address)read_buffer;
    }
    return address;
}

/* A library that a script interpreter loaded is in no global scope, where RTLD_NEXT looks. */
static Resolver next_resolver(const char *name)
{
    static const char *const libraries[] = {"libEGL.so.1", "libGLX.so.0", "libGL.so.1"};
    void *found = dlsym(RTLD_NEXT, name);
    for (size_t i = 0; !found && i < sizeof libraries / sizeof *libraries; i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
        if (library) found = dlsym(library, name);
    }
    Resolver resolver;
    memcpy(&resolver, &found, sizeof resolver);
    return resolver;
}

#define X(resolver)                                                                                                    \
    EXPORT Address resolver(const char *name);                                                                         \
    Address resolver(const char *name)                                                                                 \
    {                                                                                                                  \
        static Resolver next;                                                                                          \
        if (!next) next = next_resolver(#resolver);                                                                    \
        return next ? wrap(name, next(name)) : NULL;                                                                   \
    }
X(eglGetProcAddress)
X(glXGetProcAddress)
X(glXGetProcAddressARB)
#undef X

EXPORT int rill_glreset(void *unused);
int rill_glreset(void *unused)
{
    (void)unused;
    is_reset = 1;
    return 0;
}
