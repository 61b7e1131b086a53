$section(foot)
// Runs `body` for the pixels of a particle. `pixel`: its index. `away`: the position within the circle, in radii.
// `bulge`: 1 at the center, 0 at the edge.
vec4 s = seen(x, eye, lead, right, above, ahead, middle, focus);
float wide = min(s.w * size, $widest);
ivec2 low = max(ivec2(ceil(s.xy - wide)), ivec2(0)), high = min(ivec2(floor(s.xy + wide)), extent - 1);
for (int row = low.y; wide > 0.0 && row <= high.y; row++) {
    for (int column = low.x; column <= high.x; column++) {
        vec2 away = (vec2(column, row) - s.xy) / wide;
        float bulge = 1.0 - dot(away, away);
        int pixel = row * extent.x + column;
        if (bulge > 0.0) { $body }
    }
}

$section(passes)
$use(particle_cells)
$use(viewpoint)
$if(rank == 3){$use(isosurface)}
vec3 water(float speed) { return mix(vec3(0.05, 0.23, 0.55), vec3(0.75, 0.93, 1.0), clamp(speed, 0.0, 1.0)); }
vec3 behind(float y) { return mix(vec3(0.93, 0.95, 0.97), vec3(0.72, 0.78, 0.86), y); }

// The depth relative to the farthest depth, in units of 2^-24, the precision of floats.
int level(float depth, float size, float bulge, float far) {
    return int(clamp((depth - size * sqrt(bulge)) / far, 0.0, 1.0) * 16777216.0);
}
kernel void nearest(CAMERA float size, float far, $V x<>, inout int depth[]) {
    $call(particle_foot){ atomicMin(depth[pixel], level(s.z, size, bulge, far)); }
}
kernel void owner(CAMERA float size, float far, $V x<>, int id<>, inout int depth[], inout int owners[]) {
    $call(particle_foot){ if (level(s.z, size, bulge, far) <= depth[pixel] + 2) atomicMin(owners[pixel], id); }
}
kernel void spheres(CAMERA float size, float fastest, int owners<>, $V xs[], $V vs[], out vec3 color<>) {
    ivec2 at = indexof(color).xy;
    color = behind(float(at.y) / float(extent.y));
    if (owners < 2147483647) {
        vec4 s = seen(xs[owners], eye, lead, right, above, ahead, middle, focus);
        vec2 away = (vec2(at) - s.xy) / min(s.w * size, $widest);
        vec3 normal = vec3(away.x, -away.y, sqrt(max(0.0, 1.0 - dot(away, away))));
        float light = 0.3 + 0.7 * max(0.0, dot(normal, vec3(-0.41, 0.66, 0.63)));
        float shine = pow(max(0.0, dot(normal, vec3(-0.23, 0.37, 0.90))), 40.0);
        color = water(length(vs[owners]) / fastest) * light + 0.35 * shine;
    }
}
kernel void splat(CAMERA float size, float fastest, $V x<>, $V v<>, inout int amounts[], inout int speeds[]) {
    float speed = min(length(v) / fastest, 1.0);
    $call(particle_foot){
        int amount = int(4096.0 * bulge * bulge * bulge + 0.5);
        atomicAdd(amounts[pixel], amount);
        atomicAdd(speeds[pixel], int(float(amount) * speed));
    }
}
kernel void splats(int rows, float opacity, int amounts<>, int speeds<>, out vec3 color<>) {
    float amount = float(amounts) / 4096.0, speed = float(speeds) / max(float(amounts), 1.0);
    color = mix(behind(float(indexof(color).y) / float(rows)), water(speed), 1.0 - exp(-opacity * amount));
}
// The density at grid points, relative to the rest density.
kernel void field($I mask, $V scale, float per_h, float amount, $V low, float step, int skip, int most, $V xs[], int first[],
                  inout float r<>) {
    $V x = low + step * $V(indexof(r).$fields);
    float sum = skip == 0 ? 0.0 : r;
    $V mine[1] = $V[1](x);
    $call(particle_each){ $V d = x - xs[j]; float q = 1.0 - min(dot(d, d) * per_h * per_h, 1.0); sum += amount * q * q * q; }
    r = sum;
}

$if(rank == 2){
// The surface in two dimensions: the inside, lit like a dome. Rows of the field go up, rows of images go down.
kernel void turn(float rho[][], out float r<>) {
    ivec2 at = indexof(r).xy;
    r = rho[ivec2(at.x, sizeof_stream(r).y - 1 - at.y)];
}
kernel void surface(float iso, neighbor float rho<>, out vec3 color<>) {
    vec2 slope = 0.5 * vec2(rho[ivec2(1, 0)] - rho[ivec2(-1, 0)], rho[ivec2(0, -1)] - rho[ivec2(0, 1)]);
    float steep = length(slope), deep = rho[0] - iso;
    float inside = clamp(0.5 + deep / max(steep, 1e-6), 0.0, 1.0);
    vec3 normal = normalize(vec3(-slope / max(steep, 1e-6) * clamp(1.0 - 2.0 * deep, 0.0, 1.0), 0.8));
    float light = 0.75 + 0.4 * dot(normal, vec3(-0.41, 0.66, 0.63));
    vec2 size = vec2(sizeof_stream(color).xy);
    color = mix(behind(float(indexof(color).y) / size.y), light * vec3(0.10, 0.42, 0.75), step(1e-6, rho[0]) * inside);
}
}$else{
// The surface in three dimensions: a ray is followed to where the density passes iso, then its reflection and
// refraction.
kernel void surface(CAMERA vec3 up, vec3 low, float step, float iso, vec3 floor_at, float tile, float clear, float rho[][][],
                    out vec3 color<>) {
    vec2 at = (vec2(indexof(color).xy) - middle) / focus;
    vec3 aside = at.x * right - at.y * above, way = normalize(ahead + aside);
    color = watery(rho, iso, 0.0, 0.5, eye + lead * aside, way, up, right, low, vec3(step), vec3(1.0), clear / step, floor_at, tile);
}
}
