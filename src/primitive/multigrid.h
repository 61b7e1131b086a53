/* Half cycles of multigrid on grids of floats in two dimensions, each in one launch. */
#ifndef RILL_MULTIGRID_H
#define RILL_MULTIGRID_H

#include "shared/multigrid_words.h"
#include "stream/stream.h"

#include <stdint.h>

/* MARGIN: what is around `result`, of its elements. DOWN: from b to the next grid's b, `result`. UP: from b and the next grid's correction e
 * to `result`. */
typedef enum MultigridPart { MULTIGRID_PART_MARGIN, MULTIGRID_PART_DOWN, MULTIGRID_PART_UP } MultigridPart;

/* The words of multigrid_words.h for the finer grid, of MARGIN for the grid itself. Grids of floats, each at the beginning of its buffer:
 * rows of whole texels and rows above and below, as shaders/multigrid.comp has them. b and e are NULL where they are not needed. No
 * allocation, no reading back. */
bool multigrid_launch(MultigridPart part, const uint32_t params[4 * MULTIGRID_P_VECTORS], const Stream *b,
                      const Stream *e, Stream *result);

#endif
