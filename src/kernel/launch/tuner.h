/* Measures the choices of gpu/context/tuning_choices.h with typical kernels. */
#ifndef RILL_KERNEL_LAUNCH_TUNER_H
#define RILL_KERNEL_LAUNCH_TUNER_H

#include "gpu/context/device.h"

/* Measures all choices that RILL_TUNE does not force, uses the fastest values from now on, and
 * stores them on disk. This takes about half a second. If a launch fails, the defaults stay and
 * nothing is stored. If the device is so slow that the measurement would take seconds, the defaults
 * are stored. */
void tuner_run(Device *device);

#endif
