// Records the first index out of range. RILL_INSIDE: whether this invocation has an element.
void rill_report(uint arg, int i, int n, uint d)
{
    if (uint(i) >= uint(n) && RILL_INSIDE && atomicCompSwap(rill_fault[RILL_FAULT_KIND], RILL_FAULT_NONE, RILL_FAULT_INDEX) == RILL_FAULT_NONE) {
        rill_fault[RILL_FAULT_ARGUMENT] = arg;
        rill_fault[RILL_FAULT_ELEMENT] = uint(rill_e);
        rill_fault[RILL_FAULT_PLACE] = uint(i);
        rill_fault[RILL_FAULT_DIMENSION] = d;
        rill_fault[RILL_FAULT_SIZE] = uint(n);
        rill_fault[RILL_FAULT_KERNEL] = RILL_ID;
    }
}
