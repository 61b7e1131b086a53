// A 0 that compilers do not know: see src/kernel/emit/emit_exact.c.
int rill_naught = int(gl_NumWorkGroups.x == 0u);
float rill_zero = intBitsToFloat(rill_naught);
