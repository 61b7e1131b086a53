/* Shared by libraries between rill and OpenGL (glcount.c, inject.c): finding and replacing entry points.
 *
 * A program gets an entry point in one of two ways, and both are intercepted: as a symbol of libOpenGL or libGL
 * (OpenGL 1.1 in a program that uses GLEW), or from a resolver: glXGetProcAddressARB (Debian's GLEW),
 * glXGetProcAddress or eglGetProcAddress. The file that includes this header defines interpose_wrap. */
#ifndef RILL_INTERPOSE_H
#define RILL_INTERPOSE_H

#define _GNU_SOURCE
#include <GL/glcorearb.h>
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef void (*Address)(void);

/* Returns the wrapper for an intercepted name and stores the real function. Returns the real address for other
 * names. */
static Address interpose_wrap(const char *name, Address address);

/* Returns the real function of a name. RTLD_NEXT does not search libraries that the script interpreter loaded, so
 * the libraries are also searched by name. */
static Address interpose_symbol(const char *name)
{
    static const char *const libraries[] = {"libOpenGL.so.0", "libEGL.so.1", "libGLX.so.0", "libGL.so.1"};
    void *found = dlsym(RTLD_NEXT, name);
    for (size_t i = 0; !found && i < sizeof libraries / sizeof *libraries; i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
        if (library) found = dlsym(library, name);
    }
    Address address; /* C distinguishes pointers to data and functions; dlsym does not */
    memcpy(&address, &found, sizeof address);
    return address;
}

typedef Address (*Resolver)(const char *);

#define RESOLVER(resolver, character)                                                                                  \
    EXPORT Address resolver(const character *name);                                                                    \
    Address resolver(const character *name)                                                                            \
    {                                                                                                                  \
        static Resolver next;                                                                                          \
        if (!next) next = (Resolver)interpose_symbol(#resolver);                                                       \
        return next ? interpose_wrap((const char *)name, next((const char *)name)) : NULL;                             \
    }
RESOLVER(eglGetProcAddress, char)
RESOLVER(glXGetProcAddress, GLubyte)
RESOLVER(glXGetProcAddressARB, GLubyte)
#undef RESOLVER

#endif
