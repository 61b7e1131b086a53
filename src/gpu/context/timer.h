/* Clocks. */
#ifndef RILL_TIMER_H
#define RILL_TIMER_H

/* Monotonic wall clock, seconds. */
double timer_clock(void);

#endif
