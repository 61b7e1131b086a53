#include "io/mesh/formats.h"

#include "base/error.h"

#include <math.h>

#define MESH_FORMAT_ROW(name, extension, encodings, format)                                                            \
    {name, extension, encodings, format##_recognize, format##_decode, format##_encode},
static const MeshFormat formats[] = {MESH_FORMATS(MESH_FORMAT_ROW)};

enum { FORMATS = sizeof formats / sizeof *formats };

const MeshFormat *mesh_format_at(int i)
{
    return i >= 0 && i < FORMATS ? &formats[i] : NULL;
}

/* ---- reading */

/* Returns the format of a file, or NULL with error_set. A binary STL file has no signature and is recognized by
 * its length; if the length is incorrect, by its extension. */
static const MeshFormat *format_of(const FileBytes *file)
{
    StrBuf list = STRBUF_EMPTY;
    for (int i = 1; i <= FORMATS; i++) {
        const MeshFormat *format = &formats[i % FORMATS];
        if (format->recognize(file->data, file->size) ||
            (format->recognize == stl_recognize && file_has_extension(file->path, format->extension))) {
            return format;
        }
    }
    for (int i = 0; i < FORMATS; i++) {
        strbuf_addf(&list, "%s%s", strbuf_separator(i, FORMATS, " and "), formats[i].name);
    }
    error_set("its content is not one of %s", strbuf_text(&list));
    strbuf_free(&list);
    return NULL;
}

static bool decode(const FileBytes *file, void *mesh)
{
    if (file->size == 0) {
        return error_set("it is empty");
    }
    const MeshFormat *format = format_of(file);
    return format && format->decode(file->data, file->size, mesh);
}

bool mesh_load(const char *path, MeshReading reading, MeshData *mesh)
{
    *mesh = (MeshData){.reading = reading};
    return file_decode(path, decode, mesh);
}

/* ---- writing */

/* Returns the format of a path's extension, or NULL with error_set. */
static const MeshFormat *format_of_path(const char *path)
{
    StrBuf list = STRBUF_EMPTY;
    for (int i = 0; i < FORMATS; i++) {
        if (file_has_extension(path, formats[i].extension)) {
            strbuf_free(&list);
            return &formats[i];
        }
        strbuf_addf(&list, "%s.%s", strbuf_separator(i, FORMATS, " or "), formats[i].extension);
    }
    error_set("meshes are saved as %s", strbuf_text(&list));
    strbuf_free(&list);
    return NULL;
}

static bool check_encoding(const MeshFormat *format, const MeshEncoding *encoding)
{
    if (!encoding || format->encodings & 1 << *encoding) {
        return true;
    }
    return error_set(format->encodings & 1 << MESH_LITTLE ? "%s files are little-endian" : "%s files are text",
                     format->name);
}

/* Rejects numbers that are not finite, since such a file could not be read. */
static bool check_finite(const float *numbers, size_t width, size_t count, const char *what)
{
    for (size_t i = 0; i < width * count; i++) {
        if (!isfinite(numbers[i])) {
            return error_set("%s %zu has a number that is not finite", what, i / width);
        }
    }
    return true;
}

static bool check_exact(const MeshData *mesh)
{
    for (size_t i = 0; mesh->exact && i < 3 * mesh->vertices; i++) {
        if (!isfinite(mesh->exact[i])) {
            return error_set("%s %zu has a number that is not finite", "vertex", i / 3);
        }
    }
    return true;
}

/* Checks the vertex indices, since streams of a mesh may have been written after the mesh was checked. */
static bool check_triangles(const MeshData *mesh)
{
    for (size_t corner = 0; corner < 3 * mesh->faces; corner++) {
        int32_t vertex = mesh->triangles[corner];
        if (vertex < 0 || (size_t)vertex >= mesh->vertices) {
            return error_set("triangle %zu has vertex %d, but there are only %zu vertices (0-based)", corner / 3,
                             (int)vertex, mesh->vertices);
        }
    }
    return true;
}

static const MeshFormat *check(const char *path, const MeshData *mesh, const MeshEncoding *encoding)
{
    if (!check_triangles(mesh) || !check_exact(mesh) ||
        !check_finite(mesh->positions, 3, mesh->exact ? 0 : mesh->vertices, "vertex") ||
        !check_finite(mesh->normals, 3, mesh_count(mesh, mesh->normal_owner), "normal") ||
        !check_finite(mesh->colors, 3, mesh->colors ? mesh->vertices : 0, "color") ||
        !check_finite(mesh->uv, 2, mesh_count(mesh, mesh->uv_owner), "texture coordinate")) {
        return NULL;
    }
    const MeshFormat *format = format_of_path(path);
    if (format && format->encode == xyz_encode && mesh->faces > 0) {
        error_set("XYZ files have no triangles: rill.points.save writes the vertices, and PLY files have triangles");
        return NULL;
    }
    return format && check_encoding(format, encoding) ? format : NULL;
}

bool mesh_save(const char *path, const MeshData *mesh, const MeshEncoding *encoding)
{
    TextWriter writer;
    const MeshFormat *format = check(path, mesh, encoding);
    if (!format) {
        return error_prefix("cannot write '%s'", path);
    }
    MeshEncoding usual = format->encodings & 1 << MESH_LITTLE ? MESH_LITTLE : MESH_ASCII;
    if (!text_begin(&writer, path)) {
        return false;
    }
    format->encode(&writer, mesh, encoding ? *encoding : usual);
    return text_end(&writer);
}
