#include "primitive/indexed/count.h"

#include "base/strbuf.h"
#include "gpu/program/shader.h"
#include "primitive/engine/radix.h"
#include "primitive/reduction/reduce.h"
#include "shared/count_words.h"

#include <string.h>
#include <unistd.h>

enum {
    BYTE_BINS = 1024,    /* per pass of count_bytes.comp */
    BYTE_PASSES = 2,     /* with more passes, rows are faster */
    BYTE_RUN = 4096,     /* largest number of texels per lane: half of the limit on loop trips */
    BYTE_LEAST = 128,    /* least number of texels per lane: with fewer, a lane is not worth its counters */
    ROW_WORDS = 1 << 22, /* words of the rows of all lanes */
    ROW_LANES = 1024,
    WEIGHT_LANES = 128, /* few rows of weights stay in the caches */
    ROW_LEAST = 16,
    /* Trips of one dispatch: the limit on loop trips. Rows that lanes return to have left the caches. */
    ROW_TRIPS = 60000,
    OWN_BINS = 256, /* bins of weights in arrays of the lanes: compilers need long for larger arrays */
    OWN_LANES = 512,
    OWN_LEAST = 1024,      /* least numbers per lane: with fewer, a lane is not worth its sums */
    ROW_BINS = 1 << 18,    /* most bins of counts in rows; with more, atomics are used */
    WEIGHT_BINS = 1 << 20, /* bins of weights from which a scatter is used: 16 rows of doubles would take 128 MiB */
    SPARSE_BINS = 1 << 16, /* most bins if there are fewer weights than bins; with more, rows would be mostly zeros */
    ROW_CACHES = 4,        /* rows of a group may be larger than a core's cache by this factor */
    BUCKETS = 256,
    BUCKET_RUNS = 512,
    BUCKET_RUN = 4096,     /* least number of weights in a run */
    BUCKET_BINS = 1 << 22, /* most bins in buckets: of 16,384 bins, whose sums a lane can set to zero and add up */
    SHARED_BINS = 8192,
    ATOMIC_GROUP = 256,
    ATOMIC_EACH = 32
};

static const Type *word_type(void)
{
    return type_of(SCALAR_UINT, 1);
}

static bool create(Device *device, const Type *type, int64_t elements, bool zero, Stream *result)
{
    Shape shape = {.rank = 1, .size = {elements}};
    return stream_create(device, type, &shape, zero, result);
}

static uint32_t round_up(uint64_t n, uint64_t unit)
{
    return (uint32_t)((n + unit - 1) / unit);
}

/* A dispatch of one of the programs of this file. */
typedef struct Pass {
    Dispatch dispatch;
    uint32_t params[4 * COUNT_P_VECTORS];
    StrBuf defines;
    bool block; /* reads go through storage blocks */
} Pass;

static void pass_start(Pass *pass, const char *defines, bool block)
{
    memset(pass, 0, sizeof *pass);
    pass->block = block;
    strbuf_add(&pass->defines, defines);
    strbuf_add(&pass->defines, block ? "#define BLOCK\n" : "");
}

static void pass_write(Pass *pass, const Stream *s)
{
    pass->dispatch.blocks[pass->dispatch.block_count++].buffer = s->buffer;
}

static bool pass_read(Pass *pass, const Stream *s, TexelFormat format)
{
    if (pass->block) {
        pass_write(pass, s);
        return buffer_block_fits(s->buffer);
    }
    pass->dispatch.textures[pass->dispatch.texture_count++] = (DispatchTexture){s->buffer, format};
    return true;
}

static bool pass_run(Pass *pass, const char *shader, Device *device, uint64_t groups)
{
    Dispatch *dispatch = &pass->dispatch;
    dispatch->program = shader_program(device, shader, strbuf_text(&pass->defines));
    strbuf_free(&pass->defines);
    dispatch->params = pass->params;
    dispatch->param_vectors = COUNT_P_VECTORS;
    dispatch->groups[0] = groups;
    dispatch->groups[1] = dispatch->groups[2] = 1;
    return dispatch->program && device_dispatch(device, dispatch);
}

/* private counters */

