#include "primitive/matmul.h"

#include "base/strbuf.h"
#include "gpu/shader.h"
#include "kernel/launch/copy.h"
#include "kernel/launch/internal.h"
#include "primitive/gemv.h"
#include "primitive/reduce.h"
#include "shared/matmul_words.h"

#include <string.h>

enum {
    CPU_GROUP = 16,
    CPU_ROWS = 16,
    GPU_TILE = 64,
    GPU_GROUP = 256,
    FEW_COLUMNS = 32,
    CLASHING = 512, /* elements */
    MANY_ROWS = 256,
    CACHE_LINE = 16,   /* elements */
    MAX_TRIPS = 16384, /* texels of a row that one dispatch takes */
};

/* One operand as rows of texels, dense. */
typedef struct Operand {
    Stream dense;
    int64_t rows, texels; /* of a matrix; in texels of four elements */
} Operand;

typedef struct Product {
    Device *device;
    const Type *type;
    int64_t m, n, k;
    Shape batch;                /* leading dimensions of the result; rank 0: none */
    Stream a, b;                /* matrices: at least two dimensions */
    uint32_t alpha[2], beta[2]; /* of the type: what becomes of the product, and of what the result has */
    bool keep;                  /* the result has something: else it is not read */
} Product;

/* Where the result goes, in elements. */
typedef struct Target {
    Buffer *buffer;
    int64_t base, pitch;            /* of the first one; from row to row */
    int64_t stride[SHAPE_MAX_RANK]; /* along the dimensions of the batch */
} Target;

static const Type *number_type(const Stream *s)
{
    const Type *value = s->type->value;
    bool number = !s->type->is_struct && value->components == 1 && value->scalar != SCALAR_BOOL;
    if (!number) {
        error_set("expected a matrix of numbers, got elements of %s", s->type->name);
    }
    return number ? value : NULL;
}

/* The last two dimensions of a matrix; of one dimension a row (left) or a column. */
static void matrix_size(const Stream *s, bool left, int64_t *rows, int64_t *columns)
{
    const Shape *shape = &s->shape;
    *columns = shape->size[shape->rank - 1];
    *rows = shape->rank > 1 ? shape->size[shape->rank - 2] : 1;
    if (shape->rank == 1 && !left) {
        *rows = *columns;
        *columns = 1;
    }
}

static Shape leading(const Shape *shape)
{
    Shape result = *shape;
    result.rank = shape->rank > 2 ? shape->rank - 2 : 0;
    return result;
}

static bool batch_shape(const Stream *a, const Stream *b, Shape *batch)
{
    char x[SHAPE_TEXT], y[SHAPE_TEXT];
    Shape one = leading(&a->shape), other = leading(&b->shape);
    if (one.rank == 0 || other.rank == 0) {
        *batch = one.rank ? one : other;
        return true;
    }
    return shape_broadcast(&one, &other, batch) || error_set("the leading dimensions of %s and %s don't broadcast",
                                                             shape_text(&a->shape, x), shape_text(&b->shape, y));
}

bool matmul_result(const Stream *a, const Stream *b, Shape *shape, const Type **type)
{
    const Type *s = number_type(a), *t = s ? number_type(b) : NULL;
    char x[SHAPE_TEXT], y[SHAPE_TEXT];
    int64_t m, n, k, l;
    if (!t || !batch_shape(a, b, shape)) {
        return false;
    }
    *type = type_converts(s, t) ? t : s;
    matrix_size(a, true, &m, &k);
    matrix_size(b, false, &l, &n);
    if (k != l) {
        return error_set("the shapes %s and %s have no product: %lld columns meet %lld rows", shape_text(&a->shape, x),
                         shape_text(&b->shape, y), (long long)k, (long long)l);
    }
    if (shape->rank + 2 > SHAPE_MAX_RANK) {
        return error_set("the product of %s and %s has too many dimensions", shape_text(&a->shape, x),
                         shape_text(&b->shape, y));
    }
    if (a->shape.rank > 1) {
        shape->size[shape->rank++] = m;
    }
    if (b->shape.rank > 1) {
        shape->size[shape->rank++] = n;
    }
    if (shape->rank == 0) {
        *shape = (Shape){.rank = 1, .size = {1}};
    }
    return shape_check(shape);
}

