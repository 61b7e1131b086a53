/* Runs the readers of files under libFuzzer: readers FORMAT [CORPUS...] [-FLAGS]. `readers formats` prints the
 * formats, one per line.
 *
 * An input is the contents of a file. Its reader must return an error or a value. An image is written again in the
 * same format, and must be equal after it is read again. The sanitizers find accesses outside of memory and leaks;
 * libFuzzer finds inputs that need too much time or memory. Checksums are corrected in most inputs, because
 * mutations do not find correct checksums. */
#include "base/error.h"
#include "io/array/csv.h"
#include "io/array/mtx.h"
#include "io/array/npy.h"
#include "io/array/npz.h"
#include "io/array/rillfile.h"
#include "io/array/sound.h"
#include "io/byteorder.h"
#include "io/image/formats.h"
#include "io/mesh/formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* libsndfile does not free all memory if an Ogg or MP3 file is damaged. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libvorbis\nleak:libsndfile\nleak:libmpg123\nleak:libFLAC\nleak:libogg\n";
}

static const ImageFormat *image_format;
static const MeshFormat *mesh_format;
static void (*reader)(unsigned char *bytes, size_t size);

static void fail(const char *what)
{
    fprintf(stderr, "readers: %s: %s\n", what, error_message());
    abort();
}

/* The error message of a reader. */
static void check_message(bool done)
{
    if (!done && (*error_message() == '\0' || strlen(error_message()) > 2000)) {
        fail("a message without words, or too long");
    }
}

/* ---- checksums */

static bool corrects(const unsigned char *bytes, size_t size)
{
    return size > 0 && (bytes[size - 1] ^ bytes[size / 2]) % 16 != 0;
}

static void correct_png(unsigned char *bytes, size_t size)
{
    for (size_t at = 8; at + 12 <= size;) {
        size_t length = byteorder_get_big(bytes + at, 4);
        if (length > size - at - 12) {
            return;
        }
        byteorder_put_big(bytes + at + 8 + length, 4, crc32_z(0, bytes + at + 4, length + 4));
        at += length + 12;
    }
}

static void correct_rill(unsigned char *bytes, size_t size)
{
    if (size >= 4) {
        byteorder_put(bytes + size - 4, 4, crc32_z(0, bytes, size - 4));
    }
}

/* ---- readers */

/* Returns whether two images of the same size and depth have the same samples. Images of other sizes or depths are
 * not compared. */
static bool same(const Image *a, const Image *b)
{
    return a->depth != b->depth || a->white != b->white || image_samples(a) != image_samples(b) ||
           memcmp(a->data, b->data, image_samples(a) * image_sample_bytes(a->depth)) == 0;
}

static void write_again(const Image *image)
{
    StrBuf bytes = STRBUF_EMPTY;
    Image again = {0};
    if (image_format->encode(image, &bytes)) {
        if (!image_format->decode((unsigned char *)bytes.text, bytes.length, &again)) {
            fail("what was written cannot be read");
        }
        if (image_format->samples != IMAGE_LOSSY && !same(image, &again)) {
            fail("what was written has other samples");
        }
    }
    image_free(&again);
    strbuf_free(&bytes);
}

static void read_image(unsigned char *bytes, size_t size)
{
    Image image = {0};
    if (strcmp(image_format->extension, "png") == 0 && corrects(bytes, size)) {
        correct_png(bytes, size);
    }
    if (!image_format->recognize(bytes, size)) {
        return;
    }
    bool done = image_format->decode(bytes, size, &image);
    check_message(done);
    if (done) {
        write_again(&image);
    }
    image_free(&image);
}

static void read_mesh(unsigned char *bytes, size_t size)
{
    MeshData mesh = {.reading = {.skip = size % 2, .doubles = size / 2 % 2, .invalid = size / 4 % 2}};
    volatile float sum = 0;
    mesh_format->recognize(bytes, size); /* STL files are recognized by name, too */
    bool done = mesh_format->decode(bytes, size, &mesh);
    check_message(done);
    for (size_t corner = 0; done && corner < 3 * mesh.faces; corner++) {
        if (mesh.triangles[corner] < 0 || (size_t)mesh.triangles[corner] >= mesh.vertices) {
            fail("a corner without a vertex");
        }
    }
    for (size_t i = 0; done && i < 3 * mesh_count(&mesh, mesh.normal_owner); i++) {
        sum = sum + mesh.normals[i];
    }
    for (size_t i = 0; done && i < 2 * mesh_count(&mesh, mesh.uv_owner); i++) {
        sum = sum + mesh.uv[i];
    }
    mesh_free(&mesh);
}

static void read_npy(unsigned char *bytes, size_t size)
{
    NpyArray array;
    check_message(npy_decode(bytes, size, &array));
    npy_free(&array);
}

