// What a pass of a radix sort writes: with STORE_KEYS 1 keys, with PAYLOAD other than 0 a word beside each. Only what is written is declared:
// a block that nothing uses lets Mesa 22.3's zink give 0 as the length of another.
#if STORE_KEYS
layout(std430, binding = 1) writeonly buffer KeysOut { uint keys_out[]; };
#endif
#if PAYLOAD
layout(std430, binding = 2) writeonly buffer PayloadOut { uint payload_out[]; };
#endif
