#include "linalg/matmul_kernel.h"

#include "gpu/program/profile.h"
#include "gpu/program/shader.h"
#include "kernel/launch/copy.h"
#include "shared/matmul_words.h"
#include "stream/view_dim.h"

#include <stdio.h>
#include <string.h>

enum {
    CPU_GROUP = 16,
    CPU_ROWS = 16,
    GPU_TILE = 64,
    GPU_GROUP = 256,
    CLASHING = 512, /* elements */
    MANY_ROWS = 256,
    CACHE_LINE = 16,   /* elements */
    MAX_TRIPS = 16384, /* most texels of a row per dispatch */
};

/* An operand as dense rows of texels. */
typedef struct Operand {
    Stream dense;
    int64_t rows, texels; /* of a matrix; in texels of four elements */
} Operand;

void matmul_kernel_transpose(Stream *s)
{
    int last = s->shape.rank - 1;
    ViewDim dim = s->dim[last];
    int64_t size = s->shape.size[last];
    s->dim[last] = s->dim[last - 1];
    s->shape.size[last] = s->shape.size[last - 1];
    s->dim[last - 1] = dim;
    s->shape.size[last - 1] = size;
    s->contiguous = false;
}

static bool row_major(const Stream *s)
{
    int64_t stride = 1;
    for (int d = s->shape.rank; d-- > 0;) {
        const ViewDim *dim = &s->dim[d];
        if (s->shape.size[d] != 1 && !(view_dim_plain(dim) && dim->stride == stride)) {
            return false;
        }
        stride *= s->shape.size[d];
    }
    return true;
}

/* Returns the distance of rows in elements, whole texels. Rows that are a multiple of 2 KiB apart would share few
 * sets of a processor's cache, so they are padded. */
static int64_t pitch_of(const Stream *s, int64_t columns, int64_t rows)
{
    int64_t padded = (columns + 3) / 4 * 4;
    bool clash = padded % CLASHING == 0 && rows >= MANY_ROWS && device_traits(s->device)->family == FAMILY_CPU;
    return clash ? padded + CACHE_LINE : padded;
}

/* Writes why argument `name` is copied. */
static void explain(const Stream *s, const Type *type, int unit, char name, char reason[PROFILE_REASON])
{
    char what[32];
    const char *why = !row_major(s)   ? "is a transposed view, or its rows are not contiguous"
                      : s->offset % 4 ? "is a view that begins within four elements"
                      : unit > 1      ? "needs a multiple of four rows, with a multiple of four elements"
                                      : "needs rows with a multiple of four elements";
    snprintf(what, sizeof what, "rill.matmul: argument '%c'", name);
    if (s->source != SOURCE_BUFFER || s->type != type) {
        copy_explain(s, type, what, reason);
    } else {
        snprintf(reason, PROFILE_REASON, "%s %s", what, why);
    }
}

/* Creates an operand with rows of whole texels, padded with zeros. The number of rows is a multiple of `unit`, which
 * is 4 for B. */
static bool pad(const Stream *s, const Type *type, int unit, char name, Operand *operand)
{
    Shape shape = s->shape;
    int64_t columns = shape.size[shape.rank - 1], rows = shape.size[shape.rank - 2];
    int64_t padded = pitch_of(s, columns, rows);
    operand->rows = (rows + unit - 1) / unit * unit;
    operand->texels = padded / 4;
    bool whole = columns == padded && rows == operand->rows;
    if (whole && s->source == SOURCE_BUFFER && s->type == type && row_major(s) && s->offset % 4 == 0) {
        stream_copy_view(s, &operand->dense);
        return true;
    }
    shape.size[shape.rank - 1] = padded;
    shape.size[shape.rank - 2] = operand->rows;
    Stream part;
    int64_t from[SHAPE_MAX_RANK] = {0};
    if (!stream_create(s->device, type, &shape, !whole, &operand->dense)) {
        return false;
    }
    bool done = stream_domain(&operand->dense, from, s->shape.size, &part);
    if (done) {
        char reason[PROFILE_REASON];
        explain(s, type, unit, name, reason);
        done = copy_stream_for(&part, s, reason);
        stream_release(&part);
    }
    return done;
}

