/* SAXPY and its launch: r = a x + y. */
#include "peer.h"
#include "peers.h"

#include <stdlib.h>

/* One float per invocation, every access through a storage block. */
static const char *NAIVE = "layout(local_size_x = %d) in;\n"
                           "layout(location = 0) uniform float a;\n"
                           "layout(std430, binding = 0) writeonly buffer R { float r[]; };\n"
                           "layout(std430, binding = 1) readonly buffer X { float x[]; };\n"
                           "layout(std430, binding = 2) readonly buffer Y { float y[]; };\n"
                           "void main() {\n"
                           "    uint group = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;\n"
                           "    uint i = group * gl_WorkGroupSize.x + gl_LocalInvocationID.x;\n"
                           "    if (i < uint(r.length())) r[i] = a * x[i] + y[i];\n"
                           "}\n";

/* 16-byte fetches through buffer textures, vec4 stores. A group is one vector of lanes that traverses a contiguous tile of
 * `trips` vec4 per lane: a wide group costs the same per element, but the traversal keeps memory accesses sequential
 * and the cost of starting a group small (0.70 ns per element; one vec4 per invocation in groups of 1024: 0.82). */
static const char *TUNED =
    "layout(local_size_x = 8) in;\n"
    "layout(location = 0) uniform float a;\n"
    "layout(location = 1) uniform int trips;\n"
    "layout(std430, binding = 0) writeonly buffer R { vec4 r[]; };\n"
    "layout(binding = 0) uniform samplerBuffer x;\n"
    "layout(binding = 1) uniform samplerBuffer y;\n"
    "void main() {\n"
    "    int i = int(gl_WorkGroupID.x * gl_WorkGroupSize.x) * trips + int(gl_LocalInvocationID.x);\n"
    "    for (int k = 0; k < trips; k++, i += 8) r[i] = a * texelFetch(x, i) + texelFetch(y, i);\n"
    "}\n";

enum { TRIPS = 256 };

static GLuint x, y, r, x_quads, y_quads, tuned;
static const size_t BYTES = (size_t)PEER_COUNT * 4;

static void create(void)
{
    if (tuned) return;
    float *values = peer_uniform_floats(PEER_COUNT, 1);
    x = peer_buffer(BYTES, values);
    y = peer_buffer(BYTES, values);
    r = peer_buffer(BYTES, NULL);
    free(values);
    x_quads = peer_texture(x, GL_RGBA32F);
    y_quads = peer_texture(y, GL_RGBA32F);
    tuned = peer_program("%s", TUNED);
}

static void run_naive(void *group)
{
    GLuint groups = (GLuint)(PEER_COUNT / *(int *)group), rows = groups > 65535 ? 256 : 1;
    glDispatchCompute(groups / rows, rows, 1);
    glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT | GL_SHADER_STORAGE_BARRIER_BIT);
}

static GLuint naive_program(int group)
{
    static GLuint programs[11];
    int slot = 0;
    while (1 << slot < group && slot < 10) slot++;
    if (1 << slot != group) peer_fail("saxpy_naive: group %d is no power of two up to 1024", group);
    if (!programs[slot]) programs[slot] = peer_program(NAIVE, group);
    return programs[slot];
}

double peer_saxpy_naive(int group, int runs)
{
    create();
    glUseProgram(naive_program(group));
    glUniform1f(0, 2.5f);
    peer_bind_block(0, r, BYTES);
    peer_bind_block(1, x, BYTES);
    peer_bind_block(2, y, BYTES);
    return peer_time(runs, run_naive, &group);
}

/* Makes all calls that a launch needs, since other code may have changed the state. */
static void launch(GLsizeiptr bytes, int trips, GLuint groups)
{
    glUseProgram(tuned);
    glUniform1f(0, 2.5f);
    glUniform1i(1, trips);
    peer_bind_texture(0, x_quads);
    peer_bind_texture(1, y_quads);
    peer_bind_block(0, r, (size_t)bytes);
    glDispatchCompute(groups, 1, 1);
    glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT | GL_SHADER_STORAGE_BARRIER_BIT);
}

static void run_tuned(void *unused)
{
    (void)unused;
    launch((GLsizeiptr)BYTES, TRIPS, PEER_COUNT / 4 / 8 / TRIPS);
}

double peer_saxpy_tuned(int runs)
{
    create();
    return peer_time(runs, run_tuned, NULL);
}

static void run_small(void *unused)
{
    (void)unused;
    launch(PEER_SMALL * 4, PEER_SMALL / 4 / 8, 1);
}

double peer_launch(int runs)
{
    create();
    return peer_time(runs, run_small, NULL);
}
