/* STL files (3D Systems, StereoLithography interface specification), in text and binary. Each triangle gets
 * three separate vertices. Normals are ignored when reading and computed from the corners when writing. */
#include "base/error.h"
#include "io/byteorder.h"
#include "io/mesh/formats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = 80, START = HEAD + 4, FACET = 50 }; /* bytes */

static bool begins_solid(const unsigned char *bytes, size_t size)
{
    TextReader text = text_reader(bytes, size < 1024 ? size : 1024, 0);
    return text_is(text_any_word(&text), "solid");
}

/* Recognizes a binary file by its length, since it may begin with "solid" too. */
static bool is_binary(const unsigned char *bytes, size_t size)
{
    return size >= START && size == START + FACET * byteorder_get(bytes + HEAD, 4);
}

bool stl_recognize(const unsigned char *bytes, size_t size)
{
    return is_binary(bytes, size) || begins_solid(bytes, size);
}

static bool add_facet(MeshData *mesh, double corners[3][3])
{
    int32_t first = (int32_t)mesh->vertices;
    return mesh_add_vertex(mesh, corners[0]) && mesh_add_vertex(mesh, corners[1]) &&
           mesh_add_vertex(mesh, corners[2]) && mesh_add_triangle(mesh, first, first + 1, first + 2);
}

/* ---- binary */

static bool decode_binary(const unsigned char *bytes, size_t size, MeshData *mesh)
{
    if (size < START) {
        return error_set("it is truncated: it has %zu bytes, but a binary STL file begins with %d", size, START);
    }
    size_t count = byteorder_get(bytes + HEAD, 4);
    if (size != START + FACET * count) {
        return error_set("it declares %zu triangles, which need %zu bytes, but has %zu", count, START + FACET * count,
                         size);
    }
    if (count > MESH_MOST / 3) {
        return error_set("it has %zu triangles: expected at most %d", count, MESH_MOST / 3);
    }
    bool done = mesh_reserve(mesh, 3 * count, count);
    for (size_t facet = 0; done && facet < count; facet++) {
        const unsigned char *at = bytes + START + FACET * facet + 12;
        float numbers[9];
        double corners[3][3];
        memcpy(numbers, at, sizeof numbers);
        byteorder_convert(numbers, sizeof *numbers, 9, true);
        for (int k = 0; k < 9; k++) {
            corners[k / 3][k % 3] = (double)numbers[k];
        }
        if (!text_are_finite(corners[0], 9)) {
            return error_set("byte %zu: triangle %zu has a coordinate that is not finite", (size_t)(at - bytes), facet);
        }
        done = add_facet(mesh, corners);
    }
    return done;
}

/* ---- text */

static bool expect(TextReader *text, const char *word)
{
    TextWord found = text_any_word(text);
    if (found.length == 0) {
        return error_set("line %zu: it is truncated: expected %s", text->line, word);
    }
    return text_is(found, word) || text_expected(text, found, word, NULL);
}

static bool read_facet(TextReader *text, MeshData *mesh)
{
    double corners[3][3];
    text_skip_line(text); /* the normal */
    if (!expect(text, "outer") || !expect(text, "loop")) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        if (!expect(text, "vertex") || !text_finite(text, "a coordinate", corners[k], 3)) {
            return false;
        }
    }
    return expect(text, "endloop") && expect(text, "endfacet") && add_facet(mesh, corners);
}

static bool decode_text(const unsigned char *bytes, size_t size, MeshData *mesh)
{
    TextReader text = text_reader(bytes, size, 0);
    bool inside = false;
    for (TextWord word; (word = text_any_word(&text)).length > 0;) {
        if (text_is(word, inside ? "endsolid" : "solid")) {
            inside = !inside;
            text_skip_line(&text);
        } else if (!inside || !text_is(word, "facet")) {
            return text_expected(&text, word, inside ? "facet or endsolid" : "solid", NULL);
        } else if (!read_facet(&text, mesh)) {
            return false;
        }
    }
    return !inside || error_set("line %zu: it is truncated: expected endsolid", text.line);
}

bool stl_decode(const unsigned char *bytes, size_t size, MeshData *mesh)
{
    bool text = !is_binary(bytes, size) && begins_solid(bytes, size);
    return text ? decode_text(bytes, size, mesh) : decode_binary(bytes, size, mesh);
}

/* ---- writing */

/* Computes the unit normal, or 0 if the corners are collinear. Uses doubles and divides by the longest side to
 * avoid overflow. */
static void facet_normal(const MeshData *mesh, const int32_t *triangle, float normal[3])
{
    double side[2][3], most = 0, n[3];
    for (int k = 0; k < 6; k++) {
        side[k / 3][k % 3] =
            (double)mesh->positions[3 * triangle[1 + k / 3] + k % 3] - (double)mesh->positions[3 * triangle[0] + k % 3];
        most = fmax(most, fabs(side[k / 3][k % 3]));
    }
    for (int d = 0; d < 3; d++) {
        int e = (d + 1) % 3, f = (d + 2) % 3;
        n[d] = most > 0 ? side[0][e] / most * (side[1][f] / most) - side[0][f] / most * (side[1][e] / most) : 0;
    }
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int d = 0; d < 3; d++) {
        normal[d] = length > 0 ? (float)(n[d] / length) : 0;
    }
}

static void write_binary(TextWriter *writer, const MeshData *mesh)
{
    unsigned char head[START] = "binary STL";
    byteorder_put(head + HEAD, 4, mesh->faces);
    text_add_bytes(writer, head, sizeof head);
    for (size_t face = 0; face < mesh->faces; face++) {
        const int32_t *triangle = mesh->triangles + 3 * face;
        unsigned char facet[FACET] = {0};
        float numbers[12];
        facet_normal(mesh, triangle, numbers);
        for (int k = 0; k < 3; k++) {
            memcpy(numbers + 3 + 3 * k, mesh->positions + 3 * triangle[k], 3 * sizeof *numbers);
        }
        byteorder_convert(numbers, sizeof *numbers, 12, true);
        memcpy(facet, numbers, sizeof numbers);
        text_add_bytes(writer, facet, sizeof facet);
    }
}

static void write_text(TextWriter *writer, const MeshData *mesh)
{
    text_add(writer, "solid mesh\n");
    for (size_t face = 0; face < mesh->faces; face++) {
        const int32_t *triangle = mesh->triangles + 3 * face;
        float normal[3];
        facet_normal(mesh, triangle, normal);
        text_add(writer, "facet normal");
        text_add_floats(writer, normal, 3);
        text_add(writer, "\nouter loop\n");
        for (int k = 0; k < 3; k++) {
            text_add(writer, "vertex");
            text_add_floats(writer, mesh->positions + 3 * triangle[k], 3);
            text_add(writer, "\n");
        }
        text_add(writer, "endloop\nendfacet\n");
    }
    text_add(writer, "endsolid mesh\n");
}

void stl_encode(TextWriter *writer, const MeshData *mesh, MeshEncoding encoding)
{
    if (encoding == MESH_ASCII) {
        write_text(writer, mesh);
    } else {
        write_binary(writer, mesh);
    }
}
