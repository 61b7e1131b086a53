#include "kernel/launch/transpose.h"

#include "base/strbuf.h"
#include "gpu/program/shader.h"
#include "shared/transpose_words.h"
#include "stream/view_dim.h"

#include <string.h>

enum {
    SHORTEST = 8,   /* least size of both dimensions: for smaller ones neighbors share cache lines anyway */
    CPU_ROWS = 256, /* elements of a tile along x */
    /* With as many rows of the source, the pages of a column exceed a TLB, so tiles in the same rows follow each other. */
    MANY_ROWS = 2560,
    DOWN_BLOCKS = 16,
    GPU_LANES = 32,
    GPU_GROUP = 256,
    GPU_TILE = 64,
    GPU_NARROW = 32, /* tiles, if one dimension is not longer, or if elements of several words are moved together */
};

/* x: the dimension that is contiguous in the target; y: contiguous in the source; the others form planes. */
typedef struct Planes {
    TransposeDimension x, y, planes[SHAPE_MAX_RANK];
    int rank;
    int64_t count; /* number of planes */
} Planes;

bool transpose_dimensions(const Stream *to, const Stream *from, TransposeDimension *dims, int *count)
{
    *count = 0;
    for (int d = to->shape.rank; d-- > 0;) {
        const ViewDim *a = &from->dim[d], *b = &to->dim[d];
        TransposeDimension next = {to->shape.size[d], a->stride, b->stride};
        if (!view_dim_plain(a) || !view_dim_plain(b)) {
            return false;
        }
        TransposeDimension *last = *count ? &dims[*count - 1] : NULL;
        if (next.size == 1) {
            continue;
        }
        if (last && next.from == last->from * last->size && next.to == last->to * last->size) {
            last->size *= next.size;
        } else {
            dims[(*count)++] = next;
        }
    }
    return true;
}

static bool find_planes(const Stream *to, const Stream *from, Planes *planes)
{
    TransposeDimension dims[SHAPE_MAX_RANK];
    int count, x = -1, y = -1;
    if (!transpose_dimensions(to, from, dims, &count)) {
        return false;
    }
    planes->rank = 0;
    planes->count = 1;
    for (int d = 0; d < count; d++) {
        x = dims[d].to == 1 && x < 0 ? d : x;
        y = dims[d].from == 1 && y < 0 ? d : y;
    }
    if (x < 0 || y < 0 || x == y || dims[x].size < SHORTEST || dims[y].size < SHORTEST) {
        return false;
    }
    planes->x = dims[x];
    planes->y = dims[y];
    for (int d = 0; d < count; d++) {
        if (d != x && d != y) {
            planes->planes[planes->rank++] = dims[d];
            planes->count *= dims[d].size;
        }
    }
    return true;
}

/* The unit in which both sides are accessed. */
typedef struct Unit {
    int elements;      /* elements of one unit along x and y; of a block */
    int words, packed; /* 32-bit words of an element, elements of a word; at least 1 */
    bool vector;       /* units are texels, not words */
    int64_t numerator; /* element numbers times numerator / denominator are unit numbers */
    int64_t denominator;
} Unit;

/* Returns whether every row of both sides starts at a unit, and every row of the target ends at one. */
static bool aligned(const Stream *to, const Stream *from, const Planes *planes, int elements)
{
    int64_t bits = to->offset | from->offset | planes->x.from | planes->y.to | planes->x.size;
    for (int d = 0; d < planes->rank; d++) {
        bits |= planes->planes[d].from | planes->planes[d].to;
    }
    return bits % elements == 0; /* `elements` is a power of two */
}

static bool find_unit(const Stream *to, const Stream *from, const Planes *planes, bool tile, Unit *unit)
{
    int bytes = to->type->bytes;
    if (bytes < 4) {
        *unit = (Unit){4 / bytes, 1, 4 / bytes, false, 1, 4 / bytes};
        return aligned(to, from, planes, unit->elements);
    }
    int words = bytes / 4, texel = 16 / bytes;
    *unit = (Unit){1, words, 1, false, words, 1};
    if (!tile && (words == 1 || words == 2 || words == 4) && aligned(to, from, planes, texel)) {
        *unit = (Unit){texel, words, 1, true, 1, texel};
    }
    return true;
}

static bool uses_tile(const Stream *to)
{
    return device_traits(to->device)->family == FAMILY_GPU && to->type->bytes >= 4;
}

bool transpose_serves(const Stream *to, const Stream *from)
{
    Planes planes;
    Unit unit;
    return from->source == SOURCE_BUFFER && to->type->bytes == from->type->bytes && find_planes(to, from, &planes) &&
           find_unit(to, from, &planes, uses_tile(to), &unit);
}

static uint32_t units(const Unit *unit, int64_t elements)
{
    return (uint32_t)(elements * unit->numerator / unit->denominator);
}

static uint64_t round_up(int64_t n, int64_t unit)
{
    return (uint64_t)((n + unit - 1) / unit);
}

/* How the lanes of a group divide a tile, see transpose.comp. Lengths are in elements. */
typedef struct Tile {
    bool shared; /* through shared memory */
    int group, along, blocks;
    int x, y;
    int step_x, step_y;
} Tile;

/* On a software device adjacent lanes read adjacent units of the source, and each lane walks across the source's rows, so
 * that its stores follow each other in the rows of the target. If the source's rows are short, the other lanes of
 * the group take the next rows. On other devices, and if elements of several words are stored word by word, adjacent
 * lanes store adjacent elements, and each lane walks along its row of the source. */
