#include "io/array/npz.h"

#include "base/array.h"
#include "io/byteorder.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* The records of a ZIP archive (PKWARE, APPNOTE.TXT, sections 4.3 and 4.5): their sizes and signatures. */
enum { LOCAL = 30, CENTRAL = 46, END = 22, LOCATOR = 20, END64 = 56, COMMENT = 65535 };
static const uint32_t local_sign = 0x04034b50, central_sign = 0x02014b50, end_sign = 0x06054b50;
static const uint32_t locator_sign = 0x07064b50, end64_sign = 0x06064b50;

enum { STORED = 0, DEFLATED = 8, UTF8_NAMES = 1 << 11, VERSION = 20, DATE = 1 << 5 | 1 /* 1980-01-01 */ };

/* Deflate stores at most 258 bytes in two bits. */
enum { MOST_RATIO = 1032 };

/* The part of an archive that lists its files. */
typedef struct Directory {
    uint64_t count, size, offset;
} Directory;

bool npz_recognize(const unsigned char *bytes, size_t size)
{
    return size >= 4 && (byteorder_get(bytes, 4) == local_sign || (size >= END && byteorder_get(bytes, 4) == end_sign));
}

static bool damaged(void)
{
    return error_set("the archive is damaged: its directory does not match its size");
}

/* Finds the record at the end of the archive, which a comment may follow. Returns NULL if there is none. */
static const unsigned char *find_end(const unsigned char *bytes, size_t size)
{
    for (size_t from = END; from <= size && from <= END + COMMENT; from++) {
        const unsigned char *at = bytes + size - from;
        if (byteorder_get(at, 4) == end_sign && byteorder_get(at + 20, 2) == from - END) {
            return at;
        }
    }
    return NULL;
}

/* Replaces the sizes by those of the ZIP64 record, if there is one. */
static bool read_end64(const unsigned char *bytes, const unsigned char *end, Directory *directory)
{
    size_t before = (size_t)(end - bytes);
    if (before < LOCATOR || byteorder_get(end - LOCATOR, 4) != locator_sign) {
        return true;
    }
    uint64_t offset = byteorder_get(end - LOCATOR + 8, 8);
    if (before - LOCATOR < END64 || offset > before - LOCATOR - END64 ||
        byteorder_get(bytes + offset, 4) != end64_sign) {
        return damaged();
    }
    const unsigned char *at = bytes + offset;
    *directory = (Directory){
        .count = byteorder_get(at + 32, 8), .size = byteorder_get(at + 40, 8), .offset = byteorder_get(at + 48, 8)};
    return true;
}

/* Finds the 8-byte numbers that replace those numbers of a central record that are 0xffffffff: the size, the packed size
 * and the offset. */
static bool read_extra(const unsigned char *extra, size_t length, uint64_t *const numbers[3])
{
    while (length >= 4) {
        size_t size = byteorder_get(extra + 2, 2), used = 4;
        if (size > length - 4) {
            return damaged();
        }
        for (int i = 0; i < 3 && byteorder_get(extra, 2) == 1; i++) {
            if (*numbers[i] == UINT32_MAX) {
                if (used + 8 > size + 4) {
                    return damaged();
                }
                *numbers[i] = byteorder_get(extra + used, 8);
                used += 8;
            }
        }
        extra += size + 4;
        length -= size + 4;
    }
    return true;
}

/* Finds the contents of a file after its local record. */
static bool find_data(const unsigned char *bytes, size_t size, uint64_t offset, NpzEntry *entry)
{
    if (offset > size || size - offset < LOCAL || byteorder_get(bytes + offset, 4) != local_sign) {
        return damaged();
    }
    size_t start =
        (size_t)offset + LOCAL + byteorder_get(bytes + offset + 26, 2) + byteorder_get(bytes + offset + 28, 2);
    if (start > size || entry->packed > size - start) {
        return damaged();
    }
    entry->data = bytes + start;
    return true;
}

static bool refuse_entry(const NpzEntry *entry, const char *why)
{
    return error_set("array '%.*s' %s", entry->name_length < 64 ? (int)entry->name_length : 64, entry->name, why);
}

/* Reads a central record at position `at`, and sets *length to its length. Adds the file to the list if it is an
 * array. */
