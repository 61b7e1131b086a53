#include "io/image.h"

#include "base/error.h"
#include "base/strbuf.h"
#include "io/file.h"
#include "io/png.h"
#include "io/pnm.h"

#include <stdlib.h>

static const struct {
    const char *extension;
    ImageFormat format;
} formats[] = {
    {"png", IMAGE_PNG}, {"pgm", IMAGE_PGM}, {"ppm", IMAGE_PPM}, {"pnm", IMAGE_PNM}, {"pfm", IMAGE_PFM},
};

enum { FORMATS = sizeof formats / sizeof formats[0] };

size_t image_sample_bytes(ImageDepth depth)
{
    static const size_t bytes[] = {[IMAGE_U8] = 1, [IMAGE_U16] = 2, [IMAGE_FLOAT] = 4};
    return bytes[depth];
}

size_t image_samples(const Image *image)
{
    return (size_t)image->rows * (size_t)image->cols * (size_t)image->channels;
}

bool image_create(Image *image, int64_t rows, int64_t cols, int channels, ImageDepth depth)
{
    *image = (Image){0};
    if (rows <= 0 || cols <= 0) {
        return error_set("a picture of %lld rows and %lld columns has no pixels", (long long)rows, (long long)cols);
    }
    if (rows > IMAGE_MAX_PIXELS || cols > IMAGE_MAX_PIXELS / rows) {
        return error_set("a picture of %lld rows and %lld columns has more than the %lld pixels a stream can hold",
                         (long long)rows, (long long)cols, (long long)IMAGE_MAX_PIXELS);
    }
    *image = (Image){.rows = (int)rows,
                     .cols = (int)cols,
                     .channels = channels,
                     .depth = depth,
                     .white = depth == IMAGE_U16 ? 65535 : 255};
    image->data = calloc(image_samples(image), image_sample_bytes(depth));
    if (!image->data) {
        return error_set("out of host memory for a picture of %lld rows and %lld columns", (long long)rows,
                         (long long)cols);
    }
    return true;
}

void image_free(Image *image)
{
    free(image->data);
    *image = (Image){0};
}

bool image_decode(const unsigned char *bytes, size_t size, Image *image)
{
    *image = (Image){0};
    bool ok;
    if (png_recognise(bytes, size)) {
        ok = png_decode(bytes, size, image);
    } else if (pnm_recognise(bytes, size)) {
        ok = pnm_decode(bytes, size, image);
    } else if (size == 0) {
        ok = error_set("the file is empty");
    } else {
        ok = error_set("its content is no picture that rill reads (PNG, PGM, PPM or PFM)");
    }
    if (!ok) {
        image_free(image);
    }
    return ok;
}

bool image_load(const char *path, Image *image)
{
    FileBytes file;
    *image = (Image){0};
    if (!file_read(path, &file)) {
        return false;
    }
    bool ok = image_decode(file.data, file.size, image);
    file_free(&file);
    return ok || error_prefix("cannot read '%s'", path);
}

bool image_format(const char *path, ImageFormat *format)
{
    for (int i = 0; i < FORMATS; i++) {
        if (file_has_extension(path, formats[i].extension)) {
            *format = formats[i].format;
            return true;
        }
    }
    const char *extension = file_extension(path);
    return error_set("cannot write '%s': the extension %s%s%s is not one of .png, .pgm, .ppm, .pnm, .pfm", path,
                     *extension ? "'" : "", *extension ? extension : "(there is none)", *extension ? "'" : "");
}

bool image_save(const Image *image, const char *path)
{
    ImageFormat format;
    StrBuf bytes = STRBUF_EMPTY;
    if (!image_format(path, &format)) {
        return false;
    }
    bool ok = format == IMAGE_PNG ? png_encode(image, &bytes) : pnm_encode(image, format, &bytes);
    if (ok && bytes.failed) {
        ok = error_set("out of host memory");
    }
    if (ok) {
        FilePart part = {bytes.text, bytes.length};
        ok = file_write(path, &part, 1);
    } else {
        error_prefix("cannot write '%s'", path);
    }
    strbuf_free(&bytes);
    return ok;
}
