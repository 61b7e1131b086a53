#include "primitive/radix.h"

#include "base/error.h"
#include "gpu/shader.h"

#include <stdio.h>
#include <string.h>

enum {
    DIGITS = 256,
    COUNT_BYTES = 4 * DIGITS,
    CPU_GROUP = 8,
    CPU_LANES = 4096,     /* runs in all on a software device */
    CPU_SHORT_RUN = 4096, /* keys of a run where there are fewer than these lanes' worth */
    CPU_MOST_RUN = 65536, /* loops take four keys a trip, and may not make many */
};

/* One sort at work: two sets of buffers that passes read and write in turn. */
typedef struct Sort {
    const RadixJob *job;
    Device *device;
    int64_t runs, run_length; /* per row */
    Buffer *counts, *totals, *offsets;
    Buffer *keys[2], *words[2];
    int turn;   /* the set the next pass writes; it reads the other */
    bool moved; /* some pass has written */
    char defines[160];
} Sort;

static int key_words(const RadixJob *job)
{
    return job->key.bits == 64 ? 2 : 1;
}

static int pass_count(const RadixJob *job)
{
    return (job->key.used + 7) / 8;
}

static int64_t divide_up(int64_t n, int64_t unit)
{
    return (n + unit - 1) / unit;
}

/* Rows are cut so that there are enough lanes; powers of two would fight over cache sets. */
static void cut_rows(Sort *s)
{
    const RadixJob *job = s->job;
    int64_t lanes = divide_up(CPU_LANES, job->rows), most = divide_up(job->length, CPU_SHORT_RUN);
    lanes = lanes < most ? lanes : most;
    int64_t length = divide_up(divide_up(job->length, lanes), 16) * 16 + (lanes > 1 ? 16 : 0);
    s->run_length = length < CPU_MOST_RUN ? length : CPU_MOST_RUN;
    s->runs = divide_up(job->length, s->run_length);
}

static const char *defines_of(Sort *s, int payload, bool store_keys)
{
    const RadixKey *key = &s->job->key;
    snprintf(s->defines, sizeof s->defines,
             "#define KEY_KIND %d\n#define KEY_BITS %d\n#define DESCENDING %d\n#define READ_BLOCKS 0\n"
             "#define GROUP %d\n#define PAYLOAD %d\n#define STORE_KEYS %d\n",
             key->kind, key->bits, key->descending, CPU_GROUP, payload, store_keys);
    return s->defines;
}

static void fill_params(const Sort *s, int pass, uint32_t params[12])
{
    const RadixJob *job = s->job;
    memset(params, 0, 12 * sizeof *params);
    params[0] = (uint32_t)job->length;
    params[1] = (uint32_t)s->runs;
    params[2] = (uint32_t)s->run_length;
    params[3] = (uint32_t)job->rows;
    params[4] = (uint32_t)pass * 8;
    params[5] = job->flat ? 0 : (uint32_t)job->length;
    params[8] = s->moved ? 0 : (uint32_t)job->key_base;
    params[9] = s->moved ? 0 : (uint32_t)job->word_base;
}

static Buffer *source_keys(const Sort *s)
{
    return s->moved ? s->keys[!s->turn] : s->job->keys;
}

static bool count_digits(Sort *s, const uint32_t *params)
{
    Program *program = shader_program(s->device, "radix_count.comp", defines_of(s, RADIX_NONE, false));
    Launch launch = {.program = program, .params = params, .param_vectors = 3, .texture_count = 1, .block_count = 1};
    launch.textures[0] = (LaunchTexture){source_keys(s), TEXEL_VECTOR};
    launch.blocks[0].buffer = s->counts;
    launch.groups[0] = (uint64_t)divide_up(s->job->rows * s->runs, CPU_GROUP);
    launch.groups[1] = launch.groups[2] = 1;
    return program && device_dispatch(s->device, &launch);
}

static bool sum_digits(Sort *s, const uint32_t *params)
{
    Program *program = shader_program(s->device, "radix_total.comp", "");
    Launch launch = {.program = program, .params = params, .param_vectors = 3, .texture_count = 1, .block_count = 1};
    launch.textures[0] = (LaunchTexture){s->counts, TEXEL_VECTOR};
    launch.blocks[0].buffer = s->totals;
    launch.groups[0] = (uint64_t)s->job->rows * (DIGITS / 4) / CPU_GROUP;
    launch.groups[1] = launch.groups[2] = 1;
    return program && device_dispatch(s->device, &launch);
}

