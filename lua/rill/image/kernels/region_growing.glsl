$section(grow)
// RATE: of diffusion and growth, such that a level stays within 0 and 1. Levels below LEAST are set to 0, because denormal floats are slow on CPUs.
const float RATE = 0.2, LEAST = 1e-30;
float flow(float scale, float level, $T p, float to, $T q) { $T d = scale * (q - p); return (to - level) / (1.0 + dot(d, d)); }
kernel void grow($T seed, float scale, float edge, neighbor $T p<>, neighbor float u<>, out float r<>) {
    $T here = p[0][0], off = scale * (here - seed);
    float level = u[0][0], like = max(0.0, 1.0 - dot(off, off));
    float sum = flow(edge, level, here, u[0][1], p[0][1]) + flow(edge, level, here, u[0][-1], p[0][-1])
        + flow(edge, level, here, u[1][0], p[1][0]) + flow(edge, level, here, u[-1][0], p[-1][0]);
    float next = level + RATE * like * (sum + level * (1.0 - level));
    r = next < LEAST ? 0.0 : next;
}
