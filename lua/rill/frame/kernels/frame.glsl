// Kernels of tables. Codes are indices of names; 0xffffffff is a missing value.
$section(recode)
// The codes to[x] of n names.
kernel void recode(uint x<>, uint to[], int n, out uint r<>) {
    r = x < uint(n) ? to[int(min(x, uint(n - 1)))] : 0xffffffffu;
}

$section(take_or)
// The elements at indices, of which -1 is a missing value.
$declared
kernel void take_or($T s[], int at<>, $if(given){$scalar missing,} out $T r<>) {
    $T x = s[max(at, 0)];
    r = x;
    if (at < 0) {
        r = $if(given){$T(missing)}$else{$missing};
    }
}

$section(codes)
// The codes x - low of numbers, of which `last` is NaN.
kernel void codes($T x<>, $T low, uint last, out uint r<>) {
    r = $if(real){isnan(x) ? last : }uint(x - low);
}

$section(numbers)
// The numbers low + code of codes, of which `last` is NaN.
kernel void numbers(uint x<>, $T low, uint last, out $T r<>) {
    r = $if(real){x == last ? $T(uintBitsToFloat(0x7fc00000u)) : }low + $T(x);
}

$section(pair)
// The pairs of codes of two keys, of which the second has n.
kernel void pair($S a<>, uint b<>, $S n, out $R r<>) {
    r = $R(a) * $R(n) + $R(b);
}

$section(unpair)
// The codes of two keys of a pair.
kernel void unpair($S x<>, $S n, out uint a<>, out uint b<>) {
    $if(real){
        double q = floor(x / n), rest = x - q * n; // the quotient may be rounded to the next integer
        a = uint(rest < 0.0lf ? q - 1.0lf : rest >= n ? q + 1.0lf : q);
        b = uint(rest < 0.0lf ? rest + n : rest >= n ? rest - n : rest);
    }$else{
        a = x / n;
        b = x - (x / n) * n;
    }
}

$section(squares)
// The squares of the differences from the means of the groups.
kernel void squares($T x<>, uint group<>, double mean[], out double r<>) {
    double d = double(x) - mean[int(group)];
    r = d * d;
}

$section(divide)
// The quotients of sums and counts; NaN where the count is not above ddof.
kernel void divide(double sum<>, int count<>, int ddof, int root, out double r<>) {
    double q = sum / double(max(count - ddof, 1));
    r = count > ddof ? root != 0 ? sqrt(q) : q : double(uintBitsToFloat(0x7fc00000u));
}

$section(edge)
// The first or the last index of each group in the sorted order; -1 for an empty group.
kernel void edge(int order[], int start<>, int count<>, int last, out int r<>) {
    r = count > 0 ? order[start + (last != 0 ? count - 1 : 0)] : -1;
}

$section(extreme)
// NaN for an empty group, else its smallest or largest value.
kernel void extreme($T x<>, int count<>, out $T r<>) {
    r = count > 0 ? x : $T(uintBitsToFloat(0x7fc00000u));
}
