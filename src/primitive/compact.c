#include "primitive/compact.h"

#include "gpu/shader.h"
#include "kernel/copy.h"
#include "kernel/internal.h"
#include "kernel/raw.h"

#include <stdio.h>
#include <string.h>

enum {
    CPU_GROUP = 8,
    GPU_GROUP = 256,
    STEP = 16,        /* elements of a mask texel */
    CPU_PARTS = 2048, /* runs in all on a software device */
    CPU_LEAST = 16,   /* texels of a run */
    MAX_TRIPS = 8192, /* texels of a run, far below the limit on loop trips */
    DIRECT_WORDS = 4  /* larger elements are moved by their numbers */
};

/* One compaction; counted in mask texels. */
typedef struct Job {
    Device *device;
    bool tile; /* a part is a work group */
    int64_t n;
    DeviceLength length; /* of the input, where the device knows it */
    int64_t run, parts;  /* mask texels per part */
    const Stream *mask;
    Buffer *counts; /* of the parts; then kept elements, and others */
} Job;

static int64_t divide_up(int64_t n, int64_t unit)
{
    return (n + unit - 1) / unit;
}

static void cut(Job *job)
{
    int64_t texels = divide_up(job->n, STEP);
    if (job->tile) {
        job->run = GPU_GROUP;
    } else {
        int64_t parts = texels / CPU_LEAST < CPU_PARTS ? texels / CPU_LEAST : CPU_PARTS;
        parts = parts > texels / MAX_TRIPS + 1 ? parts : texels / MAX_TRIPS + 1;
        job->run = divide_up(texels, parts);
        job->run |= job->run >= 64; /* powers of two fight over cache sets */
    }
    job->parts = divide_up(texels, job->run);
}

/* shaders */

static Program *shader(const Job *job, const char *name, const char *defines)
{
    char text[160];
    snprintf(text, sizeof text, "#define GROUP %d\n%s%s%s", job->tile ? GPU_GROUP : CPU_GROUP,
             job->tile ? "#define TILE\n" : "", job->length.buffer ? "#define LENGTH\n" : "", defines);
    return shader_program(job->device, name, text);
}

/* The head of the uniforms and the mask: what all shaders read. */
static void start(const Job *job, Launch *launch, uint32_t *params, int64_t run)
{
    memset(launch, 0, offsetof(Launch, textures));
    memset(launch->groups, 0, sizeof launch->groups);
    params[0] = (uint32_t)job->n;
    params[1] = (uint32_t)run;
    params[2] = (uint32_t)job->parts;
    params[3] = job->length.word;
    launch->params = params;
    launch->param_vectors = 1;
    launch->faults = false;
    launch->texture_count = 2;
    launch->textures[0] = (LaunchTexture){job->mask->buffer, TEXEL_VECTOR};
    launch->textures[1] = (LaunchTexture){job->length.buffer ? job->length.buffer : job->mask->buffer, TEXEL_WORD};
    memset(launch->blocks, 0, sizeof launch->blocks);
}

/* Over all parts; on the gpu family only over those there are. */
static bool dispatch_parts(const Job *job, Launch *launch)
{
    launch->groups[0] = (uint64_t)(job->tile ? job->parts : divide_up(job->parts, CPU_GROUP));
    launch->groups[1] = launch->groups[2] = 1;
    if (job->length.buffer && job->tile) {
        return device_dispatch_indirect(job->device, launch, job->length, GPU_GROUP * STEP);
    }
    return device_dispatch(job->device, launch);
}

static bool count(const Job *job)
{
    Launch launch;
    uint32_t params[4];
    start(job, &launch, params, job->run);
    launch.program = shader(job, "compact_count.comp", "");
    launch.block_count = 1;
    launch.blocks[0].buffer = job->counts;
    return launch.program && dispatch_parts(job, &launch);
}

static bool place(const Job *job)
{
    Launch launch;
    uint32_t params[4];
    char defines[64];
    start(job, &launch, params, job->run * STEP);
    snprintf(defines, sizeof defines, "#define GROUP %d\n%s", job->tile ? GPU_GROUP : 1,
             job->length.buffer ? "#define LENGTH\n" : "");
    launch.program = shader_program(job->device, "compact_place.comp", defines);
    launch.block_count = 1;
    launch.blocks[0].buffer = job->counts;
    launch.groups[0] = launch.groups[1] = launch.groups[2] = 1;
    return launch.program && device_dispatch(job->device, &launch);
}

