/* A driver that resets its GPU when a script says so: between OpenGL and rill, preloaded as glcount.c is. From rill_glreset() on, which has the
 * shape of a Lua C function, reads give rubbish, and the reset status is told once, as drivers do. */
#include "interpose.h"

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

static Address interpose_wrap(const char *name, Address address)
{
    if (address && strncmp(name, "glGetGraphicsResetStatus", 24) == 0) return (Address)reset_status;
    if (address && strcmp(name, "glGetBufferSubData") == 0) {
        real_read = (PFNGLGETBUFFERSUBDATAPROC)address;
        return (Address)read_buffer;
    }
    return address;
}

EXPORT int rill_glreset(void *unused);
int rill_glreset(void *unused)
{
    (void)unused;
    is_reset = 1;
    return 0;
}
