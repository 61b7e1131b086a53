#include "primitive/engine/radix.h"

#include "base/error.h"
#include "base/round.h"
#include "gpu/program/shader.h"
#include "shared/radix_words.h"

#include <stdio.h>
#include <string.h>

enum {
    DIGITS = 256,
    COUNT_BYTES = 4 * DIGITS,
    RANK_LENGTH = 128, /* longest row that is sorted by counting the keys before each key */
    CPU_RANK = 384,    /* RANK_LENGTH of a software device, whose passes need 256 counters per row */
    RANK_KEYS = 4,     /* per invocation */
    RANK_GROUP = 64,
    CPU_GROUP = 8,
    CPU_LANES = 4096,     /* runs of all rows on a software device */
    CPU_SHORT_RUN = 1024, /* keys of a run if there are fewer keys than CPU_LANES such runs */
    CPU_MOST_RUN = 65536, /* loops process four keys per trip, and the number of trips is limited */
    CPU_ROW = 4096,       /* longest row that is sorted in one dispatch, if there are few rows */
    CPU_FEW_ROWS = 8,
    MOST_COUNTS = 65536, /* histograms at a time; more rows are sorted one group after the other */
    GPU_GROUP = 256,
    GPU_FEW_KEYS = 1 << 18,
    GPU_ITEMS = 16,       /* most keys per invocation of a tile; 8 if a row of 64-bit keys fits in one tile */
    GPU_LONG_ITEMS = 32,  /* of 32-bit keys without a payload in several tiles; half of them are exchanged at a time */
    GPU_COUNTS = 4,       /* counts of a digit that one invocation converts to offsets */
    GPU_HISTOGRAMS = 512, /* most groups that count all digits */
    GPU_HISTOGRAM_TILES = 4,
    LOOK_BACK_LENGTH = 1 << 30, /* counts that tiles publish have 30 bits */
    MOST_BINDINGS = 6
};

/* The state of a sort. Passes read and write two sets of buffers in turn. */
typedef struct Sort {
    const RadixJob *job;
    Device *device;
    bool tiles, read_blocks;
    bool look_back;           /* tiles sum the counts of the tiles before them while these are moved */
    int items;                /* keys per invocation of a tile */
    int64_t row_first, rows;  /* the rows of the current group */
    int64_t runs, run_length; /* per row; with `tiles` the tiles of a row */
    Buffer *counts;           /* with `tiles` followed by the sums over all tiles */
    Buffer *totals, *offsets; /* without `tiles` */
    Buffer *keys[2], *words[2];
    int turn;   /* the set that the next pass writes; it reads the other set */
    bool moved; /* a pass has written */
    uint32_t params[4 * RADIX_P_VECTORS];
} Sort;

static int key_words(const RadixJob *job)
{
    return job->key.bits == 64 ? 2 : 1;
}

static int pass_count(const RadixJob *job)
{
    return (job->key.used + 7) / 8;
}

/* keys */

uint32_t radix_flip(const RadixKey *key)
{
    uint32_t sign = UINT32_C(1) << ((key->used > 32 ? 32 : key->used) - 1), all = sign | (sign - 1);
    return (key->kind == RADIX_SIGNED ? sign : 0) ^ (key->descending ? all : 0);
}

const char *radix_defines(const RadixKey *key, char text[RADIX_DEFINES])
{
    bool real = key->kind == RADIX_FLOAT;
    snprintf(text, RADIX_DEFINES, "#define KEY_FLOAT %d\n#define KEY_BITS %d\n", real, real ? key->bits : 32);
    return text;
}

/* dispatches */

/* The buffers of a dispatch: textures by unit, and storage blocks by binding number less one. NULL: not used. Units 2
 * and 3 are read as 32-bit words for tiles. */
typedef struct Step {
    const char *shader;
    bool keyless; /* reads counts only */
    RadixPayload payload;
    bool store_keys;
    Buffer *textures[4], *blocks[MOST_BINDINGS];
    int64_t groups;
} Step;

