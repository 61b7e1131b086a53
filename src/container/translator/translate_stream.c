/* Translates streams of points with one kernel, which contains the translator's text. */
#include "container/translator/glsl.h"
#include "kernel/launch/builtin.h"

#include <stdio.h>
#include <string.h>

enum { VECTOR = 4 }; /* Coordinates in one element; longer points are spread over the last dimension. */

static const char *const vectors[] = {"int", "ivec2", "ivec3", "ivec4"};

/* Writes statements that declare name0 ... and read them from the arguments. */
static void take_points(StrBuf *out, const char *name, int rank)
{
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, "  int %s%d = ", name, d);
        if (rank > VECTOR) {
            strbuf_addf(out, "a%d;\n", d);
        } else {
            strbuf_addf(out, rank == 1 ? "a;\n" : "a.%c;\n", "xyzw"[d]);
        }
    }
}

static void give_points(StrBuf *out, const char *name, int rank)
{
    if (rank <= VECTOR) {
        strbuf_addf(out, "  r = found ? %s(", vectors[rank - 1]);
        translator_glsl_list(out, "", name, rank);
        strbuf_addf(out, ") : %s(-2147483647 - 1);\n", vectors[rank - 1]);
        return;
    }
    for (int d = 0; d < rank; d++) {
        strbuf_addf(out, "  r%d = found ? %s%d : -2147483647 - 1;\n", d, name, d);
    }
}

static void declare_points(StrBuf *out, const char *word, const char *name, int rank)
{
    for (int d = 0; d < (rank > VECTOR ? rank : 1); d++) {
        strbuf_addf(out, "%s%s%s %s", d ? ", " : "", word, rank > VECTOR ? "int" : vectors[rank - 1], name);
        if (rank > VECTOR) {
            strbuf_addf(out, "%d", d);
        }
        strbuf_add(out, "<>");
    }
}

/* Outside of the domain the translator is called with 0 and its result is ignored. */
static void call_translate(StrBuf *out, const Translator *t)
{
    strbuf_add(out, "  bool inside = ");
    translator_glsl_inside(t, out, 0, "v");
    strbuf_add(out, ";\n  bool found = t0_translate(");
    for (int d = 0; d < t->info.rank; d++) {
        strbuf_addf(out, "%sinside ? v%d : 0", d ? ", " : "", d);
    }
    strbuf_add(out, ", ");
    translator_glsl_list(out, "", "p", t->info.to);
    translator_glsl_given(t, out, DIRECTION_TRANSLATE, 0, false);
    strbuf_add(out, ") && inside;\n");
}

static void call_inverse(StrBuf *out, const Translator *t)
{
    strbuf_add(out, "  bool found = t0_inverse(");
    translator_glsl_list(out, "", "p", t->info.to);
    strbuf_add(out, ", ");
    translator_glsl_list(out, "", "v", t->info.rank);
    translator_glsl_given(t, out, DIRECTION_INVERSE, 0, false);
    strbuf_add(out, ");\n");
}

static void write_kernel(const Translator *t, Direction direction, StrBuf *out)
{
    bool inverse = direction == DIRECTION_INVERSE;
    int rank = inverse ? t->info.to : t->info.rank, to = inverse ? t->info.rank : t->info.to;
    TranslatorGlsl text = {out, direction, 0};
    strbuf_add(out, translator_glsl_functions);
    translator_glsl_write(t, &text);
    strbuf_addf(out, "kernel void %s(", inverse ? "inverse" : "translate");
    declare_points(out, "", "a", rank);
    translator_glsl_given(t, out, direction, 0, true);
    strbuf_add(out, ", ");
    declare_points(out, "out ", "r", to);
    strbuf_add(out, ") {\n");
    take_points(out, inverse ? "p" : "v", rank);
    strbuf_add(out, "  int ");
    translator_glsl_list(out, "", inverse ? "v" : "p", to);
    strbuf_add(out, ";\n");
    (inverse ? call_inverse : call_translate)(out, t);
    give_points(out, inverse ? "v" : "p", to);
    strbuf_add(out, "}\n");
}