/* preparing */

/* A header of at least two dimensions over the same elements. */
static void as_matrix(const Stream *s, bool left, Stream *result)
{
    static const ViewDim still = {.stride = 0, .step = 1, .start = 0, .div = 1, .mod = 0};
    stream_copy_view(s, result);
    if (s->shape.rank > 1) {
        return;
    }
    result->shape = (Shape){.rank = 2, .size = {s->shape.size[0], s->shape.size[0]}};
    result->shape.size[left ? 0 : 1] = 1;
    result->dim[1] = left ? s->dim[0] : still;
    result->dim[0] = left ? still : s->dim[0];
}

/* The last two dimensions exchanged. */
static void turn(Stream *s)
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

static bool plain(const ViewDim *dim)
{
    return dim->step == 1 && dim->start == 0 && dim->div == 1 && dim->mod == 0;
}

static bool row_major(const Stream *s)
{
    int64_t stride = 1;
    for (int d = s->shape.rank; d-- > 0;) {
        const ViewDim *dim = &s->dim[d];
        if (s->shape.size[d] != 1 && !(plain(dim) && dim->stride == stride)) {
            return false;
        }
        stride *= s->shape.size[d];
    }
    return true;
}

/* Elements from row to row: whole texels. Rows that are a multiple of a page's bytes apart, or of half of that, would share a few sets of a
 * processor's cache. */
static int64_t pitch_of(const Stream *s, int64_t columns, int64_t rows)
{
    int64_t padded = (columns + 3) / 4 * 4;
    bool clash = padded % CLASHING == 0 && rows >= MANY_ROWS && device_traits(s->device)->family == FAMILY_CPU;
    return clash ? padded + CACHE_LINE : padded;
}

/* Rows of whole texels, the rest of the last one zero; of B the number of rows, too, is a multiple of four. */
static bool pad(const Stream *s, const Type *type, int unit, Operand *operand)
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
        done = copy_stream(&part, s);
        stream_release(&part);
    }
    return done;
}

/* running */

static Program *find_program(Device *device, const Type *type, bool tile, bool block, int rows)
{
    static const struct {
        Scalar scalar;
        const char *text;
    } names[] = {
        {SCALAR_FLOAT, "#define T float\n#define T4 vec4\n#define FROM_BITS uintBitsToFloat\n#define TO_BITS "
                       "floatBitsToUint\n"},
        {SCALAR_DOUBLE, "#define T double\n#define T4 dvec4\n#define DOUBLE\n"},
        {SCALAR_INT, "#define T int\n#define T4 ivec4\n#define FROM_BITS ivec4\n#define TO_BITS uint\n"},
        {SCALAR_UINT, "#define T uint\n#define T4 uvec4\n#define FROM_BITS uvec4\n#define TO_BITS uint\n"},
    };
    StrBuf defines = STRBUF_EMPTY;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        strbuf_add(&defines, names[i].scalar == type->scalar ? names[i].text : "");
    }
    strbuf_addf(&defines, "#define GROUP %d\n#define ROWS %d\n%s%s", tile ? GPU_GROUP : CPU_GROUP, rows,
                tile ? "#define TILE\n" : "", block ? "#define BLOCK\n" : "");
    Program *program = shader_program(device, "matmul.comp", strbuf_text(&defines));
    strbuf_free(&defines);
    return program;
}

/* Texels from one matrix of a batch to the next along dimension d of the result's, counted from the fastest; 0 where it repeats. */
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

