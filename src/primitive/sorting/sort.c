#include "primitive/sorting/sort.h"

#include "base/error.h"
#include "kernel/launch/copy.h"
#include "primitive/engine/order.h"

#include <string.h>

bool sort_has_order(const Type *type)
{
    RadixKey key;
    return order_key(type, false, &key);
}

/* Creates streams over the buffers of the sort. They keep a length on the device. */
static bool make_results(const Stream *keys, const Type *payload, Buffer *sorted, Buffer *words, Stream *keys_out,
                         Stream *payload_out)
{
    if (keys_out && !order_elements(sorted, keys->type, &keys->shape, keys_out)) {
        return false;
    }
    if (payload_out && !stream_over(words, payload, &keys->shape, 0, payload_out)) {
        if (keys_out) {
            stream_release(keys_out);
        }
        return false;
    }
    Stream *results[] = {keys_out, payload_out};
    for (int i = 0; i < 2 && keys->length.buffer; i++) {
        if (results[i]) {
            stream_set_length(results[i], keys->length);
        }
    }
    return true;
}

static bool sort_empty(const Stream *keys, const Type *payload, Stream *keys_out, Stream *payload_out)
{
    if (keys_out && !stream_create(keys->device, keys->type, &keys->shape, false, keys_out)) {
        return false;
    }
    if (payload_out && !stream_create(keys->device, payload, &keys->shape, false, payload_out)) {
        if (keys_out) {
            stream_release(keys_out);
        }
        return false;
    }
    return true;
}

static bool fill_job(Held *held, const Stream *keys, const Stream *payload, RadixJob *job)
{
    const Stream *source = order_words(held, keys, &job->key_base);
    if (!source) {
        return false;
    }
    job->keys = source->buffer;
    if (!payload) {
        return true;
    }
    const Stream *words = order_packed(held, payload);
    if (words && job->key.bits != 64 && ((words->offset ^ job->key_base) & 3) != 0) {
        Stream *copy = order_hold(held); /* keys and words are read as texels that must begin at the same element */
        Shape padded = {.rank = 1, .size = {stream_elements(words) + 3}};
        Stream aside;
        int64_t first = job->key_base & 3;
        if (!stream_create(words->device, words->type, &padded, false, &aside)) {
            return false;
        }
        bool done = stream_over(aside.buffer, words->type, &words->shape, first, copy) && copy_stream(copy, words);
        stream_release(&aside);
        words = done ? copy : NULL;
    }
    if (!words || !buffer_block_fits(words->buffer)) {
        return false;
    }
    job->words = words->buffer;
    job->word_base = words->offset;
    return true;
}

/* Sorts rows. `flat`: without a payload, the results are indices in all rows. */
static bool sort_rows(const Stream *keys, const Stream *payload, bool flat, bool descending, Stream *keys_out,
                      Stream *payload_out)
{
    RadixKey key;
    if (!order_key(keys->type, descending, &key)) {
        return false;
    }
    const Type *payload_type = payload ? payload->type : type_of(SCALAR_INT, 1);
    int64_t length = keys->shape.size[keys->shape.rank - 1];
    if (stream_elements(keys) == 0) {
        return sort_empty(keys, payload_type, keys_out, payload_out);
    }
    RadixJob job = {.device = keys->device,
                    .key = key,
                    .rows = stream_elements(keys) / length,
                    .length = length,
                    .payload = !payload_out ? RADIX_NONE
                               : payload    ? RADIX_WORDS
                                            : RADIX_NUMBERS,
                    .flat = flat,
                    .want_keys = keys_out != NULL,
                    .known = keys->length};
    Held held = {.count = 0};
    Buffer *sorted = NULL, *words = NULL;
    bool done = fill_job(&held, keys, payload_out ? payload : NULL, &job) && radix_sort(&job, &sorted, &words) &&
                make_results(keys, payload_type, sorted, words, keys_out, payload_out);
    buffer_release(sorted);
    buffer_release(words);
    order_release(&held);
    return done;
}

