// Records the first write to an unmapped element: its coordinates, x first. RILL_INSIDE: whether
// this invocation has an element.
void rill_unmapped(uint arg, ivec4 low, ivec4 high)
{
    if (RILL_INSIDE && atomicCompSwap(rill_fault[RILL_FAULT_KIND], RILL_FAULT_NONE, RILL_FAULT_UNMAPPED) == RILL_FAULT_NONE) {
        rill_fault[RILL_FAULT_ARGUMENT] = arg;
        rill_fault[RILL_FAULT_ELEMENT] = uint(rill_e);
        rill_fault[RILL_FAULT_KERNEL] = RILL_ID;
        for (int d = 0; d < 4; d++) {
            rill_fault[RILL_FAULT_POINT + d] = uint(low[d]);
            rill_fault[RILL_FAULT_POINT + 4 + d] = uint(high[d]);
        }
    }
}
