/* Builds the messages of frames: four bytes with the length of the header, the header, and the bytes or an image file. */
#include "live/frame.h"
#include "base/error.h"
#include "io/byteorder.h"
#include "io/image/formats.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
    OUTPUT = 1 << 16, /* bytes */
    FILTER_SUB = 1    /* differences of adjacent pixels */
};

void frame_free(Frame *frame)
{
    if (frame) {
        strbuf_free(&frame->header);
        strbuf_free(&frame->message);
        free(frame->bytes);
        free(frame);
    }
}

static void add_word(StrBuf *out, uint32_t word)
{
    const unsigned char bytes[4] = {(unsigned char)(word >> 24), (unsigned char)(word >> 16),
                                    (unsigned char)(word >> 8), (unsigned char)word};
    strbuf_add_bytes(out, bytes, 4);
}

/* Appends a chunk of a PNG file. */
static void add_chunk(StrBuf *out, const char *type, const void *data, size_t length)
{
    uLong sum = crc32(0, (const Bytef *)type, 4);
    if (length > 0) {
        sum = crc32(sum, data, (uInt)length);
    }
    add_word(out, (uint32_t)length);
    strbuf_add_bytes(out, type, 4);
    strbuf_add_bytes(out, length > 0 ? data : "", length);
    add_word(out, (uint32_t)sum);
}

static bool deflate_some(z_stream *z, StrBuf *out, int flush)
{
    unsigned char bytes[OUTPUT];
    int status = Z_OK;
    do {
        z->next_out = bytes;
        z->avail_out = OUTPUT;
        status = deflate(z, flush);
        if (OUTPUT - z->avail_out > 0) {
            add_chunk(out, "IDAT", bytes, OUTPUT - z->avail_out);
        }
    } while (status == Z_OK && z->avail_out == 0);
    return status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR;
}

/* Appends the pixels, as differences of adjacent pixels. */
static bool add_rows(const Frame *frame, StrBuf *out, z_stream *z)
{
    size_t pixel = (size_t)frame->channels, row = (size_t)frame->width * pixel;
    unsigned char *line = malloc(row + 1);
    bool done = line != NULL;
    for (int i = 0; i < frame->height && done; i++) {
        const unsigned char *from = frame->bytes + (size_t)i * row;
        line[0] = FILTER_SUB;
        memcpy(line + 1, from, row);
        for (size_t k = pixel; k < row; k++) {
            line[1 + k] = (unsigned char)(from[k] - from[k - pixel]);
        }
        z->next_in = line;
        z->avail_in = (uInt)(row + 1);
        done = deflate_some(z, out, i + 1 < frame->height ? Z_NO_FLUSH : Z_FINISH);
    }
    free(line);
    return done;
}

static bool add_png(const Frame *frame, StrBuf *out)
{
    static const unsigned char signature[8] = {137, 'P', 'N', 'G', 13, 10, 26, 10};
    unsigned char start[13] = {0};
    for (int i = 0; i < 4; i++) {
        start[i] = (unsigned char)((unsigned)frame->width >> (24 - 8 * i));
        start[4 + i] = (unsigned char)((unsigned)frame->height >> (24 - 8 * i));
    }
    start[8] = 8;
    start[9] = frame->has_palette ? 3 : frame->channels == 3 ? 2 : 0;
    strbuf_add_bytes(out, signature, sizeof signature);
    add_chunk(out, "IHDR", start, sizeof start);
    if (frame->has_palette) {
        add_chunk(out, "PLTE", frame->palette, PALETTE_BYTES);
    }
    /* Runs of equal bytes are found twice as fast as other repetitions, and differences of smooth images compress as well. */
    z_stream z;
    memset(&z, 0, sizeof z);
    if (deflateInit2(&z, 1, Z_DEFLATED, 15, 9, Z_RLE) != Z_OK) {
        return false;
    }
    bool done = add_rows(frame, out, &z);
    deflateEnd(&z);
    add_chunk(out, "IEND", NULL, 0);
    return done;
}

static bool add_jpeg(const Frame *frame, StrBuf *out)
{
    Image image = {.rows = frame->height,
                   .cols = frame->width,
                   .channels = frame->channels,
                   .depth = IMAGE_U8,
                   .white = 255,
                   .data = frame->bytes};
    return jpeg_encode(&image, out);
}

/* Removes the fourth byte of each pixel, as browsers do not need it. */
static void drop_alpha(Frame *frame)
{
    unsigned char *bytes = frame->bytes;
    size_t count = (size_t)frame->width * (size_t)frame->height;
    for (size_t i = 0; i < count; i++) {
        memmove(bytes + 3 * i, bytes + 4 * i, 3);
    }
    frame->channels = 3;
}

bool frame_encode(Frame *frame)
{
    StrBuf *out = &frame->message;
    if (out->length > 0) {
        return true;
    }
    size_t length = frame->header.length;
    const unsigned char head[4] = {(unsigned char)length, (unsigned char)(length >> 8), (unsigned char)(length >> 16),
                                   (unsigned char)(length >> 24)};
    bool done = true;
    if (frame->encoding != FRAME_BYTES && frame->channels == 4) {
        drop_alpha(frame);
    }
    strbuf_add_bytes(out, head, 4);
    strbuf_add_bytes(out, frame->header.text, length);
    switch (frame->encoding) {
    case FRAME_BYTES: strbuf_add_bytes(out, frame->bytes, frame->size); break;
    case FRAME_PNG: done = add_png(frame, out); break;
    case FRAME_JPEG: done = add_jpeg(frame, out); break;
    }
    if (!done || out->failed) {
        strbuf_free(out);
        return false;
    }
    return true;
}
