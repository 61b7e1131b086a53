#include "linalg/multigrid.h"

#include "gpu/program/shader.h"

enum { CPU_GROUP = 8, GPU_GROUP = 64, MARGIN_GROUP = 64, TAIL_LEAST = 64, TAIL_MOST = 1024 };
/* Rows per invocation. The rows before the first row cost time, but devices of many lanes need many invocations. */
enum { CPU_ROWS = 32, GPU_ROWS = MULTIGRID_LEAST_ROWS };

typedef struct Part {
    const char *name; /* define in the shader */
    int reads, writes;
} Part;

static const Part parts[MULTIGRID_PARTS] = {
    [MULTIGRID_PART_MARGIN] = {"MARGIN", 0, 1}, [MULTIGRID_PART_DOWN] = {"DOWN", 1, 1},
    [MULTIGRID_PART_UP] = {"UP", 3, 1},         [MULTIGRID_PART_STEP] = {"STEP", 3, 3},
    [MULTIGRID_PART_TAIL] = {"TAIL", 3, 1},
};

int multigrid_reads(MultigridPart part)
{
    return parts[part].reads;
}

int multigrid_writes(MultigridPart part)
{
    return parts[part].writes;
}

static uint32_t group_size(MultigridPart part, bool cpu)
{
    return part == MULTIGRID_PART_MARGIN ? MARGIN_GROUP : cpu ? CPU_GROUP : GPU_GROUP;
}

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

static Program *find_program(Device *device, MultigridPart part, bool wide, bool cpu, bool block)
{
    return shader_program_format(device, "multigrid.comp", "#define GROUP %u\n#define ROWS %d\n#define %s\n%s%s%s",
                                 group_size(part, cpu), cpu ? CPU_ROWS : GPU_ROWS, parts[part].name,
                                 wide ? "#define WIDE\n" : "", block ? "#define BLOCK\n" : "",
                                 cpu || part == MULTIGRID_PART_MARGIN ? "" : "#define FOLD\n");
}

static Program *find_tail(Device *device, const uint32_t *params, bool wide)
{
    uint32_t size = params[MULTIGRID_P_TAIL_SIZE], group = TAIL_LEAST;
    while (group < TAIL_MOST && group < size) {
        group *= 2;
    }
    return shader_program_format(device, "multigrid_tail.comp", "#define GROUP %u\n#define OWN %u\n%s", group,
                                 (size + group - 1) / group, wide ? "#define WIDE\n" : "");
}

/* Computes the number of groups along a row and down the grid. */
static void count_groups(MultigridPart part, const uint32_t *params, bool cpu, Dispatch *dispatch)
{
    dispatch->groups[0] = dispatch->groups[1] = dispatch->groups[2] = 1;
    if (part == MULTIGRID_PART_TAIL) {
        return;
    }
    uint64_t width = params[MULTIGRID_P_WIDTH], height = params[MULTIGRID_P_HEIGHT];
    uint64_t lanes = divide_up(width, 4), rows = height;
    if (part == MULTIGRID_PART_MARGIN) {
        lanes = width + height + 2 * params[MULTIGRID_P_AROUND];
        rows = 1; /* one row of groups */
    } else if (part == MULTIGRID_PART_DOWN) {
        lanes = divide_up(params[MULTIGRID_P_COARSE_WIDTH], 4);
        rows = params[MULTIGRID_P_COARSE_HEIGHT];
    }
    dispatch->groups[0] = divide_up(lanes, group_size(part, cpu));
    dispatch->groups[1] = divide_up(rows, cpu ? CPU_ROWS : GPU_ROWS);
}

/* Binds the buffers in the order of the shader's bindings. Returns whether they are read through storage blocks. */
static bool bind(MultigridPart part, const MultigridLaunch *launch, bool cpu, Dispatch *dispatch)
{
    int reads = parts[part].reads, writes = parts[part].writes;
    bool block = !cpu;
    for (int i = 0; i < writes; i++) dispatch->blocks[i].buffer = launch->written[i]->buffer;
    for (int i = 0; i < reads; i++) {
        Buffer *buffer = launch->read[i]->buffer;
        block = block || !buffer_in_texture(buffer, TEXEL_VECTOR);
        dispatch->textures[i] = (DispatchTexture){buffer, TEXEL_VECTOR};
        dispatch->blocks[writes + i].buffer = buffer;
    }
    dispatch->texture_count = block ? 0 : reads;
    dispatch->block_count = block ? writes + reads : writes;
    return block;
}

bool multigrid_launch(MultigridPart part, const MultigridLaunch *launch)
{
    Stream *first = launch->written[0];
    bool cpu = device_traits(first->device)->family == FAMILY_CPU;
    Dispatch dispatch = {.params = launch->params, .param_vectors = MULTIGRID_P_VECTORS};
    count_groups(part, launch->params, cpu, &dispatch);
    bool block = bind(part, launch, cpu, &dispatch);
    bool wide = first->type->scalar == SCALAR_DOUBLE;
    dispatch.program = part == MULTIGRID_PART_TAIL ? find_tail(first->device, launch->params, wide)
                                                   : find_program(first->device, part, wide, cpu, block);
    bool done = dispatch.program && device_dispatch(first->device, &dispatch);
    for (int i = 0; i < parts[part].writes; i++) stream_wrote(launch->written[i]);
    return done;
}
