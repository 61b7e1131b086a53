// Detects loops that were stopped. Some devices limit the iterations of an invocation; after the
// limit every later loop runs once. `four` is 4, which compilers cannot know.
void rill_canary(uint four)
{
    uint c = 0u;
    for (uint k = 0u; k < four; k++) c = c * 3u + 1u;
    if ((c != 40u || rill_trips == 4294967295u) &&
        atomicCompSwap(rill_fault[RILL_FAULT_KIND], RILL_FAULT_NONE, RILL_FAULT_LOOP_CUT) == RILL_FAULT_NONE) {
        rill_fault[RILL_FAULT_KERNEL] = RILL_ID;
    }
}
