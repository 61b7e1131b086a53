/* Declarations shared by the files of the driver test. */
#ifndef RILL_GPU_DRIVER_TEST_DRIVER_TEST_PRIVATE_H
#define RILL_GPU_DRIVER_TEST_DRIVER_TEST_PRIVATE_H

#include "base/error.h"
#include "base/strbuf.h"
#include "gpu/driver_test/driver_test.h"

/* Adds a line with the formatted difference. format NULL: there is no difference. */
void driver_test_note(DriverTest *test, const char *name, DriverTestVerdict verdict, const char *format, ...)
    ERROR_PRINTF(4, 5);

/* Tests elementary operations (arithmetic.c). Returns false with error_set if the test cannot run. */
bool driver_test_arithmetic(Device *device, DriverTest *test);

/* record.c: keeps measures on disk. The key identifies the driver's version and everything that may change its
 * results. */
#define TUNING_ENDING "-tuning"
enum { DRIVER_TEST_RECORD_ROOM = 2048 };
/* Computes the key of a device's driver. */
uint64_t driver_test_key(const Device *device);
/* Reads the text of a record. Returns false, without an error, if there is none or its checksum is incorrect. */
bool driver_test_read(uint64_t key, const char *ending, char text[DRIVER_TEST_RECORD_ROOM]);
/* Writes a record with its checksum, atomically. */
void driver_test_write(uint64_t key, const char *ending, StrBuf *text);
/* Reads the measures of a driver. Returns false if there is no record. */
bool driver_test_recall(uint64_t key, DriverTestMeasures *measures);
/* Writes the measures of a driver. */
void driver_test_keep(uint64_t key, const Device *device, const DriverTestMeasures *measures);

/* A marker file that exists while a driver is tested. It counts the processes that ended during the test. */
typedef struct DriverTestMark {
    int file; /* -1: could not be created */
    char path[1024];
} DriverTestMark;
/* Creates the marker. Returns false with error_set if several processes in a row ended during the
 * test, the last one recently. */
bool driver_test_mark(uint64_t key, const Device *device, DriverTestMark *mark);
/* Removes the marker. */
void driver_test_unmark(DriverTestMark *mark);

#endif
