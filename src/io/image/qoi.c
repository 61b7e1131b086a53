/* QOI, the "Quite OK Image" format (https://qoiformat.org/qoi-specification.pdf): RGB or RGBA with 8 bits.
 * Reads and writes all chunk types. The color space in the header is ignored when reading and sRGB when
 * writing. Gray is written as RGB. */
#include "base/error.h"
#include "io/byteorder.h"
#include "io/image/formats.h"

#include <string.h>

enum { MAGIC = 4, HEADER = 14, END = 8, INDEX_SIZE = 64, LONGEST_RUN = 62, LONGEST_CHUNK = 5 };

/* The first byte of a chunk. Of the first four types, the upper two bits are the tag and the lower six are data. */
enum {
    CHUNK_INDEX = 0x00, /* an index into `seen` */
    CHUNK_DIFF = 0x40,  /* differences of red, green and blue, -2 to 1, two bits each */
    CHUNK_LUMA = 0x80,  /* difference of green, six bits; red and blue relative to it, four bits each */
    CHUNK_RUN = 0xc0,   /* the previous pixel 1 to 62 times */
    CHUNK_RGB = 0xfe,   /* three bytes follow */
    CHUNK_RGBA = 0xff,  /* four bytes follow */
    CHUNK_KIND = 0xc0,
    CHUNK_NUMBER = 0x3f
};

static const unsigned char magic[MAGIC] = {'q', 'o', 'i', 'f'};
static const unsigned char end_marker[END] = {0, 0, 0, 0, 0, 0, 0, 1};

typedef struct Pixel {
    uint8_t value[4]; /* red, green, blue, alpha */
} Pixel;

static const Pixel before_first = {{0, 0, 0, 255}};

static size_t pixel_index(Pixel p)
{
    return (p.value[0] * 3U + p.value[1] * 5U + p.value[2] * 7U + p.value[3] * 11U) % INDEX_SIZE;
}

static bool pixel_equal(Pixel a, Pixel b)
{
    return memcmp(a.value, b.value, sizeof a.value) == 0;
}

/* reading */

typedef struct Reader {
    const unsigned char *at, *end; /* the chunks */
    Pixel pixel, seen[INDEX_SIZE];
} Reader;

/* Adds differences to red, green and blue, modulo 256. */
static void shift(Pixel *p, int red, int green, int blue)
{
    p->value[0] = (uint8_t)(p->value[0] + red);
    p->value[1] = (uint8_t)(p->value[1] + green);
    p->value[2] = (uint8_t)(p->value[2] + blue);
}

/* Returns the number of bytes that follow the first byte of a chunk. */
static size_t chunk_rest(unsigned first)
{
    if (first >= CHUNK_RGB) {
        return first == CHUNK_RGBA ? 4 : 3;
    }
    return (first & CHUNK_KIND) == CHUNK_LUMA ? 1 : 0;
}

/* Reads a chunk into reader->pixel. Returns the number of pixels that it represents, or 0 if it is truncated. */
static size_t read_chunk(Reader *reader)
{
    if (reader->at == reader->end || chunk_rest(*reader->at) >= (size_t)(reader->end - reader->at)) {
        return 0;
    }
    const unsigned char *rest = reader->at + 1;
    unsigned first = *reader->at;
    int number = (int)(first & CHUNK_NUMBER);
    size_t count = 1, bytes = chunk_rest(first);
    Pixel *p = &reader->pixel;
    reader->at = rest + bytes;
    if (first >= CHUNK_RGB) {
        memcpy(p->value, rest, bytes);
    } else if ((first & CHUNK_KIND) == CHUNK_INDEX) {
        *p = reader->seen[number];
    } else if ((first & CHUNK_KIND) == CHUNK_DIFF) {
        shift(p, (number >> 4) - 2, (number >> 2 & 3) - 2, (number & 3) - 2);
    } else if ((first & CHUNK_KIND) == CHUNK_LUMA) {
        int green = number - 32;
        shift(p, green + (*rest >> 4) - 8, green, green + (*rest & 15) - 8);
    } else {
        count = (size_t)number + 1;
    }
    reader->seen[pixel_index(*p)] = *p;
    return count;
}

