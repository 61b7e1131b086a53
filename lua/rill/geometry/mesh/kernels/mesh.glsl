// Sums over faces are doubles. Vectors are scaled by the size of the mesh before they are normalized, so that squares
// neither overflow nor underflow.
vec3 across(vec3 a, vec3 b, vec3 c) { return cross(b - a, c - a); }
kernel void corners(vec3 p[], ivec3 t[], float scale, out int vertex<>, out vec3 n<>) {
    ivec2 at = indexof(vertex).xy;
    ivec3 v = t[at.y];
    vertex = v[at.x];
    vec3 a = p[v.x];
    n = across(vec3(0.0), scale * (p[v.y] - a), scale * (p[v.z] - a));
}
kernel void unit(vec3 sum<>, out vec3 n<>) {
    float most = max(max(abs(sum.x), abs(sum.y)), abs(sum.z));
    vec3 s = most > 0.0 ? sum / most : vec3(0.0);
    n = most > 0.0 ? s / length(s) : vec3(0.0);
}
kernel void place(vec3 p<>, mat4 m, out vec3 q<>) { q = (m * vec4(p, 1.0)).xyz; }
kernel void turn(vec3 n<>, vec3 x, vec3 y, vec3 z, out vec3 r<>) { r = vec3(dot(x, n), dot(y, n), dot(z, n)); }
kernel void area(vec3 p[], ivec3 t<>, out double s<>) {
    dvec3 a = dvec3(p[t.x]);
    dvec3 n = cross(dvec3(p[t.y]) - a, dvec3(p[t.z]) - a);
    s = 0.5 * sqrt(dot(n, n));
}
kernel void volume(vec3 p[], ivec3 t<>, vec3 middle, out double s<>) {
    dvec3 m = dvec3(middle);
    s = dot(dvec3(p[t.x]) - m, cross(dvec3(p[t.y]) - m, dvec3(p[t.z]) - m)) / 6.0;
}
