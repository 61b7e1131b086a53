$use(unit_of)

$section(step)
// One leapfrog step. Velocities lag positions by half a step. `held`: 1 for particles that do not move. `rest`: rest
// lengths along rows and columns. `stiff`: stiffness of structural, shear and bending springs.
#define SPRING(o, k, l) if (there(at + o, n)) pull(x[o], v[o], here, fast, k, l, damping, force)
bool there(ivec2 p, ivec2 n) { return all(greaterThanEqual(p, ivec2(0))) && all(lessThan(p, n)); }
void pull(vec3 x, vec3 v, vec3 here, vec3 fast, float k, float l, float damping, inout vec3 force) {
    vec3 d = x - here;
    float length_ = length(d);
    vec3 way = length_ > 0.0 ? d / length_ : vec3(0.0);
    force += (k * (length_ - l) + damping * dot(v - fast, way)) * way;
}
kernel void step($call(wall_inputs) float kick, float dt, vec3 stiff, vec2 rest, float damping, float drag, float lightness, vec3 gravity, vec3 wind,
                 neighbor vec3 x<>, neighbor vec3 v<>, float held<>, out vec3 r<>, out vec3 w<>) {
    ivec2 at = indexof(r).xy, n = sizeof_stream(r).xy;
    vec3 here = x[0], speed = v[0], fast = speed, force = vec3(0.0);
    float across = length(rest);
    SPRING(ivec2(-1, 0), stiff.x, rest.x);
    SPRING(ivec2(1, 0), stiff.x, rest.x);
    SPRING(ivec2(0, -1), stiff.x, rest.y);
    SPRING(ivec2(0, 1), stiff.x, rest.y);
    SPRING(ivec2(-1, -1), stiff.y, across);
    SPRING(ivec2(1, -1), stiff.y, across);
    SPRING(ivec2(-1, 1), stiff.y, across);
    SPRING(ivec2(1, 1), stiff.y, across);
    SPRING(ivec2(-2, 0), stiff.z, 2.0 * rest.x);
    SPRING(ivec2(2, 0), stiff.z, 2.0 * rest.x);
    SPRING(ivec2(0, -2), stiff.z, 2.0 * rest.y);
    SPRING(ivec2(0, 2), stiff.z, 2.0 * rest.y);
    vec3 normal = cross(x[ivec2(1, 0)] - x[ivec2(-1, 0)], x[ivec2(0, 1)] - x[ivec2(0, -1)]);
    normal = unit_of(normal);
    force += drag * dot(wind - speed, normal) * normal;
    speed = held > 0.5 ? vec3(0.0) : speed + kick * (lightness * force + gravity);
    here += dt * speed;
    if (held < 0.5) {
        $call(wall_collide)
    }
    r = here;
    w = speed;
}

$section(picture)
// Renders the cloth: each square between four particles is covered with points, and a pixel shows the nearest one.
// `depth` keeps a number that increases towards the eye.
vec3 place(vec3 a, vec3 b, vec3 c, vec3 d, vec2 w) { return mix(mix(a, b, w.x), mix(c, d, w.x), w.y); }
kernel void strew(vec3 x[][], int parts, vec3 eye, vec3 right, vec3 above, vec3 ahead, vec2 middle, float focus, ivec2 extent,
                  out int pixel<>, out int key<>, out vec3 color<>) {
    ivec2 at = indexof(pixel).xy, p = at / parts, last = sizeof_stream(x).xy - 1;
    vec2 w = (vec2(at - p * parts) + 0.5) / float(parts);
    vec3 a = x[p.y][p.x], b = x[p.y][p.x + 1], c = x[p.y + 1][p.x], d = x[p.y + 1][p.x + 1];
    vec3 here = place(a, b, c, d, w) - eye;
    ivec2 q = ivec2(step(vec2(0.5), w)) + p, before = max(q - 1, ivec2(0)), after = min(q + 1, last);
    vec3 normal = cross(x[after.y][q.x] - x[before.y][q.x], x[q.y][after.x] - x[q.y][before.x]);
    normal = unit_of(normal);
    float depth = dot(here, ahead);
    vec2 s = floor(middle + focus / depth * vec2(dot(here, right), -dot(here, above)));
    bool shown = depth > 0.0 && all(greaterThanEqual(s, vec2(0.0))) && all(lessThan(s, vec2(extent)));
    pixel = shown ? int(s.y) * extent.x + int(s.x) : -1;
    key = floatBitsToInt(1.0 / depth); // the bits of positive floats have the same order as the numbers
    bool back = dot(normal, here) > 0.0;
    normal = back ? -normal : normal;
    bool line = ((p.x / 4 + p.y / 4) & 1) == 0;
    vec3 dye = back ? vec3(0.30, 0.34, 0.42) : line ? vec3(0.80, 0.22, 0.18) : vec3(0.93, 0.86, 0.74);
    color = dye * (0.30 + 0.70 * max(dot(normal, normalize(above + 0.6 * right - 0.8 * ahead)), 0.0));
}
kernel void nearest(int depth[], int key<>, int pixel<>, out int r<>) { r = pixel >= 0 && depth[pixel] == key ? pixel : -1; }
kernel void backdrop(int rows, out vec3 r<>) {
    r = mix(vec3(0.93, 0.95, 0.97), vec3(0.72, 0.78, 0.86), float(indexof(r).y) / float(rows));
}
