$section(common)
// Lengths are about 1e-6 to 1e6 for visible parts (framing.scaled), so squares of lengths and areas are representable
// as floats.
vec3 linear(vec3 c) {
    c = clamp(c, 0.0, 1.0);
    return mix(c / 12.92, pow((c + 0.055) / 1.055, vec3(2.4)), greaterThan(c, vec3(0.04045)));
}
// Returns c to the power of 1 / 2.4, which is the root of order 4 times the root of order 6, for c from 0.003 to 1. The cube root is an estimate by the
// bits and two steps of Halley's method: faster than pow.
vec3 gamma(vec3 c) {
    vec3 root = uintBitsToFloat(floatBitsToUint(c) / 3u + 709921077u);
    for (int k = 0; k < 2; k++) {
        vec3 cube = root * root * root;
        root *= (cube + 2.0 * c) / (2.0 * cube + c);
    }
    return sqrt(sqrt(c)) * sqrt(root);
}
vec3 encoded(vec3 c) {
    c = clamp(c, 0.0, 1.0);
    return mix(12.92 * c, 1.055 * gamma(max(c, 0.003)) - 0.055, greaterThan(c, vec3(0.0031308)));
}
float power20(float x) {
    float x2 = x * x, x4 = x2 * x2, x8 = x4 * x4;
    return x8 * x8 * x4;
}
// Returns the power of 2 that scales x to a number from 1 to below 2, for x from 1e-37 to 1e38.
float rescale(float x) { return uintBitsToFloat(0x7f000000u - (floatBitsToUint(x) & 0x7f800000u)); }
bool shows(int face, int base, int faces) { return face >= base && face - base < faces; }
// Returns the weights of a triangle's corners at a point of the image, whose sum is from 1 to below 2, by homogeneous coordinates (Olano and Greer 1997), which is correct also for
// corners behind the eye, and the distance to the nearest edge in pixels. `normal`: of the triangle, in pixels, pixels and distance, towards
// the eye: not for parallel projections.
vec4 located(vec2 p, vec4 a, vec4 b, vec4 c, out vec3 normal) {
    vec3 u = vec3(a.xy - p * a.w, a.w), v = vec3(b.xy - p * b.w, b.w), w = vec3(c.xy - p * c.w, c.w);
    vec3 bc = cross(v, w), ca = cross(w, u), ab = cross(u, v), weight = vec3(bc.z, ca.z, ab.z);
    // The weights of a triangle that is seen edge-on are undefined. For an edge of length 0 the distance is 0 / 1e-30.
    vec3 away = abs(weight) / max(vec3(length(bc.xy), length(ca.xy), length(ab.xy)), vec3(1e-30));
    float side = weight.x + weight.y + weight.z < 0.0 ? 1.0 : -1.0;
    normal = side * (bc + ca + ab);
    normal.z -= dot(p, normal.xy);
    weight = max(-side * weight, 0.0);
    float sum = weight.x + weight.y + weight.z;
    return vec4(sum > 1e-37 && sum < 1e37 ? weight * rescale(sum) : vec3(1.0, 0.0, 0.0), min(min(away.x, away.y), away.z));
}

