/* BMP, the bitmap format of Windows: palettes of 1, 4 and 8 bits, RGB of 24 bits, and RGB with or without alpha of 32
 * bits, in either order of rows. Compressed files and files of 16 bits per pixel are refused. A palette of grays gives
 * a gray image. Writes gray with a palette of 8 bits, RGB with 24 bits, and alpha with 32 bits and the header of version
 * 4. The last row comes first. */
#include "base/error.h"
#include "io/byteorder.h"
#include "io/image/formats.h"

#include <string.h>

enum { FILE_HEADER = 14, CORE = 12, INFO = 40, V4 = 108, GRAYS = 256 };
enum { PLAIN = 0, BIT_FIELDS = 3, ALPHA_BIT_FIELDS = 6 }; /* the field "compression" */

typedef struct Layout {
    const unsigned char *bytes;
    size_t size, header; /* of the file; of the second header */
    int64_t rows, cols;
    bool top_down;
    int bits; /* of a pixel */
    unsigned compression;
    int place[4]; /* the byte of red, green, blue and alpha in a pixel of 24 or 32 bits; -1: there is none */
    const unsigned char *palette, *pixels;
    size_t entry, colors; /* bytes of a color of the palette, their number */
    size_t stride;        /* bytes of a row */
} Layout;

bool bmp_recognize(const unsigned char *bytes, size_t size)
{
    return size >= FILE_HEADER + 4 && bytes[0] == 'B' && bytes[1] == 'M' &&
           byteorder_get(bytes + FILE_HEADER, 4) >= CORE && byteorder_get(bytes + FILE_HEADER, 4) <= UINT8_MAX;
}

/* Returns the byte that a mask selects, or -1 if it does not select exactly one. */
static int byte_of(uint64_t mask)
{
    for (int i = 0; i < 4; i++) {
        if (mask == UINT64_C(0xff) << 8 * i) {
            return i;
        }
    }
    return -1;
}

/* Reads the masks that tell which bits are red, green, blue and alpha. They follow the fields of the first INFO bytes. */
static bool read_masks(Layout *layout)
{
    bool has_alpha = layout->compression == ALPHA_BIT_FIELDS || layout->header >= INFO + 16;
    size_t at = FILE_HEADER + INFO, count = has_alpha ? 4 : 3;
    if (layout->size < at + 4 * count) {
        return error_set("it is truncated");
    }
    layout->place[3] = -1;
    for (size_t i = 0; i < count; i++) {
        uint64_t mask = byteorder_get(layout->bytes + at + 4 * i, 4);
        layout->place[i] = byte_of(mask);
        if (layout->place[i] < 0 && !(i == 3 && mask == 0)) {
            return error_set("its pixels have bit masks that are not whole bytes, which is not supported");
        }
    }
    return true;
}

static bool check_kind(const Layout *layout)
{
    int bits = layout->bits;
    bool plain = layout->compression == PLAIN, masks = layout->compression == BIT_FIELDS;
    if (!plain && !((masks || layout->compression == ALPHA_BIT_FIELDS) && (bits == 32 || bits == 16))) {
        return error_set("its compression %u (1 and 2: run lengths) is not supported: expected no compression",
                         layout->compression);
    }
    if (bits != 1 && bits != 4 && bits != 8 && bits != 24 && bits != 32) {
        return error_set("%d bits per pixel are not supported: expected 1, 4, 8, 24 or 32", bits);
    }
    return true;
}

