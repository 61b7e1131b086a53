/* Simulates a driver that resets its GPU: preloaded between OpenGL and rill, like glcount.c. After rill_glreset(),
 * which has the type of a Lua C function, reads return garbage, fences are not created, waits fail, allocations and
 * fills cause the error GL_CONTEXT_LOST, and the reset status is reported once, as drivers do. */
#include "interpose.h"

static int is_reset, is_told, is_error;
static GLDEBUGPROC callback;
static const void *callback_data;

static GLenum reset_status(void)
{
    int tell = is_reset && !is_told;
    is_told |= tell;
    return tell ? GL_UNKNOWN_CONTEXT_RESET : GL_NO_ERROR;
}

/* Returns whether a command has no effect, and reports the error then. */
static int fails(void)
{
    is_error |= is_reset;
    if (is_reset && callback) {
        callback(GL_DEBUG_SOURCE_API, GL_DEBUG_TYPE_ERROR, 1, GL_DEBUG_SEVERITY_HIGH, 12, "Context lost", callback_data);
    }
    return is_reset;
}

static PFNGLGETBUFFERSUBDATAPROC real_read;
static PFNGLFENCESYNCPROC real_fence;
static PFNGLCLIENTWAITSYNCPROC real_wait;
static PFNGLBUFFERSTORAGEPROC real_storage;
static PFNGLCLEARBUFFERSUBDATAPROC real_clear;
static PFNGLGETERRORPROC real_error;
static PFNGLDEBUGMESSAGECALLBACKPROC real_callback;

static void read_buffer(GLenum target, GLintptr offset, GLsizeiptr size, void *data)
{
    real_read(target, offset, size, data);
    if (is_reset) memset(data, 0x5a, (size_t)size);
}

static GLsync create_fence(GLenum condition, GLbitfield flags)
{
    return fails() ? NULL : real_fence(condition, flags);
}

static GLenum wait_fence(GLsync fence, GLbitfield flags, GLuint64 time)
{
    return fails() ? GL_WAIT_FAILED : real_wait(fence, flags, time);
}

static void store(GLenum target, GLsizeiptr size, const void *data, GLbitfield flags)
{
    if (!fails()) real_storage(target, size, data, flags);
}

static void clear(GLenum target, GLenum internal, GLintptr at, GLsizeiptr size, GLenum format, GLenum type,
                  const void *data)
{
    if (!fails()) real_clear(target, internal, at, size, format, type, data);
}

static GLenum get_error(void)
{
    GLenum error = is_error ? GL_CONTEXT_LOST : real_error();
    is_error = 0;
    return error;
}

static void set_callback(GLDEBUGPROC function, const void *data)
{
    callback = function;
    callback_data = data;
    is_reset = is_error = 0; /* the context is new */
    real_callback(function, data);
}

#define WRAP(call, wrapper, real)                                                                                      \
    if (address && strcmp(name, call) == 0) {                                                                          \
        memcpy(&real, &address, sizeof address);                                                                       \
        return (Address)wrapper;                                                                                       \
    }

static Address interpose_wrap(const char *name, Address address)
{
    if (address && strncmp(name, "glGetGraphicsResetStatus", 24) == 0) return (Address)reset_status;
    WRAP("glGetBufferSubData", read_buffer, real_read)
    WRAP("glFenceSync", create_fence, real_fence)
    WRAP("glClientWaitSync", wait_fence, real_wait)
    WRAP("glBufferStorage", store, real_storage)
    WRAP("glClearBufferSubData", clear, real_clear)
    WRAP("glGetError", get_error, real_error)
    WRAP("glDebugMessageCallback", set_callback, real_callback)
    return address;
}

EXPORT int rill_glreset(void *unused);
int rill_glreset(void *unused)
{
    (void)unused;
    is_reset = 1;
    return 0;
}
