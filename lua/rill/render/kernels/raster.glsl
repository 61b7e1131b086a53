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

$section(frame)
$use(raster_project)
// Keeps the bits of the largest distance of a vertex along the camera's axis, and a little more. Loops of one iteration instead of branches:
// invocations that do not need the atomic operation skip it.
kernel void farthest(vec3 eye, vec3 ahead, vec3 p<>, inout uint span[]) {
    float far = 1.001 * dot(p - eye, ahead);
    uint bits = far > 0.0 && far <= 1e30 ? floatBitsToUint(far) : 0u;
    for (bool on = bits > span[0]; on; on = false) atomicMax(span[0], bits);
}

kernel void project(vec3 eye, vec3 right, vec3 above, vec3 ahead, float focus, int parallel, float near, uint span[], vec3 p<>, out vec4 clip<>) {
    clip = clip_of(p, eye, right, above, ahead, focus, parallel, near, uintBitsToFloat(max(span[0], 1u << 23)));
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
