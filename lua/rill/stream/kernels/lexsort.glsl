// The codes of floats and doubles have the order of the numbers: 0 and -0 are equal, NaN has the largest code.
$if(float){
uint float_code(float x, bool down) {
    uint bits = floatBitsToUint(x), size = bits & 0x7fffffffu;
    uint code = size == 0u ? 0x80000000u : bits > 0x7fffffffu ? ~bits : bits | 0x80000000u;
    return size > 0x7f800000u ? 0xffffffffu : down ? ~code : code;
}
}
$if(double){
uvec2 double_code(double x, bool down) {
    uvec2 bits = unpackDouble2x32(x);
    uint size = bits.y & 0x7fffffffu;
    bool zero = size == 0u && bits.x == 0u, nan = size > 0x7ff00000u || size == 0x7ff00000u && bits.x != 0u;
    uvec2 code = zero ? uvec2(0u, 0x80000000u) : bits.y > 0x7fffffffu ? ~bits : uvec2(bits.x, bits.y | 0x80000000u);
    return nan ? uvec2(0xffffffffu) : down ? ~code : code;
}
}
// Joins the codes of keys, the most significant one first.
kernel void pack($for(f, fields){$f.type $f.name<>, $f.unit base_$f.name, uint most_$f.name, int shift_$f.name, }out uint r<>) {
    uint word = 0u;
    $for(f, fields){word |= ($f.code) << shift_$f.name;
    }
    r = word;
}
