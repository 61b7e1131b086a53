/* Tests the readers and writers of src/io: files made by hand, round trips, and files truncated at every length.
 * The input of a reader ends at the end of a memory page, and the next page cannot be read, so that a read beyond
 * the end fails even without a sanitizer. */
#include "unit.h"

#include "base/decimal.h"
#include "io/array/csv.h"
#include "io/array/mtx.h"
#include "io/array/npy.h"
#include "io/array/npz.h"
#include "io/array/rillfile.h"
#include "io/array/wav.h"
#include "io/byteorder.h"
#include "io/image/formats.h"
#include "io/mesh/formats.h"

#include <dirent.h>
#include <math.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* ---- memory and files */

typedef struct Guarded {
    unsigned char *map, *bytes;
    size_t mapped, size;
} Guarded;

/* Copies bytes to the end of mapped memory. */
static Guarded guard(const void *bytes, size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), mapped = (size / page + 2) * page;
    unsigned char *map = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(map != MAP_FAILED);
    assert_int_equal(mprotect(map + mapped - page, page, PROT_NONE), 0);
    unsigned char *at = map + mapped - page - size;
    if (size > 0) {
        memcpy(at, bytes, size);
    }
    return (Guarded){.map = map, .bytes = at, .mapped = mapped, .size = size};
}

static void unguard(Guarded *guarded)
{
    munmap(guarded->map, guarded->mapped);
}

static char folder[] = "/tmp/rill-io-XXXXXX";

