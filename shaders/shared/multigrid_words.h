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
// Words that multigrid_tail.comp uses instead
#define MULTIGRID_P_TAIL_LEVELS 0 // number of grids
#define MULTIGRID_P_TAIL_FIRST 1  // the first element of b and x in their streams
#define MULTIGRID_P_TAIL_PITCH 2  // elements from a row, and from a layer, to the next
#define MULTIGRID_P_TAIL_LAYER 3
#define MULTIGRID_P_TAIL_SIZE 4 // elements of the first grid
// A grid of multigrid_tail.comp: numbers of the type of the grids
#define MULTIGRID_TAIL_SIZES 0 // elements along x, y, z
#define MULTIGRID_TAIL_X 3     // position of x and of b in shared memory; the first grid has no b there
#define MULTIGRID_TAIL_B 4
#define MULTIGRID_TAIL_SCALE 5
#define MULTIGRID_TAIL_STEPS 6     // the two steps of smoothing
#define MULTIGRID_TAIL_SIDES 8     // coefficients of the neighbors along x, y, z in A, whose diagonal is 1
#define MULTIGRID_TAIL_WALLS 11    // added to the diagonal at the edges
#define MULTIGRID_TAIL_DOWN 14     // ratio x y z, offset x y z
#define MULTIGRID_TAIL_UP 20
#define MULTIGRID_TAIL_OPEN 26     // 1 if elements outside count
#define MULTIGRID_TAIL_PERIODIC 29 // 1 if the boundary is periodic
#define MULTIGRID_TAIL_WORDS 32
#define MULTIGRID_TAIL_SIZE 4096   // most elements of the first grid
#define MULTIGRID_TAIL_LEVELS 10   // most grids
#define MULTIGRID_TAIL_BYTES 27648 // shared memory for x and b
// Boundary conditions
#define MULTIGRID_DIRICHLET 0
#define MULTIGRID_NEUMANN 1
#define MULTIGRID_PERIODIC 2
// Width of a grid's halo: how far kernels access it, and how much memory it has
#define MULTIGRID_REACH 3
#define MULTIGRID_MARGIN 4
