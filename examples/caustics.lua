-- Caustics: light focused by a glass ball on a table, by tracing photons and scattering their power into an image.
--
--     lua5.4 examples/caustics.lua [size [photons [directory]]]        384 8000000 out
--
-- A point light emits photons in random directions. Each is refracted or reflected at the ball, with the probabilities of Fresnel's formula, and
-- adds its power to the cell of the diffuse square that it hits (the GPGPU chapter, exercise 28.4-3 and figure 28.7, which blends points; here
-- rill.scatter with "add"). The script checks that all power is in the image or counted as missed. With the refractive index 1 the result is the
-- light of a bare table, 1 / distance^2 times the cosine.
local rill = require "rill"

local passes = rill.program [=[
    // Returns the reflected share, by Fresnel's formula for unpolarized light; `eta` is the ratio of the indices.
    float reflected(float cosine, float eta) {
        float k = 1.0 - eta * eta * (1.0 - cosine * cosine);
        if (k <= 0.0) return 1.0;
        float t = sqrt(k);
        float s = (eta * cosine - t) / (eta * cosine + t), p = (cosine - eta * t) / (cosine + eta * t);
        return 0.5 * (s * s + p * p);
    }

    // Returns the distance at which a ray meets a ball of radius 1 around the origin, or -1.
    float meets(vec3 o, vec3 d) {
        float b = dot(o, d), h = b * b - dot(o, o) + 1.0;
        if (h < 0.0) return -1.0;
        float t = -b - sqrt(h);
        t = t > 1e-4 ? t : -b + sqrt(h);
        return t > 1e-4 ? t : -1.0;
    }

    // Traces a photon in a random direction of the cone around the square. The table is the plane y = -floor_, and the square has the half-width `reach`.
    // cell is -1 for a miss.
    kernel void trace(vec3 light, float index, float floor_, float reach, float widest, int size, out int cell<>) {
        vec2 u = random2();
        float c = mix(1.0, widest, u.x), s = sqrt(1.0 - c * c), angle = 6.2831853 * u.y;
        vec3 axis = normalize(vec3(0.0, -floor_, 0.0) - light), side = normalize(cross(axis, vec3(0.0, 0.0, 1.0)));
        vec3 o = light, d = c * axis + s * (cos(angle) * side + sin(angle) * cross(axis, side));
        bool inside = false;
        for (int k = 0; k < 6; k++) {
            float t = meets(o, d);
            if (t < 0.0) break;
            o += t * d;
            vec3 n = inside ? -o : o;
            float eta = inside ? index : 1.0 / index;
            if (random() < reflected(-dot(n, d), eta)) {
                d = reflect(d, n);
            } else {
                d = refract(d, n, eta);
                inside = !inside;
            }
        }
        float t = (-floor_ - o.y) / d.y;
        vec2 p = (o + t * d).xz / reach * 0.5 + 0.5;
        ivec2 at = ivec2(floor(p * float(size)));
        bool lands = !inside && d.y < 0.0 && t > 0.0 && all(greaterThanEqual(at, ivec2(0))) && all(lessThan(at, ivec2(size)));
        cell = lands ? at.y * size + at.x : -1;
    }

    kernel void expose(float power<>, float exposure, out vec3 color<>) {
        vec3 x = exposure * power * vec3(1.0, 0.93, 0.80);
        color = pow(x / (1.0 + x), vec3(1.0 / 2.2));
    }
]=]

local scene <const> = {light = {-2.8, 3.4, 1.0}, floor_ = 1.0, reach = 2.6, widest = 0.60}

--- Returns the power {size, size} of `photons` photons of power 1 through a ball of refractive index `index`, and the number that missed the square.
-- `progress` is a progress bar or nil.
local function shine(size, photons, index, seed, progress)
    local power, missed, most = rill.stream("float", {size, size}), 0, 1 << 21
    rill.seed(seed)
    for first = 0, photons - 1, most do
        local n = math.min(most, photons - first)
        local cell <close> = passes.trace {light = scene.light, index = index, floor_ = scene.floor_,
            reach = scene.reach, widest = scene.widest, size = size, shape = n}
        rill.scatter(power:reshape(size * size), cell, 1.0, "add")
        missed = missed + cell:map("x < 0 ? 1 : 0"):sum()
        if progress then progress:step(n) end
    end
    return power, missed
end

if ... == "module" then
    return {shine = shine, scene = scene}
end

local size, photons, directory = ...
size = assert(math.tointeger(tonumber(size or 384)), "size: expected a whole number")
photons = assert(math.tointeger(tonumber(photons or 8000000)), "photons: expected a whole number")
directory = directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))

local start = rill.clock()
local progress = rill.progress(photons, "caustics")
local power, missed = shine(size, photons, 1.5, 28, progress)
progress:close()
local landed = power:sum()
local seconds = rill.clock() - start
assert(landed + missed == photons, "power was lost")
local gain = power:max() / (landed / (size * size))
rill.image.save(passes.expose(power, 0.7 * size * size / landed), directory .. "/caustics.png")
print(("  %d photons in %.2f s; %.0f %% hit the square; the brightest cell has %.0f times the average"):format(
    photons, seconds, 100 * landed / photons, gain))
print(("  %s/caustics.png: the caustic of a glass ball"):format(directory))