bool sort_pairs(const Stream *keys, const Stream *payload, bool descending, Stream *keys_out, Stream *payload_out)
{
    return sort_rows(keys, payload, false, descending, keys_out, payload_out);
}

/* Creates a view with the axis exchanged with the last dimension. Applied twice, it is the original. */
static bool exchange(const Stream *s, int axis, Stream *view)
{
    int axes[SHAPE_MAX_RANK], last = s->shape.rank - 1;
    for (int d = 0; d <= last; d++) {
        axes[d] = d;
    }
    axes[axis] = last;
    axes[last] = axis;
    return stream_transpose(s, axes, view);
}

/* Exchanges the axes of a result back. Takes ownership of `made`. */
static bool put_back(Stream *made, int axis, Stream *result)
{
    if (axis == made->shape.rank - 1) {
        *result = *made;
        return true;
    }
    Stream view;
    bool done = exchange(made, axis, &view);
    if (done) {
        done = copy_new(&view, NULL, result);
        stream_release(&view);
    }
    stream_release(made);
    return done;
}

static bool one_result(const Stream *s, const SortOptions *options, bool numbers, Stream *result)
{
    Stream view, made;
    if (!exchange(s, options->axis, &view)) {
        return false;
    }
    bool done = sort_rows(&view, NULL, false, options->descending, numbers ? NULL : &made, numbers ? &made : NULL);
    stream_release(&view);
    return done && put_back(&made, options->axis, result);
}

bool sort_stream(const Stream *s, const SortOptions *options, Stream *result)
{
    return one_result(s, options, false, result);
}

bool sort_numbers(const Stream *s, const SortOptions *options, Stream *result)
{
    return one_result(s, options, true, result);
}

/* by key */

/* Gathers the values at flat indices. */
static bool take(const Stream *values, const Stream *numbers, Stream *result)
{
    Shape flat = {.rank = 1, .size = {stream_elements(values)}};
    Held held = {.count = 0};
    Stream line;
    const Stream *source = order_packed(&held, values);
    bool done = source && stream_create(values->device, values->type, &values->shape, false, result);
    if (done) {
        done = stream_reshape(source, &flat, &line);
        if (done) {
            done = copy_take(result, &line, numbers);
            stream_release(&line);
        }
        if (!done) {
            stream_release(result);
        }
    }
    order_release(&held);
    if (done && values->length.buffer) {
        stream_set_length(result, values->length);
    }
    return done;
}

static bool take_all(const Stream *numbers, const Stream *const *values, int count, int axis, Stream *const *results)
{
    for (int i = 0; i < count; i++) {
        Stream view, made;
        bool done = exchange(values[i], axis, &view);
        if (done) {
            done = take(&view, numbers, &made) && put_back(&made, axis, results[i]);
            stream_release(&view);
        }
        if (!done) {
            while (i > 0) {
                stream_release(results[--i]);
            }
            return false;
        }
    }
    return true;
}

bool sort_by_key(const Stream *keys, const Stream *const *values, int count, const SortOptions *options,
                 Stream *keys_out, Stream *const *values_out)
{
    bool last = options->axis == keys->shape.rank - 1;
    if (count == 1 && last && values[0]->type->bytes == 4 && values[0]->source == SOURCE_BUFFER) {
        return sort_rows(keys, values[0], false, options->descending, keys_out,
                         values_out[0]); /* the words are the payload */
    }
    Stream view, sorted, numbers;
    if (!exchange(keys, options->axis, &view)) {
        return false;
    }
    bool done = sort_rows(&view, NULL, true, options->descending, keys_out ? &sorted : NULL, &numbers);
    stream_release(&view);
    if (!done) {
        return false;
    }
    if (keys_out && !put_back(&sorted, options->axis, keys_out)) {
        stream_release(&numbers);
        return false;
    }
    done = take_all(&numbers, values, count, options->axis, values_out);
    stream_release(&numbers);
    if (!done && keys_out) {
        stream_release(keys_out);
    }
    return done;
}
