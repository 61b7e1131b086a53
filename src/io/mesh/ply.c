/* PLY files (G. Turk, The PLY polygon file format, 1994), in text and binary of either byte order. Reads of
 * vertices x, y, z, nx, ny, nz, red, green, blue and u, v (or s, t, or texture_u, texture_v), of faces vertex_indices (or
 * vertex_index) and texcoord (u and v of each corner), and tristrips. Other elements and properties are
 * ignored. Faces with more than three corners become triangle fans around the first corner. Writes normals and
 * colors (of one byte per component) if vertices have them. */
#include "base/error.h"
#include "io/byteorder.h"
#include "io/mesh/formats.h"

#include <stdlib.h>
#include <string.h>

/* ---- header */

typedef enum PlyType { PLY_I1, PLY_U1, PLY_I2, PLY_U2, PLY_I4, PLY_U4, PLY_F4, PLY_F8, PLY_TYPES } PlyType;

/* The meaning of a property. */
typedef enum PlyRole {
    PLY_X,
    PLY_Y,
    PLY_Z,
    PLY_NX,
    PLY_NY,
    PLY_NZ,
    PLY_U,
    PLY_V,
    PLY_RED,
    PLY_GREEN,
    PLY_BLUE,
    PLY_SCALARS,               /* the number of roles of scalars of vertices */
    PLY_CORNERS = PLY_SCALARS, /* a list, of faces or strips */
    PLY_TEXCOORD,              /* a list, of faces */
    PLY_NO_ROLE
} PlyRole;

typedef struct PlyProperty {
    PlyType type;  /* of a value */
    PlyType count; /* type of a list's length; PLY_TYPES: not a list */
    PlyRole role;
} PlyProperty;

typedef enum PlyKind { PLY_VERTEX, PLY_FACE, PLY_STRIPS, PLY_OTHER } PlyKind;

enum { PLY_MOST_PROPERTIES = 64, PLY_MOST_ELEMENTS = 16 };

typedef struct PlyElement {
    PlyKind kind;
    TextWord name; /* in the file's text */
    int64_t count;
    PlyProperty properties[PLY_MOST_PROPERTIES];
    int length; /* number of properties */
} PlyElement;

typedef struct PlyHead {
    MeshEncoding encoding;
    PlyElement elements[PLY_MOST_ELEMENTS];
    int length;       /* number of elements */
    int64_t vertices; /* as declared */
} PlyHead;

static const struct {
    const char *name, *other; /* other: the name in other programs */
    size_t bytes;
    bool has_sign;
} types[PLY_TYPES] = {
    {"char", "int8", 1, true},      {"uchar", "uint8", 1, false},   {"short", "int16", 2, true},
    {"ushort", "uint16", 2, false}, {"int", "int32", 4, true},      {"uint", "uint32", 4, false},
    {"float", "float32", 4, true},  {"double", "float64", 8, true},
};

static const struct {
    PlyKind kind;
    const char *name;
    PlyRole role;
} roles[] = {
    {PLY_VERTEX, "x", PLY_X},
    {PLY_VERTEX, "y", PLY_Y},
    {PLY_VERTEX, "z", PLY_Z},
    {PLY_VERTEX, "nx", PLY_NX},
    {PLY_VERTEX, "ny", PLY_NY},
    {PLY_VERTEX, "nz", PLY_NZ},
    {PLY_VERTEX, "u", PLY_U},
    {PLY_VERTEX, "s", PLY_U},
    {PLY_VERTEX, "texture_u", PLY_U},
    {PLY_VERTEX, "v", PLY_V},
    {PLY_VERTEX, "t", PLY_V},
    {PLY_VERTEX, "texture_v", PLY_V},
    {PLY_VERTEX, "red", PLY_RED},
    {PLY_VERTEX, "green", PLY_GREEN},
    {PLY_VERTEX, "blue", PLY_BLUE},
    {PLY_FACE, "vertex_indices", PLY_CORNERS},
    {PLY_FACE, "vertex_index", PLY_CORNERS},
    {PLY_FACE, "texcoord", PLY_TEXCOORD},
    {PLY_STRIPS, "vertex_indices", PLY_CORNERS},
    {PLY_STRIPS, "vertex_index", PLY_CORNERS},
};

static const char *const encodings[] = {"ascii", "binary_little_endian", "binary_big_endian"};

