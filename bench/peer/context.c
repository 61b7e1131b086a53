#include "peer.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static EGLDisplay display;
static EGLContext context;
static struct {
    EGLDisplay display;
    EGLSurface draw, read;
    EGLContext context;
} outer;

void peer_fail(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fputs("peer: ", stderr);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
    exit(1);
}

static void open_context(void)
{
    PFNEGLGETPLATFORMDISPLAYEXTPROC get =
        (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
    if (!get) peer_fail("EGL has no eglGetPlatformDisplayEXT");
    display = get(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (!display || !eglInitialize(display, NULL, NULL)) peer_fail("no surfaceless EGL display");
    static const EGLint attributes[] = {
        EGL_CONTEXT_MAJOR_VERSION,           4,       EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK,
        EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
    /* The bound API is state of the thread, so the host program's choice is restored. */
    EGLenum api = eglQueryAPI();
    eglBindAPI(EGL_OPENGL_API);
    context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
    if (api != EGL_NONE) eglBindAPI(api);
    if (!context) peer_fail("no OpenGL 4.3 core context");
}

void peer_enter(void)
{
    bool fresh = !context;
    outer.display = eglGetCurrentDisplay();
    outer.context = eglGetCurrentContext();
    outer.draw = eglGetCurrentSurface(EGL_DRAW);
    outer.read = eglGetCurrentSurface(EGL_READ);
    if (fresh) open_context();
    if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) peer_fail("eglMakeCurrent failed");
    if (!fresh) return;
    /* A GLEW built for GLX loads all functions and then reports an error about the display, which is not needed. */
    GLenum result = glewInit();
    if (result != GLEW_OK && result != GLEW_ERROR_NO_GLX_DISPLAY) peer_fail("glewInit: %u", result);
    if (!glDispatchCompute) peer_fail("no compute shaders");
}

void peer_leave(void)
{
    if (outer.context == context) return;
    if (outer.context)
        eglMakeCurrent(outer.display, outer.draw, outer.read, outer.context);
    else
        eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
}

GLuint peer_program(const char *format, ...)
{
    static char text[1 << 16];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    const char *parts[] = {"#version 430\n", text};
    GLuint shader = glCreateShader(GL_COMPUTE_SHADER), program = glCreateProgram();
    glShaderSource(shader, 2, parts, NULL);
    glCompileShader(shader);
    glAttachShader(program, shader);
    glLinkProgram(program);
    glDeleteShader(shader);
    GLint linked = 0;
    glGetProgramiv(program, GL_LINK_STATUS, &linked);
    if (linked) return program;
    char log[4096] = "";
    glGetShaderInfoLog(shader, sizeof log, NULL, log);
    if (!log[0]) glGetProgramInfoLog(program, sizeof log, NULL, log);
    peer_fail("%s\n%s", log, text);
}

GLuint peer_buffer(size_t bytes, const void *data)
{
    GLuint buffer;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, buffer);
    glBufferData(GL_SHADER_STORAGE_BUFFER, (GLsizeiptr)bytes, data, GL_DYNAMIC_COPY);
    if (!data) glClearBufferData(GL_SHADER_STORAGE_BUFFER, GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, NULL);
    return buffer;
}

GLuint peer_texture(GLuint buffer, GLenum format)
{
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_BUFFER, texture);
    glTexBuffer(GL_TEXTURE_BUFFER, format, buffer);
    return texture;
}

void peer_bind_texture(int unit, GLuint texture)
{
    glActiveTexture(GL_TEXTURE0 + (GLenum)unit);
    glBindTexture(GL_TEXTURE_BUFFER, texture);
}

void peer_bind_block(int binding, GLuint buffer, size_t bytes)
{
    glBindBufferRange(GL_SHADER_STORAGE_BUFFER, (GLuint)binding, buffer, 0, (GLsizeiptr)bytes);
}

void peer_read(GLuint buffer, size_t offset, size_t bytes, void *data)
{
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, buffer);
    glGetBufferSubData(GL_SHADER_STORAGE_BUFFER, (GLintptr)offset, (GLsizeiptr)bytes, data);
}

double peer_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double peer_time(int runs, void (*once)(void *), void *data)
{
    glFinish();
    double start = peer_clock();
    for (int i = 0; i < runs; i++) once(data);
    glFinish();
    return (peer_clock() - start) / runs;
}

float *peer_uniform_floats(size_t n, uint32_t seed)
{
    float *x = malloc(n * sizeof *x);
    if (!x) peer_fail("out of memory");
    uint32_t state = seed * 2654435761u + 1u;
    for (size_t i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        x[i] = (float)(state >> 8) * 0x1p-24f;
    }
    return x;
}
