$use(unit_of)
// Lengths are about 1e-6 to 1e6 for visible parts (framing.scaled), so squares of lengths and areas are representable
// as floats.
vec3 linear(vec3 c) {
    c = clamp(c, 0.0, 1.0);
    return mix(c / 12.92, pow((c + 0.055) / 1.055, vec3(2.4)), greaterThan(c, vec3(0.04045)));
}
vec3 encoded(vec3 c) {
    c = clamp(c, 0.0, 1.0);
    return mix(12.92 * c, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, greaterThan(c, vec3(0.0031308)));
}
bool shows(int face, int base, int faces) { return face >= base && face - base < faces; }
// The index of a corner's data, which is stored per vertex (0), per face (1) or per corner (2).
int corner_index(int per, ivec3 t, int face, int k) { return per == 0 ? t[k] : per == 1 ? face : 3 * face + k; }

// Computes the weights of a triangle's corners by homogeneous coordinates (Olano and Greer 1997), which is correct
// also for corners behind the eye, and the distance to the nearest edge in pixels.
kernel void locate(int base, int columns, vec2 middle, int face<>, ivec3 triangles[], vec4 clips[], out vec4 at<>) {
    at = vec4(0.0);
    if (shows(face, base, sizeof_stream(triangles).x)) {
        int i = indexof(face).x;
        vec2 p = vec2(i % columns, i / columns) + 0.5 - middle;
        ivec3 t = triangles[face - base];
        vec4 a = clips[t.x], b = clips[t.y], c = clips[t.z];
        vec3 u = vec3(a.xy - p * a.w, a.w), v = vec3(b.xy - p * b.w, b.w), w = vec3(c.xy - p * c.w, c.w);
        vec3 bc = cross(v, w), ca = cross(w, u), ab = cross(u, v), weight = vec3(bc.z, ca.z, ab.z);
        // The weights of a triangle that is seen edge-on are undefined. For an edge of length 0 the distance is 0 /
        // 1e-30.
        vec3 away = abs(weight) / max(vec3(length(bc.xy), length(ca.xy), length(ab.xy)), vec3(1e-30));
        float sum = weight.x + weight.y + weight.z;
        weight = max(weight / sum, 0.0);
        sum = weight.x + weight.y + weight.z;
        at = vec4(sum > 0.0 && sum < 1e30 ? weight / sum : vec3(1.0, 0.0, 0.0), min(min(away.x, away.y), away.z));
    }
}

kernel void painted(int base, int per, int face<>, vec4 at<>, ivec3 triangles[], vec3 colors[], inout vec3 tint<>) {
    if (shows(face, base, sizeof_stream(triangles).x)) {
        int f = face - base;
        ivec3 t = triangles[f];
        tint = linear(at.x * colors[corner_index(per, t, f, 0)] + at.y * colors[corner_index(per, t, f, 1)] + at.z * colors[corner_index(per, t, f, 2)]);
    }
}
kernel void mapped(int base, int per, float low, float scale, int face<>, vec4 at<>, ivec3 triangles[], float values[], vec3 map[],
                   inout vec3 tint<>) {
    if (shows(face, base, sizeof_stream(triangles).x)) {
        int f = face - base;
        ivec3 t = triangles[f];
        float v = at.x * values[corner_index(per, t, f, 0)] + at.y * values[corner_index(per, t, f, 1)] + at.z * values[corner_index(per, t, f, 2)];
        v = (v - low) * scale;
        tint = v == v ? linear(sample(map, clamp(v, 0.0, 1.0) * 255.0)) : vec3(0.2);
    }
}
kernel void textured(int base, int per, vec3 color, int face<>, vec4 at<>, ivec3 triangles[], vec2 uv[], vec3 texture[][], inout vec3 tint<>) {
    if (shows(face, base, sizeof_stream(triangles).x)) {
        int f = face - base;
        ivec3 t = triangles[f];
        vec2 p = at.x * uv[corner_index(per, t, f, 0)] + at.y * uv[corner_index(per, t, f, 1)] + at.z * uv[corner_index(per, t, f, 2)];
        vec2 size = vec2(sizeof_stream(texture).xy);
        p -= floor(p);
        tint = color * linear(sample(texture, vec2(p.x, 1.0 - p.y) * size - 0.5));
    }
}

