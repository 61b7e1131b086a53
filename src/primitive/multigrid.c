#include "primitive/multigrid.h"

#include "base/strbuf.h"
#include "gpu/shader.h"

#include <string.h>

enum { CPU_GROUP = 8, GPU_GROUP = 64 };

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

static Program *find_program(Device *device, MultigridPart part, uint32_t group, bool block)
{
    static const char *const names[] = {
        [MULTIGRID_PART_MARGIN] = "MARGIN", [MULTIGRID_PART_DOWN] = "DOWN", [MULTIGRID_PART_UP] = "UP"};
    StrBuf defines = STRBUF_EMPTY;
    strbuf_addf(&defines, "#define GROUP %u\n#define %s\n%s", group, names[part], block ? "#define BLOCK\n" : "");
    Program *program = shader_program(device, "multigrid.comp", strbuf_text(&defines));
    strbuf_free(&defines);
    return program;
}

/* How many groups there are along a row and down the grid. */
static void count_groups(MultigridPart part, const uint32_t *params, uint32_t group, Dispatch *dispatch)
{
    uint64_t width = params[MULTIGRID_P_WIDTH], height = params[MULTIGRID_P_HEIGHT], rows = MULTIGRID_UP_ROWS;
    uint64_t lanes = divide_up(width, 4);
    if (part == MULTIGRID_PART_MARGIN) {
        lanes = 2 * MULTIGRID_REACH * (width + height + 2 * MULTIGRID_REACH);
        rows = height;
    } else if (part == MULTIGRID_PART_DOWN) {
        lanes = divide_up(params[MULTIGRID_P_COARSE_WIDTH], 4);
        height = params[MULTIGRID_P_COARSE_HEIGHT];
        rows = MULTIGRID_DOWN_ROWS;
    }
    dispatch->groups[0] = divide_up(lanes, group);
    dispatch->groups[1] = divide_up(height, rows);
    dispatch->groups[2] = 1;
}

/* Buffers in the order of the shader's bindings; whether they are read through storage blocks. */
static bool bind(const Stream *b, const Stream *e, const Stream *result, bool cpu, Dispatch *dispatch)
{
    const Stream *read[] = {b, e};
    bool block = !cpu || !device_traits(result->device)->buffer_textures;
    int count = !b ? 0 : !e ? 1 : 2;
    dispatch->blocks[0].buffer = result->buffer;
    for (int i = 0; i < count; i++) {
        TexelFormat format = i == 0 ? TEXEL_VECTOR : TEXEL_WORD;
        block = block || !buffer_texture_reaches(result->device, format, buffer_capacity(read[i]->buffer));
        dispatch->textures[i] = (DispatchTexture){read[i]->buffer, format};
        dispatch->blocks[1 + i].buffer = read[i]->buffer;
    }
    dispatch->texture_count = block ? 0 : count;
    dispatch->block_count = block ? 1 + count : 1;
    return block;
}

bool multigrid_launch(MultigridPart part, const uint32_t params[4 * MULTIGRID_P_VECTORS], const Stream *b,
                      const Stream *e, Stream *result)
{
    Device *device = result->device;
    bool cpu = device_traits(device)->family == FAMILY_CPU;
    uint32_t group = cpu ? CPU_GROUP : GPU_GROUP;
    uint32_t words[4 * MULTIGRID_P_VECTORS];
    memcpy(words, params, sizeof words);
    Dispatch dispatch = {.params = words, .param_vectors = MULTIGRID_P_VECTORS};
    count_groups(part, words, group, &dispatch);
    bool block = bind(b, e, result, cpu, &dispatch);
    dispatch.program = find_program(device, part, group, block);
    bool done = dispatch.program && device_dispatch(device, &dispatch);
    stream_wrote(result);
    return done;
}
