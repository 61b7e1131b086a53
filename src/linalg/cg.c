#include "linalg/cg.h"

#include "base/round.h"
#include "base/strbuf.h"
#include "gpu/program/shader.h"
#include "kernel/launch/copy.h"
#include "shared/cg_group_words.h"
#include "shared/cg_words.h"
#include "shared/spmv_words.h"

#include <float.h>
#include <string.h>

enum {
    CPU_GROUP = 8,
    GPU_GROUP = 256,
    FUSED_TEXELS = 2048, /* largest number of texels for which one work group runs all phases */
    CPU_TRIPS = 64,      /* least trips per lane before there are more groups */
    GPU_TRIPS = 4,
    CPU_GROUPS = 32,
    GPU_GROUPS = 128,
    MOST_TRIPS = 16384,
};

static bool is_double(const Stream *s)
{
    return s->type->scalar == SCALAR_DOUBLE;
}

/* Returns the number of groups that divide the texels. */
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
    const char *preconditioner = !v->z ? "PLAIN" : v->jacobi ? "JACOBI" : "GIVEN";
    return shader_program_format(v->x->device, "cg.comp", "#define GROUP %d\n#define %s\n%s%s%s",
                                 cpu ? CPU_GROUP : GPU_GROUP, preconditioner, is_double(v->x) ? "#define WIDE\n" : "",
                                 block ? "#define BLOCK\n" : "", fused ? "#define FUSED\n" : "");
}