// flags: 1 flat shading, 2 parallel projection, 4 lines, 8 shadow, 16 lines in the color of the mesh, 32 no light.
kernel void lit(int base, int per, int flags, vec3 eye, vec3 ahead, vec3 up, vec3 light, float opacity, vec4 line, vec3 under, float thick,
                vec3 shadow_right, vec3 shadow_above, vec3 shadow_eye, float shadow_focus, float shadow_size, float shadow_span,
                int face<>, vec4 at<>, vec3 tint<>, ivec3 triangles[], vec3 positions[], vec3 normals[], float shadow[],
                inout vec3 color<>) {
    if (shows(face, base, sizeof_stream(triangles).x)) {
        int f = face - base;
        ivec3 t = triangles[f];
        vec3 a = positions[t.x], b = positions[t.y], c = positions[t.z], p = at.x * a + at.y * b + at.z * c;
        vec3 view = (flags & 2) != 0 ? -ahead : normalize(eye - p), plane = cross(b - a, c - a);
        float steep = length(plane);
        plane = steep > 0.0 ? plane / steep : view;
        if (dot(plane, view) < 0.0) plane = -plane;
        vec3 n = plane;
        if ((flags & 1) == 0) {
            n = at.x * normals[corner_index(per, t, f, 0)] + at.y * normals[corner_index(per, t, f, 1)] + at.z * normals[corner_index(per, t, f, 2)];
            n = unit_of(n); // normals given by the user may have any length
            n = dot(n, n) > 0.5 ? n : plane; // false for 0 and NaN
            if (dot(n, plane) < 0.0) n = -n;
        }
        float day = 1.0;
        if ((flags & 8) != 0) {
            float pixel = 1.0 / shadow_focus;
            vec3 d = p + plane * (1.5 * pixel) - shadow_eye;
            vec2 s = 0.5 * shadow_size + shadow_focus * vec2(dot(d, shadow_right), -dot(d, shadow_above));
            float far = -dot(d, light), slope = sqrt(max(1.0 - pow(dot(plane, light), 2.0), 0.0)) / max(abs(dot(plane, light)), 0.1);
            float here = 1.0 - (far - pixel * (1.0 + slope)) / shadow_span;
            int side = int(shadow_size);
            day = 0.0;
            for (int k = 0; k < 16; k++) {
                ivec2 q = ivec2(floor(s)) + ivec2(k & 3, k >> 2) - ivec2(floor(fract(s) + 1.0));
                bool clear = min(q.x, q.y) < 0 || max(q.x, q.y) >= side || shadow[q.y * side + q.x] <= here;
                day += clear ? 0.0625 : 0.0;
            }
        }
        float facing = max(dot(n, light), 0.0) * day, shine = pow(max(dot(n, normalize(light + view)), 0.0), 40.0);
        vec3 sky = mix(vec3(0.13, 0.12, 0.11), vec3(0.24, 0.26, 0.30), 0.5 + 0.5 * dot(n, up));
        vec3 seen = tint * (sky + 0.12 * max(dot(n, view), 0.0) + 0.78 * facing) + 0.06 * shine * day * step(0.0, dot(n, light));
        if ((flags & 32) != 0) seen = tint;
        if ((flags & 4) != 0) seen = mix(seen * line.w + under * (1.0 - line.w), (flags & 16) != 0 ? tint : line.xyz, clamp(0.5 * thick + 0.5 - at.w, 0.0, 1.0));
        color = mix(color, seen, opacity);
    }
}
kernel void finish(int k, int columns, int coded, vec3 color[], out vec3 picture<>) {
    ivec2 p = indexof(picture).xy * k;
    vec3 sum = vec3(0.0);
    for (int j = 0; j < k * k; j++) sum += color[(p.y + j / k) * columns + p.x + j % k];
    sum /= float(k * k);
    picture = coded != 0 ? encoded(sum) : sum;
}
kernel void measure(int base, vec3 eye, vec3 ahead, int face<>, vec4 at<>, ivec3 triangles[], vec3 positions[], inout float depth<>) {
    if (shows(face, base, sizeof_stream(triangles).x)) {
        ivec3 t = triangles[face - base];
        depth = dot(at.x * positions[t.x] + at.y * positions[t.y] + at.z * positions[t.z] - eye, ahead);
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
kernel vec3 normals(int sums[], vec3 p<>) {
    int i = 3 * indexof(p).x;
    vec3 n = vec3(sums[i], sums[i + 1], sums[i + 2]);
    return dot(n, n) > 0.0 ? normalize(n) : n;
}