static bool place_digits(Sort *s, const uint32_t *params)
{
    Program *program = shader_program(s->device, "radix_offset.comp", "");
    Launch launch = {.program = program, .params = params, .param_vectors = 3, .texture_count = 2, .block_count = 1};
    launch.textures[0] = (LaunchTexture){s->counts, TEXEL_VECTOR};
    launch.textures[1] = (LaunchTexture){s->totals, TEXEL_VECTOR};
    launch.blocks[0].buffer = s->offsets;
    launch.groups[0] = (uint64_t)s->job->rows * (DIGITS / 4) / CPU_GROUP;
    launch.groups[1] = launch.groups[2] = 1;
    return program && device_dispatch(s->device, &launch);
}

static bool move_keys(Sort *s, const uint32_t *params, bool store_keys)
{
    RadixPayload payload = s->moved && s->job->payload == RADIX_NUMBERS ? RADIX_WORDS : s->job->payload;
    Program *program = shader_program(s->device, "radix_scatter.comp", defines_of(s, (int)payload, store_keys));
    Launch launch = {.program = program, .params = params, .param_vectors = 3, .texture_count = 3, .block_count = 2};
    Buffer *from = s->moved ? s->words[!s->turn] : s->job->words;
    launch.textures[0] = (LaunchTexture){source_keys(s), TEXEL_VECTOR};
    launch.textures[1] = (LaunchTexture){payload == RADIX_WORDS ? from : s->offsets, TEXEL_VECTOR};
    launch.textures[2] = (LaunchTexture){s->offsets, TEXEL_VECTOR};
    launch.blocks[0].buffer = s->keys[s->turn];
    launch.blocks[1].buffer = payload == RADIX_NONE ? s->keys[s->turn] : s->words[s->turn];
    launch.groups[0] = (uint64_t)divide_up(s->job->rows * s->runs, CPU_GROUP);
    launch.groups[1] = launch.groups[2] = 1;
    return program && device_dispatch(s->device, &launch);
}

/* Whether every key of every row has the same digit: known only where the host can look at the counts. */
static bool same_digit(const Sort *s)
{
    const uint32_t *totals = buffer_host(s->totals);
    if (!totals) {
        return false;
    }
    for (int64_t row = 0; row < s->job->rows; row++, totals += DIGITS) {
        int digit = 0;
        while (digit < DIGITS && totals[digit] == 0) {
            digit++;
        }
        if (digit < DIGITS && totals[digit] != (uint32_t)s->job->length) {
            return false;
        }
    }
    return true;
}

static bool run_pass(Sort *s, int pass)
{
    uint32_t params[12];
    bool last = pass + 1 == pass_count(s->job);
    fill_params(s, pass, params);
    if (!count_digits(s, params) || !sum_digits(s, params)) {
        return false;
    }
    if (!(last && !s->moved) && same_digit(s)) {
        return true;
    }
    if (!place_digits(s, params) || !move_keys(s, params, !last || s->job->want_keys)) {
        return false;
    }
    s->moved = true;
    s->turn = !s->turn;
    return true;
}

static bool create_buffers(Sort *s)
{
    const RadixJob *job = s->job;
    uint64_t n = (uint64_t)(job->rows * job->length), counts = (uint64_t)(job->rows * s->runs) * COUNT_BYTES;
    s->counts = buffer_create(s->device, counts, false);
    s->offsets = buffer_create(s->device, counts, false);
    s->totals = buffer_create(s->device, (uint64_t)job->rows * COUNT_BYTES, false);
    bool done = s->counts && s->offsets && s->totals;
    for (int k = 0; k < 2 && done && (k == 0 || pass_count(job) > 1); k++) {
        s->keys[k] = buffer_create(s->device, n * 4 * (uint64_t)key_words(job), false);
        done = s->keys[k] && buffer_block_fits(s->keys[k]);
        if (done && job->payload != RADIX_NONE) {
            s->words[k] = buffer_create(s->device, n * 4, false);
            done = s->words[k] && buffer_block_fits(s->words[k]);
        }
    }
    return done;
}

static Buffer *take(Buffer **buffer)
{
    Buffer *taken = *buffer;
    *buffer = NULL;
    return taken;
}

bool radix_sort(const RadixJob *job, Buffer **keys, Buffer **words)
{
    Sort s = {.job = job, .device = job->device};
    cut_rows(&s);
    bool done = create_buffers(&s);
    for (int pass = 0; done && pass < pass_count(job); pass++) {
        done = run_pass(&s, pass);
    }
    if (done && job->want_keys) {
        *keys = take(&s.keys[!s.turn]);
    }
    if (done && job->payload != RADIX_NONE) {
        *words = take(&s.words[!s.turn]);
    }
    Buffer *all[] = {s.counts, s.totals, s.offsets, s.keys[0], s.keys[1], s.words[0], s.words[1]};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        buffer_release(all[i]);
    }
    return done;
}
