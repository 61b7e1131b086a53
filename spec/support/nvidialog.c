/* Simulates the error format of NVIDIA's GLSL compiler, which has no columns: preloaded between OpenGL and rill,
 * like glcount.c. */
#include "interpose.h"

#include <stdio.h>
#include <stdlib.h>

static PFNGLGETSHADERINFOLOGPROC real_log;

/* Converts one line of Mesa's log, "0:12(5): error: `y' undeclared", to NVIDIA's format. */
static void reword(char *out, size_t room, const char *line)
{
    int row = 0, used = 0;
    char name[256];
    if (sscanf(line, "0:%d(%*d): error: `%255[^']' undeclared%n", &row, name, &used) == 2 && used) {
        snprintf(out, room, "0(%d) : error C1503: undefined variable \"%s\"", row, name);
    } else if (sscanf(line, "0:%d(%*d): error: no matching function for call to `%255[^']'%n", &row, name, &used) == 2 && used) {
        snprintf(out, room, "0(%d) : error C1115: unable to find compatible overloaded function \"%s\"", row, name);
    } else {
        snprintf(out, room, "%s", line);
    }
}

static void get_log(GLuint shader, GLsizei size, GLsizei *length, GLchar *log)
{
    real_log(shader, size, length, log);
    char *copy = strdup(log), line[1024];
    size_t at = 0, room = (size_t)size;
    for (char *p = strtok(copy, "\n"); p && at + 1 < room; p = strtok(NULL, "\n")) {
        reword(line, sizeof line, p);
        at += (size_t)snprintf(log + at, room - at, "%s\n", line);
    }
    free(copy);
}

static PFNGLGETSHADERIVPROC real_get;

/* NVIDIA's text is longer. */
static void get(GLuint shader, GLenum name, GLint *value)
{
    real_get(shader, name, value);
    if (name == GL_INFO_LOG_LENGTH) *value += 4096;
}

static Address interpose_wrap(const char *name, Address address)
{
    if (address && strcmp(name, "glGetShaderInfoLog") == 0) {
        real_log = (PFNGLGETSHADERINFOLOGPROC)address;
        return (Address)get_log;
    }
    if (address && strcmp(name, "glGetShaderiv") == 0) {
        real_get = (PFNGLGETSHADERIVPROC)address;
        return (Address)get;
    }
    return address;
}