static Program *find_program(const Sort *s, const Step *step)
{
    const DeviceTraits *traits = device_traits(s->device);
    const bool ballots = traits->subgroup_ballot && traits->subgroup_shuffle &&
                         (traits->subgroup_size == 32 || traits->subgroup_size == 64);
    char key[RADIX_DEFINES], warps[256] = "";
    if (step->keyless) {
        return shader_program(s->device, step->shader, "");
    }
    if (ballots) {
        snprintf(warps, sizeof warps,
                 "#extension GL_KHR_shader_subgroup_ballot : require\n"
                 "#extension GL_KHR_shader_subgroup_shuffle : require\n"
                 "#extension GL_KHR_shader_subgroup_shuffle_relative : require\n#define BALLOTS %d\n",
                 traits->subgroup_size);
    }
    return shader_program_format(
        s->device, step->shader,
        "%s%s#define READ_BLOCKS %d\n#define GROUP %d\n#define PAYLOAD %d\n#define STORE_KEYS %d\n#define ITEMS %d\n"
        "#define LENGTH %d\n#define LOOK_BACK %d\n#define PASSES %d\n",
        warps, radix_defines(&s->job->key, key), s->read_blocks, CPU_GROUP, (int)step->payload, step->store_keys,
        s->items, s->job->known.buffer != NULL, s->look_back, pass_count(s->job));
}

static bool run_step(const Sort *s, const Step *step)
{
    Dispatch dispatch = {.program = find_program(s, step), .params = s->params, .param_vectors = RADIX_P_VECTORS};
    Buffer *any = NULL;
    for (int k = 3; k >= 0; k--) { /* a unit that the program does not use gets the buffer of the next unit */
        Buffer *buffer = step->textures[k];
        TexelFormat format = s->tiles && k >= 2 ? TEXEL_WORD : TEXEL_VECTOR;
        dispatch.texture_count = buffer && !any ? k + 1 : dispatch.texture_count;
        any = buffer ? buffer : any;
        dispatch.textures[k] = (DispatchTexture){any, format};
    }
    for (int k = 0; k < MOST_BINDINGS; k++) {
        dispatch.blocks[k].buffer = step->blocks[k] ? step->blocks[k] : step->blocks[0];
        dispatch.block_count = step->blocks[k] ? k + 1 : dispatch.block_count;
    }
    dispatch.groups[0] = (uint64_t)step->groups;
    dispatch.groups[1] = dispatch.groups[2] = 1;
    return dispatch.program && device_dispatch(s->device, &dispatch);
}

/* Binds the keys and, with RADIX_WORDS, their payload. */
static void bind_source(const Sort *s, Step *step)
{
    Buffer *keys = s->moved ? s->keys[!s->turn] : s->job->keys;
    Buffer *words = s->moved ? s->words[!s->turn] : s->job->words;
    words = step->payload == RADIX_WORDS ? words : NULL;
    if (s->read_blocks) {
        step->blocks[4] = keys;
        step->blocks[5] = words;
    } else {
        step->textures[0] = keys;
        step->textures[1] = words;
    }
    step->textures[3] = s->job->known.buffer;
}

static void fill_params(Sort *s)
{
    const RadixJob *job = s->job;
    uint32_t *params = s->params;
    memset(params, 0, sizeof s->params);
    params[RADIX_P_LENGTH] = (uint32_t)job->length;
    params[RADIX_P_RUNS] = (uint32_t)s->runs;
    params[RADIX_P_RUN] = (uint32_t)s->run_length;
    params[RADIX_P_ROWS] = (uint32_t)s->rows;
    params[RADIX_P_NUMBERED] = job->flat ? 0 : (uint32_t)job->length;
    params[RADIX_P_TOTALS] = (uint32_t)(s->rows * s->runs * DIGITS);
    params[RADIX_P_KEY_BASE] = (uint32_t)job->key_base;
    params[RADIX_P_PAYLOAD_BASE] = (uint32_t)job->word_base;
    params[RADIX_P_KNOWN] = job->known.word;
    params[RADIX_P_FLIP] = radix_flip(&job->key);
    params[RADIX_P_FIRST_ROW] = (uint32_t)s->row_first;
}

/* passes */