static bool read_header(Layout *layout)
{
    const unsigned char *header = layout->bytes + FILE_HEADER;
    layout->header = byteorder_get(header, 4);
    bool core = layout->header == CORE;
    if (!core && layout->header < INFO) {
        return error_set("its header has %zu bytes: expected 12, or 40 or more", layout->header);
    }
    if (layout->size - FILE_HEADER < layout->header) {
        return error_set("it is truncated");
    }
    layout->cols = core ? (int64_t)byteorder_get(header + 4, 2) : (int32_t)byteorder_get(header + 4, 4);
    layout->rows = core ? (int64_t)byteorder_get(header + 6, 2) : (int32_t)byteorder_get(header + 8, 4);
    layout->bits = (int)byteorder_get(header + (core ? 10 : 14), 2);
    layout->compression = core ? PLAIN : (unsigned)byteorder_get(header + 16, 4);
    layout->top_down = layout->rows < 0;
    layout->rows = layout->top_down ? -layout->rows : layout->rows;
    layout->entry = core ? 3 : 4;
    memcpy(layout->place, (int[4]){2, 1, 0, -1}, sizeof layout->place);
    return check_kind(layout) && (layout->compression == PLAIN || read_masks(layout));
}

/* Finds the palette, which follows the headers. Its colors are counted by the header, and all of them are in the file. */
static bool find_palette(Layout *layout)
{
    size_t from = FILE_HEADER + layout->header, most = (size_t)1 << layout->bits;
    size_t count = layout->header == CORE ? 0 : byteorder_get(layout->bytes + FILE_HEADER + 32, 4);
    layout->colors = count == 0 || count > most ? most : count;
    layout->palette = layout->bytes + from;
    return layout->colors * layout->entry <= layout->size - from || error_set("it is truncated");
}

static bool find_pixels(Layout *layout)
{
    size_t offset = byteorder_get(layout->bytes + 10, 4);
    if (layout->cols <= 0 || layout->rows <= 0) {
        return error_set("an image of %lld rows and %lld columns has no pixels", (long long)layout->rows,
                         (long long)layout->cols);
    }
    if (offset < FILE_HEADER + layout->header) {
        return error_set("it is damaged: its pixels begin at byte %zu, before the end of its headers", offset);
    }
    layout->stride = ((size_t)layout->cols * (size_t)layout->bits + 31) / 32 * 4;
    if (offset > layout->size || layout->stride > (layout->size - offset) / (size_t)layout->rows) {
        return error_set(
            "it is truncated: its header says %lld rows and %lld columns, more than its %zu bytes can hold",
            (long long)layout->rows, (long long)layout->cols, layout->size);
    }
    layout->pixels = layout->bytes + offset;
    return true;
}

static bool is_gray(const Layout *layout)
{
    for (size_t i = 0; i < layout->colors; i++) {
        const unsigned char *color = layout->palette + i * layout->entry;
        if (color[0] != color[1] || color[1] != color[2]) {
            return false;
        }
    }
    return true;
}

static bool read_indices(const Layout *layout, const unsigned char *from, uint8_t *to, int channels)
{
    for (int64_t i = 0; i < layout->cols; i++) {
        int64_t bit = i * layout->bits;
        size_t index = from[bit / 8] >> (8 - layout->bits - bit % 8) & ((1 << layout->bits) - 1);
        if (index >= layout->colors) {
            return error_set("it is damaged: a pixel has color %zu, but the palette has %zu", index, layout->colors);
        }
        for (int c = 0; c < channels; c++) {
            *to++ = layout->palette[index * layout->entry + (size_t)(channels == 1 ? 0 : 2 - c)];
        }
    }
    return true;
}

static bool read_row(const Layout *layout, const unsigned char *from, uint8_t *to, int channels)
{
    if (layout->palette) {
        return read_indices(layout, from, to, channels);
    }
    for (int64_t i = 0; i < layout->cols; i++, from += layout->bits / 8) {
        for (int c = 0; c < channels; c++) {
            *to++ = from[layout->place[c]];
        }
    }
    return true;
}

static bool decode(Layout *layout, Image *image)
{
    if (!read_header(layout) || (layout->bits <= 8 && !find_palette(layout)) || !find_pixels(layout)) {
        return false;
    }
    int channels = layout->palette ? (is_gray(layout) ? 1 : 3) : layout->place[3] < 0 ? 3 : 4;
    if (!image_create(image, layout->rows, layout->cols, channels, IMAGE_U8)) {
        return false;
    }
    for (int64_t i = 0; i < layout->rows; i++) {
        int64_t row = layout->top_down ? i : layout->rows - 1 - i;
        uint8_t *to = (uint8_t *)image->data + (size_t)(i * layout->cols * channels);
        if (!read_row(layout, layout->pixels + (size_t)row * layout->stride, to, channels)) {
            return false;
        }
    }
    return true;
}

