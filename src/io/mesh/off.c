/* OFF files (Geomview's object file format) in text: OFF, COFF, NOFF and CNOFF, with one vertex or face per
 * line. Writes NOFF if vertices have normals, else OFF. Colors are ignored. Faces with more than three corners
 * become triangle fans around the first corner. */
#include "base/error.h"
#include "io/mesh/formats.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_LINE = 2 }; /* the fewest bytes of a vertex or face */

typedef struct Reader {
    TextReader text;
    MeshData *mesh;
    bool normals;
    int64_t vertices, faces; /* as declared */
} Reader;

/* Returns whether a word is the signature of a file. */
static bool is_off(TextWord word)
{
    static const char *const words[] = {"off", "coff", "noff", "cnoff", "stoff", "4off", "stcnoff"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (text_is(word, words[i])) {
            return true;
        }
    }
    return false;
}

bool off_recognize(const unsigned char *bytes, size_t size)
{
    TextReader text = text_reader(bytes, size, '#');
    return is_off(text_any_word(&text));
}

static bool read_count(Reader *reader, TextWord word, const char *what, int64_t *count)
{
    size_t left = (size_t)(reader->text.end - reader->text.at);
    if (!text_count(&reader->text, word, what, 0, MESH_MOST, count)) {
        return false;
    }
    return (size_t)*count <= left / LEAST_LINE ||
           error_set("line %zu: it is truncated: %s is %lld, but only %zu bytes are left", reader->text.line, what,
                     (long long)*count, left);
}

/* Reads the signature and the three counts. The counts must be on one line; otherwise a missing count would be
 * read from the first vertex. */
static bool read_head(Reader *reader)
{
    TextWord word = text_any_word(&reader->text);
    if (text_is(word, "noff") || text_is(word, "cnoff")) {
        reader->normals = true;
    } else if (!text_is(word, "off") && !text_is(word, "coff")) {
        return error_set("it is %.*s: expected OFF, COFF, NOFF or CNOFF", word.length, word.text);
    }
    TextReader before = reader->text;
    if (text_is(text_word(&before), "binary")) {
        return error_set("it is a binary OFF file: expected a text file");
    }
    int64_t edges;
    return read_count(reader, text_any_word(&reader->text), "the number of vertices", &reader->vertices) &&
           read_count(reader, text_word(&reader->text), "the number of faces", &reader->faces) &&
           text_whole(&reader->text, text_word(&reader->text), "the number of edges", &edges);
}

/* Moves to the first word of the next line that is not empty. */
static bool next_line(Reader *reader, const char *what, int64_t done, int64_t of)
{
    text_skip_line(&reader->text);
    TextReader before = reader->text;
    TextWord word = text_any_word(&reader->text);
    if (word.length == 0) {
        return error_set("it is truncated: it declares %lld %s, but has only %lld", (long long)of, what,
                         (long long)done);
    }
    before.at = word.text;
    before.line = reader->text.line;
    reader->text = before;
    return true;
}

static bool read_vertices(Reader *reader)
{
    for (int64_t i = 0; i < reader->vertices; i++) {
        double numbers[6];
        if (!next_line(reader, "vertices", i, reader->vertices) ||
            !text_finite(&reader->text, "a coordinate", numbers, 3) || !mesh_add_vertex(reader->mesh, numbers) ||
            (reader->normals && !text_finite(&reader->text, "a normal", numbers + 3, 3))) {
            return false;
        }
        for (int d = 0; d < 3 && reader->normals; d++) {
            reader->mesh->normals[3 * i + d] = (float)numbers[3 + d];
        }
    }
    return true;
}

static bool read_face(Reader *reader)
{
    int64_t count, corner, first = 0, last = 0;
    if (!text_whole(&reader->text, text_word(&reader->text), "how many corners a face has", &count)) {
        return false;
    }
    if (count < 3 || count > MESH_MOST) {
        return error_set("line %zu: a face of %lld corners: expected 3 or more", reader->text.line, (long long)count);
    }
    for (int64_t k = 0; k < count; k++) {
        if (!text_whole(&reader->text, text_word(&reader->text), "the number of a vertex", &corner)) {
            return false;
        }
        if (corner < 0 || corner >= reader->vertices) {
            return error_set("line %zu: a face has vertex %lld, but there are only %lld vertices (0-based)",
                             reader->text.line, (long long)corner, (long long)reader->vertices);
        }
        if (k >= 2 && !mesh_add_triangle(reader->mesh, (int32_t)first, (int32_t)last, (int32_t)corner)) {
            return false;
        }
        first = k == 0 ? corner : first;
        last = corner;
    }
    return true;
}

static bool read_faces(Reader *reader)
{
    for (int64_t i = 0; i < reader->faces; i++) {
        if (!next_line(reader, "faces", i, reader->faces) || !read_face(reader)) {
            return false;
        }
    }
    text_skip_line(&reader->text);
    return text_any_word(&reader->text).length == 0 ||
           error_set("line %zu: more than the %lld faces that the file declares", reader->text.line,
                     (long long)reader->faces);
}

static bool allocate(Reader *reader)
{
    MeshData *mesh = reader->mesh;
    if (!mesh_reserve(mesh, (size_t)reader->vertices, (size_t)reader->faces)) {
        return false;
    }
    if (reader->normals) {
        mesh->normal_owner = MESH_VERTICES;
        mesh->normals = malloc(3 * (size_t)reader->vertices * sizeof(float) + 1);
    }
    return !reader->normals || mesh->normals || error_set("out of host memory for the normals");
}

bool off_decode(const unsigned char *bytes, size_t size, MeshData *mesh)
{
    Reader reader = {.text = text_reader(bytes, size, '#'), .mesh = mesh};
    return read_head(&reader) && allocate(&reader) && read_vertices(&reader) && read_faces(&reader);
}

void off_encode(TextWriter *writer, const MeshData *mesh, MeshEncoding encoding)
{
    (void)encoding;
    bool normals = mesh->normal_owner == MESH_VERTICES;
    text_add(writer, "%sOFF\n%zu %zu 0\n", normals ? "N" : "", mesh->vertices, mesh->faces);
    for (size_t i = 0; i < mesh->vertices; i++) {
        text_add_floats(writer, mesh->positions + 3 * i, 3);
        text_add_floats(writer, mesh->normals + 3 * i * normals, normals ? 3 : 0);
        text_add_bytes(writer, "\n", 1);
    }
    for (size_t face = 0; face < mesh->faces; face++) {
        const int32_t *t = mesh->triangles + 3 * face;
        text_add(writer, "3 %d %d %d\n", (int)t[0], (int)t[1], (int)t[2]);
    }
}
