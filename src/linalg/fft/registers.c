/* Passes in registers, for processors. Invocations are few and long. Stores cost more than all arithmetic, so radices
 * are as large as compilers can handle. */
#include "gpu/program/shader.h"
#include "linalg/fft/fft_private.h"

#include <stdlib.h>

/* PART: elements that go through all passes together, a megabyte of floats. Radix 32 is used only for transforms
 * (with the adjacent ones) of at most CACHED elements, since it spans too many lines of memory beyond, and for at
 * least MANY elements in all, since its programs take long to compile. */
enum { GROUP = 32, PART = 1 << 17, CACHED = 1 << 18, MANY = 1 << 16 };

typedef enum Form { LONE, LAST, PAIR, DOUBLE } Form; /* see fft_pass.comp */

/* `low` is LOW in fft_pass.comp. Even radices come first: these passes run last, so that pairs of elements can be
 * used. */
static const struct {
    int radix, low;
} radices[] = {{32, 3}, {16, 3}, {8, 3}, {4, 1}, {2, 1}, {7, 3}, {5, 4}, {3, 2}};

enum { RADICES = sizeof radices / sizeof *radices };

int fft_low(int64_t radix)
{
    int i = 0;
    while (radices[i].radix != radix) {
        i++;
    }
    return radices[i].low;
}

/* Returns the number of passes of radix 32: as few as reduce the total number of passes. */
static int count_largest(const Fft *f)
{
    int twos = 0, count = 0;
    while (f->length >> twos << twos == f->length) {
        twos++;
    }
    twos--;
    if (f->length * f->inner > CACHED || f->outer * f->length * f->inner < MANY) {
        return 0;
    }
    while (count + (twos - 5 * count + 3) / 4 > (twos + 4) / 5) {
        count++;
    }
    return count;
}

static int find_passes(const Fft *f, const Stream *s, FftPass passes[FFT_PASSES])
{
    (void)s;
    int count = 0, largest = count_largest(f);
    int64_t length = f->length, stride = f->inner;
    for (int i = 0; i < RADICES; i++) {
        int radix = radices[i].radix;
        for (; length % radix == 0 && (i > 0 || count < largest); length /= radix, stride *= radix) {
            passes[count++] = (FftPass){radix, length / radix, stride};
        }
    }
    return count;
}

/* Returns the number of twiddle factors of one column in the table. */
static int listed(int64_t radix)
{
    int low = fft_low(radix);
    return low + ((int)radix - 1) / (low + 1);
}

/* Returns the number of texels of the twiddle factors of one column. */
static int64_t texels_of(int64_t radix, bool wide)
{
    return wide ? listed(radix) : (listed(radix) + 1) / 2;
}

/* Fills in the factors. Arguments: the radix, m, whether doubles. For each p: the powers p to LOW p of the root, then
 * those at multiples of (LOW + 1) p. */
static bool fill_factors(const Constants *constants, Buffer *buffer)
{
    int64_t radix = constants->arguments[0], rest = constants->arguments[1], n = rest * radix;
    bool wide = constants->arguments[2] != 0;
    int low = fft_low(radix), count = listed(radix);
    int64_t pitch = texels_of(radix, wide) * (wide ? 1 : 2);
    void *data = calloc(1, constants->bytes);
    for (int64_t p = 0; data && p < rest; p++) {
        for (int k = 0; k < count; k++) {
            double x, y;
            twiddles_find(p * (k < low ? k + 1 : (k - low + 1) * (low + 1)) % n, n, &x, &y);
            twiddles_put(data, p * pitch + k, wide, x, y);
        }
    }
    return twiddles_write(constants, buffer, data);
}

Buffer *fft_factors(Device *device, const FftPass *pass, bool wide)
{
    Constants constants = {
        fill_factors, {pass->radix, pass->rest, wide}, (uint64_t)(pass->rest * texels_of(pass->radix, wide) * 16)};
    return constants_find(device, &constants);
}

static Program *find_program(Device *device, int64_t radix, Form form, bool block)
{
    static const char *const forms[] = {"", "#define LAST\n", "#define PAIR\n", "#define DOUBLE\n"};
    return shader_program_format(device, "fft_pass.comp", "#define RADIX %d\n%s%s#define LOW %d\n#define GROUP %d\n%s",
                                 (int)radix, forms[form], block ? "#define BLOCK\n" : "", fft_low(radix), GROUP,
                                 fft_declarations(form == DOUBLE));
}

static Form form_of(const FftPass *pass, const Stream *from)
{
    if (fft_wide(from)) {
        return DOUBLE;
    } else if (from->offset % 2 == 0 && pass->stride % 2 == 0) {
        return PAIR;
    }
    bool last = pass->stride == 1 && pass->rest % 2 == 0 && pass->radix % 2 == 0;
    return from->offset % 2 == 0 && last ? LAST : LONE;
}

static bool run_pass(const Fft *f, const FftPass *pass, bool last, const Stream *from, Stream *to)
{
    Device *device = from->device;
    Form form = form_of(pass, from);
    TexelFormat format = form == LONE ? TEXEL_WORD : TEXEL_VECTOR;
    bool block = !buffer_in_texture(from->buffer, format);
    Program *program = find_program(device, pass->radix, form, block);
    Buffer *factors = program ? fft_factors(device, pass, form == DOUBLE) : NULL;
    if (!factors || !buffer_block_fits(to->buffer) || (block && !buffer_block_fits(from->buffer))) {
        return false;
    }
    uint32_t words[4 * FFT_P_VECTORS] = {0};
    fft_fill(f, pass, last, from, to, form == PAIR || form == LAST ? 2 : 1, words);
    Dispatch dispatch = {.program = program, .params = words, .param_vectors = FFT_P_VECTORS};
    dispatch.groups[0] = (words[FFT_P_COLUMNS] + GROUP - 1) / GROUP;
    dispatch.groups[1] = dispatch.groups[2] = 1;
    dispatch.bytes = 2 * (uint64_t)(f->outer * f->length * f->inner * from->type->bytes);
    dispatch.blocks[0].buffer = to->buffer;
    dispatch.blocks[1].buffer = from->buffer;
    dispatch.blocks[2].buffer = factors;
    dispatch.block_count = block ? 3 : 1;
    dispatch.textures[0] = (DispatchTexture){from->buffer, format};
    dispatch.textures[1] = (DispatchTexture){factors, TEXEL_VECTOR};
    dispatch.texture_count = block ? 0 : 2;
    return device_dispatch(device, &dispatch);
}

const FftFamily fft_registers = {find_passes, run_pass, PART};
