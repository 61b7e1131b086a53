#include "io/array/npy.h"

#include "base/error.h"
#include "io/byteorder.h"
#include "io/file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const unsigned char magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

enum { MAGIC = sizeof magic, ALIGNMENT = 64 };

static const struct {
    const char *descr; /* without the byte order */
    const char *name;
    size_t bytes;
} kinds[NPY_KINDS] = {
    [NPY_F2] = {"f2", "float16", 2}, [NPY_F4] = {"f4", "float32", 4}, [NPY_F8] = {"f8", "float64", 8},
    [NPY_I1] = {"i1", "int8", 1},    [NPY_I2] = {"i2", "int16", 2},   [NPY_I4] = {"i4", "int32", 4},
    [NPY_I8] = {"i8", "int64", 8},   [NPY_U1] = {"u1", "uint8", 1},   [NPY_U2] = {"u2", "uint16", 2},
    [NPY_U4] = {"u4", "uint32", 4},  [NPY_U8] = {"u8", "uint64", 8},  [NPY_B1] = {"b1", "bool", 1},
};

/* The descriptions of complex numbers, and the kind of their two parts. */
static const struct {
    const char *descr;
    NpyKind kind;
} complex_kinds[] = {{"c8", NPY_F4}, {"c16", NPY_F8}};

enum { COMPLEX_KINDS = sizeof complex_kinds / sizeof *complex_kinds };

typedef struct Header {
    NpyKind kind;
    bool is_complex;
    bool little, fortran;
    bool has_descr, has_order, has_shape;
    int rank;
    int64_t dim[NPY_MAX_RANK];
} Header;

/* Scans the header's text, a Python dictionary with strings, booleans and tuples of integers as values. */
typedef struct Scanner {
    const char *at, *end;
} Scanner;

size_t npy_kind_bytes(NpyKind kind)
{
    return kinds[kind].bytes;
}

const char *npy_kind_name(NpyKind kind)
{
    return kinds[kind].name;
}

static void skip_space(Scanner *scanner)
{
    while (scanner->at < scanner->end && (*scanner->at == ' ' || (*scanner->at >= '\t' && *scanner->at <= '\r'))) {
        scanner->at++;
    }
}

static bool accept(Scanner *scanner, char c)
{
    skip_space(scanner);
    if (scanner->at < scanner->end && *scanner->at == c) {
        scanner->at++;
        return true;
    }
    return false;
}

static bool malformed(const Scanner *scanner, const char *what)
{
    char seen[24] = "";
    for (size_t i = 0; i < sizeof seen - 1 && scanner->at + i < scanner->end; i++) {
        seen[i] = scanner->at[i] >= ' ' && scanner->at[i] < 127 ? scanner->at[i] : '?';
    }
    return error_set("bad .npy header: expected %s at \"%s\"", what, seen);
}

static bool read_string(Scanner *scanner, char *text, size_t size)
{
    char quote = accept(scanner, '\'') ? '\'' : '"';
    if (quote == '"' && !accept(scanner, '"')) {
        return malformed(scanner, "a string");
    }
    for (size_t i = 0; i < size && scanner->at < scanner->end; i++, scanner->at++) {
        char c = *scanner->at;
        text[i] = c == quote ? '\0' : c;
        if (c == quote) {
            scanner->at++;
            return true;
        }
        if (c < ' ' || c > '~') {
            break;
        }
    }
    return malformed(scanner, "the end of a short string");
}

static bool read_word(Scanner *scanner, const char *word)
{
    size_t length = strlen(word);
    skip_space(scanner);
    if ((size_t)(scanner->end - scanner->at) < length || memcmp(scanner->at, word, length) != 0) {
        return false;
    }
    scanner->at += length;
    return true;
}

static bool read_descr(Scanner *scanner, Header *header)
{
    char text[16];
    skip_space(scanner);
    if (scanner->at < scanner->end && *scanner->at == '[') {
        return error_set("the .npy file holds records (a structured dtype); structures are kept in .rill files");
    }
    if (!read_string(scanner, text, sizeof text)) {
        return false;
    }
    const char *type = strchr("<>=|", text[0]) ? text + 1 : text;
    header->little = text[0] == '>' ? false : text[0] == '<' || byteorder_little();
    for (int i = 0; i < NPY_KINDS; i++) {
        if (*text && strcmp(type, kinds[i].descr) == 0) {
            header->kind = (NpyKind)i;
            header->has_descr = true;
            return true;
        }
    }
    for (int i = 0; i < COMPLEX_KINDS; i++) {
        if (strcmp(type, complex_kinds[i].descr) == 0) {
            header->kind = complex_kinds[i].kind;
            header->is_complex = header->has_descr = true;
            return true;
        }
    }
    return error_set(
        "the .npy file's dtype '%s' is not supported: expected f2 f4 f8, i1 i2 i4 i8, u1 u2 u4 u8, c8 c16 or b1", text);
}