$section(body)
// The color `seen` of the sample `sample_at` that shows the face f of a mesh with the vertices t.
        ivec3 r = $if(corners){around[f]}$else{t};
        vec2 pixel = vec2(sample_at) + 0.5 - middle;
        $if(wide){
        Place spot = located_wide(pixel, places[t.x], places[t.y], places[t.z], wide_eye, wide_right, wide_above, wide_ahead, wide_focus, wide_parallel);
        vec3 plane = spot.normal;
        vec4 at = spot.at;
        }$else{
        vec4 a = clips[r.x], b = clips[r.y], c = clips[r.z];
        vec3 plane;
        vec4 at = located(pixel, a, b, c, plane);
        $if(exact){
        at.xyz *= 1.0 / (at.x + at.y + at.z);
        }
        }
        vec3 tint = tint_color;
        $if(paint == painted){
        tint = linear(at.x * colors[$c0] + at.y * colors[$c1] + at.z * colors[$c2]);
        }
        $if(paint == mapped){
        float value = at.x * values[$c0] + at.y * values[$c1] + at.z * values[$c2];
        value = (value - low) * scale;
        tint = value == value ? linear(sample(map, clamp(value, 0.0, 1.0) * 255.0)) : vec3(0.2);
        }
        $if(paint == textured){
        vec2 q = at.x * uv[$c0] + at.y * uv[$c1] + at.z * uv[$c2];
        vec2 size = vec2(sizeof_stream(texture).xy);
        q -= floor(q);
        tint *= linear(sample(texture, vec2(q.x, 1.0 - q.y) * size - 0.5));
        }
        vec3 seen = tint;
        $if(lit){
        $if(parallel){
        vec3 u = positions[t.x], v = positions[t.y], w = positions[t.z], view = -ahead;
        $if(wide){
        vec3 p = vec3(wide_eye + (double(pixel.x) * wide_right - double(pixel.y) * wide_above) / wide_focus + spot.far * wide_ahead);
        plane = unit_normal(v - u, w - u);
        }$else{
        vec3 p = at.x * u + at.y * v + at.z * w;
        plane = cross(v - u, w - u);
        }
        if (dot(plane, view) < 0.0) plane = -plane;
        }$else{
        vec3 away = ahead + pixel.x * right - pixel.y * above, p = eye + $if(wide){float(spot.far)}$else{(at.x * a.w + at.y * b.w + at.z * c.w)} * away, view = -normalize(away);
        plane = square * plane.x * right - square * plane.y * above + plane.z * ahead;
        }
        vec3 n = plane;
        $if(smooth){
        n = at.x * normals[$n0].xyz + at.y * normals[$n1].xyz + at.z * normals[$n2].xyz;
        float most = abs(n.x) + abs(n.y) + abs(n.z); // normals given by the user may have any length
        n = most > 1e-37 && most < 1e38 ? n * rescale(most) : plane; // false for NaN
        if (dot(n, plane) < 0.0) n = -n;
        }
        // The length of n is applied last: the results do not wait for the root.
        float square_n = dot(n, n);
        if (!(square_n > 0.0)) { n = view; square_n = 1.0; }
        float unit_n = inversesqrt(square_n);
        $if(shadow){
        float steep = dot(plane, plane);
        plane = steep > 0.0 ? plane * inversesqrt(steep) : view;
        }
        float day = 1.0;
        $if(shadow){
        float texel = 1.0 / shadow_focus;
        vec3 d = p + plane * (1.5 * texel) - shadow_eye;
        vec2 s = 0.5 * shadow_size + shadow_focus * vec2(dot(d, shadow_right), -dot(d, shadow_above));
        float far = -dot(d, light), slope = sqrt(max(1.0 - dot(plane, light) * dot(plane, light), 0.0)) / max(abs(dot(plane, light)), 0.1);
        float here = 1.0 - (far - texel * (1.0 + slope)) / shadow_span;
        int side = int(shadow_size);
        day = 0.0;
        for (int j = 0; j < 16; j++) {
            ivec2 q = ivec2(floor(s)) + ivec2(j & 3, j >> 2) - ivec2(floor(fract(s) + 1.0));
            bool clear = min(q.x, q.y) < 0 || max(q.x, q.y) >= side || shadow[q.y * side + q.x] <= here;
            day += clear ? 0.0625 : 0.0;
        }
        }
        vec3 half_way = light + view;
        float sun = dot(n, light), mirror = max(dot(n, half_way), 0.0);
        float shine = sun >= 0.0 ? 0.06 * day * power20(mirror * mirror / max(square_n * dot(half_way, half_way), 1e-37)) : 0.0;
        vec3 sky = vec3(0.185, 0.19, 0.205) + unit_n * dot(n, up) * vec3(0.055, 0.07, 0.095); // from below to above
        seen = tint * (sky + unit_n * (0.12 * max(dot(n, view), 0.0) + 0.78 * day * max(sun, 0.0))) + shine;
        }
        $if(lines){
        seen = mix(seen * line.w + under * (1.0 - line.w), $if(wire){tint}$else{line.xyz}, clamp(0.5 * thick + 0.5 - at.w, 0.0, 1.0));
        }

$section(parameters)
$if(wide){vec3 places[], dvec3 wide_eye, dvec3 wide_right, dvec3 wide_above, dvec3 wide_ahead, double wide_focus, int wide_parallel, }
                  $if(corners){ivec3 around[], }vec4 clips[], ivec3 triangles[], vec3 tint_color, $if(paint == painted){vec3 colors[], }
                  $if(paint == mapped){float low, float scale, float values[], vec3 map[], }
                  $if(paint == textured){vec2 uv[], vec3 texture[][], }
                  $if(lit){vec3 eye, vec3 ahead, vec3 up, vec3 light, $if(parallel){vec3 positions[], }$else{vec3 right, vec3 above, float square, }}
                  $if(smooth){vec4 normals[], }
                  $if(lines){float thick, vec4 line, vec3 under, }
                  $if(shadow){vec3 shadow_right, vec3 shadow_above, vec3 shadow_eye, float shadow_focus, float shadow_size, float shadow_span, float shadow[], }
