// Words of multigrid.comp's parameters, for C, GLSL and Lua (operations/multigrid.c).
#define MULTIGRID_P_WIDTH 0 // elements of the grid
#define MULTIGRID_P_HEIGHT 1
#define MULTIGRID_P_PITCH 2        // texels of a row of floats in memory
#define MULTIGRID_P_COARSE_WIDTH 3 // of the next grid
#define MULTIGRID_P_COARSE_HEIGHT 4
#define MULTIGRID_P_COARSE_PITCH 5
#define MULTIGRID_P_SCALE 6     // of what goes down
#define MULTIGRID_P_AROUND 7    // how many elements around the grid are made
#define MULTIGRID_P_DOWN 8      // ratio x y, offset x y: where the next grid's elements are in this one's
#define MULTIGRID_P_UP 12       // the reverse
#define MULTIGRID_P_SIDES 16    // what a neighbour along x, along y counts in A, whose diagonal is 1
#define MULTIGRID_P_STEPS 18    // the two of smoothing
#define MULTIGRID_P_BOUNDARY 20 // along x, along y
#define MULTIGRID_P_WEIGHT 22   // of what goes up, and of what stands there already
#define MULTIGRID_P_KEEP 23
#define MULTIGRID_P_CENTER 24       // two words of a double each: A's diagonal
#define MULTIGRID_P_NEIGHBOURS 26   // what a neighbour along x, along y counts
#define MULTIGRID_P_FACTOR 30       // of the correction
#define MULTIGRID_P_VECTORS 8
// Boundaries
#define MULTIGRID_DIRICHLET 0
#define MULTIGRID_NEUMANN 1
#define MULTIGRID_PERIODIC 2
// Elements around a grid in memory: what kernels reach of them, and what there is
#define MULTIGRID_REACH 3
#define MULTIGRID_MARGIN 4
