/* The common part of the peers: a separate OpenGL context, and helpers for raw GL programs. A peer is the program that a
 * careful programmer would write by hand, without rill. Failures end the process with a message, since a benchmark is
 * useless without its peer. */
#ifndef RILL_PEER_H
#define RILL_PEER_H

#include <GL/glew.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes the peers' context current and opens it on first use. peer_leave restores the previous context. */
void peer_enter(void);
void peer_leave(void);

/* A compute program from printf-formatted GLSL; "#version 430" is put in front. */
GLuint peer_program(const char *format, ...) __attribute__((format(printf, 1, 2)));
GLuint peer_buffer(size_t bytes, const void *data);
/* Returns a buffer texture over the whole buffer, of a format such as GL_R32F or GL_RGBA32F. */
GLuint peer_texture(GLuint buffer, GLenum format);
void peer_bind_texture(int unit, GLuint texture);
void peer_bind_block(int binding, GLuint buffer, size_t bytes);
void peer_read(GLuint buffer, size_t offset, size_t bytes, void *data);

/* Return the seconds on the monotonic clock, and the mean seconds of a run of `once` over `runs` runs between two
 * calls of glFinish. */
double peer_clock(void);
double peer_time(int runs, void (*once)(void *), void *context);

/* Returns numbers in [0, 1), the same ones in every run. */
float *peer_uniform_floats(size_t n, uint32_t seed);

void peer_fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

#endif
