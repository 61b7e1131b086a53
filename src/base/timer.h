/* A clock for measurements. */
#ifndef RILL_BASE_TIMER_H
#define RILL_BASE_TIMER_H

/* Returns the time of a monotonic clock in seconds. */
double timer_clock(void);

#endif
