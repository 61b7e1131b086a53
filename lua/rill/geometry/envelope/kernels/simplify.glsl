kernel void centers(vec3 p[], ivec3 t<>, out vec3 center<>) { center = p[t.x] / 3.0 + p[t.y] / 3.0 + p[t.z] / 3.0; }