/* `words` per element of `source`, 0: numbers are written. */
static bool write(const Job *job, const Stream *source, int words, const Stream *kept, const Stream *rest)
{
    Launch launch;
    uint32_t params[8] = {0};
    char defines[64];
    start(job, &launch, params, job->run);
    snprintf(defines, sizeof defines, "#define WORDS %d\n%s", words, rest ? "#define SPLIT\n" : "");
    launch.program = shader(job, "compact_write.comp", defines);
    launch.param_vectors = 2;
    params[4] = words ? (uint32_t)(source->offset * words / 4) : 0;
    params[5] = (uint32_t)kept->shape.size[0];
    params[6] = rest ? (uint32_t)rest->shape.size[0] : 0;
    launch.texture_count = words ? 4 : 3;
    launch.textures[2] = (LaunchTexture){job->counts, TEXEL_WORD};
    launch.textures[3] = (LaunchTexture){words ? source->buffer : NULL, TEXEL_VECTOR};
    launch.block_count = rest ? 2 : 1;
    launch.blocks[0].buffer = kept->buffer;
    launch.blocks[1].buffer = rest ? rest->buffer : NULL;
    return launch.program && dispatch_parts(job, &launch);
}

/* results */

/* Whether elements are moved as they are written: whole words, few of them, that a buffer texture reaches. */
static bool is_direct(const Stream *s)
{
    uint64_t texels = buffer_capacity(s->buffer) / 16;
    return s->type->bytes % 4 == 0 && s->type->bytes <= 4 * DIRECT_WORDS &&
           texels <= device_limits(s->device)->texture_texels;
}

static bool read_word(DeviceLength length, int64_t *value)
{
    const uint32_t *host = buffer_host(length.buffer);
    uint32_t word = 0;
    if (!host && !buffer_read(length.buffer, UINT64_C(4) * length.word, &word, sizeof word)) {
        return false;
    }
    *value = host ? host[length.word] : word;
    return true;
}

/* A stream of what is counted in word `which` of the totals. Runs of the cpu family find a place each behind it. */
static bool create_result(const Job *job, const Type *type, int which, Stream *result)
{
    const DeviceLength length = {job->counts, (uint32_t)(job->parts + which)};
    Shape shape = {.rank = 1, .size = {job->n}};
    if (job->tile) {
        if (!stream_create(job->device, type, &shape, false, result)) {
            return false;
        }
        stream_set_length(result, length);
        return true;
    }
    if (!read_word(length, &shape.size[0])) {
        return false;
    }
    uint64_t elements = (uint64_t)(shape.size[0] + job->parts);
    Buffer *buffer = buffer_create(job->device, elements * (uint64_t)type->bytes, false);
    bool done = buffer && buffer_block_fits(buffer) && stream_over(buffer, type, &shape, 0, result);
    buffer_release(buffer);
    return done;
}

static bool create_results(const Job *job, const Type *type, Stream *kept, Stream *rest)
{
    if (!create_result(job, type, 0, kept)) {
        return false;
    }
    if (rest && !create_result(job, type, 1, rest)) {
        stream_release(kept);
        return false;
    }
    return true;
}

static bool empty(const Stream *s, const Type *type, Stream *kept, Stream *rest)
{
    const Shape none = {.rank = 1, .size = {0}};
    if (!stream_create(s->device, type, &none, false, kept)) {
        return false;
    }
    if (rest && !stream_create(s->device, type, &none, false, rest)) {
        stream_release(kept);
        return false;
    }
    return true;
}