static bool read_pixels(Reader *reader, Image *image)
{
    size_t channels = (size_t)image->channels, left = image_samples(image) / channels;
    uint8_t *to = image->data;
    while (left > 0) {
        size_t count = read_chunk(reader);
        if (count == 0) {
            return error_set("the file ends too early, it is truncated");
        }
        if (count > left) {
            return error_set("it is damaged: %zu pixels of its %d rows and %d columns are missing, but a chunk has %zu",
                             left, image->rows, image->cols, count);
        }
        left -= count;
        for (; count > 0; count--, to += channels) {
            memcpy(to, reader->pixel.value, channels);
        }
    }
    return true;
}

/* Checks that the end marker is the end of the file. */
static bool check_end(const unsigned char *at, size_t left)
{
    if (memcmp(at, end_marker, END) != 0) {
        return error_set("it is damaged: the end marker does not follow its last pixel");
    }
    return left == END || error_set("%zu bytes follow its end marker: the size is incorrect, or there is more than one "
                                    "image",
                                    left - END);
}

/* Rejects a size that needs more data than the file has, before memory is allocated. */
static bool check_size(int64_t rows, int64_t cols, size_t size)
{
    int64_t most = (int64_t)(size - HEADER - END) * LONGEST_RUN;
    if (rows == 0 || cols == 0) {
        return error_set("its header says %lld rows and %lld columns: no pixels", (long long)rows, (long long)cols);
    }
    return rows <= most / cols || error_set("its header says %lld rows and %lld columns, more than its %zu bytes can "
                                            "hold: it is truncated, or the size is incorrect",
                                            (long long)rows, (long long)cols, size);
}

static bool decode(const unsigned char *bytes, size_t size, Image *image)
{
    if (size < HEADER + END) {
        return error_set("the file ends too early, it is truncated");
    }
    int64_t cols = (int64_t)byteorder_get_big(bytes + MAGIC, 4),
            rows = (int64_t)byteorder_get_big(bytes + MAGIC + 4, 4);
    int channels = bytes[HEADER - 2], space = bytes[HEADER - 1];
    if ((channels != 3 && channels != 4) || space > 1) {
        return error_set("its header is damaged: it has %d channels and color space %d, expected 3 or 4 and 0 or "
                         "1",
                         channels, space);
    }
    if (!check_size(rows, cols, size) || !image_create(image, rows, cols, channels, IMAGE_U8)) {
        return false;
    }
    Reader reader = {.at = bytes + HEADER, .end = bytes + size - END, .pixel = before_first};
    return read_pixels(&reader, image) && check_end(reader.at, (size_t)(bytes + size - reader.at));
}

bool qoi_recognize(const unsigned char *bytes, size_t size)
{
    return size >= MAGIC && memcmp(bytes, magic, MAGIC) == 0;
}

bool qoi_decode(const unsigned char *bytes, size_t size, Image *image)
{
    return decode(bytes, size, image) || image_refuse("bad QOI");
}

/* writing */

/* Buffers chunks, since an image has millions of them. */
typedef struct Writer {
    StrBuf *out;
    size_t used, run; /* buffered bytes; pixels equal to `last` that are not in a chunk yet */
    Pixel last, seen[INDEX_SIZE];
    unsigned char bytes[4096];
} Writer;

static void put(Writer *writer, unsigned byte)
{
    writer->bytes[writer->used++] = (unsigned char)byte;
}

static void put_whole(Writer *writer, unsigned chunk, Pixel p, int channels)
{
    put(writer, chunk);
    for (int c = 0; c < channels; c++) {
        put(writer, p.value[c]);
    }
}

