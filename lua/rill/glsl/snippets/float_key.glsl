// Integers in the order of floats. I: int or a vector of ints; F: float or a vector of floats. -0 is ordered before 0, and NaN of either sign after all numbers.
$I key($F v) {
    $I k = floatBitsToInt(v);
    k ^= (k >> 31) & 0x7fffffff;
    return k ^ -$I($if(F == float){bool(k < -2139095041)}$else{lessThan(k, $I(-2139095041))});
}
$F value($I k) { return intBitsToFloat(k ^ ((k >> 31) & 0x7fffffff)); }
