// Words of gemv.comp's parameters, for C and for GLSL.
#define GEMV_P_COUNT 0  // invocations
#define GEMV_P_ROWS 1   // rows of the matrix
#define GEMV_P_TEXELS 2 // texels of a row
#define GEMV_P_PITCH 3  // texels from row to row
#define GEMV_P_BASE 4   // the matrix's first texel
#define GEMV_P_X_BASE 5 // the vector's first texel
#define GEMV_P_PARTS 6  // along rows: number of lanes that share a row
#define GEMV_P_LENGTH 7 // along columns: rows of a part
#define GEMV_P_VECTORS 2
