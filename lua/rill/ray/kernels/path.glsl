$use(unit_normal)
// A path tracer in launches over lists of rays, one launch for each step: rays of the camera, interaction at the first crossing, which pushes 0, 1 or 2 rays for
// the next list and one shadow ray per light, and summation. A ray is given by its origin, its direction, its weight (w: 1 if the light of an emitter that it
// meets counts, because no shadow ray has counted it), and its key (pixel, seed). Lists are in the order of pixels.
const float PI = 3.14159265358979;

uint hashed(uint h) {
    h = (h ^ (h >> 16)) * 0x7feb352du;
    h = (h ^ (h >> 15)) * 0x846ca68bu;
    return h ^ (h >> 16);
}
// A number in [0, 1) for a seed and a dimension.
float random(uint seed, uint k) { return float(hashed(seed ^ hashed(k * 0x9e3779b9u + 1u)) >> 8) / 16777216.0; }
// Numbers for sample s that cover [0, 1) evenly: multiples of irrational numbers, with a different start for each seed.
float even(uint seed, uint k, int s, float irrational) { return fract(random(seed, k) + fract(float(s) * irrational)); }

// Two perpendicular unit vectors (T. Duff and others, "Building an Orthonormal Basis, Revisited", 2017).
void axes(vec3 n, out vec3 x, out vec3 y) {
    float s = n.z < 0.0 ? -1.0 : 1.0, a = -1.0 / (s + n.z), b = n.x * n.y * a;
    x = vec3(1.0 + s * n.x * n.x * a, s * b, -s * n.x);
    y = vec3(b, s + n.y * n.y * a, -n.y);
}

kernel void camera(int columns, int rows, vec3 eye, vec3 ahead, vec3 right, vec3 above, float width, int parallel, int s, int seed,
                   out vec3 o<>, out vec3 d<>, out vec4 weight<>, out ivec2 key<>) {
    int pixel = indexof(o).x;
    uint mine = hashed(uint(pixel) ^ hashed(uint(seed) + 0x51ed27u));
    vec2 p = vec2(float(pixel % columns), float(pixel / columns));
    p += vec2(even(mine, 0u, s, 0.85667488), even(mine, 1u, s, 0.73389186));
    p = (p - 0.5 * vec2(columns, rows)) * (width / float(columns));
    vec3 aside = p.x * right - p.y * above;
    o = parallel != 0 ? eye + aside : eye;
    d = parallel != 0 ? ahead : normalize(ahead + aside);
    weight = vec4(1.0);
    key = ivec2(pixel, int(mine));
}

// The corners of each triangle, in the order of the meshes. Triangles with equal corners are left out of `corner`. It also contains nodes, whose last word
// is not 0. scale: the factor of the coordinates in `corner`.
kernel void place_corners(uvec4 corner[], double scale, inout vec3 place[], out int done<>) {
    int i = 3 * indexof(done).x, f = 3 * int(corner[i].w);
    bool triangle = corner[i + 2].w == 0u;
    for (int k = 0; k < 3 && triangle; k++) place[f + k] = vec3(dvec3(uintBitsToFloat(corner[i + k].xyz)) / scale);
    done = f;
}
// The normals of a mesh's vertices, for each corner from triangle `base` on.
kernel void place_normals(ivec3 triangle<>, vec3 normal[], int base, inout vec3 place[], out int done<>) {
    int f = 3 * (base + indexof(triangle).x);
    for (int k = 0; k < 3; k++) place[f + k] = normal[triangle[k]];
    done = f;
}
kernel void numbers(int from, out int i<>) { i = from + indexof(i).x; }
kernel void powers(int face<>, vec3 corner[], int which[], vec4 material[], out double power<>) {
    vec3 a = corner[3 * face], c = material[2 * which[face] + 1].xyz;
    dvec3 n = cross(dvec3(corner[3 * face + 1]) - dvec3(a), dvec3(corner[3 * face + 2]) - dvec3(a));
    power = sqrt(dot(n, n)) * 0.5lf * double(c.x + c.y + c.z);
}

// The share of light that a boundary reflects (Fresnel's equations, unpolarized light). ratio: index of refraction before the boundary divided by the index
// after it. refracted: cosine of the angle of the refracted ray; 0 if all light is reflected.
float reflectance(float cosine, float ratio, inout float refracted) {
    float sine = ratio * ratio * (1.0 - cosine * cosine);
    refracted = sqrt(max(1.0 - sine, 0.0));
    float s = (ratio * cosine - refracted) / (ratio * cosine + refracted);
    float p = (cosine - ratio * refracted) / (cosine + ratio * refracted);
    return sine >= 1.0 ? 1.0 : 0.5 * (s * s + p * p);
}

vec3 sky(vec3 d, vec3 horizon, vec3 zenith, vec3 up) {
    return mix(horizon, zenith, clamp(dot(normalize(d), up), 0.0, 1.0));
}

