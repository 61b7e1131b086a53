// Words of the parameters of what counts numbers into bins (tally_*.comp), for C and for GLSL.
#define TALLY_P_COUNT 0       // numbers
#define TALLY_P_LANES 1
#define TALLY_P_RUN 2         // of a lane: texels of tally_bytes.comp, else numbers, in all dispatches together
#define TALLY_P_FIRST 3       // bin
#define TALLY_P_BINS 4        // of the result
#define TALLY_P_BASE 5        // where the numbers begin: a texel of tally_bytes.comp, else a word
#define TALLY_P_WEIGHT_BASE 6 // word where the weights begin
#define TALLY_P_FROM 7        // of a lane's run, in this dispatch
#define TALLY_P_TO 8
#define TALLY_P_VECTORS 3
