$section(project)
// Projects a point to clip coordinates: pixels right of and below the center of the image times w, a depth from 0 to 1 times w that increases
// towards the eye, and w. `span`: the distance at which the depth of a parallel projection is 0. Because framing.scaled keeps the distance to the
// target between 1e-6 and 1e6, 1e30 counts as infinite. shaders/raster.vert explains the value of vertices that are not finite.
vec4 clip_of(vec3 p, vec3 eye, vec3 right, vec3 above, vec3 ahead, float focus, int parallel, float near, float span) {
    vec3 d = p - eye;
    float far = dot(d, ahead);
    vec4 clip = vec4(focus * dot(d, right), -focus * dot(d, above), parallel != 0 ? 1.0 - far / span : near, parallel != 0 ? 1.0 : far);
    return max(max(abs(clip.x), abs(clip.y)), abs(far)) <= 1e30 ? clip : vec4(0.0, 0.0, 1e30, 0.0);
}

$section(wide)
// Whether a vertex is so far beyond the image, or so far behind the eye, that the new corners of a clipped triangle would be moved by more than 1/256 pixel in
// single precision. bound: pixels times w. Vertices that are at most 4096 pixels away need no clipping.
bool is_wide(vec4 clip, float focus, int parallel, float near, float bound) {
    float aside = max(abs(clip.x), abs(clip.y)), most = max(aside, parallel != 0 ? 0.0 : focus * abs(clip.w));
    return most > bound && !(clip.w >= near && aside <= 4096.0 * clip.w);
}

$section(frame)
$use(raster_project)
$use(raster_wide)
// Keeps the bits of the largest distance of a vertex along the camera's axis, and a little more. Loops of one iteration instead of branches:
// invocations that do not need the atomic operation skip it.
kernel void farthest(vec3 eye, vec3 ahead, vec3 p<>, inout uint span[]) {
    float far = 1.001 * dot(p - eye, ahead);
    uint bits = far > 0.0 && far <= 1e30 ? floatBitsToUint(far) : 0u;
    for (bool on = bits > span[0]; on; on = false) atomicMax(span[0], bits);
}

// Sets span[1] to 1 if a vertex is wide.
kernel void project(vec3 eye, vec3 right, vec3 above, vec3 ahead, float focus, int parallel, float near, float bound, inout uint span[], vec3 p<>,
                    out vec4 clip<>) {
    vec4 c = clip_of(p, eye, right, above, ahead, focus, parallel, near, uintBitsToFloat(max(span[0], 1u << 23)));
    clip = c;
    for (bool on = is_wide(c, focus, parallel, near, bound); on; on = false) span[1] = 1u;
}
kernel void notice(vec4 clip<>, float focus, int parallel, float near, float bound, inout uint span[]) {
    for (bool on = is_wide(clip, focus, parallel, near, bound); on; on = false) span[1] = 1u;
}

$section(reuse)
$use(raster_project)
// Projects one vertex, for rill.reuse. An index out of range counts as a vertex that is not finite.
kernel void project_index(int i, vec3 eye, vec3 right, vec3 above, vec3 ahead, float focus, int parallel, float near, uint span[], vec3 p[],
                          out vec4 clip<>) {
    clip = i >= 0 && i < sizeof_stream(p).x ?
        clip_of(p[i], eye, right, above, ahead, focus, parallel, near, uintBitsToFloat(max(span[0], 1u << 23))) : vec4(0.0, 0.0, 1e30, 0.0);
}
kernel void corners(int face<>, out ivec3 t<>) { t = 3 * face + ivec3(0, 1, 2); }

