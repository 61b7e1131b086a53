/* XYZ files: one point per line, x, y and z, which may be followed by a normal (three numbers), and by a color (three more, each in 0 .. 1).
 * Numbers are separated by blanks, and # begins a comment. All lines have the same numbers. Triangles cannot be stored. */
#include "base/error.h"
#include "io/mesh/formats.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { XYZ_MOST = 9, XYZ_SHORTEST = 5 }; /* numbers of a line; bytes of the shortest line but the last */

/* OBJ files may have other lines, such as counts, before their first vertex. */
bool xyz_recognize(const unsigned char *bytes, size_t size)
{
    TextReader text = text_reader(bytes, size, '#');
    TextWord word = text_any_word(&text);
    bool number = text_is(word, "nan") || text_is(word, "inf") ||
                  (word.length > 0 && (isdigit((unsigned char)word.text[0]) || memchr("+-.", word.text[0], 3)));
    if (!number) {
        return false;
    }
    while (text_word(&text).length > 0) {
    }
    word = text_any_word(&text);
    return word.length != 1 || word.text[0] != 'v';
}

/* Returns the number of words on the first line. */
static int count_columns(TextReader text)
{
    int count = 0;
    for (TextWord word = text_any_word(&text); word.length > 0; word = text_word(&text)) {
        count++;
    }
    return count;
}

static bool allocate(MeshData *mesh, int columns, size_t size)
{
    size_t most = size / XYZ_SHORTEST + 1;
    mesh->normal_owner = columns > 3 ? MESH_VERTICES : MESH_NONE;
    mesh->normals = columns > 3 ? malloc(3 * most * sizeof(float)) : NULL;
    mesh->colors = columns > 6 ? malloc(3 * most * sizeof(float)) : NULL;
    return ((columns <= 3 || mesh->normals) && (columns <= 6 || mesh->colors)) ||
           error_set("out of host memory for %zu points", most);
}

/* Reads the point whose first word was read. */
static bool read_point(TextReader *text, TextWord first, int columns, MeshData *mesh)
{
    double numbers[XYZ_MOST];
    size_t at = mesh->vertices;
    for (int d = 0; d < columns; d++) {
        if (!text_number(text, d == 0 ? first : text_word(text), "a column", &numbers[d])) {
            return false;
        }
    }
    if (!mesh_accepts(mesh, numbers, columns)) {
        return error_set("line %zu: vertex %zu has a number that is not finite", text->line, at);
    }
    if (!mesh_add_vertex(mesh, numbers)) {
        return false;
    }
    for (int d = 0; d < 3; d++) {
        if (columns > 3) {
            mesh->normals[3 * at + (size_t)d] = (float)numbers[3 + d];
        }
        if (columns > 6) {
            mesh->colors[3 * at + (size_t)d] = (float)numbers[6 + d];
        }
    }
    TextWord rest = text_word(text);
    return rest.length == 0 || text_expected(text, rest, "the end of the line", NULL);
}

bool xyz_decode(const unsigned char *bytes, size_t size, MeshData *mesh)
{
    TextReader text = text_reader(bytes, size, '#');
    int columns = count_columns(text);
    if (columns != 3 && columns != 6 && columns != 9) {
        return error_set(
            "the number of columns on its first line is %d: expected 3 (x, y and z), 6 (and a normal) or 9 "
            "(and a color), divided by blanks; rill.csv.load(path, {delimiter = \" \", header = false}) reads other "
            "columns, of which its option 'columns' chooses some",
            columns);
    }
    if (!allocate(mesh, columns, size)) {
        return false;
    }
    for (TextWord word = text_any_word(&text); word.length > 0; word = text_any_word(&text)) {
        if (!read_point(&text, word, columns, mesh)) {
            return false;
        }
    }
    return true;
}

void xyz_encode(TextWriter *writer, const MeshData *mesh, MeshEncoding encoding)
{
    (void)encoding;
    static const float up[3] = {0, 0, 1};
    bool normals = mesh->normal_owner == MESH_VERTICES;
    text_add(writer, mesh->vertices ? "" : "# no points\n");
    for (size_t i = 0; i < mesh->vertices; i++) {
        if (mesh->exact) {
            text_add_doubles(writer, mesh->exact + 3 * i, 3);
        } else {
            text_add_floats(writer, mesh->positions + 3 * i, 3);
        }
        text_add_floats(writer, normals ? mesh->normals + 3 * i : up, normals || mesh->colors ? 3 : 0);
        text_add_floats(writer, mesh->colors ? mesh->colors + 3 * i : up, mesh->colors ? 3 : 0);
        text_add_bytes(writer, "\n", 1);
    }
}