static bool add_bytes(const Stream *numbers, uint32_t bins, uint32_t first, uint32_t lanes, uint32_t run,
                      const Stream *columns, Stream *counts)
{
    Device *device = numbers->device;
    Pass pass;
    pass_start(&pass, "#define GROUP 16\n", false);
    pass.params[COUNT_P_COUNT] = (uint32_t)stream_elements(numbers);
    pass.params[COUNT_P_LANES] = lanes;
    pass.params[COUNT_P_RUN] = run;
    pass.params[COUNT_P_FIRST] = first;
    pass.params[COUNT_P_BASE] = (uint32_t)(numbers->offset / 4);
    pass.params[COUNT_P_BINS] = bins;
    pass_write(&pass, columns);
    pass_write(&pass, counts);
    if (!pass_read(&pass, numbers, TEXEL_VECTOR) || !pass_run(&pass, "count_bytes.comp", device, round_up(lanes, 16))) {
        return false;
    }
    pass_start(&pass, "", false);
    pass.params[COUNT_P_LANES] = lanes;
    pass.params[COUNT_P_FIRST] = first;
    pass.params[COUNT_P_BINS] = bins;
    pass_write(&pass, counts);
    return pass_read(&pass, columns, TEXEL_VECTOR) && pass_run(&pass, "count_columns.comp", device, 257 / 8 + 1);
}

/* Adds the counts to `counts`, which is zeroed and has one word more than bins, for the largest number. */
static bool count_bytes(const Stream *numbers, int64_t bins, Stream *counts)
{
    uint64_t texels = (uint64_t)stream_elements(numbers) / 4;
    uint32_t lanes = round_up(texels, BYTE_RUN), most = round_up(texels, BYTE_LEAST);
    lanes = lanes > 1024 ? lanes : most < 1024 ? most : 1024;
    lanes = lanes < 1 ? 4 : (lanes + 3) / 4 * 4;
    uint32_t run = round_up(texels, lanes);
    run += run >= 256 && (run & (run - 1)) == 0 ? 4 : 0; /* lengths that are powers of two compete for cache sets */
    Stream columns;
    if (!create(numbers->device, word_type(), (int64_t)257 * lanes, false, &columns)) {
        return false;
    }
    bool done = true;
    for (int64_t first = 0; first < bins && done; first += BYTE_BINS) {
        done = add_bytes(numbers, (uint32_t)bins, (uint32_t)first, lanes, run, &columns, counts);
    }
    stream_release(&columns);
    return done;
}

static bool bytes_serve(const Stream *numbers)
{
    return device_traits(numbers->device)->family == FAMILY_CPU && buffer_in_texture(numbers->buffer, TEXEL_VECTOR) &&
           numbers->offset % 4 == 0;
}

/* rows */

static const char *weight_defines(const Stream *weights)
{
    return !weights                                 ? ""
           : weights->type->scalar == SCALAR_DOUBLE ? "#define WEIGHTS\n#define DOUBLE\n"
                                                    : "#define WEIGHTS\n";
}

/* Returns whether a stream can be read four numbers at a time. */
static bool vectors_serve(const Stream *s)
{
    return s->type->bytes == 4 && s->offset % 4 == 0 && buffer_in_texture(s->buffer, TEXEL_VECTOR);
}

/* Returns whether lanes sum weights in private arrays: there are few bins. */
static bool own_sums(const Stream *weights, int64_t bins)
{
    return weights && bins <= OWN_BINS;
}

static bool fill_rows(const Stream *numbers, const Stream *weights, uint32_t bins, uint32_t lanes, const Stream *rows)
{
    uint32_t count = (uint32_t)stream_elements(numbers), run = round_up(count, lanes);
    run += run >= 256 && (run & (run - 1)) == 0 ? 16 : 0;
    bool block =
        !buffer_in_texture(numbers->buffer, TEXEL_WORD) || (weights && !buffer_in_texture(weights->buffer, TEXEL_WORD));
    bool vectors = !block && vectors_serve(numbers) && (!weights || vectors_serve(weights));
    TexelFormat format = vectors ? TEXEL_VECTOR : TEXEL_WORD;
    bool done = true, own = own_sums(weights, bins);
    run = round_up(run, 4) * 4;
    uint32_t step = own ? run : vectors ? 4 * ROW_TRIPS : ROW_TRIPS;
    for (uint32_t from = 0; from < run && done; from += step) {
        Pass pass;
        pass_start(&pass, "#define GROUP 8\n", block);
        strbuf_add(&pass.defines, weight_defines(weights));
        strbuf_add(&pass.defines, vectors ? "#define VECTORS\n" : "");
        if (own) {
            strbuf_addf(&pass.defines, "#define PRIVATE %d\n", OWN_BINS);
        }
        pass.params[COUNT_P_COUNT] = count;
        pass.params[COUNT_P_BINS] = bins;
        pass.params[COUNT_P_LANES] = lanes;
        pass.params[COUNT_P_RUN] = run;
        pass.params[COUNT_P_FROM] = from;
        pass.params[COUNT_P_TO] = from + step < run ? from + step : run;
        pass.params[COUNT_P_BASE] = (uint32_t)numbers->offset;
        pass.params[COUNT_P_WEIGHT_BASE] = weights ? (uint32_t)(weights->offset * weights->type->bytes / 4) : 0;
        pass_write(&pass, rows);
        done = pass_read(&pass, numbers, format) && pass_read(&pass, weights ? weights : numbers, format) &&
               pass_run(&pass, "count_rows.comp", numbers->device, round_up(lanes, 8));
    }
    return done;
}

