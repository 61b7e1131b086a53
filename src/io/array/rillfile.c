#include "io/array/rillfile.h"

#include "base/array.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "io/byteorder.h"
#include "io/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static const unsigned char magic[] = {0x89, 'R', 'I', 'L', 'L', 0x0d, 0x0a, 0x1a};

enum { MAGIC = sizeof magic, VERSION = 1, CONTAINER_VERSION = 2, START = MAGIC + 8, CHECKSUM = 4 };

typedef struct Reader {
    const unsigned char *at, *end;
    bool failed; /* the description ended within a number */
} Reader;

int rillfile_add_struct(RillFile *file, const char *name)
{
    if (!ARRAY_ROOM(file)) {
        return 0;
    }
    RillStruct *added = &file->items[file->count++];
    *added = (RillStruct){0};
    snprintf(added->name, sizeof added->name, "%s", name);
    return (int)file->count;
}

bool rillfile_add_field(RillFile *file, int number, const char *name, const char *type, int structure)
{
    RillStruct *owner = &file->items[number - 1];
    if (!ARRAY_ROOM(owner)) {
        return false;
    }
    RillField *added = &owner->items[owner->count++];
    *added = (RillField){.structure = structure};
    snprintf(added->name, sizeof added->name, "%s", name);
    snprintf(added->type, sizeof added->type, "%s", type);
    return true;
}

void rillfile_free(RillFile *file)
{
    for (size_t i = 0; i < file->count; i++) {
        free(file->items[i].items);
    }
    free(file->items);
    free(file->data);
    free(file->container.numbers);
    *file = (RillFile){0};
}

/* Reads a number. If not enough bytes are left, sets `failed` and an error, and returns 0. */
static uint64_t read_number(Reader *reader, int bytes)
{
    if (reader->failed || reader->end - reader->at < bytes) {
        reader->failed = reader->failed || !error_set("the description in the .rill file ends too early");
        return 0;
    }
    reader->at += bytes;
    return byteorder_get(reader->at - bytes, bytes);
}

static bool is_name(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    size_t length = strlen(text);
    return length > 0 && strspn(text, letters) == length && !(*text >= '0' && *text <= '9');
}

static bool read_string(Reader *reader, char text[RILLFILE_NAME])
{
    size_t length = read_number(reader, 2);
    if (reader->failed) {
        return false;
    }
    if (length >= RILLFILE_NAME || length > (size_t)(reader->end - reader->at)) {
        return error_set("a name in the .rill file is too long");
    }
    memcpy(text, reader->at, length);
    text[length] = '\0';
    reader->at += length;
    return strlen(text) == length || error_set("a name in the .rill file holds a zero byte");
}

/* Reads a type. A structure must be one of the first `known`. */
static bool read_type(Reader *reader, size_t known, RillField *field)
{
    if (!read_string(reader, field->type)) {
        return false;
    }
    field->structure = (int)read_number(reader, 2);
    if ((size_t)field->structure > known) {
        return error_set("the .rill file refers to structure %d, which it does not define before", field->structure);
    }
    return !reader->failed && ((field->structure ? *field->type == '\0' : is_name(field->type)) ||
                               error_set("bad type name in the .rill file"));
}

static bool read_struct(Reader *reader, RillFile *file)
{
    char name[RILLFILE_NAME];
    size_t known = file->count;
    if (!read_string(reader, name)) {
        return false;
    }
    uint64_t fields = read_number(reader, 2);
    if (reader->failed || !is_name(name) || fields == 0 || fields > RILLFILE_FIELDS) {
        return !reader->failed && error_set("bad structure in the .rill file");
    }
    int number = rillfile_add_struct(file, name);
    for (uint64_t i = 0; number && i < fields; i++) {
        RillField field;
        if (!read_string(reader, field.name) || !read_type(reader, known, &field)) {
            return false;
        }
        if (!is_name(field.name)) {
            return error_set("bad field name in the .rill file");
        }
        if (!rillfile_add_field(file, number, field.name, field.type, field.structure)) {
            return false;
        }
    }
    return number != 0;
}

static bool read_sizes(Reader *reader, int rank, int64_t *sizes)
{
    for (int i = 0; i < rank; i++) {
        sizes[i] = (int64_t)read_number(reader, 8);
        if (sizes[i] < 0) {
            return error_set("a size in the .rill file is above 2^63");
        }
    }
    return !reader->failed;
}

static bool read_shape(Reader *reader, RillFile *file)
{
    uint64_t bytes = read_number(reader, 4), rank = read_number(reader, 2);
    if (reader->failed) {
        return false;
    }
    if (bytes == 0 || rank < 1 || rank > RILLFILE_RANK) {
        return error_set("the .rill file has an invalid element size (%llu bytes) or rank (%llu)",
                         (unsigned long long)bytes, (unsigned long long)rank);
    }
    file->element_bytes = (uint32_t)bytes;
    file->rank = (int)rank;
    return read_sizes(reader, file->rank, file->size);
}

