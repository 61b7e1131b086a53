#include "linalg/gemv.h"

#include "base/round.h"
#include "gpu/program/shader.h"
#include "kernel/launch/builtin.h"
#include "kernel/launch/copy.h"
#include "shared/gemv_words.h"
#include "stream/view_dim.h"

#include <string.h>

enum {
    LEAST_ROWS = 32,
    LEAST_COLUMNS = 64,
    CPU_PARTS = 4, /* least parts of one sum: parts cost time, but several cores need several invocations */
    CPU_COLUMN_PARTS = 8,
    CPU_MOST_PARTS = 16,
    CPU_INVOCATIONS = 512,
    GPU_PARTS = 16,
    GPU_MOST_PARTS = 256,
    GPU_INVOCATIONS = 65536,
    LONGEST_PART = 131072, /* rows: four per trip, far below a device's limit on trips */
    CPU_GROUP = 16,
    GPU_GROUP = 64,
    CPU_WIDE = 8, /* texels of a row that a lane sums along columns: devices that prefetch prefer long rows */
    CPU_WIDEST = 16,
    WIDE_TEXELS = 512, /* least texels of a row for which CPU_WIDEST is worth its compilation */
};

/* Adds the parts of each sum. If a part is infinite or NaN, the sum of the errors is NaN, and the plain sum is used. */
static const char finish_text[] =
    "kernel void gemv_finish(V sum[][], V error[][], int parts, T alpha, T beta, inout T y<>) {\n"
    "  int at = indexof(y).x / N, c = indexof(y).x % N;\n"
    "  T s = T(0), e = T(0);\n"
    "  for (int l = 0; l < parts; l++) {\n"
    "    V p = sum[l][at], q = error[l][at];\n"
    "    precise T t = s + p[c]; precise T z = t - s; precise T d = (s - (t - z)) + (p[c] - z);\n"
    "    s = t; e += d + q[c];\n"
    "  }\n"
    "  precise T r = s + e; precise T bad = e - e;\n"
    "  r = alpha * (isnan(bad) ? s : r);\n"
    "  y = beta == T(0) ? r : r + beta * y;\n"
    "}\n";

static bool is_double(const Stream *s)
{
    return s->type->scalar == SCALAR_DOUBLE;
}

/* Returns the number of elements of a texel. */
static int texel_of(const Stream *s)
{
    return is_double(s) ? 2 : 4;
}

/* Returns whether each row is contiguous and consists of whole texels. */
static bool has_rows(const Stream *a)
{
    int64_t texel = texel_of(a);
    return view_dim_plain(&a->dim[0]) && view_dim_plain(&a->dim[1]) && a->dim[1].stride == 1 && a->dim[0].stride > 0 &&
           a->shape.size[1] % texel == 0 && a->dim[0].stride % texel == 0 && a->offset % texel == 0;
}

static Stream transposed(const Stream *a)
{
    Stream t = *a; /* a header only */
    t.shape.size[0] = a->shape.size[1];
    t.shape.size[1] = a->shape.size[0];
    t.dim[0] = a->dim[1];
    t.dim[1] = a->dim[0];
    t.contiguous = false;
    return t;
}

bool gemv_accepts(const Stream *a)
{
    bool real = a->type == type_of(SCALAR_FLOAT, 1) || a->type == type_of(SCALAR_DOUBLE, 1);
    if (!real || a->shape.rank != 2 || a->source != SOURCE_BUFFER || a->shape.size[0] < LEAST_ROWS ||
        a->shape.size[1] < LEAST_COLUMNS) {
        return false;
    }
    Stream t = transposed(a);
    return has_rows(a) || has_rows(&t);
}

static bool on_cpu(const Stream *a)
{
    return device_traits(a->device)->family == FAMILY_CPU;
}

/* Returns the number of parts of one sum, if each part has `count` invocations. */
static int64_t part_count(const Stream *a, bool columns, int64_t count)
{
    bool cpu = on_cpu(a);
    int64_t parts = !cpu ? GPU_PARTS : columns ? CPU_COLUMN_PARTS : CPU_PARTS;
    int64_t most = cpu ? CPU_MOST_PARTS : GPU_MOST_PARTS, enough = cpu ? CPU_INVOCATIONS : GPU_INVOCATIONS;
    while (parts < most && parts * count < enough) {
        parts *= 2;
    }
    return parts;
}

static int wide_of(const Stream *a)
{
    bool widest = a->shape.size[1] >= (int64_t)WIDE_TEXELS * texel_of(a);
    return !on_cpu(a) ? 1 : widest ? CPU_WIDEST : CPU_WIDE;
}