static Tile find_tile(const Device *device, const Planes *planes, const Unit *unit, bool shared)
{
    const DeviceTraits *traits = device_traits(device);
    int e = unit->elements;
    if (shared) {
        bool narrow = planes->x.size <= GPU_NARROW || planes->y.size <= GPU_NARROW;
        int side = narrow || unit->words == 2 || unit->words == 4 ? GPU_NARROW : GPU_TILE;
        return (Tile){.shared = true, .group = GPU_GROUP, .x = side, .y = side};
    }
    int group = traits->family == FAMILY_GPU ? GPU_LANES : traits->subgroup_size;
    if (traits->family == FAMILY_GPU || (unit->words > 1 && !unit->vector)) {
        return (Tile){false, group, 1, DOWN_BLOCKS, group * e, DOWN_BLOCKS * e, 0, e};
    }
    int along = group;
    while (along % 2 == 0 && planes->y.size <= along / 2 * e) {
        along /= 2;
    }
    int step = group / along * e, blocks = CPU_ROWS / step > 1 ? CPU_ROWS / step : 1;
    return (Tile){false, group, along, blocks, blocks * step, along * e, step, 0};
}

/* Fills in the parameters and the groups: a grid of tiles and planes if the device allows it, else one row of groups.
 * Returns whether the groups are a grid. */
static bool fill(const Stream *to, const Stream *from, const Planes *planes, const Unit *unit, const Tile *tile,
                 uint32_t *p, uint64_t groups[3])
{
    uint64_t x = round_up(planes->x.size, tile->x), y = round_up(planes->y.size, tile->y);
    p[TRANSPOSE_P_NX] = (uint32_t)planes->x.size;
    p[TRANSPOSE_P_NY] = (uint32_t)planes->y.size;
    p[TRANSPOSE_P_TILES_X] = (uint32_t)x;
    p[TRANSPOSE_P_TILES_Y] = (uint32_t)y;
    p[TRANSPOSE_P_FROM_X] = units(unit, planes->x.from);
    p[TRANSPOSE_P_TO_Y] = units(unit, planes->y.to);
    p[TRANSPOSE_P_PLANES] = (uint32_t)planes->count;
    p[TRANSPOSE_P_RANK] = (uint32_t)planes->rank;
    p[TRANSPOSE_P_FROM_BASE] = units(unit, from->offset);
    p[TRANSPOSE_P_TO_BASE] = units(unit, to->offset);
    for (int d = 0; d < planes->rank; d++) {
        uint32_t *dimension = p + 4 * (TRANSPOSE_P_DIMENSIONS + d);
        dimension[0] = (uint32_t)planes->planes[d].size;
        dimension[1] = units(unit, planes->planes[d].from);
        dimension[2] = units(unit, planes->planes[d].to);
    }
    uint64_t count = (uint64_t)planes->count, limit = device_limits(to->device)->group_count;
    bool grid = tile->shared && x <= limit && y <= limit && count <= limit;
    groups[0] = grid ? x : x * y * count;
    groups[1] = grid ? y : 1;
    groups[2] = grid ? count : 1;
    return grid;
}

static Program *find_program(Device *device, const Planes *planes, const Unit *unit, const Tile *tile, bool block,
                             bool grid)
{
    bool across = tile->step_x > 0 && planes->x.size >= MANY_ROWS;
    return shader_program_format(
        device, "transpose.comp",
        "#define GROUP %d\n#define WORDS %d\n#define PACKED %d\n#define E %d\n%s%s%s%s%s"
        "#define ALONG %d\n#define BLOCKS %d\n#define TILE_X %d\n#define TILE_Y %d\n"
        "#define STEP_X %d\n#define STEP_Y %d\n",
        tile->group, unit->words, unit->packed, unit->elements, unit->vector ? "#define VECTOR\n" : "",
        tile->shared ? "#define TILE\n" : "", block ? "#define BLOCK\n" : "", across ? "#define ACROSS\n" : "",
        grid ? "#define GRID\n" : "", tile->along, tile->blocks, tile->x, tile->y, tile->step_x, tile->step_y);
}

bool transpose_copy(Stream *to, const Stream *from)
{
    Device *device = to->device;
    Planes planes;
    Unit unit;
    bool shared = uses_tile(to);
    if (!find_planes(to, from, &planes) || !find_unit(to, from, &planes, shared, &unit)) {
        return error_set("transpose: these views are not supported");
    }
    Tile tile = find_tile(device, &planes, &unit, shared);
    TexelFormat format = unit.vector ? TEXEL_VECTOR : TEXEL_WORD;
    bool block = !buffer_in_texture(from->buffer, format);
    uint32_t params[4 * TRANSPOSE_P_VECTORS] = {0};
    Dispatch dispatch = {.params = params, .param_vectors = TRANSPOSE_P_VECTORS};
    bool grid = fill(to, from, &planes, &unit, &tile, params, dispatch.groups);
    Program *program = dispatch.program = find_program(device, &planes, &unit, &tile, block, grid);
    if (!program || !buffer_block_fits(to->buffer) || (block && !buffer_block_fits(from->buffer))) {
        return false;
    }
    dispatch.blocks[0].buffer = to->buffer;
    dispatch.block_count = block ? 2 : 1;
    if (block) {
        dispatch.blocks[1].buffer = from->buffer;
    } else {
        dispatch.texture_count = 1;
        dispatch.textures[0] = (DispatchTexture){from->buffer, format};
    }
    stream_wrote(to);
    return device_dispatch(device, &dispatch);
}
