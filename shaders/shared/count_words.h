// Words of the parameters of the shaders that count numbers in bins (count_*.comp), for C and for
// GLSL.
#define COUNT_P_COUNT 0       // numbers
#define COUNT_P_LANES 1
#define COUNT_P_RUN 2         // numbers of a lane in all dispatches together (count_bytes.comp: texels)
#define COUNT_P_FIRST 3       // first bin
#define COUNT_P_BINS 4        // number of bins of the result
#define COUNT_P_BASE 5        // where the numbers begin: a word (count_bytes.comp: a texel)
#define COUNT_P_WEIGHT_BASE 6 // word where the weights begin
#define COUNT_P_FROM 7        // part of a lane's run that this dispatch covers
#define COUNT_P_TO 8
#define COUNT_P_WIDTH 9       // bins of a bucket (count_buckets.comp)
#define COUNT_P_VECTORS 3
