#include "linalg/spmv.h"

#include "gpu/program/shader.h"
#include "kernel/launch/copy.h"
#include "shared/spmv_words.h"

enum {
    CPU_GROUP = 64,
    GPU_GROUP = 256,
    MOST_LANES = 256,
    LANE_ENTRIES = 8, /* approximate number of entries per lane */
    SUM_LANES = 64,   /* lanes that add the pieces of a row */
    MOST_DOTS = 16384,
};

static bool is_double(const Stream *s)
{
    return s->type->scalar == SCALAR_DOUBLE;
}

/* Returns whether an invocation multiplies four rows, one per component of a texel: ELL and slices. */
static bool is_ell(const SparseRows *a)
{
    return !a->offsets || a->order;
}

/* Returns the number of lanes per row, from the mean length: one, several, or a whole work group. */
static int lanes_of(const SparseRows *a, const Stream *x, bool cpu)
{
    int64_t rows = a->offsets->shape.size[0] - 1, entries = stream_elements(a->columns ? a->columns : x), lanes = 1;
    while (!cpu && lanes < MOST_LANES && rows * lanes * LANE_ENTRIES < entries) {
        lanes *= 2;
    }
    return (int)lanes;
}

static bool too_large(const Stream *s, TexelFormat format)
{
    return !buffer_texture_reaches(s->device, format, buffer_capacity(s->buffer));
}

static uint32_t first_word(const Stream *s)
{
    return (uint32_t)(s->offset * (s->type->bytes / 4));
}

/* The variant of a program: for matrices of vectors, of whole texels of floats, with storage blocks. */
typedef struct Variant {
    bool wide, fours, block;
    bool columns, result_double, value_double, ell, slices, listed, divided, scattered, dots;
    int group, lanes;
    int texels; /* texels of a row of X per invocation */
} Variant;

static void write_defines(StrBuf *text, const void *given)
{
    const Variant *v = given;
    const struct {
        bool set;
        const char *name;
    } flags[] = {{v->result_double, "RESULT_DOUBLE"},
                 {v->columns, "COLUMNS_GIVEN"},
                 {v->value_double, "VALUE_DOUBLE"},
                 {v->wide, "WIDE"},
                 {v->fours, "FOURS"},
                 {v->ell, "ELL"},
                 {v->slices, "SLICES"},
                 {v->block, "BLOCK"},
                 {v->listed, "LISTED"},
                 {v->divided, "LONG"},
                 {v->scattered, "SCATTERED"},
                 {v->dots, "DOTS"}};
    strbuf_addf(text, "#define GROUP %d\n#define LANES %d\n#define TEXELS %d\n#define T %s\n", v->group, v->lanes,
                v->texels, v->result_double ? "double" : "float");
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (flags[i].set) {
            strbuf_addf(text, "#define %s\n", flags[i].name);
        }
    }
}

static Program *find_program(const SparseRows *a, const Stream *y, Variant *v)
{
    v->columns = a->columns;
    v->result_double = is_double(y);
    v->value_double = a->values && is_double(a->values);
    v->ell = is_ell(a);
    v->slices = a->order;
    v->listed = a->list;
    v->divided = a->pieces;
    v->dots = a->dots;
    const bool flags[] = {v->wide, v->fours,  v->block,  v->columns, v->result_double, v->value_double,
                          v->ell,  v->slices, v->listed, v->divided, v->scattered,     v->dots};
    uint64_t key = (uint64_t)v->group | (uint64_t)v->lanes << 16 | (uint64_t)v->texels << 32;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        key |= (uint64_t)flags[i] << (40 + i);
    }
    return shader_variant(y->device, "spmv.comp", key, write_defines, v);
}

