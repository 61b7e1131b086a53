/* Clocks. */
#ifndef RILL_GPU_CONTEXT_TIMER_H
#define RILL_GPU_CONTEXT_TIMER_H

/* Monotonic wall clock, seconds. */
double timer_clock(void);

#endif
