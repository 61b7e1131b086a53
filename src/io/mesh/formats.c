#include "io/mesh/formats.h"

#include "base/error.h"
#include "io/file.h"
#include "io/mesh/obj.h"
#include "io/mesh/off.h"
#include "io/mesh/ply.h"
#include "io/mesh/stl.h"

#include <math.h>
#include <string.h>

/* ---- reading */

/* Whether the file begins as a text does. */
static bool is_text(const FileBytes *bytes)
{
    return memchr(bytes->data, '\0', bytes->size < 512 ? bytes->size : 512) == NULL;
}

static bool decode(const FileBytes *bytes, const char *path, bool skip, MeshData *mesh)
{
    if (bytes->size == 0) {
        return error_set("it is empty");
    }
    if (ply_recognise(bytes->data, bytes->size)) {
        return ply_decode(bytes->data, bytes->size, mesh);
    }
    if (off_recognise(bytes->data, bytes->size)) {
        return off_decode(bytes->data, bytes->size, mesh);
    }
    if (stl_recognise(bytes->data, bytes->size) || file_has_extension(path, "stl")) {
        return stl_decode(bytes->data, bytes->size, mesh);
    }
    return is_text(bytes) ? obj_decode(bytes->data, bytes->size, skip, mesh)
                          : error_set("it is none of OBJ, PLY, OFF and STL");
}

bool mesh_load(const char *path, bool skip, MeshData *mesh)
{
    FileBytes bytes;
    *mesh = (MeshData){0};
    if (!file_read(path, &bytes)) {
        return false;
    }
    bool done = decode(&bytes, path, skip, mesh) || error_prefix("cannot read '%s'", path);
    file_free(&bytes);
    return done;
}

/* ---- writing */

static bool only_text(const char *path, const char *name, const MeshEncoding *encoding)
{
    return !encoding || *encoding == MESH_ASCII || error_set("cannot write '%s': %s files are text", path, name);
}

/* What could not be read again. */
static bool are_finite(const char *path, const float *numbers, size_t width, size_t count, const char *what)
{
    for (size_t i = 0; i < width * count; i++) {
        if (!isfinite(numbers[i])) {
            return error_set("cannot write '%s': %s %zu has a number that is not finite", path, what, i / width);
        }
    }
    return true;
}

/* Streams of a mesh may have been written since they were checked. */
static bool are_there(const char *path, const MeshData *mesh)
{
    for (size_t corner = 0; corner < 3 * mesh->faces; corner++) {
        int32_t vertex = mesh->triangles[corner];
        if (vertex < 0 || (size_t)vertex >= mesh->vertices) {
            return error_set("cannot write '%s': triangle %zu has vertex %d, and there are %zu, from 0", path,
                             corner / 3, (int)vertex, mesh->vertices);
        }
    }
    return true;
}

bool mesh_save(const char *path, const MeshData *mesh, const MeshEncoding *encoding)
{
    if (!are_there(path, mesh) || !are_finite(path, mesh->positions, 3, mesh->vertices, "vertex") ||
        !are_finite(path, mesh->normals, 3, mesh_count(mesh, mesh->normal_owner), "normal") ||
        !are_finite(path, mesh->uv, 2, mesh_count(mesh, mesh->uv_owner), "texture coordinate")) {
        return false;
    }
    if (file_has_extension(path, "obj")) {
        return only_text(path, "OBJ", encoding) && obj_write(path, mesh);
    }
    if (file_has_extension(path, "off")) {
        return only_text(path, "OFF", encoding) && off_write(path, mesh);
    }
    if (file_has_extension(path, "ply")) {
        return ply_write(path, mesh, encoding ? *encoding : MESH_LITTLE);
    }
    if (!file_has_extension(path, "stl")) {
        return error_set("cannot write '%s': meshes are saved as .obj, .ply, .off or .stl", path);
    }
    return !encoding || *encoding != MESH_BIG ? stl_write(path, mesh, encoding ? *encoding : MESH_LITTLE)
                                              : error_set("cannot write '%s': STL files are little-endian", path);
}
