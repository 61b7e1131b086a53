// Words of spmv.comp's and spmv_slice.comp's parameters, for C and for GLSL.
#define SPMV_P_ROWS 0
#define SPMV_P_WIDTH 1   // columns of X and Y; 1: vectors
#define SPMV_P_BLOCKS 2  // of four of them
#define SPMV_P_OFFSETS 3 // first words of the streams
#define SPMV_P_COLUMNS 4
#define SPMV_P_VALUES 5
#define SPMV_P_X 6
#define SPMV_P_Y 7
#define SPMV_P_X_LAST 8 // the last row of X
#define SPMV_P_PLACES 9 // ELL: places of a row
#define SPMV_P_PITCH 10 // ELL: texels from one place of all rows to the next
#define SPMV_P_ORDER 11 // slices: first word of the rows' numbers
#define SPMV_P_LIST 10  // a list, not of ELL: its first word
#define SPMV_P_LISTED 9 // slices: how many are listed
#define SPMV_P_FIRST 9  // spmv_slice.comp: where the places of slices begin
#define SPMV_P_VECTORS 3
#define SPMV_SLICE 32 // rows of a slice
