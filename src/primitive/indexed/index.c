#include "primitive/indexed/index.h"

#include "kernel/launch/builtin.h"
#include "kernel/launch/copy.h"
#include "primitive/sorting/sort.h"

#include <string.h>

static bool index_scalar(Scalar scalar)
{
    return scalar == SCALAR_INT || scalar == SCALAR_UINT || scalar == SCALAR_FLOAT;
}

bool index_check_stream(const Stream *index, const Shape *shape)
{
    const Type *type = index->type;
    char text[SHAPE_TEXT];
    if (type->is_struct || !index_scalar(type->value->scalar)) {
        return error_set("expected indices (int, uint, float or a vector of them), got elements of %s", type->name);
    }
    if (type->components > 1 && type->components != shape->rank) {
        return error_set("expected one number per index, or one for each dimension of %s, got elements of %s",
                         shape_text(shape, text), type->name);
    }
    return true;
}

/* Adds statements for one component: `k` becomes the index along its dimension, `inside` whether it is in range. A
 * float is compared as a float, since the cast of a float beyond the range of int is undefined. */
static void add_number(StrBuf *text, Scalar scalar, const char *part, char extent)
{
    if (scalar == SCALAR_FLOAT) {
        strbuf_addf(text,
                    "  f = floor(at%s + 0.0009765625); k = f >= 0.0 && f < float(size.%c) ? int(f) : -1;\n"
                    "  inside = inside && uint(k) < uint(size.%c);\n",
                    part, extent, extent);
    } else {
        strbuf_addf(text, "  k = int(at%s);\n  inside = inside && uint(k) < uint(size.%c);\n", part, extent);
    }
}

void index_declare(StrBuf *text, const Type *index)
{
    const Type *type = index->value;
    static const char *const parts[] = {".x", ".y", ".z", ".w"};
    strbuf_addf(text, "int place(%s at, int4 size) {\n  float f; int k, p = 0; bool inside = true;\n", type->name);
    for (int c = type->components; c-- > 0;) {
        add_number(text, type->scalar, type->components > 1 ? parts[c] : "", "xyzw"[c]);
        strbuf_addf(text, "  p = p * size.%c + k;\n", "xyzw"[c]);
    }
    strbuf_add(text, "  return inside ? p : -1;\n}\n");
}

void index_size(const Type *index, const Shape *shape, uint32_t size[4])
{
    memset(size, 0, 4 * sizeof *size);
    if (index->components == 1) {
        size[0] = (uint32_t)shape_elements(shape);
    }
    for (int c = 0; index->components > 1 && c < shape->rank; c++) {
        size[c] = (uint32_t)shape->size[shape->rank - 1 - c];
    }
}

bool index_sort(const Stream *index, const uint32_t size[4], uint32_t count, const Stream *bad, Stream *keys,
                Stream *order)
{
    Stream places;
    if (!stream_create(index->device, type_of(SCALAR_UINT, 1), &index->shape, false, &places)) {
        return false;
    }
    StrBuf text = STRBUF_EMPTY;
    index_declare(&text, index->type);
    strbuf_addf(&text, "kernel void places(%s index<>, int4 size, uint count, out uint r<>%s) {\n",
                index->type->value->name, bad ? ", inout uint bad[]" : "");
    strbuf_addf(&text, "  int p = place(index, size); r = p < 0 ? count : uint(p);\n  %s\n}\n",
                bad ? "if (p < 0) atomicAdd(bad[0], 1u);" : "");
    Kernel *kernel = builtin_kernel(index->device, strbuf_text(&text));
    strbuf_free(&text);
    Argument args[] = {{.stream = index}, {.words = size}, {.words = &count}, {.stream = &places}, {.stream = bad}};
    bool done = kernel && kernel_launch(kernel, index->device, args, &index->shape, false) &&
                sort_pairs(&places, NULL, false, keys, order);
    stream_release(&places);
    return done;
}

bool index_flatten(const Stream *stream, const char *what, Stream *result)
{
    Shape flat = {.rank = 1, .size = {stream_elements(stream)}};
    if (stream_reshape(stream, &flat, result)) {
        return true;
    }
    Stream dense;
    if (!copy_whole(stream, NULL, what, &dense)) {
        return false;
    }
    bool done = stream_reshape(&dense, &flat, result);
    stream_release(&dense);
    return done;
}
