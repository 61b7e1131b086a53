/* A 5-point Jacobi step: r = (left + right + above + below) / 4, clamped at the edges. */
#include "peer.h"
#include "peers.h"

#include <stdbool.h>
#include <stdlib.h>

static const char *NAIVE = "layout(local_size_x = %d, local_size_y = %d) in;\n"
                           "layout(location = 0) uniform int w;\n"
                           "layout(location = 1) uniform int h;\n"
                           "layout(std430, binding = 0) writeonly buffer R { float r[]; };\n"
                           "layout(std430, binding = 1) readonly buffer X { float x[]; };\n"
                           "void main() {\n"
                           "    int i = int(gl_GlobalInvocationID.x), j = int(gl_GlobalInvocationID.y);\n"
                           "    r[j * w + i] = 0.25 * (x[j * w + max(i - 1, 0)] + x[j * w + min(i + 1, w - 1)]\n"
                           "                         + x[max(j - 1, 0) * w + i] + x[min(j + 1, h - 1) * w + i]);\n"
                           "}\n";

/* Four elements per invocation as one texel, marching down 16 rows: a row is fetched once and used three times. */
static const char *TUNED =
    "layout(local_size_x = 128) in;\n"
    "layout(location = 0) uniform int w;\n"
    "layout(location = 1) uniform int h;\n"
    "layout(std430, binding = 0) writeonly buffer R { vec4 r[]; };\n"
    "layout(binding = 0) uniform samplerBuffer x;\n"
    "const int ROWS = 16;\n"
    "void main() {\n"
    "    int texels = w >> 2, i = int(gl_GlobalInvocationID.x), j = int(gl_GlobalInvocationID.y) * ROWS;\n"
    "    vec4 above = texelFetch(x, max(j - 1, 0) * texels + i), here = texelFetch(x, j * texels + i);\n"
    "    for (int k = 0; k < ROWS; k++, j++) {\n"
    "        int at = j * texels + i;\n"
    "        vec4 below = texelFetch(x, min(j + 1, h - 1) * texels + i);\n"
    "        float left = i > 0 ? texelFetch(x, at - 1).w : here.x;\n"
    "        float right = i < texels - 1 ? texelFetch(x, at + 1).x : here.w;\n"
    "        r[at] = 0.25 * (vec4(left, here.xyz) + vec4(here.yzw, right) + above + below);\n"
    "        above = here; here = below;\n"
    "    }\n"
    "}\n";

enum { TUNED_GROUP = 128, TUNED_ROWS = 16, SHAPES = 16 };

static const size_t BYTES = (size_t)PEER_GRID * PEER_GRID * 4;
static GLuint grid[2], quads[2], tuned;
static int now;

static void create(void)
{
    if (tuned) return;
    float *values = peer_uniform_floats((size_t)PEER_GRID * PEER_GRID, 4);
    for (int i = 0; i < 2; i++) {
        grid[i] = peer_buffer(BYTES, values);
        quads[i] = peer_texture(grid[i], GL_RGBA32F);
    }
    free(values);
    tuned = peer_program("%s", TUNED);
}

static GLuint naive_program(int width, int height)
{
    static struct {
        int width, height;
        GLuint program;
    } made[SHAPES];
    int i = 0;
    while (i < SHAPES && made[i].program && (made[i].width != width || made[i].height != height)) i++;
    if (i == SHAPES) peer_fail("jacobi_naive: more than %d group shapes", SHAPES);
    if (!made[i].program) {
        made[i].width = width;
        made[i].height = height;
        made[i].program = peer_program(NAIVE, width, height);
    }
    return made[i].program;
}

typedef struct Grid {
    GLuint program, groups_x, groups_y;
} Grid;

static void run(void *data)
{
    const Grid *step = data;
    glUseProgram(step->program);
    glUniform1i(0, PEER_GRID);
    glUniform1i(1, PEER_GRID);
    peer_bind_texture(0, quads[now]);
    peer_bind_block(1, grid[now], BYTES);
    peer_bind_block(0, grid[!now], BYTES);
    glDispatchCompute(step->groups_x, step->groups_y, 1);
    glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT | GL_SHADER_STORAGE_BARRIER_BIT);
    now = !now;
}

double peer_jacobi_naive(int width, int height, int runs)
{
    create();
    if (width < 1 || height < 1 || PEER_GRID % width || PEER_GRID % height)
        peer_fail("jacobi_naive: a group of %d x %d does not divide the grid", width, height);
    Grid step = {naive_program(width, height), (GLuint)(PEER_GRID / width), (GLuint)(PEER_GRID / height)};
    return peer_time(runs, run, &step);
}

double peer_jacobi_tuned(int runs)
{
    create();
    Grid step = {tuned, PEER_GRID / 4 / TUNED_GROUP, PEER_GRID / TUNED_ROWS};
    return peer_time(runs, run, &step);
}