$section(cut)
$use(wide_clip)
$use(raster_wide)
// Clips the triangles that have a wide vertex, in double precision, by the near plane and by lines beyond the border of the image (I. E. Sutherland and G. W.
// Hodgman, "Reentrant Polygon Clipping", 1974). Returns three corners for each triangle, in the order of the faces, and the face.
double beyond(dvec4 p, int plane, dvec2 border) {
    double x = plane < 3 ? p.x : p.y, most = (plane < 3 ? border.x : border.y) * p.w;
    return plane == 0 ? p.w - p.z : ((plane & 1) == 1 ? most - x : most + x);
}
double size_of(dvec4 p) { return max(max(abs(p.x), abs(p.y)), abs(p.w)); }
// Returns where the edge from u, which is inside, to v meets a plane: x and y are their distances from it. The point is computed from the end with the smaller
// coordinates, and has the same bits for both triangles of an edge.
dvec4 meeting(dvec4 u, dvec4 v, double x, double y, int plane, dvec2 border) {
    dvec4 p = size_of(u) <= size_of(v) ? u + x / (x - y) * (v - u) : v + y / (y - x) * (u - v);
    if (plane == 0) p.w = p.z;
    if (plane == 1) p.x = border.x * p.w;
    if (plane == 2) p.x = -border.x * p.w;
    if (plane == 3) p.y = border.y * p.w;
    if (plane == 4) p.y = -border.y * p.w;
    return p;
}
kernel void cut(ivec3 t<>, ivec3 around<>, vec4 clips[], vec3 p[], dvec3 eye, dvec3 right, dvec3 above, dvec3 ahead, double focus, int parallel, float near,
                float bound, uint span[], dvec2 border, int base, vout vec4 clip<>, vout int name<>) {
    int face = base + indexof(t).x, size = sizeof_stream(clips).x, points = sizeof_stream(p).x;
    ivec3 r = around;
    bool exists = min(min(r.x, r.y), r.z) >= 0 && max(max(r.x, r.y), r.z) < size && min(min(t.x, t.y), t.z) >= 0 && max(max(t.x, t.y), t.z) < points;
    vec4 a = exists ? clips[r.x] : vec4(0.0, 0.0, 1e30, 0.0), b = exists ? clips[r.y] : a, c = exists ? clips[r.z] : a;
    bool shown = max(max(a.z, b.z), c.z) < 1e30;
    float focal = float(focus);
    bool wide = shown && (is_wide(a, focal, parallel, near, bound) || is_wide(b, focal, parallel, near, bound) || is_wide(c, focal, parallel, near, bound));
    if (!wide) {
        push(clip, a);
        push(clip, b);
        push(clip, c);
        push(name, face);
    }
    if (wide) {
        dvec4 from[9];
        dvec4 to[9];
        int n = 3;
        double deepest = double(uintBitsToFloat(max(span[0], 1u << 23)));
        for (int k = 0; k < 3; k++) {
            dvec4 q = wide_clip(p[t[k]], eye, right, above, ahead, focus, parallel);
            from[k] = dvec4(q.xy, parallel != 0 ? 1.0lf - q.w / deepest : double(near), q.z);
        }
        for (int plane = 0; plane < 5; plane++) {
            int m = 0;
            for (int k = 0; k < n; k++) {
                dvec4 u = from[k], v = from[k + 1 == n ? 0 : k + 1];
                double x = beyond(u, plane, border), y = beyond(v, plane, border);
                if (x >= 0.0lf) { to[m] = u; m++; }
                if (x >= 0.0lf && y < 0.0lf) { to[m] = meeting(u, v, x, y, plane, border); m++; }
                if (x < 0.0lf && y >= 0.0lf) { to[m] = meeting(v, u, y, x, plane, border); m++; }
            }
            for (int k = 0; k < m; k++) from[k] = to[k];
            n = m;
        }
        for (int k = 2; k < n; k++) {
            push(clip, vec4(from[0]));
            push(clip, vec4(from[k - 1]));
            push(clip, vec4(from[k]));
            push(name, face);
        }
    }
}
// Replaces the indices of clipped triangles by their faces.
kernel void named(int names[], inout int seen<>) { if (seen >= 0 && seen < sizeof_stream(names).x) seen = names[seen]; }
