// Words of the parameters of fft_pass.comp, fft_group.comp, fft_exchange.comp and fft_real_*.comp, for C and for GLSL. The
// length of a transform is radix times m times stride, see fft_pass.comp. Columns are the units of butterflies,
// in texels if a texel has two elements.
#define FFT_P_COLUMNS 0 // columns of all transforms
#define FFT_P_SPAN 1    // columns of one transform: m times stride
#define FFT_P_SPAN_M 2  // multiplier and shift to divide by it
#define FFT_P_SPAN_S 3
#define FFT_P_STRIDE 4
#define FFT_P_STRIDE_M 5
#define FFT_P_STRIDE_S 6
#define FFT_P_FROM 7 // where the input begins
#define FFT_P_TO 8   // where the output begins
#define FFT_P_SIGN 9 // 1 forwards, -1 backwards, a float
#define FFT_P_SCALE 10 // factor of the results: a float, or the two words of a double
// For fft_group.comp.
#define FFT_P_LENGTH 12  // length of the transforms of a work group: the radix of the pass
#define FFT_P_RADICES 13 // factors of this length, four bits each, the first one lowest
#define FFT_P_WIDTH 14   // columns of a work group
#define FFT_P_PITCH 15   // distance between columns in shared memory
#define FFT_P_REST 16    // m
// For fft_exchange.comp.
#define FFT_P_ANGLE 12 // 2^32 / (radix m): the angle of the root of unity, where 2^32 is a whole turn
// For fft_real_first.comp and fft_real_last.comp. Windows are `hop` texels of four samples apart, `count` in each row.
#define FFT_P_HOP 12
#define FFT_P_COUNT 13
#define FFT_P_COUNT_M 14 // multiplier and shift to divide by it
#define FFT_P_COUNT_S 15
#define FFT_P_ROW 16   // texels of a row
#define FFT_P_FIRST 17 // index of the first window
#define FFT_P_VECTORS 5

// The table contains the roots for the length, then the first FFT_FINE roots of the whole, then
// every FFT_FINE-th root.
#define FFT_FINE 1024
