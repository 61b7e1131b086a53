// Remainder of integers as in C, with the sign of the dividend; GLSL's is undefined for negative
// numbers. It does not divide: the quotient of the least int and -1 is a trap on some processors.
#define RILL_REM(U, I)                                                                                                 \
    U rill_rem(U a, U b) { return a % b; }                                                                             \
    I rill_rem(I a, I b)                                                                                               \
    {                                                                                                                  \
        I r = I(U(abs(a)) % U(abs(b))), s = a >> 31;                                                                   \
        return (r ^ s) - s;                                                                                            \
    }
#define RILL_REM_MIXED(U, I)                                                                                           \
    RILL_REM(U, I)                                                                                                     \
    U rill_rem(U a, uint b) { return a % b; }                                                                          \
    U rill_rem(uint a, U b) { return a % b; }                                                                          \
    I rill_rem(I a, int b) { return rill_rem(a, I(b)); }                                                               \
    I rill_rem(int a, I b) { return rill_rem(I(a), b); }
RILL_REM(uint, int)
RILL_REM_MIXED(uvec2, ivec2)
RILL_REM_MIXED(uvec3, ivec3)
RILL_REM_MIXED(uvec4, ivec4)
