// Words of transpose.comp's parameters, for C and for GLSL. Rows and columns are in elements.
// Positions in memory are in units: words or texels.
#define TRANSPOSE_P_NX 0
#define TRANSPOSE_P_NY 1
#define TRANSPOSE_P_TILES_X 2
#define TRANSPOSE_P_TILES_Y 3
#define TRANSPOSE_P_FROM_X 4 // stride along x in the source
#define TRANSPOSE_P_TO_Y 5   // stride along y in the target
#define TRANSPOSE_P_PLANES 6
#define TRANSPOSE_P_RANK 7 // dimensions of the planes
#define TRANSPOSE_P_FROM_BASE 8
#define TRANSPOSE_P_TO_BASE 9
#define TRANSPOSE_P_DIMENSIONS 3 // here begins a vector for each dimension of the planes: its size, the strides of the source and of the target
#define TRANSPOSE_P_VECTORS 10