static bool dispatch(const Stream *a, const Stream *x, bool columns, const uint32_t *params, const Stream sums[2])
{
    bool block = !buffer_in_texture(a->buffer, TEXEL_VECTOR) || !buffer_in_texture(x->buffer, TEXEL_VECTOR);
    int group = on_cpu(a) ? CPU_GROUP : GPU_GROUP;
    Dispatch run = {.params = params,
                    .param_vectors = GEMV_P_VECTORS,
                    .texture_count = block ? 0 : 2,
                    .block_count = block ? 4 : 2,
                    .groups = {(uint64_t)divide_up(params[GEMV_P_COUNT], group), 1, 1}};
    run.program = shader_program_format(a->device, "gemv.comp", "#define GROUP %d\n#define WIDE %d\n%s%s%s", group,
                                        wide_of(a), is_double(a) ? "#define DOUBLE\n" : "",
                                        columns ? "#define COLUMNS\n" : "", block ? "#define BLOCK\n" : "");
    run.textures[0] = (DispatchTexture){a->buffer, TEXEL_VECTOR};
    run.textures[1] = (DispatchTexture){x->buffer, TEXEL_VECTOR};
    const Stream *blocks[] = {&sums[0], &sums[1], a, x};
    for (int i = 0; i < run.block_count; i++) {
        run.blocks[i].buffer = blocks[i]->buffer;
        if (!buffer_block_fits(blocks[i]->buffer)) {
            return false;
        }
    }
    return run.program && device_dispatch(a->device, &run);
}

/* Computes the parts of the sums and their errors, {parts, texels of the result}. `columns`: for the transpose. */
static bool sum_parts(const Stream *a, const Stream *x, bool columns, Stream sums[2])
{
    int64_t texel = texel_of(a), rows = a->shape.size[0], width = a->shape.size[1] / texel;
    int64_t across = columns ? width : (rows + texel - 1) / texel;
    int64_t lanes = columns ? (width + 8 * wide_of(a) - 1) / (8 * wide_of(a)) * 8 : across;
    int64_t parts = part_count(a, columns, lanes);
    int64_t length = ((rows + parts - 1) / parts + 3) / 4 * 4;
    length = length < LONGEST_PART ? length : LONGEST_PART;
    if (columns) {
        parts = (rows + length - 1) / length;
    }
    uint32_t params[4 * GEMV_P_VECTORS] = {[GEMV_P_COUNT] = (uint32_t)(lanes * parts),
                                           [GEMV_P_ROWS] = (uint32_t)rows,
                                           [GEMV_P_TEXELS] = (uint32_t)width,
                                           [GEMV_P_PITCH] = (uint32_t)(a->dim[0].stride / texel),
                                           [GEMV_P_BASE] = (uint32_t)(a->offset / texel),
                                           [GEMV_P_X_BASE] = (uint32_t)(x->offset / texel),
                                           [GEMV_P_PARTS] = (uint32_t)parts,
                                           [GEMV_P_LENGTH] = (uint32_t)length};
    Shape shape = {.rank = 2, .size = {columns ? parts : across, columns ? across : parts}};
    const Type *type = type_of(a->type->scalar, (int)texel);
    if (!stream_create(a->device, type, &shape, false, &sums[0]) ||
        !stream_create(a->device, type, &shape, false, &sums[1]) || !dispatch(a, x, columns, params, sums)) {
        return false;
    }
    for (int i = 0; i < 2 && !columns; i++) {
        sums[i] = transposed(&sums[i]); /* keeps the ownership */
    }
    return true;
}

static bool finish(const Stream *a, const Stream sums[2], double alpha, double beta, Stream *y)
{
    union {
        float single;
        double wide;
        uint32_t words[2];
    } factor[2] = {{.wide = alpha}, {.wide = beta}};
    for (int i = 0; i < 2 && !is_double(a); i++) {
        factor[i].single = (float)factor[i].wide;
    }
    uint32_t parts = (uint32_t)sums[0].shape.size[0];
    StrBuf text = STRBUF_EMPTY;
    strbuf_addf(&text, "#define T %s\n#define V %s\n#define N %d\n%s", is_double(a) ? "double" : "float",
                is_double(a) ? "dvec2" : "vec4", texel_of(a), finish_text);
    Kernel *kernel = builtin_kernel(a->device, strbuf_text(&text));
    strbuf_free(&text);
    Argument args[] = {{.stream = &sums[0]},       {.stream = &sums[1]},       {.words = &parts},
                       {.words = factor[0].words}, {.words = factor[1].words}, {.stream = y}};
    return kernel && kernel_launch(kernel, a->device, args, &y->shape, false);
}

/* Creates a view or copy of x that is contiguous and begins at a texel. */
static bool line_up(const Stream *x, Stream *line)
{
    if (x->source == SOURCE_BUFFER && x->contiguous && x->offset % texel_of(x) == 0) {
        stream_copy_view(x, line);
        return true;
    }
    return copy_new_for(x, NULL, "the vector of a product is not contiguous, or begins within a texel", line);
}

bool gemv_add(double alpha, const Stream *a, const Stream *x, double beta, Stream *y)
{
    Stream t = transposed(a), line = {0}, sums[2] = {{0}, {0}};
    bool columns = !has_rows(a);
    bool done =
        line_up(x, &line) && sum_parts(columns ? &t : a, &line, columns, sums) && finish(a, sums, alpha, beta, y);
    stream_release(&line);
    stream_release(&sums[0]);
    stream_release(&sums[1]);
    return done;
}