static const char *path_of(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int files_setup(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int files_teardown(void **state)
{
    (void)state;
    char command[600];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

static uint32_t random_next(uint32_t *random)
{
    *random = *random * 1664525U + 1013904223U;
    return *random >> 8;
}

/* ---- readers, by name */

typedef bool Reader(const void *format, unsigned char *bytes, size_t size);

static bool read_image(const void *format, unsigned char *bytes, size_t size)
{
    const ImageFormat *of = format;
    Image image = {0};
    bool done = (of->recognize(bytes, size) || error_set("it is not recognized")) && of->decode(bytes, size, &image);
    image_free(&image);
    return done;
}

static bool read_mesh(const void *format, unsigned char *bytes, size_t size)
{
    const MeshFormat *of = format;
    MeshData mesh = {0};
    of->recognize(bytes, size);
    bool done = of->decode(bytes, size, &mesh);
    mesh_free(&mesh);
    return done;
}

static bool read_npy(const void *format, unsigned char *bytes, size_t size)
{
    (void)format;
    NpyArray array;
    bool done = npy_decode(bytes, size, &array);
    npy_free(&array);
    return done;
}

static bool read_npz(const void *format, unsigned char *bytes, size_t size)
{
    (void)format;
    NpzFile file;
    bool done = npz_open(&file, bytes, size);
    for (size_t i = 0; done && i < file.count; i++) {
        NpyArray array;
        done = npz_read(&file.items[i], &array);
        npy_free(&array);
    }
    npz_close(&file);
    return done;
}

static bool read_wav(const void *format, unsigned char *bytes, size_t size)
{
    (void)format;
    WavSound sound;
    volatile double sum = 0;
    bool done = wav_decode(bytes, size, &sound);
    for (size_t i = 0; done && i < sound.frames * (size_t)sound.channels; i++) {
        sum = sum + wav_sample(&sound, i);
    }
    return done;
}

static bool read_rill(const void *format, unsigned char *bytes, size_t size)
{
    (void)format;
    RillFile file;
    bool done = rillfile_decode(bytes, size, &file);
    rillfile_free(&file);
    return done;
}

static bool read_mtx(const void *format, unsigned char *bytes, size_t size)
{
    (void)format;
    MtxMatrix matrix;
    bool done = mtx_decode(bytes, size, &matrix);
    mtx_free(&matrix);
    return done;
}

static bool read_csv(const void *format, unsigned char *bytes, size_t size)
{
    CsvFormat defaults = {.quote = '"', .decimal = '.', .comment = '#', .missing = ""};
    CsvTable table;
    CsvColumn *columns = NULL;
    bool done = csv_open(&table, bytes, size, format ? format : &defaults);
    size_t count = done ? table.names.count : 0;
    if (done) {
        columns = calloc(count + 1, sizeof *columns);
        for (size_t c = 0; c < count; c++) {
            columns[c].kind = CSV_AUTO;
        }
        done = csv_read(&table, table.has_names, columns);
        csv_free_columns(columns, count);
    }
    free(columns);
    csv_close(&table);
    return done;
}

/* Reads the first bytes of a file, for every length below its size. Returns how many lengths could be read. */
static size_t read_truncated(Reader *reader, const void *format, const void *bytes, size_t size)
{
    size_t readable = 0;
    for (size_t length = 0; length < size; length++) {
        Guarded part = guard(bytes, length);
        error_set("%s", "");
        bool done = reader(format, part.bytes, length);
        assert_true(done || *error_message());
        readable += done;
        unguard(&part);
    }
    return readable;
}

/* ---- numbers, files and texts */

static void test_byte_order(void **state)
{
    (void)state;
    const uint64_t number = 0x0123456789abcdef;
    for (int bytes = 1; bytes <= 8; bytes++) {
        unsigned char little[8] = {0}, big[8] = {0};
        uint64_t low = bytes < 8 ? number & ((UINT64_C(1) << 8 * bytes) - 1) : number;
        byteorder_put(little, bytes, number);
        byteorder_put_big(big, bytes, number);
        assert_int_equal(little[0], number & 255);
        assert_int_equal(big[bytes - 1], number & 255);
        assert_true(byteorder_get(little, bytes) == low && byteorder_get_big(big, bytes) == low);
    }
    uint32_t words[2] = {0x01020304, 0x05060708};
    byteorder_convert(words, 4, 2, !byteorder_little());
    assert_int_equal(words[0], 0x04030201);
    assert_int_equal(words[1], 0x08070605);
    byteorder_convert(words, 4, 2, byteorder_little());
    assert_int_equal(words[1], 0x08070605);
}

static void same_file(const char *path, const char *text)
{
    FileBytes bytes;
    unit_check(file_read(path, &bytes));
    assert_int_equal(bytes.size, strlen(text));
    assert_memory_equal(bytes.data, text, bytes.size);
    file_free(&bytes);
}

static void test_drafts(void **state)
{
    (void)state;
    char path[512];
    FileDraft draft;
    struct stat status;
    snprintf(path, sizeof path, "%s", path_of("draft"));
    unit_check(file_write(path, &(FilePart){"old", 3}, 1));
    assert_int_equal(chmod(path, 0640), 0);
    unit_check(file_draft_open(path, &draft) && file_draft_write(&draft, "new", 3));
    same_file(path, "old");
    file_draft_discard(&draft);
    same_file(path, "old");
    unit_check(file_draft_open(path, &draft) && file_draft_write(&draft, "abc", 3) &&
               file_draft_write(&draft, "def", 3) && file_draft_patch(&draft, 2, "XY", 2) && file_draft_commit(&draft));
    same_file(path, "abXYef");
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0640);
    unit_fails(file_write(folder, NULL, 0), "a directory, not a regular file");
    unit_fails(file_write("", NULL, 0), "whose name is empty");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0); /* no temporary file remains */
    assert_int_equal(mkdir(folder, 0700), 0);
}

static void next_is(TextReader *reader, const char *word, size_t line)
{
    TextWord found = text_any_word(reader);
    assert_int_equal(found.length, strlen(word));
    assert_memory_equal(found.text, word, strlen(word));
    assert_int_equal(reader->line, line);
}

static void test_text_reader(void **state)
{
    (void)state;
    static const char text[] = "\xEF\xBB\xBFone two#no\r\n\n  three \\\n four\\\r\nfive\t-12 4x 1e999";
    Guarded guarded = guard(text, sizeof text - 1);
    TextReader reader = text_reader(guarded.bytes, guarded.size, '#');
    next_is(&reader, "one", 1);
    next_is(&reader, "two#no", 1); /* a comment begins where a word is expected */
    assert_int_equal(text_word(&reader).length, 0);
    next_is(&reader, "three", 3);
    next_is(&reader, "four", 4);
    next_is(&reader, "five", 5);
    int64_t whole;
    double number;
    unit_check(text_whole(&reader, text_word(&reader), "a number", &whole));
    assert_int_equal(whole, -12);
    unit_fails(text_whole(&reader, text_word(&reader), "an index", &whole),
               "line 5: expected an index, a whole number, got \"4x\"");
    unit_fails(text_finite(&reader, "a length", &number, 1),
               "line 5: expected a length, a finite number, got \"1e999\"");
    unit_fails(text_finite(&reader, "a length", &number, 1), "got the end of the line");
    next_is(&reader, "", 5);
    unguard(&guarded);
}

/* Compares decimal_read with strtod, which rounds correctly, for numbers of all lengths and exponents, and the numbers
 * in the middle between two doubles. */
static void test_decimals(void **state)
{
    (void)state;
    static const char *const texts[] = {"0e25",
                                        "-0e26",
                                        "",
                                        "-",
                                        "+.5",
                                        ".",
                                        "1e",
                                        "1e+",
                                        "1..2",
                                        "0x10",
                                        "1e27",
                                        "1e-27",
                                        "1e23",
                                        "3e25",
                                        "1e22",
                                        "1e400",
                                        "1e-400",
                                        "0.000000000000000000000000000000000000000001e+40",
                                        "9007199254740993",
                                        "9007199254740993e23",
                                        "18446744073709551615",
                                        "9999999999999999999e27",
                                        "9999999999999999999e-27",
                                        "12345678.12345678"};
    char text[128], *end;
    uint32_t random = 1;
    for (int i = 0; i < 200000; i++) {
        uint64_t bits =
            (uint64_t)random_next(&random) << 40 ^ (uint64_t)random_next(&random) << 20 ^ random_next(&random);
        int power = (int)(random_next(&random) % 62) - 31;
        if (i < (int)(sizeof texts / sizeof *texts)) {
            snprintf(text, sizeof text, "%s", texts[i]);
        } else if (i % 3 == 0) {
            uint64_t middle = (bits % (UINT64_C(1) << 53) + (UINT64_C(1) << 53)) * 2 + 1;
            snprintf(text, sizeof text, "%llue%d", (unsigned long long)middle, power % 4);
        } else {
            uint64_t part = bits >> random_next(&random) % 64;
            snprintf(text, sizeof text, "-%u.%0*llue%d,5", i % 5 * 7, i % 20, (unsigned long long)part, power);
        }
        size_t used;
        double number = decimal_read(text, strlen(text), &used), expected = strtod(text, &end);
        assert_memory_equal(&number, &expected, sizeof number);
        assert_int_equal(used, end - text);
        decimal_write(text, number, 0, false);
        double again = decimal_read(text, strlen(text), &used);
        assert_memory_equal(&number, &again, sizeof number);
    }
}

/* ---- images */

static Image random_image(int rows, int cols, int channels, ImageDepth depth)
{
    Image image;
    uint32_t random = (uint32_t)(rows * 7 + cols * 5 + channels * 3 + (int)depth);
    unit_check(image_create(&image, rows, cols, channels, depth));
    for (size_t i = 0; i < image_samples(&image); i++) {
        uint32_t value = random_next(&random) >> (random_next(&random) % 3 * 8); /* also small ones */
        if (depth == IMAGE_U8) {
            ((uint8_t *)image.data)[i] = (uint8_t)value;
        } else if (depth == IMAGE_U16) {
            ((uint16_t *)image.data)[i] = (uint16_t)value;
        } else {
            ((float *)image.data)[i] = (float)value / 255;
        }
    }
    return image;
}

static double sample_of(const Image *image, size_t pixel, int channel)
{
    int n = image->channels, at = n >= 3 ? channel : channel == 3 ? n - 1 : 0;
    if (channel == 3 && n % 2 == 1) {
        return image->depth == IMAGE_FLOAT ? 1 : image->white;
    }
    size_t i = pixel * (size_t)n + (size_t)at;
    return image->depth == IMAGE_U8    ? ((uint8_t *)image->data)[i]
           : image->depth == IMAGE_U16 ? ((uint16_t *)image->data)[i]
                                       : (double)((float *)image->data)[i];
}

/* Returns whether two images have the same pixels; the number of channels may differ. */
static void same_image(const Image *a, const Image *b)
{
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->cols, b->cols);
    assert_int_equal(a->depth, b->depth);
    for (size_t pixel = 0; pixel < (size_t)a->rows * (size_t)a->cols; pixel++) {
        for (int channel = 0; channel < 4; channel++) {
            assert_true(fabs(sample_of(a, pixel, channel) - sample_of(b, pixel, channel)) == 0);
        }
    }
}

