/* The vectors' part of conjugate gradients (Hestenes and Stiefel 1952): fused updates and sums whose scalars stay on the device. */
#ifndef RILL_LINALG_CG_H
#define RILL_LINALG_CG_H

#include "stream/stream.h"

/* Streams of float or double, one type and length, each at the beginning of its buffer; what fills the last texel (16 bytes) is 0. */
typedef struct CgVectors {
    Stream *x, *r, *p, *best; /* best: x of the least r, once iterations leave it */
    const Stream *q;          /* A p */
    const Stream *z;          /* NULL: r itself. `jacobi`: the inverse diagonal; else what a preconditioner made of r */
    bool jacobi;
} CgVectors;

/* Carries out phases (CG_DOT ... of cg_words.h) in order. `state` holds CG_PARTIALS + 3 * CG_MOST_GROUPS doubles, of which a begin sets those before CG_PARTIALS and the
 * first part of each sum, the rest being 0. Once p'q is not positive, r'r is at most `least`, or
 * grew by CG_GROWTH_FLOAT or CG_GROWTH_DOUBLE, later iterations change nothing. CG_RESTORE makes x `best` where r'r is more than `least` times the least r'r. No allocation,
 * no reading back. */
bool cg_advance(const CgVectors *v, Stream *state, int phases, double least);

#endif
