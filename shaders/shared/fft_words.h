// Words of fft_pass.comp's and fft_group.comp's parameters, for C and for GLSL. A pass's radix is called m times stride apart, see the former.
// Columns are what butterflies take, counted in texels where a texel holds two elements.
#define FFT_P_COLUMNS 0 // of all transforms
#define FFT_P_SPAN 1    // of one transform: m times stride
#define FFT_P_SPAN_M 2  // to divide by that: a multiplier and a shift
#define FFT_P_SPAN_S 3
#define FFT_P_STRIDE 4
#define FFT_P_STRIDE_M 5
#define FFT_P_STRIDE_S 6
#define FFT_P_FROM 7 // where the input begins
#define FFT_P_TO 8   // and the output
#define FFT_P_SIGN 9 // 1 forwards, -1 backwards, a float
#define FFT_P_SCALE 10 // of the results: a float, or the two words of a double
// Of fft_group.comp.
#define FFT_P_LENGTH 12  // of what a work group transforms, the pass's radix
#define FFT_P_RADICES 13 // whose product that is, four bits each, the first one lowest
#define FFT_P_WIDTH 14   // columns of a work group
#define FFT_P_PITCH 15   // from one of them to the next in shared memory
#define FFT_P_REST 16    // m
#define FFT_P_VECTORS 5

// The roots behind those of the length: so many of the whole, the first ones, then every so many'th.
#define FFT_FINE 1024