/* Writes an image in a format and reads it again. Returns false if the format cannot store the image. */
static bool round_trip(const ImageFormat *format, const Image *image)
{
    StrBuf bytes = STRBUF_EMPTY;
    Image again = {0};
    bool done = format->encode(image, &bytes);
    if (done) {
        Guarded file = guard(bytes.text, bytes.length);
        assert_ptr_equal(image_format_of_bytes(file.bytes, file.size)->decode, format->decode);
        unit_check(format->decode(file.bytes, file.size, &again));
        if (format->samples == IMAGE_LOSSY) {
            assert_int_equal(image->rows, again.rows);
            assert_int_equal(image->cols, again.cols);
        } else {
            same_image(image, &again);
        }
        unguard(&file);
        if (bytes.length < 700) {
            assert_int_equal(read_truncated(read_image, format, bytes.text, bytes.length), 0);
        }
    }
    image_free(&again);
    strbuf_free(&bytes);
    return done;
}

static void test_images(void **state)
{
    (void)state;
    static const int sizes[][2] = {{1, 1}, {1, 7}, {5, 3}, {64, 65}, {200, 1}};
    const ImageFormat *format;
    for (int i = 0; (format = image_format_at(i)); i++) {
        int held = 0;
        for (int k = 0; k < 5 * 4 * 3; k++) {
            const int *size = sizes[k / 12];
            Image image = random_image(size[0], size[1], k % 4 + 1, (ImageDepth)(k / 4 % 3));
            held += round_trip(format, &image);
            image_free(&image);
        }
        assert_true(held >= 5 || !image_format_is_built(format));
        assert_ptr_equal(image_format_of_path(path_of(format->extension)), NULL);
    }
}

