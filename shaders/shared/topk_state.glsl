// What top_k knows so far. WANTED: how many keys are still wanted among those with the prefix; PREFIX, two words: the upper
// digits, in radix_order, of the last key wanted; BETTER: how many keys come before all with the prefix.
#define WANTED 0
#define PREFIX 1
#define BETTER 3
