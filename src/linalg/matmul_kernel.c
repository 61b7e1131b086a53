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
    SMALL_TILE = 64,
    LARGE_TILE = 128,
    LARGE_TILES = 256, /* least number of large tiles: about two per processor of a GPU */
    CLASHING = 512,    /* elements */
    MANY_ROWS = 256,
    CACHE_LINE = 16,   /* elements */
    MAX_TRIPS = 16384, /* most texels of a row per dispatch */
    FEW_GROUPS = 4,
    WORDS_WORK =
        1 << 20, /* most multiplications of a product whose factors are read element by element, without copies */
};

/* A factor as the shader reads it: contiguous lines of whole texels (of four elements), which are the rows of the
 * matrix, or its columns if it is `transposed`. */
typedef struct Operand {
    Stream stream; /* of the shape of the matrix, or with padded rows */
    bool transposed;
    int64_t pitch; /* from line to line: texels, or elements */
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

/* Returns the distance of rows in elements, whole texels. Rows that are a multiple of 2 KiB apart would share few
 * sets of a processor's cache, so they are padded. */
static int64_t pitch_of(const Stream *s, int64_t columns, int64_t rows)
{
    int64_t padded = (columns + 3) / 4 * 4;
    bool clash = padded % CLASHING == 0 && rows >= MANY_ROWS && device_traits(s->device)->family == FAMILY_CPU;
    return clash ? padded + CACHE_LINE : padded;
}

/* Returns whether the elements along dimension `along` of a matrix are contiguous, and each line begins and ends at a
 * multiple of `unit` elements; sets *pitch to units. */
static bool has_lines(const Stream *s, const Type *type, int along, int unit, int64_t *pitch)
{
    int last = s->shape.rank - 1, across = 2 * last - 1 - along;
    const ViewDim *line = &s->dim[along];
    int64_t length = s->shape.size[along], count = s->shape.size[across];
    int64_t stride = count == 1 ? length : s->dim[across].stride, all = length | stride | s->offset;
    bool lines = s->source == SOURCE_BUFFER && s->type == type && (line->stride == 1 || length == 1);
    for (int d = 0; d <= last && lines; d++) {
        lines = view_dim_plain(&s->dim[d]);
        all |= d < last - 1 && s->shape.size[d] != 1 ? s->dim[d].stride : 0;
    }
    *pitch = stride / unit;
    return lines && all % unit == 0;
}

/* Writes why argument `name` is copied. */
static void explain(const Stream *s, const Type *type, char name, char reason[PROFILE_REASON])
{
    char what[32];
    snprintf(what, sizeof what, "rill.matmul: argument '%c'", name);
    if (s->source != SOURCE_BUFFER || s->type != type) {
        copy_explain(s, type, what, reason);
    } else {
        snprintf(reason, PROFILE_REASON, "%s needs rows or columns of contiguous elements, in multiples of four", what);
    }
}

/* Fills in an operand whose rows or columns are contiguous, without a reference to its buffer. */
static bool as_lines(const Stream *s, const Type *type, int unit, Operand *operand)
{
    int last = s->shape.rank - 1;
    bool rows = has_lines(s, type, last, unit, &operand->pitch);
    operand->transposed = !rows && has_lines(s, type, last - 1, unit, &operand->pitch);
    operand->stream = *s;
    return rows || operand->transposed;
}

/* Returns whether a product is small, and its factors can be read element by element but not by texels. */
static bool takes_words(const MatmulKernel *p, Operand *a, Operand *b)
{
    double batch = p->batch.rank ? (double)shape_elements(&p->batch) : 1;
    bool small = (double)p->m * (double)p->n * (double)p->k * batch <= WORDS_WORK;
    bool texels = as_lines(&p->a, p->type, 4, a) && as_lines(&p->b, p->type, 4, b);
    return small && !texels && as_lines(&p->a, p->type, 1, a) && as_lines(&p->b, p->type, 1, b) &&
           buffer_bytes(a->stream.buffer) <= INT32_MAX && buffer_bytes(b->stream.buffer) <= INT32_MAX;
}

/* Creates an operand: the stream itself if its rows or columns are contiguous and consist of whole texels, else a copy
 * with rows that are padded with zeros. */
static bool prepare(const Stream *s, const Type *type, char name, Operand *operand)
{
    Shape shape = s->shape;
    int last = shape.rank - 1;
    int64_t columns = shape.size[last], rows = shape.size[last - 1], padded = pitch_of(s, columns, rows);
    bool plain = padded == columns && has_lines(s, type, last, 4, &operand->pitch);
    operand->transposed =
        !plain && pitch_of(s, rows, columns) == rows && has_lines(s, type, last - 1, 4, &operand->pitch);
    if (plain || operand->transposed) {
        stream_copy_view(s, &operand->stream);
        return true;
    }
    shape.size[last] = padded;
    operand->pitch = padded / 4;
    Stream part;
    int64_t from[SHAPE_MAX_RANK] = {0};
    if (!stream_create(s->device, type, &shape, columns != padded, &operand->stream)) {
        return false;
    }
    bool done = stream_domain(&operand->stream, from, s->shape.size, &part);
    if (done) {
        char reason[PROFILE_REASON];
        explain(s, type, name, reason);
        done = copy_stream_for(&part, s, reason);
        stream_release(&part);
    }
    return done;
}

/* The variant of a program, in addition to the type. */
typedef struct Variant {
    bool block, words, add, fours, a_columns, b_columns, bias;
    Activation activation;
    int tile; /* family gpu: rows and columns of a tile, else 0 */
    int rows; /* family cpu: per lane */
} Variant;

static Program *find_program(Device *device, const Type *type, const Variant *variant)
{
    static const char *const names[SCALAR_COUNT] = {
        [SCALAR_FLOAT] = "float\n#define T4 vec4\n#define FROM_BITS uintBitsToFloat\n#define TO_BITS floatBitsToUint\n",
        [SCALAR_DOUBLE] = "double\n#define T4 dvec4\n#define DOUBLE\n",
        [SCALAR_INT] = "int\n#define T4 ivec4\n#define FROM_BITS ivec4\n#define TO_BITS uint\n#define WHOLE\n",
        [SCALAR_UINT] = "uint\n#define T4 uvec4\n#define FROM_BITS uvec4\n#define TO_BITS uint\n#define WHOLE\n",
    };
    static const char *const activations[] = {[ACTIVATION_NONE] = "",
                                              [ACTIVATION_RELU] = "#define RELU\n",
                                              [ACTIVATION_SIGMOID] = "#define SIGMOID\n",
                                              [ACTIVATION_TANH] = "#define TANH\n"};
    char size[64];
    snprintf(size, sizeof size,
             variant->tile ? "#define GROUP %d\n#define TILE %d\n" : "#define GROUP %d\n#define ROWS %d\n",
             variant->tile ? 2 * variant->tile : CPU_GROUP, variant->tile ? variant->tile : variant->rows);
    return shader_program_format(device, "matmul.comp", "#define T %s%s%s%s%s%s%s%s%s%s", names[type->scalar], size,
                                 variant->block ? "#define BLOCK\n" : "", variant->words ? "#define WORDS\n" : "",
                                 variant->add ? "#define ADD\n" : "", variant->fours ? "#define FOURS\n" : "",
                                 variant->a_columns ? "#define A_COLUMNS\n" : "",
                                 variant->b_columns ? "#define B_COLUMNS\n" : "", variant->bias ? "#define BIAS\n" : "",
                                 activations[variant->activation]);
}

/* Returns the distance in units of `unit` elements between the matrices of a batch along dimension d of the result, counted from the
 * fastest; 0 if the matrix repeats. */
static uint32_t batch_stride(const Operand *operand, int unit, int d)
{
    const Shape *shape = &operand->stream.shape;
    int own = shape->rank - 3 - d;
    return own < 0 || shape->size[own] == 1 ? 0 : (uint32_t)(operand->stream.dim[own].stride / unit);
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

/* Returns the rows of the product that a lane of family cpu computes. Small products use fewer, to have enough groups
 * for several threads. */
static int rows_of(const MatmulKernel *p, int64_t width)
{
    int rows = p->type->scalar == SCALAR_DOUBLE ? CPU_ROWS / 2 : CPU_ROWS;
    uint64_t batch = p->batch.rank ? (uint64_t)shape_elements(&p->batch) : 1;
    bool few = groups_of(p->m, rows) * groups_of(width, CPU_GROUP) * batch < FEW_GROUPS;
    return p->m <= 1 ? 1 : p->m <= 4 || few ? 4 : rows;
}

/* Returns the rows and columns of the tiles of family gpu. Large tiles read less, but there are fewer of them, and their
 * edges compute more elements outside the product. Doubles would need more shared memory than OpenGL guarantees. */
static int tile_of(const MatmulKernel *p, uint64_t batch)
{
    uint64_t small = groups_of(p->m, SMALL_TILE) * groups_of(p->n, SMALL_TILE);
    uint64_t large = groups_of(p->m, LARGE_TILE) * groups_of(p->n, LARGE_TILE);
    bool wasteful = 8 * 4 * large > 9 * small; /* more than an eighth */
    return p->type->bytes > 4 || wasteful || large * batch < LARGE_TILES ? SMALL_TILE : LARGE_TILE;
}

/* unit: the elements of a base, a pitch or a stride of the factors: 4, or 1 if they are read element by element. */
static bool multiply(const MatmulKernel *p, const Operand *a, const Operand *b, int unit, const Target *c)
{
    int64_t depth = (p->k + 3) / 4, width = (p->n + 3) / 4; /* texels of a row of A and of B */
    uint64_t batch = p->batch.rank ? (uint64_t)shape_elements(&p->batch) : 1;
    int tile = device_traits(p->device)->family == FAMILY_GPU ? tile_of(p, batch) : 0;
    bool flat = !tile && width < CPU_GROUP;
    Buffer *a_buffer = a->stream.buffer, *b_buffer = b->stream.buffer;
    bool block = unit == 1 || !buffer_in_texture(a_buffer, TEXEL_VECTOR) || !buffer_in_texture(b_buffer, TEXEL_VECTOR);
    int rows = rows_of(p, width);
    Variant variant = {.tile = tile,
                       .block = block,
                       .words = unit == 1,
                       .rows = rows,
                       .fours = has_fours(p, c),
                       .a_columns = a->transposed,
                       .b_columns = b->transposed};
    Dispatch dispatch = {.param_vectors = MATMUL_P_VECTORS};
    if (!buffer_block_fits(c->buffer) || (p->bias && !buffer_block_fits(p->bias->buffer)) ||
        (block && !(buffer_block_fits(a_buffer) && buffer_block_fits(b_buffer)))) {
        return false;
    }
    uint64_t tiles_m = groups_of(p->m, tile ? tile : rows), tiles_n = groups_of(p->n, tile ? tile : 4 * CPU_GROUP);
    uint32_t params[4 * MATMUL_P_VECTORS] = {[MATMUL_P_M] = (uint32_t)p->m,
                                             [MATMUL_P_N] = (uint32_t)p->n,
                                             [MATMUL_P_DEPTH] = (uint32_t)depth,
                                             [MATMUL_P_WIDTH] = (uint32_t)width,
                                             [MATMUL_P_A_BASE] = (uint32_t)(a->stream.offset / unit),
                                             [MATMUL_P_B_BASE] = (uint32_t)(b->stream.offset / unit),
                                             [MATMUL_P_K] = (uint32_t)p->k,
                                             [MATMUL_P_A_PITCH] = (uint32_t)a->pitch,
                                             [MATMUL_P_B_PITCH] = (uint32_t)b->pitch,
                                             [MATMUL_P_BIAS_BASE] = p->bias ? (uint32_t)p->bias->offset : 0,
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
        dimension[1] = batch_stride(a, unit, d);
        dimension[2] = batch_stride(b, unit, d);
        dimension[3] = (uint32_t)c->stride[p->batch.rank - 1 - d];
    }
    dispatch.params = params;
    uint64_t parts = tiles_m * tiles_n * batch; /* with `flat`, tiles_n is 1 */
    dispatch.groups[0] = flat ? groups_of((int64_t)parts * width, CPU_GROUP) : parts;
    dispatch.groups[1] = dispatch.groups[2] = 1;
    dispatch.blocks[0].buffer = c->buffer;
    dispatch.block_count = block ? 3 : 1;
    dispatch.blocks[1].buffer = a_buffer;
    dispatch.blocks[2].buffer = b_buffer;
    if (p->bias) {
        dispatch.blocks[dispatch.block_count++].buffer = p->bias->buffer;
    }
    dispatch.texture_count = block ? 0 : 2;
    dispatch.textures[0] = (DispatchTexture){a_buffer, TEXEL_VECTOR};
    dispatch.textures[1] = (DispatchTexture){b_buffer, TEXEL_VECTOR};
    bool done = true;
    for (int64_t from = 0; from < depth && done; from += MAX_TRIPS) {
        params[MATMUL_P_FROM] = (uint32_t)from;
        params[MATMUL_P_TO] = (uint32_t)(from + MAX_TRIPS < depth ? from + MAX_TRIPS : depth);
        bool last = from + MAX_TRIPS >= depth;
        variant.add = p->keep || from > 0;
        variant.bias = last && p->bias;
        variant.activation = last ? p->activation : ACTIVATION_NONE;
        dispatch.program = find_program(p->device, p->type, &variant);
        done = dispatch.program && device_dispatch(p->device, &dispatch);
    }
    return done;
}

static bool multiply_prepared(const MatmulKernel *p, const Target *c)
{
    Operand a = {0}, b = {0};
    if (takes_words(p, &a, &b)) {
        return multiply(p, &a, &b, 1, c);
    }
    a = b = (Operand){.transposed = false};
    bool done = prepare(&p->a, p->type, 'a', &a) && prepare(&p->b, p->type, 'b', &b) && multiply(p, &a, &b, 4, c);
    stream_release(&a.stream);
    stream_release(&b.stream);
    return done;
}

bool matmul_kernel_multiply(const MatmulKernel *p, const Target *c)
{
    if (!p->bias || (p->bias->contiguous && p->bias->source == SOURCE_BUFFER && p->bias->type == p->type)) {
        return multiply_prepared(p, c);
    }
    MatmulKernel dense = *p; /* headers only */
    Stream bias;
    if (!stream_create(p->device, p->type, &p->bias->shape, false, &bias)) {
        return false;
    }
    dense.bias = &bias;
    bool done = copy_stream_for(&bias, p->bias, "rill.matmul: the bias is a view or of another type") &&
                multiply_prepared(&dense, c);
    stream_release(&bias);
    return done;
}