/* Returns whether an element has a property of this role. */
static bool ply_has(const PlyElement *element, PlyRole role)
{
    for (int i = 0; i < element->length; i++) {
        if (element->properties[i].role == role) {
            return true;
        }
    }
    return false;
}

static bool read_type(TextReader *text, TextWord word, PlyType *type)
{
    for (int i = 0; i < PLY_TYPES; i++) {
        if (text_is(word, types[i].name) || text_is(word, types[i].other)) {
            *type = (PlyType)i;
            return true;
        }
    }
    return text_expected(text, word, "a type (char, uchar, short, ushort, int, uint, float, double)", NULL);
}

static PlyRole role_of(PlyKind kind, TextWord name, bool list)
{
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        if (roles[i].kind == kind && text_is(name, roles[i].name) && list == (roles[i].role >= PLY_CORNERS)) {
            return roles[i].role;
        }
    }
    return PLY_NO_ROLE;
}

static bool read_property_line(TextReader *text, PlyHead *head)
{
    PlyElement *element = head->length > 0 ? &head->elements[head->length - 1] : NULL;
    if (!element || element->length == PLY_MOST_PROPERTIES) {
        return element ? error_set("line %zu: more than %d properties", text->line, PLY_MOST_PROPERTIES)
                       : error_set("line %zu: a property before any element", text->line);
    }
    PlyProperty property = {.count = PLY_TYPES};
    TextWord word = text_word(text);
    bool list = text_is(word, "list");
    if (list) {
        if (!read_type(text, text_word(text), &property.count)) {
            return false;
        }
        if (property.count >= PLY_F4) {
            return error_set("line %zu: the length of a list must have an integer type", text->line);
        }
        word = text_word(text);
    }
    if (!read_type(text, word, &property.type)) {
        return false;
    }
    property.role = role_of(element->kind, text_word(text), list);
    if (property.role != PLY_NO_ROLE && ply_has(element, property.role)) {
        return error_set("line %zu: a second property with the same meaning", text->line);
    }
    element->properties[element->length++] = property;
    return true;
}

static bool read_element_line(TextReader *text, PlyHead *head)
{
    if (head->length == PLY_MOST_ELEMENTS) {
        return error_set("line %zu: more than %d elements", text->line, PLY_MOST_ELEMENTS);
    }
    PlyElement *element = &head->elements[head->length++];
    TextWord name = element->name = text_word(text);
    element->kind = text_is(name, "vertex")      ? PLY_VERTEX
                    : text_is(name, "face")      ? PLY_FACE
                    : text_is(name, "tristrips") ? PLY_STRIPS
                                                 : PLY_OTHER;
    if (!text_whole(text, text_word(text), "how many there are", &element->count)) {
        return false;
    }
    bool known = element->kind == PLY_VERTEX || element->kind == PLY_FACE;
    if (element->count < 0 || (known && element->count > MESH_MOST)) {
        return error_set("line %zu: %lld of element '%.*s': expected 0 .. %d", text->line, (long long)element->count,
                         text_shown(name), name.text, MESH_MOST);
    }
    head->vertices = element->kind == PLY_VERTEX ? element->count : head->vertices;
    return true;
}

static bool read_format(TextReader *text, PlyHead *head)
{
    TextWord word = text_word(text);
    for (int i = 0; i < 3; i++) {
        if (text_is(word, encodings[i])) {
            head->encoding = (MeshEncoding)i;
            word = text_word(text);
            return text_is(word, "1.0") || text_expected(text, word, "version 1.0", NULL);
        }
    }
    return text_expected(text, word, "ascii, binary_little_endian or binary_big_endian", NULL);
}

/* Returns the fewest bytes of one item of an element. */
static size_t least_bytes(const PlyElement *element, MeshEncoding encoding)
{
    size_t bytes = 0;
    for (int i = 0; i < element->length; i++) {
        const PlyProperty *property = &element->properties[i];
        bytes +=
            encoding == MESH_ASCII ? 2 : types[property->count == PLY_TYPES ? property->type : property->count].bytes;
    }
    return bytes;
}