static bool read_dimension(Scanner *scanner, int64_t *value)
{
    skip_space(scanner);
    if (scanner->at >= scanner->end || *scanner->at < '0' || *scanner->at > '9') {
        return malformed(scanner, "a size");
    }
    *value = 0;
    for (; scanner->at < scanner->end && *scanner->at >= '0' && *scanner->at <= '9'; scanner->at++) {
        if (*value > (INT64_MAX - 9) / 10) {
            return error_set("bad .npy header: a size is above 2^63");
        }
        *value = *value * 10 + (*scanner->at - '0');
    }
    accept(scanner, 'L'); /* suffix of Python 2's long integers */
    return true;
}

static bool read_shape(Scanner *scanner, Header *header)
{
    if (!accept(scanner, '(')) {
        return malformed(scanner, "the shape, a tuple,");
    }
    while (!accept(scanner, ')')) {
        if (header->rank == NPY_MAX_RANK) {
            return error_set("the .npy file's array has more than %d dimensions", NPY_MAX_RANK);
        }
        if (!read_dimension(scanner, &header->dim[header->rank])) {
            return false;
        }
        header->rank++;
        if (!accept(scanner, ',')) {
            if (!accept(scanner, ')')) {
                return malformed(scanner, "',' or ')'");
            }
            break;
        }
    }
    header->has_shape = true;
    return true;
}

static bool read_order(Scanner *scanner, Header *header)
{
    header->fortran = read_word(scanner, "True");
    header->has_order = header->fortran || read_word(scanner, "False");
    return header->has_order || malformed(scanner, "True or False");
}

static bool read_entry(Scanner *scanner, Header *header)
{
    char key[16];
    if (!read_string(scanner, key, sizeof key)) {
        return false;
    }
    if (!accept(scanner, ':')) {
        return malformed(scanner, "':'");
    }
    if (strcmp(key, "descr") == 0 && !header->has_descr) {
        return read_descr(scanner, header);
    }
    if (strcmp(key, "fortran_order") == 0 && !header->has_order) {
        return read_order(scanner, header);
    }
    if (strcmp(key, "shape") == 0 && !header->has_shape) {
        return read_shape(scanner, header);
    }
    return error_set("bad .npy header: unknown or repeated key '%s'", key);
}

static bool parse_header(Scanner *scanner, Header *header)
{
    if (!accept(scanner, '{')) {
        return malformed(scanner, "'{'");
    }
    while (!accept(scanner, '}')) {
        if (!read_entry(scanner, header)) {
            return false;
        }
        if (!accept(scanner, ',')) {
            if (!accept(scanner, '}')) {
                return malformed(scanner, "',' or '}'");
            }
            break;
        }
    }
    skip_space(scanner);
    if (scanner->at < scanner->end) {
        return malformed(scanner, "the end");
    }
    if (!header->has_descr || !header->has_order || !header->has_shape) {
        return error_set("bad .npy header: '%s' is missing", !header->has_descr   ? "descr"
                                                             : !header->has_order ? "fortran_order"
                                                                                  : "shape");
    }
    return true;
}

/* Finds the header's text; the data begins at its end. */
static bool find_header(const unsigned char *bytes, size_t size, Scanner *scanner)
{
    if (size < MAGIC + 2) {
        return error_set("the .npy file is truncated");
    }
    int version = bytes[MAGIC];
    if (version < 1 || version > 3) {
        return error_set("the .npy file has version %d.%d: expected 1.0, 2.0 or 3.0", version, bytes[MAGIC + 1]);
    }
    size_t start = MAGIC + 2 + (version == 1 ? 2 : 4);
    if (size < start) {
        return error_set("the .npy file is truncated");
    }
    size_t length = byteorder_get(bytes + MAGIC + 2, version == 1 ? 2 : 4);
    if (length > size - start) {
        return error_set("the .npy file is truncated: its header should have %zu bytes, but only %zu follow", length,
                         size - start);
    }
    scanner->at = (const char *)bytes + start;
    scanner->end = scanner->at + length;
    return true;
}

