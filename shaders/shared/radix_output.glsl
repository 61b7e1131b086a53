// Output of a pass of a radix sort: with STORE_KEYS 1 keys, with PAYLOAD other than 0 a word for
// each. Only used blocks are declared: with an unused block Mesa 22.3's zink returns 0 for the
// length of another block.
#if STORE_KEYS
layout(std430, binding = 1) writeonly buffer KeysOut { uint keys_out[]; };
#endif
#if PAYLOAD
layout(std430, binding = 2) writeonly buffer PayloadOut { uint payload_out[]; };
#endif
