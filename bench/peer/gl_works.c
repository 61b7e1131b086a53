/* Workloads in raw OpenGL: hand-written programs of a benchmark, run in passes over separate buffers. */
#include "peer.h"
#include "works.h"

#include <string.h>

enum { MOST_WORKS = 256 };

typedef struct GlWork {
    int program_count, buffer_count, pass_count;
    GLuint programs[WORK_PASSES], buffers[WORK_BUFFERS], textures[WORK_PASSES][WORK_BUFFERS];
    size_t bytes[WORK_BUFFERS];
    WorkPass passes[WORK_PASSES];
} GlWork;

static GlWork works[MOST_WORKS];
static int count;

int peer_gl_work(int program_count, const char *const *programs, int buffer_count, const WorkBuffer *buffers,
                 int pass_count, const WorkPass *passes)
{
    if (count == MOST_WORKS) peer_fail("more than %d works", MOST_WORKS);
    GlWork *w = &works[count];
    *w = (GlWork){.program_count = program_count, .buffer_count = buffer_count, .pass_count = pass_count};
    for (int i = 0; i < program_count; i++) w->programs[i] = peer_program("%s", programs[i]);
    for (int i = 0; i < buffer_count; i++) {
        w->bytes[i] = buffers[i].bytes;
        w->buffers[i] = peer_buffer(buffers[i].bytes, buffers[i].data);
    }
    memcpy(w->passes, passes, (size_t)pass_count * sizeof *passes);
    static const GLenum formats[] = {0, GL_R32F, GL_RG32F, 0, GL_RGBA32F};
    for (int p = 0; p < pass_count; p++) {
        for (int i = 0; i < WORK_BUFFERS; i++) {
            int b = passes[p].textures[i];
            if (b >= 0) w->textures[p][i] = peer_texture(w->buffers[b], formats[passes[p].texels[i]]);
        }
    }
    return count++;
}

static GlWork *work_of(int number)
{
    if (number < 0 || number >= count || !works[number].program_count) peer_fail("no work has the number %d", number);
    return &works[number];
}

/* Makes all calls that a launch needs, since other code may have changed the state. */
static void run(void *data)
{
    const GlWork *w = data;
    for (int p = 0; p < w->pass_count; p++) {
        const WorkPass *pass = &w->passes[p];
        glUseProgram(w->programs[pass->program]);
        for (int i = 0; i < pass->number_count; i++) {
            if (pass->numbers[i].is_int)
                glUniform1i(i, (GLint)pass->numbers[i].value);
            else
                glUniform1f(i, (GLfloat)pass->numbers[i].value);
        }
        for (int i = 0; i < WORK_BUFFERS; i++) {
            if (pass->textures[i] >= 0) peer_bind_texture(i, w->textures[p][i]);
            if (pass->blocks[i] >= 0) peer_bind_block(i, w->buffers[pass->blocks[i]], w->bytes[pass->blocks[i]]);
        }
        glDispatchCompute((GLuint)pass->groups[0], (GLuint)pass->groups[1], 1);
        glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT | GL_SHADER_STORAGE_BARRIER_BIT);
    }
}

double peer_gl_run(int number, int runs)
{
    return peer_time(runs, run, work_of(number));
}

size_t peer_gl_read(int number, int buffer, void *values)
{
    const GlWork *w = work_of(number);
    if (buffer < 0 || buffer >= w->buffer_count) peer_fail("work %d has no buffer %d", number, buffer);
    if (values) peer_read(w->buffers[buffer], 0, w->bytes[buffer], values);
    return w->bytes[buffer];
}

void peer_gl_close(int number)
{
    GlWork *w = work_of(number);
    for (int p = 0; p < w->pass_count; p++) glDeleteTextures(WORK_BUFFERS, w->textures[p]);
    glDeleteBuffers(w->buffer_count, w->buffers);
    for (int i = 0; i < w->program_count; i++) glDeleteProgram(w->programs[i]);
    *w = (GlWork){0};
}
