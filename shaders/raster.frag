// The passes of raster.c. VISIBLE: writes the index of the face. HITS: counts the faces of each pixel. LAYERS: counts the faces that are nearer
// than `solid`. NEXT: keeps the lowest of these faces that is above `last`.
layout(location = 2) uniform int base;
layout(location = 3) uniform int columns;
#ifdef VISIBLE
layout(location = 0) out int face;
#else
layout(std430, binding = 2) buffer Seen { int seen[]; };
#endif
#if defined(LAYERS) || defined(NEXT)
layout(std430, binding = 3) readonly buffer Solid { float solid[]; };
#endif
#ifdef NEXT
layout(std430, binding = 4) readonly buffer Last { int last[]; };
#endif

void main() {
#ifdef VISIBLE
    face = base + gl_PrimitiveID;
#else
    int pixel = int(gl_FragCoord.y) * columns + int(gl_FragCoord.x);
#ifdef HITS
    atomicAdd(seen[pixel], 1);
#endif
#ifdef LAYERS
    if (gl_FragCoord.z > solid[pixel]) atomicAdd(seen[pixel], 1);
#endif
#ifdef NEXT
    int face = base + gl_PrimitiveID;
    if (face > last[pixel] && gl_FragCoord.z > solid[pixel]) atomicMin(seen[pixel], face);
#endif
#endif
}
