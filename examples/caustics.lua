-- Light that a glass ball gathers on a table: photons are traced, and scattered into the picture where they land.
--
--     lua5.4 examples/caustics.lua [size [photons [directory]]]        384 8000000 out
--
-- A point light sends photons in random directions; each is refracted or reflected where it meets the ball, as Fresnel's formula has the
-- odds, and adds its power to the cell of the diffuse square it hits (the GPGPU chapter, exercise 28.4-3 and figure 28.7, which blends points;
-- here rill.scatter with "add"). The photons of one launch are one stream, so that the device makes the directions, too. Checked: all power is
-- in the picture or accounted for as missed, and a ball of refractive index 1 leaves the light of a bare table, 1 / distance^2 times the cosine.
local rill = require "rill"

local passes = rill.program [=[
    // The share that is reflected, Fresnel's formula for light without polarisation; `eta` is the ratio of the indices.
    float reflected(float cosine, float eta) {
        float k = 1.0 - eta * eta * (1.0 - cosine * cosine);
        if (k <= 0.0) return 1.0;
        float t = sqrt(k);
        float s = (eta * cosine - t) / (eta * cosine + t), p = (cosine - eta * t) / (cosine + eta * t);
        return 0.5 * (s * s + p * p);
    }

    // Where a line meets a ball of radius 1 around the origin, beyond its start; -1: nowhere.
    float meets(vec3 o, vec3 d) {
        float b = dot(o, d), h = b * b - dot(o, o) + 1.0;
        if (h < 0.0) return -1.0;
        float t = -b - sqrt(h);
        t = t > 1e-4 ? t : -b + sqrt(h);
        return t > 1e-4 ? t : -1.0;
    }

    // Random numbers u: direction within the cone that the square is in, and what becomes of the photon at each surface. The table is
    // the plane y = -floor_, the square reaches `reach` each way. cell: -1 is a miss.
    kernel void trace(vec3 light, float index, float floor_, float reach, float widest, int size, vec4 u<>, vec4 v<>, out int cell<>) {
        float c = mix(1.0, widest, u.x), s = sqrt(1.0 - c * c), angle = 6.2831853 * u.y;
        vec3 axis = normalize(vec3(0.0, -floor_, 0.0) - light), side = normalize(cross(axis, vec3(0.0, 0.0, 1.0)));
        vec3 o = light, d = c * axis + s * (cos(angle) * side + sin(angle) * cross(axis, side));
        float choice[6] = float[6](u.z, u.w, v.x, v.y, v.z, v.w);
        bool inside = false;
        for (int k = 0; k < 6; k++) {
            float t = meets(o, d);
            if (t < 0.0) break;
            o += t * d;
            vec3 n = inside ? -o : o;
            float eta = inside ? index : 1.0 / index;
            if (choice[k] < reflected(-dot(n, d), eta)) {
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

    kernel void expose(float power<>, float exposure, out vec3 colour<>) {
        vec3 x = exposure * power * vec3(1.0, 0.93, 0.80);
        colour = pow(x / (1.0 + x), vec3(1.0 / 2.2));
    }
]=]

local scene <const> = {light = {-2.8, 3.4, 1.0}, floor_ = 1.0, reach = 2.6, widest = 0.60}

--- Power {size, size} of so many photons through a ball of refractive index `index`, each of power 1; and how many missed the square. `progress`, unless it
-- is nil, is told how many are done.
local function shine(size, photons, index, seed, progress)
    local power, missed, most = rill.stream("float", {size, size}), 0, 1 << 21
    for first = 0, photons - 1, most do
        local n = math.min(most, photons - first)
        local u <close> = rill.random(n, {type = "vec4", seed = seed + 2 * first})
        local v <close> = rill.random(n, {type = "vec4", seed = seed + 2 * first + 1})
        local cell <close> = passes.trace {light = scene.light, index = index, floor_ = scene.floor_,
            reach = scene.reach, widest = scene.widest, size = size, u = u, v = v}
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
print(("  %d photons in %.2f s; %.0f %% land on the square, at most %.0f times the average in one cell"):format(
    photons, seconds, 100 * landed / photons, gain))
print(("  %s/caustics.png: the caustic of a glass ball"):format(directory))