static bool check_counts(const TextReader *text, const PlyHead *head)
{
    size_t left = (size_t)(text->end - text->at) + (head->encoding == MESH_ASCII), whole = left;
    for (int i = 0; i < head->length; i++) {
        size_t least = least_bytes(&head->elements[i], head->encoding), count = (size_t)head->elements[i].count;
        if (least > 0 && count > left / least) {
            TextWord name = head->elements[i].name;
            return error_set(
                "it is truncated: it declares %zu of element '%.*s', of at least %zu bytes each, but has only "
                "%zu bytes in all",
                count, text_shown(name), name.text, least, whole - (head->encoding == MESH_ASCII));
        }
        left -= least * count;
    }
    return true;
}

static bool check_elements(const PlyHead *head)
{
    int vertices = 0;
    for (int i = 0; i < head->length; i++) {
        const PlyElement *element = &head->elements[i];
        vertices += element->kind == PLY_VERTEX;
        bool place = ply_has(element, PLY_X) && ply_has(element, PLY_Y) && ply_has(element, PLY_Z);
        if (element->kind == PLY_VERTEX && !place) {
            return error_set("its vertices have no x, y and z");
        }
        if (element->kind != PLY_VERTEX && element->kind != PLY_OTHER && element->count > 0 &&
            !ply_has(element, PLY_CORNERS)) {
            return error_set("its faces have no list vertex_indices");
        }
    }
    return vertices == 1 || error_set("it has %d elements \"vertex\": expected one", vertices);
}

static bool read_line(TextReader *text, TextWord word, PlyHead *head, bool *format)
{
    if (text_is(word, "format")) {
        *format = true;
        return read_format(text, head);
    }
    if (text_is(word, "element")) {
        return read_element_line(text, head);
    }
    if (text_is(word, "property")) {
        return read_property_line(text, head);
    }
    return text_is(word, "comment") || text_is(word, "obj_info") ||
           text_expected(text, word, "element, property, comment or end_header", NULL);
}

/* Reads the header, including end_header. Compares the declared counts with the length of the file. */
static bool read_head(TextReader *text, PlyHead *head)
{
    bool format = false;
    *head = (PlyHead){0};
    for (;;) {
        text_skip_line(text);
        TextWord word = text_any_word(text);
        if (word.length == 0) {
            return error_set("it is truncated: no end_header");
        }
        if (text_is(word, "end_header")) {
            text_skip_line(text);
            return (format || error_set("it has no line \"format\"")) && check_elements(head) &&
                   check_counts(text, head);
        }
        if (!read_line(text, word, head, &format)) {
            return false;
        }
    }
}

/* ---- elements */

/* The values of a list property of the current item. */
typedef struct List {
    double *values;
    size_t count, room;
} List;

typedef struct Reader {
    TextReader text;
    const char *start;
    PlyHead head;
    MeshData *mesh;
    double scalars[PLY_SCALARS]; /* of the current vertex */
    List corners, texcoord, ignored;
    size_t uv_room;
} Reader;

bool ply_recognize(const unsigned char *bytes, size_t size)
{
    return size >= 4 && memcmp(bytes, "ply", 3) == 0 && (bytes[3] == '\n' || bytes[3] == '\r');
}

/* Prepends the line or byte to the error message. */
static bool prefix_position(const Reader *reader, bool failed)
{
    return failed ||
           (reader->head.encoding == MESH_ASCII ? error_prefix("line %zu", reader->text.line)
                                                : error_prefix("byte %zu", (size_t)(reader->text.at - reader->start)));
}

/* ---- values */