/* Creates the kernel once; the translator keeps it. */
static Kernel *find_kernel(Translator *t, Device *device, Direction direction)
{
    if (!t->kernels[direction]) {
        StrBuf text = STRBUF_EMPTY;
        write_kernel(t, direction, &text);
        Kernel *kernel = builtin_kernel(device, strbuf_text(&text));
        strbuf_free(&text);
        t->kernels[direction] = kernel ? kernel_retain(kernel) : NULL;
    }
    return t->kernels[direction];
}

bool translator_points_check(const Stream *points, int rank, Shape *shape)
{
    const Type *type = type_of(SCALAR_INT, rank > VECTOR ? 1 : rank);
    char text[SHAPE_TEXT];
    *shape = points->shape;
    if (points->type->value != type) {
        return error_set("expected points of %d coordinates, a stream of %s, got one of %s", rank, type->name,
                         points->type->name);
    }
    if (rank <= VECTOR) {
        return true;
    }
    if (shape->rank < 2 || shape->size[shape->rank - 1] != rank) {
        return error_set("expected points of %d coordinates, a stream of int of shape {n, %d}, got %s", rank, rank,
                         shape_text(&points->shape, text));
    }
    shape->rank--;
    return true;
}

/* Streams of points as a kernel takes them: one stream, or one view for each coordinate. */
typedef struct PointViews {
    int count;
    Stream items[SHAPE_MAX_RANK];
} PointViews;

static void release_views(PointViews *views)
{
    while (views->count > 0) {
        stream_release(&views->items[--views->count]);
    }
}

static bool add_coordinate(const Stream *points, int c, PointViews *views)
{
    int last = points->shape.rank - 1, axes[SHAPE_MAX_RANK] = {last};
    for (int d = 0; d < last; d++) {
        axes[d + 1] = d;
    }
    Stream first;
    if (!stream_transpose(points, axes, &first)) {
        return false;
    }
    bool done = stream_row(&first, c, &views->items[views->count]);
    views->count += done;
    stream_release(&first);
    return done;
}

static bool make_views(const Stream *points, int rank, PointViews *views)
{
    views->count = 0;
    if (rank <= VECTOR) {
        stream_copy_view(points, &views->items[views->count++]);
        return true;
    }
    for (int c = 0; c < rank; c++) {
        if (!add_coordinate(points, c, views)) {
            release_views(views);
            return false;
        }
    }
    return true;
}

static bool create_result(Device *device, const Shape *shape, int rank, Stream *result)
{
    Shape own = *shape;
    if (rank <= VECTOR) {
        return stream_create(device, type_of(SCALAR_INT, rank), &own, false, result);
    }
    if (own.rank == SHAPE_MAX_RANK) {
        return error_set("points of %d coordinates are streams of a further dimension: expected points of at most %d "
                         "dimensions",
                         rank, SHAPE_MAX_RANK - 1);
    }
    own.size[own.rank++] = rank;
    return stream_create(device, type_of(SCALAR_INT, 1), &own, false, result);
}

static bool launch(Translator *t, Direction direction, Kernel *kernel, const PointViews *from, const PointViews *to,
                   const Shape *shape)
{
    Argument args[MAX_PARAMS];
    int count = 0;
    for (int i = 0; i < from->count; i++) {
        args[count++].stream = &from->items[i];
    }
    count += translator_glsl_give(t, direction, args + count);
    for (int i = 0; i < to->count; i++) {
        args[count++].stream = &to->items[i];
    }
    return kernel_launch(kernel, from->items[0].device, args, shape, false);
}

bool translator_stream(Translator *t, Direction direction, const Stream *points, Stream *result)
{
    bool inverse = direction == DIRECTION_INVERSE;
    int rank = inverse ? t->info.to : t->info.rank, to = inverse ? t->info.rank : t->info.to;
    Shape shape;
    if (!translator_points_check(points, rank, &shape)) {
        return false;
    }
    Kernel *kernel = translator_tables_there(t) ? find_kernel(t, points->device, direction) : NULL;
    if (!kernel || !create_result(points->device, &shape, to, result)) {
        return false;
    }
    if (points->length.buffer) {
        stream_set_length(result, points->length);
    }
    PointViews inputs, outputs = {0};
    bool done = make_views(points, rank, &inputs);
    done = done && make_views(result, to, &outputs) && launch(t, direction, kernel, &inputs, &outputs, &shape);
    release_views(&inputs);
    release_views(&outputs);
    if (!done) {
        stream_release(result);
    }
    return done;
}