static bool count_digits(const Sort *s)
{
    Step step = {.shader = s->tiles ? "radix_tile_count.comp" : "radix_count.comp",
                 .blocks = {s->counts},
                 .groups = s->tiles ? s->rows * s->runs : divide_up(s->rows * s->runs, CPU_GROUP)};
    bind_source(s, &step);
    return run_step(s, &step);
}

static bool sum_digits(const Sort *s)
{
    Step step = {.shader = "radix_total.comp",
                 .keyless = true,
                 .textures = {s->counts},
                 .blocks = {s->totals},
                 .groups = s->rows * (DIGITS / 4) / CPU_GROUP};
    return run_step(s, &step);
}

static bool place_digits(const Sort *s)
{
    Step step = {.shader = "radix_offset.comp",
                 .keyless = true,
                 .textures = {s->counts, s->totals},
                 .blocks = {s->offsets},
                 .groups = s->rows * (DIGITS / 4) / CPU_GROUP};
    return run_step(s, &step);
}

static bool place_tiles(Sort *s)
{
    uint32_t share = 0;
    while (share < 8 && (int64_t)GPU_COUNTS << share < s->runs) {
        share++;
    }
    Step step = {.shader = "radix_tile_offset.comp",
                 .keyless = true,
                 .blocks = {s->counts},
                 .groups = divide_up(s->rows * DIGITS << share, GPU_GROUP)};
    s->params[RADIX_P_SHARE] = share;
    return run_step(s, &step);
}

static bool move_keys(Sort *s, bool store_keys)
{
    const RadixJob *job = s->job;
    Step step = {.shader = s->tiles ? "radix_tile_scatter.comp" : "radix_scatter.comp",
                 .payload = s->moved && job->payload == RADIX_NUMBERS ? RADIX_WORDS : job->payload,
                 .store_keys = store_keys,
                 .textures = {NULL, NULL, s->offsets},
                 .blocks = {s->keys[s->turn], s->words[s->turn], s->tiles ? s->counts : NULL},
                 .groups = s->tiles ? s->rows * s->runs : divide_up(s->rows * s->runs, CPU_GROUP)};
    bind_source(s, &step);
    if (!run_step(s, &step)) {
        return false;
    }
    s->moved = true;
    s->turn = !s->turn;
    s->params[RADIX_P_KEY_BASE] = s->params[RADIX_P_PAYLOAD_BASE] = 0;
    return true;
}

/* Counts the digits of all passes, and computes the index of the first key of each digit. */
static bool count_all_digits(Sort *s)
{
    uint32_t share = 0;
    while ((int64_t)1 << share < GPU_HISTOGRAM_TILES || (int64_t)GPU_HISTOGRAMS << share < s->runs) {
        share++;
    }
    s->params[RADIX_P_SHARE] = share;
    s->params[RADIX_P_SHIFT] = (uint32_t)s->job->first_bit;
    s->params[RADIX_P_TOTALS] = 0;
    s->params[RADIX_P_STATUS] = (uint32_t)(pass_count(s->job) * DIGITS);
    s->params[RADIX_P_NEXT] = s->params[RADIX_P_STATUS] + (uint32_t)(s->runs * DIGITS);
    Step count = {.shader = "radix_tile_histogram.comp",
                  .blocks = {s->counts},
                  .groups = divide_up(s->runs, (int64_t)1 << share)};
    Step base = {
        .shader = "radix_tile_base.comp", .keyless = true, .blocks = {s->counts}, .groups = pass_count(s->job)};
    bind_source(s, &count);
    return run_step(s, &count) && run_step(s, &base);
}

/* Returns whether all keys of each row have the same digit. This is known only if the host can read the counts. If
 * rows are sorted in several groups, all groups must end in the same set of buffers, so no pass is omitted. */
static bool same_digit(const Sort *s)
{
    const uint32_t *totals = s->tiles || s->rows < s->job->rows ? NULL : buffer_host(s->totals);
    for (int64_t row = 0; totals && row < s->rows; row++, totals += DIGITS) {
        int digit = 0;
        while (digit < DIGITS - 1 && totals[digit] == 0) {
            digit++;
        }
        if (totals[digit] != (uint32_t)s->job->length) {
            return false;
        }
    }
    return totals != NULL;
}

