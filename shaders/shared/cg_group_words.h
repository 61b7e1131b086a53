// Words of cg_group.comp's parameters, its phases, and the numbers that it keeps in addition to
// those in cg_words.h, for C, GLSL and Lua (operations/cg.c).
#define CG_GROUP_P_ROWS 0
#define CG_GROUP_P_SLICES 1
#define CG_GROUP_P_PHASES 2
#define CG_GROUP_P_STEPS 3 // maximum number of iterations of this launch
#define CG_GROUP_P_MOST 4  // maximum number of iterations for the correction
#define CG_GROUP_P_X 5     // first words of the streams
#define CG_GROUP_P_B 6
#define CG_GROUP_P_M 7
#define CG_GROUP_P_BEGINS 8
#define CG_GROUP_P_COLUMNS 9
#define CG_GROUP_P_VALUES 10
#define CG_GROUP_P_WIDE 11
#define CG_GROUP_P_GOAL 12    // a double: the share of the residual at which to stop
#define CG_GROUP_P_SCALE 14   // a double: scale of the residual for the correction
#define CG_GROUP_P_FACTOR 16  // a double: factor of the correction for x
#define CG_GROUP_P_LARGEST 18 // a double: largest absolute value of an element of x
#define CG_GROUP_P_VECTORS 5
// Phases of a launch
#define CG_GROUP_START 1    // reads b, x and the preconditioner; the residual is b, which is correct if x is 0
#define CG_GROUP_BEGIN 2    // starts with a correction of 0
#define CG_GROUP_ITERATE 4
#define CG_GROUP_ADD 8      // after the iteration has stopped: adds the correction to x, or restores the previous x if the factor is 0
#define CG_GROUP_MEASURE 16 // after the iteration has stopped: computes b - A x
// Doubles that are kept, in addition to CG_RZ, CG_STATE, CG_COUNT, CG_RR and CG_PQ
#define CG_GROUP_FIRST 8   // r'r of a correction of 0
#define CG_GROUP_SQUARES 9 // square of the residual
#define CG_GROUP_DONE 10   // whether the correction has been added to x, and the residual is that of x
#define CG_GROUP_ADDED 11  // whether the correction could be added
#define CG_GROUP_BEST 12 // the least r'r of the correction
#define CG_GROUP_BEST_RZ 13
#define CG_GROUP_HISTORY 14 // here begins r'r after each iteration of a launch
#define CG_GROUP_MOST_STEPS 500
#define CG_GROUP_KEPT 512 // CG_GROUP_HISTORY + CG_GROUP_MOST_STEPS: the vectors follow