static void test_qoi_chunks(void **state)
{
    (void)state;
    static const unsigned char file[] = {'q',
                                         'o',
                                         'i',
                                         'f',
                                         0,
                                         0,
                                         0,
                                         4,
                                         0,
                                         0,
                                         0,
                                         2,
                                         4,
                                         0, /* 4 x 2, RGBA */
                                         0xfe,
                                         10,
                                         20,
                                         30, /* RGB */
                                         0xff,
                                         1,
                                         2,
                                         3,
                                         4,                          /* RGBA */
                                         0x40 | 3 << 4 | 0 << 2 | 2, /* +1, -2, 0 */
                                         0x80 | 42,
                                         8 << 4 | 9,                                 /* green +10, red +10, blue +11 */
                                         (10 * 3 + 20 * 5 + 30 * 7 + 255 * 11) % 64, /* the first pixel */
                                         0xc0 | 2,                                   /* repeated three times */
                                         0,
                                         0,
                                         0,
                                         0,
                                         0,
                                         0,
                                         0,
                                         1};
    static const uint8_t expected[8][4] = {{10, 20, 30, 255}, {1, 2, 3, 4},      {2, 0, 3, 4},      {12, 10, 14, 4},
                                           {10, 20, 30, 255}, {10, 20, 30, 255}, {10, 20, 30, 255}, {10, 20, 30, 255}};
    Image image = {0};
    unit_check(qoi_decode(file, sizeof file, &image));
    assert_int_equal(image.rows, 2);
    assert_int_equal(image.cols, 4);
    assert_memory_equal(image.data, expected, sizeof expected);
    image_free(&image);
}

static void read_pnm(const char *file, size_t size, const Image *expected)
{
    Image image = {0};
    Guarded guarded = guard(file, size);
    unit_check(pnm_decode(guarded.bytes, guarded.size, &image));
    same_image(&image, expected);
    assert_int_equal(image.white, expected->white);
    image_free(&image);
    unguard(&guarded);
}

static void test_pnm_by_hand(void **state)
{
    (void)state;
    uint8_t bytes[] = {0, 1, 2, 3, 4, 15};
    uint16_t words[] = {0, 258, 65535};
    float floats[] = {1, -2.5F};
    static const char plain[] = "P2 # a comment\n3 2\n# another\n15\n0 1 2\n3 4 15", rgb[] = "P3\n1 2 15 0 1 2 3 4 15 ",
                      wide[] = "P5\n3 1\n65535\n\0\0\1\2\377\377", big[] = "Pf\n1 2\n1.0\n\xc0\x20\0\0\x3f\x80\0\0",
                      little[] = "Pf\n1 2\n-1.0\n\0\0\x20\xc0\0\0\x80\x3f";
    const Image gray = {2, 3, 1, IMAGE_U8, 15, bytes, 0}, color = {2, 1, 3, IMAGE_U8, 15, bytes, 0},
                deep = {1, 3, 1, IMAGE_U16, 65535, words, 0}, real = {2, 1, 1, IMAGE_FLOAT, 255, floats, 0};
    read_pnm(plain, sizeof plain - 1, &gray);
    read_pnm(rgb, sizeof rgb - 1, &color);
    read_pnm(wide, sizeof wide - 1, &deep);
    read_pnm(big, sizeof big - 1, &real); /* rows from bottom to top */
    read_pnm(little, sizeof little - 1, &real);
}

static void add_chunk(StrBuf *out, const char *type, const void *data, size_t size)
{
    unsigned char word[4];
    byteorder_put_big(word, 4, size);
    strbuf_add_bytes(out, word, 4);
    size_t start = out->length;
    strbuf_add_bytes(out, type, 4);
    strbuf_add_bytes(out, data, size);
    byteorder_put_big(word, 4, crc32_z(0, (unsigned char *)out->text + start, out->length - start));
    strbuf_add_bytes(out, word, 4);
}

