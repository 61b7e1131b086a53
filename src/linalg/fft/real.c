/* Transforms of windows of real numbers to half spectra in two passes, for processors: a pass with a radix of 16 to 64
 * over real numbers, which stores the half of its results that is not conjugate (fft_real_first.comp), and a pass over
 * these (fft_real_last.comp). Compared with transforms of half the length, there is no pass that splits the results,
 * and windows are neither copied nor multiplied by weights in a pass of their own. */
#include "gpu/program/shader.h"
#include "kernel/variant/access.h"
#include "linalg/fft/fft.h"
#include "linalg/fft/fft_private.h"

#include <string.h>

/* PART: elements that go through both passes together. MANY: elements of all windows, from which on it is used, since its
 * programs take long to compile. */
enum { GROUP = 32, PART = 1 << 17, MANY = 1 << 16 };

/* The radices of a length: 2 * half, and last. */
typedef struct Split {
    int length, half, last;
} Split;

static const Split *find_split(int64_t length)
{
    static const Split splits[] = {{128, 8, 8}, {256, 8, 16}, {512, 16, 16}, {1024, 16, 32}, {2048, 32, 32}};
    for (size_t i = 0; i < sizeof splits / sizeof *splits; i++) {
        if (splits[i].length == length) {
            return &splits[i];
        }
    }
    return NULL;
}

bool fft_real_aligned(const Stream *from)
{
    return from->contiguous && from->offset % 4 == 0 && (from->shape.size[0] < 2 || from->shape.size[1] % 4 == 0);
}

bool fft_real_serves(const Stream *from, const FftWindows *windows)
{
    return find_split(windows->size) && from->type->scalar == SCALAR_FLOAT && windows->hop % 4 == 0 &&
           from->shape.size[0] * windows->count * windows->size >= MANY &&
           device_traits(from->device)->family == FAMILY_CPU;
}

static void put_divisor(uint32_t *words, int at, int64_t divisor)
{
    words[at] = (uint32_t)divisor;
    access_divisor(divisor, &words[at + 1], &words[at + 2]);
}

/* Runs a pass from the first buffer and a table to another buffer. */
static bool run(Device *device, Program *program, bool block, Buffer *const buffers[3], uint32_t *words)
{
    const float direction = 1, scale = 0.5F;
    memcpy(&words[FFT_P_SIGN], &direction, sizeof direction);
    memcpy(&words[FFT_P_SCALE], &scale, sizeof scale);
    Dispatch dispatch = {.program = program, .params = words, .param_vectors = FFT_P_VECTORS};
    dispatch.groups[0] = (words[FFT_P_COLUMNS] + GROUP - 1) / GROUP;
    dispatch.groups[1] = dispatch.groups[2] = 1;
    dispatch.blocks[0].buffer = buffers[2];
    dispatch.blocks[1].buffer = buffers[0];
    dispatch.blocks[2].buffer = buffers[1];
    dispatch.block_count = block ? 3 : 1;
    dispatch.textures[0] = (DispatchTexture){buffers[0], TEXEL_VECTOR};
    dispatch.textures[1] = (DispatchTexture){buffers[1], TEXEL_VECTOR};
    dispatch.texture_count = block ? 0 : 2;
    return device_dispatch(device, &dispatch);
}

/* Transforms `count` windows after `first` others to `spare`. */
static bool run_first(const Split *split, const Stream *from, const FftWindows *windows, int64_t first, int64_t count,
                      const Stream *spare)
{
    bool block = !buffer_in_texture(from->buffer, TEXEL_VECTOR);
    Program *program = shader_program_format(
        from->device, "fft_real_first.comp", "#define RADIX %d\n%s%s#define GROUP %d\n%s", split->half,
        windows->weights ? "#define WEIGHTED\n" : "", block ? "#define BLOCK\n" : "", GROUP, fft_declarations(false));
    uint32_t words[4 * FFT_P_VECTORS] = {0};
    Buffer *weights = windows->weights ? windows->weights->buffer : from->buffer;
    words[FFT_P_COLUMNS] = (uint32_t)(count * (split->last / 4));
    put_divisor(words, FFT_P_SPAN, split->last / 4);
    put_divisor(words, FFT_P_COUNT, windows->count);
    words[FFT_P_FROM] = (uint32_t)(from->offset / 4);
    words[FFT_P_HOP] = (uint32_t)(windows->hop / 4);
    words[FFT_P_ROW] = (uint32_t)(from->shape.size[1] / 4);
    words[FFT_P_FIRST] = (uint32_t)first;
    return program && (!block || buffer_block_fits(from->buffer)) &&
           run(from->device, program, block, (Buffer *[]){from->buffer, weights, spare->buffer}, words);
}

/* Transforms the rows of `count` windows in `spare` to the result, after `first` others. */
static bool run_last(const Split *split, const Stream *spare, int64_t first, int64_t count, const Stream *to)
{
    bool block = !buffer_in_texture(spare->buffer, TEXEL_VECTOR);
    FftPass pass = {.radix = split->last, .rest = 2 * split->half};
    Buffer *factors = fft_factors(to->device, &pass, false);
    Program *program = factors ? shader_program_format(to->device, "fft_real_last.comp",
                                                       "#define RADIX %d\n%s#define LOW %d\n#define GROUP %d\n%s",
                                                       split->last, block ? "#define BLOCK\n" : "",
                                                       fft_low(split->last), GROUP, fft_declarations(false))
                               : NULL;
    uint32_t words[4 * FFT_P_VECTORS] = {0};
    words[FFT_P_COLUMNS] = (uint32_t)(count * (split->half + 1));
    put_divisor(words, FFT_P_SPAN, split->half + 1);
    words[FFT_P_TO] = (uint32_t)(to->offset + first * (split->length / 2 + 1));
    return program && run(to->device, program, block, (Buffer *[]){spare->buffer, factors, to->buffer}, words);
}

bool fft_run_real(const Stream *from, const FftWindows *windows, Stream *to)
{
    const Split *split = find_split(windows->size);
    int64_t total = from->shape.size[0] * windows->count, row = (split->half + 1) * split->last;
    int64_t part = PART / row < total ? PART / row : total;
    Stream spare;
    Shape room = {.rank = 1, .size = {part * row}};
    if (!buffer_block_fits(to->buffer) || !stream_create(to->device, to->type, &room, false, &spare)) {
        return false;
    }
    bool done = true;
    for (int64_t first = 0; first < total && done; first += part) {
        int64_t count = part < total - first ? part : total - first;
        done = run_first(split, from, windows, first, count, &spare) && run_last(split, &spare, first, count, to);
    }
    stream_release(&spare);
    if (done) {
        stream_wrote(to);
    }
    return done;
}