static bool read_container(Reader *reader, RillFile *file)
{
    if (!read_string(reader, file->container.kind)) {
        return false;
    }
    int rank = file->container.rank = (int)read_number(reader, 2);
    if (reader->failed || !is_name(file->container.kind) || rank < 1 || rank > RILLFILE_RANK) {
        return !reader->failed && error_set("the .rill file describes an invalid container");
    }
    if (!read_sizes(reader, rank, file->container.size) || !read_sizes(reader, rank, file->container.page)) {
        return false;
    }
    file->container.levels = (int)read_number(reader, 2);
    if (!read_sizes(reader, 1, &file->container.capacity)) {
        return false;
    }
    uint64_t count = read_number(reader, 8);
    if (reader->failed || count > (uint64_t)(reader->end - reader->at) / sizeof *file->container.numbers) {
        return error_set("the description in the .rill file ends too early");
    }
    size_t bytes = (size_t)count * sizeof *file->container.numbers;
    file->container.number_count = (size_t)count;
    file->container.numbers = malloc(bytes + 1);
    if (!file->container.numbers) {
        return error_set("out of host memory");
    }
    memcpy(file->container.numbers, reader->at, bytes);
    reader->at += bytes;
    return true;
}

static bool read_description(Reader *reader, RillFile *file, uint32_t version)
{
    uint64_t structs = read_number(reader, 2);
    if (structs > RILLFILE_STRUCTS) {
        return error_set("the .rill file defines more than %d structures", RILLFILE_STRUCTS);
    }
    for (uint64_t i = 0; i < structs; i++) {
        if (!read_struct(reader, file)) {
            return false;
        }
    }
    if (!read_type(reader, file->count, &file->element) || !read_shape(reader, file) ||
        (version == CONTAINER_VERSION && !read_container(reader, file))) {
        return false;
    }
    return reader->at == reader->end || error_set("the description in the .rill file is longer than its content");
}

/* Computes the bytes of all elements. Returns false if they are more than `available`. */
static bool data_bytes(const RillFile *file, size_t available, size_t *bytes)
{
    *bytes = file->element_bytes;
    for (int i = 0; i < file->rank; i++) {
        if (file->size[i] == 0) {
            *bytes = 0;
            return true;
        }
    }
    for (int i = 0; i < file->rank; i++) {
        if ((uint64_t)file->size[i] > available / *bytes) {
            return false;
        }
        *bytes *= (size_t)file->size[i];
    }
    return *bytes <= available;
}

bool rillfile_is_container(const char *path)
{
    unsigned char start[MAGIC + 4];
    FILE *file = fopen(path, "rb");
    bool is = file && fread(start, 1, sizeof start, file) == sizeof start && memcmp(start, magic, MAGIC) == 0 &&
              byteorder_get(start + MAGIC, 4) == CONTAINER_VERSION;
    if (file) {
        fclose(file);
    }
    return is;
}

bool rillfile_recognize(const unsigned char *bytes, size_t size)
{
    return size >= MAGIC && memcmp(bytes, magic, MAGIC) == 0;
}

/* Checks signature, version, lengths and checksum. */
static bool check_frame(const unsigned char *bytes, size_t size, size_t *description)
{
    if (!rillfile_recognize(bytes, size)) {
        return error_set("it is not a .rill file");
    }
    if (size < START + CHECKSUM) {
        return error_set("the .rill file is truncated");
    }
    uint32_t version = (uint32_t)byteorder_get(bytes + MAGIC, 4);
    if (version != VERSION && version != CONTAINER_VERSION) {
        return error_set("the .rill file has version %u; this rill reads version %d and %d", version, VERSION,
                         CONTAINER_VERSION);
    }
    *description = byteorder_get(bytes + MAGIC + 4, 4);
    if (*description > size - START - CHECKSUM) {
        return error_set("the .rill file is truncated");
    }
    if (crc32_z(0, bytes, size - CHECKSUM) != byteorder_get(bytes + size - CHECKSUM, 4)) {
        return error_set("the .rill file's checksum is incorrect: it is truncated or damaged");
    }
    return byteorder_little() || error_set(".rill files are read on little-endian machines only");
}

