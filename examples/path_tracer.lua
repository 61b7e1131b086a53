-- A path tracer of one page: a room with balls of plaster, metal and glass, and a lamp in its ceiling.
--
--     lua5.4 examples/path_tracer.lua [size [samples [directory]]]        384 160 out
--
-- Each invocation of the kernel follows paths of light from the camera through a pixel (Kajiya 1986), and each launch adds more of them. The scene is in
-- the kernel, so that the script is short; rill.ray.trace traces paths through meshes.
local rill = require "rill"

local text = [=[
    const vec3 room = vec3(1.25, 1.0, 2.0); // the walls are at x = -1.25 and 1.25, and so on
    const vec2 lamp = vec2(0.6);            // half of the size of the lamp, which is in the middle of the ceiling
    const int PLASTER = 0, METAL = 1, GLASS = 2;
    struct Ball { vec3 center; float radius; vec3 color; int material; };
    const Ball balls[5] = Ball[5](
        Ball(vec3(-0.60, -0.46, -1.1), 0.54, vec3(0.95, 0.78, 0.50), METAL), Ball(vec3(0.54, -0.60, -0.3), 0.40, vec3(1.0), GLASS),
        Ball(vec3(0.32, -0.62, -1.5), 0.38, vec3(0.25, 0.40, 0.75), PLASTER), Ball(vec3(-0.62, -0.88, -0.2), 0.12, vec3(0.9), METAL),
        Ball(vec3(-0.12, -0.82, -0.2), 0.18, vec3(0.85, 0.30, 0.20), PLASTER));

    // Returns the distance to the nearest surface in direction d, with the number of its ball, -1 for a wall, and its normal n to the inside of the room.
    float hit(vec3 o, vec3 d, out vec3 n, out int ball) {
        vec3 wall = (sign(d) * room - o) / d;
        float t = min(wall.x, min(wall.y, wall.z));
        n = -sign(d) * vec3(equal(wall, vec3(t)));
        ball = -1;
        for (int i = 0; i < 5; i++) {
            vec3 c = o - balls[i].center;
            float b = dot(c, d), h = b * b - dot(c, c) + balls[i].radius * balls[i].radius, root = sqrt(max(h, 0.0));
            float s = -b - root > 1e-3 ? -b - root : -b + root;
            if (h > 0.0 && s > 1e-3 && s < t) { t = s; ball = i; }
        }
        if (ball >= 0) n = (o + t * d - balls[ball].center) / balls[ball].radius;
        return t;
    }

    vec3 paint(vec3 p, vec3 n) {
        if (n.x != 0.0) return n.x > 0.0 ? vec3(0.75, 0.22, 0.17) : vec3(0.2, 0.5, 0.28);
        return vec3(n.y > 0.0 && (int(floor(p.x * 3.0)) + int(floor(p.z * 3.0))) % 2 != 0 ? 0.35 : 0.78);
    }

    // Returns a direction around n with a probability proportional to the cosine of the angle between them: n plus a point of
    // the unit sphere. z is never -1 or 1, so that the sum is not 0.
    vec3 scattered(vec3 n, vec2 u) {
        float z = 2.0 * u.x - 0.99999994, a = 6.2831853 * u.y;
        return normalize(n + vec3(sqrt(1.0 - z * z) * vec2(cos(a), sin(a)), z));
    }

    vec3 refracted(vec3 d, vec3 n, float u) {
        bool inside = dot(d, n) > 0.0;
        n = inside ? -n : n;
        vec3 through = refract(d, n, inside ? 1.5 : 1.0 / 1.5); // 0 for total reflection
        float c = 1.0 - min(-dot(d, n), -dot(through, n));      // Schlick's approximation (1994)
        return u < 0.04 + 0.96 * c * c * c * c * c ? reflect(d, n) : through;
    }

    // Returns the light of a path. `shine` is the radiance of the lamp. Other surfaces emit `glow` times the share of light that they absorb.
    vec3 path(vec3 o, vec3 d, vec3 shine, float glow, int bounces) {
        vec3 light = vec3(0.0), weight = vec3(1.0), n, m;
        bool direct = true; // whether a hit of the lamp counts: its light has not been added at the last point
        for (int k = 0, ball, other; k < bounces; k++) {
            o += hit(o, d, n, ball) * d;
            if (ball < 0 && n.y < 0.0 && all(lessThan(abs(o.xz), lamp))) return light + weight * (direct ? shine + glow : vec3(glow));
            vec3 color = ball < 0 ? paint(o, n) : balls[ball].color;
            int material = ball < 0 ? PLASTER : balls[ball].material;
            light += weight * glow * (1.0 - color);
            weight *= color;
            direct = material != PLASTER;
            if (direct) {
                d = material == METAL ? reflect(d, n) : refracted(d, n, random());
            } else {
                vec2 at = (2.0 * random2() - 1.0) * lamp; // a point of the lamp
                vec3 to = vec3(at.x, room.y, at.y) - o;
                float r = length(to), cosines = dot(to, n) * to.y / (r * r);
                if (cosines > 0.0 && hit(o, to / r, m, other) > 0.999 * r) {
                    light += weight * shine * cosines * 4.0 * lamp.x * lamp.y / (3.14159265 * r * r);
                }
                d = scattered(n, random2());
            }
            float lives = k < 3 ? 1.0 : min(1.0, max(weight.x, max(weight.y, weight.z))); // Russian roulette
            if (random() >= lives) break;
            weight /= lives;
        }
        return light;
    }

    kernel void trace(int samples, vec3 shine, float glow, int bounces, inout vec3 sum<>) {
        for (int i = 0; i < samples; i++) {
            vec2 size = vec2(sizeof_stream(sum).xy), at = (2.0 * (vec2(indexof(sum).xy) + random2()) - size) / size.y;
            sum += path(vec3(0.0, 0.0, 1.99), normalize(vec3(0.5 * at.x, -0.5 * at.y - 0.06, -1.0)), shine, glow, bounces);
        }
    }

    // Maps radiance to the colors of a screen, with the curve of Narkowicz (2015).
    kernel void tone(vec3 light<>, float exposure, out vec3 color<>) {
        vec3 x = exposure * light;
        color = pow(clamp(x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14), 0.0, 1.0), vec3(1.0 / 2.2));
    }
]=]
local program = rill.program(text)
if ... == "module" then return program, text end

local size, samples, directory = ...
size = assert(math.tointeger(tonumber(size or 384)), "size: expected a whole number")
samples = assert(math.tointeger(tonumber(samples or 160)), "samples: expected a whole number")
directory = directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))

local EVERY <const> = 16
local sum, start = rill.stream("vec3", {size, size}), rill.clock()
local progress <close> = rill.progress(samples, "path tracer")
rill.seed(1986)
for done = 0, samples - 1, EVERY do
    local n = math.min(EVERY, samples - done)
    program.trace(n, {7, 6.2, 5}, 0, 40, sum)
    rill.sync()
    progress:step(n)
end
progress:close()
rill.image.save(program.tone(sum, 1 / samples), directory .. "/path_tracer.png")
print(("  %d x %d pixels, %d paths each in %.1f s"):format(size, size, samples, rill.clock() - start))
print(("  %s/path_tracer.png: a room with balls of plaster, metal and glass"):format(directory))