/* Reads a value of a binary file: an integer or a float. */
static double value_of(const unsigned char *at, PlyType type, bool little)
{
    int bytes = (int)types[type].bytes;
    uint64_t bits = little ? byteorder_get(at, bytes) : byteorder_get_big(at, bytes);
    uint32_t low = (uint32_t)bits;
    double value;
    float single;
    if (type == PLY_F8) {
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    if (type == PLY_F4) {
        memcpy(&single, &low, sizeof single);
        return (double)single;
    }
    bool negative = types[type].has_sign && bits >> (8 * bytes - 1);
    return (double)bits - (negative ? (double)(UINT64_C(1) << 8 * bytes) : 0);
}

static bool read_binary(Reader *reader, PlyType type, double *value)
{
    size_t bytes = types[type].bytes;
    if ((size_t)(reader->text.end - reader->text.at) < bytes) {
        return prefix_position(reader, error_set("it is truncated"));
    }
    *value = value_of((const unsigned char *)reader->text.at, type, reader->head.encoding == MESH_LITTLE);
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
                           : prefix_position(reader, error_set("it is truncated"));
}

static bool read_list(Reader *reader, const PlyProperty *property, List *list)
{
    double count;
    size_t least = reader->head.encoding == MESH_ASCII ? 1 : types[property->type].bytes;
    if (!read_value(reader, property->count, &count)) {
        return false;
    }
    size_t left = (size_t)(reader->text.end - reader->text.at) / least;
    if (!(count >= 0 && count <= (double)left && count == (double)(size_t)count)) {
        return prefix_position(reader,
                               error_set("a list has %.9g values, but there are bytes for %zu only", count, left));
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

/* ---- vertices and faces */

/* Returns the value of a color's type that means 1. */
static double full_color(const PlyElement *element, PlyRole role)
{
    for (int i = 0; i < element->length; i++) {
        if (element->properties[i].role == role && element->properties[i].type < PLY_F4) {
            size_t bits = 8 * types[element->properties[i].type].bytes;
            return (double)((UINT64_C(1) << bits >> types[element->properties[i].type].has_sign) - 1);
        }
    }
    return 1;
}

static bool add_vertex(Reader *reader, const PlyElement *element)
{
    MeshData *mesh = reader->mesh;
    const double *s = reader->scalars;
    size_t at = mesh->vertices;
    if (!mesh_accepts(mesh, s, PLY_SCALARS)) {
        return prefix_position(reader, error_set("vertex %zu has a number that is not finite", at));
    }
    if (!mesh_add_vertex(mesh, s)) {
        return false;
    }
    for (size_t d = 0; d < 3 && mesh->normals; d++) {
        mesh->normals[3 * at + d] = (float)s[PLY_NX + d];
    }
    for (size_t d = 0; d < 3 && mesh->colors; d++) {
        mesh->colors[3 * at + d] = (float)(s[PLY_RED + d] / full_color(element, PLY_RED + (PlyRole)d));
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
           prefix_position(reader, error_set("a face has vertex %.9g, but there are only %lld vertices (0-based)",
                                             corner, (long long)reader->head.vertices));
}

/* Adds the uv of the last triangle from the list of its face. */
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
        if (!text_are_finite(&number, 1)) {
            return prefix_position(reader, error_set("texcoord has a number that is not finite"));
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
        return prefix_position(reader, error_set("a face of %zu corners: expected 3 or more", corners->count));
    }
    if (reader->texcoord.count > 0 && reader->texcoord.count != 2 * corners->count) {
        return prefix_position(reader, error_set("texcoord has %zu numbers: expected %zu, two per corner",
                                                 reader->texcoord.count, 2 * corners->count));
    }
    for (size_t k = 0; k < corners->count; k++) {
        if (!check_corner(reader, corners->values[k]) || (k >= 2 && !add_triangle(reader, 0, k - 1, k))) {
            return false;
        }
    }
    return true;
}

/* Adds triangle strips. Consecutive triangles have opposite orientation in a strip; -1 ends a strip. */
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
    double ignored;
    if (property->count == PLY_TYPES) {
        return read_value(reader, property->type,
                          property->role < PLY_SCALARS ? &reader->scalars[property->role] : &ignored);
    }
    List *list = property->role == PLY_TEXCOORD  ? &reader->texcoord
                 : property->role == PLY_CORNERS ? &reader->corners
                                                 : &reader->ignored;
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

/* ---- the whole file */

/* Allocates memory for the declared vertices and faces, and for normals and uv. */
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
        if (element->kind == PLY_VERTEX && ply_has(element, PLY_RED) && ply_has(element, PLY_GREEN) &&
            ply_has(element, PLY_BLUE) && !(mesh->colors = malloc(3 * vertices * sizeof(float) + 1))) {
            return error_set("out of host memory for %zu vertices", vertices);
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
           prefix_position(reader, error_set("more than the elements that the file declares"));
}

/* A file without triangles has no uv of corners. */
static void settle(MeshData *mesh)
{
    if (mesh->uv_owner == MESH_CORNERS && !mesh->uv) {
        mesh->uv_owner = MESH_NONE;
    }
}

bool ply_decode(const unsigned char *bytes, size_t size, MeshData *mesh)
{
    Reader reader = {.text = text_reader(bytes, size, 0), .start = (const char *)bytes, .mesh = mesh};
    bool done = read_head(&reader.text, &reader.head) && allocate(&reader) && read_elements(&reader);
    free(reader.corners.values);
    free(reader.texcoord.values);
    free(reader.ignored.values);
    settle(mesh);
    return done;
}

/* ---- writing */

static void write_head(TextWriter *writer, const MeshData *mesh, MeshEncoding encoding)
{
    text_add(writer, "ply\nformat %s 1.0\nelement vertex %zu\n", encodings[encoding], mesh->vertices);
    const char *type = mesh->exact ? "double" : "float";
    text_add(writer, "property %s x\nproperty %s y\nproperty %s z\n", type, type, type);
    if (mesh->normal_owner == MESH_VERTICES) {
        text_add(writer, "property float nx\nproperty float ny\nproperty float nz\n");
    }
    if (mesh->uv_owner == MESH_VERTICES) {
        text_add(writer, "property float u\nproperty float v\n");
    }
    if (mesh->colors) {
        text_add(writer, "property uchar red\nproperty uchar green\nproperty uchar blue\n");
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
    byteorder_convert(swapped, sizeof(float), count, encoding == MESH_LITTLE);
    text_add_bytes(writer, swapped, count * sizeof(float));
}

static void write_position(TextWriter *writer, const MeshData *mesh, size_t vertex, MeshEncoding encoding)
{
    if (!mesh->exact) {
        write_floats(writer, mesh->positions + 3 * vertex, 3, encoding);
        return;
    }
    if (encoding == MESH_ASCII) {
        text_add_doubles(writer, mesh->exact + 3 * vertex, 3);
        return;
    }
    double swapped[3];
    memcpy(swapped, mesh->exact + 3 * vertex, sizeof swapped);
    byteorder_convert(swapped, sizeof(double), 3, encoding == MESH_LITTLE);
    text_add_bytes(writer, swapped, sizeof swapped);
}

static void write_triangle(TextWriter *writer, const int32_t *triangle, MeshEncoding encoding)
{
    if (encoding == MESH_ASCII) {
        text_add(writer, "3 %d %d %d", (int)triangle[0], (int)triangle[1], (int)triangle[2]);
        return;
    }
    unsigned char bytes[1 + 12] = {3};
    memcpy(bytes + 1, triangle, 12);
    byteorder_convert(bytes + 1, 4, 3, encoding == MESH_LITTLE);
    text_add_bytes(writer, bytes, sizeof bytes);
}

static void write_texcoord(TextWriter *writer, const float *uv, MeshEncoding encoding)
{
    static const char binary = 6, text[] = " 6";
    text_add_bytes(writer, encoding == MESH_ASCII ? text : &binary, encoding == MESH_ASCII ? 2 : 1);
    write_floats(writer, uv, 6, encoding);
}

/* Writes a color, rounded to bytes. */
static void write_color(TextWriter *writer, const float *color, MeshEncoding encoding)
{
    unsigned char bytes[3];
    for (int d = 0; d < 3; d++) {
        bytes[d] = (unsigned char)(color[d] > 0 ? (color[d] < 1 ? color[d] * 255 + 0.5f : 255) : 0);
    }
    if (encoding == MESH_ASCII) {
        text_add(writer, " %d %d %d", bytes[0], bytes[1], bytes[2]);
    } else {
        text_add_bytes(writer, bytes, sizeof bytes);
    }
}

void ply_encode(TextWriter *writer, const MeshData *mesh, MeshEncoding encoding)
{
    bool normals = mesh->normal_owner == MESH_VERTICES, uv = mesh->uv_owner == MESH_VERTICES;
    size_t end = encoding == MESH_ASCII;
    write_head(writer, mesh, encoding);
    for (size_t i = 0; i < mesh->vertices; i++) {
        write_position(writer, mesh, i, encoding);
        write_floats(writer, normals ? mesh->normals + 3 * i : mesh->positions, normals ? 3 : 0, encoding);
        write_floats(writer, uv ? mesh->uv + 2 * i : mesh->positions, uv ? 2 : 0, encoding);
        if (mesh->colors) {
            write_color(writer, mesh->colors + 3 * i, encoding);
        }
        text_add_bytes(writer, "\n", end);
    }
    for (size_t face = 0; face < mesh->faces; face++) {
        write_triangle(writer, mesh->triangles + 3 * face, encoding);
        if (mesh->uv_owner == MESH_CORNERS) {
            write_texcoord(writer, mesh->uv + 6 * face, encoding);
        }
        text_add_bytes(writer, "\n", end);
    }
}
