/* Passes in registers and shared memory, for GPUs, of lengths that are powers of two: fft_exchange.comp. */
#include "gpu/program/shader.h"
#include "linalg/fft/fft_private.h"

/* MEMORY: bytes of shared memory of a group. SECTOR: bytes that memory transfers at once. LEAST_BITS: log2 of the
 * least elements of a group. LANE_BITS: log2 of the most lanes of a group, if it has no more columns than a sector.
 * GROUPS: least number of groups before groups become larger. BANKS: bytes of shared memory in different banks. */
enum { MEMORY = 1 << 14, SECTOR = 32, LEAST_BITS = 10, LANE_BITS = 8, GROUPS = 512, BANKS = 128, SLOT_BITS = 4 };

/* The bits of fft_exchange.comp. */
typedef struct Bits {
    int length, width, slot, last, from, to;
} Bits;

static int log2_of(int64_t n)
{
    int bits = 0;
    while (n >> (bits + 1)) {
        bits++;
    }
    return bits;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Returns log2 of the most elements of a group: one component of each is in shared memory. */
static int most_bits(const Stream *s)
{
    return log2_of(MEMORY / type_scalar_bytes(s->type->scalar));
}

int fft_exchange_most(const Stream *s, bool contiguous)
{
    return most_bits(s) - (contiguous ? 0 : log2_of(SECTOR / s->type->bytes));
}

static bool is_power(int64_t n)
{
    return (n & (n - 1)) == 0;
}

bool fft_exchange_serves(const FftPass *pass)
{
    return is_power(pass->radix) && is_power(pass->rest) && pass->radix >= FFT_EXCHANGE_LEAST;
}

/* Returns log2 of the elements of a group, which has at least one column. */
static int size_of(const Fft *f, const FftPass *pass, const Stream *s, const Bits *bits)
{
    int most = least(most_bits(s), LANE_BITS + bits->slot), size = LEAST_BITS, columns = 0;
    int64_t elements = f->outer * f->length * f->inner, chosen = device_traits(s->device)->tuning[TUNING_FFT_ELEMENTS];
    if (chosen) {
        size = least(most, log2_of(chosen));
    } else {
        columns = pass->rest * pass->stride > 1 ? log2_of(SECTOR / s->type->bytes) : 0;
        for (; size < most && elements >> size > GROUPS; size++) {
        }
    }
    return size < bits->length + columns ? bits->length + columns : size;
}

static Bits find_bits(const Fft *f, const FftPass *pass, const Stream *s)
{
    const int slots = log2_of(device_traits(s->device)->tuning[TUNING_FFT_REGISTERS]);
    Bits bits = {.length = log2_of(pass->radix)};
    bits.slot = bits.length == 9 ? 3 : least(bits.length < 9 ? slots : SLOT_BITS, bits.length - 2);
    bits.last = (bits.length - 1) % bits.slot + 1;
    bits.width = size_of(f, pass, s, &bits) - bits.length;
    bits.from = least(bits.width, log2_of(pass->stride));
    bits.to = least(bits.width, log2_of(pass->rest * pass->stride));
    return bits;
}

/* Returns the index in shared memory of the first element that a lane loads after an exchange, as `exchange` in
 * fft_exchange.comp. */
static uint32_t find_place(const Bits *b, uint32_t lane, bool last)
{
    int low = last ? b->to : b->from, unit_bits = b->length - b->slot, stride = last ? 0 : b->last;
    uint32_t unit = lane >> low & ((1u << unit_bits) - 1);
    uint32_t column = (lane & ((1u << low) - 1)) | lane >> (low + unit_bits) << low;
    uint32_t position = unit >> stride << (stride + (last ? b->last : b->slot)) | (unit & ((1u << stride) - 1));
    unit = position & ((1u << unit_bits) - 1);
    lane = (column & ((1u << b->from) - 1)) | unit << b->from | column >> b->from << (b->from + unit_bits);
    return position >> unit_bits << (unit_bits + b->width) | lane;
}

/* Writes the permutation for an exchange of elements of some bytes. Stores need none: adjacent lanes store adjacent
 * elements. The lanes that load at the same time differ in some bits of the index. Each bit above the bits of the bank
 * is added to a bit of the bank in which they do not differ. */
static void add_swizzle(StrBuf *out, const Bits *b, int bytes, bool last)
{
    int bank = log2_of(BANKS / bytes);
    uint32_t differ = 0;
    for (int i = 0; i < bank; i++) {
        differ |= find_place(b, 1u << i, last);
    }
    strbuf_addf(out, "#define SWIZZLE_%s(a) (a", last ? "LAST" : "MIDDLE");
    for (int low = 0, high = bank; differ >> high; high++) {
        if (differ >> high & 1) {
            while (differ >> low & 1) {
                low++;
            }
            strbuf_addf(out, " ^ (a >> %d & %uu)", high - low, 1u << low);
            low++;
        }
    }
    strbuf_add(out, ")\n");
}

static Program *find_program(const Bits *b, const FftPass *pass, const Stream *s)
{
    StrBuf swizzles = STRBUF_EMPTY;
    bool wide = fft_wide(s), split = (s->type->bytes << (b->length + b->width)) > MEMORY;
    int bytes = split ? s->type->bytes / 2 : s->type->bytes;
    add_swizzle(&swizzles, b, bytes, false);
    add_swizzle(&swizzles, b, bytes, true);
    Program *program = shader_program_format(
        s->device, "fft_exchange.comp",
        "#define LENGTH_BITS %d\n#define WIDTH_BITS %d\n#define SLOT_BITS %d\n#define LAST_BITS %d\n"
        "#define FROM_BITS %d\n#define TO_BITS %d\n#define LANES %d\n%s%s%s%s%s",
        b->length, b->width, b->slot, b->last, b->from, b->to, 1 << (b->length + b->width - b->slot),
        strbuf_text(&swizzles), wide ? "#define DOUBLE\n" : "", pass->rest > 1 ? "#define TWIDDLED\n" : "",
        split ? "#define SPLIT\n" : "", fft_declarations(wide));
    strbuf_free(&swizzles);
    return program;
}

bool fft_exchange_run(const Fft *f, const FftPass *pass, bool last, const Stream *from, Stream *to)
{
    Bits bits = find_bits(f, pass, from);
    Program *program = find_program(&bits, pass, from);
    if (!program || !buffer_block_fits(to->buffer) || !buffer_block_fits(from->buffer)) {
        return false;
    }
    uint32_t words[4 * FFT_P_VECTORS] = {0};
    fft_fill(f, pass, last, from, to, 1, words);
    words[FFT_P_ANGLE] = (uint32_t)((INT64_C(1) << 32) / (pass->radix * pass->rest));
    Dispatch dispatch = {.program = program, .params = words, .param_vectors = FFT_P_VECTORS, .block_count = 2};
    dispatch.groups[0] = (words[FFT_P_COLUMNS] + (1u << bits.width) - 1) >> bits.width;
    dispatch.groups[1] = dispatch.groups[2] = 1;
    dispatch.bytes = 2 * (uint64_t)(f->outer * f->length * f->inner * from->type->bytes);
    dispatch.blocks[0].buffer = to->buffer;
    dispatch.blocks[1].buffer = from->buffer;
    return device_dispatch(from->device, &dispatch);
}