$section(shade)
$use(shading_common)
$if(wide){$use(located_wide)$use(unit_normal)}
// Shades the samples that show a face of a mesh. A loop of at most one iteration instead of a branch, because a loop is skipped if no invocation of
// the group enters it. `around`: the triangles' indices into clips.
kernel void shade(int base, int columns, vec2 middle, $call(shading_parameters) float opacity, int face<>, inout vec3 color[]) {
    ivec2 sample_at = indexof(face).xy;
    int f = face - base;
    for (bool on = shows(face, base, sizeof_stream(triangles).x); on; on = false) {
        ivec3 t = triangles[f];
        $call(shading_body)
        int i = sample_at.y * columns + sample_at.x;
        $if(clear){color[i] = mix(color[i], seen, opacity);}$else{color[i] = seen;}
    }
}

$section(whole)
$use(shading_common)
$if(wide){$use(located_wide)$use(unit_normal)}
// Shades an image of one opaque mesh, and averages the k x k samples of each pixel. Faces and their vertices are read before the loop, so that no
// iteration waits for them.
kernel void whole(int base, int coded, vec3 background, vec2 middle, $call(shading_parameters) int faces[][], out vec3 picture<>) {
    ivec2 first = indexof(picture).xy * $k;
    $for(s, samples){
    int f$s.i = faces[first.y + $s.y][first.x + $s.x] - base;
    ivec3 t$s.i = triangles[max(f$s.i, 0)];
    }
    vec3 sum = vec3(0.0);
    for (int k = 0; k < $n; k++) {
        ivec2 sample_at = first + ivec2(k % $k, k / $k);
        int f = $for(s, others){k == $s.i ? f$s.i : }f0;
        ivec3 t = $for(s, others){k == $s.i ? t$s.i : }t0;
        vec3 result = background;
        for (bool on = shows(f, 0, sizeof_stream(triangles).x); on; on = false) {
            $call(shading_body)
            result = seen;
        }
        sum += result;
    }
    sum /= float($n);
    picture = coded != 0 ? encoded(sum) : sum;
}

$section(frame)
$use(shading_common)
$use(located_wide)
// The distance of the visible surface along the camera's axis.
kernel void measure(int base, vec2 middle, vec3 eye, vec3 ahead, int face<>, ivec3 around[], vec4 clips[], ivec3 triangles[],
                    vec3 positions[], inout float depth<>) {
    if (shows(face, base, sizeof_stream(triangles).x)) {
        ivec3 t = triangles[face - base], r = around[face - base];
        vec3 normal;
        vec4 at = located(vec2(indexof(face).xy) + 0.5 - middle, clips[r.x], clips[r.y], clips[r.z], normal);
        depth = dot((at.x * positions[t.x] + at.y * positions[t.y] + at.z * positions[t.z]) / (at.x + at.y + at.z) - eye, ahead);
    }
}

kernel void measure_wide(int base, vec2 middle, dvec3 eye, dvec3 right, dvec3 above, dvec3 ahead, double focus, int parallel, int face<>, ivec3 triangles[],
                         vec3 positions[], inout float depth<>) {
    if (shows(face, base, sizeof_stream(triangles).x)) {
        ivec3 t = triangles[face - base];
        vec2 pixel = vec2(indexof(face).xy) + 0.5 - middle;
        depth = float(located_wide(pixel, positions[t.x], positions[t.y], positions[t.z], eye, right, above, ahead, focus, parallel).far);
    }
}

// Normals weighted by the corner angles around a vertex (Thürmer and Wüthrich 1998). They are summed as integers, so
// that the order does not matter.
kernel void gather_normals(ivec3 t<>, vec3 positions[], inout int sums[]) {
    vec3 p[3] = vec3[3](positions[t.x], positions[t.y], positions[t.z]);
    vec3 n = cross(p[1] - p[0], p[2] - p[0]);
    float l = length(n);
    if (l > 0.0 && l < 1e30) { // false for infinity and NaN
        for (int k = 0; k < 3; k++) {
            vec3 u = p[(k + 1) % 3] - p[k], v = p[(k + 2) % 3] - p[k];
            ivec3 part = ivec3(round(n / l * atan(l, dot(u, v)) * 1048576.0));
            for (int d = 0; d < 3; d++) atomicAdd(sums[3 * t[k] + d], part[d]);
        }
    }
}
// Pads normals to four components, which devices read at once.
kernel vec4 padded(vec3 n<>) { return vec4(n, 0.0); }
kernel vec3 normals(int sums[], vec3 p<>) {
    int i = 3 * indexof(p).x;
    vec3 n = vec3(sums[i], sums[i + 1], sums[i + 2]);
    return dot(n, n) > 0.0 ? normalize(n) : n;
}

$section(finish)
$use(shading_common)
// Averages k x k samples.
kernel void finish(int columns, int coded, vec3 color[], out vec3 picture<>) {
    ivec2 p = indexof(picture).xy * $k;
    int first = p.y * columns + p.x;
    vec3 sum = vec3(0.0);
    for (int y = 0; y < $k; y++) {
        for (int x = 0; x < $k; x++) sum += color[first + y * columns + x];
    }
    sum /= float($k * $k);
    picture = coded != 0 ? encoded(sum) : sum;
}
