#include "io/mesh/ply_head.h"

#include "base/error.h"

static const struct {
    const char *name, *other; /* other: as later writers have it */
    size_t bytes;
} types[PLY_TYPES] = {
    {"char", "int8", 1}, {"uchar", "uint8", 1}, {"short", "int16", 2},   {"ushort", "uint16", 2},
    {"int", "int32", 4}, {"uint", "uint32", 4}, {"float", "float32", 4}, {"double", "float64", 8},
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
    {PLY_FACE, "vertex_indices", PLY_CORNERS},
    {PLY_FACE, "vertex_index", PLY_CORNERS},
    {PLY_FACE, "texcoord", PLY_TEXCOORD},
    {PLY_STRIPS, "vertex_indices", PLY_CORNERS},
    {PLY_STRIPS, "vertex_index", PLY_CORNERS},
};

size_t ply_bytes(PlyType type)
{
    return types[type].bytes;
}

bool ply_has(const PlyElement *element, PlyRole role)
{
    for (int i = 0; i < element->length; i++) {
        if (element->properties[i].role == role) {
            return true;
        }
    }
    return false;
}

/* How much of a word is shown. */
static int shown(TextWord word)
{
    return word.length < 20 ? word.length : 20;
}

static bool strange(const TextReader *text, TextWord word, const char *expected)
{
    return error_set("line %zu: expected %s, got \"%.*s\"", text->line, expected, shown(word), word.text);
}

static bool read_type(TextReader *text, TextWord word, PlyType *type)
{
    for (int i = 0; i < PLY_TYPES; i++) {
        if (text_is(word, types[i].name) || text_is(word, types[i].other)) {
            *type = (PlyType)i;
            return true;
        }
    }
    return strange(text, word, "a type (char, uchar, short, ushort, int, uint, float, double)");
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

static bool read_property(TextReader *text, PlyHead *head)
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
            return error_set("line %zu: the length of a list is no whole number", text->line);
        }
        word = text_word(text);
    }
    if (!read_type(text, word, &property.type)) {
        return false;
    }
    property.role = role_of(element->kind, text_word(text), list);
    if (property.role != PLY_NO_ROLE && ply_has(element, property.role)) {
        return error_set("line %zu: a second property for the same", text->line);
    }
    element->properties[element->length++] = property;
    return true;
}

static bool read_element(TextReader *text, PlyHead *head)
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
                         shown(name), name.text, MESH_MOST);
    }
    head->vertices = element->kind == PLY_VERTEX ? element->count : head->vertices;
    return true;
}

static bool read_format(TextReader *text, PlyHead *head)
{
    static const char *const names[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    TextWord word = text_word(text);
    for (int i = 0; i < 3; i++) {
        if (text_is(word, names[i])) {
            head->encoding = (MeshEncoding)i;
            word = text_word(text);
            return text_is(word, "1.0") || strange(text, word, "version 1.0");
        }
    }
    return strange(text, word, "ascii, binary_little_endian or binary_big_endian");
}

/* Bytes that one of an element takes at least. */
static size_t least_bytes(const PlyElement *element, MeshEncoding encoding)
{
    size_t bytes = 0;
    for (int i = 0; i < element->length; i++) {
        const PlyProperty *property = &element->properties[i];
        bytes +=
            encoding == MESH_ASCII ? 2 : ply_bytes(property->count == PLY_TYPES ? property->type : property->count);
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
            return error_set("it is truncated: it announces %zu of element '%.*s', of at least %zu bytes each, and has "
                             "%zu bytes in all",
                             count, shown(name), name.text, least, whole - (head->encoding == MESH_ASCII));
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
        return read_element(text, head);
    }
    if (text_is(word, "property")) {
        return read_property(text, head);
    }
    return text_is(word, "comment") || text_is(word, "obj_info") ||
           strange(text, word, "element, property, comment or end_header");
}

bool ply_read_head(TextReader *text, PlyHead *head)
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
