// Words of matmul.comp's parameters, for C and for GLSL.
#define MATMUL_P_M 0      // rows of the product
#define MATMUL_P_N 1      // columns
#define MATMUL_P_DEPTH 2  // texels of a row of A
#define MATMUL_P_WIDTH 3  // texels of a row of B
#define MATMUL_P_A_BASE 4 // first texels
#define MATMUL_P_B_BASE 5
#define MATMUL_P_TILES_M 6
#define MATMUL_P_TILES_N 7
#define MATMUL_P_BATCH 8 // products
#define MATMUL_P_RANK 9  // dimensions of the batch
#define MATMUL_P_FROM 10 // the range of texels of A's rows that this dispatch processes
#define MATMUL_P_TO 11
#define MATMUL_P_ALPHA 12 // a factor of the product, in two words where it is a double
#define MATMUL_P_BETA 14  // factor of the previous content of C
#define MATMUL_P_FLAT 16   // family cpu: lanes continue in the next row of tiles and the next product, if a product has few columns
#define MATMUL_P_C_BASE 17 // first element
#define MATMUL_P_PITCH 18  // elements from row to row of C
#define MATMUL_P_K 19         // the number of columns of A
#define MATMUL_P_A_PITCH 20   // texels from line to line of A, and of B
#define MATMUL_P_B_PITCH 21
#define MATMUL_P_BIAS_BASE 22 // first element
#define MATMUL_P_BATCHES 6 // here begins a vector for each dimension of the batch: its size, the strides of A and of B in texels, of C in elements
#define MATMUL_P_VECTORS 12
