// The keys that an invocation processes: run `number`, keys first .. last - 1. From `aligned` on
// they are whole texels.
struct RadixRun {
    int number, row, first, aligned, last;
    bool exists;
};

#if KEY_BITS == 64
const int RADIX_STEP = 2;
#else
const int RADIX_STEP = 4;
#endif

// Rows may be processed in several launches. RADIX_ROW_FIRST is the first row of this launch, and
// its runs are numbered from that row.
#ifndef RADIX_ROW_FIRST
#define RADIX_ROW_FIRST 0
#endif

RadixRun radix_run()
{
    int length = int(PARAMETER(RADIX_P_LENGTH)), runs = int(PARAMETER(RADIX_P_RUNS)), run_length = int(PARAMETER(RADIX_P_RUN)), rows = int(PARAMETER(RADIX_P_ROWS));
    RadixRun run;
    run.number = int((gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x) * uint(GROUP) + gl_LocalInvocationID.x);
    run.exists = run.number < rows * runs;
    run.row = run.number / runs;
    int part = run.number - run.row * runs;
    run.row += RADIX_ROW_FIRST;
    run.first = run.exists ? run.row * length + part * run_length : 0;
    run.last = run.exists ? run.row * length + min(length, (part + 1) * run_length) : 0;
    int beyond = (key_base + (4 / RADIX_STEP) * run.first) & 3;
    run.aligned = min(run.last, run.first + (RADIX_STEP - beyond / (4 / RADIX_STEP)) % RADIX_STEP);
#if KEY_BITS == 64
    if ((key_base & 1) != 0) {
        run.aligned = run.last;
    }
#endif
    return run;
}