static bool run_pass(Sort *s, int pass)
{
    bool last = pass + 1 == pass_count(s->job);
    s->params[RADIX_P_SHIFT] = (uint32_t)(s->job->first_bit + pass * 8);
    if (s->look_back) {
        uint32_t status = s->params[RADIX_P_STATUS];
        bool done = move_keys(s, !last || s->job->want_keys);
        s->params[RADIX_P_TOTALS] += DIGITS;
        s->params[RADIX_P_STATUS] = s->params[RADIX_P_NEXT];
        s->params[RADIX_P_NEXT] = status;
        return done;
    }
    if (!count_digits(s) || (!s->tiles && !sum_digits(s))) {
        return false;
    }
    if (!(last && !s->moved) && same_digit(s)) {
        return true;
    }
    return (s->tiles ? place_tiles(s) : place_digits(s)) && move_keys(s, !last || s->job->want_keys);
}

static bool run_passes(Sort *s)
{
    const RadixJob *job = s->job;
    int64_t together = s->rows;
    bool done = true;
    for (; done && s->row_first < job->rows; s->row_first += together) {
        s->rows = job->rows - s->row_first < together ? job->rows - s->row_first : together;
        s->turn = 0;
        s->moved = false;
        fill_params(s);
        done = !s->look_back || count_all_digits(s);
        for (int pass = 0; done && pass < pass_count(job); pass++) {
            done = run_pass(s, pass);
        }
    }
    return done;
}

static bool is_ranked(const Sort *s)
{
    return s->job->length <= (s->tiles ? RANK_LENGTH : CPU_RANK);
}

/* Sorts rows that one work group, or one invocation per key, can sort. The results are in set 0. */
static bool run_short(Sort *s)
{
    const RadixJob *job = s->job;
    bool rank = is_ranked(s) && !job->known.buffer;
    Step step = {.payload = job->payload, .store_keys = job->want_keys, .groups = job->rows};
    step.blocks[0] = s->keys[0];
    fill_params(s);
    s->params[RADIX_P_SHIFT] = (uint32_t)pass_count(job) * 8;
    if (rank) {
        step.shader = "radix_rank.comp";
        step.blocks[1] = s->words[0];
        step.groups = divide_up(job->rows * divide_up(job->length, RANK_KEYS), RANK_GROUP);
    } else if (s->tiles) {
        step.shader = "radix_tile_sort.comp";
        step.blocks[1] = s->words[0];
    } else {
        step.shader = "radix_row.comp";
        step.blocks[1] = s->keys[1];
        step.blocks[2] = s->words[0];
        step.blocks[3] = s->words[1];
    }
    bind_source(s, &step);
    s->turn = 1;
    return run_step(s, &step);
}

/* division of the work */

/* Returns the number of keys per invocation of a tile. A row that fits one tile is sorted in one dispatch. A few
 * larger rows are divided into smaller tiles to fill the device. */
static int tile_items(const RadixJob *job, DeviceFamily family)
{
    int wide = job->key.bits == 64, most = wide ? GPU_ITEMS / 2 : GPU_ITEMS;
    if (job->length <= GPU_GROUP * most) {
        return job->length > GPU_GROUP * most / 4 ? most : job->length > GPU_GROUP ? most / 4 : 1;
    }
    if (job->rows * job->length <= GPU_FEW_KEYS) {
        return most / 4;
    }
    bool narrow = !wide && job->payload == RADIX_NONE && family == FAMILY_GPU;
    return narrow && job->length > GPU_GROUP * GPU_LONG_ITEMS ? GPU_LONG_ITEMS : GPU_ITEMS;
}

/* Divides rows so that there are enough lanes. Run lengths that are powers of two would compete for cache sets. */
static void cut_rows(Sort *s)
{
    const RadixJob *job = s->job;
    int64_t lanes = divide_up(CPU_LANES, job->rows), most = divide_up(job->length, CPU_SHORT_RUN);
    lanes = lanes < most ? lanes : most;
    int64_t length = divide_up(divide_up(job->length, lanes), 16) * 16 + (lanes > 1 ? 16 : 0);
    s->run_length = length < CPU_MOST_RUN ? length : CPU_MOST_RUN;
    s->runs = divide_up(job->length, s->run_length);
}