/* Checksums are corrected after the list of the arrays has been read. */
static void read_npz(unsigned char *bytes, size_t size)
{
    NpzFile file;
    npz_recognize(bytes, size);
    check_message(npz_open(&file, bytes, size));
    for (size_t i = 0; i < file.count; i++) {
        NpyArray array;
        if (!file.items[i].deflated && corrects(bytes, size)) {
            file.items[i].crc = (uint32_t)crc32_z(0, file.items[i].data, file.items[i].size);
        }
        check_message(npz_read(&file.items[i], &array));
        npy_free(&array);
    }
    npz_close(&file);
}

static void read_rill(unsigned char *bytes, size_t size)
{
    RillFile file;
    if (corrects(bytes, size)) {
        correct_rill(bytes, size);
    }
    check_message(rillfile_decode(bytes, size, &file));
    rillfile_free(&file);
}

static void read_sound(unsigned char *bytes, size_t size)
{
    WavSound sound;
    volatile double sum = 0;
    StrBuf samples = STRBUF_EMPTY;
    bool done = sound_decode(bytes, size, &sound, &samples);
    check_message(done);
    for (size_t i = 0; done && i < sound.frames * (size_t)sound.channels; i++) {
        sum = sum + wav_sample(&sound, i) + (sound.floats ? 0 : wav_integer(&sound, i));
    }
    strbuf_free(&samples);
}

static void read_mtx(unsigned char *bytes, size_t size)
{
    MtxMatrix matrix;
    check_message(mtx_decode(bytes, size, &matrix));
    mtx_free(&matrix);
}

/* Reads all columns as numbers or texts, or, depending on the last byte, as other kinds. */
static void read_csv(unsigned char *bytes, size_t size)
{
    unsigned char last = size > 0 ? bytes[size - 1] : 0;
    CsvFormat format = {.quote = '"', .decimal = last % 7 == 6 ? ',' : '.', .comment = '#', .missing = "?\0"};
    CsvTable table;
    bool done = csv_open(&table, bytes, size, &format);
    check_message(done);
    size_t count = done ? table.names.count : 0;
    CsvColumn *columns = calloc(count + 1, sizeof *columns);
    for (size_t c = 0; c < count; c++) {
        columns[c].kind = c < 6 && last % 3 == 2 ? (CsvKind)c : CSV_AUTO;
        columns[c].single = last % 2;
        columns[c].high = 1e6;
        columns[c].category = (last / 8 + c) % 2;
    }
    if (done) {
        done = csv_read(&table, table.has_names, columns);
        check_message(done);
    }
    for (size_t c = 0; done && c < count; c++) {
        const CsvColumn *column = &columns[c];
        if (column->kind == CSV_TEXT && !column->category && column->texts.count != table.rows) {
            fail("a column of text with another number of rows");
        }
        for (size_t row = 0; column->kind == CSV_TEXT && column->category && row < table.rows; row++) {
            if (column->codes[row] != CSV_MISSING && column->codes[row] >= column->names.texts.count) {
                fail("a category with a code that has no name");
            }
        }
    }
    csv_free_columns(columns, count);
    free(columns);
    csv_close(&table);
}

static const struct {
    const char *name;
    void (*read)(unsigned char *bytes, size_t size);
} arrays[] = {{"npy", read_npy},     {"rill", read_rill}, {"npz", read_npz}, {"wav", read_sound},
              {"sound", read_sound}, {"mtx", read_mtx},   {"csv", read_csv}};

/* ---- the format */

/* Sets the reader of a format. Returns false if the format does not exist. Without a name, prints the formats. */
static bool choose(const char *name)
{
    for (int i = 0; (image_format = image_format_at(i)); i++) {
        const char *extension = image_format->name ? image_format->extension : NULL; /* another row has the rest */
        if (extension && !name) {
            puts(extension);
        } else if (extension && strcmp(extension, name) == 0) {
            reader = read_image;
            return true;
        }
    }
    for (int i = 0; (mesh_format = mesh_format_at(i)); i++) {
        if (!name) {
            puts(mesh_format->extension);
        } else if (strcmp(mesh_format->extension, name) == 0) {
            reader = read_mesh;
            return true;
        }
    }
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        if (!name) {
            puts(arrays[i].name);
        } else if (strcmp(arrays[i].name, name) == 0) {
            reader = arrays[i].read;
            return true;
        }
    }
    return false;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *name = *argc > 1 ? (*argv)[1] : "";
    if (strcmp(name, "formats") == 0) {
        choose(NULL);
        exit(0);
    }
    if (!choose(name)) {
        fprintf(stderr, "readers: there is no format '%s': `readers formats` prints those there are\n", name);
        exit(2);
    }
    (*argv)[1] = (*argv)[0]; /* libFuzzer does not get the format */
    ++*argv;
    --*argc;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char *bytes = malloc(size > 0 ? size : 1);
    if (size > 0) {
        memcpy(bytes, data, size);
    }
    reader(bytes, size);
    free(bytes);
    return 0;
}
