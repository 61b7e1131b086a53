/* Transforms in shared memory, for GPUs. As few passes over memory as shared memory allows: each is a transform of up
 * to some thousand elements. Passes whose length is a power of two are in exchange.c. */
#include "gpu/program/shader.h"
#include "linalg/fft/fft_private.h"

#include <stdlib.h>

/* WIDE: largest length of passes that are not contiguous, so that their columns fill whole lines of memory.
 * MOST_ROOM: most elements of a work group. */
enum { GROUP = 256, WIDE = 256, MOST_ROOM = 4096, FACTORS = 64 };

static const int radices[] = {8, 4, 2, 7, 5, 3};

enum { RADICES = sizeof radices / sizeof *radices };

static int64_t room_of(const Stream *s)
{
    int64_t room = MOST_ROOM, bytes = device_limits(s->device)->shared_bytes;
    while (2 * room * s->type->bytes > bytes) {
        room /= 2;
    }
    return room;
}

static int find_radices(int64_t length, int *found)
{
    int count = 0;
    for (int i = 0; i < RADICES; i++) {
        for (; length % radices[i] == 0; length /= radices[i]) {
            found[count++] = radices[i];
        }
    }
    return count;
}

/* Distributes the factors of a length over `count` passes. Returns false if a pass would be longer than `most`. */
static bool spread(int64_t length, int count, int64_t most, int64_t *lengths)
{
    int factors[FACTORS], factor_count = find_radices(length, factors);
    for (int i = 0; i < count; i++) {
        lengths[i] = 1;
    }
    for (int i = 0; i < factor_count; i++) {
        int least = 0;
        for (int j = 1; j < count; j++) {
            least = lengths[j] < lengths[least] ? j : least;
        }
        lengths[least] *= factors[i];
        if (lengths[least] > most) {
            return false;
        }
    }
    return true;
}

/* Divides the length into as few lengths of passes as possible. Returns their number. */
static int divide_length(const Fft *f, const Stream *s, int64_t *lengths)
{
    int count = 1;
    lengths[0] = f->length;
    if (f->length > room_of(s) || (f->inner > 1 && f->length > WIDE)) {
        while (!spread(f->length, count, WIDE, lengths)) {
            count++;
        }
    }
    return count;
}

/* Divides 2^bits into lengths for fft_exchange_run, which are about equal. */
static int divide_power(const Fft *f, const Stream *s, int bits, int64_t *lengths)
{
    bool whole = f->inner == 1 && bits <= fft_exchange_most(s, true);
    int most = fft_exchange_most(s, whole), count = (bits + most - 1) / most;
    for (int i = 0; i < count; i++) {
        lengths[i] = (int64_t)1 << ((bits + i) / count);
    }
    return count;
}

static int find_passes(const Fft *f, const Stream *s, FftPass passes[FFT_PASSES])
{
    int64_t lengths[FFT_PASSES], length = f->length, stride = f->inner;
    int bits = 0;
    while (length >> bits > 1) {
        bits++;
    }
    if (length == 1) {
        return 0;
    }
    bool power = length == (int64_t)1 << bits && length >= FFT_EXCHANGE_LEAST;
    int count = power ? divide_power(f, s, bits, lengths) : divide_length(f, s, lengths);
    for (int i = 0; i < count; i++) {
        length /= lengths[i];
        passes[i] = (FftPass){lengths[i], length, stride};
        stride *= lengths[i];
    }
    return count;
}

/* Fills in the roots. Arguments: the pass's length, m, whether doubles. First the roots of the length; then of length
 * times m the first FFT_FINE roots, and every FFT_FINE'th root. */
static bool fill_roots(const Constants *constants, Buffer *buffer)
{
    int64_t length = constants->arguments[0], n = length * constants->arguments[1];
    bool wide = constants->arguments[2] != 0;
    int64_t count = (int64_t)constants->bytes / (wide ? 16 : 8);
    void *data = malloc(constants->bytes);
    for (int64_t i = 0; data && i < count; i++) {
        double x, y;
        int64_t fine = i - length, coarse = (fine - FFT_FINE) * FFT_FINE;
        int64_t power = i < length ? i * (n / length) : fine < FFT_FINE ? fine : coarse;
        twiddles_find(power % n, n, &x, &y);
        twiddles_put(data, i, wide, x, y);
    }
    return twiddles_write(constants, buffer, data);
}

static Buffer *find_roots(Device *device, const FftPass *pass, bool wide)
{
    int64_t n = pass->radix * pass->rest, count = pass->radix;
    count += pass->rest > 1 ? FFT_FINE + n / FFT_FINE + 1 : 0;
    Constants constants = {fill_roots, {pass->radix, pass->rest, wide}, (uint64_t)(count * (wide ? 16 : 8))};
    return constants_find(device, &constants);
}

static Program *find_program(Device *device, int64_t room, bool wide)
{
    return shader_program_format(device, "fft_group.comp", "%s#define GROUP %d\n#define ROOM %d\n%s",
                                 wide ? "#define DOUBLE\n" : "", GROUP, (int)room, fft_declarations(wide));
}

/* Sets the columns of a work group and their distance in shared memory: an odd number, so that adjacent columns are
 * in different banks. */
static void fill_group(const FftPass *pass, int64_t room, uint32_t *words)
{
    int factors[FACTORS], count = find_radices(pass->radix, factors);
    int64_t pitch = 2 * pass->radix <= room ? pass->radix | 1 : pass->radix, width = room / pitch;
    words[FFT_P_LENGTH] = (uint32_t)pass->radix;
    words[FFT_P_PITCH] = (uint32_t)pitch;
    words[FFT_P_WIDTH] = (uint32_t)(width < words[FFT_P_COLUMNS] ? width : words[FFT_P_COLUMNS]);
    words[FFT_P_REST] = (uint32_t)pass->rest;
    for (int i = 0; i < count; i++) {
        words[FFT_P_RADICES] |= (uint32_t)factors[i] << (4 * i);
    }
}

static bool run_pass(const Fft *f, const FftPass *pass, bool last, const Stream *from, Stream *to)
{
    Device *device = from->device;
    int64_t room = room_of(from);
    if (fft_exchange_serves(pass)) {
        return fft_exchange_run(f, pass, last, from, to);
    }
    Program *program = find_program(device, room, fft_wide(from));
    Buffer *roots = program ? find_roots(device, pass, fft_wide(from)) : NULL;
    if (!roots || !buffer_block_fits(to->buffer) || !buffer_block_fits(from->buffer)) {
        return false;
    }
    uint32_t words[4 * FFT_P_VECTORS] = {0};
    fft_fill(f, pass, last, from, to, 1, words);
    fill_group(pass, room, words);
    Dispatch dispatch = {.program = program, .params = words, .param_vectors = FFT_P_VECTORS, .block_count = 3};
    dispatch.groups[0] = (words[FFT_P_COLUMNS] + words[FFT_P_WIDTH] - 1) / words[FFT_P_WIDTH];
    dispatch.groups[1] = dispatch.groups[2] = 1;
    dispatch.bytes = 2 * (uint64_t)(f->outer * f->length * f->inner * from->type->bytes);
    dispatch.blocks[0].buffer = to->buffer;
    dispatch.blocks[1].buffer = from->buffer;
    dispatch.blocks[2].buffer = roots;
    return device_dispatch(device, &dispatch);
}

const FftFamily fft_shared_memory = {find_passes, run_pass, 0};