static bool decode(const unsigned char *bytes, size_t size, RillFile *file)
{
    size_t description = 0;
    if (!check_frame(bytes, size, &description)) {
        return false;
    }
    Reader reader = {.at = bytes + START, .end = bytes + START + description};
    size_t available = size - START - CHECKSUM - description;
    if (!read_description(&reader, file, (uint32_t)byteorder_get(bytes + MAGIC, 4))) {
        return false;
    }
    if (!data_bytes(file, available, &file->data_bytes) || file->data_bytes != available) {
        return error_set("the .rill file's shape and its %zu bytes of elements do not agree", available);
    }
    file->data = malloc(available + 1);
    if (!file->data) {
        return error_set("out of host memory for %zu bytes", available);
    }
    memcpy(file->data, bytes + START + description, available);
    return true;
}

bool rillfile_decode(const unsigned char *bytes, size_t size, RillFile *file)
{
    *file = (RillFile){0};
    bool ok = decode(bytes, size, file);
    if (!ok) {
        rillfile_free(file);
    }
    return ok;
}

static void write_number(StrBuf *text, int bytes, uint64_t value)
{
    unsigned char word[8];
    byteorder_put(word, 8, value);
    strbuf_add_bytes(text, word, (size_t)bytes);
}

static void write_string(StrBuf *text, const char *string)
{
    write_number(text, 2, strlen(string));
    strbuf_add(text, string);
}

static void write_type(StrBuf *text, const RillField *field)
{
    write_string(text, field->structure ? "" : field->type);
    write_number(text, 2, (uint64_t)field->structure);
}

static void write_container(StrBuf *text, const RillFile *file)
{
    write_string(text, file->container.kind);
    write_number(text, 2, (uint64_t)file->container.rank);
    for (int i = 0; i < 2 * file->container.rank; i++) {
        int d = i % file->container.rank;
        write_number(text, 8, (uint64_t)(i < file->container.rank ? file->container.size : file->container.page)[d]);
    }
    write_number(text, 2, (uint64_t)file->container.levels);
    write_number(text, 8, (uint64_t)file->container.capacity);
    write_number(text, 8, file->container.number_count);
    if (file->container.number_count) {
        strbuf_add_bytes(text, file->container.numbers, file->container.number_count * sizeof *file->container.numbers);
    }
}

static void write_description(StrBuf *text, const RillFile *file)
{
    write_number(text, 2, file->count);
    for (size_t i = 0; i < file->count; i++) {
        const RillStruct *structure = &file->items[i];
        write_string(text, structure->name);
        write_number(text, 2, structure->count);
        for (size_t k = 0; k < structure->count; k++) {
            write_string(text, structure->items[k].name);
            write_type(text, &structure->items[k]);
        }
    }
    write_type(text, &file->element);
    write_number(text, 4, file->element_bytes);
    write_number(text, 2, (uint64_t)file->rank);
    for (int i = 0; i < file->rank; i++) {
        write_number(text, 8, (uint64_t)file->size[i]);
    }
    if (*file->container.kind) {
        write_container(text, file);
    }
}

/* Checks the limits of the reader, so that every file that is written can be read. */
static bool check_limits(const RillFile *file)
{
    if (file->count > RILLFILE_STRUCTS) {
        return error_set("more than %d structures", RILLFILE_STRUCTS);
    }
    for (size_t i = 0; i < file->count; i++) {
        if (file->items[i].count > RILLFILE_FIELDS) {
            return error_set("structure %s has more than %d fields", file->items[i].name, RILLFILE_FIELDS);
        }
    }
    return byteorder_little() || error_set(".rill files are written on little-endian machines only");
}

static bool write_file(const char *path, const RillFile *file, StrBuf *head)
{
    strbuf_add_bytes(head, magic, MAGIC);
    write_number(head, 4, *file->container.kind ? CONTAINER_VERSION : VERSION);
    write_number(head, 4, 0); /* the description's length, set below */
    write_description(head, file);
    if (head->failed) {
        return error_set("cannot write '%s': out of host memory", path);
    }
    byteorder_put((unsigned char *)head->text + START - 4, 4, head->length - START);
    unsigned char checksum[CHECKSUM];
    uLong crc = crc32_z(0, (const unsigned char *)head->text, head->length);
    crc = file->data_bytes > 0 ? crc32_z(crc, file->data, file->data_bytes) : crc; /* zlib returns 0 for NULL */
    byteorder_put(checksum, CHECKSUM, crc);
    FilePart parts[] = {{head->text, head->length}, {file->data, file->data_bytes}, {checksum, CHECKSUM}};
    return file_write(path, parts, 3);
}

bool rillfile_write(const char *path, const RillFile *file)
{
    StrBuf head = STRBUF_EMPTY;
    if (!check_limits(file)) {
        return error_prefix("cannot write '%s'", path);
    }
    bool ok = write_file(path, file, &head);
    strbuf_free(&head);
    return ok;
}
