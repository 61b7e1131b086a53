#include "io/image/image.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

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
        return error_set("an image of %lld rows and %lld columns has no pixels", (long long)rows, (long long)cols);
    }
    if (rows > IMAGE_MAX_PIXELS || cols > IMAGE_MAX_PIXELS / rows) {
        return error_set("an image of %lld rows and %lld columns has more than the %lld pixels a stream can hold",
                         (long long)rows, (long long)cols, (long long)IMAGE_MAX_PIXELS);
    }
    *image = (Image){.rows = (int)rows,
                     .cols = (int)cols,
                     .channels = channels,
                     .depth = depth,
                     .white = depth == IMAGE_U16 ? 65535 : 255};
    image->data = calloc(image_samples(image), image_sample_bytes(depth));
    if (!image->data) {
        return error_set("out of host memory for an image of %lld rows and %lld columns", (long long)rows,
                         (long long)cols);
    }
    return true;
}

void image_free(Image *image)
{
    free(image->data);
    *image = (Image){0};
}

bool image_refuse(const char *what)
{
    static const char memory[] = "out of host memory";
    return strncmp(error_message(), memory, sizeof memory - 1) != 0 && error_prefix("%s", what);
}
