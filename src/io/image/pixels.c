#include "io/image/pixels.h"

#include "base/error.h"
#include "base/half.h"

#include <math.h>
#include <string.h>

static const struct {
    size_t bytes;
    double white; /* 0: there is no default range */
} kinds[] = {
    [PIXEL_FLOAT] = {4, 1},   [PIXEL_DOUBLE] = {8, 1},     [PIXEL_HALF] = {2, 1},  [PIXEL_UNORM8] = {1, 1},
    [PIXEL_BOOL] = {4, 1},    [PIXEL_INT8] = {1, 0},       [PIXEL_INT16] = {2, 0}, [PIXEL_INT] = {4, 0},
    [PIXEL_UINT8] = {1, 255}, [PIXEL_UINT16] = {2, 65535}, [PIXEL_UINT] = {4, 0},
};

size_t pixels_bytes(PixelKind kind)
{
    return kinds[kind].bytes;
}

bool pixels_range(PixelKind kind, double *min, double *max)
{
    *min = 0;
    *max = kinds[kind].white;
    return *max > 0;
}

static double clamp01(double value)
{
    return value > 0 ? fmin(value, 1) : 0; /* NaN > 0 is false */
}

static double number_get(const void *data, PixelKind kind, size_t i)
{
    switch (kind) {
    case PIXEL_FLOAT: return (double)((const float *)data)[i];
    case PIXEL_DOUBLE: return ((const double *)data)[i];
    case PIXEL_HALF: return half_to_double(((const uint16_t *)data)[i]);
    case PIXEL_UNORM8: return ((const uint8_t *)data)[i] / 255.0;
    case PIXEL_BOOL: return ((const uint32_t *)data)[i] != 0;
    case PIXEL_INT8: return ((const int8_t *)data)[i];
    case PIXEL_INT16: return ((const int16_t *)data)[i];
    case PIXEL_INT: return ((const int32_t *)data)[i];
    case PIXEL_UINT8: return ((const uint8_t *)data)[i];
    case PIXEL_UINT16: return ((const uint16_t *)data)[i];
    case PIXEL_UINT: return ((const uint32_t *)data)[i];
    }
    return 0;
}

static void number_put(PixelArray *array, size_t i, double value)
{
    if (array->kind == PIXEL_FLOAT) {
        ((float *)array->data)[i] = (float)value;
    } else if (array->kind == PIXEL_HALF) {
        ((uint16_t *)array->data)[i] = half_from_double(value);
    } else {
        ((uint8_t *)array->data)[i] = (uint8_t)floor(clamp01(value) * 255 + 0.5);
    }
}

static double sample_get(const Image *image, size_t i)
{
    switch (image->depth) {
    case IMAGE_U8: return ((const uint8_t *)image->data)[i] / (double)image->white;
    case IMAGE_U16: return ((const uint16_t *)image->data)[i] / (double)image->white;
    case IMAGE_FLOAT: return (double)((const float *)image->data)[i];
    }
    return 0;
}

static void sample_put(Image *image, size_t i, double value)
{
    if (image->depth == IMAGE_FLOAT) {
        ((float *)image->data)[i] = (float)value;
        return;
    }
    double level = floor(clamp01(value) * image->white + 0.5);
    if (image->depth == IMAGE_U8) {
        ((uint8_t *)image->data)[i] = (uint8_t)level;
    } else {
        ((uint16_t *)image->data)[i] = (uint16_t)level;
    }
}

/* Reads a pixel of any image as red, green, blue and alpha. */
static void color_get(const Image *image, size_t pixel, double rgba[4])
{
    size_t first = pixel * (size_t)image->channels;
    bool color = image->channels >= 3, alpha = image->channels == 2 || image->channels == 4;
    for (size_t c = 0; c < 3; c++) {
        rgba[c] = sample_get(image, first + (color ? c : 0));
    }
    rgba[3] = alpha ? sample_get(image, first + (size_t)image->channels - 1) : 1;
}

static size_t pixel_count(const Image *image)
{
    return (size_t)image->rows * (size_t)image->cols;
}

static void convert(const Image *image, PixelArray *array)
{
    size_t pixels = pixel_count(image), n = (size_t)array->components;
    for (size_t p = 0; p < pixels; p++) {
        double rgba[4];
        color_get(image, p, rgba);
        if (n == 1 && image->channels >= 3) {
            rgba[0] = 0.2126 * rgba[0] + 0.7152 * rgba[1] + 0.0722 * rgba[2];
        }
        for (size_t c = 0; c < n; c++) {
            number_put(array, p * n + c, rgba[c]);
        }
    }
}

static bool raw_samples(const Image *image, PixelArray *array)
{
    const char *type = array->kind == PIXEL_UINT8 ? "uint8" : "uint16";
    if (image->channels != 1) {
        return error_set("%s gives the samples of a gray image, but this one has %d channels: use a float, half or "
                         "unorm8 type",
                         type, image->channels);
    }
    if (image->depth == IMAGE_FLOAT) {
        return error_set("%s gives integer samples, and this image has floats: use 'float'", type);
    }
    if (array->kind == PIXEL_UINT8 && image->depth == IMAGE_U16) {
        return error_set("its samples have 16 bits and do not fit uint8: use 'uint16', 'float' or 'unorm8'");
    }
    size_t pixels = pixel_count(image);
    if (array->kind == PIXEL_UINT16 && image->depth == IMAGE_U8) {
        for (size_t i = 0; i < pixels; i++) {
            ((uint16_t *)array->data)[i] = ((const uint8_t *)image->data)[i];
        }
    } else {
        memcpy(array->data, image->data, pixels * pixels_bytes(array->kind));
    }
    return true;
}

bool pixels_from_image(const Image *image, PixelArray *array)
{
    if (array->kind == PIXEL_UINT8 || array->kind == PIXEL_UINT16) {
        return raw_samples(image, array);
    }
    convert(image, array);
    return true;
}

static void fill(const PixelArray *array, const PixelOptions *options, Image *image)
{
    size_t pixels = pixel_count(image), n = (size_t)array->components, channels = (size_t)image->channels;
    /* There is no division for the range 0 to 1, so that PFM keeps the bits of every float. */
    bool scaled = options->min < 0 || options->min > 0 || options->max < 1 || options->max > 1;
    double range = options->max - options->min;
    for (size_t p = 0; p < pixels; p++) {
        double value[4];
        for (size_t c = 0; c < n; c++) {
            value[c] = number_get(array->data, array->kind, p * n + c);
            if (scaled && c < 3) {
                value[c] = (value[c] - options->min) / range;
            }
        }
        if (options->map) {
            colormap_sample(options->map, value[0], value);
        }
        for (size_t c = 0; c < channels; c++) {
            sample_put(image, p * channels + c, value[c]);
        }
    }
}

bool pixels_to_image(const PixelArray *array, const PixelOptions *options, Image *image)
{
    int channels = options->map ? 3 : array->components;
    if (!image_create(image, array->rows, array->cols, channels, options->depth)) {
        return false;
    }
    fill(array, options, image);
    return true;
}