/* Binds the streams in the order of the shader's bindings. Returns whether they fit. */
static bool bind(const SparseRows *a, const Stream *x, const Stream *y, Dispatch *dispatch, Variant *variant)
{
    const Stream *first = a->offsets ? a->offsets : a->columns, *fifth = a->list ? a->list : a->pieces;
    /* Streams that a variant does not read are replaced by others. */
    const Stream *streams[] = {
        first, x, a->columns ? a->columns : first, a->values ? a->values : first, fifth ? fifth : a->order, a->order};
    const TexelFormat formats[] = {TEXEL_WORD,   variant->fours ? TEXEL_VECTOR : TEXEL_WORD, TEXEL_VECTOR,
                                   TEXEL_VECTOR, a->pieces ? TEXEL_VECTOR : TEXEL_WORD,      TEXEL_VECTOR};
    int count = a->order ? 6 : fifth ? 5 : a->columns ? 4 : 2;
    variant->block = false;
    for (int i = 0; i < count; i++) {
        variant->block = variant->block || !buffer_in_texture(streams[i]->buffer, formats[i]);
    }
    dispatch->blocks[0].buffer = y->buffer;
    bool fits = buffer_block_fits(y->buffer);
    for (int i = 0; i < count; i++) {
        dispatch->textures[i] = (DispatchTexture){streams[i]->buffer, formats[i]};
        dispatch->blocks[i + 1].buffer = streams[i]->buffer;
        fits = fits && (!variant->block || buffer_block_fits(streams[i]->buffer));
    }
    dispatch->texture_count = variant->block ? 0 : count;
    dispatch->block_count = variant->block ? count + 1 : 1;
    if (a->pieces || a->dots) {
        dispatch->blocks[dispatch->block_count++].buffer = (a->dots ? a->dots : a->partial ? a->partial : y)->buffer;
    }
    return fits;
}

bool spmv_slice(const SparseRows *a, const SparseRows *to, bool *reads)
{
    const Stream *streams[] = {a->offsets, a->columns, a->values, to->offsets, to->order};
    int64_t rows = to->order->shape.size[0];
    uint64_t invocations = (uint64_t)(to->offsets->shape.size[0] - 1) * (SPMV_SLICE / 4);
    uint32_t params[4 * SPMV_P_VECTORS] = {[SPMV_P_ROWS] = (uint32_t)rows,
                                           [SPMV_P_OFFSETS] = first_word(a->offsets),
                                           [SPMV_P_COLUMNS] = first_word(a->columns),
                                           [SPMV_P_VALUES] = first_word(a->values),
                                           [SPMV_P_FIRST] = first_word(to->offsets),
                                           [SPMV_P_ORDER] = first_word(to->order)};
    Dispatch dispatch = {.params = params,
                         .param_vectors = SPMV_P_VECTORS,
                         .texture_count = 5,
                         .block_count = 2,
                         .groups = {(invocations + CPU_GROUP - 1) / CPU_GROUP, 1, 1}};
    *reads = buffer_block_fits(to->columns->buffer) && buffer_block_fits(to->values->buffer) &&
             !too_large(to->columns, TEXEL_VECTOR) && !too_large(to->values, TEXEL_VECTOR);
    for (int i = 0; i < 5; i++) {
        *reads = *reads && !too_large(streams[i], TEXEL_WORD);
        dispatch.textures[i] = (DispatchTexture){streams[i]->buffer, TEXEL_WORD};
    }
    if (!*reads) {
        return false;
    }
    dispatch.blocks[0].buffer = to->columns->buffer;
    dispatch.blocks[1].buffer = to->values->buffer;
    dispatch.program = shader_program_format(a->values->device, "spmv_slice.comp", "#define GROUP %d\n%s", CPU_GROUP,
                                             is_double(a->values) ? "#define VALUE_DOUBLE\n" : "");
    stream_wrote(to->columns);
    stream_wrote(to->values);
    return dispatch.program && device_dispatch(a->values->device, &dispatch);
}

int64_t spmv_dots(const SparseRows *a, const Stream *x, const Stream *y)
{
    bool cpu = device_traits(y->device)->family == FAMILY_CPU;
    if (cpu || a->order || a->list || a->pieces || !a->columns || y->shape.rank > 1) {
        return 0;
    }
    int64_t rows = y->shape.size[0], invocations = is_ell(a) ? (rows + 3) / 4 : rows * lanes_of(a, x, cpu);
    int64_t groups = (invocations + GPU_GROUP - 1) / GPU_GROUP;
    return groups <= MOST_DOTS ? groups : 0;
}

