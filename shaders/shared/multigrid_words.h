// Words of multigrid.comp's parameters, for C, GLSL and Lua (operations/multigrid.c).
#define MULTIGRID_P_WIDTH 0 // elements of the grid
#define MULTIGRID_P_HEIGHT 1
#define MULTIGRID_P_PITCH 2        // texels of a row of floats in memory
#define MULTIGRID_P_COARSE_WIDTH 3 // of the next grid
#define MULTIGRID_P_COARSE_HEIGHT 4
#define MULTIGRID_P_COARSE_PITCH 5
#define MULTIGRID_P_SCALE 6     // factor of the residual passed to the next grid
#define MULTIGRID_P_AROUND 7    // width of the halo to compute
#define MULTIGRID_P_DOWN 8      // ratio x y, offset x y: position of the next grid's elements in this grid
#define MULTIGRID_P_UP 12       // ratio x y, offset x y: position of this grid's elements in the next grid
#define MULTIGRID_P_SIDES 16    // coefficients of the neighbors along x and along y in A, whose diagonal is 1
#define MULTIGRID_P_STEPS 18    // the two steps of smoothing
#define MULTIGRID_P_BOUNDARY 20 // along x, along y
#define MULTIGRID_P_WEIGHT 22   // weights of the result, and of the previous content
#define MULTIGRID_P_KEEP 23
#define MULTIGRID_P_CENTER 24       // two words of a double each: the diagonal of A
#define MULTIGRID_P_NEIGHBORS 26   // coefficients of the neighbors along x and along y
#define MULTIGRID_P_FACTOR 30       // factor of the correction
#define MULTIGRID_P_VECTORS 8
// Boundary conditions
#define MULTIGRID_DIRICHLET 0
#define MULTIGRID_NEUMANN 1
#define MULTIGRID_PERIODIC 2
// Width of a grid's halo: how far kernels access it, and how much memory it has
#define MULTIGRID_REACH 3
#define MULTIGRID_MARGIN 4
