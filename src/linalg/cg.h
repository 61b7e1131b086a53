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

/* Small sparse matrices: whole iterations in a launch of one work group, many at a time, where a launch takes as long as an
 * iteration's arithmetic or longer. */

/* A system: the matrix in slices of rows in their order (spmv.h), or tiled, in values that iterations work with and in values that the residual is computed
 * with. Dense streams, the matrix's from a whole texel on. Tiles have four rows and four columns; `columns` has the number of four columns for each,
 * and `values` its columns, four rows each, all at one place of a slice side by side; behind `begins`
 * stands which quad of rows is which (lua/rill/sparse/tiles.lua). */
typedef struct CgGroup {
    const Stream *begins; /* of slices, and the end */
    const Stream *columns, *values, *wide_values;
    Stream *work; /* of cg_group_room doubles */
    Stream *x;    /* float or double */
    const Stream *b;
    const Stream *m; /* the inverse diagonal, of the iterations' type; NULL: no preconditioner */
    bool wide;       /* iterations are in double */
    bool tiled;
} CgGroup;

/* Numbers of a launch: see cg_group_words.h. */
typedef struct CgGroupStep {
    int phases, steps, most;
    double goal, scale, factor;
} CgGroupStep;

/* How many doubles of work there are for so many rows. */
int64_t cg_group_room(int64_t rows, bool wide);
/* How many iterations a launch may have, of a matrix of so many places in all slices (a place is SPMV_SLICE entries, or as
 * many in each of four columns); 0: there is no way on this device, or other ways are faster. `entries`: of the matrix, without filling. */
int cg_group_steps(const Device *device, int64_t rows, int64_t places, int64_t entries, bool tiled);
/* Carries out the phases (CG_GROUP_START ... of cg_group_words.h) in order. Nothing is read back or allocated. */
bool cg_group_run(const CgGroup *g, const CgGroupStep *step);

#endif
