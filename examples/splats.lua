-- Gaussian splats in two dimensions: some hundred blurred, rotated ellipses of color are fitted to an image by gradient descent.
--
--     lua5.4 examples/splats.lua [splats [steps [image.png [directory]]]]        600 200 (a synthetic image) out
--
-- As in Kerbl and others (2023), but additive and without depth. A splat has a position, a triangular matrix that maps its ellipse to the unit
-- circle, and a color. The kernel `spread` computes the light of each splat in a square of pixels around it, and rill.scatter adds it to the
-- image. rill.value_and_grad differentiates the whole program, and Adam changes all parameters.
local rill = require "rill"

local here = debug.getinfo(1, "S").source:match "^@(.*/)" or "./"
local REACH <const> = 24 -- pixels: the size of the square that a splat covers

local spread = rill.kernel [[
    // Launched over {splats, REACH, REACH}: the light of a splat in one pixel, and the index of the pixel, -1 outside of the image.
    kernel void spread(ivec2 size, vec2 at<>, vec3 matrix<>, vec3 paint<>, out vec3 light<>, out int pixel<>) {
        ivec2 p = ivec2(floor(at)) - 12 + indexof(light).xy;
        vec2 d = vec2(p) + 0.5 - at;
        vec2 q = vec2(matrix.x * d.x, matrix.y * d.x + matrix.z * d.y);
        float fade = max(1.0 - dot(d, d) / 144.0, 0.0);
        light = fade * fade * exp(-0.5 * dot(q, q)) * paint;
        bool inside = p.x >= 0 && p.y >= 0 && p.x < size.x && p.y < size.y;
        pixel = inside ? p.y * size.x + p.x : -1;
    }
]]

--- Returns the image of splats, {rows * columns}. The parameters are streams with one element per splat.
local function draw(rows, columns, at, matrix, paint)
    local n <const> = at.size
    local light, pixel = spread {
        size = {columns, rows}, shape = {n, REACH, REACH}, at = at:reshape {n, 1, 1}, matrix = matrix:reshape {n, 1, 1},
        paint = paint:reshape {n, 1, 1},
    }
    return rill.scatter(rill.stream("vec3", rows * columns), pixel, light, "add")
end

--- Returns the parameters of n splats at random positions: small circles with the colors of the image.
local function scattered(n, target)
    local rows, columns = table.unpack(target.shape)
    local at = rill.random(n, {type = "vec2", seed = 1}) * {columns, rows}
    local matrix = rill.stream("vec3", n, {0.3, 0, 0.3})
    local pixel = (rill.floor(at.y) * columns + rill.floor(at.x)):cast "int"
    return at:eval(), matrix, (0.3 * rill.gather(target, pixel)):eval()
end

local n, steps, path, directory = ...
n = assert(math.tointeger(tonumber(n or 600)), "splats: expected a whole number")
steps = assert(math.tointeger(tonumber(steps or 200)), "steps: expected a whole number")
directory = directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))

local rows, columns = 120, 160
local balloons = dofile(here .. "support/balloons.lua")
local scene = path and rill.image.load(path, "vec3") or balloons.scene {shape = {384, 512}}
local target = rill.image.resize(scene, {rows, columns}, {filter = "area"})
local wanted = target:reshape {rows * columns}
local at, matrix, paint = scattered(n, target)

local loss = rill.value_and_grad(function(...)
    local e = draw(rows, columns, ...) - wanted
    return rill.dot(e, e):mean()
end)
-- The three kinds of parameters have different units, and therefore different rates.
local rates, opts = {0.3, 0.02, 0.02}, {}
for k, p in ipairs {at, matrix, paint} do opts[k] = rill.optimize.adam({p}, {rate = rates[k]}) end
local first = draw(rows, columns, at, matrix, paint)
local progress <close> = rill.progress(steps, "splats")
local start, value = rill.clock(), nil
for step = 1, steps do
    local results = {loss(at, matrix, paint)}
    value = results[1]
    for k, opt in ipairs(opts) do opt:set_rate(rates[k] * (1 - 0.9 * step / steps)):step(results[k + 1]) end
    progress:step()
end
progress:close()

local last = draw(rows, columns, at, matrix, paint)
local panels = {}
for k, s in ipairs {first, last, wanted} do
    panels[k] = rill.clamp(s:reshape {rows, columns}, 0, 1):eval():replicate(2, 2)
end
rill.image.save(rill.concat(panels, 2), directory .. "/splats.png")
print(("  %d steps with %d splats in %.1f s: the root of the mean square error is %.4f"):format(steps, n,
    rill.clock() - start, math.sqrt(value / 3)))
print(("  %s/splats.png: the splats at the start and at the end, and the image"):format(directory))
