#include "primitive/engine/order.h"

#include "base/error.h"
#include "kernel/launch/copy.h"

#include <stdio.h>

/* Returns how the bits of a scalar are ordered. */
static RadixKind kind_of(ScalarForm form)
{
    return form == FORM_FLOAT ? RADIX_FLOAT : form == FORM_SIGNED ? RADIX_SIGNED : RADIX_UNSIGNED;
}

bool order_key(const Type *type, bool descending, RadixKey *key)
{
    if (type->is_struct || type->components > 1) {
        return error_set("elements of type %s have no order", type->name);
    }
    ScalarForm form = type_scalar_form(type->scalar);
    int bits = type->bytes * 8;
    *key = (RadixKey){kind_of(form), bits, form == FORM_BOOL ? 1 : bits, descending};
    return true;
}

Stream *order_hold(Held *held)
{
    return &held->items[held->count++];
}

void order_release(Held *held)
{
    while (held->count > 0) {
        stream_release(&held->items[--held->count]);
    }
}

const Stream *order_packed(Held *held, const Stream *s)
{
    Stream whole = *s; /* a header only */
    whole.length = (DeviceLength){0};
    Stream *copy = order_hold(held);
    if (s->source == SOURCE_BUFFER && s->contiguous) {
        stream_copy_view(&whole, copy);
        return copy;
    }
    return copy_whole(&whole, NULL, "the sort: a stream of keys or values", copy) ? copy : NULL;
}

static const Type *narrow_type(const Type *type)
{
    return type_of(type->bytes == 1 ? SCALAR_UINT8 : SCALAR_UINT16, 1);
}

static const Stream *widened(Held *held, const Stream *s)
{
    Stream view;
    Stream *wide = order_hold(held);
    if (!stream_retype(s, narrow_type(s->type), &view)) {
        return NULL;
    }
    bool done = copy_new_for(&view, type_of(SCALAR_UINT, 1),
                             "the sort: keys or values of 8 or 16 bits are sorted as 32 bits", wide);
    stream_release(&view);
    return done ? wide : NULL;
}

const Stream *order_words(Held *held, const Stream *s, int64_t *base)
{
    const Stream *source = order_packed(held, s);
    if (source && s->type->bytes < 4) {
        source = widened(held, source);
    }
    if (!source || !buffer_block_fits(source->buffer)) {
        return NULL;
    }
    *base = source->offset * source->type->bytes / 4;
    return source;
}

static bool narrowed(Buffer *words, const Type *type, const Shape *shape, Stream *result)
{
    Stream wide, view;
    if (!stream_create(buffer_device(words), type, shape, false, result)) {
        return false;
    }
    bool done = stream_over(words, type_of(SCALAR_UINT, 1), shape, 0, &wide);
    if (done && (done = stream_retype(result, narrow_type(type), &view))) {
        done = copy_stream_for(&view, &wide, "the sort: keys or values of 32 bits become 8 or 16 bits again");
        stream_release(&view);
    }
    stream_release(&wide);
    if (!done) {
        stream_release(result);
    }
    return done;
}

bool order_elements(Buffer *words, const Type *type, const Shape *shape, Stream *result)
{
    return type->bytes < 4 ? narrowed(words, type, shape, result) : stream_over(words, type, shape, 0, result);
}