bool bmp_decode(const unsigned char *bytes, size_t size, Image *image)
{
    Layout layout = {.bytes = bytes, .size = size};
    if (!bmp_recognize(bytes, size)) {
        return error_set("it is not a BMP");
    }
    return decode(&layout, image) || image_refuse("bad BMP");
}

/* writing */

static void put_header(const Image *image, size_t stride, int bits, StrBuf *bytes)
{
    unsigned char header[FILE_HEADER + V4] = {'B', 'M'}, *info = header + FILE_HEADER;
    size_t length = bits == 32 ? V4 : INFO, pixels = stride * (size_t)image->rows;
    size_t start = FILE_HEADER + length + (bits == 8 ? 4 * GRAYS : 0);
    byteorder_put(header + 2, 4, start + pixels);
    byteorder_put(header + 10, 4, start);
    byteorder_put(info, 4, length);
    byteorder_put(info + 4, 4, (uint64_t)image->cols);
    byteorder_put(info + 8, 4, (uint64_t)image->rows);
    byteorder_put(info + 12, 2, 1); /* planes */
    byteorder_put(info + 14, 2, (uint64_t)bits);
    byteorder_put(info + 16, 4, bits == 32 ? BIT_FIELDS : PLAIN);
    byteorder_put(info + 20, 4, pixels);
    byteorder_put(info + 24, 4, 2835); /* pixels per meter: 72 per inch */
    byteorder_put(info + 28, 4, 2835);
    byteorder_put(info + 32, 4, bits == 8 ? GRAYS : 0);
    if (bits == 32) {
        byteorder_put(info + 40, 4, 0x00ff0000);
        byteorder_put(info + 44, 4, 0x0000ff00);
        byteorder_put(info + 48, 4, 0x000000ff);
        byteorder_put(info + 52, 4, 0xff000000);
        memcpy(info + 56, "BGRs", 4); /* sRGB */
    }
    strbuf_add_bytes(bytes, header, FILE_HEADER + length);
}

static void put_row(const Image *image, const uint8_t *from, size_t stride, StrBuf *bytes)
{
    int n = image->channels, step = n >= 3;
    size_t used = 0;
    for (int i = 0; i < image->cols; i++, from += n) {
        unsigned char pixel[4] = {from[2 * step], from[step], from[0], from[n - 1]};
        size_t count = n == 1 ? 1 : n == 3 ? 3 : 4;
        strbuf_add_bytes(bytes, pixel, count);
        used += count;
    }
    strbuf_add_bytes(bytes, "\0\0\0", stride - used);
}

bool bmp_encode(const Image *image, StrBuf *bytes)
{
    int bits = image->channels == 1 ? 8 : image->channels == 3 ? 24 : 32;
    size_t stride = ((size_t)image->cols * (size_t)bits + 31) / 32 * 4;
    if (image->depth != IMAGE_U8) {
        return error_set(image->depth == IMAGE_FLOAT
                             ? "the format holds no floats: use .pfm"
                             : "the format holds no 16 bits: use .png, or the option depth = 8");
    }
    if (stride > (UINT32_MAX - 4096) / (size_t)image->rows) {
        return error_set("the format holds no images of more than 4 GiB: use .png");
    }
    put_header(image, stride, bits, bytes);
    for (int i = 0; i < GRAYS && bits == 8; i++) {
        strbuf_add_bytes(bytes, (unsigned char[]){(unsigned char)i, (unsigned char)i, (unsigned char)i, 0}, 4);
    }
    for (int i = image->rows - 1; i >= 0; i--) {
        size_t row = (size_t)i * (size_t)image->cols * (size_t)image->channels;
        put_row(image, (const uint8_t *)image->data + row, stride, bytes);
    }
    return true;
}
