// Computes each pixel as the mean of $n x $n samples of the area that it covers, which begins at `origin` and is `scale`
// elements wide and high. The number is part of the text, because loops of a constant length are unrolled. NaN is black.
$section(gray)
kernel void reduce_gray($T a[][], vec2 origin, vec2 scale, float low, float factor, out float c<>) {
    float sum = 0.0;
    for (int j = 0; j < $n; j++) {
        for (int i = 0; i < $n; i++) {
            vec2 p = origin + (vec2(indexof(c).xy) + (vec2(i, j) + 0.5) / $n.0) * scale;
            sum += float(a[int(p.y)][int(p.x)]);
        }
    }
    float level = (sum / float($n * $n) - low) * factor;
    c = level > 0.0 ? level : 0.0;
}
$section(color)
kernel void reduce_color($T a[][], vec2 origin, vec2 scale, float low, float factor, out vec4 c<>) {
    $T sum = $T(0);
    for (int j = 0; j < $n; j++) {
        for (int i = 0; i < $n; i++) {
            vec2 p = origin + (vec2(indexof(c).xy) + (vec2(i, j) + 0.5) / $n.0) * scale;
            sum += a[int(p.y)][int(p.x)];
        }
    }
    vec3 level = (sum.rgb / float($n * $n) - low) * factor;
    c = vec4(mix(vec3(0.0), level, greaterThan(level, vec3(0.0))), 1.0);
}