/* Returns the bytes of one element, which may be complex. */
static size_t element_bytes(const Header *header)
{
    return kinds[header->kind].bytes << header->is_complex;
}

/* Computes the number of elements. Returns false with error_set if it does not match the number of bytes. */
static bool check_size(const Header *header, size_t available, size_t *count)
{
    size_t width = element_bytes(header);
    bool empty = false, fits = true;
    for (int i = 0; i < header->rank; i++) {
        empty = empty || header->dim[i] == 0;
    }
    *count = empty ? 0 : 1;
    for (int i = 0; !empty && fits && i < header->rank; i++) {
        fits = (uint64_t)header->dim[i] <= available / width / *count;
        *count *= fits ? (size_t)header->dim[i] : 1;
    }
    if (!fits || *count > available / width) {
        return error_set("the .npy file is truncated, or its shape is incorrect: more elements than the %zu bytes that "
                         "follow the header hold",
                         available);
    }
    if (*count * width != available) {
        return error_set(
            "%zu bytes follow the .npy file's array: its shape is incorrect, or there is more than one array",
            available - *count * width);
    }
    return true;
}

/* Copies elements from Fortran order (first index fastest) to C order (last index fastest). */
static void transpose(const Header *header, const unsigned char *from, unsigned char *to, size_t count)
{
    size_t width = element_bytes(header), stride[NPY_MAX_RANK], place = 0;
    int64_t index[NPY_MAX_RANK] = {0};
    for (int d = 0; d < header->rank; d++) {
        stride[d] = d == 0 ? 1 : stride[d - 1] * (size_t)header->dim[d - 1];
    }
    for (size_t i = 0; i < count; i++, to += width) {
        memcpy(to, from + place * width, width);
        for (int d = header->rank - 1; d >= 0; d--) {
            place += stride[d];
            if (++index[d] < header->dim[d]) {
                break;
            }
            place -= stride[d] * (size_t)header->dim[d];
            index[d] = 0;
        }
    }
}

static bool take_data(const Header *header, const unsigned char *data, NpyArray *array)
{
    size_t width = kinds[header->kind].bytes;
    array->data = malloc(array->count * width + 1);
    if (!array->data) {
        return error_set("out of host memory for %zu elements", array->count);
    }
    if (header->fortran && header->rank > 1) {
        transpose(header, data, array->data, array->count >> header->is_complex);
    } else {
        memcpy(array->data, data, array->count * width);
    }
    byteorder_convert(array->data, width, array->count, header->little);
    return true;
}

bool npy_recognize(const unsigned char *bytes, size_t size)
{
    return size >= MAGIC && memcmp(bytes, magic, MAGIC) == 0;
}

/* Reads the header, and describes the array without its data. */
static bool read_head(const unsigned char *bytes, size_t size, size_t total, Header *header, NpyHead *head)
{
    Scanner scanner;
    *header = (Header){0};
    *head = (NpyHead){.start = 0};
    if (!npy_recognize(bytes, size)) {
        return error_set("it is not a .npy file");
    }
    if (!find_header(bytes, size, &scanner) || !parse_header(&scanner, header)) {
        return false;
    }
    if (header->is_complex && header->rank == NPY_MAX_RANK) {
        return error_set("the .npy file's array has more than %d dimensions", NPY_MAX_RANK - 1);
    }
    NpyArray *array = &head->array;
    head->start = (size_t)((const unsigned char *)scanner.end - bytes);
    head->little = header->little;
    head->fortran = header->fortran && header->rank > 1;
    array->kind = header->kind;
    array->rank = header->rank;
    memcpy(array->dim, header->dim, sizeof array->dim);
    if (!check_size(header, total - head->start, &array->count)) {
        return false;
    }
    if (header->is_complex) {
        array->is_complex = true;
        array->dim[array->rank++] = 2;
        array->count *= 2;
    }
    return true;
}

bool npy_head(const unsigned char *bytes, size_t size, size_t total, NpyHead *head)
{
    Header header;
    return read_head(bytes, size, total, &header, head);
}

bool npy_decode(const unsigned char *bytes, size_t size, NpyArray *array)
{
    Header header;
    NpyHead head;
    bool ok = read_head(bytes, size, size, &header, &head);
    *array = ok ? head.array : (NpyArray){0};
    return ok && take_data(&header, bytes + head.start, array);
}

