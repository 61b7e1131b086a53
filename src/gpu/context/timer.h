/* A clock for measurements. */
#ifndef RILL_GPU_CONTEXT_TIMER_H
#define RILL_GPU_CONTEXT_TIMER_H

/* Returns the time of a monotonic clock in seconds. */
double timer_clock(void);

#endif