typedef struct { vec3 p; vec3 flat_normal; vec3 normal; int material; bool outside; float gap; } Surface;

// The surface at a crossing. Both normals point to the side that the ray comes from. outside: whether the triangle's own normal does.
Surface surface_of(vec3 d, int triangle, vec2 b, vec3 corner[], vec3 normal[], int which[], float reach) {
    int f = 3 * triangle;
    vec3 a = corner[f], u = corner[f + 1] - a, v = corner[f + 2] - a;
    Surface s;
    s.p = a + b.x * u + b.y * v;
    s.flat_normal = unit_normal(u, v);
    s.outside = !(dot(s.flat_normal, d) > 0.0);
    if (!s.outside) s.flat_normal = -s.flat_normal;
    s.material = which[triangle];
    s.normal = s.flat_normal;
    vec3 n = (1.0 - b.x - b.y) * normal[f] + b.x * normal[f + 1] + b.y * normal[f + 2];
    if (dot(n, n) > 0.0) {
        n = normalize(n);
        n = dot(n, s.flat_normal) < 0.0 ? -n : n;
        if (dot(n, d) < 0.0) s.normal = n;
    }
    s.gap = 3e-6 * (reach + max(max(abs(s.p.x), abs(s.p.y)), abs(s.p.z)));
    return s;
}

// Materials: {color, type}, {emission, index of refraction}. Types: 0 diffuse, 1 mirror, 2 glass.
kernel void interact(vec3 o<>, vec3 d<>, vec4 weight<>, ivec2 key<>, int triangle<>, vec2 b<>, vec3 corner[], vec3 normal[], int which[],
                     vec4 material[], vec3 horizon, vec3 zenith, vec3 up, float reach, int depth, int bounces, int s,
                     out vec4 light<>, vout vec3 next_o<>, vout vec3 next_d<>, vout vec4 next_weight<>, vout ivec2 next_key<>) {
    uint seed = uint(key.y);
    vec3 w = weight.xyz;
    light = vec4(0.0);
    if (triangle < 0) {
        light = vec4(w * sky(d, horizon, zenith, up), 0.0);
    } else {
        Surface f = surface_of(d, triangle, b, corner, normal, which, reach);
        vec4 first = material[2 * f.material], second = material[2 * f.material + 1];
        if (weight.w > 0.0) light = vec4(w * second.xyz, 0.0);
        vec3 color = first.xyz;
        uint child = hashed(seed + 0x632be5abu * uint(s + 1));
        float keep = 1.0;
        if (depth >= 3) { // Russian roulette
            vec3 after = w * color;
            keep = clamp(max(after.x, max(after.y, after.z)), 0.05, 1.0);
            if (random(child, 7u) >= keep) keep = 0.0;
        }
        if (depth < bounces && keep > 0.0) {
            w /= keep;
            if (first.w < 0.5) {
                float u = depth == 0 ? even(seed, 2u, s, 0.62870672) : random(child, 2u);
                float v = depth == 0 ? even(seed, 3u, s, 0.53859725) : random(child, 3u);
                float r = sqrt(u), angle = 2.0 * PI * v;
                vec3 x, y;
                axes(f.normal, x, y);
                vec3 way = r * cos(angle) * x + r * sin(angle) * y + sqrt(max(1.0 - u, 1e-7)) * f.normal;
                if (dot(way, f.flat_normal) > 0.0 && max(color.x, max(color.y, color.z)) > 0.0) {
                    push(next_o, f.p + f.gap * f.flat_normal);
                    push(next_d, way);
                    push(next_weight, vec4(w * color, 0.0));
                    push(next_key, ivec2(key.x, int(child)));
                }
            } else {
                vec3 in_way = normalize(d), back = reflect(in_way, f.normal);
                float cosine = -dot(in_way, f.normal), refracted = 0.0, share = 1.0;
                float ratio = f.outside ? 1.0 / second.w : second.w;
                if (first.w > 1.5) share = reflectance(cosine, ratio, refracted);
                bool both = depth < 2 && share < 1.0 && first.w > 1.5;
                bool reflects = first.w < 1.5 || share >= 1.0 || both || random(child, 4u) < share;
                bool passes = first.w > 1.5 && share < 1.0 && (both || !reflects);
                if (reflects) {
                    if (dot(back, f.flat_normal) <= 0.0) back = reflect(in_way, f.flat_normal);
                    push(next_o, f.p + f.gap * f.flat_normal);
                    push(next_d, back);
                    push(next_weight, vec4(w * (first.w < 1.5 ? color : vec3(both ? share : 1.0)), 1.0));
                    push(next_key, ivec2(key.x, int(child)));
                }
                if (passes) {
                    vec3 on = ratio * in_way + (ratio * cosine - refracted) * f.normal;
                    if (dot(on, f.flat_normal) >= 0.0) on = in_way;
                    push(next_o, f.p - f.gap * f.flat_normal);
                    push(next_d, on);
                    push(next_weight, vec4(w * color * (both ? 1.0 - share : 1.0), 1.0));
                    push(next_key, ivec2(key.x, int(hashed(child + 1u))));
                }
            }
        }
    }
}

