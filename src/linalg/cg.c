#include "linalg/cg.h"

#include "base/strbuf.h"
#include "gpu/program/shader.h"
#include "shared/cg_words.h"

#include <string.h>

enum {
    CPU_GROUP = 8,
    GPU_GROUP = 256,
    FUSED_TEXELS = 2048, /* up to which one group does it all */
    CPU_TRIPS = 64,      /* of a lane at least, before there are more groups */
    GPU_TRIPS = 4,
    CPU_GROUPS = 32,
    GPU_GROUPS = 128,
    MOST_TRIPS = 16384,
};

static int64_t divide_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static bool is_wide(const CgVectors *v)
{
    return v->x->type->scalar == SCALAR_DOUBLE;
}

/* How many groups share the texels out. */
static int64_t group_count(int64_t texels, bool cpu)
{
    int64_t group = cpu ? CPU_GROUP : GPU_GROUP, most = cpu ? CPU_GROUPS : GPU_GROUPS;
    int64_t groups = divide_up(texels, group * (cpu ? CPU_TRIPS : GPU_TRIPS));
    groups = groups < most ? groups : most;
    int64_t least = divide_up(texels, group * MOST_TRIPS);
    return groups > least ? groups : least;
}

static Program *find_program(const CgVectors *v, bool cpu, bool block, bool fused)
{
    StrBuf defines = STRBUF_EMPTY;
    strbuf_addf(&defines, "#define GROUP %d\n#define %s\n%s%s%s", cpu ? CPU_GROUP : GPU_GROUP,
                !v->z       ? "PLAIN"
                : v->jacobi ? "JACOBI"
                            : "GIVEN",
                is_wide(v) ? "#define WIDE\n" : "", block ? "#define BLOCK\n" : "", fused ? "#define FUSED\n" : "");
    Program *program = shader_program(v->x->device, "cg.comp", strbuf_text(&defines));
    strbuf_free(&defines);
    return program;
}

/* Buffers in the order of the shader's bindings; whether they are read through storage blocks. */
static bool bind(const CgVectors *v, const Stream *state, bool cpu, Dispatch *dispatch)
{
    const Stream *read[] = {v->x, v->r, v->p, v->q, v->z ? v->z : v->r};
    const Stream *stored[] = {v->x, v->r, v->p, state, v->best, v->q, v->z ? v->z : v->r};
    bool block = !cpu || !device_traits(v->x->device)->tuning[TUNING_BUFFER_TEXTURES];
    for (int i = 0; i < 5; i++) {
        block = block || !buffer_texture_reaches(read[i]->device, TEXEL_VECTOR, buffer_capacity(read[i]->buffer));
        dispatch->textures[i] = (DispatchTexture){read[i]->buffer, TEXEL_VECTOR};
    }
    dispatch->texture_count = block ? 0 : 5;
    dispatch->block_count = block ? 7 : 5;
    for (int i = 0; i < dispatch->block_count; i++) {
        dispatch->blocks[i].buffer = stored[i]->buffer;
    }
    return block;
}

bool cg_advance(const CgVectors *v, Stream *state, int phases, double least)
{
    Device *device = v->x->device;
    bool cpu = device_traits(device)->family == FAMILY_CPU;
    int64_t texels = divide_up(stream_elements(v->x), is_wide(v) ? 2 : 4);
    bool fused = texels <= FUSED_TEXELS;
    int64_t groups = fused ? 1 : group_count(texels, cpu);
    uint32_t params[4 * CG_P_VECTORS] = {[CG_P_TEXELS] = (uint32_t)texels,
                                         [CG_P_CHUNK] = (uint32_t)divide_up(texels, groups),
                                         [CG_P_GROUPS] = (uint32_t)groups};
    memcpy(params + CG_P_LEAST, &least, sizeof least);
    Dispatch dispatch = {.params = params, .param_vectors = CG_P_VECTORS, .groups = {(uint64_t)groups, 1, 1}};
    bool block = bind(v, state, cpu, &dispatch);
    dispatch.program = find_program(v, cpu, block, fused);
    bool done = dispatch.program != NULL;
    for (int phase = CG_DOT; done && phase <= CG_RESTORE; phase = fused ? CG_RESTORE + 1 : 2 * phase) {
        params[CG_P_PHASES] = (uint32_t)(fused ? phases : phases & phase);
        done = !params[CG_P_PHASES] || device_dispatch(device, &dispatch);
    }
    stream_wrote(v->x);
    stream_wrote(v->r);
    stream_wrote(v->p);
    stream_wrote(v->best);
    stream_wrote(state);
    return done;
}
