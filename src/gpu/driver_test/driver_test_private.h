/* What the files of the trial share. */
#ifndef RILL_TRIAL_PRIVATE_H
#define RILL_TRIAL_PRIVATE_H

#include "base/error.h"
#include "base/strbuf.h"
#include "gpu/driver_test/driver_test.h"

/* A line that says what differs, or that all is right where `format` is NULL. */
void trial_note(Trial *trial, const char *name, TrialVerdict verdict, const char *format, ...) ERROR_PRINTF(4, 5);

/* trial_arithmetic.c */
bool trial_arithmetic(Device *device, Trial *trial);

/* trial_record.c: measures kept on disk, by a key of the driver's version and of what changes its ways. */
#define TUNING_ENDING "-tuning"
enum { TRIAL_RECORD_ROOM = 2048 };
uint64_t trial_key(const Device *device);
/* Reads the text of a record whose checksum is correct; false for anything else. Writes one, with its checksum, in one step. */
bool trial_read(uint64_t key, const char *ending, char text[TRIAL_RECORD_ROOM]);
void trial_write(uint64_t key, const char *ending, StrBuf *text);
bool trial_recall(uint64_t key, TrialMeasures *measures);
void trial_keep(uint64_t key, const Device *device, const TrialMeasures *measures);

/* A mark that stands while a driver is tried, and counts the processes that died in it. */
typedef struct TrialMark {
    int file; /* -1: none could be made */
    char path[1024];
} TrialMark;
/* False with error_set where several in a row left it behind, the last not long ago. */
bool trial_mark(uint64_t key, const Device *device, TrialMark *mark);
void trial_unmark(TrialMark *mark);

#endif