static int64_t row_lanes(int64_t count, int64_t bins, const Stream *weights)
{
    bool own = own_sums(weights, bins);
    int64_t lanes = ROW_WORDS / (bins * (weights ? 2 : 1));
    int64_t most = own ? OWN_LANES : weights ? WEIGHT_LANES : ROW_LANES;
    int64_t least = count / (own ? OWN_LEAST : 256) + 1, needed = count / ROW_TRIPS + 1;
    lanes = lanes > most ? most : lanes;
    lanes = lanes < ROW_LEAST ? ROW_LEAST : lanes;
    lanes = lanes > least ? least : lanes; /* few elements need few rows */
    return own && lanes < needed ? needed : lanes;
}

static bool count_rows(const Stream *numbers, const Stream *weights, int64_t bins, Stream *result)
{
    int64_t words = weights ? 2 : 1, lanes = row_lanes(stream_elements(numbers), bins, weights);
    Stream rows;
    if (!create(numbers->device, word_type(), lanes * (bins + 1) * words, !own_sums(weights, bins), &rows)) {
        return false;
    }
    bool block = !buffer_in_texture(rows.buffer, TEXEL_WORD);
    bool done = fill_rows(numbers, weights, (uint32_t)bins, (uint32_t)lanes, &rows);
    Pass pass;
    pass_start(&pass, "#define GROUP 8\n", block);
    strbuf_add(&pass.defines, weight_defines(weights ? result : NULL));
    pass.params[COUNT_P_BINS] = (uint32_t)bins;
    pass.params[COUNT_P_LANES] = (uint32_t)lanes;
    pass_write(&pass, result);
    done = done && pass_read(&pass, &rows, TEXEL_WORD) &&
           pass_run(&pass, "count_sums.comp", numbers->device, round_up((uint64_t)bins, 8));
    strbuf_free(&pass.defines);
    stream_release(&rows);
    return done;
}

/* buckets */

/* Sums weights into many bins: partitions the numbers and the weights into buckets of adjacent bins, so that the sums
 * of a lane fit into the caches. */
typedef struct Buckets {
    int64_t count, bins, width; /* of numbers, of bins, of the bins in a bucket */
    int64_t run, lanes;
    Buffer *numbers, *weights; /* partitioned */
    Stream starts, rows;
} Buckets;

/* Returns whether rows of doubles are too large for the caches, and buckets can be used. */
static bool buckets_serve(const Stream *numbers, const Stream *weights, int64_t bins)
{
    int64_t cache = 1 << 20;
#ifdef _SC_LEVEL2_CACHE_SIZE
    long known = sysconf(_SC_LEVEL2_CACHE_SIZE);
    cache = known > 0 ? known : cache;
#endif
    /* The numbers, and at most 3 * BUCKETS + 1 rows of fewer than 2 * bins / BUCKETS + 1 doubles, are read as words. */
    uint64_t bytes = (uint64_t)stream_elements(numbers) * 4, rows = (uint64_t)bins * 56 + (1 << 16);
    Device *device = numbers->device;
    return weights->type == type_of(SCALAR_FLOAT, 1) && bins * 8 * (int64_t)sizeof(double) > ROW_CACHES * cache &&
           bins <= BUCKET_BINS && stream_elements(numbers) >= bins &&
           buffer_texture_reaches(device, TEXEL_WORD, bytes > rows ? bytes : rows);
}

static bool partition(const Stream *numbers, const Stream *weights, Buckets *b)
{
    int bits = 0;
    while (((int64_t)BUCKETS << bits) < b->bins) {
        bits++;
    }
    b->width = (int64_t)1 << bits;
    RadixJob job = {.device = numbers->device,
                    .key = {RADIX_UNSIGNED, 32, 8, false},
                    .rows = 1,
                    .length = b->count,
                    .first_bit = bits,
                    .keys = numbers->buffer,
                    .key_base = numbers->offset,
                    .payload = RADIX_WORDS,
                    .words = weights->buffer,
                    .word_base = weights->offset,
                    .want_keys = true};
    return radix_sort(&job, &b->numbers, &b->weights);
}

