// Random numbers of kernels. An invocation draws the words of the blocks 0, 1, 2 ... of Philox whose
// counters are (64 bits: the index of its element, the number of the block, the number of the launch)
// under the key (the seed). A draw of several words begins a block if fewer words are left.
uvec4 rill_block, rill_counter;
uvec2 rill_seed;
uint rill_left;

void rill_start_random(uvec2 element, uvec2 seed, uint launch)
{
    rill_counter = uvec4(element, 0u, launch);
    rill_seed = seed;
    rill_left = 0u;
}

// Makes the next `count` words the first ones of rill_block. The caller rotates them to its end.
void rill_draw(uint count)
{
    if (rill_left < count) {
        rill_block = philox(rill_counter, rill_seed);
        rill_counter.z++;
        rill_left = 4u;
    }
    rill_left -= count;
}

uint rill_word()
{
    rill_draw(1u);
    uint w = rill_block.x;
    rill_block = rill_block.yzwx;
    return w;
}

float rill_random()
{
    return float(rill_word() >> 8u) * 5.9604644775390625e-8;
}

vec2 rill_random2()
{
    rill_draw(2u);
    uvec2 w = rill_block.xy;
    rill_block = rill_block.zwxy;
    return vec2(w >> 8u) * 5.9604644775390625e-8;
}

vec3 rill_random3()
{
    rill_draw(3u);
    uvec3 w = rill_block.xyz;
    rill_block = rill_block.wxyz;
    return vec3(w >> 8u) * 5.9604644775390625e-8;
}

vec4 rill_random4()
{
    rill_draw(4u);
    return vec4(rill_block >> 8u) * 5.9604644775390625e-8;
}

// The high word of w n is in 0 .. n - 1. Words whose low word is below 2^32 mod n are drawn again, so that
// all results have the same probability (Lemire 2019). After 64 of them the bias is below 2^-64. LLVM 15 fails to
// compile the test of a product with -1, so compilers must not know this n.
uint rill_random_int(uint n)
{
    uint high, low;
    n = n == 0xffffffffu ? uint(rill_own(-1)) : n;
    umulExtended(rill_word(), n, high, low);
    if (low < n) {
        uint least = (0u - n) % max(n, 1u);
        for (int i = 0; i < 64 && low < least; i++) {
            umulExtended(rill_word(), n, high, low);
        }
    }
    return high;
}

int rill_random_int(int n)
{
    return int(rill_random_int(uint(max(n, 0))));
}
