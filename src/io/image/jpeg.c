/* JPEG through libjpeg-turbo: gray or RGB with 8 bits, baseline or progressive. CMYK is refused. The orientation in EXIF
 * data is ignored. The library is optional: without RILL_JPEG the reader and the writer report that it is missing. */
#include "base/error.h"
#include "io/image/formats.h"

bool jpeg_recognize(const unsigned char *bytes, size_t size)
{
    return size >= 3 && bytes[0] == 0xff && bytes[1] == 0xd8 && bytes[2] == 0xff;
}

#ifndef RILL_JPEG

static bool missing(void)
{
    return error_set(
        "rill was built without JPEG: install Debian's package libjpeg-dev (libjpeg-turbo) and build rill again");
}

bool jpeg_is_built(void)
{
    return false;
}

bool jpeg_decode(const unsigned char *bytes, size_t size, Image *image)
{
    (void)bytes, (void)size, (void)image;
    return missing();
}

bool jpeg_encode(const Image *image, StrBuf *bytes)
{
    (void)image, (void)bytes;
    return missing();
}

#else

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h> /* after stdio.h, which it needs */

#include <jerror.h>

enum {
    MOST_SCANS = 100,        /* more scans take time without a benefit */
    MOST_PIXELS_BYTE = 1024, /* a block of 8 x 8 to 32 x 32 pixels needs at least one bit for each component */
    OUTPUT = 1 << 16,
    DEFAULT_QUALITY = 90
};

/* The state of a call. It is not in local variables, which longjmp may change. */
typedef struct Codec {
    struct jpeg_error_mgr errors; /* first, so that a pointer to it is one to the codec */
    jmp_buf escape;
    struct jpeg_progress_mgr progress;
    struct jpeg_destination_mgr destination;
    struct jpeg_decompress_struct reader;
    struct jpeg_compress_struct writer;
    Image *image;
    StrBuf *output;
    JOCTET buffer[OUTPUT];
} Codec;

bool jpeg_is_built(void)
{
    return true;
}

static Codec *codec_of(j_common_ptr common)
{
    return (Codec *)common->err;
}

static _Noreturn void escape(Codec *codec)
{
    longjmp(codec->escape, 1);
}

static void on_error(j_common_ptr common)
{
    char message[JMSG_LENGTH_MAX];
    common->err->format_message(common, message);
    error_set("%s", common->err->msg_code == JERR_OUT_OF_MEMORY ? "out of host memory" : message);
    escape(codec_of(common));
}

/* Warnings (level -1) are about data that is missing or damaged, and are errors here, except for these: bytes between
 * markers, and unusual versions. */
static void on_message(j_common_ptr common, int level)
{
    int code = common->err->msg_code;
    if (level < 0 && code != JWRN_EXTRANEOUS_DATA && code != JWRN_ADOBE_XFORM && code != JWRN_JFIF_MAJOR) {
        on_error(common);
    }
}

static void on_progress(j_common_ptr common)
{
    if (common->is_decompressor && ((j_decompress_ptr)common)->input_scan_number > MOST_SCANS) {
        error_set("it has more than %d scans", MOST_SCANS);
        escape(codec_of(common));
    }
}

static struct jpeg_error_mgr *set_errors(Codec *codec)
{
    jpeg_std_error(&codec->errors);
    codec->errors.error_exit = on_error;
    codec->errors.emit_message = on_message;
    return &codec->errors;
}

/* Returns the number of channels of the image, 1 or 3. Rejects color spaces that are not supported. */
static int set_colors(Codec *codec)
{
    struct jpeg_decompress_struct *reader = &codec->reader;
    if (reader->jpeg_color_space == JCS_CMYK || reader->jpeg_color_space == JCS_YCCK) {
        error_set("its color space is CMYK, which is not supported: convert it to RGB");
        escape(codec);
    }
    bool gray = reader->jpeg_color_space == JCS_GRAYSCALE;
    reader->out_color_space = gray ? JCS_GRAYSCALE : JCS_RGB;
    return gray ? 1 : 3;
}

/* Rejects a size that needs more data than the file has, before memory is allocated. */
static void check_size(Codec *codec, size_t size)
{
    uint64_t rows = codec->reader.image_height, cols = codec->reader.image_width;
    if (rows * cols / MOST_PIXELS_BYTE > size) {
        error_set("its header says %llu rows and %llu columns, more than its %zu bytes can hold",
                  (unsigned long long)rows, (unsigned long long)cols, size);
        escape(codec);
    }
}

