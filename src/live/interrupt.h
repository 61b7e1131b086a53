/* Ctrl-C while a view is open. */
#ifndef RILL_LIVE_INTERRUPT_H
#define RILL_LIVE_INTERRUPT_H

#include <stdbool.h>

/* Begins to count Ctrl-C: the first one has no other effect, further ones have the effect that they had before. */
void interrupt_watch(void);
/* Ends what interrupt_watch began. */
void interrupt_unwatch(void);
/* Returns whether Ctrl-C was pressed. */
bool interrupt_pending(void);

#endif