/* Elements by their numbers: any type, in its own bits. */
static bool take(const Stream *numbers, const Stream *s, Stream *result)
{
    const Shape flat = {.rank = 1, .size = {stream_elements(s)}};
    Stream row = {0}, from = {0}, to = {0};
    StrBuf text = STRBUF_EMPTY;
    if (!stream_create(s->device, s->type, &numbers->shape, false, result)) {
        return false;
    }
    bool done =
        stream_over(s->buffer, s->type, &flat, s->offset, &row) && raw_view(&row, &from) && raw_view(result, &to);
    if (done) {
        const char *raw = to.type->value->name;
        raw_declare(&text, to.type);
        strbuf_addf(&text, "kernel void take(int i<>, %s x[], out %s r<>) { r = x[i]; }", raw, raw);
        Kernel *kernel = internal_kernel(strbuf_text(&text));
        const Argument args[] = {{.stream = numbers}, {.stream = &from}, {.stream = &to}};
        done = kernel && kernel_launch(kernel, s->device, args, &to.shape, false);
    }
    strbuf_free(&text);
    stream_release(&row);
    stream_release(&from);
    stream_release(&to);
    if (!done) {
        stream_release(result);
    } else if (numbers->length.buffer) {
        stream_set_length(result, numbers->length);
    }
    return done;
}

static bool write_numbers(const Job *job, Stream *kept, Stream *rest)
{
    if (!create_results(job, type_of(SCALAR_INT, 1), kept, rest)) {
        return false;
    }
    if (!write(job, NULL, 0, kept, rest)) {
        stream_release(kept);
        if (rest) {
            stream_release(rest);
        }
        return false;
    }
    return true;
}

static bool write_by_numbers(const Job *job, const Stream *s, Stream *kept, Stream *rest)
{
    Stream numbers = {0}, others = {0};
    bool done = write_numbers(job, &numbers, rest ? &others : NULL) && take(&numbers, s, kept);
    if (done && rest && !take(&others, s, rest)) {
        stream_release(kept);
        done = false;
    }
    stream_release(&numbers);
    stream_release(&others);
    return done;
}

static bool write_elements(const Job *job, const Stream *s, Stream *kept, Stream *rest)
{
    if (!is_direct(s)) {
        return write_by_numbers(job, s, kept, rest);
    }
    if (!create_results(job, s->type, kept, rest)) {
        return false;
    }
    if (!write(job, s, s->type->bytes / 4, kept, rest)) {
        stream_release(kept);
        if (rest) {
            stream_release(rest);
        }
        return false;
    }
    return true;
}

/* the whole */

bool compact_mask(const Stream *s, Stream *mask)
{
    if (!stream_create(s->device, type_of(SCALAR_UINT8, 1), &s->shape, false, mask)) {
        return false;
    }
    if (s->length.buffer) {
        stream_set_length(mask, s->length);
    }
    return true;
}

static bool run(Job *job, CompactMode mode, const Stream *s, Stream *kept, Stream *rest)
{
    cut(job);
    job->counts = buffer_create(job->device, (uint64_t)(job->parts + 2) * 4, false);
    bool done = job->counts && count(job) && place(job) &&
                (mode == COMPACT_FIND ? write_numbers(job, kept, NULL) : write_elements(job, s, kept, rest));
    buffer_release(job->counts);
    return done;
}

bool compact_flat(const Stream *s, Stream *flat)
{
    const Shape shape = {.rank = 1, .size = {stream_elements(s)}};
    if (s->source == SOURCE_BUFFER && s->contiguous && s->offset * s->type->bytes % 16 == 0) {
        bool done = stream_over(s->buffer, s->type, &shape, s->offset, flat);
        if (done && s->length.buffer) {
            stream_set_length(flat, s->length);
        }
        return done;
    }
    Stream copy = {0};
    bool done = copy_new(s, NULL, &copy) && stream_reshape(&copy, &shape, flat);
    stream_release(&copy);
    return done;
}

bool compact_stream(CompactMode mode, const Stream *s, const Stream *mask, Stream *kept, Stream *rest)
{
    Job job = {.device = s->device, .n = stream_elements(s), .length = s->length, .mask = mask};
    Stream flat = {0};
    if (job.n == 0) {
        return empty(s, mode == COMPACT_FIND ? type_of(SCALAR_INT, 1) : s->type, kept, rest);
    }
    job.tile = device_traits(s->device)->family == FAMILY_GPU;
    bool done = mode == COMPACT_FIND || compact_flat(s, &flat);
    done = done && run(&job, mode, &flat, kept, rest);
    stream_release(&flat);
    return done;
}