/* The variant of a program, in addition to the type. */
typedef struct Variant {
    bool tile, block, add, fours;
    int rows; /* per lane */
} Variant;

static Program *find_program(Device *device, const Type *type, const Variant *variant)
{
    static const char *const names[SCALAR_COUNT] = {
        [SCALAR_FLOAT] = "float\n#define T4 vec4\n#define FROM_BITS uintBitsToFloat\n#define TO_BITS floatBitsToUint\n",
        [SCALAR_DOUBLE] = "double\n#define T4 dvec4\n#define DOUBLE\n",
        [SCALAR_INT] = "int\n#define T4 ivec4\n#define FROM_BITS ivec4\n#define TO_BITS uint\n",
        [SCALAR_UINT] = "uint\n#define T4 uvec4\n#define FROM_BITS uvec4\n#define TO_BITS uint\n",
    };
    return shader_program_format(device, "matmul.comp", "#define T %s#define GROUP %d\n#define ROWS %d\n%s%s%s%s",
                                 names[type->scalar], variant->tile ? GPU_GROUP : CPU_GROUP, variant->rows,
                                 variant->tile ? "#define TILE\n" : "", variant->block ? "#define BLOCK\n" : "",
                                 variant->add ? "#define ADD\n" : "", variant->fours ? "#define FOURS\n" : "");
}

/* Returns the distance in texels between the matrices of a batch along dimension d of the result, counted from the
 * fastest; 0 if the matrix repeats. */
static uint32_t batch_stride(const Operand *operand, int d)
{
    const Shape *shape = &operand->dense.shape;
    int own = shape->rank - 3 - d;
    if (own < 0 || shape->size[own] == 1) {
        return 0;
    }
    int64_t stride = operand->rows * operand->texels;
    for (int e = own + 1; e < shape->rank - 2; e++) {
        stride *= shape->size[e];
    }
    return (uint32_t)stride;
}

static uint64_t groups_of(int64_t n, int64_t unit)
{
    return (uint64_t)((n + unit - 1) / unit);
}

Target matmul_kernel_dense(const MatmulKernel *p, const Stream *c)
{
    Target target = {.buffer = c->buffer, .base = c->offset, .pitch = p->n};
    int64_t stride = p->m * p->n;
    for (int d = p->batch.rank; d-- > 0;) {
        target.stride[d] = stride;
        stride *= p->batch.size[d];
    }
    return target;
}

bool matmul_kernel_target(const MatmulKernel *p, const Stream *c, Target *target)
{
    int rank = c->shape.rank;
    if (c->contiguous) {
        *target = matmul_kernel_dense(p, c);
        return true;
    }
    bool rows = rank == p->batch.rank + 2 && (p->n == 1 || c->dim[rank - 1].stride == 1);
    for (int d = 0; d < rank && rows; d++) {
        rows = view_dim_plain(&c->dim[d]) && c->dim[d].stride >= 0;
    }
    if (rows) {
        *target = (Target){.buffer = c->buffer, .base = c->offset, .pitch = c->dim[rank - 2].stride};
        for (int d = 0; d < p->batch.rank; d++) {
            target->stride[d] = c->dim[d].stride;
        }
    }
    return rows;
}

/* Returns whether each row of each product consists of whole texels of floats. */
static bool has_fours(const MatmulKernel *p, const Target *c)
{
    int64_t all = p->n | c->base | c->pitch;
    for (int d = 0; d < p->batch.rank; d++) {
        all |= c->stride[d];
    }
    return p->type->scalar == SCALAR_FLOAT && all % 4 == 0;
}

