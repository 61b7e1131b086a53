/* OBJ files (Wavefront, Advanced Visualizer, appendix B1). Reads v, vt, vn and f; ignores lines, curves and
 * groups. Faces with more than three corners become triangle fans around the first corner. If all texture
 * coordinates (or normals) have the same indices as the vertices, there is one per vertex. Otherwise there is
 * one per corner, zero for corners without one. */
#include "base/error.h"
#include "io/mesh/formats.h"

#include <stdlib.h>
#include <string.h>

/* Texture coordinates or normals, which corners refer to by index. */
typedef struct Extra {
    const char *what;
    int width;      /* numbers per element */
    float *numbers; /* of `count` elements */
    size_t count, room;
    int32_t *index; /* of each corner, -1: none; NULL before the first index */
    size_t index_room;
} Extra;

enum { VERTEX, UV, NORMAL, NUMBERS }; /* the kinds of index of a corner */

/* The largest index of all faces, and its line. */
typedef struct Largest {
    int32_t index;
    size_t line;
} Largest;

typedef struct Reader {
    TextReader text;
    MeshData *mesh;
    Extra extra[NUMBERS]; /* [VERTEX] is not used */
    Largest largest[NUMBERS];
} Reader;

/* OBJ has no signature: any text is accepted. */
bool obj_recognize(const unsigned char *bytes, size_t size)
{
    return memchr(bytes, '\0', size < 512 ? size : 512) == NULL;
}

static size_t count_of(const Reader *reader, int which)
{
    return which == VERTEX ? reader->mesh->vertices : reader->extra[which].count;
}

/* ---- lines */

/* Reads and ignores at most `most` further numbers of a line: a weight or a color. */
static bool skip_numbers(Reader *reader, const char *what, int most)
{
    for (int i = 0;; i++) {
        TextReader before = reader->text;
        TextWord word = text_word(&before);
        double number;
        if (word.length == 0) {
            return true;
        }
        if (i == most) {
            return error_set("line %zu: unexpected \"%.*s\" after %s", reader->text.line, text_shown(word), word.text,
                             what);
        }
        if (!text_number(&reader->text, text_word(&reader->text), what, &number)) {
            return false;
        }
    }
}

enum { BEHIND_VERTEX = 4, BEHIND_UV = 1 };

static bool read_vertex(Reader *reader)
{
    static const char what[] = "a coordinate";
    double position[3];
    return text_finite(&reader->text, what, position, 3) && skip_numbers(reader, what, BEHIND_VERTEX) &&
           mesh_add_vertex(reader->mesh, position);
}

static bool add_extra(Extra *extra, const double *values)
{
    if (extra->count >= MESH_MOST) {
        return error_set("%s: there are more than %d", extra->what, MESH_MOST);
    }
    size_t width = (size_t)extra->width;
    if (!mesh_grow((void **)&extra->numbers, &extra->room, extra->count + 1, width * sizeof(float))) {
        return false;
    }
    for (size_t d = 0; d < width; d++) {
        extra->numbers[width * extra->count + d] = (float)values[d];
    }
    extra->count++;
    return true;
}

static bool read_normal(Reader *reader)
{
    double normal[3];
    return text_finite(&reader->text, "a normal", normal, 3) && skip_numbers(reader, "a normal", 0) &&
           add_extra(&reader->extra[NORMAL], normal);
}

/* The second coordinate is optional. */
static bool read_uv(Reader *reader)
{
    static const char what[] = "a texture coordinate";
    double uv[2] = {0};
    if (!text_finite(&reader->text, what, uv, 1)) {
        return false;
    }
    TextReader before = reader->text;
    bool second = text_word(&before).length > 0;
    return (!second || text_finite(&reader->text, what, uv + 1, 1)) && skip_numbers(reader, what, BEHIND_UV) &&
           add_extra(&reader->extra[UV], uv);
}

/* Converts a part of a corner "1/2/3" to a 0-based index. It is 1-based, or negative: -1 is the last element so
 * far. */
static bool read_index(Reader *reader, TextWord part, int which, int32_t *index)
{
    static const char *const what[NUMBERS] = {"the number of a vertex", "the number of a texture coordinate",
                                              "the number of a normal"};
    int64_t number, count = (int64_t)count_of(reader, which);
    if (!text_whole(&reader->text, part, what[which], &number)) {
        return false;
    }
    if (number == 0 || number < -count || number > MESH_MOST) {
        return error_set("line %zu: %s is %lld: expected 1 or more, or -1 to -%lld, counted back from here",
                         reader->text.line, what[which], (long long)number, (long long)count);
    }
    *index = (int32_t)(number < 0 ? count + number : number - 1);
    if (*index >= reader->largest[which].index) {
        reader->largest[which] = (Largest){.index = *index, .line = reader->text.line};
    }
    return true;
}