static bool read_central(NpzFile *file, const unsigned char *bytes, size_t size, size_t at, size_t *length)
{
    const unsigned char *record = bytes + at;
    if (size - at < CENTRAL || byteorder_get(record, 4) != central_sign) {
        return damaged();
    }
    size_t name = byteorder_get(record + 28, 2), extra = byteorder_get(record + 30, 2);
    uint64_t packed = byteorder_get(record + 20, 4), whole = byteorder_get(record + 24, 4);
    uint64_t offset = byteorder_get(record + 42, 4), method = byteorder_get(record + 10, 2);
    *length = CENTRAL + name + extra + byteorder_get(record + 32, 2);
    if (size - at < *length || !read_extra(record + CENTRAL + name, extra, (uint64_t *[]){&whole, &packed, &offset})) {
        return size - at < *length ? damaged() : false;
    }
    NpzEntry entry = {.name = (const char *)record + CENTRAL,
                      .name_length = name,
                      .packed = packed,
                      .size = whole,
                      .crc = (uint32_t)byteorder_get(record + 16, 4),
                      .deflated = method == DEFLATED};
    if (name < 4 || memcmp(entry.name + name - 4, ".npy", 4) != 0) {
        return true;
    }
    entry.name_length -= 4;
    if (byteorder_get(record + 8, 2) & 1) {
        return refuse_entry(&entry, "is encrypted");
    }
    if (method != STORED && method != DEFLATED) {
        return refuse_entry(&entry, "is compressed by a method other than deflate");
    }
    if (!find_data(bytes, size, offset, &entry)) {
        return false;
    }
    if (method == STORED ? whole != packed : whole / MOST_RATIO > packed + 1) {
        return damaged();
    }
    if (!ARRAY_ROOM(file)) {
        return false;
    }
    file->items[file->count++] = entry;
    return true;
}

bool npz_open(NpzFile *file, const unsigned char *bytes, size_t size)
{
    const unsigned char *end = find_end(bytes, size);
    size_t packed = 0;
    *file = (NpzFile){0};
    if (!end) {
        return error_set("the archive is truncated: it has no directory");
    }
    Directory directory = {
        .count = byteorder_get(end + 10, 2), .size = byteorder_get(end + 12, 4), .offset = byteorder_get(end + 16, 4)};
    if (!read_end64(bytes, end, &directory)) {
        return false;
    }
    if (directory.offset > size || directory.size > size - directory.offset) {
        return damaged();
    }
    size_t at = (size_t)directory.offset, stop = at + (size_t)directory.size, length;
    for (uint64_t i = 0; i < directory.count; i++, at += length) {
        if (!read_central(file, bytes, stop, at, &length)) {
            return false;
        }
    }
    for (size_t i = 0; i < file->count; i++) {
        packed += file->items[i].packed;
        if (packed > size) {
            return error_set("the archive is damaged: its files overlap");
        }
    }
    return true;
}

void npz_close(NpzFile *file)
{
    free(file->items);
    *file = (NpzFile){0};
}

/* Inflates the contents of an entry. `bytes` has room for one byte more, so that a longer content is noticed. */
static bool inflate_all(const NpzEntry *entry, unsigned char *bytes)
{
    z_stream z = {0};
    size_t read = 0, written = 0;
    if (inflateInit2(&z, -MAX_WBITS) != Z_OK) {
        return error_set("out of host memory");
    }
    int status = Z_OK;
    while (status == Z_OK) {
        size_t left = entry->packed - read, room = entry->size + 1 - written;
        z.next_in = (Bytef *)entry->data + read;
        z.avail_in = left < UINT_MAX ? (uInt)left : UINT_MAX;
        z.next_out = bytes + written;
        z.avail_out = room < UINT_MAX ? (uInt)room : UINT_MAX;
        uInt in = z.avail_in, out = z.avail_out;
        status = inflate(&z, Z_NO_FLUSH);
        read += in - z.avail_in;
        written += out - z.avail_out;
    }
    inflateEnd(&z);
    return (status == Z_STREAM_END && written == entry->size) ||
           refuse_entry(entry, "is damaged: it cannot be inflated");
}

static bool decode(const NpzEntry *entry, const unsigned char *bytes, NpyArray *array)
{
    if (crc32_z(0, bytes, entry->size) != entry->crc) {
        return refuse_entry(entry, "is damaged: its checksum is incorrect");
    }
    return npy_decode(bytes, entry->size, array) ||
           error_prefix("array '%.*s'", entry->name_length < 64 ? (int)entry->name_length : 64, entry->name);
}

bool npz_read(const NpzEntry *entry, NpyArray *array)
{
    *array = (NpyArray){0};
    if (!entry->deflated) {
        return decode(entry, entry->data, array);
    }
    unsigned char *bytes = malloc(entry->size + 1);
    if (!bytes) {
        return error_set("out of host memory for %zu bytes", entry->size);
    }
    bool done = inflate_all(entry, bytes) && decode(entry, bytes, array);
    free(bytes);
    return done;
}

/* ---- writing */

bool npz_begin(NpzWriter *writer, const char *path)
{
    *writer = (NpzWriter){.directory = STRBUF_EMPTY};
    return file_draft_open(path, &writer->draft);
}

