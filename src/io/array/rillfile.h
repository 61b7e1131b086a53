/* .rill: one array of packed elements with its type, structures included, and in version 2 the container that they are of. All numbers are little-endian; a string is its
 * length (2 bytes) and that many characters.
 *
 *   offset  bytes  content
 *        0      8  89 'R' 'I' 'L' 'L' 0D 0A 1A
 *        8      4  version, 1; 2 of a container
 *       12      4  H, the length of the description
 *       16      H  the description:
 *                    structures (2), each before those it is part of: name (string), number of fields (2), and each
 *                      field's name (string), type (string, "" for a structure) and structure (2: 0 none, else
 *                      its number in this list, from 1)
 *                    the element's type (string) and structure (2), in the same way
 *                    bytes per element (4)
 *                    rank, 1 to 8 (2), and that many sizes (8 each), the last dimension fastest
 *                    of a container its kind (string), rank, 1 to 8 (2), that many sizes (8 each) and sizes of a page (8 each), levels
 *                      of the page table (2), capacity (8), and how many ints (8) that follow (4 each): see container/serialize.h
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
    int structure;            /* 0, or the structure's number from 1 */
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
        char kind[RILLFILE_NAME]; /* "": none */
        int rank, levels;
        int64_t size[RILLFILE_RANK], page[RILLFILE_RANK], capacity;
        int32_t *numbers; /* owned */
        size_t number_count;
    } container;
} RillFile;

/* Adds a structure without fields; its number, or 0 with error_set. */
int rillfile_add_struct(RillFile *file, const char *name);
/* Adds a field to structure `number`; `structure` as in RillField. */
bool rillfile_add_field(RillFile *file, int number, const char *name, const char *type, int structure);

/* Whether a file is there whose beginning says that it holds a container; false without an error. */
bool rillfile_is_container(const char *path);
/* Whether the content begins as the format does. */
bool rillfile_recognise(const unsigned char *bytes, size_t size);
/* Reads from memory and checks everything but whether the types exist and have `element_bytes`. Release with rillfile_free. */
bool rillfile_decode(const unsigned char *bytes, size_t size, RillFile *file);
/* Writes the file (see file_write). */
bool rillfile_write(const char *path, const RillFile *file);
void rillfile_free(RillFile *file);

#endif