static bool read_corner(Reader *reader, TextWord word, int32_t corner[NUMBERS])
{
    const char *at = word.text, *end = word.text + word.length;
    corner[UV] = corner[NORMAL] = -1;
    for (int which = VERTEX; which < NUMBERS; which++) {
        const char *slash = memchr(at, '/', (size_t)(end - at));
        TextWord part = {.text = at, .length = (int)((slash ? slash : end) - at)};
        bool is_omitted = which == UV && slash && part.length == 0; /* "1//3" */
        if (!is_omitted && !read_index(reader, part, which, &corner[which])) {
            return false;
        }
        if (!slash) {
            return true;
        }
        at = slash + 1;
    }
    return error_set("line %zu: a corner \"%.*s\" has more than three numbers", reader->text.line, text_shown(word),
                     word.text);
}

/* Adds the indices of the last triangle's corners. Corners before the first index get -1. */
static bool add_indices(Extra *extra, size_t faces, const int32_t index[3])
{
    bool none = index[0] < 0 && index[1] < 0 && index[2] < 0;
    if (!extra->index && none) {
        return true;
    }
    size_t filled = extra->index ? 3 * (faces - 1) : 0;
    if (!mesh_grow((void **)&extra->index, &extra->index_room, 3 * faces, sizeof *extra->index)) {
        return false;
    }
    for (; filled < 3 * (faces - 1); filled++) {
        extra->index[filled] = -1;
    }
    memcpy(extra->index + filled, index, 3 * sizeof *index);
    return true;
}

static bool add_face(Reader *reader, int32_t corners[3][NUMBERS])
{
    if (!mesh_add_triangle(reader->mesh, corners[0][VERTEX], corners[1][VERTEX], corners[2][VERTEX])) {
        return false;
    }
    for (int which = UV; which < NUMBERS; which++) {
        int32_t index[3] = {corners[0][which], corners[1][which], corners[2][which]};
        if (!add_indices(&reader->extra[which], reader->mesh->faces, index)) {
            return false;
        }
    }
    return true;
}

static bool read_face(Reader *reader)
{
    int32_t corners[3][NUMBERS];
    int count = 0;
    for (TextWord word; (word = text_word(&reader->text)).length > 0; count++) {
        if (count >= 3) {
            memcpy(corners[1], corners[2], sizeof corners[1]);
        }
        if (!read_corner(reader, word, corners[count < 2 ? count : 2]) || (count >= 2 && !add_face(reader, corners))) {
            return false;
        }
    }
    return count >= 3 || error_set("line %zu: a face of %d corners: expected 3 or more", reader->text.line, count);
}

/* Returns whether a line is ignored: groups, materials, lines, curves and surfaces. */
static bool is_ignored(TextWord word)
{
    static const char *const words[] = {
        "g",    "o",      "s",     "l",          "p",         "vp",    "usemtl",   "mtllib",   "usemap", "maplib",
        "mg",   "cstype", "deg",   "bmat",       "step",      "curv",  "curv2",    "surf",     "parm",   "trim",
        "hole", "scrv",   "sp",    "end",        "con",       "bevel", "c_interp", "d_interp", "lod",    "call",
        "csh",  "ctech",  "stech", "shadow_obj", "trace_obj", "bsp",   "bzp",      "cdc",      "cdp",    "res"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (text_is(word, words[i])) {
            return true;
        }
    }
    return false;
}

static bool read_line(Reader *reader, TextWord word)
{
    if (text_is(word, "v")) {
        return read_vertex(reader);
    }
    if (text_is(word, "f")) {
        return read_face(reader);
    }
    if (text_is(word, "vt")) {
        return read_uv(reader);
    }
    if (text_is(word, "vn")) {
        return read_normal(reader);
    }
    return reader->mesh->reading.skip || is_ignored(word) ||
           error_set(
               "line %zu: no line of OBJ begins with \"%.*s\": rill.mesh.load with the option skip = true ignores such "
               "lines, rill.frame.load reads tables",
               reader->text.line, text_shown(word), word.text);
}

/* ---- the whole file */