static bool run_part(const Buckets *b, int part, const Stream *to, const DispatchTexture *textures, int texture_count,
                     int64_t lanes)
{
    Pass pass;
    pass_start(&pass, "#define GROUP 8\n", false);
    strbuf_addf(&pass.defines, "#define PART %d\n", part);
    pass.params[COUNT_P_COUNT] = (uint32_t)b->count;
    pass.params[COUNT_P_BINS] = (uint32_t)b->bins;
    pass.params[COUNT_P_RUN] = (uint32_t)b->run;
    pass.params[COUNT_P_LANES] = (uint32_t)b->lanes;
    pass.params[COUNT_P_WIDTH] = (uint32_t)b->width;
    pass_write(&pass, to);
    memcpy(pass.dispatch.textures, textures, (size_t)texture_count * sizeof *textures);
    pass.dispatch.texture_count = texture_count;
    return pass_run(&pass, "count_buckets.comp", to->device, round_up((uint64_t)lanes, 8));
}

static bool count_buckets(const Stream *numbers, const Stream *weights, int64_t bins, Stream *result)
{
    Device *device = numbers->device;
    Buckets b = {.count = stream_elements(numbers), .bins = bins};
    b.run = round_up((uint64_t)b.count, 4 * BUCKET_RUNS) * 4;
    b.run = b.run < BUCKET_RUN ? BUCKET_RUN : b.run;
    b.lanes = round_up((uint64_t)b.count, (uint64_t)b.run) + BUCKETS;
    bool done = partition(numbers, weights, &b) &&
                create(device, type_of(SCALAR_INT, 1), BUCKETS + 1, false, &b.starts) &&
                create(device, type_of(SCALAR_DOUBLE, 1), b.lanes * (b.width + 1), false, &b.rows);
    DispatchTexture words[] = {{b.numbers, TEXEL_WORD}};
    DispatchTexture all[] = {{b.numbers, TEXEL_VECTOR}, {b.weights, TEXEL_VECTOR}, {b.starts.buffer, TEXEL_WORD}};
    DispatchTexture rows[] = {{b.starts.buffer, TEXEL_WORD}, {b.rows.buffer, TEXEL_WORD}};
    done = done && run_part(&b, 0, &b.starts, words, 1, BUCKETS + 1) && run_part(&b, 1, &b.rows, all, 3, b.lanes) &&
           run_part(&b, 2, result, rows, 2, bins);
    buffer_release(b.numbers);
    buffer_release(b.weights);
    stream_release(&b.starts);
    stream_release(&b.rows);
    return done;
}

/* atomics */

static bool count_atomically(const Stream *numbers, int64_t bins, Stream *counts)
{
    uint32_t count = (uint32_t)stream_elements(numbers);
    uint64_t each = ATOMIC_EACH;
    if (bins > 1024 && bins <= SHARED_BINS) { /* a copy in shared memory must be worth setting it to zero */
        each = 4 * ATOMIC_EACH;
    }
    Pass pass;
    pass_start(&pass, "", !buffer_in_texture(numbers->buffer, TEXEL_WORD));
    strbuf_addf(&pass.defines, "#define GROUP %d\n#define EACH %d\n", ATOMIC_GROUP, (int)each);
    if (bins <= SHARED_BINS && (uint32_t)bins * 4 <= device_limits(numbers->device)->shared_bytes) {
        strbuf_addf(&pass.defines, "#define BINS_SHARED %d\n", bins <= 1024 ? 1024 : SHARED_BINS);
    }
    pass.params[COUNT_P_COUNT] = count;
    pass.params[COUNT_P_BINS] = (uint32_t)bins;
    pass.params[COUNT_P_BASE] = (uint32_t)numbers->offset;
    pass_write(&pass, counts);
    return pass_read(&pass, numbers, TEXEL_WORD) &&
           pass_run(&pass, "count_atomics.comp", numbers->device, round_up(count, ATOMIC_GROUP * each));
}

/* entry points */

