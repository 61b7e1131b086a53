// Words of the parameters of what counts numbers into bins (tally_*.comp), for C and for GLSL.
#define COUNT_P_COUNT 0       // numbers
#define COUNT_P_LANES 1
#define COUNT_P_RUN 2         // of a lane: texels of count_bytes.comp, else numbers, in all dispatches together
#define COUNT_P_FIRST 3       // bin
#define COUNT_P_BINS 4        // of the result
#define COUNT_P_BASE 5        // where the numbers begin: a texel of count_bytes.comp, else a word
#define COUNT_P_WEIGHT_BASE 6 // word where the weights begin
#define COUNT_P_FROM 7        // of a lane's run, in this dispatch
#define COUNT_P_TO 8
#define COUNT_P_VECTORS 3