static bool check_numbers(const Reader *reader)
{
    static const char *const what[NUMBERS] = {"vertex", "texture coordinate", "normal"};
    for (int which = VERTEX; which < NUMBERS; which++) {
        size_t count = count_of(reader, which);
        if (reader->largest[which].line > 0 && (size_t)reader->largest[which].index >= count) {
            return error_set("line %zu: a face has %s %d, but there are only %zu", reader->largest[which].line,
                             what[which], (int)reader->largest[which].index + 1, count);
        }
    }
    return true;
}

/* Returns whether all indices are equal to the vertex indices. */
static bool are_vertices(const Extra *extra, const MeshData *mesh)
{
    if (extra->count != mesh->vertices) {
        return false;
    }
    for (size_t corner = 0; corner < 3 * mesh->faces; corner++) {
        if (extra->index[corner] != mesh->triangles[corner]) {
            return false;
        }
    }
    return true;
}

/* Passes the elements to the mesh: one per vertex if the indices agree, else one per corner. */
static bool settle(Extra *extra, const MeshData *mesh, float **numbers, MeshOwner *owner)
{
    size_t width = (size_t)extra->width, corners = 3 * mesh->faces;
    if (!extra->index && (extra->count == 0 || mesh->faces > 0)) {
        return true; /* no face has an index */
    }
    if (are_vertices(extra, mesh)) {
        *owner = MESH_VERTICES;
        *numbers = extra->numbers;
        extra->numbers = NULL;
        return true;
    }
    *owner = mesh->faces > 0 ? MESH_CORNERS : MESH_NONE;
    *numbers = calloc(width * corners + 1, sizeof(float));
    for (size_t corner = 0; *numbers && corner < corners; corner++) {
        if (extra->index[corner] >= 0) {
            memcpy(*numbers + width * corner, extra->numbers + width * (size_t)extra->index[corner],
                   width * sizeof(float));
        }
    }
    return *numbers || error_set("out of host memory for %zu corners", corners);
}

static bool read_lines(Reader *reader)
{
    for (TextWord word; (word = text_any_word(&reader->text)).length > 0; text_skip_line(&reader->text)) {
        if (!read_line(reader, word)) {
            return false;
        }
    }
    return true;
}

bool obj_decode(const unsigned char *bytes, size_t size, MeshData *mesh)
{
    Reader reader = {.text = text_reader(bytes, size, '#'), .mesh = mesh};
    reader.extra[UV] = (Extra){.what = "texture coordinates", .width = 2};
    reader.extra[NORMAL] = (Extra){.what = "normals", .width = 3};
    bool done = read_lines(&reader) && check_numbers(&reader) &&
                settle(&reader.extra[UV], mesh, &mesh->uv, &mesh->uv_owner) &&
                settle(&reader.extra[NORMAL], mesh, &mesh->normals, &mesh->normal_owner);
    for (int which = UV; which < NUMBERS; which++) {
        free(reader.extra[which].numbers);
        free(reader.extra[which].index);
    }
    return done;
}

/* ---- writing */

static void write_elements(TextWriter *writer, const char *word, const float *numbers, int width, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        text_add_bytes(writer, word, strlen(word));
        text_add_floats(writer, numbers + (size_t)width * i, width);
        text_add_bytes(writer, "\n", 1);
    }
}

static void write_corner(TextWriter *writer, const MeshData *mesh, size_t corner)
{
    int32_t vertex = mesh->triangles[corner];
    text_add(writer, " %d", (int)vertex + 1);
    if (mesh->uv_owner != MESH_NONE) {
        text_add(writer, "/%zu", mesh_element(mesh->uv_owner, corner, vertex) + 1);
    }
    if (mesh->normal_owner != MESH_NONE) {
        text_add(writer, "%s/%zu", mesh->uv_owner == MESH_NONE ? "/" : "",
                 mesh_element(mesh->normal_owner, corner, vertex) + 1);
    }
}

void obj_encode(TextWriter *writer, const MeshData *mesh, MeshEncoding encoding)
{
    (void)encoding;
    text_add(writer, "# %zu vertices, %zu triangles\n", mesh->vertices, mesh->faces);
    write_elements(writer, "v", mesh->positions, 3, mesh->vertices);
    write_elements(writer, "vt", mesh->uv, 2, mesh_count(mesh, mesh->uv_owner));
    write_elements(writer, "vn", mesh->normals, 3, mesh_count(mesh, mesh->normal_owner));
    for (size_t face = 0; face < mesh->faces; face++) {
        text_add_bytes(writer, "f", 1);
        for (size_t k = 0; k < 3; k++) {
            write_corner(writer, mesh, 3 * face + k);
        }
        text_add_bytes(writer, "\n", 1);
    }
}
