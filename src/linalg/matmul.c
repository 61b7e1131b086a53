#include "linalg/matmul.h"

#include "base/strbuf.h"
#include "kernel/launch/builtin.h"
#include "kernel/launch/copy.h"
#include "linalg/gemv.h"
#include "linalg/matmul_kernel.h"
#include "primitive/reduction/reduce.h"

#include <string.h>

static const Type *number_type(const Stream *s)
{
    const Type *value = s->type->value;
    bool number = !s->type->is_struct && value->components == 1 && value->scalar != SCALAR_BOOL;
    if (!number) {
        error_set("expected a matrix of numbers, got elements of %s", s->type->name);
    }
    return number ? value : NULL;
}

/* Returns the last two sizes of a matrix. A stream of one dimension is a row (`left`) or a column. */
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
    return shape_broadcast(&one, &other, batch) || error_set("the leading dimensions of %s and %s do not broadcast",
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

/* Creates a header of at least two dimensions over the same elements. */
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

/* Multiplies a matrix by a column as a sum of products along each row. */
static bool along_rows(const MatmulKernel *p, Stream *c)
{
    Stream row = p->b, sums;
    Shape shape = p->a.shape;
    matmul_kernel_transpose(&row);
    row.shape.size[0] = p->m;
    row.dim[0] = (ViewDim){.stride = 0, .step = 1, .div = 1};
    shape.size[1] = 1;
    if (!reduce_stream(REDUCE_DOT, &p->a, &row, &shape, false, &sums)) {
        return false;
    }
    Stream flat;
    bool done = stream_reshape(&sums, &c->shape, &flat);
    if (done) {
        done = copy_stream_for(c, &flat, "rill.matmul: the result is a column of a reduction");
        stream_release(&flat);
    }
    stream_release(&sums);
    return done;
}

/* Choice of the method. */
static bool is_along_rows(const MatmulKernel *p)
{
    bool real = p->type->scalar == SCALAR_FLOAT || p->type->scalar == SCALAR_DOUBLE;
    return p->n == 1 && p->batch.rank == 0 && real && p->a.type->value == p->type && p->b.type->value == p->type;
}

/* Returns whether gemv_add can compute the product, and stores its matrix and vector. A row times a matrix is
 * computed with the transpose. */
static bool is_gemv(const MatmulKernel *p, Stream *matrix, Stream *vector)
{
    bool column = p->n == 1;
    if (p->batch.rank || (!column && p->m != 1) || p->a.type != p->b.type || p->type != p->a.type) {
        return false;
    }
    *matrix = column ? p->a : p->b; /* headers only */
    *vector = column ? p->b : p->a;
    if (!column) {
        matmul_kernel_transpose(matrix);
        matmul_kernel_transpose(vector);
    }
    vector->shape.rank = 1;
    return gemv_accepts(matrix);
}

static bool run(const MatmulKernel *p, Stream *c)
{
    Stream matrix, vector;
    bool plain = !p->bias && p->activation == ACTIVATION_NONE;
    if (plain && is_gemv(p, &matrix, &vector)) {
        Stream line = *c; /* the same elements in one dimension */
        line.shape = (Shape){.rank = 1, .size = {stream_elements(c)}};
        line.dim[0] = (ViewDim){.stride = 1, .step = 1, .div = 1};
        return gemv_add(1, &matrix, &vector, 0, &line);
    }
    if (plain && is_along_rows(p)) {
        return along_rows(p, c);
    }
    Target target = matmul_kernel_dense(p, c);
    return matmul_kernel_multiply(p, &target);
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

/* Fills in all fields except the operands, which product_operands adds, and the shape of the result. */
static bool product_start(const Stream *a, const Stream *b, MatmulKernel *p, Shape *shape)
{
    *p = (MatmulKernel){.device = a->device};
    if (!matmul_result(a, b, shape, &p->type) || !batch_shape(a, b, &p->batch)) {
        return false;
    }
    matrix_size(a, true, &p->m, &p->k);
    matrix_size(b, false, &p->k, &p->n);
    set_factor(p->type, 1, p->alpha);
    return true;
}

static void product_operands(const Stream *a, const Stream *b, MatmulKernel *p)
{
    as_matrix(a, true, &p->a);
    as_matrix(b, false, &p->b);
}

static void product_release(MatmulKernel *p)
{
    stream_release(&p->a);
    stream_release(&p->b);
}

/* Returns whether the bias and the activation fit the product. */
static bool check_finish(const MatmulKernel *p, const MatmulFinish *finish)
{
    char text[SHAPE_TEXT];
    if (finish->bias && (finish->bias->shape.rank != 1 || finish->bias->shape.size[0] != p->n)) {
        return error_set("option 'bias': expected %lld elements in one dimension, one for each column of the product, "
                         "got the shape %s",
                         (long long)p->n, shape_text(&finish->bias->shape, text));
    }
    if (finish->bias && finish->bias->type->value != p->type) {
        return error_set("option 'bias': expected elements of %s, as the product has, got %s", p->type->name,
                         finish->bias->type->name);
    }
    bool smooth = finish->activation == ACTIVATION_SIGMOID || finish->activation == ACTIVATION_TANH;
    return !smooth || p->type->scalar == SCALAR_FLOAT || p->type->scalar == SCALAR_DOUBLE ||
           error_set("option 'activation': expected \"relu\" for a product of %s", p->type->name);
}

/* Applies an activation that matmul.comp does not have: of doubles. */
static bool activate(Stream *c, Activation activation)
{
    Kernel *kernel =
        builtin_kernel(c->device, activation == ACTIVATION_TANH
                                      ? "kernel void activate(inout double c<>) { c = tanh(c); }\n"
                                      : "kernel void activate(inout double c<>) { c = 1.0LF / (1.0LF + exp(-c)); }\n");
    Argument args[] = {{.stream = c}};
    return kernel && kernel_launch(kernel, c->device, args, &c->shape, false);
}

/* Computes a product without terms: the bias in each row, through the activation. */
static bool finish_nothing(MatmulKernel *p, Stream *c)
{
    Stream zeros;
    Shape shape = {.rank = 1, .size = {1}};
    if (!stream_create(p->device, p->type, &shape, true, &zeros)) {
        return false;
    }
    zeros.dim[1] = (ViewDim){.stride = 0, .step = 1, .div = 1};
    zeros.dim[0] = zeros.dim[1];
    zeros.shape = (Shape){.rank = 2, .size = {p->m, 1}};
    stream_copy_view(&zeros, &p->a);
    zeros.shape = (Shape){.rank = 2, .size = {1, p->n}};
    stream_copy_view(&zeros, &p->b);
    p->k = 1;
    bool done = run(p, c);
    stream_release(&p->a);
    stream_release(&p->b);
    stream_release(&zeros);
    return done;
}

bool matmul_stream(const Stream *a, const Stream *b, const MatmulFinish *finish, Stream *result)
{
    MatmulKernel p;
    Shape shape;
    if (!product_start(a, b, &p, &shape) || (finish && !check_finish(&p, finish)) ||
        !stream_create(a->device, p.type, &shape, p.k == 0, result)) {
        return false;
    }
    if ((p.k == 0 && !finish) || stream_elements(result) == 0) {
        return true;
    }
    bool later = finish && finish->activation > ACTIVATION_RELU && p.type->scalar == SCALAR_DOUBLE;
    if (finish) {
        p.bias = finish->bias;
        p.activation = later ? ACTIVATION_NONE : finish->activation;
    }
    bool done;
    if (p.k == 0) {
        done = finish_nothing(&p, result);
    } else {
        product_operands(a, b, &p);
        done = run(&p, result);
        product_release(&p);
    }
    done = done && (!later || activate(result, finish->activation));
    if (!done) {
        stream_release(result);
    }
    return done;
}

/* updates */

/* Computes c = alpha * product + beta * c. A term with the factor 0 is not read. */
static bool join(Stream *c, const Stream *product, const uint32_t *alpha, const uint32_t *beta)
{
    const char *t = c->type->name;
    StrBuf text = STRBUF_EMPTY;
    strbuf_addf(&text,
                "kernel void join(%s p<>, %s alpha, %s beta, inout %s c<>) {\n"
                "  %s kept = beta == %s(0) ? %s(0) : beta * c;\n"
                "  c = alpha == %s(0) ? kept : beta == %s(0) ? alpha * p : alpha * p + kept;\n}\n",
                t, t, t, t, t, t, t, t, t);
    Kernel *kernel = builtin_kernel(c->device, strbuf_text(&text));
    strbuf_free(&text);
    Argument args[] = {{.stream = product}, {.words = alpha}, {.words = beta}, {.stream = c}};
    return kernel && kernel_launch(kernel, c->device, args, &c->shape, false);
}

/* Multiplies directly into c if the method and the layout allow it; sets *direct. */
static bool add_directly(const MatmulKernel *p, const Stream *a, const Stream *b, Stream *c, bool *direct)
{
    Target target;
    *direct = c->source == SOURCE_BUFFER && !is_along_rows(p) && matmul_kernel_target(p, c, &target) &&
              !stream_overlaps(c, a) && !stream_overlaps(c, b);
    if (!*direct) {
        return true;
    }
    stream_wrote(c);
    return matmul_kernel_multiply(p, &target);
}

/* Computes the product in a new stream and adds it to c. */
static bool add_joined(const MatmulKernel *p, const Stream *a, const Stream *b, Stream *c)
{
    Stream product;
    if (!matmul_stream(a, b, NULL, &product)) {
        return false;
    }
    bool done = join(c, &product, p->alpha, p->beta);
    stream_release(&product);
    return done;
}

static bool add_product(double alpha, const Stream *a, const Stream *b, double beta, MatmulKernel *p, Stream *c)
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
    MatmulKernel p;
    Shape shape;
    char x[SHAPE_TEXT], y[SHAPE_TEXT];
    if (!product_start(a, b, &p, &shape)) {
        return false;
    }
    if (!shape_equal(&shape, &c->shape)) {
        return error_set("the product has shape %s, but the stream that it is added to has shape %s",
                         shape_text(&shape, x), shape_text(&c->shape, y));
    }
    if (p.type != c->type) {
        return error_set("the product has elements of %s, but the stream that it is added to has elements of %s",
                         p.type->name, c->type->name);
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
