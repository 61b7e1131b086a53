// Words of cg.comp's parameters, its phases, and the numbers that it keeps, for C, GLSL and Lua
// (operations/cg.c).
#define CG_P_TEXELS 0 // of each vector
#define CG_P_CHUNK 1  // texels per group
#define CG_P_GROUPS 2
#define CG_P_PHASES 3
#define CG_P_LEAST 4 // two words: the square of the residual at which to stop, divided by CG_SCALE; for CG_RESTORE the square of the growth allowed
#define CG_P_DOTS 6  // number of sums of p'q
#define CG_P_VECTORS 2
// Phases of an iteration
#define CG_DOT 1       // p'q
#define CG_RESIDUAL 2  // r -= alpha q; r'r and r'z
#define CG_DIRECTION 4 // x += alpha p; p = z + beta p
#define CG_RESTORE 8   // restores the x with the least residual, if the residual exceeds it by more than the growth allowed
#define CG_RELATIVE 16 // with CG_DIRECTION: sets CG_SCALE to r'r
// Doubles kept between launches
#define CG_RZ 0
#define CG_RZ_BEFORE 1
#define CG_ALPHA 2
#define CG_STATE 3  // after a whole iteration
#define CG_MIDDLE 4 // after p'q
#define CG_COUNT 5  // iterations done
#define CG_RR 6
#define CG_PQ 7
#define CG_BEST 8 // the least r'r
#define CG_BEST_RZ 9
#define CG_RR_BEFORE 10 // the values before the iteration, since its last dispatch overwrites them
#define CG_BEST_BEFORE 11
#define CG_BEST_RZ_BEFORE 12
#define CG_SCALE 13
#define CG_PARTIALS 14 // here begin the groups' sums: CG_MOST_GROUPS of r'r, as many of r'z, and all of p'q
#define CG_MOST_GROUPS 1024
#define CG_SUM_RR 0
#define CG_SUM_RZ 1
#define CG_SUM_PQ 2
// States
#define CG_RUNNING 0.0
#define CG_CONVERGED 1.0
#define CG_INDEFINITE 2.0 // p'A p is not positive
#define CG_UNEVEN 3.0     // r'z is not positive: the preconditioner is not positive definite
#define CG_NO_NUMBER 4.0
#define CG_GROWN 5.0 // r'r and r'z exceed their least values so much that A is singular to working precision, or not positive definite
// Factors: r'r grows by at most the condition number of A, r'z by at most that of the
// preconditioned matrix. 1 / rounding error of float and of double.
#define CG_GROWTH_FLOAT 16777216.0          // 2^24
#define CG_GROWTH_DOUBLE 4503599627370496.0lf // 2^52
#define CG_GROWTH_ALLOWED 1000 // allowed growth of the residual while iterations remain, as conjugate gradients approach x meanwhile
