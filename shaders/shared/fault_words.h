// Words in which a running kernel reports a fault, for C and for GLSL: storage block 0 is `buffer {
// uint rill_fault[16]; }`.
#define RILL_FAULT_BINDING 0
#define RILL_FAULT_WORDS 16

// The words.
#define RILL_FAULT_KIND 0
#define RILL_FAULT_ARGUMENT 1  // number of the parameter
#define RILL_FAULT_ELEMENT 2   // element of the launch
#define RILL_FAULT_PLACE 3     // the index, an int
#define RILL_FAULT_DIMENSION 4 // counted from the fastest
#define RILL_FAULT_SIZE 5      // of that dimension
#define RILL_FAULT_KERNEL 6    // the kernel's number
#define RILL_FAULT_POINT 7     // eight ints, x first: the coordinates of an unmapped element that was written

// Kinds of faults.
#define RILL_FAULT_NONE 0u
#define RILL_FAULT_LOOP_CUT 1u
#define RILL_FAULT_INDEX 2u
#define RILL_FAULT_UNMAPPED 3u
