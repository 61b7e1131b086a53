// Words of the parameters of spmv.comp and spmv_slice.comp, for C and for GLSL.
#define SPMV_P_ROWS 0
#define SPMV_P_WIDTH 1   // columns of X and Y; 1: vectors
#define SPMV_P_BLOCKS 2  // groups of four columns
#define SPMV_P_OFFSETS 3 // first words of the streams
#define SPMV_P_COLUMNS 4
#define SPMV_P_VALUES 5
#define SPMV_P_X 6
#define SPMV_P_Y 7
#define SPMV_P_X_LAST 8 // the last row of X
#define SPMV_P_PLACES 9 // ELL: positions of a row
#define SPMV_P_PITCH 10 // ELL: texels from one position of all rows to the next
#define SPMV_P_ORDER 11 // slices: first word of the rows' indices
#define SPMV_P_LIST 10  // a list, not with ELL: its first word
#define SPMV_P_LISTED 9 // slices: length of the list
#define SPMV_P_FIRST 9  // spmv_slice.comp: where the positions of slices begin
#define SPMV_P_PIECES 9  // long rows: number of pieces; their first texel is in the word of the list
#define SPMV_P_LIMIT 11  // long rows: entries of the longest row that is not divided into pieces
#define SPMV_P_DOTS 11 // products x'y of vectors: the first of the groups' sums
#define SPMV_P_STOP 2  // products x'y of vectors: the double that must be 0, or no row is multiplied
#define SPMV_P_VECTORS 3
#define SPMV_SLICE 32 // rows of a slice
#define SPMV_PIECE_LANES 32 // invocations that process a piece of a long row