/* Multiplies rows. lanes: invocations per row; 0: as lanes_of returns. scattered: row i is row a->list[i] of y. */
static bool multiply(const SparseRows *a, const Stream *x, Stream *y, int lanes, bool scattered)
{
    bool cpu = device_traits(y->device)->family == FAMILY_CPU;
    int64_t rows = scattered ? stream_elements(a->list) : y->shape.size[0],
            width = y->shape.rank > 1 ? y->shape.size[1] : 1;
    if (rows * width == 0 || (a->list && stream_elements(a->list) == 0)) {
        return true;
    }
    bool ell = is_ell(a), slices = a->order;
    Variant variant = {.wide = width > 1,
                       .fours = width % 4 == 0 && !is_double(y) && (x->offset | y->offset) % 4 == 0,
                       .group = cpu ? CPU_GROUP : GPU_GROUP,
                       .scattered = scattered,
                       .lanes = lanes              ? lanes
                                : width > 1 || ell ? 1
                                                   : lanes_of(a, x, cpu)};
    variant.texels = cpu && variant.fours && width % 8 == 0 ? 2 : 1;
    int64_t blocks = (width + 4 * variant.texels - 1) / (4 * variant.texels);
    int64_t invocations = ell ? (rows + 3) / 4 : rows * (width > 1 ? blocks : variant.lanes);
    if (slices && a->list) {
        invocations = a->list->shape.size[0] * (SPMV_SLICE / 4);
    }
    uint32_t params[4 * SPMV_P_VECTORS] = {[SPMV_P_ROWS] = (uint32_t)rows,
                                           [SPMV_P_WIDTH] = (uint32_t)width,
                                           [SPMV_P_BLOCKS] = (uint32_t)blocks,
                                           [SPMV_P_OFFSETS] = !a->offsets ? 0 : first_word(a->offsets),
                                           [SPMV_P_COLUMNS] = a->columns ? first_word(a->columns) : 0,
                                           [SPMV_P_VALUES] = a->values ? first_word(a->values) : 0,
                                           [SPMV_P_X] = first_word(x),
                                           [SPMV_P_Y] = first_word(y),
                                           [SPMV_P_X_LAST] = (uint32_t)(x->shape.size[0] - 1),
                                           [SPMV_P_PLACES] = ell && !slices ? (uint32_t)a->columns->shape.size[0] : 0,
                                           [SPMV_P_PITCH] =
                                               ell && !slices ? (uint32_t)(a->columns->shape.size[1] / 4) : 0};
    if (slices) {
        params[SPMV_P_ORDER] = first_word(a->order);
    }
    uint64_t groups = (uint64_t)((invocations + variant.group - 1) / variant.group);
    if (a->pieces) {
        uint64_t pieces = (uint64_t)a->pieces->shape.size[0], together = GPU_GROUP / SPMV_PIECE_LANES;
        params[SPMV_P_LIST] = first_word(a->pieces) / 4;
        params[SPMV_P_PIECES] = (uint32_t)pieces;
        params[SPMV_P_LIMIT] = (uint32_t)a->limit;
        groups += (pieces + together - 1) / together;
    }
    if (a->dots) {
        params[SPMV_P_DOTS] = (uint32_t)(a->dots->offset + a->dot);
        params[SPMV_P_STOP] = (uint32_t)(a->dots->offset + a->stop);
        stream_wrote(a->dots);
    }
    if (a->list) {
        params[SPMV_P_LIST] = first_word(a->list);
        params[SPMV_P_LISTED] = (uint32_t)a->list->shape.size[0];
    }
    Dispatch dispatch = {.params = params, .param_vectors = SPMV_P_VECTORS};
    if (!bind(a, x, y, &dispatch, &variant)) {
        return false;
    }
    dispatch.program = find_program(a, y, &variant);
    dispatch.groups[0] = groups;
    dispatch.groups[1] = dispatch.groups[2] = 1;
    stream_wrote(y);
    return dispatch.program && device_dispatch(y->device, &dispatch);
}

bool spmv(const SparseRows *a, const Stream *x, Stream *y)
{
    bool done = multiply(a, x, y, 0, false);
    if (!done || !a->partial) {
        return done;
    }
    stream_wrote(a->partial);
    const SparseRows sums = {.offsets = a->firsts, .list = a->divided};
    return multiply(&sums, a->partial, y, SUM_LANES, true);
}

static bool plain(const Stream *s)
{
    return s->contiguous && s->source == SOURCE_BUFFER;
}

bool spmv_vectors(const SparseRows *a, const Stream *x, Stream *y)
{
    static const char why[] = "A:multiply: argument 'y' is not contiguous, or overlaps the values of A";
    Stream dense = {0}, result = {0};
    bool done = (plain(x) && !stream_overlaps(x, y)) ||
                copy_new_for(x, NULL, "A:multiply: argument 'x' is not contiguous, or overlaps the result", &dense);
    x = dense.buffer ? &dense : x;
    if (plain(y) && !(a->values && stream_overlaps(a->values, y))) {
        done = done && spmv(a, x, y);
    } else {
        done = done && copy_new_for(y, NULL, why, &result) && spmv(a, x, &result) && copy_stream_for(y, &result, why);
    }
    stream_release(&dense);
    stream_release(&result);
    return done;
}