void npy_free(NpyArray *array)
{
    free(array->data);
    *array = (NpyArray){0};
}

/* Returns whether a double represents an integer of 64 bits exactly: it has at most 53 bits between its highest and its
 * lowest bit that are set. */
static bool is_exact(uint64_t bits, bool is_unsigned)
{
    uint64_t size = !is_unsigned && (int64_t)bits < 0 ? 0 - bits : bits;
    while (size > UINT64_C(1) << 53 && size % 2 == 0) {
        size /= 2;
    }
    return size <= UINT64_C(1) << 53;
}

/* Checks that a 64-bit integer fits double, int or uint. Returns false with error_set. */
static bool check_narrow(const NpyArray *array, size_t i, uint64_t bits, NpyKind kind)
{
    bool from_unsigned = array->kind == NPY_U8, to_unsigned = kind == NPY_U4;
    int64_t value = (int64_t)bits;
    bool fits = from_unsigned || value >= 0 ? bits <= (to_unsigned ? UINT32_MAX : INT32_MAX)
                                            : !to_unsigned && value >= INT32_MIN;
    const char *type = kind == NPY_F8 ? "double" : to_unsigned ? "uint" : "int";
    fits = kind == NPY_F8 ? is_exact(bits, from_unsigned) : fits;
    return fits || (from_unsigned ? error_set("element %zu, %" PRIu64 ", does not fit %s", i, bits, type)
                                  : error_set("element %zu, %" PRId64 ", does not fit %s", i, value, type));
}

bool npy_convert(NpyArray *array, NpyKind kind, bool cut)
{
    union {
        double f8;
        float f4;
        uint32_t word;
    } to;
    size_t width = kind == NPY_F8 ? 8 : 4;
    unsigned char *data = array->data;
    bool from_unsigned = array->kind == NPY_U8;
    for (size_t i = 0; i < array->count; i++) {
        uint64_t bits;
        memcpy(&bits, data + i * sizeof bits, sizeof bits);
        bool checked = kind == NPY_F8 || kind == NPY_I4 || kind == NPY_U4;
        if (checked && !cut && !check_narrow(array, i, bits, kind)) {
            return false;
        }
        if (kind == NPY_F8) {
            to.f8 = from_unsigned ? (double)bits : (double)(int64_t)bits;
        } else if (kind == NPY_F4) {
            to.f4 = from_unsigned ? (float)bits : (float)(int64_t)bits;
        } else if (kind == NPY_B1) {
            to.word = bits != 0;
        } else {
            to.word = (uint32_t)bits;
        }
        memcpy(data + i * width, &to, width);
    }
    array->kind = kind;
    return true;
}

static void write_header(const NpyArray *array, StrBuf *text)
{
    char order = kinds[array->kind].bytes == 1 ? '|' : byteorder_little() ? '<' : '>';
    strbuf_addf(text, "{'descr': '%c%s', 'fortran_order': False, 'shape': (", order, kinds[array->kind].descr);
    for (int i = 0; i < array->rank; i++) {
        strbuf_addf(text, "%" PRId64 "%s", array->dim[i], array->rank == 1 ? "," : i + 1 < array->rank ? ", " : "");
    }
    strbuf_add(text, "), }");
    while (!text->failed && (MAGIC + 4 + text->length + 1) % ALIGNMENT != 0) {
        strbuf_add(text, " ");
    }
    strbuf_add(text, "\n");
}

void npy_start(const NpyArray *array, StrBuf *bytes)
{
    StrBuf text = STRBUF_EMPTY;
    unsigned char start[MAGIC + 4];
    write_header(array, &text);
    memcpy(start, magic, MAGIC);
    start[MAGIC] = 1;
    start[MAGIC + 1] = 0;
    byteorder_put(start + MAGIC + 2, 2, text.length);
    strbuf_add_bytes(bytes, start, sizeof start);
    strbuf_add_bytes(bytes, strbuf_text(&text), text.length);
    bytes->failed = bytes->failed || text.failed;
    strbuf_free(&text);
}

bool npy_write(const char *path, const NpyArray *array)
{
    StrBuf start = STRBUF_EMPTY;
    npy_start(array, &start);
    FilePart parts[] = {{start.text, start.length}, {array->data, array->count * kinds[array->kind].bytes}};
    bool ok = start.failed ? error_set("cannot write '%s': out of host memory", path) : file_write(path, parts, 2);
    strbuf_free(&start);
    return ok;
}
