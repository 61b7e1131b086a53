/* .rill, rill's format for one array of packed elements with its type, which may be a structure. Version 2 also
 * describes the container that the elements belong to. All numbers are little-endian. A string is its length
 * (2 bytes) and its characters.
 *
 *   offset  bytes  content
 *        0      8  89 'R' 'I' 'L' 'L' 0D 0A 1A
 *        8      4  version: 1, or 2 with a container
 *       12      4  H, the length of the description
 *       16      H  the description:
 *                    number of structures (2), then the structures, each before the ones that contain it:
 *                      name (string), number of fields (2), and for each field: name (string), type (string,
 *                      "" for a structure), structure (2: 0 none, else its 1-based index in this list)
 *                    the element's type (string) and structure (2), as for a field
 *                    bytes per element (4)
 *                    rank, 1 to 8 (2), and the sizes (8 each), last dimension fastest
 *                    version 2: the container's kind (string), rank, 1 to 8 (2), sizes (8 each),
 *                      page sizes (8 each), levels of the page table (2), capacity (8), number of ints (8)
 *                      and the ints (4 each): see container/serialize.h
 *     16+H      N  the elements, packed without padding
 *   16+H+N      4  CRC-32 of everything before it
 *
 * A type is one of rill's names ("vec3", "uint8"). */
#ifndef RILL_IO_ARRAY_RILLFILE_H
#define RILL_IO_ARRAY_RILLFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RILLFILE_NAME = 64, RILLFILE_RANK = 8, RILLFILE_STRUCTS = 256, RILLFILE_FIELDS = 1024 };

typedef struct RillField {
    char name[RILLFILE_NAME]; /* unused for the element */
    char type[RILLFILE_NAME]; /* "" for a structure */
    int structure;            /* 0, or the structure's 1-based index */
} RillField;

typedef struct RillStruct {
    char name[RILLFILE_NAME];
    RillField *items;
    size_t count, capacity;
} RillStruct;

typedef struct RillFile {
    RillStruct *items; /* structure n is items[n - 1] */
    size_t count, capacity;
    RillField element;
    uint32_t element_bytes;
    int rank;
    int64_t size[RILLFILE_RANK];
    void *data; /* owned */
    size_t data_bytes;
    struct {
        char kind[RILLFILE_NAME]; /* "": no container */
        int rank, levels;
        int64_t size[RILLFILE_RANK], page[RILLFILE_RANK], capacity;
        int32_t *numbers; /* owned */
        size_t number_count;
    } container;
} RillFile;

/* Adds a structure without fields. Returns its 1-based index, or 0 with error_set on failure. */
int rillfile_add_struct(RillFile *file, const char *name);
/* Adds a field to structure `number` (1-based). `structure` is as in RillField. Returns false with error_set
 * on failure. */
bool rillfile_add_field(RillFile *file, int number, const char *name, const char *type, int structure);

/* Returns whether a file exists whose header describes a container. Sets no error. */
bool rillfile_is_container(const char *path);
/* Returns whether the content begins with the signature of the format. */
bool rillfile_recognize(const unsigned char *bytes, size_t size);
/* Decodes a file. Release it with rillfile_free. Checks everything except whether the types exist and have
 * `element_bytes`. Returns false with error_set on failure. */
bool rillfile_decode(const unsigned char *bytes, size_t size, RillFile *file);
/* Writes a file (see file_write). Returns false with error_set on failure. */
bool rillfile_write(const char *path, const RillFile *file);
/* Frees the contents. */
void rillfile_free(RillFile *file);

#endif
