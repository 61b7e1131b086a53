-- Pictures of particles (chapter 28.7.2, figure 28.15): spheres, splats, and the isosurface of the density, marched along rays that are reflected and
-- refracted there.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local isosurface = require "rill.glsl.snippets.isosurface"
local neighbours = require "rill.simulation.particle.neighbors"
local smoothing = require "rill.simulation.particle.smoothing"
local viewpoint = require "rill.simulation.particle.viewpoint"

local portrait = {}

local WIDEST <const> = "48.0" -- half of a particle, in pixels: 97 squared is what an invocation may loop over
local VOXELS <const> = 1 << 22 -- at most, of the volume that rays march through

local SCENE <const> = viewpoint.text .. [=[
    vec3 water(float speed) { return mix(vec3(0.05, 0.23, 0.55), vec3(0.75, 0.93, 1.0), clamp(speed, 0.0, 1.0)); }
    vec3 behind(float y) { return mix(vec3(0.93, 0.95, 0.97), vec3(0.72, 0.78, 0.86), y); }
]=]

-- FOOT{...} is done for the pixels of a particle: `pixel` is the number, `away` the place within its circle, in radii, `bulge` 1 in its middle.
local FOOT <const> = [=[
        vec4 s = seen(x, eye, lead, right, above, ahead, middle, focus);
        float wide = min(s.w * size, WIDEST);
        ivec2 low = max(ivec2(ceil(s.xy - wide)), ivec2(0)), high = min(ivec2(floor(s.xy + wide)), extent - 1);
        for (int row = low.y; wide > 0.0 && row <= high.y; row++) {
            for (int column = low.x; column <= high.x; column++) {
                vec2 away = (vec2(column, row) - s.xy) / wide;
                float bulge = 1.0 - dot(away, away);
                int pixel = row * extent.x + column;
                if (bulge > 0.0) { BODY }
            }
        }
]=]

local DRAW <const> = [=[
    // A depth as a part of the farthest, 2^24 of them: floats have no more.
    int level(float depth, float size, float bulge, float far) {
        return int(clamp((depth - size * sqrt(bulge)) / far, 0.0, 1.0) * 16777216.0);
    }
    kernel void nearest(CAMERA float size, float far, V x<>, inout int depth[]) {
        FOOT{ atomicMin(depth[pixel], level(s.z, size, bulge, far)); }
    }
    kernel void owner(CAMERA float size, float far, V x<>, int id<>, inout int depth[], inout int owners[]) {
        FOOT{ if (level(s.z, size, bulge, far) <= depth[pixel] + 2) atomicMin(owners[pixel], id); }
    }
    kernel void spheres(CAMERA float size, float fastest, int owners<>, V xs[], V vs[], out vec3 colour<>) {
        ivec2 at = indexof(colour).xy;
        colour = behind(float(at.y) / float(extent.y));
        if (owners < 2147483647) {
            vec4 s = seen(xs[owners], eye, lead, right, above, ahead, middle, focus);
            vec2 away = (vec2(at) - s.xy) / min(s.w * size, WIDEST);
            vec3 normal = vec3(away.x, -away.y, sqrt(max(0.0, 1.0 - dot(away, away))));
            float light = 0.3 + 0.7 * max(0.0, dot(normal, vec3(-0.41, 0.66, 0.63)));
            float shine = pow(max(0.0, dot(normal, vec3(-0.23, 0.37, 0.90))), 40.0);
            colour = water(length(vs[owners]) / fastest) * light + 0.35 * shine;
        }
    }
    kernel void splat(CAMERA float size, float fastest, V x<>, V v<>, inout int amounts[], inout int speeds[]) {
        float speed = min(length(v) / fastest, 1.0);
        FOOT{
            int amount = int(4096.0 * bulge * bulge * bulge + 0.5);
            atomicAdd(amounts[pixel], amount);
            atomicAdd(speeds[pixel], int(float(amount) * speed));
        }
    }
    kernel void splats(int rows, float opacity, int amounts<>, int speeds<>, out vec3 colour<>) {
        float amount = float(amounts) / 4096.0, speed = float(speeds) / max(float(amounts), 1.0);
        colour = mix(behind(float(indexof(colour).y) / float(rows)), water(speed), 1.0 - exp(-opacity * amount));
    }
    // The density at points of a grid, over the rest density.
    kernel void field(IV mask, V scale, float per_h, float amount, V low, float step, int skip, int most, V xs[], int first[],
                      inout float r<>) {
        V x = low + step * V(indexof(r).FIELDS);
        float sum = skip == 0 ? 0.0 : r;
        V mine[1] = V[1](x);
        EACH{ V d = x - xs[j]; float q = 1.0 - min(dot(d, d) * per_h * per_h, 1.0); sum += amount * q * q * q; }
        r = sum;
    }
]=]