static uint64_t divide_up(int64_t n, int64_t unit)
{
    return (uint64_t)((n + unit - 1) / unit);
}

static bool too_large(const Stream *s)
{
    return !buffer_texture_reaches(s->device, TEXEL_VECTOR, buffer_capacity(s->buffer));
}

/* Where the elements of a dense result go. */
static Target dense_target(const Product *p, const Stream *c)
{
    Target target = {.buffer = c->buffer, .base = c->offset, .pitch = p->n};
    int64_t stride = p->m * p->n;
    for (int d = p->batch.rank; d-- > 0;) {
        target.stride[d] = stride;
        stride *= p->batch.size[d];
    }
    return target;
}

/* The same for a matrix, or a batch of them, whose elements stand in a row along the last dimension. False where they do not. */
static bool find_target(const Product *p, const Stream *c, Target *target)
{
    int rank = c->shape.rank;
    if (c->contiguous) {
        *target = dense_target(p, c);
        return true;
    }
    bool rows = rank == p->batch.rank + 2 && (p->n == 1 || c->dim[rank - 1].stride == 1);
    for (int d = 0; d < rank && rows; d++) {
        rows = plain(&c->dim[d]) && c->dim[d].stride >= 0;
    }
    if (rows) {
        *target = (Target){.buffer = c->buffer, .base = c->offset, .pitch = c->dim[rank - 2].stride};
        for (int d = 0; d < p->batch.rank; d++) {
            target->stride[d] = c->dim[d].stride;
        }
    }
    return rows;
}

static bool multiply(const Product *p, const Operand *a, const Operand *b, const Target *c)
{
    const DeviceTraits *traits = device_traits(p->device);
    bool tile = traits->family == FAMILY_GPU;
    bool block = !traits->buffer_textures || too_large(&a->dense) || too_large(&b->dense);
    int rows = p->type->scalar == SCALAR_DOUBLE ? CPU_ROWS / 2 : CPU_ROWS;
    rows = p->m <= 1 ? 1 : p->m <= 4 ? 4 : rows;
    Dispatch dispatch = {.program = find_program(p->device, p->type, tile, block, rows),
                         .param_vectors = MATMUL_P_VECTORS};
    if (!dispatch.program || !buffer_block_fits(c->buffer) ||
        (block && !(buffer_block_fits(a->dense.buffer) && buffer_block_fits(b->dense.buffer)))) {
        return false;
    }
    uint64_t tiles_m = divide_up(p->m, tile ? GPU_TILE : rows),
             tiles_n = divide_up(p->n, tile ? GPU_TILE : 4 * CPU_GROUP);
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
                                             [MATMUL_P_KEEP] = p->keep,
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
    dispatch.groups[0] = tiles_m * tiles_n * batch;
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
        done = device_dispatch(p->device, &dispatch);
    }
    return done;
}

/* A column's product is a sum along each row. */
static bool along_rows(const Product *p, Stream *c)
{
    Stream row = p->b, sums;
    Shape shape = p->a.shape;
    turn(&row);
    row.shape.size[0] = p->m;
    row.dim[0] = (ViewDim){.stride = 0, .step = 1, .div = 1};
    shape.size[1] = 1;
    if (!reduce_stream(REDUCE_DOT, &p->a, &row, &shape, false, &sums)) {
        return false;
    }
    Stream flat;
    bool done = stream_reshape(&sums, &c->shape, &flat);
    if (done) {
        done = copy_stream(c, &flat);
        stream_release(&flat);
    }
    stream_release(&sums);
    return done;
}

/* `c` is a dense result, or overlaps none of both. */
static bool multiply_padded(const Product *p, const Target *c)
{
    Operand a = {0}, b = {0};
    bool done = pad(&p->a, p->type, 1, &a) && pad(&p->b, p->type, 4, &b) && multiply(p, &a, &b, c);
    stream_release(&a.dense);
    stream_release(&b.dense);
    return done;
}

