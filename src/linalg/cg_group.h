/* Conjugate gradients for small sparse matrices, whole iterations in a launch of one work group, many at a time: where a launch takes as long as an
 * iteration's arithmetic or longer. */
#ifndef RILL_LINALG_CG_GROUP_H
#define RILL_LINALG_CG_GROUP_H

#include "stream/stream.h"

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
