#include "io/mesh/ply.h"

#include "base/error.h"
#include "io/byteorder.h"
#include "io/mesh/ply_head.h"
#include "io/mesh/text.h"

#include <stdlib.h>
#include <string.h>

/* The values of a list of the element that is read. */
typedef struct List {
    double *values;
    size_t count, room;
} List;

typedef struct Reader {
    TextReader text;
    const char *start;
    PlyHead head;
    MeshData *mesh;
    double scalars[PLY_SCALARS]; /* of a vertex */
    List corners, texcoord, left_out;
    size_t uv_room;
} Reader;

bool ply_recognise(const unsigned char *bytes, size_t size)
{
    return size >= 4 && memcmp(bytes, "ply", 3) == 0 && (bytes[3] == '\n' || bytes[3] == '\r');
}

/* The message of what failed with the place in front. */
static bool placed(const Reader *reader, bool failed)
{
    return failed ||
           (reader->head.encoding == MESH_ASCII ? error_prefix("line %zu", reader->text.line)
                                                : error_prefix("byte %zu", (size_t)(reader->text.at - reader->start)));
}

/* ---- values */

static double value_of(const unsigned char raw[8], PlyType type)
{
    union {
        int8_t i1;
        uint8_t u1;
        int16_t i2;
        uint16_t u2;
        int32_t i4;
        uint32_t u4;
        float f4;
        double f8;
    } value;
    memcpy(&value, raw, 8);
    switch (type) {
    case PLY_I1: return value.i1;
    case PLY_U1: return value.u1;
    case PLY_I2: return value.i2;
    case PLY_U2: return value.u2;
    case PLY_I4: return value.i4;
    case PLY_U4: return value.u4;
    case PLY_F4: return (double)value.f4;
    default: return value.f8;
    }
}

static bool read_binary(Reader *reader, PlyType type, double *value)
{
    size_t bytes = ply_bytes(type);
    if ((size_t)(reader->text.end - reader->text.at) < bytes) {
        return placed(reader, error_set("it is truncated"));
    }
    unsigned char raw[8] = {0};
    memcpy(raw, reader->text.at, bytes);
    if ((reader->head.encoding == MESH_LITTLE) != byteorder_little()) {
        byteorder_swap(raw, bytes, 1);
    }
    *value = value_of(raw, type);
    reader->text.at += bytes;
    return true;
}

static bool read_value(Reader *reader, PlyType type, double *value)
{
    if (reader->head.encoding != MESH_ASCII) {
        return read_binary(reader, type, value);
    }
    TextWord word = text_any_word(&reader->text);
    return word.length > 0 ? text_number(&reader->text, word, "a value", value)
                           : placed(reader, error_set("it is truncated"));
}

static bool read_list(Reader *reader, const PlyProperty *property, List *list)
{
    double count;
    size_t least = reader->head.encoding == MESH_ASCII ? 1 : ply_bytes(property->type);
    if (!read_value(reader, property->count, &count)) {
        return false;
    }
    size_t left = (size_t)(reader->text.end - reader->text.at) / least;
    if (!(count >= 0 && count <= (double)left && count == (double)(size_t)count)) {
        return placed(reader, error_set("a list of %.9g values, and there are bytes for %zu", count, left));
    }
    list->count = (size_t)count;
    if (!mesh_grow((void **)&list->values, &list->room, list->count, sizeof *list->values)) {
        list->count = 0;
        return false;
    }
    for (size_t i = 0; i < list->count; i++) {
        if (!read_value(reader, property->type, &list->values[i])) {
            return false;
        }
    }
    return true;
}

/* ---- elements */

static bool add_vertex(Reader *reader, const PlyElement *element)
{
    MeshData *mesh = reader->mesh;
    const double *s = reader->scalars;
    size_t at = mesh->vertices;
    if (!mesh_is_finite(s, PLY_SCALARS)) {
        return placed(reader, error_set("vertex %zu has a number that is not finite", at));
    }
    if (!mesh_add_vertex(mesh, s)) {
        return false;
    }
    for (size_t d = 0; d < 3 && mesh->normals; d++) {
        mesh->normals[3 * at + d] = (float)s[PLY_NX + d];
    }
    if (mesh->uv && ply_has(element, PLY_U)) {
        mesh->uv[2 * at] = (float)s[PLY_U];
        mesh->uv[2 * at + 1] = (float)s[PLY_V];
    }
    return true;
}

static bool check_corner(const Reader *reader, double corner)
{
    return (corner >= 0 && corner < (double)reader->head.vertices && corner == (double)(int32_t)corner) ||
           placed(reader, error_set("a face has vertex %.9g, and there are %lld, from 0", corner,
                                    (long long)reader->head.vertices));
}