/* Few columns leave lanes idle: the transpose of b's transpose with a's is the same. */
static bool multiply_turned(const Product *p, Stream *c)
{
    Product turned = *p; /* headers only */
    Stream result, view;
    Shape shape = p->batch;
    turned.m = p->n;
    turned.n = p->m;
    turned.a = p->b;
    turned.b = p->a;
    turn(&turned.a);
    turn(&turned.b);
    shape.size[shape.rank++] = turned.m;
    shape.size[shape.rank++] = turned.n;
    if (!stream_create(p->device, p->type, &shape, false, &result)) {
        return false;
    }
    Stream back = result;
    turn(&back);
    Target target = dense_target(&turned, &result);
    bool done = multiply_padded(&turned, &target) && stream_reshape(c, &back.shape, &view);
    if (done) {
        done = copy_stream(&view, &back);
        stream_release(&view);
    }
    stream_release(&result);
    return done;
}

/* The ways to a product. */
static bool is_along_rows(const Product *p)
{
    bool real = p->type->scalar == SCALAR_FLOAT || p->type->scalar == SCALAR_DOUBLE;
    return p->n == 1 && p->batch.rank == 0 && real && p->a.type->value == p->type && p->b.type->value == p->type;
}

static bool is_turned(const Product *p)
{
    return p->n < FEW_COLUMNS && p->m > 2 * p->n;
}

/* Of a matrix and a vector, in the other order of the two: gemv_add's. */
static bool is_gemv(const Product *p, Stream *matrix, Stream *vector)
{
    bool column = p->n == 1;
    if (p->batch.rank || (!column && p->m != 1) || p->a.type != p->b.type || p->type != p->a.type) {
        return false;
    }
    *matrix = column ? p->a : p->b; /* headers only */
    *vector = column ? p->b : p->a;
    if (!column) {
        turn(matrix);
        turn(vector);
    }
    vector->shape.rank = 1;
    return gemv_accepts(matrix);
}

static bool run(const Product *p, Stream *c)
{
    Stream matrix, vector;
    if (is_gemv(p, &matrix, &vector)) {
        Stream line = *c; /* the same elements in one dimension */
        line.shape = (Shape){.rank = 1, .size = {stream_elements(c)}};
        line.dim[0] = (ViewDim){.stride = 1, .step = 1, .div = 1};
        return gemv_add(1, &matrix, &vector, 0, &line);
    }
    if (is_along_rows(p)) {
        return along_rows(p, c);
    }
    Target target = dense_target(p, c);
    return is_turned(p) ? multiply_turned(p, c) : multiply_padded(p, &target);
}

static void set_factor(const Type *type, double value, uint32_t words[2])
{
    float single = (float)value;
    if (type->scalar == SCALAR_DOUBLE) {
        memcpy(words, &value, sizeof value);
    } else if (type->scalar == SCALAR_FLOAT) {
        memcpy(words, &single, sizeof single);
    } else {
        words[0] = (uint32_t)(int64_t)value;
    }
}

/* Fills all but the operands, which product_operands adds; the result's shape. */
static bool product_start(const Stream *a, const Stream *b, Product *p, Shape *shape)
{
    *p = (Product){.device = a->device};
    if (!matmul_result(a, b, shape, &p->type) || !batch_shape(a, b, &p->batch)) {
        return false;
    }
    matrix_size(a, true, &p->m, &p->k);
    matrix_size(b, false, &p->k, &p->n);
    set_factor(p->type, 1, p->alpha);
    return true;
}

static void product_operands(const Stream *a, const Stream *b, Product *p)
{
    as_matrix(a, true, &p->a);
    as_matrix(b, false, &p->b);
}

static void product_release(Product *p)
{
    stream_release(&p->a);
    stream_release(&p->b);
}