-- The surface in two dimensions: what is inside, lit as if it bulged.
local FLAT <const> = [=[
    // Rows of the field go up, those of pictures down.
    kernel void turn(float rho[][], out float r<>) {
        ivec2 at = indexof(r).xy;
        r = rho[ivec2(at.x, sizeof_stream(r).y - 1 - at.y)];
    }
    kernel void surface(float iso, neighbor float rho<>, out vec3 colour<>) {
        vec2 slope = 0.5 * vec2(rho[ivec2(1, 0)] - rho[ivec2(-1, 0)], rho[ivec2(0, -1)] - rho[ivec2(0, 1)]);
        float steep = length(slope), deep = rho[0] - iso;
        float inside = clamp(0.5 + deep / max(steep, 1e-6), 0.0, 1.0);
        vec3 normal = normalize(vec3(-slope / max(steep, 1e-6) * clamp(1.0 - 2.0 * deep, 0.0, 1.0), 0.8));
        float light = 0.75 + 0.4 * dot(normal, vec3(-0.41, 0.66, 0.63));
        vec2 size = vec2(sizeof_stream(colour).xy);
        colour = mix(behind(float(indexof(colour).y) / size.y), light * vec3(0.10, 0.42, 0.75), step(1e-6, rho[0]) * inside);
    }
]=]

-- The surface in three: a ray is followed to where the density passes iso, and from there as reflected and refracted light.
local SOLID <const> = isosurface.passing .. isosurface.water .. [=[
    kernel void surface(CAMERA vec3 up, vec3 low, float step, float iso, vec3 floor_at, float tile, float clear, float rho[][][],
                        out vec3 colour<>) {
        vec2 at = (vec2(indexof(colour).xy) - middle) / focus;
        vec3 aside = at.x * right - at.y * above, way = normalize(ahead + aside);
        colour = watery(rho, iso, 0.0, 0.5, eye + lead * aside, way, up, right, low, vec3(step), vec3(1.0), clear / step, floor_at, tile);
    }
]=]

-- ---- options

local STYLES <const> = {spheres = true, splats = true, surface = true}

local function rows_of(dimensions)
    local positive, rows = option.positive, viewpoint.rows(dimensions)
    for _, name in ipairs {"radius", "fastest", "opacity", "iso"} do rows[name] = positive end
    rows.style, rows.spacing = option.words(STYLES), dimensions == 3 and positive or nil
    return rows
end

-- ---- styles

local styles = {}

--- styles.spheres(own, camera, taken): the nearest particle of every pixel, lit; by depth first, then by number.
function styles.spheres(own, camera, taken)
    local now, pixels = own.state.now, camera.extent[1] * camera.extent[2]
    local depth <close> = rill.stream("int", pixels, 1 << 25)
    local owners <close> = rill.stream("int", {camera.extent[2], camera.extent[1]}, 2147483647)
    local numbers <close> = rill.iota(now.x.size):copy()
    own.kernels.nearest(viewpoint.seen(camera, {size = taken.radius, far = camera.far, x = now.x, depth = depth}))
    own.kernels.owner(viewpoint.seen(camera, {
        size = taken.radius, far = camera.far, x = now.x, id = numbers, depth = depth, owners = owners:reshape(pixels),
    }))
    return own.kernels.spheres(viewpoint.seen(camera, {
        size = taken.radius, fastest = taken.fastest, owners = owners, xs = now.x, vs = now.v,
    }))
end

--- styles.splats(own, camera, taken): soft spots that add up, as a cloud.
function styles.splats(own, camera, taken)
    local now = own.state.now
    local amounts <close>, speeds = viewpoint.spots(camera, own.kernels.splat, {
        size = 2 * taken.radius, fastest = taken.fastest, x = now.x, v = now.v,
    })
    local fast <close> = speeds
    return own.kernels.splats {
        rows = camera.extent[2], opacity = taken.opacity or 0.5, amounts = amounts, speeds = fast,
    }