/* Binds the buffers in the order of the shader's bindings. Returns whether they are read through storage blocks. */
static bool bind(const CgVectors *v, const Stream *state, bool cpu, Dispatch *dispatch)
{
    const Stream *read[] = {v->x, v->r, v->p, v->q, v->z ? v->z : v->r};
    const Stream *stored[] = {v->x, v->r, v->p, state, v->best, v->q, v->z ? v->z : v->r};
    bool block = !cpu;
    for (int i = 0; i < 5; i++) {
        block = block || !buffer_in_texture(read[i]->buffer, TEXEL_VECTOR);
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
    int64_t texels = divide_up(stream_elements(v->x), is_double(v->x) ? 2 : 4);
    bool fused = texels <= FUSED_TEXELS;
    int64_t groups = fused ? 1 : group_count(texels, cpu);
    uint32_t params[4 * CG_P_VECTORS] = {[CG_P_TEXELS] = (uint32_t)texels,
                                         [CG_P_CHUNK] = (uint32_t)divide_up(texels, groups),
                                         [CG_P_GROUPS] = (uint32_t)groups,
                                         [CG_P_DOTS] = (uint32_t)(v->dots ? v->dots : groups)};
    memcpy(params + CG_P_LEAST, &least, sizeof least);
    Dispatch dispatch = {.params = params, .param_vectors = CG_P_VECTORS, .groups = {(uint64_t)groups, 1, 1}};
    bool block = bind(v, state, cpu, &dispatch);
    dispatch.program = find_program(v, cpu, block, fused);
    bool done = dispatch.program != NULL;
    for (int phase = CG_DOT; done && phase <= CG_RESTORE; phase = fused ? CG_RESTORE + 1 : 2 * phase) {
        int now = fused ? phases : phases & phase;
        params[CG_P_PHASES] = (uint32_t)(now | (phases & CG_RELATIVE));
        done = !now || device_dispatch(device, &dispatch);
    }
    stream_wrote(v->x);
    stream_wrote(v->r);
    stream_wrote(v->p);
    stream_wrote(v->best);
    stream_wrote(state);
    return done;
}

/* ---- whole iterations in one work group ---- */

enum {
    ONE_GROUP_CPU = 8, /* one vector register: barriers cost almost nothing */
    ONE_GROUP_GPU = 1024,
    BLOCKS = 4, /* storage blocks; and buffers that are textures, or storage blocks without buffer textures */
    READS = 4,
    TILE_COST = 5,   /* cost of a tile, in quarters of the cost of the entries of one of its columns */
    TRIPS = 1 << 18, /* trips of a launch without a limit on loops: some milliseconds */
    SPARED = 40960,  /* saved time per iteration, in entries: three launches of 15 us, at 1.1 ns per entry */
};

/* Returns the number of invocations, a power of two. */
static int group_size(const Device *device)
{
    int group = device_traits(device)->family == FAMILY_CPU ? ONE_GROUP_CPU : ONE_GROUP_GPU;
    while (group > 8 && (uint32_t)group > device_limits(device)->group_size) {
        group /= 2;
    }
    return group;
}

static bool by_blocks(const Device *device)
{
    return !device_traits(device)->tuning[TUNING_BUFFER_TEXTURES];
}

int64_t cg_group_room(int64_t rows, bool wide)
{
    int64_t padded = divide_up(rows, SPMV_SLICE) * SPMV_SLICE;
    return CG_GROUP_KEPT + padded * 4 + padded * 6 / (wide ? 1 : 2);
}

int cg_group_steps(const Device *device, int64_t rows, int64_t places, int64_t entries, bool tiled)
{
    const DeviceTraits *traits = device_traits(device);
    int64_t budget = traits->loop_limit ? traits->loop_limit / 8 * 7 : TRIPS, cost = places * SPMV_SLICE;
    /* Trips of an invocation, once and per iteration: over its slots (at most all slots), over quads, and in the
     * group's sums. */
    int64_t passes = divide_up(rows, SPMV_SLICE),
            sum = group_size(device) > 32 ? group_size(device) / 32 + 32 : ONE_GROUP_CPU;
    int64_t once = places + 16 * passes + 3 * sum + 16, each = places + 5 * passes + 2 * sum + 8;
    int64_t steps = (budget - once) / each;
    cost = tiled ? cost * TILE_COST / 4 : cost;
    bool pays = rows > 0 && cost <= entries / 2 + SPARED && (!tiled || cost <= entries) && steps > 0;
    bool can = device_limits(device)->storage_blocks >= BLOCKS + (by_blocks(device) ? READS : 0) &&
               (by_blocks(device) || device_limits(device)->texture_units >= READS);
    return !pays || !can ? 0 : steps < CG_GROUP_MOST_STEPS ? (int)steps : CG_GROUP_MOST_STEPS;
}

static Program *find_group_program(const CgGroup *g, bool block)
{
    return shader_program_format(
        g->x->device, "cg_group.comp", "#define GROUP %d\n%s%s%s%s%s%s%s%s", group_size(g->x->device),
        g->wide ? "#define WIDE\n" : "", is_double(g->values) ? "#define VALUE_DOUBLE\n" : "",
        is_double(g->wide_values) ? "#define WIDE_VALUE_DOUBLE\n" : "", is_double(g->x) ? "#define X_DOUBLE\n" : "",
        is_double(g->b) ? "#define B_DOUBLE\n" : "", g->m ? "#define JACOBI\n" : "", g->tiled ? "#define TILED\n" : "",
        block ? "#define BLOCK\n" : "");
}

static uint32_t first_word(const Stream *s)
{
    return (uint32_t)(s->offset * (s->type->bytes / 4));
}

static void fill_group(const CgGroup *g, const CgGroupStep *step, uint32_t *params)
{
    params[CG_GROUP_P_ROWS] = (uint32_t)stream_elements(g->x);
    params[CG_GROUP_P_SLICES] = (uint32_t)divide_up(stream_elements(g->x), SPMV_SLICE);
    params[CG_GROUP_P_PHASES] = (uint32_t)step->phases;
    params[CG_GROUP_P_STEPS] = (uint32_t)step->steps;
    params[CG_GROUP_P_MOST] = (uint32_t)step->most;
    params[CG_GROUP_P_X] = first_word(g->x);
    params[CG_GROUP_P_B] = first_word(g->b);
    params[CG_GROUP_P_M] = g->m ? first_word(g->m) : 0;
    params[CG_GROUP_P_BEGINS] = first_word(g->begins);
    params[CG_GROUP_P_COLUMNS] = first_word(g->columns);
    params[CG_GROUP_P_VALUES] = first_word(g->values);
    params[CG_GROUP_P_WIDE] = first_word(g->wide_values);
    double largest = is_double(g->x) ? DBL_MAX : (double)FLT_MAX;
    memcpy(params + CG_GROUP_P_GOAL, &step->goal, sizeof step->goal);
    memcpy(params + CG_GROUP_P_SCALE, &step->scale, sizeof step->scale);
    memcpy(params + CG_GROUP_P_FACTOR, &step->factor, sizeof step->factor);
    memcpy(params + CG_GROUP_P_LARGEST, &largest, sizeof largest);
}

/* Binds the buffers. The work buffer is read as images, since textures may not show what the same launch stored. */
static void bind_group(const CgGroup *g, bool block, Dispatch *dispatch)
{
    const Stream *stored[BLOCKS] = {g->work, g->x, g->b, g->m ? g->m : g->b};
    const Stream *read[READS] = {g->begins, g->columns, g->values, g->wide_values};
    static const TexelFormat formats[] = {TEXEL_VECTOR, TEXEL_PAIR, TEXEL_WORD};
    const bool words[READS] = {true, g->tiled, false, false};
    for (int i = 0; i < BLOCKS; i++) {
        dispatch->blocks[i].buffer = stored[i]->buffer;
    }
    for (int i = 0; i < READS; i++) {
        dispatch->textures[i] = (DispatchTexture){read[i]->buffer, words[i] ? TEXEL_WORD : TEXEL_VECTOR};
        dispatch->blocks[BLOCKS + i].buffer = read[i]->buffer;
    }
    for (int i = 0; i < 3; i++) {
        dispatch->images[i] = (DispatchTexture){g->work->buffer, formats[i]};
    }
    dispatch->block_count = BLOCKS + (block ? READS : 0);
    dispatch->texture_count = block ? 0 : READS;
    dispatch->image_count = block ? 0 : 3;
}

static bool run_group(const CgGroup *g, const CgGroupStep *step)
{
    uint32_t params[4 * CG_GROUP_P_VECTORS] = {0};
    Dispatch dispatch = {.params = params, .param_vectors = CG_GROUP_P_VECTORS, .groups = {1, 1, 1}};
    bool block = by_blocks(g->x->device);
    fill_group(g, step, params);
    bind_group(g, block, &dispatch);
    dispatch.program = find_group_program(g, block);
    bool done = dispatch.program && device_dispatch(g->x->device, &dispatch);
    stream_wrote(g->work);
    stream_wrote(g->x);
    return done;
}

/* Copies b if it is not contiguous and this launch reads it. */
bool cg_group_run(const CgGroup *g, const CgGroupStep *step)
{
    CgGroup run = *g;
    Stream dense = {0};
    bool contiguous = g->b->contiguous && g->b->source == SOURCE_BUFFER, reads = (step->phases & CG_GROUP_START) != 0;
    bool done = contiguous || !reads || copy_whole(g->b, NULL, "rill.solve.cg: argument 'b'", &dense);
    run.b = dense.buffer ? &dense : contiguous ? g->b : g->x;
    done = done && run_group(&run, step);
    stream_release(&dense);
    return done;
}