bool matmul_stream(const Stream *a, const Stream *b, Stream *result)
{
    Product p;
    Shape shape;
    if (!product_start(a, b, &p, &shape) || !stream_create(a->device, p.type, &shape, p.k == 0, result)) {
        return false;
    }
    if (p.k == 0 || stream_elements(result) == 0) {
        return true;
    }
    product_operands(a, b, &p);
    bool done = run(&p, result);
    product_release(&p);
    if (!done) {
        stream_release(result);
    }
    return done;
}

/* updates */

/* c = alpha * product + beta * c. Factors that are 0 leave out what they would multiply. */
static bool join(Stream *c, const Stream *product, const uint32_t *alpha, const uint32_t *beta)
{
    const char *t = c->type->name;
    StrBuf text = STRBUF_EMPTY;
    strbuf_addf(&text,
                "kernel void join(%s p<>, %s alpha, %s beta, inout %s c<>) {\n"
                "  %s kept = beta == %s(0) ? %s(0) : beta * c;\n"
                "  c = alpha == %s(0) ? kept : beta == %s(0) ? alpha * p : alpha * p + kept;\n}\n",
                t, t, t, t, t, t, t, t, t);
    Kernel *kernel = internal_kernel(c->device, strbuf_text(&text));
    strbuf_free(&text);
    Argument args[] = {{.stream = product}, {.words = alpha}, {.words = beta}, {.stream = c}};
    return kernel && kernel_launch(kernel, c->device, args, &c->shape, false);
}

/* Straight into c, where the way to the product can: *direct. */
static bool add_directly(const Product *p, const Stream *a, const Stream *b, Stream *c, bool *direct)
{
    Target target;
    *direct = c->source == SOURCE_BUFFER && !is_along_rows(p) && !is_turned(p) && find_target(p, c, &target) &&
              !stream_overlaps(c, a) && !stream_overlaps(c, b);
    if (!*direct) {
        return true;
    }
    stream_wrote(c);
    return multiply_padded(p, &target);
}

/* The other ways: a product of its own, which is added. */
static bool add_joined(const Product *p, const Stream *a, const Stream *b, Stream *c)
{
    Stream product;
    if (!matmul_stream(a, b, &product)) {
        return false;
    }
    bool done = join(c, &product, p->alpha, p->beta);
    stream_release(&product);
    return done;
}

static bool add_product(double alpha, const Stream *a, const Stream *b, double beta, Product *p, Stream *c)
{
    bool direct = true, done;
    Stream matrix, vector;
    product_operands(a, b, p);
    if (c->shape.rank == 1 && is_gemv(p, &matrix, &vector)) {
        done = gemv_add(alpha, &matrix, &vector, beta, c);
    } else {
        done = add_directly(p, a, b, c, &direct);
    }
    product_release(p);
    return done && !direct ? add_joined(p, a, b, c) : done;
}

bool matmul_add(double alpha, const Stream *a, const Stream *b, double beta, Stream *c)
{
    Product p;
    Shape shape;
    char x[SHAPE_TEXT], y[SHAPE_TEXT];
    if (!product_start(a, b, &p, &shape)) {
        return false;
    }
    if (!shape_equal(&shape, &c->shape)) {
        return error_set("the product is %s, what it is added to is %s", shape_text(&shape, x),
                         shape_text(&c->shape, y));
    }
    if (p.type != c->type) {
        return error_set("the product is of %s, what it is added to is of %s", p.type->name, c->type->name);
    }
    if (stream_elements(c) == 0 || (beta == 1 && (alpha == 0 || p.k == 0))) {
        return true;
    }
    set_factor(p.type, alpha, p.alpha);
    set_factor(p.type, beta, p.beta);
    p.keep = beta != 0;
    if (alpha != 0 && p.k > 0) {
        return add_product(alpha, a, b, beta, &p, c);
    }
    static const double zero;
    set_factor(p.type, 0, p.alpha);
    return p.keep ? join(c, c, p.alpha, p.beta) : copy_fill(c, &zero);
}
