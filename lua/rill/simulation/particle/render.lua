-- Images of particles (chapter 28.7.2, figure 28.15): spheres, splats, and the isosurface of the density, found by
-- ray marching with reflection and refraction.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local isosurface = require "rill.glsl.snippets.isosurface"
local neighbors = require "rill.simulation.particle.neighbors"
local smoothing = require "rill.simulation.particle.smoothing"
local viewpoint = require "rill.simulation.particle.viewpoint"
local template = require "rill.glsl.template"
local texts <const> = template.sections "render"

local portrait = {}

template.snippet("particle_foot", texts.foot)

local WIDEST <const> = "48.0" -- largest radius of a particle in pixels; an invocation may loop over 97 x 97 pixels
local VOXELS <const> = 1 << 22 -- largest number of voxels for ray marching

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

--- styles.spheres(own, camera, taken) draws the nearest particle of every pixel as a lit sphere; at equal depths the
-- lowest index.
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

--- styles.splats(own, camera, taken) draws soft spots that add up.
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

-- Returns the density, relative to the rest density, at nodes from `low` on, `step` apart. Particles must be sorted.
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
        errors.fail("P:picture: the surface would need %.0f nodes: give a 'spacing' above %g", voxels, spacing)
    end
    local rho <close> = field(own, shape, lowest, spacing, sliced)
    local floor_at, tile, reach = isosurface.surroundings(low, high, camera.up)
    return own.kernels.surface(viewpoint.seen(camera, {
        up = camera.up, low = lowest, step = spacing, iso = taken.iso, floor_at = floor_at,
        tile = tile, clear = reach, rho = rho, shape = {camera.extent[2], camera.extent[1]},
    }))
end

--- styles.surface(own, camera, taken, low, high, sliced) draws the surface where the density passes iso.
function styles.surface(own, camera, taken, low, high, sliced)
    return (own.how.dimensions == 2 and flat_surface or solid_surface)(own, camera, taken, low, high, sliced)
end

--- portrait.draw(state, how, given, sort, sliced) returns an image of particles, vec3 in {rows, columns}. `sort`
-- stores them in the order of their cells in state.spare; `sliced` calls a function with the slices of launches over
-- them.
function portrait.draw(state, how, given, sort, sliced)
    local taken = option.take("P:picture", given, rows_of(how.dimensions))
    local size = taken.size or {480, 640}
    state.drawing = state.drawing or
        neighbors.program(texts.passes, how.dimensions, {widest = WIDEST, steps = isosurface.STEPS})
    local own = {state = state, how = how, kernels = state.drawing}
    local low, high = state.now.x:min(), state.now.x:max()
    for d = 1, how.dimensions do
        low[d], high[d] = low[d] - how.radius / 2, high[d] + how.radius / 2
    end
    local camera = viewpoint.new("P:picture", taken, low, high, size, how.gravity)
    taken.radius, taken.iso = taken.radius or how.radius / 5, taken.iso or 0.5
    taken.fastest = taken.fastest or math.max(math.sqrt(state.most:get(1)[1]), 2.0 ^ -126) -- not 0 if all are at rest
    if taken.style == "surface" then
        sort()
    end
    return styles[taken.style or "spheres"](own, camera, taken, low, high, sliced)
end

return portrait