end

-- The density over the rest density at nodes from low on, so far apart, of this shape; particles stand sorted.
local function field(own, shape, low, step, sliced)
    local state, how = own.state, own.how
    local grid, rho = state.grid, rill.stream("float", shape)
    local norm = smoothing.norms("poly6", "linear", how.dimensions, how.radius)
    sliced(function(skip, most)
        own.kernels.field {
            mask = grid.mask, scale = grid.scale, per_h = 1 / how.radius, amount = how.mass * norm / how.density,
            low = low, step = step, skip = skip, most = most, xs = state.spare.x, first = grid.first, r = rho,
        }
    end)
    return rho
end

local function flat_surface(own, camera, taken, _, _, sliced)
    local rows, columns, step = camera.extent[2], camera.extent[1], 1 / camera.focus
    local top = camera.eye[2] + step * camera.middle[2]
    local low = {camera.eye[1] - step * camera.middle[1], top - step * (rows - 1)}
    local rho <close> = field(own, {rows, columns}, low, step, sliced)
    local turned <close> = own.kernels.turn {rho = rho, shape = {rows, columns}}
    return own.kernels.surface(taken.iso, turned)
end

local function solid_surface(own, camera, taken, low, high, sliced)
    local h, spacing, shape, lowest = own.how.radius, taken.spacing or own.how.radius / 4, {}, {}
    local voxels = 1
    for d = 1, 3 do
        lowest[d] = low[d] - h
        shape[4 - d] = math.ceil((high[d] - low[d] + 2 * h) / spacing) + 1
        voxels = voxels * shape[4 - d]
    end
    if voxels > VOXELS then
        errors.fail("P:picture: the surface would take %.0f nodes: give a 'spacing' above %g", voxels, spacing)
    end
    local rho <close> = field(own, shape, lowest, spacing, sliced)
    local floor_at, tile, reach = isosurface.surroundings(low, high, camera.up)
    return own.kernels.surface(viewpoint.seen(camera, {
        up = camera.up, low = lowest, step = spacing, iso = taken.iso, floor_at = floor_at,
        tile = tile, clear = reach, rho = rho, shape = {camera.extent[2], camera.extent[1]},
    }))
end

--- styles.surface(own, camera, taken, low, high, sliced): where the density passes iso.
function styles.surface(own, camera, taken, low, high, sliced)
    return (own.how.dimensions == 2 and flat_surface or solid_surface)(own, camera, taken, low, high, sliced)
end

local function program(dimensions)
    local text = SCENE .. DRAW:gsub("FOOT(%b{})", function(body)
        return (FOOT:gsub("BODY", function() return body:sub(2, -2) end))
    end) .. (dimensions == 2 and FLAT or SOLID)
    text = text:gsub("CAMERA ", viewpoint.parameters):gsub("WIDEST", WIDEST)
    text = text:gsub("FIELDS", dimensions == 2 and "xy" or "xyz")
    return rill.program(neighbours.text(dimensions, neighbours.cells .. text))
end

--- portrait.draw(state, how, given, sort, sliced): a picture of particles, vec3 in {rows, columns}. `sort` puts them in the order of their cells into
-- state.spare, `sliced` calls a function with the slices of launches over them.
function portrait.draw(state, how, given, sort, sliced)
    local taken = option.take("P:picture", given, rows_of(how.dimensions))
    local size = taken.size or {480, 640}
    state.drawing = state.drawing or program(how.dimensions)
    local own = {state = state, how = how, kernels = state.drawing}
    local low, high = state.now.x:min(), state.now.x:max()
    for d = 1, how.dimensions do
        low[d], high[d] = low[d] - how.radius / 2, high[d] + how.radius / 2
    end
    local camera = viewpoint.new("P:picture", taken, low, high, size, how.gravity)
    taken.radius, taken.iso = taken.radius or how.radius / 5, taken.iso or 0.5
    taken.fastest = taken.fastest or math.max(math.sqrt(state.most:get(1)[1]), 2.0 ^ -126) -- at rest: not 0
    if taken.style == "surface" then
        sort()
    end
    return styles[taken.style or "spheres"](own, camera, taken, low, high, sliced)
end

return portrait
