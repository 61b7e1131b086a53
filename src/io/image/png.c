/* PNG, by libpng. Images that are read have 8 or 16 bits per sample and 1 to 4 channels: palettes become RGB,
 * tRNS becomes alpha, and gray of 1, 2 or 4 bits is scaled to 0..255. Interlaced files are supported. Color
 * profiles, gamma and texts are ignored: samples keep the values of the file. An incorrect checksum is an
 * error. */
#include "base/error.h"
#include "io/byteorder.h"
#include "io/image/formats.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIGNATURE = 8,
    DEFLATE_RATIO = 1032 /* the largest compression ratio of deflate (258 bytes in two bits) */
};

/* The state of reading or writing a file. It is not in local variables because it must survive libpng's longjmp. */
typedef struct Codec {
    png_structp png;
    png_infop info;
    const unsigned char *bytes; /* reading */
    size_t size, at;
    StrBuf *output; /* writing */
    Image *image;
    bool starved; /* an allocation of libpng failed */
} Codec;

static PNG_FUNCTION(void, on_error, (png_structp png, png_const_charp text), PNG_NORETURN)
{
    error_set("%s", text);
    png_longjmp(png, 1);
}

static png_voidp on_malloc(png_structp png, png_alloc_size_t size)
{
    Codec *codec = png_get_mem_ptr(png);
    void *memory = malloc(size);
    codec->starved |= memory == NULL;
    return memory;
}

static void on_free(png_structp png, png_voidp memory)
{
    (void)png;
    free(memory);
}

static void on_warning(png_structp png, png_const_charp text)
{
    (void)png, (void)text;
}

static void on_read(png_structp png, png_bytep data, size_t count)
{
    Codec *codec = png_get_io_ptr(png);
    if (count > codec->size - codec->at) {
        png_error(png, "the file ends too early, it is truncated");
    }
    memcpy(data, codec->bytes + codec->at, count);
    codec->at += count;
}

static void on_write(png_structp png, png_bytep data, size_t count)
{
    Codec *codec = png_get_io_ptr(png);
    strbuf_add_bytes(codec->output, data, count);
    if (codec->output->failed) {
        png_error(png, "out of host memory");
    }
}

static void on_flush(png_structp png)
{
    (void)png;
}

/* Sets the error to the reason of the failure, with the prefix `what` unless host memory was exhausted. Returns
 * false. */
static bool refuse(const Codec *codec, const char *what)
{
    if (codec->starved) {
        error_set("out of host memory");
    }
    return image_refuse(what);
}

bool png_recognize(const unsigned char *bytes, size_t size)
{
    return size >= SIGNATURE && png_sig_cmp(bytes, 0, SIGNATURE) == 0;
}

/* Rejects a size that needs more data than the file has, before memory is allocated. */
static void check_size(Codec *codec)
{
    uint64_t rows = png_get_image_height(codec->png, codec->info);
    uint64_t row_bytes = png_get_rowbytes(codec->png, codec->info) + 1;
    if (row_bytes > (uint64_t)codec->size * DEFLATE_RATIO / rows) {
        char text[160];
        snprintf(text, sizeof text, "its header says %llu rows and %lu columns, more than its %zu bytes can hold",
                 (unsigned long long)rows, (unsigned long)png_get_image_width(codec->png, codec->info), codec->size);
        png_error(codec->png, text);
    }
}

static void set_transforms(png_structp png)
{
    png_set_expand(png);
    if (byteorder_little()) {
        png_set_swap(png);
    }
}

static void read_rows(Codec *codec)
{
    png_structp png = codec->png;
    Image *image = codec->image;
    int passes = png_set_interlace_handling(png);
    png_read_update_info(png, codec->info);
    ImageDepth depth = png_get_bit_depth(png, codec->info) == 16 ? IMAGE_U16 : IMAGE_U8;
    if (!image_create(image, png_get_image_height(png, codec->info), png_get_image_width(png, codec->info),
                      png_get_channels(png, codec->info), depth)) {
        png_longjmp(png, 1);
    }
    size_t row_bytes = png_get_rowbytes(png, codec->info);
    if (row_bytes * (size_t)image->rows != image_samples(image) * image_sample_bytes(depth)) {
        png_error(png, "unexpected layout of rows");
    }
    for (int pass = 0; pass < passes; pass++) {
        unsigned char *row = image->data;
        for (int i = 0; i < image->rows; i++, row += row_bytes) {
            png_read_row(png, row, NULL);
        }
    }
}

static bool read_image(Codec *codec)
{
    png_structp png = codec->png;
    if (setjmp(png_jmpbuf(png))) {
        return false;
    }
    png_set_read_fn(png, codec, on_read);
    png_set_crc_action(png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1); /* ignores profiles and texts, but not tRNS */
    png_set_benign_errors(png, 0);
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_read_info(png, codec->info);
    check_size(codec);
    set_transforms(png);
    read_rows(codec);
    png_read_end(png, NULL);
    return true;
}

bool png_decode(const unsigned char *bytes, size_t size, Image *image)
{
    Codec codec = {.bytes = bytes, .size = size, .image = image};
    error_set("out of host memory");
    codec.png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, NULL, on_error, on_warning, &codec, on_malloc, on_free);
    codec.info = codec.png ? png_create_info_struct(codec.png) : NULL;
    bool ok = codec.info && read_image(&codec);
    png_destroy_read_struct(&codec.png, &codec.info, NULL);
    return ok || refuse(&codec, "bad PNG");
}

static void write_rows(Codec *codec)
{
    const Image *image = codec->image;
    size_t row_bytes = (size_t)image->cols * (size_t)image->channels * image_sample_bytes(image->depth);
    const unsigned char *row = image->data;
    for (int i = 0; i < image->rows; i++, row += row_bytes) {
        png_write_row(codec->png, row);
    }
}

static bool write_image(Codec *codec)
{
    static const int colors[] = {0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                 PNG_COLOR_TYPE_RGB_ALPHA};
    const Image *image = codec->image;
    png_structp png = codec->png;
    if (setjmp(png_jmpbuf(png))) {
        return false;
    }
    png_set_write_fn(png, codec, on_write, on_flush);
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_IHDR(png, codec->info, (png_uint_32)image->cols, (png_uint_32)image->rows,
                 image->depth == IMAGE_U16 ? 16 : 8, colors[image->channels], PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, codec->info);
    if (image->depth == IMAGE_U16 && byteorder_little()) {
        png_set_swap(png);
    }
    write_rows(codec);
    png_write_end(png, NULL);
    return true;
}

bool png_encode(const Image *image, StrBuf *bytes)
{
    Image source = *image;
    Codec codec = {.output = bytes, .image = &source};
    if (image->depth == IMAGE_FLOAT) {
        return error_set("PNG holds no floats: use .pfm, or 8 or 16 bits");
    }
    error_set("out of host memory");
    codec.png =
        png_create_write_struct_2(PNG_LIBPNG_VER_STRING, NULL, on_error, on_warning, &codec, on_malloc, on_free);
    codec.info = codec.png ? png_create_info_struct(codec.png) : NULL;
    bool ok = codec.info && write_image(&codec);
    png_destroy_write_struct(&codec.png, &codec.info);
    return ok || refuse(&codec, "PNG");
}
