/* Half cycles of multigrid on grids of floats in two dimensions, each in one launch, and the step of x after a cycle. */
#ifndef RILL_LINALG_MULTIGRID_H
#define RILL_LINALG_MULTIGRID_H

#include "shared/multigrid_words.h"
#include "stream/stream.h"

#include <stdint.h>

/* What is read, and what is written.
 * MARGIN: what is around a grid of floats or doubles, of its elements: none; the grid.
 * DOWN: from b to the next grid's: b; the next grid's b.
 * UP: to the correction d, of this grid's b and the next grid's correction: b, the next grid's correction, d; d.
 * STEP: x and d, b in double without a margin in rows of whole texels; the new x, its residual, the sums of the residual's squares for each
 * four columns of each MULTIGRID_LEAST_ROWS rows or more, in double. x is of floats or doubles. */
typedef enum MultigridPart {
    MULTIGRID_PART_MARGIN,
    MULTIGRID_PART_DOWN,
    MULTIGRID_PART_UP,
    MULTIGRID_PART_STEP,
    MULTIGRID_PARTS
} MultigridPart;

enum {
    MULTIGRID_STREAMS = 3, /* that a launch reads or writes at most */
    MULTIGRID_LEAST_ROWS = 16
}; /* that an invocation writes */

typedef struct MultigridLaunch {
    uint32_t params[4 * MULTIGRID_P_VECTORS]; /* the words of multigrid_words.h, of MARGIN for the grid itself */
    const Stream *read[MULTIGRID_STREAMS];
    Stream *written[MULTIGRID_STREAMS];
} MultigridLaunch;

/* How many streams a part reads. */
int multigrid_reads(MultigridPart part);
/* How many it writes. */
int multigrid_writes(MultigridPart part);

/* Grids at the beginning of their buffers each: rows of whole texels and rows above and below, as shaders/multigrid.comp has them. No
 * allocation, no reading back. */
bool multigrid_launch(MultigridPart part, const MultigridLaunch *launch);

#endif