static bool multiply(const MatmulKernel *p, const Operand *a, const Operand *b, const Target *c)
{
    bool tile = device_traits(p->device)->family == FAMILY_GPU, flat = !tile && b->texels < CPU_GROUP;
    bool block = !buffer_in_texture(a->dense.buffer, TEXEL_VECTOR) || !buffer_in_texture(b->dense.buffer, TEXEL_VECTOR);
    int rows = p->type->scalar == SCALAR_DOUBLE ? CPU_ROWS / 2 : CPU_ROWS;
    rows = p->m <= 1 ? 1 : p->m <= 4 ? 4 : rows;
    Variant variant = {.tile = tile, .block = block, .rows = rows, .fours = has_fours(p, c)};
    Dispatch dispatch = {.param_vectors = MATMUL_P_VECTORS};
    if (!buffer_block_fits(c->buffer) ||
        (block && !(buffer_block_fits(a->dense.buffer) && buffer_block_fits(b->dense.buffer)))) {
        return false;
    }
    uint64_t tiles_m = groups_of(p->m, tile ? GPU_TILE : rows),
             tiles_n = groups_of(p->n, tile ? GPU_TILE : 4 * CPU_GROUP);
    uint64_t batch = p->batch.rank ? (uint64_t)shape_elements(&p->batch) : 1;
    uint32_t params[4 * MATMUL_P_VECTORS] = {[MATMUL_P_M] = (uint32_t)p->m,
                                             [MATMUL_P_N] = (uint32_t)p->n,
                                             [MATMUL_P_DEPTH] = (uint32_t)a->texels,
                                             [MATMUL_P_WIDTH] = (uint32_t)b->texels,
                                             [MATMUL_P_A_BASE] = (uint32_t)(a->dense.offset / 4),
                                             [MATMUL_P_B_BASE] = (uint32_t)(b->dense.offset / 4),
                                             [MATMUL_P_TILES_M] = (uint32_t)tiles_m,
                                             [MATMUL_P_TILES_N] = (uint32_t)tiles_n,
                                             [MATMUL_P_BATCH] = (uint32_t)batch,
                                             [MATMUL_P_RANK] = (uint32_t)p->batch.rank,
                                             [MATMUL_P_FLAT] = flat,
                                             [MATMUL_P_C_BASE] = (uint32_t)c->base,
                                             [MATMUL_P_PITCH] = (uint32_t)c->pitch};
    memcpy(params + MATMUL_P_ALPHA, p->alpha, sizeof p->alpha);
    memcpy(params + MATMUL_P_BETA, p->beta, sizeof p->beta);
    for (int d = 0; d < p->batch.rank; d++) {
        uint32_t *dimension = params + 4 * (MATMUL_P_BATCHES + d);
        dimension[0] = (uint32_t)p->batch.size[p->batch.rank - 1 - d];
        dimension[1] = batch_stride(a, d);
        dimension[2] = batch_stride(b, d);
        dimension[3] = (uint32_t)c->stride[p->batch.rank - 1 - d];
    }
    dispatch.params = params;
    uint64_t parts = tiles_m * tiles_n * batch; /* with `flat`, tiles_n is 1 */
    dispatch.groups[0] = flat ? groups_of((int64_t)parts * b->texels, CPU_GROUP) : parts;
    dispatch.groups[1] = dispatch.groups[2] = 1;
    dispatch.blocks[0].buffer = c->buffer;
    dispatch.block_count = block ? 3 : 1;
    dispatch.blocks[1].buffer = a->dense.buffer;
    dispatch.blocks[2].buffer = b->dense.buffer;
    dispatch.texture_count = block ? 0 : 2;
    dispatch.textures[0] = (DispatchTexture){a->dense.buffer, TEXEL_VECTOR};
    dispatch.textures[1] = (DispatchTexture){b->dense.buffer, TEXEL_VECTOR};
    bool done = true;
    for (int64_t from = 0; from < a->texels && done; from += MAX_TRIPS) {
        params[MATMUL_P_FROM] = (uint32_t)from;
        params[MATMUL_P_TO] = (uint32_t)(from + MAX_TRIPS < a->texels ? from + MAX_TRIPS : a->texels);
        variant.add = p->keep || from > 0;
        dispatch.program = find_program(p->device, p->type, &variant);
        done = dispatch.program && device_dispatch(p->device, &dispatch);
    }
    return done;
}

bool matmul_kernel_multiply(const MatmulKernel *p, const Target *c)
{
    Operand a = {0}, b = {0};
    bool done = pad(&p->a, p->type, 1, p->swapped ? 'b' : 'a', &a) &&
                pad(&p->b, p->type, 4, p->swapped ? 'a' : 'b', &b) && multiply(p, &a, &b, c);
    stream_release(&a.dense);
    stream_release(&b.dense);
    return done;
}
