// Words of the parameters of radix sorts and of top_k, for C and for GLSL.
#define RADIX_P_LENGTH 0       // keys of a row
#define RADIX_P_RUNS 1         // runs, or tiles, of a row
#define RADIX_P_RUN 2          // keys of a run
#define RADIX_P_ROWS 3         // of this dispatch
#define RADIX_P_SHIFT 4        // of the digit; of short sorts, which make all passes at once: bits
#define RADIX_P_NUMBERED 5     // keys are numbered anew after so many; 0: through all rows
#define RADIX_P_BLOCKS 6       // of a row's tiles
#define RADIX_P_BLOCK_TILES 7  // tiles of a block
#define RADIX_P_KEY_BASE 8     // first word of the keys in their buffer
#define RADIX_P_PAYLOAD_BASE 9 // of the payloads
#define RADIX_P_KNOWN 10       // word where the device keeps a row's length
#define RADIX_P_FLIP 11        // bits to be exchanged
#define RADIX_P_FIRST_ROW 12   // of this dispatch
#define RADIX_P_VECTORS 4

// Of merge.comp, which knows RADIX_P_FLIP, too.
#define MERGE_P_COUNT_A 0
#define MERGE_P_COUNT_B 1
#define MERGE_P_RUN 2
#define MERGE_P_BASE_A 8
#define MERGE_P_BASE_B 9
#define MERGE_P_VECTORS 3