bool count_numbers(const Stream *numbers, int64_t bins, Stream *result)
{
    Stream counts;
    Shape shape = {.rank = 1, .size = {bins}};
    if (!create(numbers->device, word_type(), bins + 1, true, &counts)) {
        return false;
    }
    bool cpu = device_traits(numbers->device)->family == FAMILY_CPU, done = true;
    if (stream_elements(numbers) == 0) {
        done = true;
    } else if (bytes_serve(numbers) && bins <= BYTE_PASSES * BYTE_BINS) {
        done = count_bytes(numbers, bins, &counts);
    } else if (cpu && bins <= ROW_BINS) {
        done = count_rows(numbers, NULL, bins, &counts);
    } else {
        done = count_atomically(numbers, bins, &counts);
    }
    done = done && stream_over(counts.buffer, word_type(), &shape, 0, result);
    stream_release(&counts);
    return done;
}

/* Reads the largest number. There must be at least one. */
static bool find_largest(const Stream *numbers, uint32_t *largest)
{
    Shape one = {.rank = 1, .size = {1}};
    Stream top;
    if (!reduce_stream(REDUCE_MAX, numbers, NULL, &one, false, &top)) {
        return false;
    }
    bool done = buffer_read(top.buffer, 0, largest, sizeof *largest);
    stream_release(&top);
    return done;
}

/* Raises *bins to the largest number plus 1. Returns false with error_set if there are too many. */
static bool enough_bins(uint32_t largest, const Stream *numbers, bool negative, int64_t *bins)
{
    int64_t needed = stream_elements(numbers) > 0 ? (int64_t)largest + 1 : 0;
    *bins = needed > *bins ? needed : *bins;
    return *bins <= COUNT_MAX_BINS ||
           (negative && largest > INT32_MAX
                ? error_set("elements must not be negative, got %d", (int32_t)largest)
                : error_set("the largest element is %u: at most %d bins can be counted", largest, COUNT_MAX_BINS));
}

bool count_bins(const Stream *numbers, bool negative, int64_t *bins)
{
    uint32_t largest = 0;
    return (stream_elements(numbers) == 0 || find_largest(numbers, &largest)) &&
           enough_bins(largest, numbers, negative, bins);
}

/* Counts in BYTE_BINS bins and finds the largest number in the same pass. Counts again if the bins do not suffice. */
static bool count_in_one(const Stream *numbers, bool negative, int64_t bins, Stream *result)
{
    uint32_t largest = 0;
    Stream counts;
    if (!create(numbers->device, word_type(), BYTE_BINS + 1, true, &counts)) {
        return false;
    }
    bool done = count_bytes(numbers, BYTE_BINS, &counts) &&
                buffer_read(counts.buffer, 4 * BYTE_BINS, &largest, sizeof largest) &&
                enough_bins(largest, numbers, negative, &bins);
    Shape shape = {.rank = 1, .size = {bins}};
    done = done && (bins <= BYTE_BINS ? stream_over(counts.buffer, word_type(), &shape, 0, result)
                                      : count_numbers(numbers, bins, result));
    stream_release(&counts);
    return done;
}

bool count_all_numbers(const Stream *numbers, bool negative, int64_t bins, Stream *result)
{
    if (bytes_serve(numbers) && bins <= BYTE_BINS && stream_elements(numbers) > 0) {
        return count_in_one(numbers, negative, bins, result);
    }
    return count_bins(numbers, negative, &bins) && count_numbers(numbers, bins, result);
}

bool count_has_weights(const Stream *numbers, const Stream *weights, int64_t bins)
{
    bool few = bins <= SPARSE_BINS || bins <= stream_elements(numbers);
    return device_traits(numbers->device)->family == FAMILY_CPU && few &&
           (bins < WEIGHT_BINS || buckets_serve(numbers, weights, bins));
}

bool count_weights(const Stream *numbers, const Stream *weights, int64_t bins, Stream *result)
{
    if (!create(numbers->device, weights->type, bins, true, result)) {
        return false;
    }
    bool done = stream_elements(numbers) == 0 ||
                (buckets_serve(numbers, weights, bins) ? count_buckets(numbers, weights, bins, result)
                                                       : count_rows(numbers, weights, bins, result));
    if (!done) {
        stream_release(result);
    }
    return done;
}

bool count_sums(const Stream *numbers, const Stream *weights, int64_t bins, Stream *result)
{
    if (!create(numbers->device, type_of(SCALAR_DOUBLE, 1), bins, true, result)) {
        return false;
    }
    if (stream_elements(numbers) > 0 && bins > 0 && !count_rows(numbers, weights, bins, result)) {
        stream_release(result);
        return false;
    }
    return true;
}
