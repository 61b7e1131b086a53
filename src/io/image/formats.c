#include "io/image/formats.h"

#include "base/error.h"
#include "io/file.h"

#define IMAGE_FORMAT_ROW(name, extension, samples, format, encode)                                                     \
    {name, extension, IMAGE_##samples, format##_recognize, format##_decode, encode},
static const ImageFormat formats[] = {IMAGE_FORMATS(IMAGE_FORMAT_ROW)};

enum { FORMATS = sizeof formats / sizeof *formats };

const ImageFormat *image_format_at(int i)
{
    return i >= 0 && i < FORMATS ? &formats[i] : NULL;
}

bool image_format_is_built(const ImageFormat *format)
{
    return format->decode != jpeg_decode || jpeg_is_built();
}

const ImageFormat *image_format_of_bytes(const unsigned char *bytes, size_t size)
{
    for (int i = 0; i < FORMATS; i++) {
        if (formats[i].recognize(bytes, size)) {
            return &formats[i];
        }
    }
    return NULL;
}

static bool unknown_content(size_t size)
{
    if (size == 0) {
        return error_set("the file is empty");
    }
    StrBuf list = STRBUF_EMPTY;
    for (int i = 0; i < FORMATS; i++) {
        if (formats[i].name) {
            strbuf_addf(&list, "%s%s", strbuf_separator(i, FORMATS, " or "), formats[i].name);
        }
    }
    error_set("its content is not an image that rill reads (%s)", strbuf_text(&list));
    strbuf_free(&list);
    return false;
}

const ImageFormat *image_format_of_path(const char *path)
{
    for (int i = 0; i < FORMATS; i++) {
        if (file_has_extension(path, formats[i].extension)) {
            return &formats[i];
        }
    }
    const char *extension = file_extension(path), *quote = *extension ? "'" : "";
    StrBuf list = STRBUF_EMPTY;
    for (int i = 0; i < FORMATS; i++) {
        strbuf_addf(&list, "%s.%s", strbuf_separator(i, FORMATS, ", "), formats[i].extension);
    }
    error_set("cannot write '%s': the extension %s%s%s is not one of %s", path, quote,
              *extension ? extension : "(there is none)", quote, strbuf_text(&list));
    strbuf_free(&list);
    return NULL;
}

static bool decode(const FileBytes *file, void *image)
{
    const ImageFormat *format = image_format_of_bytes(file->data, file->size);
    if (!format) {
        return unknown_content(file->size);
    }
    if (!format->decode(file->data, file->size, image)) {
        image_free(image);
        return false;
    }
    return true;
}

bool image_load(const char *path, Image *image)
{
    *image = (Image){0};
    return file_decode(path, decode, image);
}

bool image_save(const Image *image, const char *path)
{
    const ImageFormat *format = image_format_of_path(path);
    if (!format) {
        return false;
    }
    StrBuf bytes = STRBUF_EMPTY;
    bool ok = format->encode(image, &bytes);
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
