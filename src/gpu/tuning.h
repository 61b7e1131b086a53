/* Measures the choices of gpu/context/tuning_choices.h. */
#ifndef RILL_GPU_TUNING_H
#define RILL_GPU_TUNING_H

#include "gpu/context/device.h"

/* Chooses the values of all choices. Returns false with error_set if RILL_TUNE is invalid. */
bool tuning_look_up(Device *device);
/* Returns whether the device must be measured before it is used: it can be measured and there is no record. */
bool tuning_due(const Device *device);
/* Returns whether the device can be measured. */
bool tuning_possible(const Device *device);
/* Returns the source and the times of a choice. */
const TuningResult *tuning_result(const Device *device, TuningId id);

/* Prepares a measurement: resets the choices that RILL_TUNE does not force to their defaults, and suspends
 * traces, dumps and profiles. */
void tuning_begin(Device *device);
/* Uses a value from now on. Programs that exist keep the values with which they were made. */
void tuning_use(Device *device, TuningId id, int value);
/* Records the times of one choice; seconds[k] is the time with values[k]. */
void tuning_note(Device *device, TuningId id, const double seconds[TUNING_VALUES]);
/* Ends a measurement. Writes the record if `complete` is set. If the device had no buffers before the measurement,
 * frees the pool and the staging memory that the measurement left. */
void tuning_end(Device *device, bool complete);

#endif
