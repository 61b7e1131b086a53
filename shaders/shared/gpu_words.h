// Words of the parameters of the shaders that src/gpu launches, for C and for GLSL.
// For indirect.comp.
#define INDIRECT_P_WORD 0      // the word that contains the length
#define INDIRECT_P_PER_GROUP 1 // elements of a work group
#define INDIRECT_P_MOST 2      // work groups of a row
#define INDIRECT_P_SLOT 3      // where the result is written

// For bulk_copy.comp: units to copy, the first unit of the target and of the source, the number of
// units of a pattern, and the pattern.
#define BULK_P_COUNT 0
#define BULK_P_TO 1
#define BULK_P_FROM 2
#define BULK_P_PERIOD 3
#define BULK_P_PATTERN 4
#define BULK_P_VECTORS 4
#define BULK_GROUP 256u
#define BULK_STEPS 4u

// For block_size.comp.
#define PROBE_P_WORD 0
#define PROBE_P_VALUE 1

// For driver_test_arithmetic.comp.
#define ARITHMETIC_P_CASES 0

// For driver_test_loop.comp: iterations of the plain loop, of the nested loop, and at most of the
// loop that lanes leave.
#define LOOP_P_TRIPS 0
#define LOOP_P_INNER 1
#define LOOP_P_LEFT 2

// For driver_test_condition.comp. The value changes with each launch; CONDITION_P_TAKEN selects the
// branch.
#define CONDITION_P_VALUE 0
#define CONDITION_P_ROUND 3
#define CONDITION_P_TAKEN 6
#define CONDITION_P_VECTORS 2
