// The weight of an infinite neighbor is 0, and 0 times infinity would be NaN, so weights of 0 are skipped. Infinite pixels do not change.
kernel void bilateral(neighbor $T s<>, int radius, float space, float range, out $T r<>) {
    $T here = s[0], sum = $T(0.0);
    float total = 0.0;
    for (int j = -radius; j <= radius; j++)
        for (int i = -radius; i <= radius; i++) {
            $T there = s[j][i], apart = range * (there - here);
            float w = exp(space * float(i * i + j * j) - dot(apart, apart));
            if (w != 0.0) sum += w * there;
            total += w;
        }
    r = $if(T == float){isinf(here)}$else{any(isinf(here))} ? here : sum / total;
}
