#include "primitive/indexed/gather.h"

#include "kernel/launch/builtin.h"
#include "kernel/launch/raw.h"
#include "kernel/variant/address_map.h"
#include "primitive/indexed/index.h"

#include <string.h>

/* Creates the view of src that is gathered. Elements are gathered as raw bits, unless the boundary has a value, which
 * is of src's type. */
static bool source_view(const Stream *src, bool flat, Stream *result)
{
    bool value = src->source != SOURCE_BUFFER;
    for (int d = 0; d < src->shape.rank && !flat; d++) {
        value = value || src->boundary[d] == BOUNDARY_VALUE;
    }
    if (value && !src->type->is_struct) {
        stream_copy_view(src, result);
        return true;
    }
    return raw_view(src, result);
}

static bool fetch(const Stream *src, const Stream *index, bool check, Stream *result)
{
    const Type *type = src->type;
    StrBuf text = STRBUF_EMPTY;
    raw_declare(&text, type);
    strbuf_addf(&text, "kernel void gather(%s src", type->value->name);
    for (int d = 0; d < src->shape.rank; d++) {
        strbuf_add(&text, "[]");
    }
    strbuf_addf(&text, ", %s index<>, out %s result<>) { result = src[index]; }", index->type->value->name,
                type->value->name);
    Kernel *kernel = builtin_kernel(result->device, strbuf_text(&text));
    strbuf_free(&text);
    Argument args[] = {{.stream = src}, {.stream = index}, {.stream = result}};
    static const char own[] = "gather: "; /* the caller adds this prefix itself */
    bool done = kernel && kernel_launch(kernel, result->device, args, &index->shape, check);
    if (!done && strncmp(error_message(), own, strlen(own)) == 0) {
        error_set("%s", error_message() + strlen(own));
    }
    return done;
}

/* Checks that elements have flat indices: their number in row-major order must be an int. */
static bool check_flat(const Stream *src, const Stream *index)
{
    char text[SHAPE_TEXT];
    if (address_unbounded(src)) {
        return error_set("a container without bounds has no flat indices: expected one index for each of the %d "
                         "dimensions, got elements of %s",
                         src->shape.rank, index->type->name);
    }
    return stream_elements(src) <= INT32_MAX ||
           error_set("a flat index does not reach all elements of shape %s: expected one index for each of the %d "
                     "dimensions, got elements of %s",
                     shape_text(&src->shape, text), src->shape.rank, index->type->name);
}

bool gather_stream(const Stream *src, const Stream *index, bool check, Stream *result)
{
    Stream whole = {0}, from = {0}, to = {0};
    bool flat = index->type->components == 1 && src->shape.rank > 1;
    memset(result, 0, sizeof *result);
    bool done =
        index_check_stream(index, &src->shape) && (!flat || check_flat(src, index)) &&
        (flat ? index_flatten(src, "rill.gather: argument 's'", &whole) : (stream_copy_view(src, &whole), true)) &&
        source_view(&whole, flat, &from) && stream_create(src->device, src->type, &index->shape, false, result) &&
        stream_retype(result, from.type, &to) && fetch(&from, index, check, &to);
    stream_release(&to);
    stream_release(&from);
    stream_release(&whole);
    if (!done) {
        stream_release(result);
    }
    return done;
}
