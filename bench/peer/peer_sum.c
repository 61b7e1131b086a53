/* Sum of floats. */
#include "peer.h"
#include "peers.h"

#include <stdlib.h>

/* Every lane folds a contiguous run, 16 floats per trip summed pairwise and added with compensation of the rounding error
 * (two-sum: Knuth, TAOCP 2, 4.2.2), so that the result is accurate to the last bits in any order. */
static const char *FOLD = "layout(local_size_x = 16) in;\n"
                          "layout(location = 0) uniform int run;\n"
                          "layout(location = 1) uniform int count;\n"
                          "layout(binding = 0) uniform samplerBuffer x;\n"
                          "layout(std430, binding = 0) writeonly buffer Partial { vec2 partial[]; };\n"
                          "float texel(int i) {\n"
                          "    vec4 v = texelFetch(x, i);\n"
                          "    precise float q = (v.x + v.y) + (v.z + v.w);\n"
                          "    return q;\n"
                          "}\n"
                          "void main() {\n"
                          "    int lane = int(gl_GlobalInvocationID.x), i = lane * run, end = min(i + run, count);\n"
                          "    precise float sum = 0.0, error = 0.0;\n"
                          "    for (; i < end; i += 4) {\n"
                          "        precise float next = (texel(i) + texel(i + 1)) + (texel(i + 2) + texel(i + 3));\n"
                          "        precise float total = sum + next;\n"
                          "        precise float part = total - sum;\n"
                          "        error += (sum - (total - part)) + (next - part);\n"
                          "        sum = total;\n"
                          "    }\n"
                          "    partial[lane] = vec2(sum, error);\n"
                          "}\n";

static const char *FINISH = "layout(local_size_x = 1) in;\n"
                            "layout(location = 0) uniform int lanes;\n"
                            "layout(binding = 0) uniform samplerBuffer partial;\n"
                            "layout(std430, binding = 0) writeonly buffer Result { float result[]; };\n"
                            "void main() {\n"
                            "    precise float sum = 0.0, error = 0.0;\n"
                            "    for (int i = 0; i < lanes; i++) {\n"
                            "        vec2 next = texelFetch(partial, i).xy;\n"
                            "        precise float total = sum + next.x;\n"
                            "        precise float part = total - sum;\n"
                            "        error += (sum - (total - part)) + (next.x - part) + next.y;\n"
                            "        sum = total;\n"
                            "    }\n"
                            "    result[0] = sum + error;\n"
                            "}\n";

/* Texels per lane: about 2,048 lanes, and not a power of two, so that the lanes' runs do not map to the same cache sets. */
enum { TEXELS = PEER_COUNT / 4, RUN = TEXELS / 2048 + 4, LANES = (TEXELS + RUN - 1) / RUN, GROUP = 16 };

static float *values;
static GLuint x_quads, partial, partial_pairs, result, fold, finish;

static void create(void)
{
    if (!values) values = peer_uniform_floats(PEER_COUNT, 3);
}

static void create_programs(void)
{
    create();
    if (fold) return;
    x_quads = peer_texture(peer_buffer((size_t)PEER_COUNT * 4, values), GL_RGBA32F);
    partial = peer_buffer(LANES * 8, NULL);
    partial_pairs = peer_texture(partial, GL_RG32F);
    result = peer_buffer(16, NULL);
    fold = peer_program("%s", FOLD);
    finish = peer_program("%s", FINISH);
}

double peer_sum_c(int runs, float *sum)
{
    create();
    double start = peer_clock();
    for (int k = 0; k < runs; k++) {
        float total = 0;
        for (size_t i = 0; i < PEER_COUNT; i++) total += values[i];
        *sum = total;
        /* Each run is executed, not only the last. */
        __asm__ volatile("" : : "r"(sum) : "memory");
    }
    return (peer_clock() - start) / runs;
}

static void run_tuned(void *sum)
{
    glUseProgram(fold);
    glUniform1i(0, RUN);
    glUniform1i(1, TEXELS);
    peer_bind_texture(0, x_quads);
    peer_bind_block(0, partial, LANES * 8);
    glDispatchCompute((LANES + GROUP - 1) / GROUP, 1, 1);
    glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT | GL_SHADER_STORAGE_BARRIER_BIT);
    glUseProgram(finish);
    glUniform1i(0, LANES);
    peer_bind_texture(0, partial_pairs);
    peer_bind_block(0, result, 16);
    glDispatchCompute(1, 1, 1);
    peer_read(result, 0, sizeof(float), sum);
}

double peer_sum_tuned(int runs, float *sum)
{
    create_programs();
    return peer_time(runs, run_tuned, sum);
}