/* Deflates two pieces of memory. */
static bool deflate_parts(const FilePart parts[2], StrBuf *packed)
{
    unsigned char buffer[1 << 15];
    z_stream z = {0};
    if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        return error_set("out of host memory");
    }
    int status = Z_OK;
    for (int i = 0; i < 2; i++) {
        size_t done = 0;
        do {
            size_t left = parts[i].size - done;
            uInt in = left < UINT_MAX ? (uInt)left : UINT_MAX;
            z.next_in = in > 0 ? (Bytef *)parts[i].data + done : Z_NULL;
            z.avail_in = in;
            do {
                z.next_out = buffer;
                z.avail_out = sizeof buffer;
                status = deflate(&z, i == 1 && in == left ? Z_FINISH : Z_NO_FLUSH);
                strbuf_add_bytes(packed, buffer, sizeof buffer - z.avail_out);
            } while (z.avail_out == 0);
            done += in;
        } while (done < parts[i].size);
    }
    deflateEnd(&z);
    return (status == Z_STREAM_END && !packed->failed) || error_set("out of host memory");
}

/* Fills the fields that the local and the central record share, from the version on. */
static void put_common(unsigned char *to, const NpzEntry *entry)
{
    byteorder_put(to, 2, VERSION);
    byteorder_put(to + 2, 2, UTF8_NAMES);
    byteorder_put(to + 4, 2, entry->deflated ? DEFLATED : STORED);
    byteorder_put(to + 8, 2, DATE);
    byteorder_put(to + 10, 4, entry->crc);
    byteorder_put(to + 14, 4, entry->packed);
    byteorder_put(to + 18, 4, entry->size);
    byteorder_put(to + 22, 2, entry->name_length + 4);
}

static bool write_entry(NpzWriter *writer, const NpzEntry *entry, const FilePart *parts, int count)
{
    unsigned char local[LOCAL] = {0}, central[CENTRAL] = {0};
    size_t offset = writer->draft.size;
    if (offset + entry->packed > UINT32_MAX - (1 << 24) || entry->size >= UINT32_MAX || writer->count >= UINT16_MAX) {
        return error_set("cannot write '%s': its arrays have more than 4 GiB; save them as .npy files",
                         writer->draft.path);
    }
    byteorder_put(local, 4, local_sign);
    put_common(local + 4, entry);
    byteorder_put(central, 4, central_sign);
    byteorder_put(central + 4, 2, VERSION);
    put_common(central + 6, entry);
    byteorder_put(central + 42, 4, offset);
    strbuf_add_bytes(&writer->directory, central, sizeof central);
    strbuf_add_bytes(&writer->directory, entry->name, entry->name_length);
    strbuf_add(&writer->directory, ".npy");
    writer->count++;
    bool done = file_draft_write(&writer->draft, local, sizeof local) &&
                file_draft_write(&writer->draft, entry->name, entry->name_length) &&
                file_draft_write(&writer->draft, ".npy", 4);
    for (int i = 0; i < count && done; i++) {
        done = file_draft_write(&writer->draft, parts[i].data, parts[i].size);
    }
    return done;
}

bool npz_add(NpzWriter *writer, const char *name, const NpyArray *array, bool deflate)
{
    StrBuf start = STRBUF_EMPTY, packed = STRBUF_EMPTY;
    npy_start(array, &start);
    FilePart parts[] = {{strbuf_text(&start), start.length}, {array->data, array->count * npy_kind_bytes(array->kind)}};
    NpzEntry entry = {
        .name = name, .name_length = strlen(name), .size = parts[0].size + parts[1].size, .deflated = deflate};
    entry.crc = (uint32_t)crc32_z(crc32_z(0, parts[0].data, parts[0].size), parts[1].data, parts[1].size);
    entry.packed = entry.size;
    bool done = !start.failed || error_set("out of host memory");
    if (done && deflate) {
        done = deflate_parts(parts, &packed);
        entry.packed = packed.length;
    }
    FilePart whole = {packed.text, packed.length};
    done = done && write_entry(writer, &entry, deflate ? &whole : parts, deflate ? 1 : 2);
    strbuf_free(&start);
    strbuf_free(&packed);
    return done;
}

static bool write_directory(NpzWriter *writer)
{
    unsigned char end[END] = {0};
    size_t offset = writer->draft.size;
    if (writer->directory.failed) {
        return error_set("out of host memory");
    }
    byteorder_put(end, 4, end_sign);
    byteorder_put(end + 8, 2, writer->count);
    byteorder_put(end + 10, 2, writer->count);
    byteorder_put(end + 12, 4, writer->directory.length);
    byteorder_put(end + 16, 4, offset);
    return file_draft_write(&writer->draft, strbuf_text(&writer->directory), writer->directory.length) &&
           file_draft_write(&writer->draft, end, sizeof end);
}

bool npz_end(NpzWriter *writer, bool done)
{
    done = done && write_directory(writer);
    strbuf_free(&writer->directory);
    if (!done) {
        file_draft_discard(&writer->draft);
        return false;
    }
    return file_draft_commit(&writer->draft);
}
