// Fetches the clip coordinates that a kernel computed: x and y in pixels from the center of the image times w. An index out of range, and a
// vertex that is not finite (the kernel writes the same value for it), is at infinity before the near plane: clipping reduces each triangle that
// has it to a triangle without area. With COUNT_INVOCATIONS only counts.
layout(std430, binding = 1) readonly buffer Clips { vec4 clips[]; };
layout(location = 0) uniform vec2 scale;
layout(location = 1) uniform uint vertices;
#ifdef COUNT_INVOCATIONS
layout(std430, binding = 2) buffer Count { uint count; };
#endif

void main() {
#ifdef COUNT_INVOCATIONS
    atomicAdd(count, 1u);
    gl_Position = vec4(float(gl_VertexID & 7), float(gl_VertexID >> 3 & 7), 0.5, 1.0);
#else
    vec4 clip = vec4(0.0, 0.0, 1e30, 0.0);
    if (uint(gl_VertexID) < vertices) clip = clips[gl_VertexID];
    gl_Position = vec4(clip.xy * scale, clip.zw);
#endif
}