static bool read_image(Codec *codec, const unsigned char *bytes, size_t size)
{
    struct jpeg_decompress_struct *reader = &codec->reader;
    if (setjmp(codec->escape)) {
        return false;
    }
    jpeg_create_decompress(reader);
    codec->progress.progress_monitor = on_progress;
    reader->progress = &codec->progress;
    jpeg_mem_src(reader, bytes, size);
    jpeg_read_header(reader, TRUE);
    int channels = set_colors(codec);
    check_size(codec, size);
    if (!image_create(codec->image, reader->image_height, reader->image_width, channels, IMAGE_U8)) {
        escape(codec);
    }
    jpeg_start_decompress(reader);
    while (reader->output_scanline < reader->output_height) {
        size_t row = (size_t)reader->output_scanline * reader->output_width * (size_t)channels;
        JSAMPROW rows[] = {(JSAMPROW)codec->image->data + row};
        jpeg_read_scanlines(reader, rows, 1);
    }
    jpeg_finish_decompress(reader);
    return true;
}

bool jpeg_decode(const unsigned char *bytes, size_t size, Image *image)
{
    Codec *codec = calloc(1, sizeof *codec);
    if (!codec) {
        return error_set("out of host memory");
    }
    codec->image = image;
    codec->reader.err = set_errors(codec);
    bool done = read_image(codec, bytes, size);
    jpeg_destroy_decompress(&codec->reader);
    free(codec);
    return done || image_refuse("bad JPEG");
}

/* writing */

static void flush(Codec *codec, size_t count)
{
    strbuf_add_bytes(codec->output, codec->buffer, count);
    codec->destination.next_output_byte = codec->buffer;
    codec->destination.free_in_buffer = OUTPUT;
}

static void on_start(j_compress_ptr writer)
{
    flush(codec_of((j_common_ptr)writer), 0);
}

static boolean on_full(j_compress_ptr writer)
{
    flush(codec_of((j_common_ptr)writer), OUTPUT);
    return TRUE;
}

static void on_end(j_compress_ptr writer)
{
    flush(codec_of((j_common_ptr)writer), OUTPUT - writer->dest->free_in_buffer);
}

static bool write_image(Codec *codec)
{
    struct jpeg_compress_struct *writer = &codec->writer;
    const Image *image = codec->image;
    if (setjmp(codec->escape)) {
        return false;
    }
    jpeg_create_compress(writer);
    codec->destination = (struct jpeg_destination_mgr){
        .init_destination = on_start, .empty_output_buffer = on_full, .term_destination = on_end};
    writer->dest = &codec->destination;
    writer->image_width = (JDIMENSION)image->cols;
    writer->image_height = (JDIMENSION)image->rows;
    writer->input_components = image->channels;
    writer->in_color_space = image->channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(writer);
    int quality = image->quality > 0 ? image->quality : DEFAULT_QUALITY;
    jpeg_set_quality(writer, quality, TRUE);
    if (quality >= DEFAULT_QUALITY) {
        writer->comp_info[0].h_samp_factor = writer->comp_info[0].v_samp_factor = 1; /* all components as large */
    }
    writer->optimize_coding = TRUE;
    jpeg_start_compress(writer, TRUE);
    while (writer->next_scanline < writer->image_height) {
        size_t row = (size_t)writer->next_scanline * (size_t)image->cols * (size_t)image->channels;
        JSAMPROW rows[] = {(JSAMPROW)image->data + row};
        jpeg_write_scanlines(writer, rows, 1);
    }
    jpeg_finish_compress(writer);
    return true;
}

bool jpeg_encode(const Image *image, StrBuf *bytes)
{
    if (image->depth != IMAGE_U8) {
        return error_set(image->depth == IMAGE_FLOAT
                             ? "the format holds no floats: use .pfm"
                             : "the format holds no 16 bits: use .png, or the option depth = 8");
    }
    if (image->channels % 2 == 0) {
        return error_set("the format holds no alpha: use .png, or a vec3 stream without it");
    }
    Image source = *image;
    Codec *codec = calloc(1, sizeof *codec);
    if (!codec) {
        return error_set("out of host memory");
    }
    codec->image = &source;
    codec->output = bytes;
    codec->writer.err = set_errors(codec);
    bool done = write_image(codec);
    jpeg_destroy_compress(&codec->writer);
    free(codec);
    return done || image_refuse("JPEG");
}

#endif