/* The uv of the last triangle, from the list of its face. */
static bool add_texcoord(Reader *reader, const size_t corners[3])
{
    MeshData *mesh = reader->mesh;
    size_t face = mesh->faces - 1;
    if (!mesh_grow((void **)&mesh->uv, &reader->uv_room, 3 * mesh->faces, 2 * sizeof(float))) {
        return false;
    }
    for (size_t k = 0; k < 6; k++) {
        size_t from = 2 * corners[k / 2] + k % 2;
        double number = reader->texcoord.count > 0 ? reader->texcoord.values[from] : 0;
        if (!mesh_is_finite(&number, 1)) {
            return placed(reader, error_set("texcoord has a number that is not finite"));
        }
        mesh->uv[6 * face + k] = (float)number;
    }
    return true;
}

static bool add_triangle(Reader *reader, size_t a, size_t b, size_t c)
{
    const double *v = reader->corners.values;
    const size_t corners[3] = {a, b, c};
    return mesh_add_triangle(reader->mesh, (int32_t)v[a], (int32_t)v[b], (int32_t)v[c]) &&
           (reader->mesh->uv_owner != MESH_CORNERS || add_texcoord(reader, corners));
}

static bool add_face(Reader *reader)
{
    const List *corners = &reader->corners;
    if (corners->count < 3) {
        return placed(reader, error_set("a face of %zu corners: expected 3 or more", corners->count));
    }
    if (reader->texcoord.count > 0 && reader->texcoord.count != 2 * corners->count) {
        return placed(reader, error_set("texcoord has %zu numbers: expected %zu, two a corner", reader->texcoord.count,
                                        2 * corners->count));
    }
    for (size_t k = 0; k < corners->count; k++) {
        if (!check_corner(reader, corners->values[k]) || (k >= 2 && !add_triangle(reader, 0, k - 1, k))) {
            return false;
        }
    }
    return true;
}

/* Strips of triangles, each turned the other way than the one before; -1 ends one. */
static bool add_strips(Reader *reader)
{
    const List *corners = &reader->corners;
    reader->texcoord.count = 0;
    for (size_t k = 0, first = 0; k < corners->count; k++) {
        if (corners->values[k] == -1) {
            first = k + 1;
            continue;
        }
        bool turned = (k - first) % 2 == 1;
        if (!check_corner(reader, corners->values[k]) ||
            (k >= first + 2 && !add_triangle(reader, k - 2 + turned, k - 1 - turned, k))) {
            return false;
        }
    }
    return true;
}

static bool read_property(Reader *reader, const PlyProperty *property)
{
    double left_out;
    if (property->count == PLY_TYPES) {
        return read_value(reader, property->type,
                          property->role < PLY_SCALARS ? &reader->scalars[property->role] : &left_out);
    }
    List *list = property->role == PLY_TEXCOORD  ? &reader->texcoord
                 : property->role == PLY_CORNERS ? &reader->corners
                                                 : &reader->left_out;
    return read_list(reader, property, list);
}

static bool read_one(Reader *reader, const PlyElement *element)
{
    for (int i = 0; i < element->length; i++) {
        if (!read_property(reader, &element->properties[i])) {
            return false;
        }
    }
    switch (element->kind) {
    case PLY_VERTEX: return add_vertex(reader, element);
    case PLY_FACE: return add_face(reader);
    case PLY_STRIPS: return add_strips(reader);
    default: return true;
    }
}

/* ---- the whole */

/* Room for what the file announces, and for what vertices have besides. */
static bool allocate(Reader *reader)
{
    MeshData *mesh = reader->mesh;
    size_t vertices = (size_t)reader->head.vertices, faces = 0;
    bool texcoord = false;
    for (int i = 0; i < reader->head.length; i++) {
        const PlyElement *element = &reader->head.elements[i];
        faces += element->kind == PLY_FACE ? (size_t)element->count : 0;
        texcoord = texcoord || ply_has(element, PLY_TEXCOORD);
        if (element->kind == PLY_VERTEX && ply_has(element, PLY_NX) && ply_has(element, PLY_NY) &&
            ply_has(element, PLY_NZ)) {
            mesh->normal_owner = MESH_VERTICES;
            mesh->normals = malloc(3 * vertices * sizeof(float) + 1);
        }
        if (element->kind == PLY_VERTEX && ply_has(element, PLY_U) && ply_has(element, PLY_V)) {
            mesh->uv_owner = MESH_VERTICES;
            mesh->uv = malloc(2 * vertices * sizeof(float) + 1);
        }
    }
    if ((mesh->normal_owner && !mesh->normals) || (mesh->uv_owner && !mesh->uv)) {
        return error_set("out of host memory for %zu vertices", vertices);
    }
    mesh->uv_owner = mesh->uv_owner == MESH_NONE && texcoord ? MESH_CORNERS : mesh->uv_owner;
    return mesh_reserve(mesh, vertices, faces);
}

