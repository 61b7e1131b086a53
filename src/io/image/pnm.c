/* The netpbm formats: PGM (P2, P5) and PPM (P3, P6) with 8 or 16 bits, and PFM (Pf, PF). A PFM file has the
 * bottom row first; the sign of its scale determines the byte order, the magnitude is ignored. Writes P5, P6
 * and little-endian PFM. One image per file. */
#include "base/decimal.h"
#include "base/error.h"
#include "io/byteorder.h"
#include "io/image/formats.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Cursor {
    const unsigned char *start, *at, *end;
} Cursor;

typedef struct Header {
    int64_t rows, cols;
    uint32_t white;
    int channels;
    ImageDepth depth;
    bool text;   /* samples in decimal digits */
    bool little; /* byte order of floats; integers are big-endian */
} Header;

static bool is_space(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static int peek(const Cursor *cursor)
{
    return cursor->at < cursor->end ? *cursor->at : -1;
}

static void skip_comment(Cursor *cursor)
{
    while (cursor->at < cursor->end && *cursor->at != '\n' && *cursor->at != '\r') {
        cursor->at++;
    }
}

static void skip_space(Cursor *cursor)
{
    for (;;) {
        int c = peek(cursor);
        if (c == '#') {
            skip_comment(cursor);
        } else if (is_space(c)) {
            cursor->at++;
        } else {
            return;
        }
    }
}

static bool expected(const Cursor *cursor, const char *what)
{
    long long at = cursor->at - cursor->start;
    int c = peek(cursor);
    if (c < 0) {
        return error_set("expected %s at byte %lld, but the file ends: it is truncated", what, at);
    }
    if (c > ' ' && c < 127) {
        return error_set("expected %s at byte %lld, found '%c'", what, at, c);
    }
    return error_set("expected %s at byte %lld, found byte %d", what, at, c);
}

static bool read_number(Cursor *cursor, const char *what, int64_t limit, int64_t *value)
{
    skip_space(cursor);
    if (!is_digit(peek(cursor))) {
        return expected(cursor, what);
    }
    *value = 0;
    for (; is_digit(peek(cursor)); cursor->at++) {
        *value = *value * 10 + (*cursor->at - '0');
        if (*value > limit) {
            return error_set("%s is above %lld", what, (long long)limit);
        }
    }
    return true;
}

/* Reads the scale of a PFM file. Only its sign is used, but it must not be 0. */
static bool read_scale(Cursor *cursor, bool *little)
{
    size_t used = 0;
    skip_space(cursor);
    *little = peek(cursor) == '-';
    double scale = decimal_read((const char *)cursor->at, (size_t)(cursor->end - cursor->at), &used);
    cursor->at += used;
    return (used > 0 && isfinite(scale) && scale != 0) ||
           error_set("the scale of a PFM must be a number other than 0 (its sign determines the byte order)");
}

/* Reads the single white space that ends the header of binary samples. A comment may precede it. */
static bool end_header(Cursor *cursor)
{
    if (peek(cursor) == '#') {
        skip_comment(cursor);
    }
    if (!is_space(peek(cursor))) {
        return expected(cursor, "white space before the samples");
    }
    cursor->at++;
    return true;
}

static bool read_depth(Cursor *cursor, bool is_float, Header *header)
{
    if (is_float) {
        header->depth = IMAGE_FLOAT;
        return read_scale(cursor, &header->little);
    }
    int64_t white;
    if (!read_number(cursor, "the largest sample", 65535, &white)) {
        return false;
    }
    if (white == 0) {
        return error_set("the largest sample is 0");
    }
    header->white = (uint32_t)white;
    header->depth = white > 255 ? IMAGE_U16 : IMAGE_U8;
    return true;
}

static bool read_header(Cursor *cursor, Header *header)
{
    char kind = (char)cursor->at[1];
    cursor->at += 2;
    header->text = kind == '2' || kind == '3';
    header->channels = kind == '3' || kind == '6' || kind == 'F' ? 3 : 1;
    if (!is_space(peek(cursor)) && peek(cursor) != '#') {
        return expected(cursor, "white space after the format's name");
    }
    if (!read_number(cursor, "the width", INT_MAX, &header->cols) ||
        !read_number(cursor, "the height", INT_MAX, &header->rows)) {
        return false;
    }
    if (!read_depth(cursor, kind == 'f' || kind == 'F', header)) {
        return false;
    }
    return header->text || end_header(cursor);
}

static size_t sample_bytes(const Header *header)
{
    return header->text ? 1 : image_sample_bytes(header->depth);
}

/* Compares the size in the header with the length of the file, before memory is allocated. */
static bool check_size(const Cursor *cursor, const Header *header)
{
    size_t left = (size_t)(cursor->end - cursor->at);
    uint64_t per_row = (uint64_t)header->cols * (uint64_t)header->channels * sample_bytes(header);
    if (header->rows == 0 || header->cols == 0) {
        return error_set("its header says %lld rows and %lld columns: no pixels", (long long)header->rows,
                         (long long)header->cols);
    }
    if ((uint64_t)header->rows > left / per_row) {
        return error_set("its header says %lld rows and %lld columns, but only %zu bytes of samples follow: "
                         "it is truncated, or the size is incorrect",
                         (long long)header->rows, (long long)header->cols, left);
    }
    return true;
}

/* Checks that at most a line end follows binary samples; anything longer means that the size is incorrect. */
static bool check_end(Cursor *cursor, const Header *header)
{
    if (header->text) {
        skip_space(cursor);
    } else {
        cursor->at += peek(cursor) == '\r';
        cursor->at += peek(cursor) == '\n';
    }
    if (cursor->at < cursor->end) {
        return error_set(
            "%lld bytes follow its %lld rows and %lld columns: the size is incorrect, or there is more than "
            "one image",
            (long long)(cursor->end - cursor->at), (long long)header->rows, (long long)header->cols);
    }
    return true;
}

static void store(Image *image, size_t i, uint32_t value)
{
    if (image->depth == IMAGE_U8) {
        ((uint8_t *)image->data)[i] = (uint8_t)value;
    } else {
        ((uint16_t *)image->data)[i] = (uint16_t)value;
    }
}

static bool read_text(Cursor *cursor, Image *image)
{
    size_t count = image_samples(image);
    for (size_t i = 0; i < count; i++) {
        int64_t value;
        if (!read_number(cursor, "a sample", image->white, &value)) {
            return false;
        }
        store(image, i, (uint32_t)value);
    }
    return true;
}

static bool check_samples(const Image *image)
{
    uint32_t largest = 0;
    size_t count = image_samples(image);
    for (size_t i = 0; i < count; i++) {
        uint32_t value = image->depth == IMAGE_U8 ? ((uint8_t *)image->data)[i] : ((uint16_t *)image->data)[i];
        largest = value > largest ? value : largest;
    }
    if (largest > image->white) {
        return error_set("a sample of %u is above the largest that its header declares, %u", largest, image->white);
    }
    return true;
}

static bool read_integers(Cursor *cursor, Image *image)
{
    size_t bytes = image_samples(image) * image_sample_bytes(image->depth);
    memcpy(image->data, cursor->at, bytes);
    cursor->at += bytes;
    if (image->depth == IMAGE_U16) {
        byteorder_convert(image->data, 2, image_samples(image), false);
    }
    return check_samples(image);
}

static bool read_floats(Cursor *cursor, Image *image, bool little)
{
    size_t row_bytes = (size_t)image->cols * (size_t)image->channels * sizeof(float);
    for (int row = image->rows - 1; row >= 0; row--) {
        memcpy((unsigned char *)image->data + (size_t)row * row_bytes, cursor->at, row_bytes);
        cursor->at += row_bytes;
    }
    byteorder_convert(image->data, sizeof(float), image_samples(image), little);
    return true;
}

bool pnm_recognize(const unsigned char *bytes, size_t size)
{
    return size >= 2 && bytes[0] == 'P' && bytes[1] != 0 && strchr("1234567fF", bytes[1]) != NULL;
}

bool pnm_decode(const unsigned char *bytes, size_t size, Image *image)
{
    Cursor cursor = {bytes, bytes, bytes + size};
    Header header = {0};
    if (strchr("147", bytes[1])) {
        return error_set("it is a %s, which rill does not read: expected PGM, PPM or PFM",
                         bytes[1] == '7' ? "PAM (P7)" : "PBM (bitmap)");
    }
    if (!read_header(&cursor, &header) || !check_size(&cursor, &header) ||
        !image_create(image, header.rows, header.cols, header.channels, header.depth)) {
        return false;
    }
    bool ok;
    if (header.depth == IMAGE_FLOAT) {
        ok = read_floats(&cursor, image, header.little);
    } else {
        image->white = header.white;
        ok = header.text ? read_text(&cursor, image) : read_integers(&cursor, image);
    }
    return ok && check_end(&cursor, &header);
}

static bool check_alpha(const Image *image)
{
    return image->channels == 1 || image->channels == 3 ||
           error_set("the format holds no alpha: use .png, or a vec3 stream without it");
}

bool pnm_encode_floats(const Image *image, StrBuf *bytes)
{
    if (!check_alpha(image)) {
        return false;
    }
    if (image->depth != IMAGE_FLOAT) {
        return error_set("PFM holds floats only");
    }
    size_t row_bytes = (size_t)image->cols * (size_t)image->channels * sizeof(float);
    strbuf_addf(bytes, "P%c\n%d %d\n%s\n", image->channels == 1 ? 'f' : 'F', image->cols, image->rows,
                byteorder_little() ? "-1.0" : "1.0");
    for (int row = image->rows - 1; row >= 0; row--) {
        strbuf_add_bytes(bytes, (const char *)image->data + (size_t)row * row_bytes, row_bytes);
    }
    return true;
}

static bool encode_integers(const Image *image, bool gray, StrBuf *bytes)
{
    if (!check_alpha(image)) {
        return false;
    }
    if (gray && image->channels != 1) {
        return error_set("PGM holds gray images only: use .ppm or .png");
    }
    if (image->depth == IMAGE_FLOAT) {
        return error_set("the format holds no floats: use .pfm");
    }
    int repeats = !gray && image->channels == 1 ? 3 : 1;
    size_t width = image_sample_bytes(image->depth), count = image_samples(image);
    strbuf_addf(bytes, "P%c\n%d %d\n%u\n", gray ? '5' : '6', image->cols, image->rows, image->white);
    size_t start = bytes->length;
    if (repeats == 1) {
        strbuf_add_bytes(bytes, image->data, count * width);
    } else {
        for (size_t i = 0; i < count * 3; i++) {
            strbuf_add_bytes(bytes, (const char *)image->data + i / 3 * width, width);
        }
    }
    if (width == 2 && !bytes->failed) {
        byteorder_convert(bytes->text + start, 2, (bytes->length - start) / 2, false);
    }
    return true;
}

bool pnm_encode_gray(const Image *image, StrBuf *bytes)
{
    return encode_integers(image, true, bytes);
}

bool pnm_encode_rgb(const Image *image, StrBuf *bytes)
{
    return encode_integers(image, false, bytes);
}

bool pnm_encode_either(const Image *image, StrBuf *bytes)
{
    return encode_integers(image, image->channels == 1, bytes);
}
