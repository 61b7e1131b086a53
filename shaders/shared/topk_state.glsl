// State of top_k. WANTED: number of keys still to select among the keys with the prefix. PREFIX,
// two words: the upper digits, in radix_order, of the last key to select. BETTER: number of keys
// before all keys with the prefix.
#define WANTED 0
#define PREFIX 1
#define BETTER 3
