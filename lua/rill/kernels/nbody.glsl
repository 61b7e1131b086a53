$section(passes)
// `b` has positions and masses in units of the initial extent and of the largest initial mass (powers of two), so
// that squares and cubes of distances are representable as floats in any units. Bodies closer than 1e-12, including a
// body and itself, do not act on each other, because their direction is undefined. An invocation computes the bodies
// p of `abreast`, at distances of `share`. `b` has all bodies, of which `n` from `first` on are those of this process.
float closeness($V d, float soft) {
    float r2 = dot(d, d) + soft;
    return r2 > 1e-24 ? inversesqrt(r2) : 0.0;
}
kernel void drift(float kick, float share, float per, float weight, $V a<>, float m<>, inout $V x<>, inout $V v<>, out vec4 b<>) {
    v += kick * a;
    x += share * v;
    b = vec4(per * x, $if(rank == 2){0.0,} weight * m);
}
$if(tiled){// A sum over all bodies j from `from` to `to`, for the bodies of this process. $lanes invocations share a body: each
// takes every $lanes-th element of a tile in shared memory, eight elements at a time, and the first one adds their sums.
$for(k, sums){kernel(256) void $k.name(int n, int first, int from, int to, float g, float soft, vec4 b[], inout $k.T result[]) {
    shared vec4 tile[256];
    shared $k.T parts[256];
    int local = localid(), lane = local / $bodies, body = groupid() * $bodies + local % $bodies, own = first + min(body, n - 1);
    $V here = $V(b[own].$fields);
    $k.T sum = $k.T(0.0);
    vec4 loaded = b[min(from + local, to - 1)];
    for (int base = from; base < to; base += 256) {
        barrier();
        tile[local] = base + local < to ? loaded : vec4(0.0);
        loaded = b[min(base + 256 + local, to - 1)];
        barrier();
        for (int k = lane; k < 256; k += 8 * $lanes) {
            $for(i, eight){vec4 other$i; other$i = tile[k + $i * $lanes]; }
            $for(i, eight){$V d$i; d$i = $V(other$i.$fields) - here; float near$i; near$i = closeness(d$i, soft);
                sum += $if(k.depth){$k.T(base + k + $i * $lanes == own ? 0.0 : other$i.w * near$i)}$else{(other$i.w * near$i * (near$i * near$i)) * d$i}; }
        }
    }
    parts[local] = sum;
    barrier();
    if (lane == 0 && body < n) {
        for (int k = 1; k < $lanes; k++) sum += parts[k * $bodies + local];
        result[body] = $if(k.depth){sum}$else{g * sum} + (from > 0 ? result[body] : $k.T(0.0));
    }
}
}}$else{kernel void pull(int n, int share, int first, int from, int to, float g, float soft, int nth<>, vec4 b[], inout $V result[]) {
    $for(p, abreast){ $V here$p; here$p = $V(b[first + min(nth + $p * share, n - 1)].$fields); $V sum$p; sum$p = $V(0.0); }
    for (int j = from; j < to; j++) {
        vec4 other = b[j];
        $for(p, abreast){ $V d$p; d$p = $V(other.$fields) - here$p; float near$p; near$p = closeness(d$p, soft);
             sum$p += (other.w * near$p * (near$p * near$p)) * d$p; }
    }
    $for(p, abreast){ if (nth + $p * share < n) result[nth + $p * share] = g * sum$p + (from > 0 ? result[nth + $p * share] : $V(0.0)); }
}
kernel void weigh(int first, int from, int to, float soft, float per, $V x<>, vec4 b[], inout double result<>) {
    int own = first + indexof(x).x;
    $V here = per * x;
    double sum = from > 0 ? result : 0.0;
    for (int j = from; j < to; j++) {
        vec4 other = b[j];
        sum += double(j == own ? 0.0 : other.w * closeness($V(other.$fields) - here, soft));
    }
    result = sum;
}
}
// The energy of a pair is counted half for each body.
kernel void energy(double g, float m<>, $V v<>, double depth<>, out double e<>) {
    double fast = 0.0;
    for (int c = 0; c < $if(rank == 2){2}$else{3}; c++) fast += double(v[c]) * double(v[c]);
    e = 0.5 * double(m) * (fast - g * depth);
}
kernel void impulse(float m<>, $V v<>, out double px<>, out double py<>, out double pz<>) {
    px = double(m) * double(v.x);
    py = double(m) * double(v.y);
    pz = $if(rank == 2){0.0}$else{double(m) * double(v.z)};
}
// The time scale of a body: sqrt(depth) / acceleration. Infinite without acceleration.
kernel void pace(double g, $V a<>, double depth<>, out float t<>) {
    double force = length($if(rank == 2){dvec2(a)}$else{dvec3(a)});
    t = force > 0.0lf ? float(sqrt(abs(g * depth)) / force) : uintBitsToFloat(0x7f800000u);
}

$section(picture)
$use(viewpoint)
// Renders each body as a soft spot; spots add up.
kernel void shine(CAMERA float spot, float fastest, $V x<>, $V v<>, inout int amounts[], inout int speeds[]) {
    vec4 s = seen(x, eye, lead, right, above, ahead, middle, focus);
    bool shown = s.w > 0.0 && all(lessThan(abs(s.xy), vec2(1e6))); // pixels; more would be outside any image and overflow ints
    ivec2 low = ivec2(max(ceil(s.xy - spot), 0.0)), high = ivec2(min(floor(s.xy + spot), vec2(extent - 1)));
    float hue = min(length(v) / fastest, 1.0);
    for (int row = low.y; shown && row <= high.y; row++) {
        for (int column = low.x; column <= high.x; column++) {
            vec2 away = (vec2(column, row) - s.xy) / spot;
            float bulge = max(1.0 - dot(away, away), 0.0);
            int amount = int(256.0 * bulge * bulge + 0.5);
            atomicAdd(amounts[row * extent.x + column], amount);
            atomicAdd(speeds[row * extent.x + column], int(float(amount) * hue));
        }
    }
}
kernel void sky(float light, int amounts<>, int speeds<>, out vec3 color<>) {
    float hue = float(speeds) / float(max(amounts, 1));
    vec3 dye = mix(vec3(1.0, 0.42, 0.16), vec3(1.0, 0.90, 0.76), smoothstep(0.0, 0.5, hue));
    dye = mix(dye, vec3(0.52, 0.68, 1.0), smoothstep(0.45, 1.0, hue));
    color = mix(vec3(0.012, 0.014, 0.03), vec3(1.0), 1.0 - exp(-light / 256.0 * float(amounts) * dye));
}
