// Words of the state of top_k, for C and for GLSL. Digits are those of radix_order.
#define TOPK_WANTED 0 // number of keys still to select among the keys with the prefix
#define TOPK_PREFIX 1 // two words: the upper digits of the last key to select
#define TOPK_BETTER 3 // number of keys before all keys with the prefix
#define TOPK_EQUAL 4  // number of keys with the prefix
#define TOPK_STATE_WORDS 8
