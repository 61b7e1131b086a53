/* Hand-written compute programs of a benchmark, with its inputs. */
#include "peer.h"
#include "peers.h"

enum { MOST_SHADERS = 64 };

typedef struct Shader {
    GLuint program, textures[PEER_SHADER_INPUTS], buffers[PEER_SHADER_INPUTS], result;
    GLuint groups;
    int inputs;
    size_t bytes;
} Shader;

static Shader shaders[MOST_SHADERS];
static int count;

int peer_shader(const char *glsl, int groups, size_t bytes, int inputs, const PeerShaderInput *given)
{
    int number = 0;
    while (number < count && shaders[number].program) number++;
    if (number == MOST_SHADERS) peer_fail("more than %d shaders", MOST_SHADERS);
    Shader *s = &shaders[number];
    count = number == count ? count + 1 : count;
    *s = (Shader){.groups = (GLuint)groups, .inputs = inputs, .bytes = bytes};
    s->program = peer_program("%s", glsl);
    s->result = peer_buffer(bytes, NULL);
    for (int i = 0; i < inputs; i++) {
        s->buffers[i] = peer_buffer(given[i].bytes, given[i].data);
        s->textures[i] = peer_texture(s->buffers[i], given[i].quads ? GL_RGBA32UI : GL_R32UI);
    }
    return number;
}

static void launch(void *data)
{
    const Shader *s = data;
    glUseProgram(s->program);
    for (int i = 0; i < s->inputs; i++) peer_bind_texture(i, s->textures[i]);
    peer_bind_block(0, s->result, s->bytes);
    glDispatchCompute(s->groups, 1, 1);
    glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT | GL_SHADER_STORAGE_BARRIER_BIT);
}

static Shader *shader_of(int number)
{
    if (number < 0 || number >= count) peer_fail("no shader has the number %d", number);
    return &shaders[number];
}

double peer_shader_run(int number, int runs)
{
    return peer_time(runs, launch, shader_of(number));
}

size_t peer_shader_read(int number, void *values)
{
    const Shader *s = shader_of(number);
    if (values) peer_read(s->result, 0, s->bytes, values);
    return s->bytes;
}

void peer_shader_close(int number)
{
    Shader *s = shader_of(number);
    glDeleteTextures(s->inputs, s->textures);
    glDeleteBuffers(s->inputs, s->buffers);
    glDeleteBuffers(1, &s->result);
    glDeleteProgram(s->program);
    *s = (Shader){0};
}
