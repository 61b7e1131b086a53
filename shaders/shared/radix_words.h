// Words of the parameters of radix sorts and of top_k, for C and for GLSL.
#define RADIX_P_LENGTH 0       // keys of a row
#define RADIX_P_RUNS 1         // runs, or tiles, of a row
#define RADIX_P_RUN 2          // keys of a run
#define RADIX_P_ROWS 3         // rows of this dispatch
#define RADIX_P_SHIFT 4        // shift of the digit; for short sorts, which make all passes at once: number of bits
#define RADIX_P_NUMBERED 5     // keys are numbered from 0 again after this number of keys; 0: through all rows
#define RADIX_P_SHARE 6        // logarithm of a number: invocations per digit (offset), tiles per group (histogram)
#define RADIX_P_TOTALS 7       // first word of the sums of the counts of all tiles, or of the index of each digit
#define RADIX_P_KEY_BASE 8     // first word of the keys in their buffer
#define RADIX_P_PAYLOAD_BASE 9 // first word of the payloads
#define RADIX_P_KNOWN 10       // word in which the device stores a row's length
#define RADIX_P_FLIP 11        // bits to flip
#define RADIX_P_FIRST_ROW 12   // first row of this dispatch
#define RADIX_P_STATUS 13      // first word of the counts that tiles publish in this pass
#define RADIX_P_NEXT 14        // first word of the counts that tiles publish in the next pass
#define RADIX_P_VECTORS 4

// For merge.comp, which also uses RADIX_P_FLIP.
#define MERGE_P_COUNT_A 0
#define MERGE_P_COUNT_B 1
#define MERGE_P_RUN 2
#define MERGE_P_BASE_A 8
#define MERGE_P_BASE_B 9
#define MERGE_P_VECTORS 3