/* A palette of four colors, the first half of them transparent, with two bits per pixel. */
static void test_png_by_hand(void **state)
{
    (void)state;
    static const unsigned char header[] = {0, 0, 0, 3, 0, 0, 0, 2, 2, 3, 0, 0, 0}, rows[] = {0, 0x18, 0, 0xe4};
    static const unsigned char palette[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, alpha[] = {128};
    static const int indices[] = {0, 1, 2, 3, 2, 1};
    unsigned char packed[64];
    uLongf length = sizeof packed;
    assert_int_equal(compress(packed, &length, rows, sizeof rows), Z_OK);
    StrBuf file = STRBUF_EMPTY;
    strbuf_add_bytes(&file, "\x89PNG\r\n\x1a\n", 8);
    add_chunk(&file, "IHDR", header, sizeof header);
    add_chunk(&file, "PLTE", palette, sizeof palette);
    add_chunk(&file, "tRNS", alpha, sizeof alpha);
    add_chunk(&file, "IDAT", packed, length);
    add_chunk(&file, "IEND", "", 0);
    Image image = {0};
    unit_check(png_decode((unsigned char *)file.text, file.length, &image));
    assert_int_equal(image.channels, 4);
    for (int pixel = 0; pixel < 6; pixel++) {
        const uint8_t *p = (uint8_t *)image.data + 4 * pixel, *color = palette + 3 * indices[pixel];
        assert_memory_equal(p, color, 3);
        assert_int_equal(p[3], indices[pixel] == 0 ? 128 : 255);
    }
    image_free(&image);
    for (size_t i = 8; i < file.length; i++) { /* every byte is covered by a checksum */
        file.text[i] ^= 16;
        assert_false(read_image(image_format_at(0), (unsigned char *)file.text, file.length));
        file.text[i] ^= 16;
    }
    strbuf_free(&file);
}

/* ---- meshes */

static MeshData read_text_mesh(bool (*decode)(const unsigned char *, size_t, MeshData *), const char *text, size_t size)
{
    MeshData mesh = {0};
    Guarded guarded = guard(text, size);
    unit_check(decode(guarded.bytes, guarded.size, &mesh));
    unguard(&guarded);
    return mesh;
}

static void has_triangles(const MeshData *mesh, const int32_t *triangles, size_t faces)
{
    assert_int_equal(mesh->faces, faces);
    assert_memory_equal(mesh->triangles, triangles, faces * 3 * sizeof *triangles);
}

static void test_obj_by_hand(void **state)
{
    (void)state;
    static const char text[] = "o a # a comment\nv 0 0 0\nv 1 0 0 1.0\nv 1 1 \\\n 0\nvt 0.5 0.25\nvn 0 0 1\n"
                               "f 1/1/1 2//1 3\nv 0 1 0\nf -4 -3 -2 -1\n";
    static const int32_t triangles[] = {0, 1, 2, 0, 1, 2, 0, 2, 3};
    MeshData mesh = read_text_mesh(obj_decode, text, sizeof text - 1);
    assert_int_equal(mesh.vertices, 4);
    has_triangles(&mesh, triangles, 3);
    assert_int_equal(mesh.uv_owner, MESH_CORNERS);
    assert_int_equal(mesh.normal_owner, MESH_CORNERS);
    assert_true(mesh.uv[0] == 0.5F && mesh.uv[1] == 0.25F && mesh.uv[2] == 0);
    assert_true(mesh.normals[2] == 1 && mesh.normals[5] == 1 && mesh.normals[8] == 0);
    mesh_free(&mesh);
}

static void test_off_by_hand(void **state)
{
    (void)state;
    static const char text[] =
        "# first\nNOFF 4 1 0\n0 0 0 0 0 1\n\n1 0 0 0 0 1\n1 1 0 0 0 1 # x\n0 1 0 0 0 1\n4 0 1 2 3 255 0 0";
    static const int32_t triangles[] = {0, 1, 2, 0, 2, 3};
    MeshData mesh = read_text_mesh(off_decode, text, sizeof text - 1);
    has_triangles(&mesh, triangles, 2);
    assert_int_equal(mesh.normal_owner, MESH_VERTICES);
    assert_true(mesh.normals[11] == 1 && mesh.positions[9] == 0 && mesh.positions[10] == 1);
    mesh_free(&mesh);
}

static void test_ply_by_hand(void **state)
{
    (void)state;
    static const char text[] =
        "ply\nformat binary_big_endian 1.0\nelement flags 2\nproperty uchar a\nelement vertex 4\nproperty short x\n"
        "property double y\nproperty uchar z\nelement tristrips 1\nproperty list uchar int vertex_index\nend_header\n"
        "\7\7"
        "\0\1\0\0\0\0\0\0\0\0\0\0\1\xbf\xf0\0\0\0\0\0\0\0\xff\xfe\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\2"
        "\6\0\0\0\0\0\0\0\1\0\0\0\2\0\0\0\3\xff\xff\xff\xff\0\0\0\0";
    static const int32_t triangles[] = {0, 1, 2, 2, 1, 3};
    MeshData mesh = read_text_mesh(ply_decode, text, sizeof text - 1);
    static const float positions[] = {1, 0, 0, 1, -1, 0, -2, 0, 1, 0, 0, 2};
    assert_int_equal(mesh.vertices, 4);
    assert_memory_equal(mesh.positions, positions, sizeof positions);
    has_triangles(&mesh, triangles, 2);
    mesh_free(&mesh);
    assert_int_equal(read_truncated(read_mesh, mesh_format_at(1), text, sizeof text - 1), 0);
}

static void test_stl_by_hand(void **state)
{
    (void)state;
    unsigned char file[80 + 4 + 50] = "solid in name only";
    static const float numbers[12] = {0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1.5F, 0};
    static const int32_t triangles[] = {0, 1, 2};
    byteorder_put(file + 80, 4, 1);
    memcpy(file + 84, numbers, sizeof numbers);
    byteorder_convert(file + 84, 4, 12, true);
    MeshData mesh = read_text_mesh(stl_decode, (char *)file, sizeof file);
    has_triangles(&mesh, triangles, 1);
    assert_memory_equal(mesh.positions, numbers + 3, 9 * sizeof(float));
    mesh_free(&mesh);
}

/* A tetrahedron with normals per vertex and uv per corner, with numbers that need nine digits. */
static MeshData tetrahedron(void)
{
    static const double corners[4][3] = {{0.1, 1e-7, 3}, {1 / 3., 0, -0.}, {0, 16777215, 1e30}, {-2.5, 1e-40, 0.7}};
    MeshData mesh = {0};
    for (int i = 0; i < 4; i++) {
        unit_check(mesh_add_vertex(&mesh, corners[i]));
    }
    unit_check(mesh_add_triangle(&mesh, 0, 1, 2) && mesh_add_triangle(&mesh, 0, 2, 3) &&
               mesh_add_triangle(&mesh, 3, 2, 1) && mesh_add_triangle(&mesh, 0, 3, 1));
    mesh.normals = calloc(12, sizeof(float));
    mesh.uv = calloc(24, sizeof(float));
    for (int i = 0; i < 24; i++) {
        mesh.normals[i % 12] = (float)(i % 12) / 7;
        mesh.uv[i] = (float)i / 11;
    }
    mesh.normal_owner = MESH_VERTICES;
    mesh.uv_owner = MESH_CORNERS;
    return mesh;
}

static void same_mesh(const MeshData *mesh, const MeshData *again)
{
    assert_int_equal(again->faces, mesh->faces);
    for (size_t corner = 0; corner < 3 * mesh->faces; corner++) {
        assert_memory_equal(again->positions + 3 * again->triangles[corner],
                            mesh->positions + 3 * mesh->triangles[corner], 3 * sizeof(float));
    }
    if (mesh->faces == 0) {
        assert_int_equal(again->vertices, mesh->vertices);
        assert_memory_equal(again->positions, mesh->positions, 12 * sizeof(float));
    }
    if (again->normal_owner == MESH_VERTICES) {
        assert_memory_equal(again->normals, mesh->normals, 12 * sizeof(float));
    }
    if (again->uv_owner == MESH_CORNERS) {
        assert_memory_equal(again->uv, mesh->uv, 24 * sizeof(float));
    }
}

static void test_meshes(void **state)
{
    (void)state;
    MeshData mesh = tetrahedron();
    const MeshFormat *format;
    size_t faces = mesh.faces;
    for (int i = 0; (format = mesh_format_at(i)); i++) {
        mesh.faces = strcmp(format->extension, "xyz") == 0 ? 0 : faces; /* a format of points */
        for (int k = 0; k < 3; k++) {
            MeshEncoding encoding = (MeshEncoding)k;
            char path[512], name[32];
            FileBytes bytes;
            MeshData again;
            snprintf(name, sizeof name, "m%d.%s", k, format->extension);
            snprintf(path, sizeof path, "%s", path_of(name));
            if (!(format->encodings & 1 << k)) {
                assert_false(mesh_save(path, &mesh, &encoding));
                continue;
            }
            unit_check(mesh_save(path, &mesh, &encoding) && mesh_load(path, (MeshReading){0}, &again));
            same_mesh(&mesh, &again);
            mesh_free(&again);
            unit_check(file_read(path, &bytes));
            size_t readable = read_truncated(read_mesh, format, bytes.data, bytes.size);
            assert_true(encoding == MESH_ASCII || readable == 0);
            file_free(&bytes);
        }
    }
    mesh.faces = faces;
    unit_fails(mesh_save(path_of("bad.xyz"), &mesh, NULL), "XYZ files have no triangles");
    mesh.triangles[4] = 4;
    unit_fails(mesh_save(path_of("bad.obj"), &mesh, NULL), "triangle 1 has vertex 4, but there are only 4 vertices");
    mesh_free(&mesh);
}

/* ---- arrays */

/* A file of version 1 to 3 with an array of 2 x 3 x 4 int16 numbers, whose values are their row-major indices. */
static StrBuf npy_file(int version, bool big, bool fortran)
{
    StrBuf file = STRBUF_EMPTY, header = STRBUF_EMPTY;
    unsigned char length[4];
    strbuf_addf(&header, "{'descr': '%ci2', 'fortran_order': %s, 'shape': (2, 3, 4), }\n", big ? '>' : '<',
                fortran ? "True" : "False");
    strbuf_addf(&file, "\x93NUMPY%c%c", version, 0);
    byteorder_put(length, 4, header.length);
    strbuf_add_bytes(&file, length, version == 1 ? 2 : 4);
    strbuf_add_bytes(&file, header.text, header.length);
    for (int i = 0; i < 24; i++) {
        int number = fortran ? i % 2 * 12 + i / 2 % 3 * 4 + i / 6 : i;
        unsigned char bytes[2];
        (big ? byteorder_put_big : byteorder_put)(bytes, 2, (uint64_t)number + 1000);
        strbuf_add_bytes(&file, bytes, 2);
    }
    strbuf_free(&header);
    return file;
}

static void test_npy(void **state)
{
    (void)state;
    for (int k = 0; k < 12; k++) {
        StrBuf file = npy_file(k % 3 + 1, k / 3 % 2, k / 6);
        Guarded guarded = guard(file.text, file.length);
        NpyArray array;
        unit_check(npy_decode(guarded.bytes, guarded.size, &array));
        assert_int_equal(array.rank, 3);
        assert_int_equal(array.count, 24);
        assert_true(array.kind == NPY_I2 && array.dim[0] == 2 && array.dim[1] == 3 && array.dim[2] == 4);
        for (int i = 0; i < 24; i++) {
            assert_int_equal(((int16_t *)array.data)[i], i + 1000);
        }
        assert_int_equal(read_truncated(read_npy, NULL, file.text, file.length), 0);
        npy_free(&array);
        unguard(&guarded);
        strbuf_free(&file);
    }
}

static void test_npy_conversions(void **state)
{
    (void)state;
    int64_t numbers[] = {0, -1, 2147483647, -2147483648LL, 5};
    for (int k = 0; k < 5; k++) {
        NpyArray array = {.kind = NPY_I8, .rank = 1, .dim = {5}, .count = 5, .data = malloc(sizeof numbers)};
        memcpy(array.data, numbers, sizeof numbers);
        if (k == 0) {
            unit_check(npy_convert(&array, NPY_I4, false));
        } else if (k == 1) {
            unit_fails(npy_convert(&array, NPY_U4, false), "element 1, -1, does not fit uint");
        } else if (k == 2) {
            unit_check(npy_convert(&array, NPY_B1, false));
        } else if (k == 3) {
            unit_check(npy_convert(&array, NPY_F8, false));
        } else {
            unit_check(npy_convert(&array, NPY_U4, true));
        }
        for (int i = 0; i < 5 && k != 1; i++) {
            uint32_t word = ((uint32_t *)array.data)[i];
            assert_true(k == 3   ? ((double *)array.data)[i] == (double)numbers[i]
                        : k == 2 ? word == (numbers[i] != 0)
                                 : word == (uint32_t)numbers[i]);
        }
        npy_free(&array);
    }
}

static void test_rillfile(void **state)
{
    (void)state;
    char path[512];
    RillFile file = {.element_bytes = 20, .rank = 1, .size = {3}, .data_bytes = 60}, again;
    snprintf(path, sizeof path, "%s", path_of("a.rill"));
    int inner = rillfile_add_struct(&file, "Inner"), outer = 0;
    unit_check(inner == 1 && rillfile_add_field(&file, inner, "at", "vec3", 0));
    outer = rillfile_add_struct(&file, "Outer");
    unit_check(outer == 2 && rillfile_add_field(&file, outer, "a", "", inner) &&
               rillfile_add_field(&file, outer, "n", "int", 0) && rillfile_add_field(&file, outer, "m", "int", 0));
    file.element.structure = outer;
    file.data = malloc(60);
    memset(file.data, 7, 60);
    unit_check(rillfile_write(path, &file));
    FileBytes bytes;
    unit_check(file_read(path, &bytes));
    Guarded guarded = guard(bytes.data, bytes.size);
    unit_check(rillfile_decode(guarded.bytes, guarded.size, &again));
    assert_true(again.count == 2 && again.element.structure == 2 && again.size[0] == 3 && again.data_bytes == 60);
    assert_string_equal(again.items[1].items[2].name, "m");
    assert_int_equal(again.items[1].items[0].structure, 1);
    assert_memory_equal(again.data, file.data, 60);
    rillfile_free(&again);
    assert_int_equal(read_truncated(read_rill, NULL, bytes.data, bytes.size), 0);
    for (size_t i = 0; i < bytes.size; i++) {
        guarded.bytes[i] ^= 1;
        assert_false(read_rill(NULL, guarded.bytes, guarded.size));
        guarded.bytes[i] ^= 1;
    }
    unguard(&guarded);
    file_free(&bytes);
    rillfile_free(&file);
}

static void test_mtx(void **state)
{
    (void)state;
    static const char text[] =
        "%%MatrixMarket matrix coordinate real skew-symmetric\n% a comment\n\n3 3 2\n2 1 1.5d1\n3 2 -0.25";
    static const int32_t row[] = {1, 0, 2, 1}, column[] = {0, 1, 1, 2};
    static const double value[] = {15, -15, -0.25, 0.25};
    MtxMatrix matrix, again;
    FileBytes bytes;
    Guarded guarded = guard(text, sizeof text - 1);
    unit_check(mtx_decode(guarded.bytes, guarded.size, &matrix));
    unguard(&guarded);
    assert_int_equal(matrix.count, 4);
    assert_memory_equal(matrix.row, row, sizeof row);
    assert_memory_equal(matrix.column, column, sizeof column);
    assert_memory_equal(matrix.value, value, sizeof value);
    unit_check(mtx_write(path_of("a.mtx"), &matrix, false) && file_read(path_of("a.mtx"), &bytes));
    unit_check(mtx_decode(bytes.data, bytes.size, &again));
    assert_memory_equal(again.value, value, sizeof value);
    file_free(&bytes);
    mtx_free(&again);
    mtx_free(&matrix);
}

/* ---- corpus of the fuzzer */

/* Reads all files of a directory of fuzz/corpus, complete and truncated. */
static void read_corpus(const char *name, Reader *reader, const void *format)
{
    char path[600];
    struct dirent *entry;
    snprintf(path, sizeof path, "fuzz/corpus/%s", name);
    DIR *directory = opendir(path);
    while (directory && (entry = readdir(directory))) {
        FileBytes bytes;
        snprintf(path, sizeof path, "fuzz/corpus/%s/%s", name, entry->d_name);
        if (entry->d_name[0] == '.' || !file_read(path, &bytes)) {
            continue;
        }
        Guarded guarded = guard(bytes.data, bytes.size);
        if (!reader(format, guarded.bytes, guarded.size)) {
            print_error("%s: %s\n", path, error_message());
            fail();
        }
        read_truncated(reader, format, bytes.data, bytes.size);
        unguard(&guarded);
        file_free(&bytes);
    }
    if (directory) {
        closedir(directory);
    }
}

static void test_corpus(void **state)
{
    (void)state;
    for (int i = 0; image_format_at(i); i++) {
        if (image_format_is_built(image_format_at(i))) {
            read_corpus(image_format_at(i)->extension, read_image, image_format_at(i));
        }
    }
    for (int i = 0; mesh_format_at(i); i++) {
        read_corpus(mesh_format_at(i)->extension, read_mesh, mesh_format_at(i));
    }
    read_corpus("npy", read_npy, NULL);
    read_corpus("npz", read_npz, NULL);
    read_corpus("wav", read_wav, NULL);
    read_corpus("rill", read_rill, NULL);
    read_corpus("mtx", read_mtx, NULL);
    read_corpus("csv", read_csv, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_byte_order),  cmocka_unit_test(test_drafts),          cmocka_unit_test(test_text_reader),
        cmocka_unit_test(test_images),      cmocka_unit_test(test_qoi_chunks),      cmocka_unit_test(test_pnm_by_hand),
        cmocka_unit_test(test_png_by_hand), cmocka_unit_test(test_obj_by_hand),     cmocka_unit_test(test_off_by_hand),
        cmocka_unit_test(test_ply_by_hand), cmocka_unit_test(test_stl_by_hand),     cmocka_unit_test(test_meshes),
        cmocka_unit_test(test_npy),         cmocka_unit_test(test_npy_conversions), cmocka_unit_test(test_rillfile),
        cmocka_unit_test(test_mtx),         cmocka_unit_test(test_decimals),        cmocka_unit_test(test_corpus),
    };
    return cmocka_run_group_tests(tests, files_setup, files_teardown);
}