static bool is_short(const Sort *s)
{
    const RadixJob *job = s->job;
    if (job->first_bit > 0) {
        return false;
    }
    if (is_ranked(s) || s->tiles) {
        return is_ranked(s) || s->runs == 1;
    }
    return job->length <= CPU_ROW && job->rows <= CPU_FEW_ROWS;
}

static void cut(Sort *s)
{
    s->items = 1;
    if (s->tiles) {
        s->items = tile_items(s->job, device_traits(s->device)->family);
        s->run_length = GPU_GROUP * s->items;
        s->runs = divide_up(s->job->length, s->run_length);
    } else {
        cut_rows(s);
    }
    int64_t together = s->runs < MOST_COUNTS ? MOST_COUNTS / s->runs : 1;
    s->rows = is_short(s) || s->job->rows < together ? s->job->rows : together;
}

static bool create_counts(Sort *s)
{
    uint64_t counts = (uint64_t)(s->rows * s->runs) * COUNT_BYTES, totals = (uint64_t)s->rows * COUNT_BYTES;
    if (s->look_back) {
        /* The indices of the digits, and two sets of the counts that tiles publish. The second one first contains
         * the histograms of groups. */
        int64_t passes = pass_count(s->job), groups = divide_up(s->runs, GPU_HISTOGRAM_TILES);
        int64_t second = passes * groups > s->runs ? passes * groups : s->runs;
        s->counts = buffer_create(s->device, (uint64_t)(passes + s->runs + second) * COUNT_BYTES, false);
        return s->counts != NULL;
    }
    if (s->tiles) {
        s->counts = buffer_create(s->device, counts + totals, false);
        return s->counts != NULL;
    }
    s->counts = buffer_create(s->device, counts, false);
    s->offsets = buffer_create(s->device, counts, false);
    s->totals = buffer_create(s->device, totals, false);
    return s->counts && s->offsets && s->totals;
}

static bool create_sets(Sort *s, int sets)
{
    const RadixJob *job = s->job;
    uint64_t n = (uint64_t)(job->rows * job->length);
    bool done = true;
    for (int k = 0; k < sets && done; k++) {
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
    Buffer *result = *buffer;
    *buffer = NULL;
    return result;
}

/* Returns whether buffer textures are long enough for the keys and their payload, in the job and in the sets. */
static bool in_textures(const RadixJob *job)
{
    Buffer *all[] = {job->keys, job->payload == RADIX_WORDS ? job->words : NULL};
    uint64_t most = (uint64_t)(job->rows * job->length) * sizeof(uint32_t) * (uint64_t)key_words(job);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        most = all[i] && buffer_bytes(all[i]) > most ? buffer_bytes(all[i]) : most;
    }
    return buffer_texture_reaches(job->device, TEXEL_VECTOR, most);
}

bool radix_sort(const RadixJob *job, Buffer **keys, Buffer **words)
{
    const DeviceTraits *traits = device_traits(job->device);
    Sort s = {
        .job = job, .device = job->device, .read_blocks = !traits->tuning[TUNING_BUFFER_TEXTURES] || !in_textures(job)};
    s.tiles = traits->family == FAMILY_GPU || job->known.buffer;
    const bool progress = traits->group_progress && traits->tuning[TUNING_LOOK_BACK] == 1;
    s.look_back = s.tiles && (progress || traits->tuning[TUNING_LOOK_BACK] == 2) && job->rows == 1 &&
                  job->length < LOOK_BACK_LENGTH;
    cut(&s);
    bool done, one = pass_count(job) == 1;
    if (is_short(&s)) {
        bool sets = s.tiles || is_ranked(&s) || one;
        done = create_sets(&s, sets ? 1 : 2) && run_short(&s);
    } else {
        done = create_counts(&s) && create_sets(&s, one ? 1 : 2) && run_passes(&s);
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
