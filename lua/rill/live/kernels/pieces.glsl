// Computes the sums of the samples of pixels, of which `pixel` is the first, that are in a part of a stream: the part has
// `count` elements, of which the first is element `first` of the whole. See reduce.glsl.
$section(sums)
kernel void sums($T a[][], vec2 origin, vec2 scale, vec2 pixel, ivec2 first, ivec2 count, out $S c<>) {
    $S sum = $S(0);
    for (int j = 0; j < $n; j++) {
        for (int i = 0; i < $n; i++) {
            vec2 p = origin + (vec2(indexof(c).xy) + pixel + (vec2(i, j) + 0.5) / $n.0) * scale;
            ivec2 at = ivec2(p) - first;
            if (at.x >= 0 && at.y >= 0 && at.x < count.x && at.y < count.y) {
                sum += $S(a[at.y][at.x]);
            }
        }
    }
    c = sum;
}
$section(gray)
kernel void level_gray(float a<>, float low, float factor, out float c<>) {
    float level = (a / float($n * $n) - low) * factor;
    c = level > 0.0 ? level : 0.0;
}
$section(color)
kernel void level_color($T a<>, float low, float factor, out vec4 c<>) {
    vec3 level = (a.rgb / float($n * $n) - low) * factor;
    c = vec4(mix(vec3(0.0), level, greaterThan(level, vec3(0.0))), 1.0);
}