static void flush(Writer *writer)
{
    strbuf_add_bytes(writer->out, writer->bytes, writer->used);
    writer->used = 0;
}

static void end_run(Writer *writer)
{
    if (writer->run > 0) {
        put(writer, CHUNK_RUN | (unsigned)(writer->run - 1));
        writer->run = 0;
    }
}

/* Returns the difference of two samples modulo 256, from -128 to 127. */
static int difference(uint8_t now, uint8_t before)
{
    int d = now - before;
    return d > 127 ? d - 256 : d < -128 ? d + 256 : d;
}

static bool is_between(int value, int from, int to)
{
    return from <= value && value <= to;
}

/* Writes the chunk of a pixel that differs from the last one and has the same alpha. */
static void put_color(Writer *writer, Pixel p)
{
    int red = difference(p.value[0], writer->last.value[0]);
    int green = difference(p.value[1], writer->last.value[1]);
    int blue = difference(p.value[2], writer->last.value[2]);
    if (is_between(red, -2, 1) && is_between(green, -2, 1) && is_between(blue, -2, 1)) {
        put(writer, CHUNK_DIFF | (unsigned)((red + 2) << 4 | (green + 2) << 2 | (blue + 2)));
    } else if (is_between(green, -32, 31) && is_between(red - green, -8, 7) && is_between(blue - green, -8, 7)) {
        put(writer, CHUNK_LUMA | (unsigned)(green + 32));
        put(writer, (unsigned)((red - green + 8) << 4 | (blue - green + 8)));
    } else {
        put_whole(writer, CHUNK_RGB, p, 3);
    }
}

static void put_pixel(Writer *writer, Pixel p)
{
    if (writer->used + LONGEST_CHUNK + 1 > sizeof writer->bytes) {
        flush(writer);
    }
    if (pixel_equal(p, writer->last)) {
        if (++writer->run == LONGEST_RUN) {
            end_run(writer);
        }
        return;
    }
    end_run(writer);
    size_t index = pixel_index(p);
    if (pixel_equal(p, writer->seen[index])) {
        put(writer, CHUNK_INDEX | (unsigned)index);
    } else if (p.value[3] == writer->last.value[3]) {
        put_color(writer, p);
    } else {
        put_whole(writer, CHUNK_RGBA, p, 4);
    }
    writer->seen[index] = writer->last = p;
}

static Pixel pixel_at(const Image *image, size_t i)
{
    const uint8_t *from = (const uint8_t *)image->data + i * (size_t)image->channels;
    int channels = image->channels, step = channels >= 3;
    return (Pixel){{from[0], from[step], from[2 * step], channels % 2 ? 255 : from[channels - 1]}};
}

static void put_header(const Image *image, StrBuf *bytes)
{
    unsigned char header[HEADER] = {0};
    memcpy(header, magic, MAGIC);
    byteorder_put_big(header + MAGIC, 4, (uint32_t)image->cols);
    byteorder_put_big(header + MAGIC + 4, 4, (uint32_t)image->rows);
    header[HEADER - 2] = image->channels % 2 ? 3 : 4;
    strbuf_add_bytes(bytes, header, HEADER);
}

bool qoi_encode(const Image *image, StrBuf *bytes)
{
    if (image->depth != IMAGE_U8) {
        return error_set(image->depth == IMAGE_FLOAT
                             ? "the format holds no floats: use .pfm"
                             : "the format holds no 16 bits: use .png, or the option depth = 8");
    }
    Writer writer = {.out = bytes, .last = before_first};
    size_t count = image_samples(image) / (size_t)image->channels;
    put_header(image, bytes);
    for (size_t i = 0; i < count; i++) {
        put_pixel(&writer, pixel_at(image, i));
    }
    end_run(&writer);
    flush(&writer);
    strbuf_add_bytes(bytes, end_marker, END);
    return true;
}
