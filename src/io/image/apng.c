#include "io/image/apng.h"

#include "base/error.h"
#include "base/strbuf.h"
#include "io/byteorder.h"
#include "io/image/formats.h"

#include <math.h>
#include <string.h>
#include <zlib.h>

enum {
    SIGNATURE = 8,
    HEADER = 25,                     /* the whole IHDR chunk */
    CONTROL_AT = SIGNATURE + HEADER, /* offset of acTL in the file */
    CHUNK = 12                       /* length, type and checksum around the data */
};

/* Appends a chunk whose data consists of two parts. */
static void add_chunk(StrBuf *out, const char *type, const void *head, size_t head_size, const void *data, size_t size)
{
    unsigned char word[4];
    byteorder_put_big(word, 4, head_size + size);
    strbuf_add_bytes(out, word, 4);
    size_t start = out->length;
    strbuf_add_bytes(out, type, 4);
    strbuf_add_bytes(out, head, head_size);
    strbuf_add_bytes(out, data, size);
    if (!out->failed) {
        byteorder_put_big(word, 4, crc32_z(0, (unsigned char *)out->text + start, out->length - start));
        strbuf_add_bytes(out, word, 4);
    }
}

static void add_control(StrBuf *out, uint32_t frames)
{
    unsigned char data[8] = {0}; /* number of frames, and of repetitions: 0 repeats forever */
    byteorder_put_big(data, 4, frames);
    add_chunk(out, "acTL", data, sizeof data, "", 0);
}

static void add_frame_control(StrBuf *out, Apng *apng)
{
    unsigned char data[26] = {
        0}; /* offsets, dispose_op and blend_op are 0: a frame covers the whole image and is replaced by the next */
    byteorder_put_big(data, 4, apng->sequence++);
    byteorder_put_big(data + 4, 4, (uint32_t)apng->like.cols);
    byteorder_put_big(data + 8, 4, (uint32_t)apng->like.rows);
    byteorder_put_big(data + 20, 2, apng->delay[0]);
    byteorder_put_big(data + 22, 2, apng->delay[1]);
    add_chunk(out, "fcTL", data, sizeof data, "", 0);
}

/* Converts the chunks of a PNG file to a frame. The first frame keeps its IDAT chunks, others become fdAT. */
static void add_data(StrBuf *out, Apng *apng, const StrBuf *png)
{
    const unsigned char *bytes = (const unsigned char *)png->text;
    for (size_t at = SIGNATURE; at + CHUNK <= png->length;) {
        size_t size = byteorder_get_big(bytes + at, 4);
        const unsigned char *data = bytes + at + 8;
        if (memcmp(bytes + at + 4, "IDAT", 4) == 0) {
            unsigned char number[4];
            if (apng->frames > 0) {
                byteorder_put_big(number, 4, apng->sequence++);
                add_chunk(out, "fdAT", number, 4, data, size);
            } else {
                add_chunk(out, "IDAT", "", 0, data, size);
            }
        }
        at += CHUNK + size;
    }
}

/* Computes 1 / fps as a fraction of 16-bit numbers: exact if possible, otherwise rounded to 1/1000 s. */
static void set_delay(double fps, uint16_t delay[2])
{
    for (int scale = 1; scale <= 1000; scale *= 10) {
        double whole = round(fps * scale);
        if (whole >= 1 && whole <= 65535 && fabs(whole - fps * scale) < 1e-9 * whole) {
            delay[0] = (uint16_t)scale;
            delay[1] = (uint16_t)whole;
            return;
        }
    }
    delay[0] = (uint16_t)fmax(round(1000 / fps), 1);
    delay[1] = 1000;
}

bool apng_open(const char *path, double fps, Apng *apng)
{
    *apng = (Apng){0};
    set_delay(fps, apng->delay);
    return file_draft_open(path, &apng->draft);
}

static bool check_alike(Apng *apng, const Image *image)
{
    const Image *like = &apng->like;
    if (apng->frames == 0) {
        apng->like = *image;
        apng->like.data = NULL;
    } else if (image->rows != like->rows || image->cols != like->cols) {
        return error_set("the first frame is of %dx%d pixels, this one of %dx%d", like->rows, like->cols, image->rows,
                         image->cols);
    } else if (image->channels != like->channels || image->depth != like->depth) {
        return error_set("the first frame has %d channels of %d bits, this one %d of %d", like->channels,
                         like->depth == IMAGE_U16 ? 16 : 8, image->channels, image->depth == IMAGE_U16 ? 16 : 8);
    }
    return true;
}

bool apng_frame(Apng *apng, const Image *image)
{
    if (!check_alike(apng, image)) {
        return false;
    }
    StrBuf png = STRBUF_EMPTY, out = STRBUF_EMPTY;
    Apng next = *apng; /* the counters do not change if the frame fails */
    bool ok = png_encode(image, &png);
    if (ok) {
        if (next.frames == 0) {
            strbuf_add_bytes(&out, png.text, SIGNATURE + HEADER);
            add_control(&out, 1);
        }
        add_frame_control(&out, &next);
        add_data(&out, &next, &png);
        next.frames++;
        ok = out.failed ? error_set("out of host memory") : file_draft_write(&next.draft, out.text, out.length);
    }
    strbuf_free(&png);
    strbuf_free(&out);
    if (ok) {
        *apng = next;
    }
    return ok;
}

bool apng_close(Apng *apng)
{
    StrBuf control = STRBUF_EMPTY, end = STRBUF_EMPTY;
    bool ok = apng->frames > 0 || error_set("no frame was written");
    if (ok) {
        add_control(&control, apng->frames);
        add_chunk(&end, "IEND", "", 0, "", 0);
        ok = control.failed || end.failed
                 ? error_set("out of host memory")
                 : file_draft_patch(&apng->draft, CONTROL_AT, control.text, control.length) &&
                       file_draft_write(&apng->draft, end.text, end.length) && file_draft_commit(&apng->draft);
    }
    strbuf_free(&control);
    strbuf_free(&end);
    apng_discard(apng);
    return ok;
}

void apng_discard(Apng *apng)
{
    file_draft_discard(&apng->draft);
}
