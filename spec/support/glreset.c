/* Simulates a driver that resets its GPU: preloaded between OpenGL and rill, like glcount.c. After rill_glreset(),
 * which has the type of a Lua C function, reads return garbage, and the reset status is reported once, as drivers
 * do. */
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
