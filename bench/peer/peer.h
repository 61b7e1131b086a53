/* What the peers of the benches share: an OpenGL context of their own, and the few lines every raw-GL program
 * needs. A peer is what a careful programmer would write by hand, without rill. Failures end the process with a
 * message: a bench without its peer has nothing to say. */
#ifndef RILL_PEER_H
#define RILL_PEER_H

#include <GL/glew.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes the peers' context current, opening it on first use; leave restores what was current before. */
void peer_enter(void);
void peer_leave(void);

/* A compute program from printf-formatted GLSL; "#version 430" is put in front. */
GLuint peer_program(const char *format, ...) __attribute__((format(printf, 1, 2)));
GLuint peer_buffer(size_t bytes, const void *data);
/* A buffer texture over the whole buffer: GL_R32F, GL_RGBA32F, ... */
GLuint peer_texture(GLuint buffer, GLenum format);
void peer_bind_texture(int unit, GLuint texture);
void peer_bind_block(int binding, GLuint buffer, size_t bytes);
void peer_read(GLuint buffer, size_t offset, size_t bytes, void *data);

/* Seconds on the monotonic clock, and the seconds one run of `once` takes: the mean over `runs` between two
 * glFinish. */
double peer_clock(void);
double peer_time(int runs, void (*once)(void *), void *context);

/* Numbers in [0, 1), the same on every run. */
float *peer_uniform_floats(size_t n, uint32_t seed);

void peer_fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

#endif
