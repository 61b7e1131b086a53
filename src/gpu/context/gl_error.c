/* GL errors: debug messages if the driver sends them, else glGetError. */
#include "gpu/context/device_private.h"

#include <stdio.h>
#include <string.h>

static void GLAPIENTRY on_message(GLenum source, GLenum type, GLuint id, GLenum severity, GLsizei length,
                                  const GLchar *text, const void *user)
{
    (void)id;
    (void)severity;
    /* The cast removes the const that GL's signature adds. */
    DebugLog *log = &((Device *)(uintptr_t)user)->debug;
    if (type != GL_DEBUG_TYPE_ERROR || source == GL_DEBUG_SOURCE_SHADER_COMPILER || log->recorded) {
        return;
    }
    int count = length < 0 ? (int)strlen(text) : (int)length;
    while (count > 0 && (text[count - 1] == '\n' || text[count - 1] == '\0')) {
        count--;
    }
    snprintf(log->text, sizeof log->text, "%.*s", count, text);
    log->recorded = true;
}

static const char *error_name(GLenum error)
{
    switch (error) {
    case GL_INVALID_ENUM: return "GL_INVALID_ENUM";
    case GL_INVALID_VALUE: return "GL_INVALID_VALUE";
    case GL_INVALID_OPERATION: return "GL_INVALID_OPERATION";
    case GL_INVALID_FRAMEBUFFER_OPERATION: return "GL_INVALID_FRAMEBUFFER_OPERATION";
    case GL_OUT_OF_MEMORY: return "GL_OUT_OF_MEMORY";
    case GL_CONTEXT_LOST: return "GL_CONTEXT_LOST";
    default: return "unknown GL error";
    }
}

void gl_error_clear(Device *device)
{
    /* A lost context may report errors forever. */
    for (int i = 0; i < 16 && glGetError() != GL_NO_ERROR; i++) {
    }
    device->debug.recorded = false;
}

void gl_error_start(Device *device)
{
    gl_error_clear(device);
    if (!glDebugMessageCallback) {
        return;
    }
    glEnable(GL_DEBUG_OUTPUT);
    glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
    glDebugMessageCallback(on_message, device);
    glDebugMessageControl(GL_DONT_CARE, GL_DONT_CARE, GL_DONT_CARE, 0, NULL, GL_FALSE);
    glDebugMessageControl(GL_DONT_CARE, GL_DEBUG_TYPE_ERROR, GL_DONT_CARE, 0, NULL, GL_TRUE);
    gl_error_clear(device);
    /* Some drivers send no messages outside debug contexts: cause an error to find out. */
    glEnable(0xFFFFFFFFu);
    device->debug.works = device->debug.recorded;
    gl_error_clear(device);
}

static GLenum reset_status(Device *device)
{
    if (!device->reset_status) {
        return GL_NO_ERROR;
    }
    return glGetGraphicsResetStatus ? glGetGraphicsResetStatus() : glGetGraphicsResetStatusARB();
}

bool gl_error_alive(Device *device)
{
    if (!device->lost && reset_status(device) != GL_NO_ERROR) {
        device->lost = true;
    }
    if (device->lost) {
        return error_set("device \"%s\": the driver reset the GPU and its memory is lost; close every stream "
                         "of this device and open it again",
                         device->info.name);
    }
    return true;
}

bool gl_error_check(Device *device, const char *call)
{
    if (device->debug.works && !device->debug.recorded) {
        return true;
    }
    GLenum error = glGetError();
    if (error == GL_NO_ERROR && !device->debug.recorded) {
        return true;
    }
    char text[sizeof device->debug.text];
    snprintf(text, sizeof text, "%s", device->debug.recorded ? device->debug.text : error_name(error));
    gl_error_clear(device);
    if (error == GL_CONTEXT_LOST) {
        device->lost = true;
    }
    if (!gl_error_alive(device)) {
        return error_prefix("%s", call);
    }
    return error_set("%s: the driver of \"%s\" reports %s", call, device->info.name, text);
}
