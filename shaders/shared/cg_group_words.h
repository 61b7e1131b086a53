// Words of cg_group.comp's parameters, phases and numbers it keeps beside those of cg_words.h, for C, GLSL and Lua (operations/cg.c).
#define CG_GROUP_P_ROWS 0
#define CG_GROUP_P_SLICES 1
#define CG_GROUP_P_PHASES 2
#define CG_GROUP_P_STEPS 3 // iterations of this launch at most
#define CG_GROUP_P_MOST 4  // iterations of the correction at most
#define CG_GROUP_P_X 5     // first words of the streams
#define CG_GROUP_P_B 6
#define CG_GROUP_P_M 7
#define CG_GROUP_P_BEGINS 8
#define CG_GROUP_P_COLUMNS 9
#define CG_GROUP_P_VALUES 10
#define CG_GROUP_P_WIDE 11
#define CG_GROUP_P_GOAL 12    // two words each, doubles: the share of the residual to stop at
#define CG_GROUP_P_SCALE 14   // of the residual, for the correction
#define CG_GROUP_P_FACTOR 16  // of the correction, for x
#define CG_GROUP_P_LARGEST 18 // that x may have
#define CG_GROUP_P_VECTORS 5
// Phases of a launch
#define CG_GROUP_START 1    // takes b, x and the preconditioner; the residual is b, which is right where x is 0
#define CG_GROUP_BEGIN 2    // a correction of 0
#define CG_GROUP_ITERATE 4
#define CG_GROUP_ADD 8      // where it has stopped: adds the correction to x, or takes x back to what it was, where the factor is 0
#define CG_GROUP_MEASURE 16 // where it has stopped: b - A x
// Doubles kept, beside CG_RZ, CG_STATE, CG_COUNT, CG_RR and CG_PQ
#define CG_GROUP_FIRST 8   // r'r of the correction 0
#define CG_GROUP_SQUARES 9 // of the residual
#define CG_GROUP_DONE 10   // whether x has the correction, and the residual is x's
#define CG_GROUP_ADDED 11  // whether it could be added
#define CG_GROUP_BEST 12 // the least r'r of the correction
#define CG_GROUP_BEST_RZ 13
#define CG_GROUP_HISTORY 14 // from here on r'r after each iteration of a launch
#define CG_GROUP_MOST_STEPS 500
#define CG_GROUP_KEPT 512 // CG_GROUP_HISTORY + CG_GROUP_MOST_STEPS: before the vectors
