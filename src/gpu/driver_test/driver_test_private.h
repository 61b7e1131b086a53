/* What the files of the trial share. */
#ifndef RILL_GPU_DRIVER_TEST_DRIVER_TEST_PRIVATE_H
#define RILL_GPU_DRIVER_TEST_DRIVER_TEST_PRIVATE_H

#include "base/error.h"
#include "base/strbuf.h"
#include "gpu/driver_test/driver_test.h"

/* A line that says what differs, or that all is right where `format` is NULL. */
void driver_test_note(DriverTest *trial, const char *name, DriverTestVerdict verdict, const char *format, ...)
    ERROR_PRINTF(4, 5);

/* driver_test_arithmetic.c */
bool driver_test_arithmetic(Device *device, DriverTest *trial);

/* record.c: measures kept on disk, by a key of the driver's version and of what changes its ways. */
#define TUNING_ENDING "-tuning"
enum { DRIVER_TEST_RECORD_ROOM = 2048 };
uint64_t driver_test_key(const Device *device);
/* Reads the text of a record whose checksum is correct; false for anything else. Writes one, with its checksum, in one step. */
bool driver_test_read(uint64_t key, const char *ending, char text[DRIVER_TEST_RECORD_ROOM]);
void driver_test_write(uint64_t key, const char *ending, StrBuf *text);
bool driver_test_recall(uint64_t key, DriverTestMeasures *measures);
void driver_test_keep(uint64_t key, const Device *device, const DriverTestMeasures *measures);

/* A mark that stands while a driver is tried, and counts the processes that died in it. */
typedef struct DriverTestMark {
    int file; /* -1: none could be made */
    char path[1024];
} DriverTestMark;
/* False with error_set where several in a row left it behind, the last not long ago. */
bool driver_test_mark(uint64_t key, const Device *device, DriverTestMark *mark);
void driver_test_unmark(DriverTestMark *mark);

#endif