static bool read_elements(Reader *reader)
{
    for (int i = 0; i < reader->head.length; i++) {
        const PlyElement *element = &reader->head.elements[i];
        reader->texcoord.count = 0;
        for (int64_t k = 0; k < element->count && element->length > 0; k++) {
            if (!read_one(reader, element)) {
                return false;
            }
        }
    }
    return text_any_word(&reader->text).length == 0 ||
           placed(reader, error_set("more than the elements that it announces"));
}

/* uv of corners where no triangle is. */
static void settle(MeshData *mesh)
{
    if (mesh->uv_owner == MESH_CORNERS && !mesh->uv) {
        mesh->uv_owner = MESH_NONE;
    }
}

bool ply_decode(const unsigned char *bytes, size_t size, MeshData *mesh)
{
    Reader reader = {.text = text_reader(bytes, size, 0), .start = (const char *)bytes, .mesh = mesh};
    *mesh = (MeshData){0};
    bool done = ply_read_head(&reader.text, &reader.head) && allocate(&reader) && read_elements(&reader);
    free(reader.corners.values);
    free(reader.texcoord.values);
    free(reader.left_out.values);
    settle(mesh);
    return done;
}

/* ---- writing */

static void write_head(TextWriter *writer, const MeshData *mesh, MeshEncoding encoding)
{
    static const char *const names[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    text_add(writer, "ply\nformat %s 1.0\nelement vertex %zu\n", names[encoding], mesh->vertices);
    text_add(writer, "property float x\nproperty float y\nproperty float z\n");
    if (mesh->normal_owner == MESH_VERTICES) {
        text_add(writer, "property float nx\nproperty float ny\nproperty float nz\n");
    }
    if (mesh->uv_owner == MESH_VERTICES) {
        text_add(writer, "property float u\nproperty float v\n");
    }
    text_add(writer, "element face %zu\nproperty list uchar int vertex_indices\n", mesh->faces);
    if (mesh->uv_owner == MESH_CORNERS) {
        text_add(writer, "property list uchar float texcoord\n");
    }
    text_add(writer, "end_header\n");
}

static void write_floats(TextWriter *writer, const float *numbers, size_t count, MeshEncoding encoding)
{
    if (encoding == MESH_ASCII) {
        text_add_floats(writer, numbers, (int)count);
        return;
    }
    float swapped[6];
    memcpy(swapped, numbers, count * sizeof(float));
    if ((encoding == MESH_LITTLE) != byteorder_little()) {
        byteorder_swap(swapped, sizeof(float), count);
    }
    text_add_bytes(writer, swapped, count * sizeof(float));
}

static void write_triangle(TextWriter *writer, const int32_t *triangle, MeshEncoding encoding)
{
    if (encoding == MESH_ASCII) {
        text_add(writer, "3 %d %d %d", (int)triangle[0], (int)triangle[1], (int)triangle[2]);
        return;
    }
    unsigned char bytes[1 + 12] = {3};
    memcpy(bytes + 1, triangle, 12);
    if ((encoding == MESH_LITTLE) != byteorder_little()) {
        byteorder_swap(bytes + 1, 4, 3);
    }
    text_add_bytes(writer, bytes, sizeof bytes);
}

static void write_texcoord(TextWriter *writer, const float *uv, MeshEncoding encoding)
{
    static const char binary = 6, text[] = " 6";
    text_add_bytes(writer, encoding == MESH_ASCII ? text : &binary, encoding == MESH_ASCII ? 2 : 1);
    write_floats(writer, uv, 6, encoding);
}

bool ply_write(const char *path, const MeshData *mesh, MeshEncoding encoding)
{
    TextWriter writer;
    if (!text_begin(&writer, path)) {
        return false;
    }
    bool normals = mesh->normal_owner == MESH_VERTICES, uv = mesh->uv_owner == MESH_VERTICES;
    size_t end = encoding == MESH_ASCII;
    write_head(&writer, mesh, encoding);
    for (size_t i = 0; i < mesh->vertices; i++) {
        write_floats(&writer, mesh->positions + 3 * i, 3, encoding);
        write_floats(&writer, normals ? mesh->normals + 3 * i : mesh->positions, normals ? 3 : 0, encoding);
        write_floats(&writer, uv ? mesh->uv + 2 * i : mesh->positions, uv ? 2 : 0, encoding);
        text_add_bytes(&writer, "\n", end);
    }
    for (size_t face = 0; face < mesh->faces; face++) {
        write_triangle(&writer, mesh->triangles + 3 * face, encoding);
        if (mesh->uv_owner == MESH_CORNERS) {
            write_texcoord(&writer, mesh->uv + 6 * face, encoding);
        }
        text_add_bytes(&writer, "\n", end);
    }
    return text_end(&writer);
}
