/* The parts of a multigrid cycle on two-dimensional grids of floats. Each part takes one launch. */
#ifndef RILL_LINALG_MULTIGRID_H
#define RILL_LINALG_MULTIGRID_H

#include "shared/multigrid_words.h"
#include "stream/stream.h"

#include <stdint.h>

/* The parts, with the streams that they read and write. MARGIN: fills the halo around a grid of floats or doubles from
 * its elements. Reads nothing else; writes the grid. DOWN: smooths and restricts. Reads b; writes b of the next grid.
 * UP: computes the correction d of this grid. Reads b, the correction of the next grid and d; writes d. STEP: adds the
 * correction to x. Reads x, d, and b. Here b is in double, without a halo, in rows of whole texels. Writes the new x
 * (float or double), its residual, and the sums of the residual's squares, in double. Each sum covers four columns and
 * at least MULTIGRID_LEAST_ROWS rows. TAIL, on the family gpu:
 * computes the correction of a small grid through all coarser grids, of floats or doubles. Reads b, the words of the
 * grids (multigrid_words.h) and the inverse of the matrix of the last grid; writes x. On the family gpu no part reads
 * the halo in memory, so that MARGIN is not needed. */
typedef enum MultigridPart {
    MULTIGRID_PART_MARGIN,
    MULTIGRID_PART_DOWN,
    MULTIGRID_PART_UP,
    MULTIGRID_PART_STEP,
    MULTIGRID_PART_TAIL,
    MULTIGRID_PARTS
} MultigridPart;

enum {
    MULTIGRID_STREAMS = 3,    /* largest number of streams that a launch reads or writes */
    MULTIGRID_LEAST_ROWS = 16 /* least number of rows that an invocation writes */
};

typedef struct MultigridLaunch {
    uint32_t
        params[4 * MULTIGRID_P_VECTORS]; /* the words of multigrid_words.h; for MARGIN the words of the grid itself */
    const Stream *read[MULTIGRID_STREAMS];
    Stream *written[MULTIGRID_STREAMS];
} MultigridLaunch;

/* Returns the number of streams that a part reads. */
int multigrid_reads(MultigridPart part);
/* Returns the number of streams that a part writes. */
int multigrid_writes(MultigridPart part);

/* Launches a part. Each grid begins at the start of its buffer: rows of whole texels, with rows above and below, as
 * shaders/multigrid.comp describes. Allocates nothing and reads nothing back. */
bool multigrid_launch(MultigridPart part, const MultigridLaunch *launch);

#endif
