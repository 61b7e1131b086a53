// Transforms RADIX elements in registers, by fft_butterflies.glsl.

// Returns v times a root of unity, given by the cosine and sine of its angle.
C turned(C v, R c, R s) { return v * c + turn(v) * s; }

void butterfly(inout C v[RADIX])
{
#if RADIX == 2
    butterfly2(v[0], v[1]);
#elif RADIX == 3
    butterfly3(v[0], v[1], v[2]);
#elif RADIX == 4
    butterfly4(v[0], v[1], v[2], v[3]);
#elif RADIX == 5
    butterfly5(v[0], v[1], v[2], v[3], v[4]);
#elif RADIX == 7
    butterfly7(v[0], v[1], v[2], v[3], v[4], v[5], v[6]);
#elif RADIX == 8
    butterfly8(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]);
#elif RADIX == 32
    butterfly4(v[0], v[8], v[16], v[24]);
    butterfly4(v[1], v[9], v[17], v[25]);
    butterfly4(v[2], v[10], v[18], v[26]);
    butterfly4(v[3], v[11], v[19], v[27]);
    butterfly4(v[4], v[12], v[20], v[28]);
    butterfly4(v[5], v[13], v[21], v[29]);
    butterfly4(v[6], v[14], v[22], v[30]);
    butterfly4(v[7], v[15], v[23], v[31]);
    v[9] = turned(v[9], cos32_1, sin32_1);
    v[10] = turned(v[10], cos16_1, sin16_1);
    v[11] = turned(v[11], cos32_3, sin32_3);
    v[12] = turned(v[12], cos8_1, cos8_1);
    v[13] = turned(v[13], sin32_3, cos32_3);
    v[14] = turned(v[14], sin16_1, cos16_1);
    v[15] = turned(v[15], sin32_1, cos32_1);
    v[17] = turned(v[17], cos16_1, sin16_1);
    v[18] = turned(v[18], cos8_1, cos8_1);
    v[19] = turned(v[19], sin16_1, cos16_1);
    v[20] = turn(v[20]);
    v[21] = turn(turned(v[21], cos16_1, sin16_1));
    v[22] = turn(turned(v[22], cos8_1, cos8_1));
    v[23] = turn(turned(v[23], sin16_1, cos16_1));
    v[25] = turned(v[25], cos32_3, sin32_3);
    v[26] = turned(v[26], sin16_1, cos16_1);
    v[27] = turn(turned(v[27], cos32_1, sin32_1));
    v[28] = turn(turned(v[28], cos8_1, cos8_1));
    v[29] = turn(turned(v[29], sin32_1, cos32_1));
    v[30] = -turned(v[30], cos16_1, sin16_1);
    v[31] = -turned(v[31], sin32_3, cos32_3);
    butterfly8(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]);
    butterfly8(v[8], v[9], v[10], v[11], v[12], v[13], v[14], v[15]);
    butterfly8(v[16], v[17], v[18], v[19], v[20], v[21], v[22], v[23]);
    butterfly8(v[24], v[25], v[26], v[27], v[28], v[29], v[30], v[31]);
    v = C[32](v[0], v[8], v[16], v[24], v[1], v[9], v[17], v[25], v[2], v[10], v[18], v[26], v[3], v[11], v[19], v[27],
              v[4], v[12], v[20], v[28], v[5], v[13], v[21], v[29], v[6], v[14], v[22], v[30], v[7], v[15], v[23], v[31]);
#else
    butterfly16(v);
#endif
}
