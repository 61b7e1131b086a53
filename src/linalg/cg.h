/* The vector operations of conjugate gradients (Hestenes and Stiefel 1952): fused updates and sums whose scalars stay
 * on the device. */
#ifndef RILL_LINALG_CG_H
#define RILL_LINALG_CG_H

#include "stream/stream.h"

/* Streams of one type (float or double) and one length. Each begins at the start of its buffer, and the padding of
 * the last texel (16 bytes) is 0. */
typedef struct CgVectors {
    Stream *x, *r, *p, *best; /* best: the x with the smallest r so far, once later iterations are worse */
    const Stream *q;          /* A p */
    const Stream *z;          /* NULL: z = r. With `jacobi` the inverse diagonal; else the preconditioned residual */
    bool jacobi;
    int64_t dots; /* number of sums of p'q that the product stored from CG_SUM_PQ on (spmv.h); 0: CG_DOT stores them */
} CgVectors;

/* Runs the phases (CG_DOT ... of cg_words.h, a bit mask) in order. `state` holds CG_PARTIALS + 2 * CG_MOST_GROUPS
 * doubles, and then CG_MOST_GROUPS or, if more, v->dots. The caller initializes the doubles before CG_PARTIALS and the
 * first part of the sums r'r and r'z, and sets the others to 0. After p'q was not positive, r'r was at most `least` times
 * CG_SCALE, or r'r grew by the factor CG_GROWTH_FLOAT or CG_GROWTH_DOUBLE, further iterations have no effect. CG_RESTORE sets x to `best` if r'r is more than `least` times
 * the smallest r'r. Allocates nothing and reads nothing back. */
bool cg_advance(const CgVectors *v, Stream *state, int phases, double least);

/* Small sparse matrices: one work group runs many whole iterations in one launch. This pays if a launch takes as long
 * as the arithmetic of an iteration, or longer. */

/* A system of equations. The matrix is stored as slices of rows in their original order (spmv.h) or as tiles, with two
 * sets of values: one for the iterations and one for the residual. All streams are dense. The streams of the matrix
 * begin at a whole texel. A tile has four rows and four columns. With tiles, `columns` has the index of the group of
 * four columns for each tile, and `values` the columns of the tile, four rows each, with the same slot of all quads
 * (groups of four rows) of a slice adjacent. The order of the quads is stored in `begins` after the first slots of the
 * slices (lua/rill/sparse/tiles.lua). */
typedef struct CgGroup {
    const Stream *begins; /* first slot of each slice, and the end */
    const Stream *columns, *values, *wide_values;
    Stream *work; /* cg_group_room doubles */
    Stream *x;    /* float or double */
    const Stream *b;
    const Stream *m; /* the inverse diagonal, in the type of the iterations; NULL: no preconditioner */
    bool wide;       /* the iterations are in double */
    bool tiled;
} CgGroup;

/* The parameters of a launch; cg_group_words.h describes them. */
typedef struct CgGroupStep {
    int phases, steps, most;
    double goal, scale, factor;
} CgGroupStep;

/* Returns the number of doubles of CgGroup.work for a number of rows. */
int64_t cg_group_room(int64_t rows, bool wide);
/* Returns the largest number of iterations of one launch, or 0 if the device does not support it or another method is
 * faster. `places` is the number of slots of all slices; a slot has SPMV_SLICE entries, or with tiles SPMV_SLICE
 * entries in each of four columns. `entries` is the number of entries of the matrix without padding. */
int cg_group_steps(const Device *device, int64_t rows, int64_t places, int64_t entries, bool tiled);
/* Runs the phases (CG_GROUP_START ... of cg_group_words.h, a bit mask) in order. Reads nothing back. Allocates only a
 * copy of b if b is not contiguous and the phases include CG_GROUP_START. */
bool cg_group_run(const CgGroup *g, const CgGroupStep *step);

#endif
