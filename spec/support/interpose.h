/* What libraries between rill and OpenGL share (glcount.c, inject.c): how an entry point is found and handed out.
 *
 * An entry point is reached in one of two ways and both are taken over: as a symbol of libOpenGL or libGL (OpenGL 1.1
 * in a program that uses GLEW), or through a resolver: glXGetProcAddressARB (GLEW as Debian builds it),
 * glXGetProcAddress or eglGetProcAddress. Whoever includes this defines interpose_wrap. */
#ifndef RILL_INTERPOSE_H
#define RILL_INTERPOSE_H

#define _GNU_SOURCE
#include <GL/glcorearb.h>
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef void (*Address)(void);

/* Hands out what stands between for a name that is taken over, and remembers what it stands for; else the address. */
static Address interpose_wrap(const char *name, Address address);

/* The real function of a name. A library that a script interpreter loaded is in no global scope, where RTLD_NEXT
 * looks, so the libraries are asked by name too. */
static Address interpose_symbol(const char *name)
{
    static const char *const libraries[] = {"libOpenGL.so.0", "libEGL.so.1", "libGLX.so.0", "libGL.so.1"};
    void *found = dlsym(RTLD_NEXT, name);
    for (size_t i = 0; !found && i < sizeof libraries / sizeof *libraries; i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
        if (library) found = dlsym(library, name);
    }
    Address address; /* a pointer to data and one to code are different things to C, the same to dlsym */
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