// Lights: {position or direction, radius}, {color, type}: type 0: a position, 1: a direction. Emitters: triangles with cumulative powers.
kernel void shadows(vec3 d<>, vec4 weight<>, ivec2 key<>, int triangle<>, vec2 b<>, vec3 corner[], vec3 normal[], int which[], vec4 material[],
                    vec4 lights[], int count, int emitter[], double sums[], int emitters, double total, float reach, int depth, int s,
                    vout vec3 from<>, vout vec3 to<>, vout float far<>, vout vec4 light<>, vout ivec2 at<>) {
    if (triangle >= 0) {
        Surface f = surface_of(d, triangle, b, corner, normal, which, reach);
        vec4 first = material[2 * f.material];
        vec3 w = weight.xyz * first.xyz / PI;
        vec3 p = f.p + f.gap * f.flat_normal;
        uint seed = hashed(uint(key.y) + 0x2545f491u * uint(s + 1));
        bool lit = first.w < 0.5 && max(w.x, max(w.y, w.z)) > 0.0;
        for (int k = 0; lit && k < count; k++) {
            vec4 place = lights[2 * k], color = lights[2 * k + 1];
            float z = 1.0 - 2.0 * random(seed, uint(3 * k) + 16u), angle = 2.0 * PI * random(seed, uint(3 * k) + 17u);
            vec3 ball = vec3(sqrt(max(1.0 - z * z, 0.0)) * vec2(cos(angle), sin(angle)), z) * pow(random(seed, uint(3 * k) + 18u), 1.0 / 3.0);
            vec3 way = place.xyz + place.w * ball - (color.w < 0.5 ? p : vec3(0.0));
            float most = largest(way); // squares are relative to it, since they may underflow
            vec3 part = way / most;
            float square = dot(part, part), cosine = dot(part, f.normal) * inversesqrt(square);
            if (cosine > 0.0 && dot(part, f.flat_normal) > 0.0) {
                push(from, p);
                push(to, way);
                push(far, color.w < 0.5 ? 0.9999 : 1.0 / 0.0);
                float far = color.w < 0.5 ? most : 1.0;
                push(light, vec4(w * color.xyz / far * (cosine / (color.w < 0.5 ? square : 1.0) / far), 0.0));
                push(at, key);
            }
        }
        if (lit && emitters > 0) {
            double want = total * double(depth == 0 ? even(uint(key.y), 8u, s, 0.81917251) : random(seed, 8u));
            int low = 0, high = emitters - 1;
            while (low < high) {
                int middle = (low + high) / 2;
                if (sums[middle] > want) high = middle; else low = middle + 1;
            }
            int e = emitter[low];
            vec3 a = corner[3 * e], u = corner[3 * e + 1] - a, v = corner[3 * e + 2] - a;
            float r = sqrt(depth == 0 ? even(uint(key.y), 9u, s, 0.67104360) : random(seed, 9u));
            float q = depth == 0 ? even(uint(key.y), 10u, s, 0.54970048) : random(seed, 10u);
            vec3 target = a + r * (1.0 - q) * u + r * q * v;
            vec3 way = target - p, n = unit_normal(u, v), power = material[2 * which[e] + 1].xyz;
            float most = largest(way);
            vec3 part = way / most;
            float square = dot(part, part), near = inversesqrt(square);
            float cosine = dot(part, f.normal) * near, other = abs(dot(part, n)) * near;
            if (cosine > 0.0 && other > 0.0 && dot(part, f.flat_normal) > 0.0 && e != triangle) {
                float size = float(total / double(most) / double(most));
                push(from, p);
                push(to, way);
                push(far, 0.9999);
                push(light, vec4(w * power * (cosine * other / square * size / (power.x + power.y + power.z)), 0.0));
                push(at, key);
            }
        }
    }
}

// Adds the light of a list to the pixels. The rays of one pixel are adjacent, and the first one adds for all, so that the order is fixed.
kernel void add(ivec2 key[], vec4 light[], int hidden[], int several, int count, inout vec4 sum[], out bool done<>) {
    int i = indexof(done).x, pixel = key[i].x;
    done = i > 0 && key[i - 1].x == pixel;
    if (!done) {
        vec4 mine = vec4(0.0);
        for (int k = i; k < count && key[k].x == pixel; k++) {
            if (several == 0 || hidden[k] == 0) mine += light[k];
        }
        sum[pixel] += mine;
    }
}
float coded(float x) { return x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1.0 / 2.4) - 0.055; }
kernel void develop(vec4 sum<>, float scale, int linear, out vec3 color<>) {
    vec3 c = sum.xyz * scale;
    color = c;
    if (linear == 0) {
        c = clamp(c, 0.0, 1.0);
        color = vec3(coded(c.x), coded(c.y), coded(c.z));
    }
}
